//! Indexes: opened, verified, read from both ends, changed. Once with their checksums in order, so that
//! mutations reach what reads nodes, page maps and records; and once as mutations left them, when whatever
//! can be read must be what was committed.
//!
//! An input is the file `index` (two lines), the length of the log (4 bytes), the log, and the blocks of the
//! file of nodes that are not zeros, the number of each in front of it (4 bytes).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use leadline_device::{Device as _, MemoryDevice, QueueShape, Request};
use leadline_index::{Batch, Index, IndexError, Options};
use tempfile::TempDir;

use super::stores::folder;
use crate::Target;
use crate::seal::{PAGE, seal_log, seal_nodes};

/// Of the device with the nodes; fewer bytes than an index would be made on are refused.
const CAPACITY: u64 = 48 << 20;
/// Blocks with a superblock.
const SUPERBLOCKS: [u32; 2] = [0, 16];
const LOG: &str = "00000000000000000001.log";
/// Entries that a range of an index may have; the seeds have fewer than a hundred.
const MOST: usize = 10_000;

type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

/// Indexes in files, and what was committed to them.
struct Seeds {
    _folder: TempDir,
    path: PathBuf,
    inputs: Vec<Vec<u8>>,
    /// The entries before and after each commit.
    states: Vec<Entries>,
}

pub(super) struct Indexes {
    seeds: Rc<Seeds>,
    sealed: bool,
}

/// Both targets.
pub(super) fn all() -> std::io::Result<Vec<Box<dyn Target>>> {
    let seeds = Rc::new(Seeds::new()?);
    let target = |sealed| Box::new(Indexes { seeds: Rc::clone(&seeds), sealed }) as Box<dyn Target>;
    Ok(vec![target(true), target(false)])
}

fn options() -> Options {
    let options = Options::default().cache_bytes(256 << 10).reads(4).writes(4);
    options.checkpoint_bytes(1 << 20)
}

fn key(number: u32) -> Vec<u8> {
    format!("a key with a prefix {:05}", number * 7919 % 1000).into_bytes()
}

/// Keys with their new values; without one, a key is removed.
type Commit = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// Some leaves, a value with pages of its own, pages that are free; then what only the log has.
fn commits() -> Vec<Commit> {
    let leaves = (0..90).map(|number| (key(number), Some(vec![number as u8; 150]))).collect();
    let batch = [(key(4), None), (b"new".to_vec(), Some(vec![9; 3000])), (Vec::new(), Some(Vec::new()))];
    vec![
        leaves,
        vec![
            (b"a long value".to_vec(), Some(vec![7; 9000])),
            (b"one that goes".to_vec(), Some(vec![8; 9000])),
        ],
        vec![(b"one that goes".to_vec(), None)],
        vec![(key(3), Some(b"in the log".to_vec()))],
        batch.into(),
    ]
}

/// How many of them are in the nodes.
const IN_NODES: usize = 3;

fn commit(index: &Index, changes: &[(Vec<u8>, Option<Vec<u8>>)]) -> Result<(), IndexError> {
    let mut batch = Batch::new();
    for (key, value) in changes {
        match value {
            Some(value) => batch.insert(key.as_slice(), value.as_slice()),
            None => batch.remove(key.as_slice()),
        };
    }
    index.commit(&batch)
}

/// How an index was left.
#[derive(Clone, Copy, PartialEq)]
enum Left {
    Closed,
    /// What came after it was closed is in the log.
    WithLog,
    /// As before, and the page map is older than the last checkpoint: pages are found by what they say, and
    /// by the lists of changes.
    WithoutMap,
}

/// Makes an index whose nodes are as new as the first commits; the others are in the log.
fn make(path: &Path, nodes: &MemoryDevice, left: Left) -> Result<(), IndexError> {
    let open = || Index::open_on(path, Arc::new(nodes.clone()), &options());
    let (mut index, commits) = (open()?, commits());
    let (in_nodes, in_log) = commits.split_at(IN_NODES);
    for changes in in_nodes {
        commit(&index, changes)?;
        index.checkpoint()?;
    }
    if left != Left::WithoutMap {
        index.close()?;
        index = open()?;
    }
    in_log.iter().filter(|_| left != Left::Closed).try_for_each(|changes| commit(&index, changes))
}

