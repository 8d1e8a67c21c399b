//! An index as its users see it: in a directory, opened again, with several threads.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use leadline_device::{Fault, Faulty, MemoryDevice, Op};
use leadline_index::{Batch, Durability, Index, IndexError, Options};

fn small() -> Options {
    Options::default().cache_bytes(1 << 20).checkpoint_bytes(1 << 20)
}

fn open(path: &std::path::Path) -> Index {
    Index::open_with(path, &small()).unwrap()
}

#[test]
fn entries_are_there_when_the_index_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let index = open(&path);
    assert!(index.is_empty() && index.get("a").unwrap().is_none());
    assert!(index.insert("a", "1").unwrap());
    assert!(!index.insert("a", "2").unwrap());
    index.insert("b", vec![7; 100_000]).unwrap();
    index.insert("gone", "").unwrap();
    assert!(index.remove("gone").unwrap() && !index.remove("gone").unwrap());
    drop(index);
    // From the log.
    let index = open(&path);
    assert_eq!(index.get("a").unwrap().as_deref(), Some(&b"2"[..]));
    assert_eq!(index.get("b").unwrap(), Some(vec![7; 100_000]));
    assert!(!index.contains("gone").unwrap() && index.len() == 2);
    assert!(index.stats().log_bytes > 100_000);
    // What the log has is written when it is next synced, and the nodes at the checkpoint.
    let before = index.stats().written_bytes();
    index.insert("c", vec![8; 50_000]).unwrap();
    let logged = index.stats().log_written;
    assert!((50_000..3 << 20).contains(&logged), "{logged}");
    index.checkpoint().unwrap();
    assert!(index.stats().written_bytes() > before + 150_000 + 50_000);
    assert!(index.remove("c").unwrap());
    index.close().unwrap();
    // From the checkpoint.
    let index = open(&path);
    assert_eq!(index.stats().log_bytes, 0);
    assert_eq!(
        index.multi_get(&["b", "x", "a"]).unwrap(),
        [Some(vec![7; 100_000]), None, Some(b"2".to_vec())]
    );
}

#[test]
fn nodes_may_be_on_a_device() {
    let folder = tempfile::tempdir().unwrap();
    let device = Arc::new(MemoryDevice::new(64 << 20, 4096));
    let open = || Index::open_on(folder.path(), device.clone(), &small()).unwrap();
    let index = open();
    index.multi_insert((0..3000u32).map(|number| (number.to_be_bytes(), vec![1; 50]))).unwrap();
    index.close().unwrap();
    let index = open();
    index.insert("more", "1").unwrap();
    drop(index);
    let index = open();
    assert_eq!((index.len(), index.verify(|_, _| {}).problems), (3001, vec![]));
    assert!(!folder.path().join("pages").exists());
}

