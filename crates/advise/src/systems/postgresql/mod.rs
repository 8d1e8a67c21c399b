//! PostgreSQL 13 to 18.
//!
//! Ranges and defaults are from the output of `postgres --describe-config` and `postgres -C KEY` of each
//! version print.

mod commits;
mod meanings;
mod read;
mod reads;
mod syntax;
mod values;
mod writes;

use std::path::Path;

use super::Rules;
use crate::files::Files;
use crate::keys::Keys;
use crate::lint::finding;
use crate::meaning::Meaning;
use crate::{Advice, AdviseError, Config, Drive, File, Finding, Inputs, Setting, Source, Value, Verdict};

/// A page.
const PAGE: u32 = 8192;

pub(crate) struct Postgresql;

impl Rules for Postgresql {
    fn title(&self) -> &'static str {
        "PostgreSQL"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["13", "14", "15", "16", "17", "18"]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["interleaving", "fsync", "sync-methods", "sustained"]
    }

    fn is_provable(&self) -> bool {
        true
    }

    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
        let version = major(advice);
        reads::add(drive, inputs, version, advice);
        writes::add(drive, inputs, version, advice);
        commits::add(drive, version, advice);
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[("postgres", "--version")]
    }

    fn keys(&self, version: &str) -> Option<&'static Keys> {
        meanings::keys(version)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &meanings::MEANINGS
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        vec![File {
            name: "leadline.conf",
            place: "a file of conf.d, or include it at the end of postgresql.conf; SELECT pg_reload_conf()",
            text: syntax::write(advice),
        }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        read::read(text, path, &Files::none())
    }

    fn read_from(&self, text: &str, path: &Path, files: &Files) -> Result<Config, AdviseError> {
        read::read(text, path, files)
    }

    fn written(&self, value: &Value) -> String {
        syntax::written(value)
    }

    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        values::value(setting, text)
    }

    fn patterns(&self, config: &Config, advice: &Advice, _drive: &Drive) -> Vec<Finding> {
        let mut findings = Vec::new();
        let costs = (config.last("random_page_cost"), config.number("random_page_cost"));
        if let (Some(entry), Some(random)) = costs {
            let sequential = config.number("seq_page_cost").unwrap_or(1.0);
            if random < sequential {
                let reason = format!(
                    "below seq_page_cost, {sequential}: no page is cheaper to read at random than in sequence"
                );
                findings.push(finding(entry, Verdict::Meaningless, reason));
            }
        }
        // io_combine_limit is silently clamped to io_max_combine_limit, 128kB unless set.
        if major(advice) >= 18 {
            findings.extend(syntax::clamped_combine_limit(config));
        }
        findings
    }
}

fn major(advice: &Advice) -> u32 {
    advice.version.parse().unwrap_or_default()
}

/// A section of the documentation. Sections are named by their titles: their numbers move between versions.
const fn documented(section: &'static str) -> Source {
    Source { defined: section, version: "13 to 18" }
}
