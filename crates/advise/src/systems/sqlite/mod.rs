//! SQLite: the size of its pages, how it commits, and when its log is written back.

mod commits;
mod pages;
mod pragmas;

use std::path::Path;

use super::Rules;
use crate::lint::finding;
use crate::{Advice, AdviseError, Config, Drive, File, Finding, Inputs, Setting, Source, Value, Verdict};

const PAGE_SIZE: &str = "page_size";
const MMAP: &str = "mmap_size";
const JOURNAL: &str = "journal_mode";
const SYNCHRONOUS: &str = "synchronous";
const CHECKPOINT: &str = "wal_autocheckpoint";

/// The settings are pragmas, each under its own name.
const SOURCE: Source =
    Source { defined: "documentation, \"PRAGMA Statements\"; src/pragma.c", version: "3.12 and later" };

pub(crate) struct Sqlite;

impl Rules for Sqlite {
    fn title(&self) -> &'static str {
        "SQLite"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["3"]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["interleaving", "fsync", "sustained"]
    }

    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
        advice.add(PAGE_SIZE, pages::size(drive));
        advice.add(MMAP, pages::mapped(drive, inputs));
        advice.add(JOURNAL, commits::journal(drive));
        advice.add(SYNCHRONOUS, commits::synchronous(drive));
        advice.add(CHECKPOINT, commits::checkpoint(drive));
        advice.notes.push(
            "cache_size does not follow from the device: what a connection does not hold, the kernel's page \
             cache does, which serves all connections"
                .to_owned(),
        );
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let place = "run it in every connection; page_size takes effect before the first table is made, or \
                     with VACUUM while journal_mode is not wal";
        vec![File { name: "leadline.sql", place, text: pragmas::write(advice) }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        pragmas::read(text, path)
    }

    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        pragmas::value(setting, text)
    }

    fn patterns(&self, config: &Config, _advice: &Advice, _drive: &Drive) -> Vec<Finding> {
        let journal = config.last(JOURNAL).filter(|entry| !entry.value.eq_ignore_ascii_case("wal"));
        let unread = journal.and_then(|journal| {
            let reason = format!("has no effect with journal_mode = {}: there is no log", journal.value);
            Some(finding(config.last(CHECKPOINT)?, Verdict::Meaningless, reason))
        });
        unread.into_iter().collect()
    }
}
