//! What the device is told of blocks that no file has any more.

use std::collections::VecDeque;
use std::ffi::OsString;

use leadline_device::{Completion, Geometry, Nanos, Op, Request};
use leadline_sim::DeviceModel;
use tempfile::TempDir;

use super::*;

const CAPACITY: u64 = 4 << 30;

/// Offset and length of each trim that a device was told of.
type Trims = Arc<Mutex<Vec<(u64, u64)>>>;

/// A device that is done at once and writes down its trims.
struct Recorder {
    trims: Trims,
    done: VecDeque<Completion>,
}

impl DeviceModel for Recorder {
    fn geometry(&self) -> Geometry {
        Geometry { capacity_bytes: CAPACITY, block_bytes: 512, writable: true }
    }

    fn arrive(&mut self, request: &Request, at: Nanos) {
        let Request { op, slot, offset, len, .. } = *request;
        if op == Op::Trim {
            lock(&self.trims).push((offset, u64::from(len)));
        }
        self.done.push_back(Completion { slot, result: len as i32, at });
    }

    fn next_completion(&self) -> Option<Nanos> {
        self.done.front().map(|done| done.at)
    }

    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        while let Some(done) = self.done.pop_front_if(|done| done.at <= now) {
            completions.push(done);
        }
    }

    fn in_flight(&self) -> u32 {
        self.done.len() as u32
    }
}

/// A volume on a device that writes down its trims, with one file.
struct Fixture {
    volume: Volume,
    file: Ino,
    trims: Trims,
    backing: TempDir,
}

impl Fixture {
    fn new() -> Fixture {
        let (backing, trims) = (tempfile::tempdir().unwrap(), Trims::default());
        let model = Recorder { trims: Arc::clone(&trims), done: VecDeque::new() };
        let pacer = Arc::new(Pacer::new(Box::new(model), 1.0));
        let volume = Volume::open(backing.path(), Layout::new(CAPACITY, None), false, 1 << 20, pacer)
            .unwrap_or_else(|error| panic!("{error:?}"));
        let make = |tree: &mut Tree| {
            let ino = tree.create(ROOT, OsStr::new("file"), Tree::new_file(), (0o600, 0, 0))?;
            Ok((ino, None))
        };
        let file = volume.change_names(make).unwrap();
        Fixture { volume, file, trims, backing }
    }

    /// Where part of the file lies, and how long that is.
    fn located(&self, offset: u64, len: u64) -> Vec<(u64, u64)> {
        let file = self.volume.tree().file(self.file).unwrap();
        let extents = file.lock().map.locate(offset, len);
        extents.iter().map(|extent| (extent.offset, extent.len)).collect()
    }

    fn remove(&self) {
        let remove = |tree: &mut Tree| {
            let ino = tree.remove(ROOT, OsStr::new("file"), false)?;
            Ok(((), Some(ino)))
        };
        self.volume.change_names(remove).unwrap();
    }

    /// What the device was told since the last call.
    fn trims(&self) -> Vec<(u64, u64)> {
        std::mem::take(&mut *lock(&self.trims))
    }
}

#[test]
fn a_hole_is_trimmed_in_whole_blocks() {
    let fixture = Fixture::new();
    fixture.volume.write(fixture.file, 0, &[7; 40_960]).unwrap();
    let inside = fixture.located(8192, 8192);
    assert_eq!(inside.len(), 1);
    fixture.volume.zero(fixture.file, 5000, 15_000, true).unwrap();
    assert_eq!(fixture.trims(), inside);
    assert_eq!(fixture.volume.read(fixture.file, 5000, 1).unwrap().0, [0]);
    // What has no blocks is nothing to trim, nor is what stays allocated.
    fixture.volume.zero(fixture.file, 8192, 8192, true).unwrap();
    fixture.volume.zero(fixture.file, 0, 40_960, false).unwrap();
    fixture.volume.zero(fixture.file, 100, 3000, true).unwrap();
    assert_eq!(fixture.trims(), []);
}

#[test]
fn what_a_shorter_file_no_longer_has_is_trimmed() {
    let fixture = Fixture::new();
    fixture.volume.write(fixture.file, 0, &[7; 40_960]).unwrap();
    let beyond = fixture.located(16_384, 24_576);
    fixture.volume.truncate(fixture.file, 12_289).unwrap();
    assert_eq!(fixture.trims(), beyond);
    fixture.volume.truncate(fixture.file, 1 << 20).unwrap();
    assert_eq!(fixture.trims(), [], "growing takes nothing away");
}

#[test]
fn a_removed_file_is_trimmed_when_its_last_handle_is_closed() {
    let fixture = Fixture::new();
    fixture.volume.open_node(fixture.file, true).unwrap();
    fixture.volume.write(fixture.file, 0, &[7; 10_000]).unwrap();
    let all = fixture.located(0, u64::MAX);
    fixture.remove();
    assert_eq!(fixture.trims(), []);
    fixture.volume.close_node(fixture.file, true);
    assert_eq!(fixture.trims(), all);
}

#[test]
fn a_long_file_is_trimmed_in_parts_that_a_request_can_have() {
    let fixture = Fixture::new();
    fixture.volume.allocate(fixture.file, 0, 3 << 30, false).unwrap();
    fixture.remove();
    let trims = fixture.trims();
    assert!(trims.iter().all(|(_, len)| *len <= i32::MAX as u64));
    assert_eq!(trims.iter().map(|(_, len)| len).sum::<u64>(), 3 << 30);
    assert!(trims.is_sorted() && trims.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
}

#[test]
fn many_files_need_no_more_descriptors_than_there_may_be() {
    let (most, count) = (50, if leadline_testing::exhaustive() { 100_000 } else { 10_000 });
    let mut fixture = Fixture::new();
    fixture.volume.backings = Backings::of_at_most(most);
    let files: Vec<Ino> = (0..count)
        .map(|i: u32| {
            let name = OsString::from(i.to_string());
            let make =
                |tree: &mut Tree| Ok((tree.create(ROOT, &name, Tree::new_file(), (0o600, 0, 0))?, None));
            let ino = fixture.volume.change_names(make).unwrap();
            fixture.volume.open_node(ino, true).unwrap();
            fixture.volume.write(ino, 0, &i.to_le_bytes()).unwrap();
            ino
        })
        .collect();
    fixture.volume.sync_all().unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(fixture.volume.backings.count(), most);
    // Programs have all of them open still, and read what they wrote.
    for (i, &ino) in files.iter().enumerate().step_by(97) {
        assert_eq!(fixture.volume.read(ino, 0, 4).unwrap().0, (i as u32).to_le_bytes());
        assert_eq!(
            std::fs::read(fixture.backing.path().join(i.to_string())).unwrap(),
            (i as u32).to_le_bytes()
        );
    }
    assert_eq!(fixture.volume.backings.count(), most);
}
