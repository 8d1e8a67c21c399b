//! Every kind of fault, seen to happen: what the caller is told, and what is on the medium.

mod counting;
mod damage;
mod durability;
mod errors;
mod order;
mod trims;
mod virtual_time;

use leadline_device::{
    Clock, Completion, Device, DeviceError, FileDevice, FileOptions, Geometry, IoEngine, MemoryDevice, NEVER,
    Nanos, Payload, QueuePair, QueueShape, Request,
};

const PAGE: u32 = 16 * 1024;
const CAPACITY: u64 = 1 << 20;
const MS: Nanos = 1_000_000;
/// Longer than any test.
const HOUR: Nanos = 3_600_000 * MS;
const EIO: i32 = libc::EIO;

fn memory() -> MemoryDevice {
    MemoryDevice::new(CAPACITY, 512)
}

/// An unnamed file as a device, through the page cache: what is tested is above it.
fn file(engine: IoEngine) -> FileDevice {
    let file = tempfile::tempfile_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.set_len(CAPACITY).unwrap();
    let options = FileOptions::new(engine, 4096).direct(false);
    FileDevice::new(file, CAPACITY, options).unwrap()
}

fn pair(device: &dyn Device, depth: u32) -> Box<dyn QueuePair> {
    device.queue_pair(QueueShape::new(depth, PAGE)).unwrap()
}

fn drain(pair: &mut dyn QueuePair) -> Vec<Completion> {
    let mut done = Vec::new();
    while pair.in_flight() > 0 {
        pair.reap(1, NEVER, &mut done).unwrap();
    }
    done
}

fn perform(pair: &mut dyn QueuePair, request: Request) -> i32 {
    pair.submit(request).unwrap();
    drain(pair)[0].result
}

/// Random bytes, others for each seed.
fn random(seed: u64, len: u32) -> Vec<u8> {
    let mut bytes = vec![0; len as usize];
    Payload::new(seed).fill(&mut bytes);
    bytes
}

/// Writes and gives the result; what is in the buffer afterwards must be what was put there.
fn write(pair: &mut dyn QueuePair, offset: u64, data: &[u8]) -> i32 {
    pair.buffer(0)[..data.len()].copy_from_slice(data);
    let result = perform(pair, Request::write(0, offset, data.len() as u32));
    assert_eq!(&pair.buffer(0)[..data.len()], data, "a write must not change its buffer");
    result
}

/// Reads into a buffer of 0xEE.
fn read(pair: &mut dyn QueuePair, offset: u64, len: u32) -> (i32, Vec<u8>) {
    pair.buffer(0)[..len as usize].fill(0xEE);
    let result = perform(pair, Request::read(0, offset, len));
    (result, pair.buffer(0)[..len as usize].to_vec())
}

fn flush(pair: &mut dyn QueuePair) -> i32 {
    perform(pair, Request::flush(0))
}

/// Where two are not the same, in sectors of 512 bytes.
fn differing_sectors(a: &[u8], b: &[u8]) -> Vec<usize> {
    assert_eq!(a.len(), b.len());
    let sectors = a.chunks(512).zip(b.chunks(512)).enumerate();
    sectors.filter(|(_, (a, b))| a != b).map(|(sector, _)| sector).collect()
}

fn differing_bits(a: &[u8], b: &[u8]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// A device that somebody else owns.
struct Borrowed<'a>(&'a dyn Device);

impl Device for Borrowed<'_> {
    fn geometry(&self) -> Geometry {
        self.0.geometry()
    }

    fn clock(&self) -> Clock {
        self.0.clock()
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        self.0.queue_pair(shape)
    }
}
