//! `cargo xtask same OLD NEW`: whether two builds of `leadline` print the same and leave the same files.
//!
//! Each section of `same/commands.txt` runs twice with OLD and once with NEW, in an empty folder of the same
//! name. What differs between runs of one program (dates, times, the host) is left out; the rest must be
//! equal. Sections marked `real time` run three times with each, since two runs may agree by chance, and
//! numbers before a unit of time or speed are left out too.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::run::{Usage, say};

const COMMANDS: &str = include_str!("same/commands.txt");

/// Words shown on either side of the first difference.
const SHOWN: usize = 6;

/// What a section's name ends with if its commands measure real time.
const REAL_TIME: &str = ", real time";

/// The first words after what is measured: units of time and speed, requests "in flight", memory "at most".
const UNITS: [&[u8]; 10] = [b"s", b"ms", b"us", b"KB", b"MB", b"GB", b"edges", b"million", b"in", b"at"];

/// Commands that share a folder.
struct Section {
    name: &'static str,
    is_real_time: bool,
    commands: Vec<&'static str>,
}

/// What a section printed and left: the command or the file, and its bytes.
type Left = BTreeMap<String, Vec<u8>>;

/// What came of comparing.
#[derive(Debug, Default)]
struct Counts {
    equal: usize,
    /// Words that differ between runs of one program.
    left_out: usize,
    /// Things that differ between runs of one program by more than single words.
    unsteady: Vec<String>,
    different: Vec<String>,
}

pub(crate) fn same(words: &[OsString]) -> anyhow::Result<()> {
    let (old, new, only) = match words {
        [old, new] => (old, new, None),
        [old, new, section] => (old, new, Some(section)),
        _ => return Err(Usage::error("say `cargo xtask same OLD NEW [SECTION]`: two programs `leadline`")),
    };
    let sections = sections(COMMANDS);
    let wanted: Vec<&Section> = sections.iter().filter(|s| only.is_none_or(|o| o == s.name)).collect();
    if wanted.is_empty() {
        let names: Vec<&str> = sections.iter().map(|section| section.name).collect();
        return Err(Usage::error(format!("no such section: say one of {}", names.join(", "))));
    }
    let scratch = tempfile::tempdir().context("no folder for temporary files")?;
    let mut counts = Counts::default();
    for section in wanted {
        let run = |program: &OsString| left_by(section, Path::new(program), scratch.path());
        let (olds, news) = if section.is_real_time { (3, 3) } else { (2, 1) };
        let runs = |program, times| (0..times).map(|_| run(program)).collect::<anyhow::Result<Vec<Left>>>();
        counts.compare(&runs(old, olds)?, &runs(new, news)?, section.is_real_time);
        say(&format!("{}: {} commands", section.name, section.commands.len()));
    }
    counts.tell()
}

/// The sections of a list of commands.
fn sections(text: &'static str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match (line.strip_prefix('[').and_then(|line| line.strip_suffix(']')), sections.last_mut()) {
            (Some(name), _) => sections.push(Section {
                name: name.trim_end_matches(REAL_TIME),
                is_real_time: name.ends_with(REAL_TIME),
                commands: Vec::new(),
            }),
            (None, Some(section)) => section.commands.push(line),
            (None, None) => panic!("the list begins with a section"),
        }
    }
    sections
}

/// Runs a section with `program` as `leadline` in an empty folder.
fn left_by(section: &Section, program: &Path, scratch: &Path) -> anyhow::Result<Left> {
    let program = fs::canonicalize(program).with_context(|| format!("no program {}", program.display()))?;
    let (bin, work) = (scratch.join("bin"), scratch.join("work"));
    for folder in [&bin, &work] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir(folder)?;
    }
    std::os::unix::fs::symlink(&program, bin.join("leadline"))?;
    let mut path = bin.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut left = Left::new();
    for (i, line) in section.commands.iter().enumerate() {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(&work).env("PATH", &path).env("HOME", &work);
        let output = command.stdin(Stdio::null()).output()?;
        let name = format!("{} {i:02} {line:.80}", section.name);
        left.insert(format!("{name}: exit code"), format!("{:?}", output.status.code()).into_bytes());
        left.insert(format!("{name}: stdout"), output.stdout);
        left.insert(format!("{name}: stderr"), output.stderr);
    }
    let mut folders = vec![work.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path: PathBuf = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&work)?.display().to_string();
                left.insert(format!("{} file {name}", section.name), fs::read(&path)?);
            }
        }
    }
    Ok(left)
}

