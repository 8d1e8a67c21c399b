//! `kill -9` of every command that writes, mounts or starts servers: what is left behind.
//!
//! A killed command leaves no process, no mount and no half-written result. What it was making, it leaves at
//! most under a temporary name, which the next run in that folder removes.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use leadline_testing::exhaustive;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::ran::{PATIENCE, folder, program, run, text};

/// In each process that a command starts, so that they are found whoever their parent is.
const MARK: &str = "LEADLINE_KILLED_IN";

/// All of a run's kills.
const KILLS: usize = 500;

/// Kills come in the first of these, or later.
const FIRST: Duration = Duration::from_millis(300);

/// A command that can be killed.
struct Case {
    arguments: &'static [&'static str],
    /// Files and folders that it may make, by their names.
    results: &'static [&'static str],
    /// It runs until it is told to end.
    stays: bool,
    /// It takes longer than a test should, so that it runs to its end only where every case is tried, or
    /// something was left.
    is_long: bool,
}

const fn case(arguments: &'static [&'static str], results: &'static [&'static str]) -> Case {
    Case { arguments, results, stays: false, is_long: false }
}

const fn long(arguments: &'static [&'static str], results: &'static [&'static str]) -> Case {
    Case { is_long: true, ..case(arguments, results) }
}

const CASES: [Case; 31] = [
    long(
        &[
            "profile",
            ".",
            "--budget-seconds",
            "1.5",
            "--size",
            "16M",
            "--block-size",
            "4K",
            "--max-concurrency",
            "8",
            "-o",
            "new.json",
            "--report",
            "new.html",
        ],
        &["new.json", "new.html"],
    ),
    case(&["profile", "sim:flash", "--quick", "-o", "new.json"], &["new.json"]),
    case(
        &["experiment", "unaligned", ".", "--seconds", "2", "--size", "64M", "--into", "new.json"],
        &["new.json"],
    ),
    case(&["report", "p.json", "-o", "new.html"], &["new.html"]),
    case(&["advise", "postgresql", "p.json", "--memory", "16G", "-o", "new.conf"], &["new.conf"]),
    case(&["graph", "import", "edges.csv", "new", "--memory", "16M"], &["new"]),
    case(&["graph", "import", "edges.csv", "file.store"], &[]),
    case(&["graph", "import", "edges.csv", "folder.store"], &[]),
    case(&["graph", "update", "file.store", "changes"], &[]),
    case(&["graph", "update", "file.store", "changes", "--memory", "64K"], &[]),
    case(&["graph", "update", "folder.store", "changes", "--commit-every", "500"], &[]),
    case(&["graph", "compact", "folder.store"], &[]),
    case(&["graph", "export", "folder.store", "new.csv", "--force"], &["new.csv"]),
    case(&["graph", "export", "folder.store", "new", "--force"], &["new"]),
    case(&["graph", "bfs", "file.store", "--source", "1", "-o", "new.csv"], &["new.csv"]),
    case(&["graph", "pagerank", "file.store", "-o", "new.bin"], &["new.bin", "new.bin.json"]),
    case(&["graph", "wcc", "file.store", "--memory", "8M", "-o", "new.bin"], &["new.bin", "new.bin.json"]),
    case(&["trace", "generate", "gen:paper-ms", "-o", "new.pages.zst"], &["new.pages.zst"]),
    case(&["trace", "convert", "trace.pages", "new.iolog"], &["new.iolog"]),
    case(&["trace", "replay", "trace.pages", ".", "--size", "64M", "--report", "new.html"], &["new.html"]),
    case(
        &[
            "trace",
            "capture",
            "db",
            "-o",
            "new.capture",
            "--",
            "sh",
            "-c",
            "for i in 1 2 3 4 5 6 7 8; do cat db/t >db/u; done",
        ],
        &["new.capture"],
    ),
    case(&["pool", "replay", "trace.pages", ".", "--frames", "500", "--ace", "cow-x"], &[]),
    case(
        &[
            "pool",
            "simulate",
            "trace.pages",
            "--frames",
            "500",
            "--device",
            "sim:flash",
            "--report",
            "new.html",
        ],
        &["new.html"],
    ),
    long(&["calibrate", "p.json", "-o", "new.toml"], &["new.toml"]),
    case(&["man", "new"], &["new"]),
    Case {
        stays: true,
        ..case(&["emulate", "sim:flash", "--backing", "data", "--mount", "mnt", "--lenient"], &[])
    },
    Case {
        stays: true,
        ..case(
            &[
                "emulate",
                "sim:gp3",
                "--backing",
                "data",
                "--mount",
                "mnt",
                "--lenient",
                "--report",
                "new.json",
                "--trace",
                "new.capture",
            ],
            &["new.json", "new.capture"],
        )
    },
    long(
        &["prove", "postgresql", "p.json", ".", "--quick", "--only", "plans", "-o", "new.json"],
        &["new.json"],
    ),
    long(
        &["prove", "rocksdb", "p.json", ".", "--quick", "--only", "reads", "--data", "32M", "-o", "new.json"],
        &["new.json"],
    ),
    long(&["prove", "etcd", "p.json", ".", "--quick", "-o", "new.json"], &["new.json"]),
    case(
        &[
            "prove",
            "sqlite",
            "p.json",
            ".",
            "--set",
            "page_size=16384",
            "--data",
            "8M",
            "--rounds",
            "1",
            "-o",
            "new.json",
        ],
        &["new.json"],
    ),
];

