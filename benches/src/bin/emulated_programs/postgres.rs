//! PostgreSQL under pgbench, with a cluster of its own.

use std::fs::{self, File};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use nix::unistd::{User, geteuid};

use crate::program::{Program, output};

/// Whom it runs as if we are root, whom it refuses; Debian's package makes this user.
const USER: &str = "postgres";

/// How long it may take to start.
const PATIENCE: Duration = Duration::from_secs(300);

/// Nothing runs in the background that would ask things of the drive at times of its own.
const SETTINGS: [&str; 6] = [
    "listen_addresses=",
    "shared_buffers=64MB",
    "autovacuum=off",
    "checkpoint_timeout=1h",
    "max_wal_size=8GB",
    "bgwriter_lru_maxpages=0",
];

/// What the clients do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// `pgbench -N`: an update, a query and an insertion in a transaction; the data are in shared buffers.
    Update,
    /// `pgbench -S`: one query by primary key; the data are on the drive.
    Select,
}

impl Script {
    fn option(self) -> &'static str {
        match self {
            Script::Update => "-N",
            Script::Select => "-S",
        }
    }

    /// Hundred thousands of accounts: 15 MB fit shared buffers, and are soon read into them; 300 MB do not.
    fn scale(self) -> &'static str {
        match self {
            Script::Update => "1",
            Script::Select => "20",
        }
    }
}

/// A server and its clients.
pub struct Pgbench {
    programs: PathBuf,
    /// For the socket and the log.
    temporary: PathBuf,
    script: Script,
    clients: u32,
    user: Option<User>,
    server: Option<Child>,
}

impl Pgbench {
    /// `temporary` is a folder for the socket and the log.
    ///
    /// # Errors
    /// Where we are root and there is no other user to run it.
    pub fn new(programs: &Path, temporary: &Path, script: Script, clients: u32) -> Result<Pgbench> {
        let user = match geteuid().is_root() {
            true => Some(User::from_name(USER)?.with_context(|| {
                format!("no user {USER} to run PostgreSQL; install the Debian package postgresql-15")
            })?),
            false => None,
        };
        let temporary = temporary.join("postgres");
        fs::create_dir_all(&temporary).with_context(|| temporary.display().to_string())?;
        let pgbench =
            Pgbench { programs: programs.to_owned(), temporary, script, clients, user, server: None };
        pgbench.give(&pgbench.temporary)?;
        Ok(pgbench)
    }

    /// Makes a folder the user's.
    fn give(&self, folder: &Path) -> Result<()> {
        match &self.user {
            Some(user) => chown(folder, Some(user.uid.as_raw()), Some(user.gid.as_raw()))
                .with_context(|| folder.display().to_string()),
            None => Ok(()),
        }
    }

