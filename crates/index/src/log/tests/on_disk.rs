//! In a directory of the operating system.

use super::{Log, LogError, Lsn, options};

fn names(dir: &std::path::Path) -> Vec<String> {
    let names =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

fn open(dir: &std::path::Path, from: Lsn) -> (Log, u64) {
    let mut log = Log::open(dir, from, options(64 << 10)).unwrap();
    let replayed = log.replay(|_, _| Ok::<_, LogError>(())).unwrap();
    (log, replayed.records)
}

#[test]
fn files_that_are_released_are_written_again() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().join("index").join("log");
    let (log, _) = open(&dir, Lsn(0));
    let mut most = 0;
    for round in 0..20u8 {
        for _ in 0..20 {
            log.append(&[&[round; 10_000]]).unwrap();
        }
        let end = log.flush().unwrap();
        log.release_before(end).unwrap();
        most = most.max(names(&dir).len());
    }
    let from = log.end();
    // Three files between two checkpoints, and the one that is written to.
    assert!(most <= 6, "{most} files");
    log.append(&[b"last"]).unwrap();
    drop(log);
    let (log, records) = open(&dir, from);
    assert_eq!(records, 1);
    // A huge record goes on in as many files as it takes.
    log.commit(log.append(&[&vec![3; 1 << 20]]).unwrap()).unwrap();
    drop(log);
    assert_eq!(open(&dir, from).1, 2);
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = Log::open(&file.join("log"), Lsn(0), options(64 << 10)).unwrap_err().to_string();
    assert!(error.contains("file/log: making the directory failed: "), "{error}");
}
