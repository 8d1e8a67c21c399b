//! `leadline emulate` and `leadline trace capture`, killed at any moment: neither a process nor a mount is
//! left, what was durable is there, and the next start works at once.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::ran::{PATIENCE, folder, names, program, text};

/// Starts take some tens of milliseconds on an idle machine; they are killed at moments in so many.
const START_MS: u64 = 300;

fn can_mount() -> bool {
    let can = File::options().read(true).write(true).open("/dev/fuse").is_ok();
    if !can {
        let _ = writeln!(std::io::stderr(), "SKIPPED killed: /dev/fuse cannot be opened here");
    }
    can
}

/// A folder with the folders `data` and `mnt`; nothing stays mounted on `mnt`, and nobody waits for it.
struct Place(TempDir);

/// A line of mountinfo: the device's number and what the mount is.
#[derive(Debug, PartialEq)]
struct Mounted {
    number: String,
    kind: String,
}

impl Place {
    fn new() -> Place {
        let dir = folder();
        fs::create_dir(dir.path().join("data")).unwrap();
        fs::create_dir(dir.path().join("mnt")).unwrap();
        let device = "kind = \"parametric\"\ncapacity = \"1G\"\n[read]\nservice_us = 1\nservers = 8\n[write]\n\
                      service_us = 1\nservers = 8\n";
        fs::write(dir.path().join("quick.toml"), device).unwrap();
        Place(dir)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn mount(&self) -> PathBuf {
        self.path().join("mnt")
    }

    /// What is mounted on `mnt`, the last first.
    fn mounted(&self) -> Vec<Mounted> {
        let (text, point) = (fs::read_to_string("/proc/self/mountinfo").unwrap(), self.mount());
        let mounted = text.lines().rev().filter_map(|line| {
            let fields: Vec<&str> = line.split(' ').collect();
            let dash = fields.iter().position(|field| *field == "-")?;
            let number = fields[2].split_once(':')?.1.to_owned();
            (Path::new(fields[4]) == point).then(|| Mounted { number, kind: fields[dash + 1].to_owned() })
        });
        mounted.collect()
    }

    /// Ends every connection, so that nobody waits for it, and takes the mounts away.
    fn clear(&self) {
        for mounted in self.mounted() {
            let _ = fs::write(format!("/sys/fs/fuse/connections/{}/abort", mounted.number), "1");
            let umount = Command::new("umount").args(["-f", "-l"]).arg(self.mount()).status();
            if !umount.is_ok_and(|status| status.success()) {
                let _ = Command::new("fusermount3").args(["-u", "-z"]).arg(self.mount()).status();
            }
        }
    }

    /// Waits until it is so; if it never is, nobody is left hanging.
    #[track_caller]
    fn until(&self, what: &str, mut is: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is() {
            if began.elapsed() > PATIENCE {
                let mounted = self.mounted();
                self.clear();
                panic!("{what} in vain; mounted: {mounted:?}");
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn start(&self, arguments: &[&str]) -> Leadline<'_> {
        let said = self.path().join(format!("said-{}", fastrand::u64(..)));
        let mut command = Command::new(program());
        command.current_dir(self.path()).args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(File::create(&said).unwrap()).spawn().unwrap();
        Leadline { place: self, child, said }
    }

    fn emulator(&self) -> Leadline<'_> {
        self.start(&["emulate", "sim:./quick.toml", "--backing", "data", "--mount", "mnt", "--lenient"])
    }

    /// A capture of `data`, whose command is a shell's script.
    fn capture(&self, script: &str) -> Leadline<'_> {
        self.start(&["trace", "capture", "mnt", "-o", "x.capture", "--", "sh", "-c", script])
    }

    /// Writes a file whose bytes are durable.
    fn write(&self, name: &str) {
        let mut file = File::create(self.mount().join(name)).unwrap();
        file.write_all(name.as_bytes()).unwrap();
        file.sync_all().unwrap();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.clear();
    }
}

/// `leadline`, running in a place.
struct Leadline<'a> {
    place: &'a Place,
    child: Child,
    said: PathBuf,
}

