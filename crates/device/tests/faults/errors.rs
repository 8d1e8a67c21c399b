//! Requests that fail: which, how often, and what is on the medium then.

use std::collections::HashSet;

use leadline_device::{Device, Fault, Faulty, IoEngine, Op};

use crate::{Borrowed, CAPACITY, EIO, file, flush, memory, pair, random, read, write};

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
