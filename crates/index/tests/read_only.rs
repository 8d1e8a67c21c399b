//! Indexes that are open for reading only.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use leadline_index::{Index, IndexError, Options};

fn small() -> Options {
    Options::default().cache_bytes(4 << 20).most_bytes(1 << 30)
}

fn read_only() -> Options {
    small().read_only(true)
}

fn entry(number: u32) -> (Vec<u8>, Vec<u8>) {
    (format!("key {number:06}").into_bytes(), vec![number as u8; number as usize % 200])
}

/// An index of which the log alone has the last changes, as after a kill.
fn killed(path: &Path) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let index = Index::open_with(path, &small()).unwrap();
    index.multi_insert((0..20_000).map(entry)).unwrap();
    index.checkpoint().unwrap();
    index.multi_insert((15_000..22_000).map(|number| (entry(number).0, vec![7; 50]))).unwrap();
    for number in 0..300 {
        assert!(index.remove(entry(number * 3).0).unwrap());
    }
    index.insert("long", vec![9; 50_000]).unwrap();
    index.iter().collect::<Result<_, _>>().unwrap()
}

/// Every file with its bytes; of the sparse file of nodes what is not zeros.
fn bytes(path: &Path) -> Vec<(String, u64, u64)> {
    use std::hash::{DefaultHasher, Hasher};
    use std::io::Read;
    let mut files: Vec<_> = fs::read_dir(path)
        .unwrap()
        .map(|file| {
            let file = file.unwrap();
            let length = file.metadata().unwrap().len();
            let (mut hash, mut bytes) = (DefaultHasher::new(), Vec::new());
            fs::File::open(file.path()).unwrap().take(64 << 20).read_to_end(&mut bytes).unwrap();
            hash.write(&bytes);
            (file.file_name().into_string().unwrap(), length, hash.finish())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn an_index_that_was_killed_is_read_as_it_was_and_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let expected = killed(&path);
    let before = bytes(&path);
    {
        let index = Index::open_with(&path, &read_only()).unwrap();
        let all: BTreeMap<Vec<u8>, Vec<u8>> = index.iter().collect::<Result<_, _>>().unwrap();
        assert!(all == expected && index.len() == expected.len() as u64);
        let keys: Vec<&Vec<u8>> = expected.keys().collect();
        let found = index.snapshot().multi_get(&keys).unwrap();
        assert!(found.iter().zip(expected.values()).all(|(found, value)| found.as_ref() == Some(value)));
        assert_eq!(index.get(entry(3).0).unwrap(), None);
        assert_eq!(index.verify(|_, _| {}).problems, []);
        let refused = [
            index.insert("a", "1").map(drop),
            index.remove("long").map(drop),
            index.multi_insert([("a", "1")]),
            index.load([("a", "1")]),
            index.bulk_load([("a", "1")]),
            index.checkpoint(),
        ];
        for refused in refused {
            let error = refused.expect_err("it is only read");
            assert!(matches!(&error, IndexError::ReadOnly { path: named } if *named == path), "{error}");
        }
        index.sync().unwrap();
        index.close().unwrap();
    }
    assert_eq!(bytes(&path), before);
    let index = Index::open_with(&path, &small()).unwrap();
    assert_eq!(index.iter().collect::<Result<BTreeMap<_, _>, _>>().unwrap(), expected);
}

#[test]
fn readers_share_an_index_and_a_writer_has_it_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let refused = |options: &Options| {
        let error = Index::open_with(&path, options).expect_err("somebody else has it");
        let said = error.to_string();
        assert!(matches!(error, IndexError::InUse { .. }), "{said}");
        assert!(said.starts_with(path.to_str().unwrap()) && !said.contains('\n'), "{said}");
        // The system may not tell.
        assert!(said.contains("open already; ") || said.contains("open already by this process; "), "{said}");
    };
    let writer = Index::open_with(&path, &small()).unwrap();
    writer.insert("a", "1").unwrap();
    refused(&read_only());
    refused(&small());
    writer.close().unwrap();
    let readers = [(); 3].map(|()| Index::open_with(&path, &read_only()).unwrap());
    for reader in &readers {
        assert_eq!(reader.get("a").unwrap().as_deref(), Some(&b"1"[..]));
    }
    refused(&small());
    drop(readers);
    Index::open_with(&path, &small()).unwrap().insert("b", "2").unwrap();
    assert_eq!(Index::open_read_only(&path).unwrap().len(), 2);
}

#[test]
fn a_log_whose_changes_do_not_fit_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let expected = killed(&path);
    let error = Index::open_with(&path, &read_only().cache_bytes(0)).expect_err("64 nodes are too few");
    assert!(matches!(error, IndexError::LogDoesNotFit { bytes: 262_144, .. }), "{error}");
    let said = error.to_string();
    assert!(said.starts_with(path.to_str().unwrap()) && said.contains("256K of memory"), "{said}");
    // Where just the changes fit, everything can be read.
    let index = Index::open_with(&path, &read_only().cache_bytes(3 << 20)).unwrap();
    for _ in 0..2 {
        assert_eq!(index.iter().collect::<Result<BTreeMap<_, _>, _>>().unwrap(), expected);
    }
}

#[test]
fn nothing_is_made_where_an_index_is_only_read() {
    let folder = tempfile::tempdir().unwrap();
    let error = Index::open_with(folder.path().join("none"), &read_only()).expect_err("there is none");
    assert!(matches!(error, IndexError::NotThere { .. }), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
