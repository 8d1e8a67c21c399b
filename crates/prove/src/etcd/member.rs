//! etcd as a cluster of one member, and one client that writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leadline_process::{
    Launch, ProcessError, Program, Scratch, Server, Service, Signal, check_port, folder_for_sockets,
    free_port,
};
use leadline_profile::Histogram;

use super::http::{Answer, Connection};
use super::plan::Plan;
use super::timeouts::Timeouts;
use crate::ProveError;

/// What it is called in messages.
const ETCD: &str = "etcd";

/// How long it may take to be ready: it makes a segment of its log, and elects itself.
const PATIENCE: Duration = Duration::from_secs(120);

/// Variables that would be its settings.
const VARIABLES: &str = "ETCD";

/// Its own record of how long each sync of its log took.
const SYNCS: &str = "etcd_disk_wal_fsync_duration_seconds";

/// A value's characters in base 64. With the key and what etcd adds, its log grows by about 2300 bytes for
/// each.
const VALUE_CHARACTERS: usize = 2960;

/// The installed program.
pub(super) struct Etcd {
    pub(super) path: PathBuf,
    pub(super) version: String,
}

/// Where members are started.
pub(super) struct Site<'a> {
    pub(super) etcd: &'a Etcd,
    /// On the device; its directories go last.
    pub(super) scratch: Scratch,
    /// Elsewhere: the log of messages.
    aside: Scratch,
    ports: Option<[u16; 2]>,
    timeouts: Option<Timeouts>,
    pub(super) cancel: &'a AtomicBool,
}

/// What came of a load.
pub(super) struct Load {
    /// How long syncs of the log took, by etcd's own account.
    pub(super) syncs: Histogram,
    /// How long each put took, as its client saw it, milliseconds, ascending.
    pub(super) puts_ms: Vec<f64>,
}

impl Etcd {
    /// The one in `bin`, else the one in PATH.
    pub(super) fn find(bin: Option<&Path>) -> Result<Etcd, ProveError> {
        let package = "etcd-server";
        let path = match bin.map(|bin| bin.join(ETCD)) {
            // What is asked for by name is not replaced by what happens to be there.
            Some(path) if !path.is_file() => {
                let program = path.display().to_string();
                return Err(ProcessError::NoProgram { program, package: package.into() }.into());
            }
            Some(path) => path,
            None => Program { name: ETCD, package }.find(&[])?,
        };
        let output = Command::new(&path).arg("--version").stdin(Stdio::null()).output();
        let output = output.map_err(|source| ProcessError::Start { program: path.clone(), source })?;
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        match parse(&said) {
            Some(version) => Ok(Etcd { path, version }),
            None => Err(ProveError::Version { path, said, needed: "etcd 3.4 or later" }),
        }
    }
}

/// `etcd Version: 3.4.23`, and more lines. Earlier ones take no JSON under this name.
fn parse(said: &str) -> Option<String> {
    let version = said.lines().next()?.strip_prefix("etcd Version: ")?.trim();
    let mut numbers = version.split('.').map_while(|part| part.parse::<u32>().ok());
    ((numbers.next()?, numbers.next()?) >= (3, 4)).then(|| version.to_owned())
}

impl<'a> Site<'a> {
    pub(super) fn create(
        etcd: &'a Etcd,
        plan: &Plan,
        timeouts: Option<Timeouts>,
        cancel: &'a AtomicBool,
    ) -> Result<Site<'a>, ProveError> {
        let ports = plan.ports;
        ports.into_iter().flatten().try_for_each(check_port)?;
        let scratch = Scratch::create(&plan.target, "prove")?;
        scratch.check_space(plan.space_bytes())?;
        let aside = Scratch::create(&folder_for_sockets(), "prove")?;
        Ok(Site { etcd, scratch, aside, ports, timeouts, cancel })
    }

    /// Starts a new member, puts that many values one after the other, but no longer than that many seconds,
    /// and removes it.
    pub(super) fn load(
        &self,
        puts: u64,
        seconds: f64,
        during: &str,
        see: &mut dyn FnMut(f64),
    ) -> Result<Load, ProveError> {
        let data = self.scratch.subfolder(ETCD, None)?;
        let (mut server, port) = self.start(&data)?;
        let loaded = Connection::open(port, self.cancel)
            .map_err(|source| ProveError::io(Path::new(ETCD), "connecting to it", source))
            .and_then(|mut connection| put(&mut connection, puts, seconds, during, see, self.cancel));
        if self.cancel.load(Ordering::Relaxed) {
            return Err(ProcessError::Cancelled.into());
        }
        // If it died, its last words say more than a lost connection.
        server.check(during)?;
        let loaded = loaded?;
        // Nothing of it is wanted any more.
        drop(server);
        let gone = |source| ProveError::io(&data, "removing it", source);
        fs::remove_dir_all(&data).map_err(gone)?;
        Ok(loaded)
    }

    fn start(&self, data: &Path) -> Result<(Server, u16), ProveError> {
        let [client, member] = match self.ports {
            Some(ports) => ports,
            None => free_ports()?,
        };
        let url = |port| format!("http://127.0.0.1:{port}");
        let mut arguments = vec![
            "--name=leadline".to_owned(),
            format!("--data-dir={}", data.display()),
            format!("--listen-client-urls={}", url(client)),
            format!("--advertise-client-urls={}", url(client)),
            format!("--listen-peer-urls={}", url(member)),
            format!("--initial-advertise-peer-urls={}", url(member)),
            format!("--initial-cluster=leadline={}", url(member)),
        ];
        arguments.extend(self.timeouts.iter().flat_map(Timeouts::options));
        let launch = Launch {
            folder: Some(data),
            hidden: Some(VARIABLES),
            orphaned: Some(Signal::KILL),
            ..Launch::new(&self.etcd.path, &arguments, self.scratch.lock())
        };
        let log = self.aside.path().join("log");
        let name = format!("etcd {}", self.etcd.version);
        let (stop, abandon, patience) = (Signal::TERM, Signal::KILL, PATIENCE);
        let service = Service { name: &name, log: &log, stop, abandon, patience };
        let is_healthy = |answer: Answer| answer.status == 200 && answer.body.contains("true");
        let mut ready = || {
            let asked =
                Connection::open(client, self.cancel).and_then(|mut connection| connection.get("/health"));
            asked.is_ok_and(is_healthy)
        };
        Ok((Server::start(&launch, &service, &mut ready, self.cancel)?, client))
    }
}

