//! An index next to a sorted map: random commits, and crashes between them, in every mode.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Duration;

use leadline_index::{Batch, Durability, Index, Options};
use rustix::fs::{SeekFrom, seek};

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// New values of keys; none: the key goes.
type Changes = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// Commits that may be lost: those since the last that is known to be durable.
struct Expected {
    durable: Model,
    since: VecDeque<Changes>,
    now: Model,
}

fn apply(model: &mut Model, changes: &[(Vec<u8>, Option<Vec<u8>>)]) {
    for (key, value) in changes {
        match value {
            Some(value) => model.insert(key.clone(), value.clone()),
            None => model.remove(key),
        };
    }
}

impl Expected {
    fn commit(&mut self, changes: Changes, is_durable: bool) {
        apply(&mut self.now, &changes);
        self.since.push_back(changes);
        if is_durable {
            self.all_durable();
        }
    }

    fn all_durable(&mut self) {
        for changes in self.since.drain(..) {
            apply(&mut self.durable, &changes);
        }
    }

    /// After a crash: whether what was found is what there was after some commit, at least the durable ones.
    fn recover(&mut self, found: Model) {
        while self.durable != found {
            let changes = self.since.pop_front().expect("a commit is there in part, or a durable one is not");
            apply(&mut self.durable, &changes);
        }
        self.since.clear();
        self.now = found;
    }
}

fn random_changes(random: &mut fastrand::Rng, keys: u32) -> Changes {
    let count = if random.u8(..) < 200 { 1 } else { random.usize(1..40) };
    let mut changes = BTreeMap::new();
    for _ in 0..count {
        let key = random.u32(..keys);
        // Some keys are long, and have nothing in common.
        let key = match key % 4 {
            0 => [&key.swap_bytes().to_be_bytes()[..], &[b'k'; 400]].concat(),
            _ => format!("key {key:07}").into_bytes(),
        };
        let len = if random.u8(..) < 3 { random.usize(..10_000) } else { random.usize(..120) };
        changes.insert(key, (random.u8(..) < 170).then(|| vec![random.u8(..); len]));
    }
    changes.into_iter().collect()
}

/// The files of an index as a killed process leaves them. Where the log is synced at intervals, a file may
/// get its name meanwhile: then all are copied again.
fn copy(from: &Path, to: &Path) {
    while let Err(error) = try_copy(from, to) {
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
        fs::remove_dir_all(to).unwrap();
    }
}

fn try_copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy_data(&File::open(entry.path())?, &File::create(to.join(entry.file_name()))?)?;
    }
    Ok(())
}

/// Copies a file without its holes: most of the file of nodes is one.
fn copy_data(from: &File, to: &File) -> std::io::Result<()> {
    to.set_len(from.metadata()?.len())?;
    let mut at = 0;
    while let Ok(data) = seek(from, SeekFrom::Data(at)) {
        at = seek(from, SeekFrom::Hole(data))?;
        let mut bytes = vec![0; (at - data) as usize];
        from.read_exact_at(&mut bytes, data)?;
        to.write_all_at(&bytes, data)?;
    }
    Ok(())
}

fn entries(index: &Index) -> Model {
    index.iter().collect::<Result<_, _>>().unwrap()
}

fn run(durability: Durability, steps: u32, seed: u64) {
    let options = Options::default()
        .durability(durability)
        .cache_bytes(512 << 10)
        .checkpoint_bytes(200 << 10)
        .most_bytes(96 << 20);
    let folder = tempfile::tempdir().unwrap();
    let path = |crash: u32| folder.path().join(format!("index {crash}"));
    let (mut random, mut crashes) = (fastrand::Rng::with_seed(seed), 0);
    let mut index = Index::open_with(path(0), &options).unwrap();
    let mut expected = Expected { durable: Model::new(), since: VecDeque::new(), now: Model::new() };
    for step in 0..steps {
        match random.u32(..1000) {
            0..3 => {
                index.checkpoint().unwrap();
                expected.all_durable();
            }
            3..5 => {
                index.sync().unwrap();
                expected.all_durable();
            }
            5..8 if step > 100 => {
                copy(&path(crashes), &path(crashes + 1));
                drop(index);
                fs::remove_dir_all(path(crashes)).unwrap();
                crashes += 1;
                index = Index::open_with(path(crashes), &options).unwrap();
                expected.recover(entries(&index));
                assert_eq!(index.verify(|_, _| {}).problems, [], "seed {seed}, crash {crashes}");
            }
            8..10 => assert_eq!(entries(&index), expected.now, "seed {seed}, step {step}"),
            _ => {
                let changes = random_changes(&mut random, 3000);
                let mut batch = Batch::new();
                for (key, value) in &changes {
                    match value {
                        Some(value) => batch.insert(key.as_slice(), value.as_slice()),
                        None => batch.remove(key.as_slice()),
                    };
                }
                index.commit(&batch).unwrap();
                expected.commit(changes, durability == Durability::EveryCommit);
            }
        }
    }
    assert!(crashes > 0);
    assert_eq!((entries(&index), index.len()), (expected.now.clone(), expected.now.len() as u64));
}

fn steps() -> u32 {
    if leadline_testing::exhaustive() { 1_000_000 } else { 1500 }
}

#[test]
fn nothing_that_was_committed_is_lost() {
    run(Durability::EveryCommit, steps(), 1);
}

#[test]
fn what_is_durable_at_intervals_is_there_up_to_some_commit() {
    run(Durability::Every(Duration::from_millis(5)), steps(), 2);
}

#[test]
fn what_is_durable_at_checkpoints_is_there_up_to_some_commit() {
    run(Durability::Never, steps(), 3);
}
