//! What was found in one file.

use leadline_profile::{ImportedFile, SyncMethods};

use crate::flush::Flush;
use crate::load::{Load, Plateau};

/// What a file says, and what is to be said of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Found {
    /// The file, with the program; what was read, skipped and assumed.
    pub(crate) file: ImportedFile,
    /// Name of the disk, where the file tells.
    pub(crate) disk: Option<String>,
    /// Size of the device, bytes, where the file tells.
    pub(crate) capacity_bytes: Option<u64>,
    pub(crate) loads: Vec<Load>,
    pub(crate) plateaus: Vec<Plateau>,
    pub(crate) flushes: Vec<Flush>,
    pub(crate) sync_methods: Option<SyncMethods>,
}

impl Found {
    pub(crate) fn by(program: &str, version: Option<String>) -> Found {
        let file = ImportedFile { program: program.to_owned(), version, ..ImportedFile::default() };
        Found { file, ..Found::default() }
    }

    pub(crate) fn read(&mut self, words: impl Into<String>) {
        self.file.read.push(words.into());
    }

    pub(crate) fn skip(&mut self, words: impl Into<String>) {
        self.file.skipped.push(words.into());
    }

    pub(crate) fn assume(&mut self, words: impl Into<String>) {
        let words = words.into();
        if !self.file.assumed.contains(&words) {
            self.file.assumed.push(words);
        }
    }

    /// Whether nothing in it can be used.
    pub(crate) fn is_empty(&self) -> bool {
        self.loads.is_empty()
            && self.plateaus.is_empty()
            && self.flushes.is_empty()
            && self.sync_methods.is_none()
    }
}
