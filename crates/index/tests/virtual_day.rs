//! A day of virtual time: an index whose nodes are on a simulated flash drive, which is written over many
//! times, with cleaning all the while.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use leadline_device::{Filled, Wear};
use leadline_index::{Durability, Index, Options};
use leadline_sim::{FlashModel, FlashSpec, VirtualDevice};

/// A small and slow drive, so that a day is over soon: 192 MiB, about 0.8 MB/s of random writes.
const DRIVE: &str = "kind = \"flash\"\ncapacity = \"192M\"\nover_provisioning = 0.16\nstate = \"fresh\"\n\
    [geometry]\nchannels = 1\ndies_per_channel = 1\nplanes = 1\npages_per_block = 64\npage_bytes = \"16K\"\n\
    [timing]\nread_us = 400\nprogram_us = 20000\nerase_us = 100000\nbus_mb_per_s = 40\n\
    [buffer]\nwrite = \"1M\"\nhit_us = 5\n";

const KEYS: u32 = 400_000;
const VALUE: usize = 100;
/// Changes of a batch.
const BATCH: u32 = 64;

/// The value of a key that was changed `changes` times.
fn value(key: u32, changes: u32) -> Vec<u8> {
    let mut value = vec![changes as u8; VALUE];
    value[..4].copy_from_slice(&key.to_le_bytes());
    value[4..8].copy_from_slice(&changes.to_le_bytes());
    value
}

/// What was done in an hour, or in a shorter time where not all cases are tried.
struct Hour {
    changes: u64,
    wear: Wear,
}

/// Changes random keys for `hours` hours of the drive's time, each of `nanoseconds`. Returns how often each
/// key was changed, and the hours.
fn work(index: &Index, drive: &Filled, hours: u64, nanoseconds: u64) -> (Vec<u32>, Vec<Hour>) {
    let mut random = fastrand::Rng::with_seed(7);
    let mut changes = vec![0u32; KEYS as usize];
    let mut done = Vec::new();
    let now = drive.time();
    let began = now.load(Ordering::Relaxed);
    for hour in 1..=hours {
        let (before, mut count) = (drive.wear(), 0);
        while now.load(Ordering::Relaxed) - began < hour * nanoseconds {
            let keys: Vec<u32> = (0..BATCH).map(|_| random.u32(..KEYS)).collect();
            keys.iter().for_each(|key| changes[*key as usize] += 1);
            let entry = |key: &u32| (key.to_be_bytes(), value(*key, changes[*key as usize]));
            index.multi_insert(keys.iter().map(entry)).unwrap();
            count += u64::from(BATCH);
        }
        done.push(Hour { changes: count, wear: drive.wear().since(&before) });
    }
    (changes, done)
}

fn print(hours: &[Hour], index: &Index) {
    let mut out = std::io::stderr();
    for (at, Hour { changes, wear }) in hours.iter().enumerate() {
        let _ = writeln!(
            out,
            "| {} | {changes} | {:.1} | {:.3} |",
            at + 1,
            wear.host_bytes as f64 / (*changes as f64 * (VALUE + 4) as f64),
            wear.write_amplification().unwrap_or(0.0)
        );
    }
    let pool = index.stats().pool;
    let _ = writeln!(out, "{} pages written, {} moved by cleaning, {pool:?}", pool.writes, pool.moves);
}

#[test]
fn a_day_of_changes_loses_nothing_and_does_not_slow_down() {
    let folder = tempfile::tempdir().unwrap();
    let flash = VirtualDevice::new(FlashModel::new(&FlashSpec::parse(DRIVE, "drive").unwrap()));
    let drive = Arc::new(Filled::zeros(Box::new(flash)));
    let options =
        Options::default().durability(Durability::Never).cache_bytes(8 << 20).checkpoint_bytes(16 << 20);
    let open = || Index::open_on(folder.path(), drive.clone(), &options).unwrap();
    let index = open();
    index.bulk_load((0..KEYS).map(|key| (key.to_be_bytes(), value(key, 0)))).unwrap();
    let (hours, minutes) = if leadline_testing::exhaustive() { (24, 60) } else { (4, 3) };
    let (changes, hours) = work(&index, &drive, hours, minutes * 60_000_000_000);
    if leadline_testing::exhaustive() {
        print(&hours, &index);
    }
    // Once all of the drive has been written there is cleaning in each hour.
    let steady = &hours[hours.len() / 4..];
    let per_hour = || steady.iter().map(|hour| hour.changes);
    let (least, most) = (per_hour().min().unwrap(), per_hour().max().unwrap());
    assert!(least * 10 >= most * 7, "{least} to {most} changes an hour");
    assert!(index.stats().pool.moves > 0, "nothing was ever cleaned");
    let verified = index.verify(|_, _| {});
    assert_eq!((verified.entries, verified.problems), (u64::from(KEYS), vec![]));
    index.close().unwrap();
    let index = open();
    for (entry, (key, changes)) in index.iter().zip((0..KEYS).zip(changes)) {
        assert_eq!(entry.unwrap(), (key.to_be_bytes().to_vec(), value(key, changes)));
    }
}
