//! Every kind of fault, seen to happen: what the caller is told, and what is on the medium.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};

use leadline_device::{
    Clock, Completion, Device, DeviceError, Fault, Faulty, FileDevice, FileOptions, Geometry, IoEngine,
    MemoryDevice, NEVER, Nanos, Op, Payload, QueuePair, QueueShape, Request, RequestError, Survival, Tearing,
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

// -------------------------------------------------------------------------------------------------------
// trims

/// Longer than the buffers.
const TRIMMED: u32 = 4 * PAGE;

#[test]
fn faults_of_data_pass_trims_on() {
    let faults = [
        Fault::short(),
        Fault::torn(512),
        Fault::lost(),
        Fault::lying_flush(),
        Fault::misdirected(),
        Fault::stale(),
        Fault::bit_flip(),
    ];
    for fault in faults {
        let memory = memory();
        write(&mut *pair(&memory, 1), 0, &random(1, PAGE));
        let device = Faulty::new(memory, [fault]);
        let mut pair = pair(&device, 1);
        let trim = Request { durable: true, ..Request::trim(0, 0, TRIMMED) };
        assert_eq!(perform(&mut *pair, trim), TRIMMED as i32, "{fault:?}");
        assert_eq!(device.device().contents(0, PAGE as usize), [0; PAGE as usize], "{fault:?}");
        assert_eq!(device.strikes(), [0], "{fault:?}");
        let on_trims = std::panic::catch_unwind(|| fault.on(Op::Trim));
        assert!(on_trims.is_err(), "{fault:?} on trims must be refused");
    }
}

#[test]
fn faults_of_completions_befall_trims_too() {
    for (fault, result, reaches) in [
        (Fault::eio(), -EIO, false),
        (Fault::errno_though_done(EIO), -EIO, true),
        (Fault::delay(MS), TRIMMED as i32, true),
        (Fault::stall(MS), TRIMMED as i32, true),
        (Fault::reorder(), TRIMMED as i32, true),
    ] {
        let device = Faulty::new(memory(), [fault.on(Op::Trim).within(512..1024)]);
        let mut pair = pair(&device, 1);
        write(&mut *pair, 0, &random(1, PAGE));
        assert_eq!(perform(&mut *pair, Request::trim(0, 0, 512)), 512, "it lies beside the range");
        assert_eq!(perform(&mut *pair, Request::trim(0, 512, TRIMMED)), result, "{fault:?}");
        let trimmed = device.device().contents(512, 512) == [0; 512];
        assert_eq!((trimmed, device.strikes()), (reaches, vec![1]), "{fault:?}");
    }
}

#[test]
fn trims_pass_on_files_too() {
    for engine in [IoEngine::IoUring, IoEngine::Psync] {
        let device = Faulty::new(file(engine), [Fault::torn(512), Fault::stale().from(u64::MAX)]);
        let mut pair = pair(&device, 1);
        let trimmed = perform(&mut *pair, Request::trim(0, 0, TRIMMED));
        assert!(trimmed == TRIMMED as i32 || trimmed == -libc::EOPNOTSUPP, "{engine:?}: {trimmed}");
    }
}

// -------------------------------------------------------------------------------------------------------
// errors

#[test]
fn error_befalls_the_nth_write_once_and_leaves_the_medium_as_it_was() {
    let device = Faulty::new(memory(), [Fault::eio().on(Op::Write).nth(2)]);
    let mut pair = pair(&device, 1);
    let results: Vec<i32> = (0..5)
        .map(|i| {
            read(&mut *pair, 0, 512);
            write(&mut *pair, i * 512, &random(i, 512))
        })
        .collect();
    assert_eq!(results, [512, 512, -EIO, 512, 512]);
    assert_eq!(device.device().contents(2 * 512, 512), [0; 512]);
    assert_eq!(device.device().contents(3 * 512, 512), random(3, 512));
    assert_eq!(device.strikes(), [1]);
}

#[test]
fn error_may_stick_on_reads_and_on_flushes() {
    let faults = [Fault::errno(libc::ENODEV).on(Op::Read).from(1), Fault::eio().on(Op::Flush).from(2)];
    let device = Faulty::new(memory(), faults);
    let mut pair = pair(&device, 1);
    let reads: Vec<i32> = (0..3).map(|_| read(&mut *pair, 0, 512).0).collect();
    let flushes: Vec<i32> = (0..4).map(|_| flush(&mut *pair)).collect();
    assert_eq!(reads, [512, -libc::ENODEV, -libc::ENODEV]);
    assert_eq!(flushes, [0, 0, -EIO, -EIO]);
    assert_eq!(write(&mut *pair, 0, &random(1, 512)), 512);
    assert_eq!(read(&mut *pair, 0, 512).1, [0xEE; 512], "a failed read leaves the buffer alone");
}

#[test]
fn failed_flush_makes_nothing_durable() {
    let device = Faulty::new(memory(), [Fault::eio().on(Op::Flush).nth(0)]);
    let mut pair = pair(&device, 1);
    write(&mut *pair, 0, &random(1, 512));
    assert_eq!((flush(&mut *pair), device.device().unsynced().len()), (-EIO, 1));
    assert_eq!((flush(&mut *pair), device.device().unsynced().len()), (0, 0));
}

#[test]
fn error_on_a_range_befalls_every_request_that_touches_it_and_no_other() {
    for (device, block) in [(&memory() as &dyn Device, 512), (&file(IoEngine::Psync), 4096)] {
        let bad = 8192..12288;
        let device = Faulty::new(Borrowed(device), [Fault::eio().within(bad.clone())]);
        let mut pair = pair(&device, 1);
        for offset in (0..CAPACITY / 32).step_by(block as usize) {
            let touches = offset < bad.end && bad.start < offset + 4096;
            let expected = if touches { -EIO } else { 4096 };
            assert_eq!(read(&mut *pair, offset, 4096).0, expected, "at {offset}");
            assert_eq!(write(&mut *pair, offset, &random(offset, 4096)), expected, "at {offset}");
        }
        assert_eq!(flush(&mut *pair), 0, "a flush has no place");
    }
}

#[test]
fn error_with_a_probability_follows_from_the_seed() {
    let outcomes = |seed| {
        let device = Faulty::new(memory(), [Fault::enospc().on(Op::Write).chance(0.1).seed(seed)]);
        let mut pair = pair(&device, 1);
        let data = random(1, 512);
        let outcomes: Vec<i32> = (0..1000).map(|_| write(&mut *pair, 0, &data)).collect();
        let failed = outcomes.iter().filter(|result| **result == -libc::ENOSPC).count();
        assert!((60..140).contains(&failed), "{failed} of 1000 failed");
        assert_eq!(device.strikes(), [failed as u64]);
        outcomes
    };
    assert_eq!(outcomes(1), outcomes(1));
    assert_ne!(outcomes(1), outcomes(2));
}

#[test]
fn faults_of_one_seed_choose_apart() {
    let fault = Fault::eio().chance(0.5);
    let device = Faulty::new(memory(), [fault, Fault::enospc().chance(0.5)]);
    let mut pair = pair(&device, 1);
    let outcomes: HashSet<i32> = (0..100).map(|_| read(&mut *pair, 0, 512).0).collect();
    assert_eq!(outcomes, HashSet::from([512, -EIO, -libc::ENOSPC]));
}

#[test]
fn probability_of_one_is_always_and_of_zero_never() {
    for (probability, expected) in [(1.0, -EIO), (0.0, 512)] {
        let device = Faulty::new(memory(), [Fault::eio().chance(probability)]);
        let mut pair = pair(&device, 1);
        assert!((0..100).all(|_| read(&mut *pair, 0, 512).0 == expected));
    }
}

#[test]
fn error_though_done_fails_and_is_on_the_medium() {
    let device = Faulty::new(memory(), [Fault::errno_though_done(EIO).on(Op::Write).nth(0)]);
    let data = random(1, 4096);
    assert_eq!(write(&mut *pair(&device, 1), 0, &data), -EIO);
    assert_eq!(device.device().contents(0, 4096), data);
}

#[test]
#[should_panic(expected = "no Read can have")]
fn fault_on_requests_that_cannot_have_it_is_refused() {
    let _ = Fault::torn(512).on(Op::Read);
}

// ------------------------------------------------------------------------------------------------ damage to
// data

/// Runs `check` over a device in memory and over a file on each engine, with these faults.
fn over_all(faults: &[Fault], check: impl Fn(&mut dyn QueuePair)) {
    check(&mut *pair(&Faulty::new(memory(), faults), 1));
    for engine in [IoEngine::Psync, IoEngine::IoUring] {
        check(&mut *pair(&Faulty::new(file(engine), faults), 1));
    }
}

#[test]
fn short_write_moves_as_many_bytes_as_it_says() {
    over_all(&[Fault::short().on(Op::Write).from(1)], |pair| {
        let (old, mut results) = (random(0, PAGE), HashSet::new());
        assert_eq!(write(pair, 0, &old), PAGE as i32);
        let mut before = old;
        for seed in 1..20 {
            let new = random(seed, PAGE);
            let result = write(pair, 0, &new);
            assert!(result > 0 && result < PAGE as i32 && result % 512 == 0, "{result}");
            let moved = result as usize;
            before[..moved].copy_from_slice(&new[..moved]);
            assert_eq!(read(pair, 0, PAGE), (PAGE as i32, before.clone()));
            results.insert(result);
        }
        assert!(results.len() > 5, "{results:?}");
    });
}

#[test]
fn short_read_moves_as_many_bytes_as_it_says() {
    over_all(&[Fault::short().on(Op::Read).nth(0)], |pair| {
        let data = random(1, PAGE);
        write(pair, 0, &data);
        let (result, bytes) = read(pair, 0, PAGE);
        assert!(result > 0 && result < PAGE as i32 && result % 512 == 0, "{result}");
        let moved = result as usize;
        assert_eq!(bytes[..moved], data[..moved]);
        assert!(bytes[moved..].iter().all(|byte| *byte == 0xEE));
        assert_eq!(read(pair, 0, PAGE), (PAGE as i32, data));
    });
}

#[test]
fn nothing_is_shorter_than_a_sector() {
    let device = Faulty::new(memory(), [Fault::short()]);
    let mut pair = pair(&device, 1);
    assert_eq!((write(&mut *pair, 0, &random(1, 512)), device.strikes()), (512, vec![0]));
    assert_eq!((write(&mut *pair, 0, &random(1, 1024)), device.strikes()), (512, vec![1]));
}

#[test]
fn torn_write_leaves_some_parts_old_and_says_nothing() {
    for part in [512, 4096] {
        over_all(&[Fault::torn(part).on(Op::Write).from(1)], |pair| {
            let mut before = random(0, PAGE);
            write(pair, PAGE.into(), &before);
            let mut patterns = HashSet::new();
            for seed in 1..20 {
                let new = random(seed, PAGE);
                assert_eq!(write(pair, PAGE.into(), &new), PAGE as i32);
                let after = read(pair, PAGE.into(), PAGE).1;
                let pattern: Vec<bool> = (0..(PAGE / part) as usize)
                    .map(|at| {
                        let range = at * part as usize..(at + 1) * part as usize;
                        let (is_new, is_old) = (
                            after[range.clone()] == new[range.clone()],
                            after[range.clone()] == before[range],
                        );
                        assert!(is_new != is_old, "part {at} is neither");
                        is_new
                    })
                    .collect();
                assert!(pattern.contains(&true) && pattern.contains(&false), "{pattern:?}");
                patterns.insert(pattern);
                before = after;
            }
            assert!(patterns.len() > 4, "{patterns:?}");
        });
    }
}

#[test]
fn write_of_one_part_is_not_torn() {
    let device = Faulty::new(memory(), [Fault::torn(4096)]);
    let mut pair = pair(&device, 1);
    for (offset, len) in [(0, 512), (8192, 4096), (1024, 2048)] {
        let data = random(offset, len);
        write(&mut *pair, offset, &data);
        assert_eq!((device.device().contents(offset, len as usize), device.strikes()), (data, vec![0]));
    }
    // As long as one part, but on two of the device's.
    write(&mut *pair, 2048, &random(1, 4096));
    assert_eq!(device.strikes(), [1]);
}

#[test]
fn torn_write_that_fails_gets_there_in_part() {
    let device = Faulty::new(memory(), [Fault::torn(512).nth(0), Fault::eio().on(Op::Write).nth(0)]);
    let data = random(1, 4096);
    assert_eq!(write(&mut *pair(&device, 1), 0, &data), -EIO);
    let lost = differing_sectors(&device.device().contents(0, 4096), &data).len();
    assert!((1..8).contains(&lost), "{lost} of 8 sectors lost");
}

#[test]
fn lost_write_completes_and_changes_nothing() {
    over_all(&[Fault::lost().nth(1)], |pair| {
        let (first, second) = (random(1, 4096), random(2, 4096));
        assert_eq!((write(pair, 0, &first), write(pair, 0, &second)), (4096, 4096));
        assert_eq!(read(pair, 0, 4096).1, first);
        assert_eq!((write(pair, 0, &second), read(pair, 0, 4096).1), (4096, second));
    });
}

#[test]
fn misdirected_write_goes_to_one_other_place() {
    let device = Faulty::new(memory(), [Fault::misdirected().on(Op::Write)]);
    let mut pair = pair(&device, 1);
    let mut places = HashSet::new();
    for seed in 0..50 {
        let (before, data) = (device.device().contents(0, CAPACITY as usize), random(seed, 512));
        assert_eq!(write(&mut *pair, 4096, &data), 512);
        let after = device.device().contents(0, CAPACITY as usize);
        let changed = differing_sectors(&before, &after);
        assert_eq!(changed.len(), 1);
        assert_ne!(changed[0], 8, "that is the right place");
        assert_eq!(after[changed[0] * 512..][..512], data);
        places.insert(changed[0]);
    }
    assert!(places.len() > 40);
}

#[test]
fn misdirected_requests_stay_on_a_device_of_two_blocks() {
    let device = Faulty::new(MemoryDevice::new(1024, 512), [Fault::misdirected()]);
    let mut pair = pair(&device, 1);
    write(&mut *pair, 0, &random(1, 512));
    assert_eq!(device.device().contents(512, 512), random(1, 512));
    assert_eq!(read(&mut *pair, 0, 512).1, random(1, 512));
    // There is no other place for the whole device.
    assert_eq!((read(&mut *pair, 0, 1024).0, device.strikes()), (1024, vec![2]));
}

#[test]
fn misdirected_read_gives_another_place() {
    over_all(&[Fault::misdirected().on(Op::Read).nth(0)], |pair| {
        let data = random(1, 4096);
        write(pair, 0, &data);
        assert_eq!(read(pair, 0, 4096), (4096, vec![0; 4096]));
        assert_eq!(read(pair, 0, 4096), (4096, data));
    });
}

#[test]
fn stale_read_gives_the_version_before_the_last() {
    over_all(&[Fault::stale().from(1)], |pair| {
        let versions: Vec<Vec<u8>> = (0..3).map(|seed| random(seed, 8192)).collect();
        write(pair, 0, &versions[0]);
        assert_eq!(read(pair, 0, 8192).1, versions[0], "the first read is as it should be");
        assert_eq!(read(pair, 0, 8192).1, [0; 8192]);
        write(pair, 0, &versions[1]);
        assert_eq!(read(pair, 0, 8192).1, versions[0]);
        // Half of it is written once more.
        write(pair, 4096, &versions[2][..4096]);
        let expected = [&versions[0][..4096], &versions[1][4096..]].concat();
        assert_eq!(read(pair, 0, 8192).1, expected);
        assert_eq!(read(pair, 16384, 4096).1, [0; 4096], "never written, nothing before");
    });
}

#[test]
fn bit_flips_once_in_what_is_read() {
    over_all(&[Fault::bit_flip().on(Op::Read).nth(0)], |pair| {
        let data = random(1, PAGE);
        write(pair, 0, &data);
        assert_eq!(differing_bits(&read(pair, 0, PAGE).1, &data), 1);
        assert_eq!(read(pair, 0, PAGE).1, data);
    });
}

#[test]
fn bit_flips_on_the_medium_in_what_is_written() {
    over_all(&[Fault::bit_flip().on(Op::Write).nth(0)], |pair| {
        let data = random(1, PAGE);
        write(pair, 0, &data);
        let damaged = read(pair, 0, PAGE).1;
        assert_eq!(differing_bits(&damaged, &data), 1);
        assert_eq!(read(pair, 0, PAGE).1, damaged, "for good");
        write(pair, 0, &data);
        assert_eq!(read(pair, 0, PAGE).1, data, "until it is written again");
    });
}

#[test]
fn bit_flips_at_rest_in_every_version() {
    let device = memory();
    let mut pair = pair(&device, 1);
    let data = random(1, 512);
    write(&mut *pair, 512, &data);
    device.flip_bit(512 + 7, 3);
    let mut flipped = data;
    flipped[7] ^= 8;
    assert_eq!(read(&mut *pair, 512, 512).1, flipped);
    assert_eq!(device.crash(|_| Survival::Whole).contents(512, 512), flipped);
    assert_eq!(device.crash_to_durable().contents(512, 512)[7], 8);
    flush(&mut *pair);
    assert_eq!(device.durable_contents(512, 512), flipped);
}

#[test]
fn damage_is_the_same_again_for_the_same_seed() {
    let faults = |seed| {
        [Fault::torn(512), Fault::misdirected(), Fault::bit_flip()].map(|fault| fault.chance(0.3).seed(seed))
    };
    let run = |seed| {
        let device = Faulty::new(memory(), faults(seed));
        let mut pair = pair(&device, 1);
        (0..50).for_each(|i| {
            write(&mut *pair, i * 4096, &random(i, 4096));
        });
        device.device().contents(0, CAPACITY as usize)
    };
    assert!(run(1) == run(1));
    assert!(run(1) != run(2));
}

// ----------------------------------------------------------------------------------------------------
// durability

#[test]
fn lying_flush_completes_and_makes_nothing_durable() {
    let device = Faulty::new(memory(), [Fault::lying_flush().on(Op::Flush).nth(0)]);
    let mut pair = pair(&device, 1);
    let data = random(1, 512);
    write(&mut *pair, 0, &data);
    assert_eq!(flush(&mut *pair), 0);
    assert_eq!(device.device().durable_contents(0, 512), [0; 512]);
    assert_eq!(read(&mut *pair, 0, 512).1, data, "only a power cut would tell");
    assert_eq!(flush(&mut *pair), 0);
    assert_eq!(device.device().durable_contents(0, 512), data);
}

#[test]
fn durable_write_is_lied_about_too() {
    for (faults, survives) in [(vec![], true), (vec![Fault::lying_flush()], false)] {
        let device = Faulty::new(memory(), faults);
        let mut pair = pair(&device, 1);
        write(&mut *pair, 0, &random(0, 512));
        pair.buffer(0).fill(7);
        let request = Request { durable: true, ..Request::write(0, 512, 512) };
        assert_eq!(perform(&mut *pair, request), 512);
        assert_eq!(device.device().durable_contents(512, 512)[0] == 7, survives);
        assert_eq!(device.device().contents(512, 512), [7; 512]);
    }
}

#[test]
fn power_cut_fails_everything_from_then_on_and_nothing_later_reaches_the_medium() {
    let device = Faulty::new(memory(), [Fault::power_cut().on(Op::Write).nth(2)]);
    let (mut one, mut other) = (pair(&device, 1), pair(&device, 1));
    assert_eq!(write(&mut *one, 0, &random(0, 512)), 512);
    assert_eq!(flush(&mut *one), 0);
    assert_eq!(write(&mut *one, 512, &random(1, 512)), 512);
    assert_eq!(write(&mut *one, 1024, &random(2, 512)), -EIO);
    assert_eq!(write(&mut *one, 1536, &random(3, 512)), -EIO);
    assert_eq!(write(&mut *other, 2048, &random(4, 512)), -EIO);
    assert_eq!((flush(&mut *other), read(&mut *one, 0, 512).0), (-EIO, -EIO));
    // The write that power failed under may be on the medium; those after it are not.
    let unsynced: Vec<u64> = device.device().unsynced().iter().map(|write| write.offset).collect();
    assert_eq!(unsynced, [512, 1024]);
    let left = device.device().crash(|write| match write.offset {
        512 => Survival::Absent,
        _ => Survival::Whole,
    });
    let expected = [random(0, 512), vec![0; 512], random(2, 512), vec![0; 1024]].concat();
    assert_eq!(left.contents(0, 2560), expected);
}

#[test]
fn power_cut_leaves_all_writes_in_the_air_to_the_crash_durable_or_not() {
    let device = Faulty::new(memory(), [Fault::power_cut().on(Op::Write).nth(1)]);
    let mut pair = pair(&device, 4);
    for slot in 0..4 {
        pair.buffer(slot).fill(slot as u8 + 1);
        let request = Request::write(slot, u64::from(slot) * 512, 512);
        pair.submit(Request { durable: true, ..request }).unwrap();
    }
    let mut done = drain(&mut *pair);
    done.sort_by_key(|done| done.slot);
    assert_eq!(done.iter().map(|done| done.result).collect::<Vec<_>>(), [512, -EIO, -EIO, -EIO]);
    // The first was durable before; the others may be lost though they asked to be durable, as nobody said
    // they were.
    assert_eq!(device.device().durable_contents(0, 1024), [[1; 512], [0; 512]].concat());
    assert_eq!(device.device().every_crash(Tearing::Sector512).count(), 8);
}

#[test]
fn power_cut_leaves_a_trim_in_the_air_to_the_crash() {
    let device = Faulty::new(memory(), [Fault::power_cut().on(Op::Trim).nth(0)]);
    let mut pair = pair(&device, 1);
    write(&mut *pair, 0, &random(1, 1024));
    flush(&mut *pair);
    assert_eq!(perform(&mut *pair, Request::trim(0, 0, 512)), -EIO);
    assert_eq!(perform(&mut *pair, Request::trim(0, 512, 512)), -EIO);
    let memory = device.device();
    assert_eq!(memory.crash_to_durable().contents(0, 1024), random(1, 1024));
    let trimmed = memory.crash(|_| Survival::Whole).contents(0, 1024);
    assert_eq!((&trimmed[..512], &trimmed[512..]), (&[0; 512][..], &random(1, 1024)[512..]));
}

#[test]
fn silent_power_cut_completes_nothing_more() {
    let device = Faulty::new(memory(), [Fault::silent_power_cut().on(Op::Write).nth(1)]);
    let mut pair = pair(&device, 2);
    assert_eq!(write(&mut *pair, 0, &random(0, 512)), 512);
    pair.submit(Request::write(0, 512, 512)).unwrap();
    let mut done = Vec::new();
    pair.reap(1, pair.now() + MS, &mut done).unwrap();
    pair.submit(Request::write(1, 1024, 512)).unwrap();
    pair.reap(1, pair.now() + MS, &mut done).unwrap();
    assert_eq!((done.len(), pair.in_flight(), device.device().unsynced().len()), (0, 2, 2));
    assert!(pair.reap(1, NEVER, &mut done).is_err());
}

#[test]
fn power_cut_works_over_a_file() {
    let device = Faulty::new(file(IoEngine::IoUring), [Fault::power_cut().on(Op::Write).nth(1)]);
    let mut pair = pair(&device, 1);
    let results: Vec<i32> = (0..3).map(|i| write(&mut *pair, 0, &random(i, 4096))).collect();
    assert_eq!(results, [4096, -EIO, -EIO]);
}

// ------------------------------------------------------------------------------------------------ time and
// order

#[test]
fn delayed_request_is_waited_for_by_no_other() {
    let device = Faulty::new(memory(), [Fault::delay(HOUR).on(Op::Read).nth(1)]);
    let mut pair = pair(&device, 3);
    (0..3).for_each(|slot| pair.submit(Request::read(slot, 0, 512)).unwrap());
    let mut done = Vec::new();
    pair.reap(2, NEVER, &mut done).unwrap();
    assert_eq!(done.iter().map(|done| done.slot).collect::<Vec<_>>(), [0, 2]);
    pair.reap(1, pair.now() + MS, &mut done).unwrap();
    assert_eq!((done.len(), pair.in_flight()), (2, 1));
}

#[test]
fn delays_by_chance_complete_late_and_in_order_of_time() {
    let device = Faulty::new(memory(), [Fault::delay(3 * MS).chance(0.5).seed(3)]);
    let mut pair = pair(&device, 16);
    let start = pair.now();
    (0..16).for_each(|slot| pair.submit(Request::read(slot, 0, 512)).unwrap());
    let done = drain(&mut *pair);
    let late = done.iter().filter(|done| done.at >= start + 3 * MS).count() as u64;
    assert!((1..16).contains(&device.strikes()[0]), "{:?}", device.strikes());
    assert!(late >= device.strikes()[0] && done.is_sorted_by_key(|done| done.at));
    assert!(pair.now() >= done[15].at);
}

#[test]
fn stuck_request_never_completes_and_others_do() {
    for device in [&memory() as &dyn Device, &file(IoEngine::Psync), &file(IoEngine::IoUring)] {
        let device = Faulty::new(Borrowed(device), [Fault::hang().on(Op::Write).nth(1)]);
        let mut pair = pair(&device, 3);
        (0..3).for_each(|slot| pair.submit(Request::write(slot, u64::from(slot) * 4096, 4096)).unwrap());
        let mut done = Vec::new();
        pair.reap(2, NEVER, &mut done).unwrap();
        done.sort_by_key(|done| done.slot);
        assert_eq!(done.iter().map(|done| done.slot).collect::<Vec<_>>(), [0, 2]);
        pair.submit(Request::read(0, 0, 4096)).unwrap();
        // However long a real file takes.
        pair.reap(1, NEVER, &mut done).unwrap();
        pair.reap(1, pair.now() + MS, &mut done).unwrap();
        assert_eq!((done.len(), done[2].result, pair.in_flight()), (3, 4096, 1));
    }
}

#[test]
fn stall_stops_one_queue_pair_and_no_other() {
    let device = Faulty::new(memory(), [Fault::stall(HOUR).on(Op::Flush).nth(0)]);
    let (mut one, mut other) = (pair(&device, 2), pair(&device, 1));
    one.submit(Request::flush(0)).unwrap();
    one.submit(Request::read(1, 0, 512)).unwrap();
    let mut done = Vec::new();
    one.reap(1, one.now() + MS, &mut done).unwrap();
    assert_eq!((done.len(), one.in_flight()), (0, 2));
    assert_eq!(perform(&mut *other, Request::read(0, 0, 512)), 512);
}

#[test]
fn stall_is_over_after_its_time() {
    let device = Faulty::new(memory(), [Fault::stall(3 * MS).nth(0)]);
    let mut pair = pair(&device, 2);
    let start = pair.now();
    (0..2).for_each(|slot| pair.submit(Request::read(slot, 0, 512)).unwrap());
    assert!(drain(&mut *pair).iter().all(|done| done.at >= start + 3 * MS && done.result == 512));
}

/// The order in which eight requests complete, and that in which the device did them.
fn orders(faults: &[Fault]) -> (Vec<u32>, Vec<u64>, usize) {
    let device = Faulty::new(memory(), faults);
    let mut pair = pair(&device, 8);
    (0..8).for_each(|slot| pair.submit(Request::write(slot, u64::from(slot) * 512, 512)).unwrap());
    let (mut done, mut reaps) = (Vec::new(), 0);
    while pair.in_flight() > 0 {
        pair.reap(1, NEVER, &mut done).unwrap();
        reaps += 1;
    }
    let did = device.device().unsynced().iter().map(|write| write.offset / 512).collect();
    (done.iter().map(|done| done.slot).collect(), did, reaps)
}

#[test]
fn reordering_changes_the_order_of_completions_and_of_writes_by_seed() {
    let in_order = ((0..8).collect(), (0..8).collect(), 1);
    assert_eq!(orders(&[]), in_order);
    let shuffled = orders(&[Fault::reorder().seed(1)]);
    assert_ne!(shuffled.0, in_order.0);
    assert_ne!(shuffled.1, in_order.1);
    assert_ne!(shuffled.0, shuffled.1.iter().map(|block| *block as u32).collect::<Vec<_>>());
    assert!(shuffled.2 > 1, "some completions come a reap later");
    for mut slots in [shuffled.0.clone(), shuffled.1.iter().map(|block| *block as u32).collect()] {
        slots.sort_unstable();
        assert_eq!(slots, in_order.0, "each once");
    }
    assert_eq!(orders(&[Fault::reorder().seed(1)]), shuffled);
    let seeds: HashSet<_> = (0..50).map(|seed| orders(&[Fault::reorder().seed(seed)])).collect();
    assert!(seeds.len() > 45);
}

#[test]
fn reordered_completions_come_in_an_order_of_their_own() {
    let device = Faulty::new(memory(), [Fault::reorder().seed(1)]);
    let (mut pair, mut done) = (pair(&device, 8), Vec::new());
    (0..8).for_each(|slot| pair.submit(Request::write(slot, u64::from(slot) * 512, 512)).unwrap());
    pair.reap(8, NEVER, &mut done).unwrap();
    let completed: Vec<u64> = done.iter().map(|done| done.slot.into()).collect();
    let did: Vec<u64> = device.device().unsynced().iter().map(|write| write.offset / 512).collect();
    assert!(completed.len() == 8 && !completed.is_sorted() && completed != did, "{completed:?}, {did:?}");
}

#[test]
fn reordering_of_some_leaves_the_others_in_order() {
    let (completed, _, _) = orders(&[Fault::reorder().within(2048..4096).seed(2)]);
    let others: Vec<u32> = completed.into_iter().filter(|slot| *slot < 4).collect();
    assert_eq!(others, [0, 1, 2, 3]);
}

#[test]
fn older_of_two_reordered_writes_to_a_block_may_win() {
    let last: HashSet<u8> = (0..20)
        .map(|seed| {
            let device = Faulty::new(memory(), [Fault::reorder().seed(seed)]);
            let mut pair = pair(&device, 2);
            for slot in 0..2 {
                pair.buffer(slot).fill(slot as u8);
                pair.submit(Request::write(slot, 0, 512)).unwrap();
            }
            drain(&mut *pair);
            device.device().contents(0, 512)[0]
        })
        .collect();
    assert_eq!(last, HashSet::from([0, 1]));
}

#[test]
fn polling_alone_completes_reordered_and_delayed_requests_in_the_end() {
    let faults =
        [Fault::reorder(), Fault::delay(MS).chance(0.5), Fault::torn(512).chance(0.5), Fault::stale()];
    for device in [&memory() as &dyn Device, &file(IoEngine::Psync), &file(IoEngine::IoUring)] {
        let device = Faulty::new(Borrowed(device), faults);
        let mut pair = pair(&device, 8);
        (0..8).for_each(|slot| pair.submit(Request::write(slot, 0, 4096)).unwrap());
        let mut done = Vec::new();
        while pair.in_flight() > 0 {
            pair.reap(0, 0, &mut done).unwrap();
        }
        let slots: HashSet<u32> = done.iter().map(|done| done.slot).collect();
        assert_eq!((done.len(), slots.len()), (8, 8));
    }
}

// -------------------------------------------------------------------------------------------------- virtual
// time

/// A device in virtual time, without data, on which every request takes a millisecond and none waits for
/// another.
struct Virtual;

struct VirtualPair {
    now: Nanos,
    queue: VecDeque<(Request, Nanos)>,
}

impl Device for Virtual {
    fn geometry(&self) -> Geometry {
        Geometry { capacity_bytes: CAPACITY, block_bytes: 512, writable: true }
    }

    fn clock(&self) -> Clock {
        Clock::Virtual
    }

    fn queue_pair(&self, _: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        Ok(Box::new(VirtualPair { now: 0, queue: VecDeque::new() }))
    }
}

impl QueuePair for VirtualPair {
    fn geometry(&self) -> Geometry {
        Virtual.geometry()
    }

    fn shape(&self) -> QueueShape {
        QueueShape::new(8, PAGE)
    }

    fn buffer(&mut self, _: u32) -> &mut [u8] {
        &mut []
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        self.queue.push_back((request, self.now + MS));
        Ok(())
    }

    fn reap(&mut self, min: u32, deadline: Nanos, done: &mut Vec<Completion>) -> Result<(), DeviceError> {
        let before = done.len();
        while let Some((request, at)) = self.queue.front().copied() {
            let wanted = done.len() - before < min as usize && at <= deadline;
            if at > self.now && !wanted {
                break;
            }
            self.now = self.now.max(at);
            done.push(Completion { slot: request.slot, result: request.len as i32, at });
            self.queue.pop_front();
        }
        if done.len() - before < min as usize || self.queue.is_empty() && min == 0 && deadline != NEVER {
            self.now = self.now.max(deadline);
        }
        Ok(())
    }

    fn now(&self) -> Nanos {
        self.now
    }

    fn in_flight(&self) -> u32 {
        self.queue.len() as u32
    }
}

/// Slots and times, in milliseconds, of eight reads submitted at once and awaited together.
fn virtual_reads(faults: &[Fault]) -> Vec<(u32, Nanos)> {
    let device = Faulty::new(Virtual, faults);
    let (mut pair, mut done) = (pair(&device, 8), Vec::new());
    (0..8).for_each(|slot| pair.submit(Request::read(slot, 0, 4096)).unwrap());
    pair.reap(8, NEVER, &mut done).unwrap();
    assert_eq!(pair.in_flight(), 0);
    done.iter().map(|done| (done.slot, done.at / MS)).collect()
}

#[test]
fn delay_and_stall_are_exact_in_virtual_time() {
    let late = virtual_reads(&[Fault::delay(10 * MS).nth(2), Fault::delay(5 * MS).nth(6)]);
    assert_eq!(late, [(0, 1), (1, 1), (3, 1), (4, 1), (5, 1), (7, 1), (6, 6), (2, 11)]);
    assert!(virtual_reads(&[Fault::stall(7 * MS).nth(3)]).into_iter().eq((0..8).map(|slot| (slot, 7))));
}

#[test]
fn data_faults_leave_a_device_without_data_alone() {
    let damage =
        [Fault::torn(512), Fault::stale(), Fault::bit_flip(), Fault::misdirected(), Fault::lying_flush()];
    assert!(virtual_reads(&damage).into_iter().eq((0..8).map(|slot| (slot, 1))));
    let device = Faulty::new(Virtual, [Fault::short(), Fault::bit_flip(), Fault::torn(512), Fault::stale()]);
    let mut pair = pair(&device, 8);
    for request in [Request::read(0, 0, 4096), Request::write(0, 0, 4096)] {
        let result = perform(&mut *pair, request);
        assert!((512..4096).contains(&result) && result % 512 == 0, "{result}");
    }
}

#[test]
fn order_and_hangs_in_virtual_time() {
    let mut slots: Vec<u32> = virtual_reads(&[Fault::reorder()]).iter().map(|(slot, _)| *slot).collect();
    assert!(!slots.is_sorted());
    slots.sort_unstable();
    assert!(slots.into_iter().eq(0..8));
    let device = Faulty::new(Virtual, [Fault::hang().nth(0)]);
    let mut pair = pair(&device, 8);
    (0..2).for_each(|slot| pair.submit(Request::read(slot, 0, 4096)).unwrap());
    let mut done = Vec::new();
    pair.reap(2, 20 * MS, &mut done).unwrap();
    assert_eq!((done.len(), done[0].at, pair.now(), pair.in_flight()), (1, MS, 20 * MS, 1));
}

// ------------------------------------------------------------------------------------------------------
// counting

#[test]
fn threads_count_together_and_the_nth_fails_once() {
    const THREADS: u64 = 4;
    const EACH: u64 = 2000;
    let faults =
        [Fault::eio().on(Op::Write).nth(1234), Fault::enospc().on(Op::Read).from(THREADS * EACH - 100)];
    let device = Faulty::new(memory(), faults);
    let (failed, full) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let mut pair = pair(&device, 1);
                for _ in 0..EACH {
                    let write = perform(&mut *pair, Request::write(0, 0, 512));
                    let read = perform(&mut *pair, Request::read(0, 0, 512));
                    failed.fetch_add(u64::from(write == -EIO), Ordering::Relaxed);
                    full.fetch_add(u64::from(read == -libc::ENOSPC), Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!((failed.into_inner(), full.into_inner()), (1, 100));
    assert_eq!((device.strikes(), device.submitted()), (vec![1, 100], 2 * THREADS * EACH));
}

#[test]
fn each_fault_counts_the_requests_it_may_befall() {
    let faults = [
        Fault::eio().on(Op::Read).on(Op::Flush).nth(2),
        Fault::enospc().within(4096..8192).on(Op::Write).nth(1),
    ];
    let device = Faulty::new(memory(), faults);
    let mut pair = pair(&device, 1);
    let data = random(0, 512);
    assert_eq!(write(&mut *pair, 4096, &data), 512);
    assert_eq!((read(&mut *pair, 0, 512).0, flush(&mut *pair)), (512, 0));
    assert_eq!(write(&mut *pair, 0, &data), 512);
    assert_eq!(write(&mut *pair, 4608, &data), -libc::ENOSPC);
    assert_eq!((read(&mut *pair, 0, 512).0, flush(&mut *pair)), (-EIO, 0));
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
