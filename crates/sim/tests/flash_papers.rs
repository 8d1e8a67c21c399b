//! The flash drives of the catalogue beside the figures that were published of them: the main tolerances, so
//! that nobody loosens the fit unawares. All figures are in benches/RESULTS.md.

use leadline_device::{Device, Op, QueuePair, QueueShape, Request};
use leadline_sim::{DeviceSpec, InitialState};

use crate::flash_drive::{M, Outcome, closed_loop};

const PAGE: u64 = 4096;

/// A drive of the catalogue in some state, with room for `depth` requests in flight.
fn queue(name: &str, state: InitialState, depth: u32) -> Box<dyn QueuePair> {
    let DeviceSpec::Flash(mut spec) = leadline_sim::spec(name).unwrap() else {
        panic!("{name} is no flash drive")
    };
    spec.state = state;
    DeviceSpec::Flash(spec).device().queue_pair(QueueShape::new(depth, M as u32)).unwrap()
}

fn within(what: &str, found: f64, published: f64, percent: f64) {
    println!("{what}: {found:.2}, published {published}");
    assert!(
        (found / published - 1.0).abs() <= percent / 100.0,
        "{what}: {found} and not {published} +- {percent} %"
    );
}

fn within_times(what: &str, found: f64, published: f64, times: f64) {
    println!("{what}: {found:.2}, published {published}");
    assert!(
        (1.0 / times..=times).contains(&(found / published)),
        "{what}: {found} and not about {published}"
    );
}

/// Bytes of the file of the tests of Papon and Athanassoulis.
const FILE: u64 = 256 * M;

/// Bytes per second of random requests of `bytes` in a file that has been overwritten at random.
fn saturated(name: &str, op: Op, bytes: u64, depth: u32) -> f64 {
    let mut queue = queue(name, InitialState::Fresh, depth);
    let (mut next, mut random) = (0.., fastrand::Rng::with_seed(7));
    let mut anywhere = |op, slot, bytes: u64| {
        let offset = random.u64(..FILE / bytes) * bytes;
        Request { op, ..Request::read(slot, offset, bytes as u32) }
    };
    closed_loop(&mut *queue, FILE / M, |slot| Request::write(slot, next.next().unwrap() * M, M as u32));
    closed_loop(&mut *queue, 2 * FILE / PAGE, |slot| anywhere(Op::Write, slot, PAGE));
    let count = 20_000;
    closed_loop(&mut *queue, count, |slot| anywhere(op, slot, bytes)).per_second() * bytes as f64
}

#[test]
fn asymmetry_and_concurrency_of_the_p4510_and_the_s4610() {
    // Papon and Athanassoulis, DaMoN 2021, table 2 (through a file system), and what a SATA drive takes at a
    // time.
    for (name, bytes, alpha, depth) in [
        ("p4510-ftl", PAGE, 2.8, 128),
        ("p4510-ftl", 2 * PAGE, 1.9, 128),
        ("s4610-ftl", PAGE, 1.5, 32),
        ("s4610-ftl", 2 * PAGE, 1.3, 32),
    ] {
        let found =
            saturated(name, Op::Read, bytes, depth) / saturated(name, Op::Write, bytes, 64.min(depth));
        within(&format!("alpha of {name}, {bytes} bytes"), found, alpha, 10.0);
    }
    let reads = |depth| saturated("p4510-ftl", Op::Read, PAGE, depth);
    let (one, most) = (reads(1), reads(128));
    within("bandwidth of the P4510 over one read at a time", most / one, 40.0, 10.0);
    // k_r = 80, within a factor of 2.
    assert!(reads(40) < 0.9 * most, "saturated too early");
    let one = |name, op| PAGE as f64 * 1e6 / saturated(name, op, PAGE, 1);
    within("a read of the S4610, us", one("s4610-ftl", Op::Read), 100.0, 10.0);
    within("a write of the S4610, us", one("s4610-ftl", Op::Write), 130.0, 10.0);
    within("a write of the P4510, us", one("p4510-ftl", Op::Write), 19.6, 10.0);
}

/// Reads of 4K of a P3700 by slot 0, and what `other` makes by the other slots.
fn reads_beside(depth: u32, count: u64, mut other: impl FnMut(u32) -> Request) -> Outcome {
    let mut queue = queue("p3700-ftl", InitialState::Filled, depth);
    let mut random = fastrand::Rng::with_seed(7);
    let mut all = closed_loop(&mut *queue, count, |slot| match slot {
        0 => Request::read(slot, random.u64(..1 << 24) * PAGE, PAGE as u32),
        _ => other(slot),
    });
    all.requests.retain(|done| done.slot == 0);
    all
}

#[test]
fn medians_and_tails_of_the_p3700() {
    // Yang, Li and Lilja, ACM TOMPECS 5(1), 2020, table 1.
    let check = |what: &str, found: &Outcome, p50, p999| {
        within(&format!("{what}: p50"), found.quantile_us(Op::Read, 0.5), p50, 15.0);
        within_times(&format!("{what}: p99.9"), found.quantile_us(Op::Read, 0.999), p999, 2.0);
    };
    check("at rest", &reads_beside(1, 50_000, |_| unreachable!("one slot")), 90.0, 182.0);
    // Ten reads of 8K at a time are about 800 MB/s.
    let mut random = fastrand::Rng::with_seed(8);
    let read = |slot| Request::read(slot, random.u64(..1 << 23) * 2 * PAGE, 2 * PAGE as u32);
    check("beside random reads of 800 MB/s", &reads_beside(11, 400_000, read), 101.0, 343.0);
    let mut random = fastrand::Rng::with_seed(9);
    let write = |slot| Request::write(slot, random.u64(1 << 24..1 << 25) * PAGE, PAGE as u32);
    check("beside overwriting", &reads_beside(2, 400_000, write), 100.0, 2989.0);
}
