//! Indexes, their checksums in order: opened, verified, read from both ends, changed.
//!
//! An input is the length of the log (4 bytes), the log, and the blocks of the file of nodes that are not
//! zeros, the number of each in front of it (4 bytes).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use leadline_device::{Device as _, MemoryDevice, QueueShape, Request};
use leadline_index::{Batch, Index, IndexError, Options};
use leadline_pool::{OutOfPlace, Pool, PoolConfig};
use tempfile::TempDir;

use super::stores::folder;
use crate::Target;
use crate::seal::{PAGE, seal_log, seal_nodes};

/// Of the device with the nodes.
const CAPACITY: u64 = 2 << 20;
/// Small, so that opening an index reads little.
const SEGMENT: u32 = 64 << 10;
const LOG: &str = "00000000000000000001.log";
const HEAD: &str = "leadline index 1\nnode bytes 4096\n";

pub(super) struct Indexes {
    _folder: TempDir,
    path: PathBuf,
    seeds: Vec<Vec<u8>>,
}

fn options() -> Options {
    let options = Options::default().cache_bytes(256 << 10).reads(4).writes(4);
    options.checkpoint_bytes(1 << 20)
}

fn key(number: u32) -> Vec<u8> {
    format!("a key with a prefix {:05}", number * 7919 % 1000).into_bytes()
}

/// Some leaves, a value with pages of its own, pages that are free.
fn fill(index: &Index, with_log: bool) -> Result<(), IndexError> {
    index.multi_insert((0..90).map(|number| (key(number), vec![number as u8; 150])))?;
    index.insert("a long value", vec![7; 9000])?;
    index.insert("one that goes", vec![8; 9000])?;
    index.checkpoint()?;
    index.remove("one that goes")?;
    index.checkpoint()?;
    if with_log {
        index.insert(key(3), "in the log")?;
        let mut batch = Batch::new();
        batch.remove(key(4)).insert("new", vec![9; 3000]).insert("", "");
        index.commit(&batch)?;
    }
    Ok(())
}

/// The files of an index as an input.
fn seed(path: &Path, nodes: &MemoryDevice) -> std::io::Result<Vec<u8>> {
    let logs = fs::read_dir(path)?.filter_map(|entry| Some(entry.ok()?.path()));
    let last = logs.filter(|path| path.extension().is_some_and(|kind| kind == "log")).max();
    let mut log = fs::read(last.expect("there is a log"))?;
    let used = log.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    log.truncate(used.next_multiple_of(PAGE));
    // The number that the name has; and the same session each time, so that inputs are the same.
    log[8..16].copy_from_slice(&1u64.to_le_bytes());
    log[24..32].copy_from_slice(&1u64.to_le_bytes());
    seal_log(&mut log);
    let mut input = (log.len() as u32).to_le_bytes().to_vec();
    input.extend(log);
    for number in 0..(CAPACITY / PAGE as u64) as u32 {
        let block = nodes.contents(u64::from(number) * PAGE as u64, PAGE);
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
    let shape = QueueShape { depth: 1, slots: 1, buffer_bytes: PAGE as u32 };
    let mut pair = device.queue_pair(shape).expect("memory has a queue");
    for block in blocks.chunks_exact(4 + PAGE) {
        let number = u32::from_le_bytes([block[0], block[1], block[2], block[3]]);
        let offset = u64::from(number) * PAGE as u64;
        if offset < CAPACITY {
            pair.buffer(0).copy_from_slice(&block[4..]);
            pair.submit(Request::write(0, offset, PAGE as u32)).expect("the block is on the device");
            pair.reap(1, leadline_device::NEVER, &mut Vec::new()).expect("memory is written");
        }
    }
    device
}

impl Indexes {
    pub(super) fn new() -> std::io::Result<Indexes> {
        let folder = folder()?;
        let mut seeds = Vec::new();
        for with_log in [false, true] {
            let path = folder.path().join(format!("seed {with_log}"));
            let nodes = MemoryDevice::new(CAPACITY, PAGE as u32);
            // A device keeps the size of a segment with which it was made.
            let places = OutOfPlace::default().segment_bytes(SEGMENT).atomic_checkpoints(true);
            let config = PoolConfig::new(PAGE as u32, 64).out_of_place(places);
            let pool = Pool::open(Arc::new(nodes.clone()), config).expect("a pool is made");
            pool.close().expect("a pool is closed");
            let index = Index::open_on(&path, Arc::new(nodes.clone()), &options());
            let index = index.expect("an index is made");
            fill(&index, with_log).expect("an index is filled");
            drop(index);
            seeds.push(seed(&path, &nodes)?);
        }
        let path = folder.path().join("index");
        fs::create_dir(&path)?;
        Ok(Indexes { _folder: folder, path, seeds })
    }

    /// Writes the files of an input.
    fn write(&self, log: &[u8]) -> std::io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            fs::remove_file(entry?.path())?;
        }
        fs::write(self.path.join("index"), HEAD)?;
        fs::write(self.path.join(LOG), log)
    }
}

/// The log, and the blocks with their numbers.
fn parts(input: &[u8]) -> (&[u8], &[u8]) {
    let Some((length, rest)) = input.split_first_chunk::<4>() else { return (&[], &[]) };
    rest.split_at(rest.len().min(u32::from_le_bytes(*length) as usize))
}

impl Target for Indexes {
    fn name(&self) -> String {
        "index".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        self.seeds.clone()
    }

    fn binary(&self) -> bool {
        true
    }

    fn seal(&self, input: &mut Vec<u8>) {
        let log = 4.min(input.len())..input.len().min(4 + parts(input).0.len());
        let blocks = log.end;
        seal_log(&mut input[log]);
        seal_nodes(&mut input[blocks..], CAPACITY);
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let (log, blocks) = parts(input);
        self.write(log).expect("temporary files are written");
        let index = match Index::open_on(&self.path, Arc::new(device(blocks)), &options().create(false)) {
            Ok(index) => index,
            Err(error) => {
                let said = error.to_string();
                assert!(!said.is_empty() && !said.contains('\n'), "{said}");
                return false;
            }
        };
        let verified = index.verify(|_, _| {});
        let is_sound = verified.problems.is_empty();
        // What `verify` passes can be read to its end, and is as many entries as it says.
        let most = 10_000;
        let entries: Result<Vec<_>, _> = index.iter().take(most).collect();
        match &entries {
            Ok(entries) if is_sound => {
                assert_eq!((entries.len() as u64, index.len()), (verified.entries, verified.entries));
                assert!(entries.is_sorted_by(|one, next| one.0 < next.0), "keys are not in order");
                let keys: Vec<&[u8]> = entries.iter().map(|entry| entry.0.as_slice()).collect();
                let found = index.multi_get(&keys).expect("what `verify` passes is found");
                assert!(found.iter().zip(entries).all(|(value, entry)| value.as_ref() == Some(&entry.1)));
            }
            Ok(_) => {}
            Err(error) => assert!(!is_sound, "`verify` found nothing, and {error}"),
        }
        assert!(entries.is_err() || entries.is_ok_and(|entries| entries.len() < most), "a range has no end");
        assert!(index.iter().rev().take(most).take_while(Result::is_ok).count() < most, "nor backwards");
        for number in 0..8 {
            let _ = (index.get(key(number)), index.remove(key(number + 8)), index.insert(key(number), b"x"));
        }
        let _ = index.checkpoint();
        let _ = index.verify(|_, _| {});
        true
    }
}
