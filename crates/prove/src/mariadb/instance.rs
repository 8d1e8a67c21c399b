//! A data directory of our own: no port, no part of the system's server, gone afterwards.

mod running;

use std::cell::RefCell;
use std::fs::{self, File};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leadline_process::{ProcessError, Seen, Server, Service, Signal, run};

pub(super) use self::running::Running;
use super::plan::Plan;
use super::programs::Programs;
use crate::place::Place;
use crate::proof::InForce;
use crate::{ProveError, Variant, value};

/// Whom it runs as if we are root, whom it refuses; Debian's package mariadb-server makes this user.
const USER: &str = "mysql";

/// How long a server may take to start or end: all dirty pages may have to be written.
const PATIENCE: Duration = Duration::from_secs(600);

/// Variables that would change what clients do: those of the caller's own server.
const VARIABLES: &str = "MYSQL";

/// What a complaint has in it.
const COMPLAINT: &str = "[ERROR]";

/// Settings for loading: what is lost in a crash is made again.
pub(super) const LOADING: [(&str, &str); 4] = [
    ("innodb_flush_method", "nosync"),
    ("innodb_flush_log_at_trx_commit", "0"),
    ("innodb_doublewrite", "OFF"),
    // All history is purged before the server ends.
    ("innodb_fast_shutdown", "0"),
];

/// The data directory, whose server does not run.
pub(super) struct Instance<'a> {
    pub(super) programs: &'a Programs,
    pub(super) place: Place,
    data: PathBuf,
    temporary: PathBuf,
    private: PathBuf,
    /// What every server has, whatever a variant says.
    fixed: Vec<(String, String)>,
    /// What servers are asked for when they run.
    watched: Vec<String>,
    in_force: RefCell<InForce>,
    pub(super) cancel: &'a AtomicBool,
}