#[test]
fn ranges_come_in_order_from_either_end() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path());
    let entries = (0..2000u32).map(|number| (number.to_be_bytes(), format!("value {number}")));
    index.multi_insert(entries).unwrap();
    let keys = |range: leadline_index::Range| {
        range.map(|pair| u32::from_be_bytes(pair.unwrap().0.try_into().unwrap())).collect::<Vec<_>>()
    };
    let key = |number: u32| number.to_be_bytes();
    assert_eq!(keys(index.iter()), (0..2000).collect::<Vec<_>>());
    assert_eq!(keys(index.range(key(10)..key(13))), [10, 11, 12]);
    assert_eq!(keys(index.range(key(10)..=key(13))), [10, 11, 12, 13]);
    assert_eq!(keys(index.range(key(1998)..)), [1998, 1999]);
    assert_eq!(keys(index.range(..key(2))), [0, 1]);
    assert!(keys(index.range(key(5)..key(5))).is_empty());
    let backwards: Vec<_> = index.iter().rev().map(|pair| pair.unwrap().1).take(2).collect();
    assert_eq!(backwards, [b"value 1999".to_vec(), b"value 1998".to_vec()]);
    let both = index.range_many(&[key(3)..key(5), key(1500)..key(1501)]).unwrap();
    assert_eq!(both.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn entries_in_any_order_are_loaded_and_stay_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path());
    // Several times what the cache holds; every key comes twice.
    let number = |at: u32| at.wrapping_mul(2_654_435_761) % 20_000;
    let entries = |round: u32| (0..20_000).map(move |at| (number(at).to_be_bytes(), vec![round as u8; 200]));
    let model: BTreeMap<_, _> = entries(1).chain(entries(2)).collect();
    let refused = index.load([("a", "1"), (&"k".repeat(600), "2")]);
    assert!(matches!(refused, Err(IndexError::KeyTooLong { .. })), "{refused:?}");
    assert!(index.is_empty());
    index.load(entries(1).chain(entries(2))).unwrap();
    let refused = index.load(entries(3));
    assert!(matches!(refused, Err(IndexError::NotEmpty { .. })), "{refused:?}");
    // As after a kill: it is not closed.
    drop(index);
    let index = open(folder.path());
    assert_eq!(index.len(), model.len() as u64);
    assert!(index.iter().map(Result::unwrap).eq(model.into_iter().map(|(key, value)| (key.to_vec(), value))));
    let verified = index.verify(|_, _| {});
    assert!(verified.problems.is_empty(), "{verified:?}");
    let mut files: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.retain(|name| name != "index" && name != "pages" && !name.to_string_lossy().contains("log"));
    assert!(files.iter().all(|name| name.to_string_lossy().starts_with("spare")), "{files:?}");
}

#[test]
fn a_load_that_the_disk_has_no_room_for_leaves_the_index_empty() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryDevice::new(256 << 20, 4096);
    let options = small().cache_bytes(64 << 20);
    drop(Index::open_on(folder.path(), Arc::new(memory.clone()), &options).unwrap());
    // All nodes fit in memory: it is their checkpoint that fails.
    let full = Faulty::new(memory.clone(), [Fault::enospc().on(Op::Write)]);
    let index = Index::open_on(folder.path(), Arc::new(full), &options).unwrap();
    let entries = || (0..20_000u32).map(|number| (number.to_be_bytes(), [7; 100]));
    let refused = index.bulk_load(entries()).unwrap_err();
    assert!(matches!(refused, IndexError::Full { .. }), "{refused}");
    assert_eq!((index.len(), index.iter().count(), index.get(5u32.to_be_bytes()).unwrap()), (0, 0, None));
    let stopped = index.insert("more", "1").unwrap_err();
    let said = format!("{}: nothing can be changed any more", folder.path().display());
    assert!(stopped.to_string().starts_with(&said), "{stopped}");
    drop(index);
    let index = Index::open_on(folder.path(), Arc::new(memory), &options).unwrap();
    assert!(index.is_empty() && index.iter().next().is_none());
    index.bulk_load(entries()).unwrap();
    assert_eq!((index.len(), index.verify(|_, _| {}).problems), (20_000, vec![]));
}

#[test]
fn snapshots_stand_still() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path());
    index.multi_insert((0..3000u32).map(|number| (number.to_be_bytes(), vec![1; 50]))).unwrap();
    let snapshot = index.snapshot();
    for number in 0..3000u32 {
        if number % 3 == 0 {
            index.remove(number.to_be_bytes()).unwrap();
        } else {
            index.insert(number.to_be_bytes(), vec![2; 90]).unwrap();
        }
    }
    index.checkpoint().unwrap();
    assert_eq!((snapshot.len(), index.len()), (3000, 2000));
    let ones = snapshot.iter().filter(|pair| pair.as_ref().unwrap().1 == [1; 50]).count();
    assert_eq!(ones, 3000);
    let keys: Vec<_> = (0..3000u32).map(u32::to_be_bytes).collect();
    assert!(snapshot.multi_get(&keys).unwrap().iter().all(|value| value.as_deref() == Some(&[1; 50])));
    assert!(index.iter().all(|pair| pair.unwrap().1 == [2; 90]));
    let copies = index.stats().pages;
    drop(snapshot);
    assert!(index.stats().pages < copies);
    assert_eq!(index.verify(|_, _| {}).problems, []);
}

