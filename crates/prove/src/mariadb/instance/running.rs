//! A server that runs, and what its clients ask of it.

use std::collections::BTreeMap;
use std::path::Path;

use leadline_process::{Server, run};

use super::Instance;
use crate::ProveError;
use crate::mariadb::status::Status;

/// Whom clients say they are, which the server does not check.
const USER: &str = "root";

/// The database of sysbench's tables.
const DATABASE: &str = "sbtest";

/// A server that runs, until it is stopped or dropped.
pub(in crate::mariadb) struct Running<'a> {
    instance: &'a Instance<'a>,
    server: Server,
}

impl<'a> Running<'a> {
    pub(in crate::mariadb) fn new(instance: &'a Instance<'a>, server: Server) -> Self {
        Running { instance, server }
    }

    /// Runs a statement, and returns its rows: columns with tabs between them.
    fn sql(&self, statement: &str, during: &str) -> Result<String, ProveError> {
        let socket = self.instance.socket();
        let arguments = [
            "--no-defaults".to_owned(),
            "--batch".to_owned(),
            "--skip-column-names".to_owned(),
            format!("--user={USER}"),
            format!("--socket={}", socket.display()),
            format!("--execute={statement}"),
        ];
        self.run(&self.instance.programs.client, &arguments, during)
    }

    /// Makes the database for sysbench's tables.
    pub(in crate::mariadb) fn create_database(&self) -> Result<(), ProveError> {
        self.sql(&format!("CREATE DATABASE {DATABASE}"), "making a database").map(drop)
    }

    /// Runs sysbench with a script and its command, such as `prepare`.
    pub(in crate::mariadb) fn sysbench(
        &self,
        script: &str,
        options: Vec<String>,
        command: &str,
        during: &str,
    ) -> Result<String, ProveError> {
        let socket = self.instance.socket();
        let mut arguments = vec![script.to_owned(), format!("--mysql-socket={}", socket.display())];
        arguments.extend([format!("--mysql-user={USER}"), format!("--mysql-db={DATABASE}")]);
        arguments.extend(options);
        arguments.push(command.to_owned());
        self.run(&self.instance.programs.sysbench, &arguments, during)
    }

    fn run(&self, program: &Path, arguments: &[String], during: &str) -> Result<String, ProveError> {
        let launch = self.instance.place.client(program, arguments);
        Ok(run(&launch, during, self.instance.cancel, &mut |_, _| ())?)
    }

    /// Those of these settings that the server knows.
    pub(in crate::mariadb) fn settings(
        &self,
        keys: &[String],
    ) -> Result<BTreeMap<String, String>, ProveError> {
        if keys.is_empty() {
            return Ok(BTreeMap::new());
        }
        let quoted: Vec<String> =
            keys.iter().map(|key| format!("'{}'", key.replace(['\'', '\\'], ""))).collect();
        let query = format!("SHOW GLOBAL VARIABLES WHERE Variable_name IN ({})", quoted.join(", "));
        let printed = self.sql(&query, "asking for settings")?;
        let setting = |line: &str| {
            let (key, value) = line.split_once('\t')?;
            Some((key.to_owned(), value.to_owned()))
        };
        Ok(printed.lines().filter_map(setting).collect())
    }

    /// What it has counted.
    pub(in crate::mariadb) fn status(&self, during: &str) -> Result<Status, ProveError> {
        let printed = self.sql(&Status::query(), during)?;
        Status::of(&printed)
            .ok_or_else(|| ProveError::unexpected("mariadb", during, "a counter is missing", &printed))
    }

    /// Ends the server in order.
    pub(in crate::mariadb) fn stop(self) -> Result<(), ProveError> {
        Ok(self.server.stop(self.instance.cancel)?)
    }
}