impl Leadline<'_> {
    fn said(&self) -> String {
        fs::read_to_string(&self.said).unwrap()
    }

    #[track_caller]
    fn says(&mut self, words: &str) {
        let said = self.said.clone();
        let child = &mut self.child;
        let mut ended = None;
        self.place.until(&format!("{words:?} was waited for"), || {
            ended = child.try_wait().unwrap();
            ended.is_some() || fs::read_to_string(&said).unwrap().contains(words)
        });
        assert!(self.said().contains(words), "no {words:?}, but it ended with {ended:?}: {}", self.said());
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end.
    #[track_caller]
    fn end(&mut self) -> ExitStatus {
        let child = &mut self.child;
        let mut ended = None;
        self.place.until("the end of leadline was waited for", || {
            ended = child.try_wait().unwrap();
            ended.is_some()
        });
        ended.unwrap()
    }

    /// The shell that will take its mount away.
    fn keeper(&self) -> Option<Pid> {
        let numbers = fs::read_dir("/proc").unwrap().flatten();
        let mut numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        numbers.find_map(|number| {
            let line = fs::read(format!("/proc/{number}/cmdline")).ok()?;
            let arguments: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
            let (mount, own) = (self.place.mount(), self.child.id().to_string());
            let is = arguments.contains(&&b"leadline-keeper"[..])
                && arguments.contains(&text(&mount).as_bytes())
                && arguments.contains(&own.as_bytes());
            is.then(|| Pid::from_raw(number)).flatten()
        })
    }

    /// Whether one of its threads has a file of the mount open.
    fn has_open(&self, name: &str) -> bool {
        let (wanted, tasks) = (self.place.mount().join(name), format!("/proc/{}/task", self.child.id()));
        let tasks = fs::read_dir(tasks).into_iter().flatten().flatten();
        let files = tasks.flat_map(|task| fs::read_dir(task.path().join("fd")).into_iter().flatten());
        files.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|to| to == wanted))
    }

    #[track_caller]
    fn reaches(&mut self, moment: Moment) {
        match moment {
            Moment::After(time) => std::thread::sleep(time),
            Moment::Mounted => {
                let place = self.place;
                place.until("a mount was waited for", || !place.mounted().is_empty());
            }
            // It may have closed it again before that was seen.
            Moment::Measures => {
                let this = &*self;
                this.place.until("a mount that measures was waited for", || {
                    this.has_open(".leadline-emulate") || this.said().contains("is mounted on")
                });
            }
            Moment::Serves => self.says("is mounted on"),
        }
    }
}

impl Drop for Leadline<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            // Or it might wait for its own mount.
            self.place.clear();
            let _ = self.child.wait();
        }
    }
}

/// When a drive is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    Mounted,
    /// It has the file open that measures the ways of requests.
    Measures,
    Serves,
    After(Duration),
}

fn moments(rounds: u64) -> Vec<Moment> {
    let mut random = fastrand::Rng::with_seed(7);
    let after =
        |random: &mut fastrand::Rng| Moment::After(Duration::from_micros(random.u64(..START_MS * 1000)));
    let round = |random: &mut fastrand::Rng| {
        [Moment::Mounted, Moment::Measures, Moment::Serves, after(random), after(random)]
    };
    (0..rounds).flat_map(|_| round(&mut random)).collect()
}

fn rounds() -> u64 {
    if leadline_testing::exhaustive() { 40 } else { 3 }
}

/// It hung in the close of the file by which it measured, could not be killed, and its mount hung with it; or
/// the next start was refused because something was mounted there.
#[test]
fn a_drive_killed_while_it_starts_leaves_nothing_and_starts_again_at_once() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    let mut written: Vec<String> = Vec::new();
    for (i, moment) in moments(rounds()).into_iter().enumerate() {
        let mut killed = place.emulator();
        killed.reaches(moment);
        killed.signal(Signal::KILL);
        // As a shell would: it is not waited for.
        let mut again = place.emulator();
        again.says("is mounted on");
        assert_eq!(killed.end().code(), None, "{moment:?}");
        assert_eq!(place.mounted().len(), 1, "{moment:?}");
        let mut found = names(&place.mount());
        found.sort_by_key(|name| name.parse::<usize>().unwrap());
        assert_eq!(found, written, "{moment:?}");
        place.write(&i.to_string());
        written.push(i.to_string());
        again.signal(Signal::KILL);
        again.end();
    }
    place.until("the end of the mount was waited for", || place.mounted().is_empty());
    assert_eq!(names(&place.mount()), [""; 0]);
    let mut data = names(&place.path().join("data"));
    data.retain(|name| !name.starts_with('.'));
    data.sort_by_key(|name| name.parse::<usize>().unwrap());
    assert_eq!(data, written);
    assert!(
        data.iter().all(|name| fs::read_to_string(place.path().join("data").join(name)).unwrap() == *name)
    );
}

#[test]
fn a_drive_that_is_killed_leaves_no_mount_even_if_it_is_not_started_again() {
    if !can_mount() {
        return;
    }
    for moment in moments(1) {
        let place = Place::new();
        let mut killed = place.emulator();
        killed.reaches(moment);
        let keeper = killed.keeper();
        killed.signal(Signal::KILL);
        killed.end();
        place.until("the end of the mount was waited for", || place.mounted().is_empty());
        place.until("the end of its keeper was waited for", || killed.keeper().is_none());
        assert!(keeper.is_some() || matches!(moment, Moment::After(_)), "{moment:?}");
    }
}

