//! A program that keeps running while others work, and never longer than that.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::child::how;
use crate::{Launch, ProcessError};

/// How often a server that starts or ends is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// How long a server that is given up may take to end those that it started.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// What a server is like.
#[derive(Debug, Clone, Copy)]
pub struct Service<'a> {
    /// Its name, for messages.
    pub name: &'a str,
    /// The file to which it writes what it has to say.
    pub log: &'a Path,
    /// The signal after which it ends in order.
    pub stop: Signal,
    /// The signal after which it ends at once, with all programs that it started itself.
    pub abandon: Signal,
    /// How long it may take to be ready, and to end.
    pub patience: Duration,
}

/// A server that runs, and ends with this value.
#[derive(Debug)]
pub struct Server {
    child: Child,
    name: String,
    log: PathBuf,
    stop: Signal,
    abandon: Signal,
    patience: Duration,
    last_wait: Duration,
}

impl Server {
    /// Starts it, and waits until `ready` says so, which is asked a hundred times per second.
    ///
    /// # Errors
    /// [`ProcessError::Died`] with its last words where it will not start, [`ProcessError::NotReady`],
    /// [`ProcessError::Cancelled`], or the system's reasons. It does not run then.
    pub fn start(
        launch: &Launch,
        service: &Service,
        ready: &mut dyn FnMut() -> bool,
        cancel: &AtomicBool,
    ) -> Result<Server, ProcessError> {
        let log = |source| ProcessError::io(service.log, "making the log of a server", source);
        let file = File::create(service.log).map_err(log)?;
        let mut command = launch.command()?;
        command.stdout(file.try_clone().map_err(log)?).stderr(file);
        let child = command.spawn();
        let child = child.map_err(|source| ProcessError::Start { program: launch.program.into(), source })?;
        let Service { stop, abandon, patience, .. } = *service;
        let (name, log) = (service.name.into(), service.log.into());
        let mut server = Server { child, name, log, stop, abandon, patience, last_wait: LAST_WAIT };
        let began = Instant::now();
        loop {
            server.check("starting")?;
            if ready() {
                return Ok(server);
            }
            if cancel.load(Ordering::Relaxed) {
                return Err(ProcessError::Cancelled);
            }
            if began.elapsed() >= patience {
                let seconds = patience.as_secs();
                return Err(ProcessError::NotReady {
                    server: server.name.clone(),
                    seconds,
                    said: server.said(),
                });
            }
            sleep(LOOK);
        }
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Checks that it is still there.
    ///
    /// # Errors
    /// [`ProcessError::Died`] with its last words.
    pub fn check(&mut self, during: &str) -> Result<(), ProcessError> {
        match self.ended()? {
            None => Ok(()),
            Some(status) => Err(self.died(during, status)),
        }
    }

    /// Ends it in order.
    ///
    /// # Errors
    /// [`ProcessError::Died`] where it had ended before or ends with a failure, [`ProcessError::NotEnded`],
    /// [`ProcessError::Cancelled`]. It does not run then either.
    pub fn stop(mut self, cancel: &AtomicBool) -> Result<(), ProcessError> {
        self.check("running")?;
        self.send(self.stop);
        let ended = self.wait(self.patience, cancel)?;
        match ended {
            None if cancel.load(Ordering::Relaxed) => Err(ProcessError::Cancelled),
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(self.died("ending", status)),
            None => Err(ProcessError::NotEnded {
                server: self.name.clone(),
                seconds: self.patience.as_secs(),
                said: self.said(),
            }),
        }
    }

    fn ended(&mut self) -> Result<Option<ExitStatus>, ProcessError> {
        self.child.try_wait().map_err(|source| ProcessError::io(&self.log, "waiting for its server", source))
    }

    fn wait(&mut self, most: Duration, cancel: &AtomicBool) -> Result<Option<ExitStatus>, ProcessError> {
        let began = Instant::now();
        loop {
            let ended = self.ended()?;
            if ended.is_some() || began.elapsed() >= most || cancel.load(Ordering::Relaxed) {
                return Ok(ended);
            }
            sleep(LOOK);
        }
    }

    fn send(&self, signal: Signal) {
        // It fails where the process has ended.
        let _ = kill_process(Pid::from_child(&self.child), signal);
    }

    fn died(&self, during: &str, status: ExitStatus) -> ProcessError {
        let (program, during) = (self.name.clone(), during.to_owned());
        ProcessError::Died { program, during, how: how(status), said: self.said() }
    }

    /// The last complaint in the log, else its last line.
    fn said(&self) -> String {
        let log = fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines = || log.lines().map(str::trim).filter(|line| !line.is_empty()).rev();
        let complains =
            |line: &&str| ["FATAL", "PANIC", "ERROR", "error:"].iter().any(|word| line.contains(word));
        lines().find(complains).or_else(|| lines().next()).unwrap_or("nothing").to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if !matches!(self.ended(), Ok(None)) {
            return;
        }
        self.send(self.abandon);
        if matches!(self.wait(self.last_wait, &AtomicBool::new(false)), Ok(Some(_))) {
            return;
        }
        // Those that it started may be in groups of their own, and would not be found once it is gone.
        let started = descendants(self.child.id());
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        for process in started {
            let _ = kill_process(process, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// All that a process started and that still runs, by what the kernel says of each process's parent.
fn descendants(of: u32) -> Vec<Pid> {
    let ids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let parents: Vec<(u32, u32)> = ids
        .filter_map(|entry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            Some((id, parent(&fs::read_to_string(entry.path().join("stat")).ok()?)?))
        })
        .collect();
    let mut found = vec![of];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(parents.iter().filter(|(_, its)| *its == parent).map(|(id, _)| *id));
        next += 1;
    }
    found[1..].iter().filter_map(|id| Pid::from_raw(i32::try_from(*id).ok()?)).collect()
}

/// The parent in the text of `/proc/N/stat`.
fn parent(stat: &str) -> Option<u32> {
    // The name, in parentheses, may hold anything.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use tempfile::TempDir;

    use super::*;

    /// A server in shell, which writes `ready` once it is.
    struct Fake {
        folder: TempDir,
        patience: Duration,
        cancel: AtomicBool,
    }

    impl Fake {
        fn new() -> Fake {
            let patience = Duration::from_secs(60);
            Fake { folder: tempfile::tempdir().unwrap(), patience, cancel: AtomicBool::new(false) }
        }

        fn start(&self, script: &str) -> Result<Server, ProcessError> {
            let arguments = ["-c".to_owned(), script.to_owned()];
            let lock = File::open("/dev/null").unwrap();
            let mut launch = Launch::new(Path::new("/bin/sh"), &arguments, &lock);
            launch.folder = Some(self.folder.path());
            launch.orphaned = Some(Signal::TERM);
            let log = self.folder.path().join("log");
            let (stop, abandon, patience) = (Signal::TERM, Signal::QUIT, self.patience);
            let service = Service { name: "fake", log: &log, stop, abandon, patience };
            let mut ready = || self.folder.path().join("ready").exists();
            Server::start(&launch, &service, &mut ready, &self.cancel)
        }

        fn number(&self, file: &str) -> u32 {
            fs::read_to_string(self.folder.path().join(file)).unwrap().trim().parse().unwrap()
        }
    }

    /// What has ended and was not waited for yet, by whoever has to, does not run.
    fn runs(id: u32) -> bool {
        fs::read_to_string(format!("/proc/{id}/stat"))
            .is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.starts_with(" Z")))
    }

    fn until_gone(id: u32) {
        let began = Instant::now();
        while runs(id) {
            assert!(began.elapsed() < Duration::from_secs(60), "{id} still runs");
            sleep(LOOK);
        }
    }

    /// Waits for its signals without a program that would have to be ended, too. It never blocks: a signal
    /// that came just before would then not be seen, since the shell looks for signals between commands.
    const WAIT: &str = "touch ready; while :; do :; done";

    #[test]
    fn a_server_is_waited_for_and_ends_in_order() {
        let fake = Fake::new();
        let mut server = fake.start(&format!("trap 'echo bye > bye; exit 0' TERM; {WAIT}")).unwrap();
        let id = server.id();
        server.check("a test").unwrap();
        assert!(runs(id));
        server.stop(&fake.cancel).unwrap();
        assert!(!runs(id) && fake.folder.path().join("bye").exists());
    }

    #[test]
    fn a_server_that_will_not_start_is_told_with_its_complaint() {
        let said = Fake::new().start("echo 'FATAL: no memory'; echo 'shut down' >&2; exit 3").unwrap_err();
        assert_eq!(
            said.to_string(),
            "fake, starting: ended with exit code 3; the last that it said: FATAL: no memory"
        );
    }

    #[test]
    fn a_server_that_dies_midway_is_noticed() {
        let fake = Fake::new();
        // It may be gone before it was seen to be ready.
        let started = fake.start("touch ready; echo 'out of luck'; exit 0");
        let mut server = started.map_err(|error| error.to_string());
        let said = loop {
            match &mut server {
                Err(said) => break said.clone(),
                Ok(server) => match server.check("a query") {
                    Ok(()) => sleep(LOOK),
                    Err(error) => break error.to_string(),
                },
            }
        };
        assert!(said.contains("ended with exit code 0") && said.ends_with("out of luck"), "{said}");
    }

    #[test]
    fn a_server_that_hangs_is_given_up_and_gone() {
        let mut fake = Fake::new();
        fake.patience = Duration::ZERO;
        let hangs = fake.start("echo $$ > id; echo 'still reading'; exec sleep 1000").unwrap_err();
        assert!(matches!(hangs, ProcessError::NotReady { seconds: 0, .. }), "{hangs}");
    }

    #[test]
    fn nothing_runs_on_after_an_interruption() {
        let fake = Fake::new();
        fake.cancel.store(true, Ordering::Relaxed);
        let ended = fake.start("exec sleep 1000").unwrap_err();
        assert!(matches!(ended, ProcessError::Cancelled));
    }

    #[test]
    fn a_server_that_is_dropped_may_end_what_it_started() {
        let fake = Fake::new();
        let mut server = fake.start(&format!("trap 'echo bye > bye; exit 1' QUIT; {WAIT}")).unwrap();
        // However busy the machine is.
        server.last_wait = Duration::from_secs(120);
        drop(server);
        assert!(fake.folder.path().join("bye").exists());
    }

    #[test]
    fn a_server_that_ignores_all_is_killed_with_what_it_started() {
        let fake = Fake::new();
        let script = "trap '' TERM QUIT; setsid sh -c 'echo $$ > started; exec sleep 1000' & \
                      while [ ! -s started ]; do :; done; touch ready; wait";
        let mut server = fake.start(script).unwrap();
        server.last_wait = Duration::ZERO;
        let (id, started) = (server.id(), fake.number("started"));
        assert!(runs(started));
        drop(server);
        assert!(!runs(id));
        until_gone(started);
        // Told to end in order, it does not, and is killed all the same.
        fs::remove_file(fake.folder.path().join("started")).unwrap();
        fs::remove_file(fake.folder.path().join("ready")).unwrap();
        let mut server = fake.start(script).unwrap();
        (server.patience, server.last_wait) = (Duration::ZERO, Duration::ZERO);
        let (id, started) = (server.id(), fake.number("started"));
        assert!(matches!(server.stop(&fake.cancel), Err(ProcessError::NotEnded { seconds: 0, .. })));
        assert!(!runs(id));
        until_gone(started);
    }

    #[test]
    fn a_server_dies_with_the_thread_that_started_it() {
        let fake = Fake::new();
        // Forgotten, so that only the kernel is left to end it.
        let start = || {
            let server = fake.start("mkfifo fifo; touch ready; while :; do read line < fifo; done").unwrap();
            let id = server.id();
            std::mem::forget(server);
            id
        };
        let id = std::thread::scope(|scope| scope.spawn(start).join().unwrap());
        until_gone(id);
    }
}
