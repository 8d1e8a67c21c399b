//! An index where it cannot be written: on a full disk, on one that is read-only, with files of another
//! index.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use leadline_device::{Fault, Faulty, MemoryDevice, Op};
use leadline_index::{Durability, Index, IndexError, Options};
use leadline_testing::machine::{Loop, Mounted, needs_root, run, soon};

fn small() -> Options {
    Options::default().cache_bytes(512 << 10).checkpoint_bytes(1 << 20).most_bytes(1 << 30)
}

/// A loop device of `mib` MiB with an ext4 file system.
fn disk(mib: u64) -> Option<Loop> {
    Loop::new(|image| {
        File::options().write(true).open(image).unwrap().set_len(mib << 20).unwrap();
        run("mkfs.ext4", &["-q", "-F", "-m", "0", image.to_str().unwrap()]).expect("a file system is made");
    })
}

fn one_line(error: impl std::fmt::Display) -> String {
    let line = error.to_string();
    assert!(!line.is_empty() && !line.contains('\n'), "{line}");
    line
}

/// One line that names the directory and says what to do.
fn is_full(path: &Path, error: &IndexError) -> bool {
    let said = one_line(error);
    let is_named = said.starts_with(path.to_str().unwrap()) && said.contains("make room on the disk");
    matches!(error, IndexError::Full { .. }) && is_named
}

fn entries(index: &Index) -> BTreeMap<Vec<u8>, Vec<u8>> {
    index.iter().collect::<Result<_, _>>().unwrap()
}

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// Makes a random change, alone or in a batch: on an error the keys with their new values.
fn change(
    index: &Index,
    model: &mut Model,
    random: &mut fastrand::Rng,
    batch: usize,
) -> Result<(), (Model, IndexError)> {
    let changes: Model = (0..batch)
        .map(|_| {
            let key = format!("key {:05}", random.u32(..20_000)).into_bytes();
            (key, vec![random.u8(..); random.usize(..3000)])
        })
        .collect();
    let done = match changes.first_key_value() {
        Some((key, value)) if batch == 1 => index.insert(key, value).map(drop),
        _ => index.multi_insert(changes.clone()),
    };
    match done {
        Ok(()) => {
            model.extend(changes);
            Ok(())
        }
        Err(error) => Err((changes, error)),
    }
}

/// Everything that was acknowledged is there, or something that was refused later; by every way of reading.
/// What is there.
fn check_all(index: &Index, acknowledged: &Model, refused: &[Model]) -> Model {
    let found = entries(index);
    for (key, value) in &found {
        let is_right =
            acknowledged.get(key) == Some(value) || refused.iter().any(|one| one.get(key) == Some(value));
        assert!(is_right, "{}", key.escape_ascii());
    }
    assert!(acknowledged.keys().all(|key| found.contains_key(key)));
    let keys: Vec<&Vec<u8>> = acknowledged.keys().collect();
    for (some, values) in keys.chunks(500).map(|some| (some, index.multi_get(some).unwrap())) {
        assert!(some.iter().zip(values).all(|(key, value)| value.as_ref() == found.get(*key)));
    }
    for key in keys {
        assert_eq!(index.get(key).unwrap().as_ref(), found.get(key));
    }
    assert_eq!(index.iter().rev().count(), found.len());
    found
}

/// Fills the disk, reads, makes room, goes on, and opens the index again.
fn fill_and_go_on(index: Index, batch: usize, make_room: impl FnOnce(&Index), open: impl Fn() -> Index) {
    let path = index.path().to_owned();
    let (mut acknowledged, mut random) = (Model::new(), fastrand::Rng::with_seed(1));
    let (first, error) = loop {
        if let Err(refused) = change(&index, &mut acknowledged, &mut random, batch) {
            break refused;
        }
    };
    assert!(is_full(&path, &error), "{error}");
    assert!(acknowledged.len() > 1000);
    let mut refused = vec![first];
    for _ in 0..2 {
        check_all(&index, &acknowledged, &refused);
        for _ in 0..20 {
            if let Err((more, error)) = change(&index, &mut acknowledged, &mut random, batch) {
                assert!(is_full(&path, &error), "{error}");
                refused.push(more);
            }
        }
        assert!(index.checkpoint().is_err_and(|error| is_full(&path, &error)));
    }
    make_room(&index);
    acknowledged = check_all(&index, &acknowledged, &refused);
    for _ in 0..1 + 300 / batch {
        // What a file system has freed may take a moment to be there.
        soon(|| {
            change(&index, &mut acknowledged, &mut random, batch).map_err(|(more, error)| {
                refused.push(more);
                error
            })
        });
    }
    acknowledged = check_all(&index, &acknowledged, &refused);
    drop(index);
    let index = open();
    assert_eq!(entries(&index), acknowledged);
    assert_eq!(index.verify(|_, _| {}).problems, []);
    index.insert("more", "1").unwrap();
    index.close().unwrap();
    assert_eq!(open().len(), acknowledged.len() as u64 + 1);
}

