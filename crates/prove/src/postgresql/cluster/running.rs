//! A server that runs, and what its clients ask of it.

use std::path::Path;

use leadline_process::{ProcessError, Server, run};

use super::{Cluster, USER, words};
use crate::ProveError;
use crate::postgresql::explain::{Access, Explained};

/// What separates columns in what psql prints.
const TAB: char = '\t';

/// How the server says that a statement took longer than it may.
const TOO_LONG: &str = "statement timeout";

/// A server that runs, until it is stopped or dropped.
pub(in crate::postgresql) struct Running<'a> {
    cluster: &'a Cluster<'a>,
    server: Server,
}

/// A setting that is in force.
pub(in crate::postgresql) struct Setting {
    pub(in crate::postgresql) key: String,
    pub(in crate::postgresql) value: String,
    /// It has this value because we said so.
    pub(in crate::postgresql) is_ours: bool,
}

impl<'a> Running<'a> {
    pub(in crate::postgresql) fn new(cluster: &'a Cluster<'a>, server: Server) -> Self {
        Running { cluster, server }
    }

    /// Runs statements in one session, each in a transaction of its own, and returns what they print.
    pub(in crate::postgresql) fn sql(
        &self,
        database: &str,
        statements: &[&str],
        during: &str,
    ) -> Result<String, ProveError> {
        let mut arguments =
            self.client(&format!("-X -q -A -t -F {TAB} -v ON_ERROR_STOP=1 -v VERBOSITY=terse"));
        arguments.extend(["-d".to_owned(), database.to_owned()]);
        arguments.extend(statements.iter().flat_map(|statement| ["-c".to_owned(), (*statement).to_owned()]));
        self.run(&self.cluster.programs.psql, &arguments, during)
    }

    /// The same with the statements of a file.
    pub(in crate::postgresql) fn sql_file(
        &self,
        database: &str,
        file: &Path,
        during: &str,
    ) -> Result<String, ProveError> {
        let mut arguments = self.client("-X -q -A -t -v ON_ERROR_STOP=1 -v VERBOSITY=terse");
        arguments.extend(["-d".to_owned(), database.to_owned(), "-f".to_owned(), file.display().to_string()]);
        self.run(&self.cluster.programs.psql, &arguments, during)
    }

    /// Runs pgbench.
    pub(in crate::postgresql) fn pgbench(
        &self,
        options: &str,
        further: &[String],
        during: &str,
    ) -> Result<String, ProveError> {
        let missing = || ProcessError::NoProgram { program: "pgbench".into(), package: "postgresql".into() };
        let program = self.cluster.programs.pgbench.as_ref().ok_or_else(missing)?;
        let mut arguments = self.client(options);
        arguments.extend_from_slice(further);
        self.run(program, &arguments, during)
    }

    fn client(&self, options: &str) -> Vec<String> {
        let mut arguments = words(options);
        arguments.extend(["-h".to_owned(), self.cluster.sockets.display().to_string()]);
        arguments.extend(["-U".to_owned(), USER.to_owned()]);
        arguments
    }

    fn run(&self, program: &Path, arguments: &[String], during: &str) -> Result<String, ProveError> {
        let launch = self.cluster.launch(program, arguments, None);
        Ok(run(&launch, during, self.cluster.cancel, &mut |_, _| ())?)
    }

    /// Those of these settings that the server knows.
    pub(in crate::postgresql) fn settings(&self, keys: &[String]) -> Result<Vec<Setting>, ProveError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let quoted: Vec<String> =
            keys.iter().map(|key| format!("'{}'", key.to_lowercase().replace('\'', "''"))).collect();
        let query = format!(
            "SELECT name, current_setting(name), source = 'command line' FROM pg_settings \
             WHERE lower(name) IN ({})",
            quoted.join(", ")
        );
        let printed = self.sql("postgres", &[&query], "asking for settings")?;
        let setting = |line: &str| {
            let mut columns = line.split(TAB).map(str::to_owned);
            let (key, value) = (columns.next()?, columns.next()?);
            Some(Setting { key, value, is_ours: columns.next()? == "t" })
        };
        Ok(printed.lines().filter_map(setting).collect())
    }

    /// Runs a query that must read its table in this way, and at most for that many seconds; `None` where it
    /// takes longer.
    pub(in crate::postgresql) fn timed(
        &self,
        query: &str,
        access: Access,
        limit_seconds: Option<f64>,
        during: &str,
    ) -> Result<Option<Explained>, ProveError> {
        let mut settings = access.settings();
        if let Some(seconds) = limit_seconds {
            settings.push_str(&format!("; SET statement_timeout = {:.0}", (seconds * 1e3).max(1.0)));
        }
        // Planned once before, so that the catalogue is in memory.
        let plan = format!("EXPLAIN (FORMAT JSON) {query}");
        let run = format!("EXPLAIN (ANALYZE, TIMING OFF, BUFFERS, FORMAT JSON) {query}");
        let printed = match self.sql("postgres", &[&settings, &plan, &run], during) {
            Err(ProveError::Process(ProcessError::Died { said, .. })) if said.contains(TOO_LONG) => {
                return Ok(None);
            }
            printed => printed?,
        };
        let found = Explained::all(&printed).and_then(|mut all| all.pop());
        match found {
            Some(found) if found.access == access && found.seconds.is_some() => Ok(Some(found)),
            Some(_) => Err(ProveError::unexpected("psql", during, "the server chose another plan", &printed)),
            None => Err(ProveError::unexpected("psql", during, "no plan can be read", &printed)),
        }
    }

    /// Ends the server in order.
    pub(in crate::postgresql) fn stop(self) -> Result<(), ProveError> {
        Ok(self.server.stop(self.cluster.cancel)?)
    }
}
