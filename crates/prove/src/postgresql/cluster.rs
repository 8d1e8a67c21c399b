//! A cluster of our own: no port, no part of the system's clusters, gone afterwards.

mod running;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leadline_process::{
    Account, Launch, ProcessError, Scratch, Server, Service, Signal, folder_for_sockets, run,
};

pub(super) use self::running::Running;
use self::running::Setting;
use super::programs::Programs;
use crate::{ProveError, Variant};

/// Whom it runs as if we are root, whom it refuses; Debian's package makes this user.
pub(super) const USER: &str = "postgres";

/// Of the scratch directories, for their names.
const KIND: &str = "prove";

/// How long a server may take to start or end: a checkpoint may have to be written.
const PATIENCE: Duration = Duration::from_secs(600);

/// Variables that would change what clients do: those of the caller's own server.
const VARIABLES: &str = "PG";

/// Settings for loading: what is lost in a crash is made again.
pub(super) const LOADING: [(&str, &str); 7] = [
    ("fsync", "off"),
    ("wal_level", "minimal"),
    ("max_wal_senders", "0"),
    ("max_wal_size", "1GB"),
    ("checkpoint_timeout", "1h"),
    ("maintenance_work_mem", "256MB"),
    ("synchronous_commit", "off"),
];

/// By the names of variants, the settings that their servers had.
pub(super) type InForce = BTreeMap<String, BTreeMap<String, String>>;

/// The cluster, which does not run.
pub(super) struct Cluster<'a> {
    pub(super) programs: &'a Programs,
    account: Option<Account>,
    /// On the device; it goes last.
    scratch: Scratch,
    /// Elsewhere: the socket, the server's log, and files of clients.
    aside: Scratch,
    data: PathBuf,
    pub(super) sockets: PathBuf,
    /// What every server has, whatever a variant says.
    fixed: Vec<(String, String)>,
    /// What servers are asked for when they run.
    watched: Vec<String>,
    /// By variants' names, what they said.
    in_force: RefCell<InForce>,
    pub(super) cancel: &'a AtomicBool,
}

