//! The program on a database under a variant.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use leadline_process::{Launch, ProcessError, Seen, run};

use super::plan::Plan;
use super::program::Duckdb;
use super::setting::{BLOCK_SIZE, is_same};
use crate::place::Place;
use crate::proof::InForce;
use crate::{ProveError, Variant};

/// Variables that would change what the program does begin so.
const VARIABLES: &str = "DUCKDB";

/// What the program prints before the name and value of a setting, and before the time of day in
/// microseconds.
const SETTING: &str = "setting ";
const BEGAN: &str = "began";
const ENDED: &str = "ended";
const CLOCK: &str = "SELECT epoch_us(get_current_timestamp());";

/// What a complaint has in it; advice and the place in the statement come after it.
const COMPLAINT: &str = " Error: ";

/// The clock's resolution.
const TICK_SECONDS: f64 = 1e-6;

/// The directory of all databases and files.
pub(super) struct Sessions<'a> {
    duckdb: &'a Duckdb,
    place: Place,
    pub(super) data: PathBuf,
    temporary: PathBuf,
    /// What every session has, whatever a variant says.
    pub(super) fixed: Vec<(String, String)>,
    /// What the program is asked for in every run.
    watched: Vec<String>,
    in_force: RefCell<InForce>,
    cancel: &'a AtomicBool,
}

/// What a run of the program came to.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) seconds: f64,
    /// What it printed in that time.
    pub(super) lines: Vec<String>,
    /// The most that was seen in its temporary files.
    pub(super) temporary_bytes: u64,
}

impl<'a> Sessions<'a> {
    /// Nothing yet, after checking that that much can be written there.
    pub(super) fn create(
        duckdb: &'a Duckdb,
        plan: &Plan,
        needed_bytes: u64,
        cancel: &'a AtomicBool,
    ) -> Result<Sessions<'a>, ProveError> {
        let place = Place::create(&plan.target, None, needed_bytes, VARIABLES)?;
        let (data, temporary) = (place.on_device("data")?, place.on_device("temporary")?);
        let fixed = vec![
            ("memory_limit".to_owned(), format!("{}MiB", plan.memory_bytes >> 20)),
            ("temp_directory".to_owned(), temporary.display().to_string()),
        ];
        let (watched, in_force) = (Vec::new(), RefCell::default());
        Ok(Sessions { duckdb, place, data, temporary, fixed, watched, in_force, cancel })
    }

    /// Checks that DuckDB takes the settings of all variants, and remembers their names.
    pub(super) fn check(&mut self, variants: &[&Variant]) -> Result<(), ProveError> {
        for (key, _) in variants.iter().flat_map(|variant| &variant.settings) {
            if !self.watched.contains(key) {
                self.watched.push(key.clone());
            }
        }
        for variant in variants {
            self.run(None, variant, "", "reading settings")?;
        }
        Ok(())
    }

    /// What the program said of the settings that any variant has, by variants' names.
    pub(super) fn in_force(&self) -> InForce {
        self.in_force.borrow().clone()
    }

    /// Runs statements under a variant, on a database if there is one, and checks that its settings were in
    /// force.
    pub(super) fn run(
        &self,
        database: Option<&Path>,
        variant: &Variant,
        statements: &str,
        during: &str,
    ) -> Result<Ran, ProveError> {
        let own = variant.settings.iter().filter(|(key, _)| !self.is_fixed(key));
        let mut script = String::new();
        for (key, value) in self.fixed.iter().chain(own) {
            script.push_str(&format!("SET {key} = {};\n", quoted(value)));
        }
        // What it needs to know of the database is in memory then.
        script.push_str("SELECT count(*) FROM duckdb_tables();\n");
        script.push_str(&format!(".print {BEGAN}\n{CLOCK}\n{statements}.print {ENDED}\n{CLOCK}\n"));
        for key in &self.watched {
            script.push_str(&format!(
                "SELECT {} || {};\n",
                quoted(&format!("{SETTING}{key}=")),
                asked(key, database)
            ));
        }
        let most = Cell::new(0);
        let mut look = || most.set(most.get().max(size_of(&self.temporary)));
        let printed = self.execute(database, &script, during, &mut look).map_err(|error| match error {
            ProveError::Process(ProcessError::Died { said, .. }) if statements.is_empty() => {
                self.refused(variant, said)
            }
            other => other,
        })?;
        let found = settings(&printed);
        for (key, asked) in variant.settings.iter().filter(|(key, _)| !self.is_fixed(key)) {
            let found = found.get(key).map_or("nothing", String::as_str);
            if !is_same(asked, found) {
                return Err(self.refused(variant, format!("{key}={asked} becomes {found}")));
            }
        }
        // What a database is made with is known only once there is one.
        self.in_force.borrow_mut().entry(variant.name.clone()).or_default().extend(found);
        let (seconds, lines) = timed(&printed)
            .ok_or_else(|| ProveError::unexpected("duckdb", during, "no time of day is in it", &printed))?;
        Ok(Ran { seconds, lines, temporary_bytes: most.get() })
    }

    /// Runs a script, and calls `look` some twenty times per second.
    pub(super) fn execute(
        &self,
        database: Option<&Path>,
        script: &str,
        during: &str,
        look: &mut dyn FnMut(),
    ) -> Result<String, ProveError> {
        const SCRIPT: &str = "script.sql";
        let folder = self.place.aside();
        let file = folder.join(SCRIPT);
        fs::write(&file, script).map_err(|source| ProveError::io(&file, "writing a script", source))?;
        // Nobody's ~/.duckdbrc.
        let mut arguments: Vec<String> =
            ["-no-init", "-batch", "-bail", "-list", "-noheader"].map(str::to_owned).into();
        arguments.extend(database.map(|path| path.display().to_string()));
        arguments.extend(["-f", SCRIPT].map(str::to_owned));
        let launch = Launch { folder: Some(folder), ..self.place.client(&self.duckdb.path, &arguments) };
        let mut complaint = None;
        let mut see = |_, seen: Seen| match seen {
            Seen::Running => look(),
            Seen::Line(line) if complaint.is_none() && line.contains(COMPLAINT) => {
                complaint = Some(line.to_owned());
            }
            Seen::Line(_) => {}
        };
        let ran = run(&launch, during, self.cancel, &mut see);
        Ok(ran.map_err(|error| match (error, complaint) {
            (ProcessError::Died { program, during, how, .. }, Some(said)) => {
                ProcessError::Died { program, during, how, said }
            }
            (error, _) => error,
        })?)
    }

    fn is_fixed(&self, key: &str) -> bool {
        self.fixed.iter().any(|(fixed, _)| fixed == key)
    }

    fn refused(&self, variant: &Variant, said: String) -> ProveError {
        let system = format!("DuckDB {}", self.duckdb.version);
        ProveError::Settings { system, variant: variant.name.clone(), said }
    }
}