impl Counts {
    fn compare(&mut self, old: &[Left], new: &[Left], is_real_time: bool) {
        for name in old[0].keys() {
            let of =
                |runs: &[Left]| runs.iter().map(|left| left.get(name).cloned()).collect::<Option<Vec<_>>>();
            match (of(old), of(new)) {
                (None, _) => self.unsteady.push(name.clone()),
                (_, None) => self.different.push(format!("{name}: not there any more")),
                (Some(old), Some(new)) => self.compare_one(name, &old, &new, is_real_time),
            }
        }
        let added = new[0].keys().filter(|name| !old[0].contains_key(*name));
        self.different.extend(added.map(|name| format!("{name}: was not there before")));
    }

    fn compare_one(&mut self, name: &str, old: &[Vec<u8>], new: &[Vec<u8>], is_real_time: bool) {
        let old: Vec<_> = old.iter().map(|bytes| words_of(bytes)).collect();
        let new: Vec<_> = new.iter().map(|bytes| words_of(bytes)).collect();
        let lengths_agree = |runs: &[Vec<&[u8]>]| runs.iter().all(|words| words.len() == runs[0].len());
        if !lengths_agree(&old) || old[0].len() == new[0].len() && !lengths_agree(&new) {
            return self.unsteady.push(name.to_owned());
        }
        let shorter = old[0].len().min(new[0].len());
        let agree = |runs: &[Vec<&[u8]>], i: usize| runs.iter().all(|words| words.get(i) == runs[0].get(i));
        let is_noise: Vec<bool> = (0..shorter)
            .map(|i| !agree(&old, i) || !agree(&new, i) || is_real_time && is_a_time(&old[0][i..]))
            .collect();
        let first = (0..shorter).find(|i| !is_noise[*i] && old[0][*i] != new[0][*i]);
        match first.or((old[0].len() != new[0].len()).then_some(shorter)) {
            None => {
                self.equal += 1;
                self.left_out += is_noise.iter().filter(|is_noise| **is_noise).count();
            }
            Some(i) => {
                let around = |words: &[&[u8]]| {
                    let range = i.saturating_sub(SHOWN)..(i + SHOWN).min(words.len());
                    String::from_utf8_lossy(&words[range].concat()).into_owned()
                };
                let (old, new) = (around(&old[0]), around(&new[0]));
                self.different.push(format!("{name}\n  old: {old:?}\n  new: {new:?}"));
            }
        }
    }

    fn tell(&self) -> anyhow::Result<()> {
        for name in &self.unsteady {
            say(&format!("not compared, a program's own runs differ: {name}"));
        }
        for difference in &self.different {
            say(&format!("DIFFERENT {difference}"));
        }
        say(&format!(
            "{} things equal ({} words left out), {} not compared, {} different",
            self.equal,
            self.left_out,
            self.unsteady.len(),
            self.different.len()
        ));
        match self.different.len() {
            0 => Ok(()),
            n => bail!("{n} differences"),
        }
    }
}

/// Whether the first of these words is a number with a unit of time or speed.
fn is_a_time(words: &[&[u8]]) -> bool {
    matches!(words, [number, b" ", unit, ..] if number[0].is_ascii_digit() && UNITS.contains(unit))
}

/// Words and what separates them, so that a date in a line of JSON leaves the rest of the line comparable.
fn words_of(bytes: &[u8]) -> Vec<&[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | 128..);
    bytes.chunk_by(|a, b| is_word(a) && is_word(b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(old: &str, again: &str, new: &str) -> Counts {
        let left = |text: &str| Left::from([("x".to_owned(), text.as_bytes().to_vec())]);
        let mut counts = Counts::default();
        counts.compare(&[left(old), left(again)], &[left(new)], true);
        counts
    }

    #[test]
    fn what_changes_by_itself_is_left_out_and_nothing_else() {
        let same = compared("took 5 s: a=1", "took 6 s: a=1", "took 7 s: a=1");
        assert_eq!((same.equal, same.left_out, same.different.len()), (1, 1, 0));
        let other = compared("took 5 s: a=1", "took 6 s: a=1", "took 7 s: a=2");
        assert_eq!((other.equal, other.different.len()), (0, 1));
        assert!(other.different[0].contains("a=2"), "{:?}", other.different);
        assert_eq!(compared("took 5 s", "took 5 s", "took 6 s").different.len(), 0);
        assert_eq!(compared("took 5 of", "took 5 of", "took 6 of").different.len(), 1);
        assert_eq!(compared("a", "a", "a b").different.len(), 1);
        assert_eq!(compared("a", "a b", "a").unsteady, ["x"]);
    }

    #[test]
    fn what_appears_or_is_missing_is_different() {
        let one = Left::from([("x".to_owned(), Vec::new())]);
        let mut counts = Counts::default();
        counts.compare(std::slice::from_ref(&one), &[Left::new()], false);
        counts.compare(&[Left::new()], &[one], false);
        assert_eq!(counts.different, ["x: not there any more", "x: was not there before"]);
    }
}
