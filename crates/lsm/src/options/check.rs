//! Whether RocksDB would take a file, and whether it is about a tree of blocks.

use std::collections::HashSet;
use std::path::Path;

use leadline_files::TextError;

use super::known::{self, KnownOption};
use super::parse::nested;
use super::release::Release;
use super::section::{DEFAULT_FAMILY, Kind, Section, Setting};
use super::shown::shown;

/// Names that a message lists at most.
const MOST_NAMES: usize = 5;

/// The release that the file is for.
pub(super) fn release(sections: &[Section], path: &Path) -> Result<Release, TextError> {
    let version = sections.iter().find(|section| section.kind == Kind::Version);
    let Some(setting) = version.and_then(|section| section.get("rocksdb_version")) else {
        let reason = "no rocksdb_version in a section [Version]; an OPTIONS file starts with both";
        return Err(TextError::file(path, reason));
    };
    Release::parse(&setting.value).ok_or_else(|| {
        let reason = "must be a release of RocksDB, such as 8.6.7";
        value_error(path, setting, reason)
    })
}

fn value_error(path: &Path, setting: &Setting, reason: &str) -> TextError {
    let (name, value) = (shown(&setting.name), shown(&setting.value));
    TextError::value(path, setting.line, format!("{name}={value}: {reason}"))
}

/// That there are options of the database and of the column family, and that its files have blocks.
pub(super) fn family(sections: &[Section], family: &str, path: &Path) -> Result<(), TextError> {
    if !sections.iter().any(|section| section.kind == Kind::Db) {
        return Err(TextError::file(path, "no section [DBOptions], without which RocksDB loads no file"));
    }
    let families: Vec<&Section> = sections.iter().filter(|section| section.kind == Kind::Cf).collect();
    if families.first().is_none_or(|first| first.family != DEFAULT_FAMILY) {
        let reason =
            "the first column family must be [CFOptions \"default\"], without which RocksDB loads no file";
        return Err(TextError::file(path, reason));
    }
    let Some(meant) = families.iter().find(|section| section.family == family) else {
        let names: Vec<&str> = families.iter().map(|section| section.family.as_str()).collect();
        let reason = format!("no column family {}; it has {}", shown(family), listed(&names));
        return Err(TextError::file(path, reason));
    };
    let other = sections.iter().find(|s| s.kind == Kind::OtherTable && s.family == family);
    let remedy = "only BlockBasedTable, files of blocks, is modelled";
    if let Some(table) = other {
        return Err(TextError::line(path, table.line, format!("[{}]: {remedy}", shown(&table.title))));
    }
    match meant.get("table_factory") {
        Some(setting) if !setting.value.contains("BlockBasedTable") => {
            Err(value_error(path, setting, remedy))
        }
        _ => Ok(()),
    }
}

/// Up to [`MOST_NAMES`] names.
pub(super) fn listed(names: &[&str]) -> String {
    let mut list = names.iter().take(MOST_NAMES).map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    if names.len() > MOST_NAMES {
        list.push_str(&format!(" and {} more", names.len() - MOST_NAMES));
    }
    list
}

/// Makes sections of tables that are set up within a column family: `table_factory={block_size=4096;...}`.
/// RocksDB takes no notice of these where there is a section, too.
pub(super) fn expand_tables(sections: &mut Vec<Section>) {
    let is_table = |section: &&Section| matches!(section.kind, Kind::Table | Kind::OtherTable);
    let with_table: HashSet<String> = sections.iter().filter(is_table).map(|s| s.family.clone()).collect();
    let families = sections.iter().filter(|s| s.kind == Kind::Cf && !with_table.contains(&s.family));
    let expanded: Vec<Section> = families.filter_map(table_within).collect();
    sections.extend(expanded);
}

fn table_within(family: &Section) -> Option<Section> {
    let is_table =
        |setting: &&Setting| ["table_factory", "block_based_table_factory"].contains(&&*setting.name);
    let setting = family.settings.iter().find(|setting| is_table(setting) && setting.value.contains('='))?;
    let mut section =
        Section { family: family.family.clone(), line: setting.line, ..Section::new(Kind::Table) };
    for (name, value) in nested(&setting.value).into_iter().filter(|(name, _)| *name != "id") {
        let (name, value, line) = (name.to_owned(), value.to_owned(), setting.line);
        section.settings.push(Setting { name, value, line });
    }
    Some(section)
}

/// That the release knows all options. What is to be said about them otherwise, a line each.
pub(super) fn options(sections: &[Section], release: Release, path: &Path) -> Result<Vec<String>, TextError> {
    let table = known::table();
    let newest = table.newest_before(release);
    let mut notes = Vec::new();
    let mut of_newer: Vec<&str> = Vec::new();
    for section in sections.iter().filter(|s| !matches!(s.kind, Kind::Version | Kind::OtherTable)) {
        let mut names = HashSet::new();
        for setting in &section.settings {
            match table.find(section.kind, &setting.name) {
                Some(option) if table.accepts(option, release) => {}
                Some(option) => return Err(unknown(path, section, setting, &other_release(option, release))),
                None if newest.is_some() => of_newer.push(&setting.name),
                None => return Err(unknown(path, section, setting, &meant(section.kind, &setting.name))),
            }
            if !names.insert(&setting.name) {
                let (line, name) = (setting.line, &setting.name);
                notes.push(format!("line {line}: {name} is set again; RocksDB takes the first value"));
            }
        }
    }
    if let Some(newest) = newest {
        let names = if of_newer.is_empty() { "none".to_owned() } else { listed(&of_newer) };
        notes.push(format!(
            "RocksDB {release} is newer than {newest}, the newest whose options and defaults are known; options \
             that are not known: {names}"
        ));
    }
    if let Some(oldest) = table.oldest_after(release) {
        notes.push(format!(
            "RocksDB {release} is older than {oldest}, the oldest whose options and defaults are known; the options \
             of {oldest} are assumed"
        ));
    }
    Ok(notes)
}

fn unknown(path: &Path, section: &Section, setting: &Setting, hint: &str) -> TextError {
    let (section, name) = (shown(&section.title), shown(&setting.name));
    TextError::value(path, setting.line, format!("{section} has no option {name}{hint}"))
}

/// That an option is of another release.
fn other_release(option: &KnownOption, release: Release) -> String {
    match known::table().since(option) {
        Some(since) if since > release => {
            format!(
                " in RocksDB {release}, which the file is for; {since} has it: take it out, or correct rocksdb_version"
            )
        }
        _ => format!(" in RocksDB {release} any more; take it out"),
    }
}

/// What may be meant by an option that no release has.
fn meant(kind: Kind, name: &str) -> String {
    let table = known::table();
    if let [other, ..] = table.sections_with(name)[..] {
        return format!("; it is an option of [{}]", other.title());
    }
    match table.nearest(kind, name) {
        Some(nearest) => format!("; is {nearest} meant?"),
        None => "; take it out".to_owned(),
    }
}
