//! PostgreSQL: two clients move amounts and count their commits, while pgbench adds load.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::client::{Request, acknowledgement};
use crate::drive::{open_folder, skipped};
use crate::program::{Program, output_of};
use crate::server::Server;
use crate::trial::prove;

const CLIENTS: u64 = 2;
const ACCOUNTS: u64 = 1000;

/// A small cache and little log between checkpoints, so that all that a server writes is often under way.
/// `sync_file_range` and `fsync` are PostgreSQL's own defaults.
const SETTINGS: [&str; 6] = [
    "listen_addresses=",
    "shared_buffers=2MB",
    "min_wal_size=2MB",
    "max_wal_size=2MB",
    "autovacuum_naptime=1s",
    "statement_timeout=60s",
];

struct Postgres {
    /// Folder of the programs.
    programs: PathBuf,
    /// User and group to run as; PostgreSQL refuses root.
    user: Option<(u32, u32)>,
    sockets: TempDir,
    server: Option<Server>,
}

impl Postgres {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        // Not where its user may not be.
        command.current_dir("/");
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
    }

    /// A program that connects to the server.
    fn client(&self, program: &str) -> Command {
        let mut command = self.command(program);
        command.arg("-h").arg(self.sockets.path()).args(["-U", "ledger"]);
        command
    }

    fn psql(&self) -> Command {
        let mut command = self.client("psql");
        command.args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-d", "postgres"]);
        command
    }

    fn query(&self, statements: &str) -> Result<String, String> {
        output_of(self.psql().args(["-c", statements]))
    }

    fn start(&mut self, folder: &Path) -> Result<(), String> {
        // A machine that comes back has no sockets.
        for entry in fs::read_dir(self.sockets.path()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        let mut command = self.command("postgres");
        command.arg("-D").arg(folder.join("cluster")).arg("-k").arg(self.sockets.path());
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        self.server = Some(Server::start(command)?);
        Ok(())
    }

    fn check(&self) -> Result<Vec<u64>, String> {
        output_of(self.client("pg_amcheck").args(["-d", "postgres", "--heapallindexed"]))?;
        let sums = self.query(
            "SELECT (SELECT sum(balance) FROM accounts), sum(abalance) = (SELECT sum(bbalance) FROM \
             pgbench_branches) AND sum(abalance) = (SELECT sum(tbalance) FROM pgbench_tellers) AND \
             sum(abalance) = (SELECT coalesce(sum(delta), 0) FROM pgbench_history) FROM pgbench_accounts",
        )?;
        if sums.trim() != "0|t" {
            return Err(format!("sums that do not agree: {sums}"));
        }
        let commits = "SELECT count(number), coalesce(min(number), 1), coalesce(max(number), 0) FROM commits";
        let commits = |client| self.query(&format!("{commits} WHERE client = {client}"));
        let last = |client| {
            let found = commits(client)?;
            let numbers = found.trim().split('|').map(str::parse).collect::<Result<Vec<u64>, _>>();
            match numbers.as_deref() {
                Ok(&[count, 1, last]) if count == last => Ok(last),
                _ => Err(format!("commits are missing; how many, first, last: {found}")),
            }
        };
        (0..CLIENTS).map(last).collect()
    }
}

impl Program for Postgres {
    fn name(&self) -> &str {
        "PostgreSQL 15"
    }

    fn set_up(&mut self, folder: &Path) {
        let cluster = folder.join("cluster");
        fs::create_dir(&cluster).unwrap();
        if let Some((user, group)) = self.user {
            chown(&cluster, Some(user), Some(group)).unwrap();
            chown(self.sockets.path(), Some(user), Some(group)).unwrap();
        }
        let mut initdb = self.command("initdb");
        initdb.args(["-U", "ledger", "-A", "trust", "--no-locale", "-E", "UTF8", "-N", "-k"]);
        output_of(initdb.args(["--wal-segsize=1", "-D"]).arg(cluster)).unwrap();
        self.start(folder).unwrap();
        output_of(self.client("pgbench").args(["-i", "-q", "postgres"])).unwrap();
        let statements = format!(
            "CREATE EXTENSION amcheck;
             CREATE TABLE commits(client int, number bigint, payload text, PRIMARY KEY (client, number));
             CREATE TABLE accounts(id int PRIMARY KEY, balance bigint);
             INSERT INTO accounts SELECT id, 0 FROM generate_series(0, {}) AS id;",
            ACCOUNTS - 1
        );
        self.query(&statements).unwrap();
        self.server.take().unwrap().stop();
    }

    fn recover(&mut self, folder: &Path) -> Result<Vec<u64>, String> {
        self.start(folder)?;
        self.check()
    }

    fn clients(&self, _folder: &Path) -> Vec<(Command, Request)> {
        let client = |client| {
            let request = move |number| {
                let mut random = fastrand::Rng::with_seed(number);
                // Each client moves amounts between accounts of its own, so they do not wait for each other.
                let mut account = || CLIENTS * random.u64(..ACCOUNTS / CLIENTS) + client;
                let (from, to) = (account(), account());
                format!(
                    "BEGIN; UPDATE accounts SET balance = balance - 7 WHERE id = {from}; \
                     UPDATE accounts SET balance = balance + 7 WHERE id = {to}; \
                     INSERT INTO commits VALUES ({client}, {number}, repeat(md5('{number}'), 20)); COMMIT; \
                     SELECT '{}';\n",
                    acknowledgement(number)
                )
            };
            (self.psql(), Box::new(request) as Request)
        };
        (0..CLIENTS).map(client).collect()
    }

    fn load(&self) -> Vec<Command> {
        let mut pgbench = self.client("pgbench");
        pgbench.args(["-n", "-c", "2", "-T", "600", "postgres"]);
        vec![pgbench]
    }

    fn freeze(&mut self) {
        self.server.iter().for_each(Server::freeze);
    }

    fn kill(&mut self) {
        self.server = None;
    }
}

/// The folder of the newest version's programs: Debian keeps them out of PATH.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
    debian.sort();
    let has_all =
        |folder: &PathBuf| ["initdb", "pgbench", "pg_amcheck"].iter().all(|name| folder.join(name).exists());
    debian.into_iter().rev().chain(std::env::split_paths(&path)).find(has_all)
}

/// For root, the user `postgres` or, without one, `nobody`.
fn other_user() -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let named = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    let root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    root.then(|| named("postgres").or_else(|| named("nobody"))).flatten()
}

#[test]
fn postgres_keeps_what_it_acknowledged() {
    let Some(programs) = programs() else {
        return skipped("PostgreSQL is not here; it is in the Debian package postgresql");
    };
    prove(&mut Postgres { programs, user: other_user(), sockets: open_folder(), server: None });
}
