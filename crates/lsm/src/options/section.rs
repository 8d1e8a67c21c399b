//! The sections of an OPTIONS file.

use std::fmt;

/// What a section is about. The order is RocksDB's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// `[Version]`.
    Version,
    /// `[DBOptions]`.
    Db,
    /// `[CFOptions "default"]`: of one column family.
    Cf,
    /// `[TableOptions/BlockBasedTable "default"]`: of the files of one column family.
    Table,
}

impl Kind {
    pub(super) fn title(self) -> &'static str {
        match self {
            Kind::Version => "Version",
            Kind::Db => "DBOptions",
            Kind::Cf => "CFOptions",
            Kind::Table => "TableOptions/BlockBasedTable",
        }
    }

    /// Whether there is one for each column family.
    pub(super) fn is_per_family(self) -> bool {
        matches!(self, Kind::Cf | Kind::Table)
    }
}

/// An option and its value, as they stand in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) name: String,
    pub(super) value: String,
}

/// A section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) kind: Kind,
    /// The column family, empty where there is none.
    pub(super) family: String,
    pub(super) settings: Vec<Setting>,
}

/// RocksDB's name of the column family that every database has.
pub(super) const DEFAULT_FAMILY: &str = "default";

impl Section {
    /// A section without settings, of the default column family where it is of one.
    pub(super) fn new(kind: Kind) -> Self {
        let family = if kind.is_per_family() { DEFAULT_FAMILY } else { "" };
        Section { kind, family: family.to_owned(), settings: Vec::new() }
    }

    /// Gives `name` a value, in place of the one it has.
    pub(super) fn set(&mut self, name: &str, value: impl fmt::Display) {
        let value = value.to_string();
        match self.settings.iter_mut().find(|setting| setting.name == name) {
            Some(setting) => setting.value = value,
            None => self.settings.push(Setting { name: name.to_owned(), value }),
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.family.as_str() {
            "" => writeln!(f, "[{}]", self.kind.title())?,
            family => writeln!(f, "[{} \"{family}\"]", self.kind.title())?,
        }
        self.settings.iter().try_for_each(|setting| writeln!(f, "  {}={}", setting.name, setting.value))
    }
}