impl<'a> Instance<'a> {
    /// Its directories on the plan's target, empty, after checking that its data can be written there.
    pub(super) fn create(
        programs: &'a Programs,
        plan: &Plan,
        fixed: Vec<(String, String)>,
        cancel: &'a AtomicBool,
    ) -> Result<Instance<'a>, ProveError> {
        let place = Place::create(&plan.target, Some(USER), plan.space_bytes(), VARIABLES)?;
        let (data, temporary) = (place.on_device("data")?, place.on_device("temporary")?);
        let private = place.elsewhere("private")?;
        let (watched, in_force) = (Vec::new(), RefCell::default());
        Ok(Instance { programs, place, data, temporary, private, fixed, watched, in_force, cancel })
    }

    /// Makes the tables of the system in it, which servers need.
    pub(super) fn install(&self) -> Result<(), ProveError> {
        let mut arguments = self.arguments(&[], &LOADING);
        arguments.extend(["--auth-root-authentication-method=normal", "--skip-test-db"].map(str::to_owned));
        let launch = self.place.server(&self.programs.install, &arguments);
        run(&launch, "making a data directory", self.cancel, &mut |_, _| ())?;
        Ok(())
    }

    /// The server's socket.
    pub(super) fn socket(&self) -> PathBuf {
        self.private.join("socket")
    }

    /// The server's command line: its paths, and settings of which the last counts.
    fn arguments(&self, settings: &[(String, String)], extra: &[(&str, &str)]) -> Vec<String> {
        // Not those of /etc.
        let mut arguments = vec!["--no-defaults".to_owned()];
        arguments.extend(extra.iter().map(|(key, value)| format!("--{key}={value}")));
        arguments.extend(settings.iter().chain(&self.fixed).map(|(key, value)| format!("--{key}={value}")));
        let paths = [
            ("datadir", &self.data),
            ("tmpdir", &self.temporary),
            ("socket", &self.socket()),
            ("pid-file", &self.private.join("pid")),
        ];
        arguments.extend(paths.map(|(key, path)| format!("--{key}={}", path.display())));
        // Nobody but us reaches the socket: its folder is ours.
        arguments.extend(["--skip-networking", "--skip-grant-tables", "--skip-log-bin"].map(str::to_owned));
        arguments
    }

    /// Checks that the server takes these settings, by asking it, and remembers their names.
    pub(super) fn check(&mut self, variant: &Variant) -> Result<(), ProveError> {
        let mut arguments = self.arguments(&variant.settings, &[]);
        arguments.extend(["--help", "--verbose"].map(str::to_owned));
        let launch = self.place.server(&self.programs.mariadbd, &arguments);
        // Wrong values of a plugin's settings do not make it fail.
        let mut complaint = None;
        let asked = run(&launch, "reading settings", self.cancel, &mut |_, seen| {
            if let Seen::Line(line) = seen
                && line.contains(COMPLAINT)
                && complaint.is_none()
            {
                complaint = Some(line.to_owned());
            }
        });
        match (asked, complaint) {
            (Err(ProcessError::Died { said, .. }), complaint) => {
                return Err(self.refused(variant, complaint.unwrap_or(said)));
            }
            (Err(other), _) => return Err(other.into()),
            (Ok(_), Some(complaint)) => return Err(self.refused(variant, complaint)),
            (Ok(_), None) => {}
        }
        for key in variant.settings.iter().map(|(key, _)| value::name(key)) {
            if !self.watched.contains(&key) {
                self.watched.push(key);
            }
        }
        Ok(())
    }

    fn refused(&self, variant: &Variant, said: String) -> ProveError {
        // What is before it is a time.
        let said = said.split_once(COMPLAINT).map_or(said.as_str(), |(_, said)| said).trim().to_owned();
        ProveError::Settings { system: self.name(), variant: variant.name.clone(), said }
    }

    fn name(&self) -> String {
        format!("MariaDB {}", self.programs.version)
    }

    /// What the servers of each variant said of the settings that any variant has.
    pub(super) fn in_force(&self) -> InForce {
        self.in_force.borrow().clone()
    }

    /// Starts a server with these settings; `extra` go before them.
    pub(super) fn start(&self, variant: &Variant, extra: &[(&str, &str)]) -> Result<Running<'_>, ProveError> {
        let arguments = self.arguments(&variant.settings, extra);
        let launch = self.place.server(&self.programs.mariadbd, &arguments);
        let (name, log, socket) = (self.name(), self.place.log(), self.socket());
        let (stop, abandon, patience) = (Signal::TERM, Signal::KILL, PATIENCE);
        let service = Service { name: &name, log: &log, stop, abandon, patience };
        let mut ready = || UnixStream::connect(&socket).is_ok();
        let server = Server::start(&launch, &service, &mut ready, self.cancel);
        let server = server.map_err(|error| with_first_complaint(error, &log))?;
        let running = Running::new(self, server);
        let found = running.settings(&self.watched)?;
        for (key, asked) in variant.settings.iter().filter(|(key, _)| !value::is_key(&self.fixed, key)) {
            let found = found.get(&value::name(key)).map_or("nothing", String::as_str);
            if !value::is_same(asked, found) {
                return Err(self.refused(variant, format!("{key}={asked} becomes {found}")));
            }
        }
        if extra.is_empty() {
            self.in_force.borrow_mut().entry(variant.name.clone()).or_insert(found);
        }
        Ok(running)
    }

    /// Makes all of it durable: loading does not.
    pub(super) fn sync(&self) -> Result<(), ProveError> {
        let synced = File::open(&self.data).and_then(|folder| Ok(rustix::fs::syncfs(&folder)?));
        synced.map_err(|source| ProveError::io(&self.data, "syncing its file system", source))
    }
}

/// The first complaint is the reason why a server does not start: all others follow from it, to `Aborting`.
fn with_first_complaint(error: ProcessError, log: &Path) -> ProcessError {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    match (error, text.lines().find(|line| line.contains(COMPLAINT))) {
        (ProcessError::Died { program, during, how, .. }, Some(line)) => {
            ProcessError::Died { program, during, how, said: line.trim().to_owned() }
        }
        (error, _) => error,
    }
}
