//! Data that is short, torn, lost, misplaced, stale or flipped.

use std::collections::HashSet;

use leadline_device::{Fault, Faulty, IoEngine, MemoryDevice, Op, QueuePair, Survival};

use crate::{
    CAPACITY, EIO, PAGE, differing_bits, differing_sectors, file, flush, memory, pair, random, read, write,
};

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
