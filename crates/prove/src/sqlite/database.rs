//! Databases of our own, and the program on them under a variant.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use leadline_process::{Launch, ProcessError, run};

use super::plan::ROW_BYTES;
use super::program::Sqlite;
use crate::place::Place;
use crate::proof::InForce;
use crate::{ProveError, Variant, cold, value};

/// The setting that a database has from the beginning.
pub(super) const PAGE_SIZE: &str = "page_size";

/// What every database has, whatever a variant says.
pub(super) const FIXED: [(&str, &str); 1] = [("journal_mode", "wal")];

/// Bytes of a value.
pub(super) const VALUE_BYTES: u64 = 400;

/// Variables that would change what the program does begin so.
const VARIABLES: &str = "SQLITE";

/// What the program prints before a value of a setting, and before the time of day in milliseconds.
const SETTING: &str = "setting ";
const BEGAN: &str = "began";
const ENDED: &str = "ended";
const CLOCK: &str = "SELECT (julianday('now') - 2440587.5) * 86400000.0;";

/// The clock's resolution: what takes less has taken about half of it.
const TICK_SECONDS: f64 = 1e-3;

/// The directory of all databases.
pub(super) struct Databases<'a> {
    sqlite: &'a Sqlite,
    place: Place,
    data: PathBuf,
    /// What the program is asked for in every run.
    watched: Vec<String>,
    in_force: RefCell<InForce>,
    cancel: &'a AtomicBool,
}

/// One database with the table `t` of `rows` rows, whose ids count up from 1.
#[derive(Debug, Clone)]
pub(super) struct Database {
    pub(super) path: PathBuf,
    pub(super) rows: u64,
}

/// Those that differ in nothing but the size of their pages, by what variants say of it.
pub(super) type Copies = BTreeMap<Option<String>, Database>;

/// What a run of the program came to.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) seconds: f64,
    /// What it printed in that time.
    pub(super) lines: Vec<String>,
}

impl<'a> Databases<'a> {
    /// Empty, after checking that that much can be written there.
    pub(super) fn create(
        sqlite: &'a Sqlite,
        target: &Path,
        needed_bytes: u64,
        cancel: &'a AtomicBool,
    ) -> Result<Databases<'a>, ProveError> {
        let place = Place::create(target, None, needed_bytes, VARIABLES)?;
        let data = place.on_device("data")?;
        let (watched, in_force) = (Vec::new(), RefCell::default());
        Ok(Databases { sqlite, place, data, watched, in_force, cancel })
    }

    /// Checks that SQLite takes the settings of all variants, and remembers their names.
    pub(super) fn check(&mut self, variants: &[&Variant]) -> Result<(), ProveError> {
        for (key, _) in variants.iter().flat_map(|variant| &variant.settings) {
            if !self.watched.contains(key) {
                self.watched.push(key.clone());
            }
        }
        let path = self.data.join("settings");
        for variant in variants {
            let empty = Database { path: path.clone(), rows: 0 };
            self.run(&empty, variant, ["", ""], "reading settings")?;
            remove(&path)?;
        }
        Ok(())
    }

    /// What the program said of the settings that any variant has, by variants' names.
    pub(super) fn in_force(&self) -> InForce {
        self.in_force.borrow().clone()
    }

    /// A database of that many bytes for each size of pages that the variants have, durable.
    pub(super) fn load(&self, name: &str, bytes: u64, variants: &[&Variant]) -> Result<Copies, ProveError> {
        let mut copies = Copies::new();
        for size in sizes(variants) {
            let of = size.as_deref().unwrap_or("default");
            let path = self.data.join(format!("{name}-{of}"));
            let rows = (bytes / ROW_BYTES).max(1);
            let pragma = size.as_ref().map_or(String::new(), |size| format!("PRAGMA {PAGE_SIZE}={size};\n"));
            let script = format!(
                "{pragma}PRAGMA journal_mode=OFF;\nPRAGMA synchronous=OFF;\n\
                 CREATE TABLE t (id INTEGER PRIMARY KEY, value TEXT NOT NULL);\n\
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})\n\
                 INSERT INTO t SELECT i, printf('%.*c', {VALUE_BYTES}, 'x') FROM n;\n\
                 PRAGMA journal_mode=WAL;\n"
            );
            self.execute(&path, &script, "loading a table")?;
            cold::sync(std::slice::from_ref(&path))?;
            copies.insert(size, Database { path, rows });
        }
        Ok(copies)
    }

    /// Runs statements under a variant, those of `before` without being timed, and checks that its settings
    /// were in force.
    pub(super) fn run(
        &self,
        database: &Database,
        variant: &Variant,
        [before, statements]: [&str; 2],
        during: &str,
    ) -> Result<Ran, ProveError> {
        let mut script = String::new();
        let own = variant.settings.iter().filter(|(key, _)| !is_fixed(key));
        // Before anything that would make the pages of an empty database.
        let (first, others): (Vec<_>, Vec<_>) = own.partition(|(key, _)| key == PAGE_SIZE);
        let fixed = FIXED.map(|(key, value)| (key.to_owned(), value.to_owned()));
        for (key, value) in first.into_iter().chain(&fixed).chain(others) {
            script.push_str(&format!("PRAGMA {key}={value};\n"));
        }
        // What it needs to know of the database is in memory then.
        script.push_str("SELECT count(*) FROM sqlite_master;\n");
        script.push_str(&format!("{before}.print {BEGAN}\n{CLOCK}\n{statements}.print {ENDED}\n{CLOCK}\n"));
        for key in &self.watched {
            script.push_str(&format!(".print {SETTING}{key}\nPRAGMA {key};\n"));
        }
        let printed = self.execute(&database.path, &script, during).map_err(|error| match error {
            ProveError::Process(ProcessError::Died { said, .. }) if statements.is_empty() => {
                self.refused(variant, said)
            }
            other => other,
        })?;
        let found = settings(&printed);
        for (key, asked) in variant.settings.iter().filter(|(key, _)| !is_fixed(key)) {
            let found = found.get(key).map_or("nothing: it has no such pragma", String::as_str);
            if !is_same(key, asked, found) {
                return Err(self.refused(variant, format!("{key}={asked} becomes {found}")));
            }
        }
        self.in_force.borrow_mut().entry(variant.name.clone()).or_insert(found);
        timed(&printed)
            .ok_or_else(|| ProveError::unexpected("sqlite3", during, "no time of day is in it", &printed))
    }

    /// Runs a script in a database.
    fn execute(&self, path: &Path, script: &str, during: &str) -> Result<String, ProveError> {
        const SCRIPT: &str = "script.sql";
        let folder = self.place.aside();
        let file = folder.join(SCRIPT);
        fs::write(&file, script).map_err(|source| ProveError::io(&file, "writing a script", source))?;
        // Nobody's ~/.sqliterc.
        let mut arguments: Vec<String> = ["-batch", "-bail", "-init", "/dev/null"].map(str::to_owned).into();
        arguments.extend([path.display().to_string(), format!(".read {SCRIPT}")]);
        let launch = Launch { folder: Some(folder), ..self.place.client(&self.sqlite.path, &arguments) };
        Ok(run(&launch, during, self.cancel, &mut |_, _| ())?)
    }

    fn refused(&self, variant: &Variant, said: String) -> ProveError {
        let system = format!("SQLite {}", self.sqlite.version);
        ProveError::Settings { system, variant: variant.name.clone(), said }
    }
}