/// The files of an index as an input. Its superblocks name the segments that are looked at when it is opened,
/// which takes most of the time: the one that was written, or none where the page map knows all of it.
fn input(path: &Path, nodes: &MemoryDevice, left: Left) -> std::io::Result<Vec<u8>> {
    let mut input = fs::read(path.join("index"))?;
    let mut log = fs::read(path.join(LOG))?;
    let used = log.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    log.truncate(used.next_multiple_of(PAGE));
    // The same session each time, so that inputs are the same.
    log[24..32].copy_from_slice(&1u64.to_le_bytes());
    seal_log(&mut log);
    input.extend((log.len() as u32).to_le_bytes());
    input.extend(log);
    let block_at = |number: u32| nodes.contents(u64::from(number) * PAGE as u64, PAGE);
    for number in 0..(CAPACITY / PAGE as u64) as u32 {
        let mut block = block_at(number);
        if SUPERBLOCKS.contains(&number) {
            let segments = u32::from(left == Left::WithoutMap);
            block[80..84].copy_from_slice(&segments.to_le_bytes());
            block[96..PAGE - 4].fill(0);
            block[100..104].copy_from_slice(&segments.to_le_bytes());
            let sum = crc32fast::hash(&block[..PAGE - 4]);
            block[PAGE - 4..].copy_from_slice(&sum.to_le_bytes());
        }
        if block.iter().any(|byte| *byte != 0) {
            input.extend(number.to_le_bytes());
            input.extend(block);
        }
    }
    Ok(input)
}

/// A device with these blocks.
fn device(blocks: &[u8]) -> MemoryDevice {
    let device = MemoryDevice::new(CAPACITY, PAGE as u32);
    let shape = QueueShape::new(1, PAGE as u32);
    let mut pair = device.queue_pair(shape).expect("memory has a queue");
    for block in blocks.chunks_exact(4 + PAGE) {
        let number = u32::from_le_bytes([block[0], block[1], block[2], block[3]]);
        let offset = u64::from(number) * PAGE as u64;
        if offset < CAPACITY {
            pair.buffer(0).copy_from_slice(&block[4..]);
            let write = Request { durable: true, ..Request::write(0, offset, PAGE as u32) };
            pair.submit(write).expect("the block is on the device");
            pair.reap(1, leadline_device::NEVER, &mut Vec::new()).expect("memory is written");
        }
    }
    device
}

impl Seeds {
    fn new() -> std::io::Result<Seeds> {
        let folder = folder()?;
        let mut inputs = Vec::new();
        for left in [Left::Closed, Left::WithLog, Left::WithoutMap] {
            let path = folder.path().join(format!("seed {}", inputs.len()));
            let nodes = MemoryDevice::new(CAPACITY, PAGE as u32);
            make(&path, &nodes, left).expect("an index is made");
            inputs.push(input(&path, &nodes, left)?);
        }
        let path = folder.path().join("index");
        fs::create_dir(&path)?;
        let mut states = vec![Entries::new()];
        for changes in commits() {
            let mut state = states.last().cloned().unwrap_or_default();
            for (key, value) in changes {
                match value {
                    Some(value) => state.insert(key, value),
                    None => state.remove(&key),
                };
            }
            states.push(state);
        }
        Ok(Seeds { _folder: folder, path, inputs, states })
    }

    /// Opens the index that an input describes.
    fn open(&self, input: &[u8]) -> Result<Index, IndexError> {
        let (head, log, blocks) = parts(input);
        for entry in fs::read_dir(&self.path).expect("the directory is read") {
            fs::remove_file(entry.expect("it has files").path()).expect("a temporary file is removed");
        }
        for (name, bytes) in [("index", head), (LOG, log)] {
            fs::write(self.path.join(name), bytes).expect("temporary files are written");
        }
        Index::open_on(&self.path, Arc::new(device(blocks)), &options().create(false))
    }
}