#[test]
fn a_batch_is_there_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path());
    index.insert("kept", "0").unwrap();
    let mut batch = Batch::new();
    batch.insert("a", "1").insert("b", "2").remove("kept").insert("a", "3");
    assert_eq!(batch.len(), 3);
    assert_eq!(
        [batch.get("a"), batch.get("kept"), batch.get("c")],
        [Some(Some(&b"3"[..])), Some(None), None]
    );
    index.commit(&batch).unwrap();
    let entries: BTreeMap<_, _> = index.iter().map(Result::unwrap).collect();
    assert_eq!(entries, BTreeMap::from([(b"a".to_vec(), b"3".to_vec()), (b"b".to_vec(), b"2".to_vec())]));
    // One change that cannot be: none is made.
    batch.insert(vec![0; 600], "too long");
    assert!(matches!(index.commit(&batch), Err(IndexError::KeyTooLong { bytes: 600, most: 509, .. })));
    index.commit(&Batch::new()).unwrap();
}

#[test]
fn threads_that_write_share_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open_with(folder.path(), &small().durability(Durability::Never)).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            let index = &index;
            scope.spawn(move || {
                for number in 0..2000u32 {
                    let key = (number * 4 + thread).to_be_bytes();
                    index.insert(key, number.to_le_bytes()).unwrap();
                    if number % 500 == 0 {
                        // Checkpoints and snapshots come and go meanwhile.
                        let snapshot = index.snapshot();
                        assert!(snapshot.get(key).unwrap().is_some());
                        index.checkpoint().unwrap();
                        assert!(snapshot.iter().count() as u64 == snapshot.len());
                    }
                }
            });
        }
    });
    assert_eq!(index.verify(|_, _| {}).entries, 8000);
    drop(index);
    let index = open(folder.path());
    assert_eq!((index.len(), index.iter().count()), (8000, 8000));
    assert_eq!(index.verify(|_, _| {}).problems, []);
}

#[test]
fn what_cannot_be_opened_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let refusal = |options: &Options| {
        let refused = Index::open_with(&path, options).unwrap_err().to_string();
        assert!(!refused.contains('\n') && refused.contains(path.to_str().unwrap()), "{refused}");
        refused
    };
    assert!(refusal(&small().create(false)).contains("there is no index"));
    let index = Index::open_with(&path, &small().node_bytes(8192)).unwrap();
    assert!(refusal(&small()).contains("open already"));
    drop(index);
    assert!(
        refusal(&small().node_bytes(4096)).contains("its nodes have 8192 bytes, and 4096 were asked for")
    );
    fs::write(path.join("index"), "leadline index 9\nnode bytes 4096\n").unwrap();
    assert!(refusal(&small()).contains("`leadline index 9`"));
    fs::write(path.join("index"), "something else").unwrap();
    assert!(refusal(&small()).contains("holds something else"));
    fs::remove_dir_all(&path).unwrap();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("letter.txt"), "Dear").unwrap();
    assert!(refusal(&small()).contains("holds something else"));
    assert_eq!(fs::read_dir(&path).unwrap().count(), 1, "nothing was made there");
}