impl<'a> Cluster<'a> {
    /// Makes an empty one in a scratch directory on `target`, after checking that that much can be written
    /// there.
    pub(super) fn create(
        programs: &'a Programs,
        target: &Path,
        needed_bytes: u64,
        fixed: Vec<(String, String)>,
        cancel: &'a AtomicBool,
    ) -> Result<Cluster<'a>, ProveError> {
        let account = Account::instead_of_root(USER)?;
        let scratch = Scratch::create(target, KIND)?;
        scratch.check_space(needed_bytes)?;
        let aside = Scratch::create(&folder_for_sockets(), KIND)?;
        let data = scratch.subfolder("data", account.as_ref())?;
        let sockets = aside.subfolder("sockets", account.as_ref())?;
        let (watched, in_force) = (Vec::new(), RefCell::default());
        let cluster =
            Cluster { programs, account, scratch, aside, data, sockets, fixed, watched, in_force, cancel };
        let mut arguments = words("--no-sync --auth=trust --no-locale --encoding=UTF8");
        arguments.extend([format!("--username={USER}"), format!("--pgdata={}", cluster.data.display())]);
        let launch = cluster.launch(&cluster.programs.initdb, &arguments, cluster.account.as_ref());
        run(&launch, "making a cluster", cancel, &mut |_, _| ())?;
        Ok(cluster)
    }

    /// PostgreSQL does not always say that it died of a full disk.
    pub(super) fn explained(&self, error: ProveError) -> ProveError {
        match error {
            ProveError::Process(error) => self.scratch.explained(error).into(),
            other => other,
        }
    }

    /// The directory of the databases.
    pub(super) fn data(&self) -> &Path {
        &self.data
    }

    /// A directory for files that are not to be on the device.
    pub(super) fn aside(&self) -> &Path {
        self.aside.path()
    }

    pub(super) fn launch<'b>(
        &'b self,
        program: &'b Path,
        arguments: &'b [String],
        account: Option<&'b Account>,
    ) -> Launch<'b> {
        Launch {
            account,
            // Not where that user may not be.
            folder: Some(Path::new("/")),
            hidden: Some(VARIABLES),
            orphaned: Some(Signal::KILL),
            ..Launch::new(program, arguments, self.lock())
        }
    }

    fn lock(&self) -> &File {
        self.scratch.lock()
    }

    /// Checks that the server takes these settings, by asking it, and remembers their names.
    pub(super) fn check(&mut self, variant: &Variant) -> Result<(), ProveError> {
        let mut arguments = words("-C data_directory -D");
        arguments.push(self.data.display().to_string());
        arguments.extend(as_options(&variant.settings));
        let launch = self.launch(&self.programs.postgres, &arguments, self.account.as_ref());
        run(&launch, "reading settings", self.cancel, &mut |_, _| ()).map_err(|error| match error {
            ProcessError::Died { said, .. } => ProveError::Settings {
                system: format!("PostgreSQL {}", self.programs.version.text),
                variant: variant.name.clone(),
                said,
            },
            other => other.into(),
        })?;
        for (key, _) in &variant.settings {
            if !self.watched.contains(key) {
                self.watched.push(key.clone());
            }
        }
        Ok(())
    }

    /// What the servers of each variant said of the settings that any variant has.
    pub(super) fn in_force(&self) -> InForce {
        self.in_force.borrow().clone()
    }

    /// Keys that a variant cannot change, because every server has the same value.
    pub(super) fn is_fixed(&self, key: &str) -> bool {
        self.fixed.iter().any(|(fixed, _)| fixed == key)
    }

    /// Starts a server with these settings; `extra` go before them.
    pub(super) fn start(&self, variant: &Variant, extra: &[(&str, &str)]) -> Result<Running<'_>, ProveError> {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let extra: Vec<_> = extra.iter().map(owned).collect();
        let sockets = self.sockets.display().to_string();
        let reached =
            [("listen_addresses", ""), ("unix_socket_directories", &sockets), ("logging_collector", "off")];
        let reached: Vec<_> = reached.iter().map(owned).collect();
        let mut arguments = vec!["-D".to_owned(), self.data.display().to_string()];
        // The last one of a key counts.
        for settings in [&extra, &variant.settings, &self.fixed, &reached] {
            arguments.extend(as_options(settings));
        }
        let mut launch = self.launch(&self.programs.postgres, &arguments, self.account.as_ref());
        // It ends its processes then, and takes its shared memory away.
        launch.orphaned = Some(Signal::QUIT);
        let log = self.aside.path().join("log");
        let name = format!("PostgreSQL {}", self.programs.version.text);
        let (stop, abandon, patience) = (Signal::INT, Signal::QUIT, PATIENCE);
        let service = Service { name: &name, log: &log, stop, abandon, patience };
        let status = self.data.join("postmaster.pid");
        let server = Server::start(&launch, &service, &mut || is_ready(&status), self.cancel)?;
        let running = Running::new(self, server);
        let found = running.settings(&self.watched)?;
        for (key, _) in variant.settings.iter().filter(|(key, _)| !self.is_fixed(key)) {
            let is_ours = |found: &Setting| found.key.eq_ignore_ascii_case(key) && found.is_ours;
            if !found.iter().any(is_ours) {
                return Err(ProveError::unexpected("postgres", "a setting", "it is not in force", key));
            }
        }
        let found = found.into_iter().map(|setting| (setting.key, setting.value)).collect();
        self.in_force.borrow_mut().entry(variant.name.clone()).or_insert(found);
        Ok(running)
    }
}

/// What the server writes into its file when it takes connections; `pg_ctl` waits for the same.
fn is_ready(status: &Path) -> bool {
    fs::read_to_string(status).is_ok_and(|text| text.lines().nth(7).map(str::trim) == Some("ready"))
}

/// Arguments in words that have no spaces.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn as_options(settings: &[(String, String)]) -> impl Iterator<Item = String> {
    settings.iter().flat_map(|(key, value)| ["-c".to_owned(), format!("{key}={value}")])
}