/// The sizes of pages that variants have; `None` for the default.
pub(super) fn sizes(variants: &[&Variant]) -> Vec<Option<String>> {
    let mut sizes: Vec<_> = variants.iter().map(|variant| size_of(variant)).collect();
    sizes.sort();
    sizes.dedup();
    sizes
}

/// The size of pages that a variant has.
pub(super) fn size_of(variant: &Variant) -> Option<String> {
    variant.settings.iter().find(|(key, _)| key == PAGE_SIZE).map(|(_, size)| size.clone())
}

pub(super) fn is_fixed(key: &str) -> bool {
    FIXED.iter().any(|(fixed, _)| *fixed == key)
}

fn remove(path: &Path) -> Result<(), ProveError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ProveError::io(path, "removing a database", error))
        }
        _ => Ok(()),
    }
}

/// Whether what was asked for is what the program says: it says numbers for words.
fn is_same(key: &str, asked: &str, found: &str) -> bool {
    const SYNCHRONOUS: [&str; 4] = ["off", "normal", "full", "extra"];
    let word = SYNCHRONOUS.iter().position(|word| word.eq_ignore_ascii_case(asked));
    match (key, word) {
        ("synchronous", Some(number)) => found == number.to_string(),
        _ => asked == found || value::is_same(asked, found),
    }
}

/// The line after the name of each setting; a pragma that does not exist prints none.
fn settings(printed: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut lines = printed.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(key) = line.strip_prefix(SETTING)
            && let Some(value) = lines.peek().filter(|next| !next.starts_with(SETTING))
        {
            found.insert(key.to_owned(), (*value).to_owned());
        }
    }
    found
}

/// What was printed between both times of day.
fn timed(printed: &str) -> Option<Ran> {
    let mut lines = printed.lines();
    lines.by_ref().find(|line| *line == BEGAN)?;
    let began: f64 = lines.next()?.parse().ok()?;
    let inner: Vec<String> = lines.by_ref().take_while(|line| *line != ENDED).map(str::to_owned).collect();
    let ended: f64 = lines.next()?.parse().ok()?;
    Some(Ran { seconds: ((ended - began) / 1e3).max(TICK_SECONDS / 2.0), lines: inner })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str =
        "wal\n2\nbegan\n1000.0\n7\n8\nended\n1250.0\nsetting nonsense\nsetting cache_size\n-2000\n";

    #[test]
    fn a_run_has_its_time_what_it_printed_and_the_settings() {
        let ran = timed(PRINTED).unwrap();
        assert_eq!((ran.seconds, ran.lines), (0.25, vec!["7".to_owned(), "8".to_owned()]));
        assert_eq!(settings(PRINTED), BTreeMap::from([("cache_size".to_owned(), "-2000".to_owned())]));
        assert!(timed("began\n1\n").is_none() && timed("").is_none());
        assert_eq!(timed("began\n5\nended\n5\n").unwrap().seconds, 0.0005);
    }

    #[test]
    fn words_are_the_numbers_that_sqlite_says_for_them() {
        assert!(is_same("synchronous", "NORMAL", "1") && is_same("synchronous", "2", "2"));
        assert!(!is_same("synchronous", "full", "1") && !is_same("cache_size", "full", "2"));
        assert!(is_same("cache_size", "-2000", "-2000") && !is_same("cache_size", "-2000", "2000"));
    }
}
