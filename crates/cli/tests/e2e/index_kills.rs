//! `kill -9` of `leadline index load` at random moments: the index is as it was, or has some or all of the
//! entries that were read, every page of it is sound, nothing else is left, and the load can be done again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use leadline_testing::exhaustive;
use serde_json::Value;

use crate::ran::{folder, names, program, run};

/// Entries of each file.
const ENTRIES: u32 = 20_000;

/// Kills of each kind of load.
const KILLS: u32 = 125;
const FEW_KILLS: u32 = 2;

type Entries = BTreeMap<String, String>;

/// A file of entries, in an order.
fn entries(file: &str, order: impl Iterator<Item = u32>) -> (String, Entries) {
    let pairs: Vec<(String, String)> =
        order.map(|n| (format!("key {n:06}"), format!("{n} of {file}, {:40}.", ""))).collect();
    (pairs.iter().map(|(key, value)| format!("{key}\t{value}\n")).collect(), pairs.into_iter().collect())
}

fn unsorted() -> impl Iterator<Item = u32> {
    // 7919 is a prime, so each number comes once.
    (0..ENTRIES).map(|at| at * 7919 % ENTRIES)
}

/// A load that is killed.
struct Load {
    /// What is in the index before; without any there is none.
    before: Entries,
    file: Entries,
    /// Whether entries are there together or not at all.
    is_at_once: bool,
}

const ARGUMENTS: [&str; 8] = ["index", "load", "it.index", "file.tsv", "--header", "no", "--memory", "8M"];

impl Load {
    /// Prepares its directory.
    fn of(dir: &Path, before: Option<(String, Entries)>, file: (String, Entries), is_at_once: bool) -> Load {
        fs::create_dir(dir.join("temporary")).unwrap();
        if let Some((lines, _)) = &before {
            fs::write(dir.join("file.tsv"), lines).unwrap();
            run(dir, &ARGUMENTS).succeeded();
        }
        fs::write(dir.join("file.tsv"), file.0).unwrap();
        Load { before: before.map_or_else(Entries::new, |before| before.1), file: file.1, is_at_once }
    }

    /// All kills; each of a copy of the directory.
    fn kill_all(&self, stock: &Path) {
        let began = Instant::now();
        let whole = copy(stock);
        run(whole.path(), &ARGUMENTS).succeeded();
        let longest = began.elapsed();
        let mut random = fastrand::Rng::with_seed(u64::from(ENTRIES) + self.before.len() as u64);
        let (mut ended, mut partly, mut untouched) = (0, 0, 0);
        let kills = if exhaustive() { KILLS } else { FEW_KILLS };
        for _ in 0..kills {
            let copy = copy(stock);
            let dir = copy.path();
            let after = longest.mul_f64(random.f64() * 1.05);
            let was_done = kill(dir, after);
            let found = self.found(dir, &format!("killed after {after:?}"));
            let new = found.iter().filter(|(key, value)| self.file.get(*key) == Some(value)).count();
            assert!(!was_done || new == self.file.len(), "{new} entries of a load that was acknowledged");
            assert!(!self.is_at_once || [0, self.file.len()].contains(&new), "{new} entries of some");
            ended += u32::from(was_done);
            partly += u32::from(!was_done && new > 0);
            untouched += u32::from(new == 0);
            run(dir, &ARGUMENTS).succeeded();
            let mut all = self.before.clone();
            all.extend(self.file.clone());
            assert!(self.found(dir, "loaded again") == all, "killed after {after:?}, then loaded again");
        }
        let line = format!(
            "| kills of index load | {kills} | untouched {untouched} | partly {partly} | done {ended} |"
        );
        let _ = std::io::Write::write_all(&mut std::io::stderr(), (line + "\n").as_bytes());
    }

    /// The entries that are there, all from before the load or from its file.
    fn found(&self, dir: &Path, what: &str) -> Entries {
        let is_one = |name: &str| matches!(name, "file.tsv" | "it.index" | "temporary");
        assert!(names(dir).iter().all(|name| is_one(name)), "{what}: {:?}", names(dir));
        assert_eq!(names(&dir.join("temporary")), [""; 0], "{what}");
        let index = dir.join("it.index");
        if !index.join("index").exists() {
            assert!(self.before.is_empty(), "{what}: no index");
            assert!(!index.exists() || names(&index).is_empty(), "{what}: {:?}", names(&index));
            return Entries::new();
        }
        let is_of_index = |name: &str| {
            matches!(name, "index" | "pages") || name.ends_with(".log") || name.starts_with("spare-")
        };
        assert!(names(&index).iter().all(|name| is_of_index(name)), "{what}: {:?}", names(&index));
        let verified = run(dir, &["index", "verify", "it.index", "--json"]);
        // One that was just being made is none yet.
        if self.before.is_empty() && fs::metadata(index.join("index")).unwrap().len() == 0 {
            verified.failed(2, &["there is no index"]);
            return Entries::new();
        }
        assert_eq!(verified.code, Some(0), "{what}: {}{}", verified.stdout, verified.stderr);
        let scanned = run(dir, &["index", "scan", "it.index"]).succeeded().stdout;
        let found: Entries = scanned
            .lines()
            .map(|line| line.split_once('\t').unwrap())
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        for (key, value) in &found {
            let is_known = [&self.file, &self.before].iter().any(|entries| entries.get(key) == Some(value));
            assert!(is_known, "{what}: {key} has the value {value}");
        }
        assert!(self.before.keys().all(|key| found.contains_key(key)), "{what}: an entry is lost");
        let stats = run(dir, &["index", "stats", "it.index", "--json"]).succeeded();
        let stats: Value = serde_json::from_str(&stats.stdout).unwrap();
        assert_eq!(stats["entries"], found.len(), "{what}");
        found
    }
}

fn copy(stock: &Path) -> tempfile::TempDir {
    let copy = folder();
    let mut command = Command::new("cp");
    command.args(["-a", "--sparse=always", "."]).arg(copy.path()).current_dir(stock);
    assert!(command.status().unwrap().success());
    copy
}

/// Kills a load after a time; whether it had acknowledged all by then.
fn kill(dir: &Path, after: Duration) -> bool {
    let mut command = Command::new(program());
    command.args(ARGUMENTS).current_dir(dir).env("TMPDIR", dir.join("temporary"));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(after);
    let _ = child.kill();
    child.wait().unwrap().success()
}

#[test]
fn a_killed_load_of_sorted_entries_leaves_all_or_nothing() {
    let dir = folder();
    let load = Load::of(dir.path(), None, entries("new", 0..ENTRIES), true);
    load.kill_all(dir.path());
}

#[test]
fn a_killed_load_of_unsorted_entries_leaves_all_or_nothing() {
    let dir = folder();
    let load = Load::of(dir.path(), None, entries("new", unsorted()), true);
    load.kill_all(dir.path());
}

#[test]
fn a_killed_load_into_an_index_with_entries_keeps_these() {
    let dir = folder();
    let before = entries("old", (0..ENTRIES).filter(|n| n % 3 == 0));
    let load = Load::of(dir.path(), Some(before), entries("new", unsorted()), false);
    load.kill_all(dir.path());
}

/// An index that was not closed, so that its log is read before the load.
#[test]
fn a_killed_load_after_a_killed_load_keeps_what_was_there() {
    let dir = folder();
    let before = entries("old", ENTRIES / 2..ENTRIES);
    let load = Load::of(dir.path(), Some(before), entries("new", 0..ENTRIES), false);
    kill(dir.path(), Duration::from_millis(150));
    load.found(dir.path(), "killed before");
    load.kill_all(dir.path());
}
