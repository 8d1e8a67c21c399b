//! The formats.

use std::fmt;

/// What wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// fio, with `--output-format=json` or `json+`; of its output for people only flushes.
    Fio,
    /// Seastar's iotune: `io_properties.yaml`.
    Iotune,
    /// etcd's `/metrics`.
    Etcd,
    /// PostgreSQL's `pg_test_fsync`.
    PgTestFsync,
    /// `ceph tell osd.N bench`, JSON.
    CephBench,
    /// ioping: JSON, raw or text.
    Ioping,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 6] =
        [Format::Fio, Format::Iotune, Format::Etcd, Format::PgTestFsync, Format::CephBench, Format::Ioping];

    /// As on the command line: `pg-test-fsync`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Fio => "fio",
            Format::Iotune => "iotune",
            Format::Etcd => "etcd",
            Format::PgTestFsync => "pg-test-fsync",
            Format::CephBench => "ceph-bench",
            Format::Ioping => "ioping",
        }
    }

    /// The format with this [name](Self::name).
    pub fn from_name(name: &str) -> Option<Format> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// What a file of it is, in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Format::Fio => "fio's output",
            Format::Iotune => "io_properties.yaml of Seastar's iotune",
            Format::Etcd => "etcd's /metrics",
            Format::PgTestFsync => "the output of pg_test_fsync",
            Format::CephBench => "the JSON of ceph tell osd.N bench",
            Format::Ioping => "the output of ioping",
        }
    }

    /// All names, for messages.
    pub(crate) fn names() -> String {
        Self::ALL.map(Format::name).join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