fn free_ports() -> Result<[u16; 2], ProcessError> {
    let one = free_port()?;
    loop {
        let other = free_port()?;
        if other != one {
            return Ok([one, other]);
        }
    }
}

fn put(
    connection: &mut Connection,
    puts: u64,
    seconds: f64,
    during: &str,
    see: &mut dyn FnMut(f64),
    cancel: &AtomicBool,
) -> Result<Load, ProveError> {
    let value = "x".repeat(VALUE_CHARACTERS);
    let before = syncs(connection, during)?;
    let (began, mut puts_ms) = (Instant::now(), Vec::new());
    for number in 0..puts {
        let passed = began.elapsed().as_secs_f64();
        if passed >= seconds || cancel.load(Ordering::Relaxed) {
            break;
        }
        if number % 64 == 0 {
            see((passed / seconds).max(number as f64 / puts as f64));
        }
        // Digits are a number of whole bytes in base 64, too.
        let body = format!(r#"{{"key":"{number:08}","value":"{value}"}}"#);
        let asked = Instant::now();
        answered(connection.post("/v3/kv/put", &body), "putting a value", during)?;
        puts_ms.push(asked.elapsed().as_secs_f64() * 1e3);
    }
    let syncs = syncs(connection, during)?.since(&before).filter(|syncs| syncs.total() > 0);
    let syncs = syncs.ok_or_else(|| ProveError::unexpected(ETCD, during, "no sync was counted", SYNCS))?;
    puts_ms.sort_unstable_by(f64::total_cmp);
    Ok(Load { syncs, puts_ms })
}

fn syncs(connection: &mut Connection, during: &str) -> Result<Histogram, ProveError> {
    let text = answered(connection.get("/metrics"), "asking for its metrics", during)?;
    Histogram::read(&text, SYNCS)
        .ok_or_else(|| ProveError::unexpected(ETCD, during, "its metrics have no histogram of syncs", &text))
}

/// The body, if all went well.
fn answered(
    answer: std::io::Result<Answer>,
    doing: &'static str,
    during: &str,
) -> Result<String, ProveError> {
    let answer = answer.map_err(|source| ProveError::io(Path::new(ETCD), doing, source))?;
    match answer.status {
        200 => Ok(answer.body),
        _ => Err(ProveError::unexpected(ETCD, during, "it refuses a request", &answer.body)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_etcd_prints_them() {
        assert_eq!(parse("etcd Version: 3.4.23\nGit SHA: Not provided\n").as_deref(), Some("3.4.23"));
        assert_eq!(parse("etcd Version: 3.6.0-rc.1").as_deref(), Some("3.6.0-rc.1"));
        assert_eq!(parse("etcd Version: 3.3.25"), None);
        assert_eq!(parse("etcdctl version: 3.4.23"), None);
    }

    #[test]
    fn what_is_not_etcd_and_a_folder_without_it_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let missing = Etcd::find(Some(folder.path())).err().unwrap();
        let named = missing.to_string();
        assert!(missing.is_input() && named.ends_with("package etcd-server"), "{named}");
        assert!(named.starts_with(folder.path().to_str().unwrap()), "{named}");
        std::os::unix::fs::symlink("/bin/true", folder.path().join("etcd")).unwrap();
        let other = Etcd::find(Some(folder.path())).err().unwrap();
        assert!(matches!(other, ProveError::Version { .. }), "{other}");
    }
}
