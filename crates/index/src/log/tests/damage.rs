//! Files that were changed at any byte.

use super::memory_folder::MemoryFolder;
use super::{LogError, Lsn, Records, open, options};

const FILE: &str = "00000000000000000001.log";
const BLOCK: u64 = 4096;

/// Thirty records. The first twenty are durable and known to be by those behind; the last five were written
/// with one sync, so none of them knows of another.
fn log() -> (MemoryFolder, Records) {
    let folder = MemoryFolder::new();
    let (log, _) = open(folder.clone(), Lsn(0), options(1 << 20)).unwrap();
    let mut records = Records::new();
    for i in 0..30u8 {
        let payload = vec![i; usize::from(i) * 3];
        records.push((log.append(&[&payload]).unwrap(), payload));
        if i < 25 {
            log.commit(log.end()).unwrap();
        }
    }
    log.flush().unwrap();
    drop(log);
    (folder, records)
}

/// What must be found where the record `damaged` is not whole.
fn check(folder: MemoryFolder, records: &Records, damaged: usize, whole_behind: bool) {
    let start = damaged.checked_sub(1).map_or(Lsn(0), |before| records[before].0);
    let result = open(folder, Lsn(0), options(1 << 20));
    // Record 25 was the first to be appended after 24 was durable.
    if damaged < 25 && whole_behind {
        match result {
            Err(LogError::Damaged { path, byte, lost }) => {
                assert!(path.ends_with(FILE));
                assert_eq!(byte, BLOCK + start.0);
                assert!(lost > 0);
            }
            other => panic!("record {damaged}: {other:?}"),
        }
    } else {
        assert_eq!(result.unwrap().1, records[..damaged], "record {damaged}");
    }
}

fn record_at(records: &Records, byte: u64) -> usize {
    records.iter().position(|(end, _)| byte < BLOCK + end.0).unwrap()
}

#[test]
fn a_flipped_bit_is_an_error_where_durable_records_follow_and_an_end_elsewhere() {
    let (folder, records) = log();
    let end = BLOCK + records[29].0.0;
    for byte in BLOCK..end {
        let copy = folder.copy();
        copy.damage(FILE, |bytes| bytes[byte as usize] ^= 0x10);
        check(copy, &records, record_at(&records, byte), true);
    }
}

#[test]
fn a_log_that_ends_at_any_byte_has_the_records_before() {
    let (folder, records) = log();
    let end = BLOCK + records[29].0.0;
    for byte in BLOCK..end {
        let copy = folder.copy();
        copy.damage(FILE, |bytes| bytes.truncate(byte as usize));
        check(copy, &records, record_at(&records, byte), false);
        let copy = folder.copy();
        copy.damage(FILE, |bytes| bytes[byte as usize..].fill(0));
        // Zeros may be what was there.
        let first = record_at(&records, byte);
        let found = open(copy, Lsn(0), options(1 << 20)).unwrap().1;
        assert!(found.len() == first || found == records[..found.len()] && found.len() == first + 1);
    }
}

#[test]
fn a_log_that_ends_before_the_checkpoint_has_lost_what_was_acknowledged() {
    let (folder, records) = log();
    let from = records[27].0;
    for last in [20, 26] {
        let end = records[last].0;
        let copy = folder.copy();
        copy.damage(FILE, |bytes| bytes[(BLOCK + end.0) as usize..].fill(0));
        match open(copy, from, options(1 << 20)) {
            Err(LogError::Lost { end: found, from: checkpoint, .. }) => {
                assert_eq!((found, checkpoint), (end, from));
            }
            other => panic!("{other:?}"),
        }
    }
    let lost = open(MemoryFolder::new(), from, options(1 << 20)).unwrap_err().to_string();
    let bytes = from.0;
    assert!(lost.contains(&format!("{bytes} bytes that were acknowledged are lost")), "{lost}");
    assert_eq!(open(folder, from, options(1 << 20)).unwrap().1, records[28..]);
}

#[test]
fn the_first_block_of_a_file_says_what_is_wrong_with_it() {
    let (folder, _) = log();
    let message = |change: &dyn Fn(&mut Vec<u8>)| {
        let copy = folder.copy();
        copy.damage(FILE, change);
        open(copy, Lsn(0), options(1 << 20)).unwrap_err().to_string()
    };
    assert!(
        message(&|bytes| bytes[3] = 0).starts_with("log/00000000000000000001.log: this is not a file of the")
    );
    assert!(message(&|bytes| bytes[20] ^= 1).contains("its first block is damaged"));
    assert!(message(&|bytes| bytes.truncate(4095)).contains("too short"));
}

#[test]
fn a_file_that_is_gone_is_named() {
    let folder = MemoryFolder::new();
    let (log, _) = open(folder.clone(), Lsn(0), options(8192)).unwrap();
    for _ in 0..4 {
        log.append(&[&[7; 4000]]).unwrap();
    }
    let end = log.flush().unwrap();
    drop(log);
    use super::Folder as _;
    let without = |name: &str| {
        let copy = folder.copy();
        copy.remove(name).unwrap();
        open(copy, Lsn(0), options(8192)).unwrap_err().to_string()
    };
    assert!(
        without("00000000000000000002.log").contains("00000000000000000002.log: this file of the log is")
    );
    assert!(without(FILE).contains("the log begins at 4096 but the last checkpoint is at 0"));
    // Where the last file is gone, only a checkpoint knows.
    let copy = folder.copy();
    let last = copy.all_names().pop().unwrap();
    copy.remove(&last).unwrap();
    assert!(matches!(open(copy, end, options(8192)), Err(LogError::Lost { .. })));
}

#[test]
fn a_position_within_a_record_is_one_at_which_the_log_does_not_end() {
    let (folder, records) = log();
    let within = Lsn(records[12].0.0 - 1);
    match open(folder, within, options(1 << 20)) {
        Err(error @ LogError::Lost { .. }) => {
            let said = error.to_string();
            assert!(said.contains(&format!("ends at {}", records[11].0.0)), "{said}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_that_begins_at_a_position_that_no_log_reaches_is_refused() {
    let (folder, _) = log();
    folder.damage(FILE, |bytes| {
        bytes[16..24].copy_from_slice(&(u64::MAX - 5000).to_le_bytes());
        let sum = crc32fast::hash(&bytes[..32]);
        bytes[32..36].copy_from_slice(&sum.to_le_bytes());
    });
    let refused = open(folder, Lsn(u64::MAX - 4000), options(1 << 20));
    assert!(matches!(refused, Err(LogError::Header { .. })), "{refused:?}");
}