/// As with all processes of a container, or of a service whose memory is used up.
#[test]
fn a_drive_killed_with_its_keeper_ends_and_the_next_start_takes_the_mount_away() {
    if !can_mount() {
        return;
    }
    let moments = moments(rounds()).into_iter().filter(|moment| !matches!(moment, Moment::After(_)));
    for moment in moments {
        let place = Place::new();
        let mut killed = place.emulator();
        killed.reaches(moment);
        let keeper = killed.keeper().unwrap();
        if matches!(moment, Moment::Serves) {
            place.write("durable");
        }
        kill_process(keeper, Signal::KILL).unwrap();
        killed.signal(Signal::KILL);
        killed.end();
        place.until("the keeper's end was waited for", || killed.keeper().is_none());
        assert_eq!(place.mounted().len(), 1, "{moment:?}");
        let counters = Command::new(program())
            .args(["emulate", "ctl", "mnt", "counters"])
            .current_dir(place.path())
            .output();
        let counters = counters.unwrap();
        assert_eq!(counters.status.code(), Some(2));
        let said = String::from_utf8(counters.stderr).unwrap();
        assert!(said.contains("no emulated drive is mounted there"), "{said}");
        let mut again = place.emulator();
        again.says("an emulator was killed here");
        again.says("is mounted on");
        if matches!(moment, Moment::Serves) {
            assert_eq!(fs::read_to_string(place.mount().join("durable")).unwrap(), "durable");
        }
        again.signal(Signal::INT);
        assert_eq!(again.end().code(), Some(0), "{}", again.said());
        assert_eq!(place.mounted(), []);
    }
}

#[test]
fn a_mount_of_others_on_the_place_of_a_killed_drive_stays() {
    if !can_mount() || !rustix::process::geteuid().is_root() {
        return;
    }
    let place = Place::new();
    let mut killed = place.emulator();
    killed.says("is mounted on");
    let others =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "none"]).arg(place.mount()).status();
    if !others.is_ok_and(|status| status.success()) {
        let _ = writeln!(std::io::stderr(), "SKIPPED a_mount_of_others: cannot mount a tmpfs here");
        return;
    }
    fs::write(place.mount().join("theirs"), "theirs").unwrap();
    killed.signal(Signal::KILL);
    killed.end();
    place.until("the keeper's end was waited for", || killed.keeper().is_none());
    assert_eq!(place.mounted()[0].kind, "tmpfs");
    assert_eq!(fs::read_to_string(place.mount().join("theirs")).unwrap(), "theirs");
}

/// What the versions before left: the process neither ended nor answered, and whoever looked at the folder
/// waited for ever.
#[test]
fn a_mount_whose_process_never_answers_is_taken_away_by_the_next_start() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    fs::create_dir(place.path().join("other")).unwrap();
    let mut silent = place.emulator();
    silent.says("is mounted on");
    // Alone and stopped, it is as good as gone. Its backing folder is still locked.
    kill_process(silent.keeper().unwrap(), Signal::KILL).unwrap();
    place.until("the keeper's end was waited for", || silent.keeper().is_none());
    silent.signal(Signal::STOP);
    let mut next =
        place.start(&["emulate", "sim:./quick.toml", "--backing", "other", "--mount", "mnt", "--lenient"]);
    // Once its connection has been ended, nothing keeps it from ending.
    place.until("the next mount was waited for", || next.has_open("/dev/fuse"));
    silent.signal(Signal::KILL);
    silent.end();
    next.says("an emulator was killed here");
    next.says("is mounted on");
    place.write("new");
    next.signal(Signal::INT);
    assert_eq!(next.end().code(), Some(0), "{}", next.said());
    assert_eq!(names(&place.path().join("other")), ["new"]);
}

#[test]
fn a_capture_that_is_killed_leaves_the_folder_and_nothing_else() {
    if !can_mount() {
        return;
    }
    // It ends by itself, should it not have begun when the capture is killed.
    let script =
        "echo $$ > id; while kill -0 $PPID; do cat mnt/t > /dev/null; echo x > mnt/u; echo runs >&2; done";
    let place = Place::new();
    fs::write(place.mount().join("t"), vec![7; 1 << 20]).unwrap();
    for moment in moments(rounds()).into_iter().filter(|moment| !matches!(moment, Moment::Measures)) {
        let mut killed = place.capture(script);
        match moment {
            Moment::Serves => killed.says("runs"),
            moment => killed.reaches(moment),
        }
        killed.signal(Signal::KILL);
        // The next one does not wait for it.
        let mut again = place.capture("wc -c < mnt/t >&2");
        assert_eq!(again.end().code(), Some(0), "{moment:?}: {}", again.said());
        assert!(again.said().contains("1048576"), "{moment:?}: {}", again.said());
        fs::remove_file(place.path().join("x.capture")).unwrap();
        killed.end();
        assert_eq!(place.mounted(), [], "{moment:?}");
    }
    let mut left = names(place.path());
    left.retain(|name| !name.starts_with("said-") && name != "id");
    assert_eq!(left, ["data", "mnt", "quick.toml"]);
}

#[test]
fn the_command_of_a_capture_that_is_killed_ends() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    let mut killed = place.capture("echo $$ > id; cd mnt; echo runs >&2; exec sleep 86399");
    killed.says("runs");
    let id = fs::read_to_string(place.path().join("id")).unwrap();
    killed.signal(Signal::KILL);
    killed.end();
    let line = PathBuf::from(format!("/proc/{}/cmdline", id.trim()));
    place.until("the end of the command was waited for", || {
        !fs::read(&line).is_ok_and(|line| line.ends_with(b"86399\0") || line.starts_with(b"sh"))
    });
    place.until("the end of the mount was waited for", || place.mounted().is_empty());
}
