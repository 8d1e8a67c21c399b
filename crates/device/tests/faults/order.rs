//! Requests that are late, stuck or in another order.

use std::collections::HashSet;

use leadline_device::{Device, Fault, Faulty, IoEngine, NEVER, Op, Request};

use crate::{Borrowed, HOUR, MS, drain, file, memory, pair, perform};

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