/// What is in each folder before a command runs.
struct Stock(TempDir);

impl Stock {
    fn new() -> Stock {
        let stock = folder();
        let dir = stock.path();
        let mut random = fastrand::Rng::with_seed(33);
        let mut pairs = |count: usize, sign: &str, between: &str| -> String {
            let mut pair = || (random.u32(..20_000), random.u32(..20_000));
            (0..count).map(|_| pair()).map(|(a, b)| format!("{sign}{a}{between}{b}\n")).collect()
        };
        let edges = format!("source,target\n{}", pairs(60_000, "", ","));
        fs::write(dir.join("edges.csv"), edges).unwrap();
        fs::write(dir.join("changes"), pairs(20_000, "+ ", " ")).unwrap();
        fs::write(dir.join("few"), "+ 1 2\n+ 2 1\n").unwrap();
        for folder in ["data", "mnt", "db", "temporary"] {
            fs::create_dir(dir.join(folder)).unwrap();
        }
        fs::write(dir.join("db/t"), vec![7; 1 << 20]).unwrap();
        let made: [&[&str]; 5] = [
            &["graph", "import", "edges.csv", "file.store"],
            &["graph", "import", "edges.csv", "folder.store"],
            &["graph", "update", "folder.store", "few"],
            &["profile", "sim:flash", "--quick", "-o", "p.json"],
            &["trace", "generate", "gen:zipf?pages=5000&ops=20000", "-o", "trace.pages"],
        ];
        for arguments in made {
            run(dir, arguments).succeeded();
        }
        Stock(stock)
    }

    /// A copy.
    fn folder(&self) -> TempDir {
        let copy = folder();
        let copied =
            Command::new("cp").args(["-a", "."]).arg(copy.path()).current_dir(self.0.path()).status();
        assert!(copied.unwrap().success());
        copy
    }
}

/// What was left behind, in all kills.
#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    in_first_300_ms: usize,
    /// Ended by themselves before the kill.
    ended: usize,
    processes: usize,
    mounts: usize,
    half_results: usize,
    /// Files and folders under temporary names, gone after the next run.
    until_the_next_run: usize,
    for_good: usize,
}

