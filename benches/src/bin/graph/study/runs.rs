//! The runs of a study: one line each in a file, written as soon as the run is over, so that a study that was
//! interrupted goes on where it stopped.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

/// What is run: an algorithm on a graph on a device, with so much cache and so many reads in flight.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cell {
    /// As `leadline emulate` calls it.
    pub device: String,
    /// By its name.
    pub graph: String,
    /// As `leadline graph` calls it.
    pub algorithm: String,
    /// Blocks that the cache holds, percent of the graph's.
    pub cache: u32,
    /// Reads in flight, at most.
    pub depth: u32,
}

/// What one run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What was run.
    pub cell: Cell,
    /// From 1.
    pub round: usize,
    /// Of the algorithm.
    pub seconds: f64,
    /// Reads in flight on average.
    pub mean_depth: f64,
    /// By the algorithm.
    pub bytes_read: u64,
    /// Reads of the algorithm.
    pub requests: u64,
    /// The cap.
    pub memory_bytes: u64,
    /// Of the emulated drive during the run.
    pub answers: u64,
    /// Those of the answers that came later than the device's.
    pub late: u64,
}

const COLUMNS: &str = "device,graph,algorithm,cache_percent,depth,round,seconds,mean_depth,\
                       bytes_read,requests,memory_bytes,answers,late";

impl Run {
    fn line(&self) -> String {
        let Cell { device, graph, algorithm, cache, depth } = &self.cell;
        let Run { round, seconds, mean_depth, bytes_read, requests, .. } = self;
        let Run { memory_bytes, answers, late, .. } = self;
        format!(
            "{device},{graph},{algorithm},{cache},{depth},{round},{seconds:.6},\
             {mean_depth:.3},{bytes_read},{requests},{memory_bytes},{answers},{late}\n"
        )
    }

    fn parse(line: &str) -> Result<Run> {
        let words: Vec<&str> = line.split(',').collect();
        ensure!(words.len() == COLUMNS.split(',').count(), "expected {COLUMNS}");
        let [device, graph, algorithm] = [0, 1, 2].map(|i| words[i].to_owned());
        let whole = |i: usize| words[i].parse::<u64>().with_context(|| format!("not a number: {}", words[i]));
        let real = |i: usize| words[i].parse::<f64>().with_context(|| format!("not a number: {}", words[i]));
        Ok(Run {
            cell: Cell { device, graph, algorithm, cache: whole(3)? as u32, depth: whole(4)? as u32 },
            round: whole(5)? as usize,
            seconds: real(6)?,
            mean_depth: real(7)?,
            bytes_read: whole(8)?,
            requests: whole(9)?,
            memory_bytes: whole(10)?,
            answers: whole(11)?,
            late: whole(12)?,
        })
    }
}

/// The file, and what is in it.
pub struct Journal {
    file: File,
    runs: Vec<Run>,
    done: HashSet<(Cell, usize)>,
}

impl Journal {
    /// Opens or makes it. A last line without an end is what an interrupted write left, and goes.
    ///
    /// # Errors
    /// Where the file cannot be written, or is of another kind.
    pub fn open(path: &Path) -> Result<Journal> {
        let name = || path.display().to_string();
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            text => text.with_context(name)?,
        };
        let head = format!("{COLUMNS}\n");
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        ensure!(whole.starts_with(&head) || head.starts_with(&text), "{}: not the runs of a study", name());
        let mut file = File::options().create(true).append(true).open(path).with_context(name)?;
        file.set_len(whole.len() as u64).with_context(name)?;
        if whole.is_empty() {
            file.write_all(head.as_bytes()).with_context(name)?;
        }
        let mut journal = Journal { file, runs: Vec::new(), done: HashSet::new() };
        for (i, line) in whole.lines().enumerate().skip(1) {
            journal.keep(Run::parse(line).with_context(|| format!("{}: line {}", name(), i + 1))?);
        }
        Ok(journal)
    }

    /// Adds a run, in the file too.
    pub fn add(&mut self, run: Run) -> Result<()> {
        self.file.write_all(run.line().as_bytes()).context("the file of the runs")?;
        self.keep(run);
        Ok(())
    }

    fn keep(&mut self, run: Run) {
        // Of two runs of one cell in a round, as two studies at a time would leave, the first counts.
        if self.done.insert((run.cell.clone(), run.round)) {
            self.runs.push(run);
        }
    }

    /// Whether a cell was run in a round.
    pub fn has(&self, cell: &Cell, round: usize) -> bool {
        self.done.contains(&(cell.clone(), round))
    }

    /// All runs, in order.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A run of a device `d`, graph `g` and algorithm `bfs`.
    pub fn run(cache: u32, depth: u32, round: usize, seconds: f64) -> Run {
        let [device, graph, algorithm] = ["d", "g", "bfs"].map(str::to_owned);
        Run {
            cell: Cell { device, graph, algorithm, cache, depth },
            round,
            seconds,
            mean_depth: f64::from(depth) / 2.0,
            bytes_read: 8192,
            requests: 2,
            memory_bytes: 1 << 20,
            answers: 10,
            late: 1,
        }
    }

    #[test]
    fn a_study_goes_on_where_it_was_cut_off_in_the_middle_of_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        let (first, second) = (run(5, 1, 1, 2.0), run(5, 64, 1, 0.5));
        let mut journal = Journal::open(&path).unwrap();
        journal.add(first.clone()).unwrap();
        let mut text = std::fs::read_to_string(&path).unwrap();
        text += &second.line()[..20];
        std::fs::write(&path, text).unwrap();

        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.runs(), std::slice::from_ref(&first));
        assert!(journal.has(&first.cell, 1));
        assert!(!journal.has(&first.cell, 2) && !journal.has(&second.cell, 1));
        journal.add(second.clone()).unwrap();
        assert_eq!(Journal::open(&path).unwrap().runs(), [first, second]);
    }

    #[test]
    fn a_file_that_was_cut_off_in_its_head_begins_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        std::fs::write(&path, "device,gra").unwrap();
        Journal::open(&path).unwrap().add(run(1, 1, 1, 1.0)).unwrap();
        assert_eq!(Journal::open(&path).unwrap().runs().len(), 1);
    }

    #[test]
    fn a_file_of_another_kind_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        for notes in ["my notes", "my notes\nof today\n"] {
            std::fs::write(&path, notes).unwrap();
            assert!(Journal::open(&path).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), notes);
        }
    }

    #[test]
    fn a_line_that_is_no_run_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        Journal::open(&path).unwrap().add(run(1, 1, 1, 1.0)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap() + "d,g,bfs,x\n";
        std::fs::write(&path, text).unwrap();
        let error = format!("{:#}", Journal::open(&path).err().unwrap());
        assert!(error.contains("line 3"), "{error}");
    }
}