/// A text in a statement.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// What says which value of a setting is in force.
fn asked(key: &str, database: Option<&Path>) -> String {
    match database {
        // The setting is that of databases to come.
        Some(_) if key == BLOCK_SIZE => {
            "(SELECT block_size FROM pragma_database_size() WHERE database_name = current_database())".into()
        }
        _ => format!("(SELECT value FROM duckdb_settings() WHERE name = {})", quoted(key)),
    }
}

/// Of all files in a directory; those that go away meanwhile do not count.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
}

fn settings(printed: &str) -> BTreeMap<String, String> {
    let setting = |line: &str| {
        let (key, value) = line.strip_prefix(SETTING)?.split_once('=')?;
        Some((key.to_owned(), value.to_owned()))
    };
    printed.lines().filter_map(setting).collect()
}

/// The time between both times of day, and what was printed then.
fn timed(printed: &str) -> Option<(f64, Vec<String>)> {
    let mut lines = printed.lines();
    lines.by_ref().find(|line| *line == BEGAN)?;
    let began: u64 = lines.next()?.parse().ok()?;
    let inner: Vec<String> = lines.by_ref().take_while(|line| *line != ENDED).map(str::to_owned).collect();
    let ended: u64 = lines.next()?.parse().ok()?;
    Some(((ended.saturating_sub(began) as f64 * TICK_SECONDS).max(TICK_SECONDS), inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_its_time_what_it_printed_and_the_settings() {
        let printed = "0\nbegan\n1000000\n7|8\nended\n1250000\nsetting threads=2\nsetting a=b=c\n";
        assert_eq!(timed(printed).unwrap(), (0.25, vec!["7|8".to_owned()]));
        let expected =
            [("threads", "2"), ("a", "b=c")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(settings(printed), BTreeMap::from(expected));
        assert!(timed("began\n1\n").is_none() && timed("").is_none());
        assert_eq!(quoted("it's"), "'it''s'");
    }
}
