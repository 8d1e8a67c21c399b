//! Bytes of an earlier use of a file.

use super::memory_folder::{Cut, MemoryFolder};
use super::{Lsn, open, options};

/// With its header a record fills a block, so that records of both uses begin at the same places.
const PAYLOAD: usize = 4096 - 24;

fn payload(byte: u8) -> [u8; PAYLOAD] {
    [byte; PAYLOAD]
}

#[test]
fn a_record_of_an_earlier_use_of_the_file_is_not_one_of_the_log() {
    let folder = MemoryFolder::new();
    // Three records a file.
    let (log, _) = open(folder.clone(), Lsn(0), options(4 * 4096)).unwrap();
    for i in 0..7 {
        log.append(&[&payload(i)]).unwrap();
    }
    let from = log.flush().unwrap();
    log.release_before(from).unwrap();
    for i in 7..10 {
        log.commit(log.append(&[&payload(i)]).unwrap()).unwrap();
    }
    let (_, found) = open(folder.cut(Cut::Kill), from, options(4 * 4096)).unwrap();
    let found: Vec<u8> = found.iter().map(|(_, payload)| payload[0]).collect();
    assert_eq!(found, [7, 8, 9]);
}

/// Two processes that crashed wrote at the same positions, and a third one gets the first one's file.
#[test]
fn a_record_at_the_same_position_by_a_process_that_crashed_is_not_one_of_the_log() {
    let folder = MemoryFolder::new();
    let (log, _) = open(folder.clone(), Lsn(0), options(1 << 20)).unwrap();
    log.append(&[b"before"]).unwrap();
    let from = log.flush().unwrap();
    drop(log);
    let lose = |name: &str| folder.damage(name, |bytes| bytes[4096..8192].fill(0));
    let (log, _) = open(folder.clone(), from, options(1 << 20)).unwrap();
    log.append(&[&payload(1)]).unwrap();
    log.append(&[&payload(2)]).unwrap();
    drop(log);
    lose("00000000000000000002.log");
    let (log, found) = open(folder.clone(), from, options(1 << 20)).unwrap();
    assert_eq!(found, []);
    log.append(&[&payload(3)]).unwrap();
    drop(log);
    lose("00000000000000000003.log");
    let (log, found) = open(folder.clone(), from, options(1 << 20)).unwrap();
    assert_eq!(found, []);
    log.release_before(from).unwrap();
    log.append(&[&payload(4)]).unwrap();
    drop(log);
    let (_, found) = open(folder, from, options(1 << 20)).unwrap();
    assert_eq!(found, [(Lsn(from.0 + 4096), payload(4).to_vec())]);
}
