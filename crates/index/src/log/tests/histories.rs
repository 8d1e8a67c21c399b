//! Random histories with kills and power cuts: what was acknowledged is there, in order, and nothing else but
//! the next records that were appended.

use proptest::prelude::*;

use super::memory_folder::{Cut, MemoryFolder};
use super::{Lsn, Records, open, options};

#[derive(Debug, Clone)]
enum Step {
    /// Bytes of the payload.
    Append(usize),
    Commit,
    /// Takes a checkpoint and releases everything before it.
    Checkpoint,
    Crash(Cut),
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
        2 => cut().prop_map(Step::Crash),
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

fn run(steps: &[Step], file_bytes: u64) {
    let mut folder = MemoryFolder::new();
    let (mut log, _) = open(folder.clone(), Lsn(0), options(file_bytes)).unwrap();
    let (mut records, mut acknowledged, mut from) = (Records::new(), Lsn(0), Lsn(0));
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Append(bytes) => {
                let payload = payload(number as u64, *bytes);
                let (one, other) = payload.split_at(bytes / 2);
                records.push((log.append(&[one, other]).unwrap(), payload.clone()));
            }
            Step::Commit => {
                if let Some((last, _)) = records.last() {
                    log.commit(*last).unwrap();
                    acknowledged = *last;
                }
            }
            Step::Checkpoint => {
                from = log.flush().unwrap();
                acknowledged = from;
                log.release_before(from).unwrap();
                records.clear();
            }
            Step::Crash(cut) => {
                folder = folder.cut(*cut);
                drop(log);
                let found;
                (log, found) = open(folder.clone(), from, options(file_bytes)).unwrap();
                let end = found.last().map_or(from, |(end, _)| *end);
                assert!(end >= acknowledged, "{end:?} is before {acknowledged:?}");
                assert!(records.starts_with(&found), "records that were not appended");
                records = found;
                // What a replay showed may not be gone after the next one.
                acknowledged = end;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_that_was_acknowledged_is_lost_and_nothing_else_comes_back(
        steps in proptest::collection::vec(step(), 1..80),
        blocks in 2u64..12,
    ) {
        run(&steps, blocks * 4096);
    }
}