#[test]
fn a_load_whose_entries_end_in_an_error_leaves_the_index_empty() {
    #[derive(Debug)]
    enum Failed {
        Entry,
        Index(IndexError),
    }
    impl From<IndexError> for Failed {
        fn from(error: IndexError) -> Failed {
            Failed::Index(error)
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path());
    let key = |number: u32| number.to_be_bytes().to_vec();
    let entries =
        |end: u32| (0..20_000).map(move |n| if n < end { Ok((key(n), key(n))) } else { Err(Failed::Entry) });
    assert!(matches!(index.try_bulk_load(entries(15_000)), Err(Failed::Entry)));
    assert!(matches!(index.try_load(entries(15_000)), Err(Failed::Entry)));
    assert!(index.is_empty() && index.iter().next().is_none());
    index.try_bulk_load(entries(20_000)).unwrap();
    assert_eq!((index.len(), index.get(key(19_999)).unwrap()), (20_000, Some(key(19_999))));
    let again = index.try_bulk_load(entries(1));
    assert!(matches!(again, Err(Failed::Index(IndexError::NotEmpty { entries: 20_000 }))), "{again:?}");
}

/// The empty tree that a load keeps for a crash is not kept any longer, and what the load had written is
/// free.
#[test]
fn a_load_whose_entries_panic_leaves_the_index_empty_and_keeps_nothing() {
    let pages = [false, true].map(|panics| {
        let folder = tempfile::tempdir().unwrap();
        let index = open(folder.path());
        if panics {
            let entries = (0..20_000u32).map(|number| match number {
                15_000 => std::panic::resume_unwind(Box::new("no more entries")),
                _ => (number.to_be_bytes(), [7; 100]),
            });
            let load = std::panic::AssertUnwindSafe(|| index.bulk_load(entries));
            std::panic::catch_unwind(load).expect_err("the entries panic");
            assert!(index.is_empty() && index.iter().next().is_none());
        }
        // Changed while a snapshot reads it, a node is kept as it was.
        for value in [1, 2] {
            index.multi_insert((0..3000u32).map(|number| (number.to_be_bytes(), [value; 100]))).unwrap();
        }
        index.checkpoint().unwrap();
        assert_eq!((index.len(), index.verify(|_, _| {}).problems), (3000, vec![]));
        index.stats().pages
    });
    assert_eq!(pages[0], pages[1]);
}

/// A page that cannot be read is named with the directory of its index, and what to do.
#[test]
fn an_error_names_the_directory_the_page_and_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let memory = MemoryDevice::new(256 << 20, 4096);
    let options = small();
    let index = Index::open_on(folder.path(), Arc::new(memory.clone()), &options).unwrap();
    index.bulk_load((0..20_000u32).map(|number| (number.to_be_bytes(), [7; 100]))).unwrap();
    index.close().unwrap();
    let broken = Faulty::new(memory, [Fault::eio().on(Op::Read).from(100)]);
    let index = Index::open_on(folder.path(), Arc::new(broken), &options).unwrap();
    let keys: Vec<_> = (0..20_000u32).map(u32::to_be_bytes).collect();
    let errors = [
        keys.iter().find_map(|key| index.get(key).err()),
        index.multi_get(&keys).err(),
        index.range_many(&[keys[0]..keys[9999]]).err(),
        index.iter().find_map(Result::err),
        index.snapshot().iter().rev().find_map(Result::err),
        keys.iter().find_map(|key| index.insert(key, "1").err()),
    ];
    for error in errors {
        let said = error.expect("some page cannot be read").to_string();
        let begins = format!("{}: read of page ", folder.path().display());
        assert!(said.starts_with(&begins) && said.contains("; look for errors of the drive"), "{said}");
        assert!(!said.contains('\n'), "{said}");
    }
}

