//! SQLite: the size of its pages, how it commits, and when its log is written back.

mod commits;
mod pages;
mod pragmas;

use std::path::Path;
use std::sync::LazyLock;

use super::Rules;
use crate::keys::Keys;
use crate::meaning::{Meaning, Moot, Special, When};
use crate::{Advice, AdviseError, Config, Drive, File, Inputs, Setting, Source, Value};

const PAGE_SIZE: &str = "page_size";
const MMAP: &str = "mmap_size";
const JOURNAL: &str = "journal_mode";
const SYNCHRONOUS: &str = "synchronous";
const CHECKPOINT: &str = "wal_autocheckpoint";

/// The settings are pragmas, each under its own name.
const SOURCE: Source =
    Source { defined: "documentation, \"PRAGMA Statements\"; src/pragma.c", version: "3.12 and later" };

/// By the documentation: the library tells no ranges.
static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys::parse(include_str!("../../../keys/sqlite/3.tsv")));

static MEANINGS: [Meaning; 1] = [Meaning::of(CHECKPOINT)
    .special(&[("0", Special::Off("the log grows until a program checkpoints"))])
    .moot(&[Moot { when: &[When::IsSet(JOURNAL, &["wal"])], why: "without wal there is no log" }])];

pub(crate) struct Sqlite;

impl Rules for Sqlite {
    fn title(&self) -> &'static str {
        "SQLite"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["3"]
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[("sqlite3", "--version")]
    }

    fn keys(&self, _version: &str) -> Option<&'static Keys> {
        Some(&KEYS)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &MEANINGS
    }

    fn if_refused(&self) -> &'static str {
        "SQLite passes over it, or takes it for another value"
    }

    fn needs(&self) -> &'static [&'static str] {
        &["interleaving", "fsync", "sustained"]
    }

    fn is_provable(&self) -> bool {
        true
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
}
