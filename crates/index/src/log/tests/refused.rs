//! Syncs that fail, full disks.

use super::memory_folder::{Cut, MemoryFolder};
use super::{LogError, Lsn, open, options};

#[test]
fn after_a_sync_that_failed_nothing_is_acknowledged() {
    let folder = MemoryFolder::new();
    let (log, _) = open(folder.clone(), Lsn(0), options(1 << 20)).unwrap();
    let first = log.append(&[b"first"]).unwrap();
    log.commit(first).unwrap();
    folder.fail_syncs(true);
    let second = log.append(&[b"second"]).unwrap();
    let error = log.commit(second).unwrap_err().to_string();
    assert!(error.starts_with("log/00000000000000000001.log: syncing failed: "), "{error}");
    // The kernel says that a second sync worked: it has forgotten what it could not write.
    folder.fail_syncs(false);
    let error = log.commit(second).unwrap_err().to_string();
    assert!(error.starts_with("the log stopped at an earlier error (log/0000"), "{error}");
    assert!(matches!(log.append(&[b"third"]), Err(LogError::Stopped { .. })));
    assert!(matches!(log.flush(), Err(LogError::Stopped { .. })));
    // What was durable before is.
    log.commit(first).unwrap();
    drop(log);
    let (_, found) = open(folder.cut(Cut::Nothing), Lsn(0), options(1 << 20)).unwrap();
    assert_eq!(found, [(first, b"first".to_vec())]);
}

#[test]
fn a_full_disk_refuses_records_and_keeps_those_that_it_has() {
    let folder = MemoryFolder::new();
    folder.set_capacity(Some(200_000));
    let (log, _) = open(folder.clone(), Lsn(0), options(64 << 10)).unwrap();
    let mut kept = Vec::new();
    let error = loop {
        let payload = vec![kept.len() as u8; 3000];
        let lsn = log.append(&[&payload]).unwrap();
        match log.commit(lsn) {
            Ok(()) => kept.push((lsn, payload)),
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("log: writing failed: "), "{error}");
    assert!(kept.len() > 50);
    drop(log);
    let (log, found) = open(folder.cut(Cut::Kill), Lsn(0), options(64 << 10)).unwrap();
    assert!(found.starts_with(&kept) && found.len() <= kept.len() + 1);
    drop(log);
    let folder = folder.cut(Cut::Nothing);
    folder.set_capacity(None);
    let (log, found) = open(folder, Lsn(0), options(64 << 10)).unwrap();
    assert!(found.starts_with(&kept));
    log.commit(log.append(&[b"room"]).unwrap()).unwrap();
}

/// Records that found no room are written with those that follow once there is some, over the end of a file
/// too, and none is there twice.
#[test]
fn a_log_on_a_full_disk_goes_on_once_there_is_room() {
    for room in [60_000, 100_000, 130_000, 131_072, 140_000, 200_000] {
        let folder = MemoryFolder::new();
        folder.set_capacity(Some(room));
        let (log, _) = open(folder.clone(), Lsn(0), options(64 << 10)).unwrap();
        let mut appended = Vec::new();
        let mut refused = 0;
        for number in 0..120 {
            let payload = vec![number as u8; 3000];
            let lsn = log.append(&[&payload]).unwrap();
            appended.push((lsn, payload));
            if let Err(error) = log.commit(lsn) {
                assert!(error.is_full(), "{error}");
                assert!(log.check_room().is_err_and(|error| error.is_full()));
                refused += 1;
                folder.set_capacity((refused < 5).then_some(room + 1));
            } else {
                log.check_room().unwrap();
            }
        }
        assert_eq!(refused, 5);
        log.flush().unwrap();
        drop(log);
        let (_, found) = open(folder.cut(Cut::Nothing), Lsn(0), options(64 << 10)).unwrap();
        assert_eq!(found, appended, "{room} bytes");
    }
}
