//! An index where it cannot be written: on a full disk, on one that is read-only, with files of another
//! index.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use leadline_index::{Index, Options};
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

fn is_full(said: &str) -> bool {
    said.contains("No space left") || said.contains("full")
}

fn entries(index: &Index) -> BTreeMap<Vec<u8>, Vec<u8>> {
    index.iter().collect::<Result<_, _>>().unwrap()
}

/// Changes entries until the disk is full: the key that was refused, and why. `acknowledged` has what was
/// committed.
fn fill(
    index: &Index,
    acknowledged: &mut BTreeMap<Vec<u8>, Vec<u8>>,
    random: &mut fastrand::Rng,
) -> (Vec<u8>, String) {
    loop {
        let key = format!("key {:05}", random.u32(..20_000)).into_bytes();
        let value = vec![random.u8(..); random.usize(..3000)];
        match index.insert(&key, &value) {
            Ok(_) => acknowledged.insert(key, value),
            Err(error) => return (key, one_line(error)),
        };
    }
}

#[test]
fn a_full_disk_leaves_what_was_acknowledged_readable() {
    needs_root!();
    let Some(disk) = disk(48) else { return };
    let mounted = Mounted::new("ext4", &disk.device, "rw").expect("it is mounted");
    let ballast = mounted.path().join("ballast");
    fs::write(&ballast, vec![1; 8 << 20]).unwrap();
    let path = mounted.path().join("index");
    let index = Index::open_with(&path, &small()).unwrap();
    let (mut acknowledged, mut random) = (BTreeMap::new(), fastrand::Rng::with_seed(1));
    let (refused, said) = fill(&index, &mut acknowledged, &mut random);
    assert!(is_full(&said), "{said}");
    assert!(acknowledged.len() > 1000);
    // What can be read is right; a node whose place in memory only a write would free cannot be.
    for (key, value) in &acknowledged {
        match index.get(key) {
            Ok(found) => assert!(found.as_ref() == Some(value) || *key == refused),
            Err(error) => assert!(is_full(&one_line(error))),
        }
    }
    drop(index);
    // Where it cannot be opened, it says why; once there is room, everything is there.
    if let Err(error) = Index::open_with(&path, &small()) {
        let said = one_line(error);
        assert!(is_full(&said), "{said}");
    }
    fs::remove_file(&ballast).unwrap();
    let index = soon(|| Index::open_with(&path, &small()));
    let found = entries(&index);
    let differing = found.iter().filter(|(key, value)| acknowledged.get(*key) != Some(value)).count();
    assert!(differing <= 1 && acknowledged.keys().all(|key| found.contains_key(key)), "{differing}");
    assert_eq!(index.verify(|_, _| {}).problems, []);
    index.insert("more", "1").unwrap();
    index.close().unwrap();
    assert_eq!(entries(&soon(|| Index::open_with(&path, &small()))).len(), found.len() + 1);
}

#[test]
fn a_disk_that_is_read_only_is_refused_in_one_line() {
    needs_root!();
    let Some(disk) = disk(48) else { return };
    let mounted = Mounted::new("ext4", &disk.device, "rw").expect("it is mounted");
    let index = Index::open_with(mounted.path().join("index"), &small()).unwrap();
    index.insert("a", "1").unwrap();
    index.close().unwrap();
    soon(|| run("mount", &["-o", "remount,ro", mounted.path().to_str().unwrap()]).ok_or("not yet"));
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
