//! Random histories with kills and power cuts: what was acknowledged is there, in order, and nothing else but
//! the next records that were appended.

use proptest::prelude::*;

use super::memory_folder::{Cut, MemoryFolder};
use super::{Log, LogError, LogOptions, Lsn, Records, open, options};

#[derive(Debug, Clone)]
enum Step {
    /// Bytes of the payload.
    Append(usize),
    Commit,
    /// Takes a checkpoint and releases everything before it.
    Checkpoint,
    Crash(Cut),
    /// A crash in the middle of what follows, after that many changes of the directory.
    CrashAfter(u64, Cut),
}

fn cut() -> impl Strategy<Value = Cut> {
    prop_oneof![
        Just(Cut::Kill),
        Just(Cut::Nothing),
        Just(Cut::All),
        any::<u64>().prop_map(Cut::Any),
        any::<u64>().prop_map(Cut::Any),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0usize..200).prop_map(Step::Append),
        2 => (200usize..20_000).prop_map(Step::Append),
        // A block, and what is left of one behind a header.
        1 => prop_oneof![Just(4096usize), Just(4072), Just(4073), Just(8168)].prop_map(Step::Append),
        4 => Just(Step::Commit),
        1 => Just(Step::Checkpoint),
        1 => cut().prop_map(Step::Crash),
        1 => (0u64..12, cut()).prop_map(|(changes, cut)| Step::CrashAfter(changes, cut)),
    ]
}

/// Few different bytes, so that records of different histories look alike.
fn payload(number: u64, bytes: usize) -> Vec<u8> {
    let mut payload = vec![number as u8 % 3; bytes];
    let word = number.to_le_bytes();
    let count = bytes.min(8);
    payload[..count].copy_from_slice(&word[..count]);
    payload
}

/// A log, and what should be in it.
struct History {
    folder: MemoryFolder,
    file_bytes: u64,
    log: Log,
    /// From the last checkpoint on.
    records: Records,
    acknowledged: Lsn,
    from: Lsn,
    /// How a crash in the middle of something ends.
    cut: Cut,
}

impl History {
    fn new(file_bytes: u64) -> History {
        let folder = MemoryFolder::new();
        let (log, records) = open(folder.clone(), Lsn(0), few_in_memory(file_bytes)).unwrap();
        let (acknowledged, from) = (Lsn(0), Lsn(0));
        History { folder, file_bytes, log, records, acknowledged, from, cut: Cut::Kill }
    }

    /// Fails where the process was killed.
    fn step(&mut self, number: u64, step: &Step) -> Result<(), LogError> {
        match step {
            Step::Append(bytes) => {
                let payload = payload(number, *bytes);
                let end = Lsn(self.log.end().0 + 24 + *bytes as u64);
                self.records.push((end, payload.clone()));
                let (one, other) = payload.split_at(bytes / 2);
                assert_eq!(self.log.append(&[one, other])?, end);
            }
            Step::Commit => {
                let end = self.log.end();
                self.log.commit(end)?;
                self.acknowledged = end;
            }
            Step::Checkpoint => {
                self.from = self.log.flush()?;
                self.acknowledged = self.from;
                self.records.clear();
                self.log.release_before(self.from)?;
            }
            Step::Crash(cut) => self.crash(*cut),
            Step::CrashAfter(changes, cut) => {
                self.cut = *cut;
                self.folder.kill_after(*changes);
            }
        }
        Ok(())
    }

    fn crash(&mut self, cut: Cut) {
        self.folder = self.folder.cut(cut);
        let (log, found) = open(self.folder.clone(), self.from, few_in_memory(self.file_bytes)).unwrap();
        self.log = log;
        let end = found.last().map_or(self.from, |(end, _)| *end);
        assert!(end >= self.acknowledged, "{end:?} is before {:?}", self.acknowledged);
        assert!(self.records.starts_with(&found), "records that were not appended");
        self.records = found;
        // What a replay showed may not be gone after the next one.
        self.acknowledged = end;
    }
}

/// So that much is written that is not synced.
fn few_in_memory(file_bytes: u64) -> LogOptions {
    LogOptions { buffer_bytes: 1000, ..options(file_bytes) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_that_was_acknowledged_is_lost_and_nothing_else_comes_back(
        steps in proptest::collection::vec(step(), 1..80),
        blocks in 2u64..12,
    ) {
        let mut history = History::new(blocks * 4096);
        for (number, step) in steps.iter().enumerate() {
            if history.step(number as u64, step).is_err() {
                history.crash(history.cut);
            }
        }
        history.crash(Cut::Nothing);
    }
}