    /// One of PostgreSQL's programs, as the user.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        if let Some(user) = &self.user {
            command.uid(user.uid.as_raw()).gid(user.gid.as_raw());
        }
        // The folder of the caller may not be open to that user.
        command.current_dir(&self.temporary);
        command
    }

    /// A client, which finds the server by its socket.
    fn client(&self, program: &str) -> Command {
        let mut command = self.command(program);
        command.arg("--host").arg(&self.temporary).arg("--username").arg(USER);
        command
    }

    fn sql(&self, statement: &str) -> Result<()> {
        let mut psql = self.client("psql");
        output(psql.args(["--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-c", statement])).map(drop)
    }

    fn launch(&mut self, data: &Path) -> Result<()> {
        let log_path = self.temporary.join("log");
        let log = File::create(&log_path).with_context(|| log_path.display().to_string())?;
        let mut command = self.command("postgres");
        command.arg("-D").arg(data).arg("-k").arg(&self.temporary);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.stdout(log.try_clone()?).stderr(log);
        let server = self.server.insert(command.spawn().context("postgres")?);
        let began = Instant::now();
        loop {
            if let Some(status) = server.try_wait()? {
                self.server = None;
                let log = fs::read_to_string(&log_path).unwrap_or_default();
                bail!("postgres: {status}: {}", log.lines().last().unwrap_or_default());
            }
            let mut ready = Command::new(self.programs.join("pg_isready"));
            if ready.arg("--quiet").arg("--host").arg(&self.temporary).status()?.success() {
                return Ok(());
            }
            ensure!(began.elapsed() < PATIENCE, "postgres: not ready after {} s", PATIENCE.as_secs());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Stops the server in this mode, and waits for its end.
    fn halt(&mut self, mode: &str) -> Result<()> {
        let Some(mut server) = self.server.take() else { return Ok(()) };
        let id = server.id().to_string();
        let signal = if mode == "fast" { "INT" } else { "QUIT" };
        // As the user, who may signal it.
        let sent = output(self.command("pg_ctl").args(["kill", signal, &id]));
        if sent.is_err() {
            server.kill()?;
        }
        server.wait()?;
        sent.map(drop)
    }
}

impl Program for Pgbench {
    fn prepare(&mut self, folder: &Path) -> Result<()> {
        let data = folder.join("data");
        fs::create_dir(&data).with_context(|| data.display().to_string())?;
        self.give(&data)?;
        let mut initdb = self.command("initdb");
        initdb.args(["--no-sync", "--locale=C", "--encoding=UTF8", "--auth=trust", "--username", USER]);
        output(initdb.arg("-D").arg(&data))?;
        self.launch(&data)?;
        output(self.client("pgbench").args(["--initialize", "--quiet", "-s", self.script.scale()]))?;
        self.sql("CREATE EXTENSION pg_prewarm")?;
        self.halt("fast")
    }

    fn start(&mut self, folder: &Path) -> Result<()> {
        self.launch(&folder.join("data"))?;
        match self.script {
            Script::Update => {
                self.sql("SELECT pg_prewarm('pgbench_accounts'), pg_prewarm('pgbench_accounts_pkey')")
            }
            Script::Select => Ok(()),
        }
    }

    fn run(&self, _folder: &Path, each: u64) -> Result<()> {
        let mut pgbench = self.client("pgbench");
        pgbench.args(["--no-vacuum", self.script.option(), "--protocol=prepared"]);
        pgbench.arg(format!("--client={}", self.clients)).arg(format!("--transactions={each}"));
        output(&mut pgbench).map(drop)
    }

    /// Of the server and its processes, those that have ended included.
    fn cpu_seconds(&self) -> Result<f64> {
        let Some(server) = &self.server else { return Ok(0.0) };
        let mut ticks = 0;
        for entry in fs::read_dir("/proc")? {
            let path = entry?.path().join("stat");
            // Processes end, and not all that is there is a process.
            let Ok(stat) = fs::read_to_string(&path) else { continue };
            ticks += ticks_of(&stat, server.id()).with_context(|| path.display().to_string())?;
        }
        Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    }

    fn stop(&mut self) -> Result<()> {
        self.halt("fast")
    }
}

impl Drop for Pgbench {
    fn drop(&mut self) {
        // After an error: the one to tell is that.
        let _ = self.halt("immediate");
    }
}

/// Clock ticks of a process, by its `/proc/N/stat`: if it is `server`, with those of its children that have
/// ended, if it is a child of it, its own, else 0.
fn ticks_of(stat: &str, server: u32) -> Option<u64> {
    // The name, in parentheses, may hold anything.
    let (id, _) = stat.split_once(' ')?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let sum = |places: std::ops::Range<usize>| {
        fields.get(places)?.iter().map(|field| field.parse::<u64>().ok()).sum::<Option<u64>>()
    };
    if id.parse() == Ok(server) {
        sum(11..15)
    } else if fields.get(1)?.parse() == Ok(server) {
        sum(11..13)
    } else {
        Some(0)
    }
}
