//! The sections of an OPTIONS file.

use std::fmt;

/// What a section is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// `[Version]`.
    Version,
    /// `[DBOptions]`.
    Db,
    /// `[CFOptions "default"]`: of one column family.
    Cf,
    /// `[TableOptions/BlockBasedTable "default"]`: of the files of one column family.
    Table,
    /// `[TableOptions/PlainTable "default"]` and the like: of files in another format.
    OtherTable,
}

const TABLE_OPTIONS: &str = "TableOptions/";

impl Kind {
    const NAMED: [Kind; 4] = [Kind::Version, Kind::Db, Kind::Cf, Kind::Table];

    /// What is in the brackets, without the column family.
    pub(super) fn title(self) -> &'static str {
        match self {
            Kind::Version => "Version",
            Kind::Db => "DBOptions",
            Kind::Cf => "CFOptions",
            Kind::Table => "TableOptions/BlockBasedTable",
            Kind::OtherTable => TABLE_OPTIONS,
        }
    }

    pub(super) fn of_title(title: &str) -> Option<Self> {
        let other_table = || title.starts_with(TABLE_OPTIONS).then_some(Kind::OtherTable);
        Self::NAMED.into_iter().find(|kind| kind.title() == title).or_else(other_table)
    }

    /// Whether there is one for each column family.
    pub(super) fn is_per_family(self) -> bool {
        matches!(self, Kind::Cf | Kind::Table | Kind::OtherTable)
    }
}

/// An option and its value, as they are in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) name: String,
    pub(super) value: String,
    /// Line in the file it was read from, from 1; 0 if it was not.
    pub(super) line: usize,
}

/// A section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) kind: Kind,
    pub(super) title: String,
    /// The column family, empty where there is none.
    pub(super) family: String,
    /// As for [`Setting::line`].
    pub(super) line: usize,
    pub(super) settings: Vec<Setting>,
}

/// The column family that every database has.
pub const DEFAULT_FAMILY: &str = "default";

impl Section {
    /// A section without settings, of the default column family where it is of one.
    pub(super) fn new(kind: Kind) -> Self {
        let family = if kind.is_per_family() { DEFAULT_FAMILY } else { "" };
        let (title, family) = (kind.title().to_owned(), family.to_owned());
        Section { kind, title, family, line: 0, settings: Vec::new() }
    }

    /// The first of that name: RocksDB takes no notice of another one.
    pub(super) fn get(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.name == name)
    }

    /// Gives `name` a value, in place of the one it has.
    pub(super) fn set(&mut self, name: &str, value: impl fmt::Display) {
        let value = value.to_string();
        match self.settings.iter_mut().find(|setting| setting.name == name) {
            Some(setting) => setting.value = value,
            None => self.settings.push(Setting { name: name.to_owned(), value, line: 0 }),
        }
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.family.as_str() {
            "" => writeln!(f, "[{}]", self.title)?,
            family => writeln!(f, "[{} \"{family}\"]", self.title)?,
        }
        self.settings.iter().try_for_each(|setting| writeln!(f, "  {}={}", setting.name, setting.value))
    }
}