#[test]
fn entries_in_any_order_are_inserted_into_an_index_that_has_some() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(5);
    // More than fits in the memory that sorts them.
    let mut entries = |count: u32| -> Vec<(Vec<u8>, Vec<u8>)> {
        (0..count)
            .map(|_| (random.u32(..30_000).to_be_bytes().to_vec(), vec![random.u8(..); random.usize(..400)]))
            .collect()
    };
    let (loaded, inserted) = (entries(10_000), entries(20_000));
    let index = Index::open_with(folder.path(), &small().cache_bytes(1 << 20)).unwrap();
    index.load(loaded.iter().cloned()).unwrap();
    // Of entries that end too early nothing is inserted.
    let before: Vec<_> = index.iter().map(Result::unwrap).collect();
    struct Failed(bool);
    impl From<IndexError> for Failed {
        fn from(_: IndexError) -> Failed {
            Failed(true)
        }
    }
    let cut = inserted.iter().cloned().map(Ok).take(15_000).chain([Err(Failed(false))]);
    assert!(matches!(index.try_insert_all(cut), Err(Failed(false))));
    assert!(index.iter().map(Result::unwrap).eq(before));
    index.insert_all(inserted.iter().cloned()).unwrap();
    let expected: BTreeMap<_, _> = loaded.into_iter().chain(inserted).collect();
    assert!(index.iter().map(Result::unwrap).eq(expected));
    index.insert_all([("", ""); 0]).unwrap();
}

/// An index keeps the size that it may have at most: other options neither change it nor lock anybody out.
#[test]
fn an_index_that_was_made_small_is_opened_with_larger_options_too() {
    let folder = tempfile::tempdir().unwrap();
    let made = small().most_bytes(256 << 20);
    Index::open_with(folder.path(), &made).unwrap().insert("key", "value").unwrap();
    let pages = || std::fs::metadata(folder.path().join("pages")).unwrap().len();
    let before = pages();
    for options in [small().most_bytes(1 << 40), small().most_bytes(1 << 20), made] {
        let index = Index::open_with(folder.path(), &options).unwrap();
        assert_eq!(index.get("key").unwrap().as_deref(), Some("value".as_bytes()));
        assert_eq!(pages(), before);
    }
}

/// Without its nodes an index would come back empty, without a word.
#[test]
fn an_index_whose_files_are_lost_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (head, pages) = (folder.path().join("index"), folder.path().join("pages"));
    let index = open(folder.path());
    index.load((0..20_000_u32).map(|n| (n.to_be_bytes(), [7; 100]))).unwrap();
    index.close().unwrap();
    let (head_text, kept) = (fs::read(&head).unwrap(), folder.path().join("kept"));
    let refusal = |options: &Options| {
        let before = fs::read_dir(folder.path()).unwrap().count();
        let error = Index::open_with(folder.path(), options).unwrap_err();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), before, "nothing is made");
        error.to_string()
    };
    fs::rename(&pages, &kept).unwrap();
    for options in [small(), small().read_only(true)] {
        let said = refusal(&options);
        assert!(said.contains("the file `pages` is missing") && said.contains("backup"), "{said}");
    }
    fs::rename(&kept, &pages).unwrap();
    fs::write(&head, "").unwrap();
    assert!(refusal(&small()).contains("the file `index` is empty"));
    assert!(matches!(
        Index::open_with(folder.path(), &small().read_only(true)),
        Err(IndexError::NotThere { .. })
    ));
    fs::write(&head, head_text).unwrap();
    assert_eq!(open(folder.path()).len(), 20_000);
}

/// A process that is killed while it makes an index leaves files that the next one begins anew with.
#[test]
fn an_index_that_was_never_made_to_its_end_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    for (case, has_pages) in [false, true].into_iter().enumerate() {
        let path = folder.path().join(case.to_string());
        fs::create_dir(&path).unwrap();
        fs::write(path.join("index"), "").unwrap();
        if has_pages {
            fs::File::create(path.join("pages")).unwrap().set_len(1 << 30).unwrap();
        }
        let options = small().read_only(true);
        assert!(matches!(Index::open_with(&path, &options), Err(IndexError::NotThere { .. })));
        let index = Index::open_with(&path, &small().most_bytes(512 << 20)).unwrap();
        index.insert("a", "1").unwrap();
        index.close().unwrap();
        assert_eq!(fs::metadata(path.join("pages")).unwrap().len(), 512 << 20);
        assert_eq!(open(&path).get("a").unwrap().as_deref(), Some(&b"1"[..]));
    }
}
