//! Flushes that lie, and power cuts.

use leadline_device::{Fault, Faulty, IoEngine, NEVER, Op, Request, Survival, Tearing};

use crate::{EIO, MS, drain, file, flush, memory, pair, perform, random, read, write};

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
