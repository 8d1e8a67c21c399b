//! Logs are written, cut, damaged, and read.

use super::*;
use crate::updates::id::Id;

fn commits() -> Vec<Commit> {
    let commit = |version: u64| Commit {
        version,
        totals: Totals { vertices: 9, entries: version, self_loops: 1 },
        owners: vec![
            (Owner::Base(version), None),
            (Owner::New(3, Id::Number(77)), Some(4)),
            (Owner::New(3, Id::Text("änne".into())), Some(5)),
        ],
        rows: vec![
            Row::new(Row::key(1, 2), Change::Remove),
            Row::new(Row::key(1, 2), Change::Add(-0.0)),
            Row::new(Row::key(8, version as u32), Change::Add(1e300)),
        ],
    };
    (1..4).map(commit).collect()
}

fn read(path: &Path) -> Result<Vec<Commit>, GraphError> {
    let mut found = Vec::new();
    replay(&File::open(path).unwrap(), path, 5, |commit| {
        found.push(commit);
        Ok(())
    })?;
    Ok(found)
}

#[test]
fn of_a_log_cut_anywhere_what_was_whole_is_read_and_the_rest_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let mut log = Log::create(&path, 5).unwrap();
    let mut ends = vec![log.end];
    for commit in commits() {
        log.append(&commit, true).unwrap();
        ends.push(log.end);
    }
    log.trim();
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(read(&path).unwrap(), commits());
    for length in HEAD..=whole.len() {
        let kept = ends.iter().filter(|end| **end <= length as u64).count() - 1;
        // What was not written yet may be missing, or be zeros, and more may be reserved.
        for zeros in [0, 1, 50, 9000] {
            let mut cut = whole[..length].to_vec();
            cut.resize(length + zeros, 0);
            std::fs::write(&path, &cut).unwrap();
            assert_eq!(read(&path).unwrap(), commits()[..kept], "{length} bytes and {zeros} zeros");
        }
        // Or the first bytes of a record are missing, and the rest is there.
        let mut begun = whole[..*ends.get(kept + 1).unwrap_or(&ends[kept]) as usize].to_vec();
        begun[ends[kept] as usize..length].fill(0);
        if length > ends[kept] as usize {
            std::fs::write(&path, &begun).unwrap();
            assert_eq!(read(&path).unwrap(), commits()[..kept], "zeros from {kept} to {length}");
        }
        let mut log = Log::open(&path, 5, |_| Ok(())).unwrap();
        log.append(&commits()[0], true).unwrap();
        assert_eq!(read(&path).unwrap().last(), Some(&commits()[0]));
    }
}

#[test]
fn a_byte_that_changed_in_a_commit_that_others_follow_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let mut log = Log::create(&path, 5).unwrap();
    let mut ends = Vec::new();
    for commit in commits() {
        log.append(&commit, true).unwrap();
        ends.push(log.end as usize);
    }
    let whole = std::fs::read(&path).unwrap();
    for at in 0..ends[1] {
        let mut changed = whole.clone();
        changed[at] ^= 4;
        std::fs::write(&path, &changed).unwrap();
        let error = read(&path).unwrap_err();
        assert!(matches!(error, GraphError::Damaged { .. }), "byte {at}: {error}");
    }
}

#[test]
fn readers_meanwhile_see_whole_commits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let mut log = Log::create(&path, 5).unwrap();
    let rows: Vec<Row> = (0..500).map(|key| Row::new(key, Change::Add(0.0))).collect();
    let all: Vec<Commit> =
        (1..200).map(|version| Commit { version, rows: rows.clone(), ..Commit::default() }).collect();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| all.iter().try_for_each(|commit| log.append(commit, false)));
        let mut seen = 0;
        while seen < all.len() {
            let is_done = writer.is_finished();
            let found = read(&path).unwrap();
            assert!(found.len() >= seen && found == all[..found.len()]);
            seen = found.len();
            assert!(!is_done || seen == all.len());
        }
        writer.join().unwrap().unwrap();
    });
}

#[test]
fn what_is_reserved_is_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let mut log = Log::create(&path, 5).unwrap();
    let length = || std::fs::metadata(&path).unwrap().len();
    for commit in commits() {
        log.append(&commit, true).unwrap();
        assert_eq!(length(), log.end + log.reserved_bytes());
    }
    assert!(log.reserved_bytes() > 0, "a third commit finds its place");
    log.trim();
    assert_eq!((length(), log.reserved_bytes()), (log.end, 0));
    log.append(&commits()[0], true).unwrap();
    assert_eq!(read(&path).unwrap().len(), 4);
}

#[test]
fn without_weights_none_are_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let mut log = Log::create(&path, 5).unwrap();
    let rows = vec![Row::new(7, Change::Add(0.0)), Row::new(9, Change::Remove)];
    let commit = Commit { version: 1, rows, ..Commit::default() };
    log.append(&commit, false).unwrap();
    assert_eq!(log.end, (2 * HEAD + 48 + 2 * 9) as u64);
    assert_eq!(read(&path).unwrap(), [commit]);
}