impl Case {
    fn start(&self, dir: &Path) -> Child {
        let mut command = Command::new(program());
        command.current_dir(dir).args(self.arguments).env(MARK, dir).env("TMPDIR", dir.join("temporary"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Everything under a folder that is neither there from the beginning nor a result.
    fn left(&self, dir: &Path, stock: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        let is_result = |path: &Path| {
            let first = path.components().next().map(|first| first.as_os_str());
            self.results.iter().any(|result| first == Some(OsStr::new(result)))
        };
        // Stores are theirs alone, and programs write to `db` and `data`.
        let is_theirs = |path: &Path| {
            ["file.store", "folder.store", "db", "data"].iter().any(|folder| path.starts_with(folder))
        };
        let found = tree(dir);
        found
            .into_iter()
            .filter(|path| !stock.contains(path) && !is_result(path) && !is_theirs(path))
            .collect()
    }

    /// Results and stores that are there and not whole.
    fn half(&self, dir: &Path) -> Vec<String> {
        let is_whole = |name: &str| {
            let path = dir.join(name);
            let verified = |store: &str| run(dir, &["graph", "verify", store]).code == Some(0);
            let ends = |ending: &str| fs::read_to_string(&path).unwrap().trim_end().ends_with(ending);
            match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
                "json" => serde_json::from_slice::<serde_json::Value>(&fs::read(&path).unwrap()).is_ok(),
                "html" => ends("</html>"),
                "store" => verified(name),
                "zst" | "iolog" | "capture" => run(dir, &["trace", "info", name]).code == Some(0),
                "csv" | "conf" | "toml" => fs::read(&path).unwrap().ends_with(b"\n"),
                "bin" => fs::metadata(&path).unwrap().len().is_multiple_of(16),
                _ if self.arguments.contains(&"import") => verified(name),
                // A folder of pages or of a graph.
                _ => path.is_dir(),
            }
        };
        let there = self.results.iter().copied().filter(|name| dir.join(name).exists());
        let all = there.chain(["file.store", "folder.store"]);
        all.filter(|name| !is_whole(name)).map(str::to_owned).collect()
    }

    /// Kills it after a time, and looks what there is.
    fn kill(&self, stock: &Stock, before: &BTreeSet<PathBuf>, after: Duration, tally: &mut Tally) {
        let copy = stock.folder();
        let dir = copy.path();
        let what = format!("{} killed after {} ms", self.arguments.join(" "), after.as_millis());
        let mut child = self.start(dir);
        std::thread::sleep(after);
        let has_ended = child.try_wait().unwrap().is_some();
        let _ = child.kill();
        child.wait().unwrap();
        tally.kills += 1;
        tally.in_first_300_ms += usize::from(after < FIRST);
        tally.ended += usize::from(has_ended);
        // They end when they find out that they are alone, if they are not just being started.
        let mut still = remaining(dir);
        let waited = Instant::now();
        while !(still.0.is_empty() && still.1.is_empty()) && waited.elapsed() < PATIENCE / 4 {
            std::thread::sleep(Duration::from_millis(10));
            still = remaining(dir);
        }
        let (processes, mounts) = still;
        for id in &processes {
            note(&format!("{what}: process {id} is left: {}", leadline_testing::processes::describe(&[*id])));
            let _ = kill_process(Pid::from_raw(*id as i32).unwrap(), Signal::KILL);
        }
        for mount in &mounts {
            note(&format!("{what}: {mount} is left mounted"));
            let _ = Command::new("umount").args(["-l", mount]).status();
        }
        let half = self.half(dir);
        if !half.is_empty() {
            note(&format!("{what}: not whole: {half:?}"));
        }
        tally.processes += processes.len();
        tally.mounts += mounts.len();
        tally.half_results += half.len();
        let left = self.left(dir, before);
        let is_first = tally.kills <= CASES.len();
        if left.is_empty() && (!is_first || (self.is_long && !exhaustive())) {
            return;
        }
        self.again(dir);
        let stays = self.left(dir, before);
        if !stays.is_empty() {
            note(&format!("{what}: left after the next run: {stays:?}"));
        }
        tally.for_good += stays.len();
        tally.until_the_next_run +=
            left.difference(&stays).filter(|path| path.components().count() == 1).count();
    }

    /// Runs it once more, to its end.
    fn again(&self, dir: &Path) {
        let mut child = self.start(dir);
        if self.stays {
            let began = Instant::now();
            while remaining(dir).1.is_empty() && child.try_wait().unwrap().is_none() {
                assert!(began.elapsed() < PATIENCE, "{:?} does not mount", self.arguments);
                std::thread::sleep(Duration::from_millis(10));
            }
            let _ = kill_process(Pid::from_child(&child), Signal::TERM);
        }
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{:?} after a kill: {said}", self.arguments);
        for result in self.results {
            assert!(dir.join(result).exists(), "{:?}: no {result}", self.arguments);
        }
    }
}

/// Processes that a command started here and that still run, and what is mounted here.
fn remaining(dir: &Path) -> (Vec<u32>, Vec<String>) {
    let mark = format!("{MARK}={}", text(dir));
    let is_marked = |folder: &Path| {
        let environment = fs::read(folder.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let processes = entries
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path())))
        .filter(|(_, folder): &(u32, PathBuf)| is_marked(folder))
        .map(|(id, _)| id)
        .collect();
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    (processes, points.filter(|point| point.starts_with(text(dir))).map(str::to_owned).collect())
}

/// All paths below a folder, from it on.
fn tree(dir: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
            found.insert(entry.path().strip_prefix(dir).unwrap().to_owned());
        }
    }
    found
}

/// Past the test harness, which keeps the output of tests that pass to itself.
fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

#[test]
fn whatever_is_killed_leaves_no_process_no_mount_and_no_half_result() {
    let can_mount = fs::File::options().read(true).write(true).open("/dev/fuse").is_ok();
    if !can_mount {
        note("SKIPPED kills of emulate and trace capture: /dev/fuse cannot be opened here");
    }
    let stock = Stock::new();
    let before = tree(stock.0.path());
    let mounts = |case: &&Case| case.arguments.contains(&"capture") || case.arguments[0] == "emulate";
    let cases: Vec<&Case> = CASES.iter().filter(|case| can_mount || !mounts(case)).collect();
    let mut random = fastrand::Rng::with_seed(20_261_125);
    let mut tally = Tally::default();
    for number in 0..if exhaustive() { KILLS } else { cases.len() } {
        let case = cases[number % cases.len()];
        let first = !exhaustive() || (number / cases.len()).is_multiple_of(2);
        let most = if first { FIRST } else { Duration::from_secs(if case.is_long { 8 } else { 2 }) };
        case.kill(&stock, &before, most.mul_f64(random.f64()), &mut tally);
    }
    note(&format!("| kills | {tally:?} |"));
    assert_eq!((tally.processes, tally.mounts, tally.half_results, tally.for_good), (0, 0, 0, 0));
}