#[test]
fn a_full_disk_can_be_read_and_changes_go_on_once_there_is_room() {
    needs_root!();
    for batch in [1, 40] {
        let Some(disk) = disk(48) else { return };
        let mounted = Mounted::new("ext4", &disk.device, "rw").expect("it is mounted");
        let ballast = mounted.path().join("ballast");
        fs::write(&ballast, vec![1; 16 << 20]).unwrap();
        let path = mounted.path().join("index");
        let open = || soon(|| Index::open_with(&path, &small()));
        fill_and_go_on(open(), batch, |_| fs::remove_file(&ballast).unwrap(), open);
    }
}

/// Opening an index for writing writes a little.
#[test]
fn what_is_on_a_full_disk_can_be_opened_for_reading() {
    needs_root!();
    let Some(disk) = disk(48) else { return };
    let mounted = Mounted::new("ext4", &disk.device, "rw").expect("it is mounted");
    let path = mounted.path().join("index");
    let index = Index::open_with(&path, &small()).unwrap();
    let (mut acknowledged, mut random) = (Model::new(), fastrand::Rng::with_seed(2));
    let (refused, _) = loop {
        if let Err(refused) = change(&index, &mut acknowledged, &mut random, 1) {
            break refused;
        }
    };
    drop(index);
    let index = Index::open_with(&path, &small().cache_bytes(64 << 20).read_only(true)).unwrap();
    check_all(&index, &acknowledged, &[refused]);
    assert_eq!(index.verify(|_, _| {}).problems, []);
}

/// The log has room, and the nodes have none.
#[test]
fn nodes_that_cannot_be_written_can_be_read_and_changes_go_on_once_they_can() {
    for batch in [1, 40, 2000] {
        let folder = tempfile::tempdir().unwrap();
        let memory = MemoryDevice::new(256 << 20, 4096);
        // No crash follows: tens of thousands of syncs of the log would show nothing.
        let options = small().checkpoint_bytes(16 << 20).durability(Durability::Never);
        let full = Fault::enospc().on(Op::Write).nths(4000..12_000);
        let disk = Arc::new(Faulty::new(memory.clone(), [full]));
        let index = Index::open_on(folder.path(), disk, &options).unwrap();
        let open = || Index::open_on(folder.path(), Arc::new(memory.clone()), &options).unwrap();
        // Every attempt uses up some of the writes that fail.
        fill_and_go_on(index, batch, |index| while index.checkpoint().is_err() {}, open);
    }
}

#[test]
fn a_disk_that_is_read_only_is_refused_in_one_line() {
    needs_root!();
    let Some(disk) = disk(48) else { return };
    let mounted = Mounted::new("ext4", &disk.device, "rw").expect("it is mounted");
    let index = Index::open_with(mounted.path().join("index"), &small()).unwrap();
    index.insert("a", "1").unwrap();
    // Not closed: its log has to be read.
    drop(index);
    soon(|| run("mount", &["-o", "remount,ro", mounted.path().to_str().unwrap()]).ok_or("not yet"));
    let read_only = Index::open_with(mounted.path().join("index"), &small().read_only(true)).unwrap();
    assert_eq!(read_only.get("a").unwrap().as_deref(), Some(&b"1"[..]));
    drop(read_only);
    for name in ["index", "new"] {
        let path = mounted.path().join(name);
        let said = one_line(Index::open_with(&path, &small()).expect_err("nothing can be written"));
        assert!(said.contains(path.to_str().unwrap()) && said.contains("Read-only"), "{said}");
    }
}

/// What the first file of an index says must be so.
#[test]
fn nodes_of_another_size_than_the_files_have_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    Index::open_with(&path, &small()).unwrap().close().unwrap();
    let refused = |path: &Path, node_bytes: &str| {
        fs::write(path.join("index"), format!("leadline index 1\nnode bytes {node_bytes}\n")).unwrap();
        one_line(Index::open_with(path, &small()).expect_err(node_bytes))
    };
    assert!(refused(&path, "8192").contains("4096"), "{}", refused(&path, "8192"));
    for size in ["5000", "0", "2048", "131072", "4294967295", "many"] {
        let said = refused(&path, size);
        assert!(said.contains(size) || said.contains("index"), "{said}");
    }
    fs::write(path.join("index"), "leadline index 1\nnode bytes 4096\n").unwrap();
    Index::open_with(&path, &small()).unwrap();
    // Nor is one made: nothing is left of the attempt.
    let new = folder.path().join("new");
    let said = one_line(Index::open_with(&new, &small().node_bytes(5000)).expect_err("no such nodes"));
    assert!(said.contains("5000") && !new.exists(), "{said}");
}