/// The file `index`, the log, and the blocks with their numbers.
fn parts(input: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let lines = input.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let (head, rest) = input.split_at(lines.map(|(at, _)| at + 1).nth(1).unwrap_or(input.len()));
    let Some((length, rest)) = rest.split_first_chunk::<4>() else { return (head, &[], &[]) };
    let (log, blocks) = rest.split_at(rest.len().min(u32::from_le_bytes(*length) as usize));
    (head, log, blocks)
}

/// What `verify` passes can be read to its end, and is as many entries as it says.
fn check_sound(index: &Index, entries: Vec<(Vec<u8>, Vec<u8>)>) {
    assert_eq!(entries.len() as u64, index.len());
    assert!(entries.is_sorted_by(|one, next| one.0 < next.0), "keys are not in order");
    let keys: Vec<&[u8]> = entries.iter().map(|entry| entry.0.as_slice()).collect();
    let found = index.multi_get(&keys).expect("what `verify` passes is found");
    assert!(found.iter().zip(&entries).all(|(value, entry)| value.as_ref() == Some(&entry.1)));
    let mut backwards: Vec<_> = index.iter().rev().collect::<Result<_, _>>().expect("nor is it backwards");
    backwards.reverse();
    assert!(backwards == entries, "other entries backwards");
}

impl Indexes {
    /// Entries whose checksums are right are what was committed, as of some commit if all can be read.
    fn check_committed(&self, index: &Index, entries: Option<&[(Vec<u8>, Vec<u8>)]>) {
        let states = &self.seeds.states;
        if let Some(entries) = entries {
            let is_state = |state: &Entries| state.iter().eq(pairs(entries));
            assert!(
                states.iter().any(is_state),
                "{} entries that were not committed together",
                entries.len()
            );
        }
        for key in states.iter().flat_map(Entries::keys) {
            if let Ok(value) = index.get(key) {
                let was = states.iter().any(|state| state.get(key) == value.as_ref());
                assert!(was, "a value that `{}` never had", key.escape_ascii());
            }
        }
    }
}

fn pairs(entries: &[(Vec<u8>, Vec<u8>)]) -> impl Iterator<Item = (&Vec<u8>, &Vec<u8>)> {
    entries.iter().map(|(key, value)| (key, value))
}

impl Target for Indexes {
    fn name(&self) -> String {
        if self.sealed { "index".to_owned() } else { "index-damaged".to_owned() }
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        self.seeds.inputs.clone()
    }

    fn binary(&self) -> bool {
        true
    }

    fn seal(&self, input: &mut Vec<u8>) {
        if self.sealed {
            let (head, log, _) = parts(input);
            let log = input.len().min(head.len() + 4)..input.len().min(head.len() + 4 + log.len());
            let blocks = log.end;
            seal_log(&mut input[log]);
            seal_nodes(&mut input[blocks..], CAPACITY);
        }
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let index = match self.seeds.open(input) {
            Ok(index) => index,
            Err(error) => {
                let said = error.to_string();
                assert!(!said.is_empty() && !said.contains('\n'), "{said}");
                return false;
            }
        };
        let is_sound = index.verify(|_, _| {}).problems.is_empty();
        let entries: Result<Vec<_>, _> = index.iter().take(MOST).collect();
        assert!(entries.as_ref().is_ok_and(|entries| entries.len() < MOST) || entries.is_err(), "no end");
        assert!(index.iter().rev().take(MOST).take_while(Result::is_ok).count() < MOST, "no beginning");
        if !self.sealed {
            self.check_committed(&index, entries.as_deref().ok());
        }
        match entries {
            Ok(entries) if is_sound => check_sound(&index, entries),
            Ok(_) => {}
            Err(error) => assert!(!is_sound, "`verify` found nothing, and {error}"),
        }
        // One in four is changed: that takes longer than the rest.
        if !crc32fast::hash(input).is_multiple_of(4) {
            return true;
        }
        for number in 0..8 {
            let _ = (index.get(key(number)), index.remove(key(number + 8)), index.insert(key(number), b"x"));
        }
        let _ = (index.insert("long", vec![1; 9000]), index.remove("a long value"));
        let _ = index.checkpoint();
        let _ = index.verify(|_, _| {});
        true
    }
}
