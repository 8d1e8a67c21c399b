//! Write amplification against what is known: closed forms, and a simulator of tens of lines that shares
//! nothing with the one under test.

use leadline_device::{Op, QueuePair, Request};

use crate::flash_brute::Brute;
use crate::flash_drive::{Drive, M, closed_loop};

const UNIT: u64 = 4096;

/// A drive of one die, fast so that nothing but counts matters.
fn drive(capacity: u64, over_provisioning: f64, pages_per_block: u32) -> Drive {
    Drive::new()
        .set("capacity", &capacity.to_string())
        .set("over_provisioning", &over_provisioning.to_string())
        .set("state", "\"steady\"")
        .set("geometry.pages_per_block", &pages_per_block.to_string())
        .set("timing.read_us", "10")
        .set("timing.program_us", "20")
        .set("timing.erase_us", "50")
        .set("timing.bus_mb_per_s", "10000")
}

/// Writes units in the order given; the amplification of it.
fn write(queue: &mut dyn QueuePair, count: u64, mut unit: impl FnMut() -> u64) -> f64 {
    let before = queue.wear().unwrap();
    closed_loop(queue, count, |slot| Request::write(slot, unit() * UNIT, UNIT as u32));
    queue.wear().unwrap().since(&before).write_amplification().unwrap()
}

/// Of random writes to all of a drive, once they have settled: so many bytes are written for each of the
/// capacity.
fn uniform(drive: &Drive, before: f64, measured: f64) -> f64 {
    let mut queue = drive.queue(16);
    let units = queue.geometry().capacity_bytes / UNIT;
    let mut random = fastrand::Rng::with_seed(5);
    let count = |share: f64| (units as f64 * share) as u64;
    write(&mut *queue, count(before), || random.u64(..units));
    write(&mut *queue, count(measured), || random.u64(..units))
}

fn assert_close(what: &str, measured: f64, expected: f64, share: f64) {
    println!("{what}: {measured:.3}, expected {expected:.3}: {:+.2} %", (measured / expected - 1.0) * 100.0);
    assert!((measured / expected - 1.0).abs() < share, "{what}: {measured} and not {expected}");
}

/// Greedy collection of blocks with `units` each, of which `padding` are lost when a block is written: U
/// (H(U) - H(v)) / (U - v) = 1 + OP, WA = U / (U - v), H being the harmonic numbers (Desnoyers 2012). Between
/// whole v, H is linear: of the blocks with the fewest valid units some lose one more before they are taken.
fn greedy_law(units: u32, padding: f64, over_provisioning: f64) -> f64 {
    let harmonic = |x: f64| {
        let above = (1..=x.ceil() as u32).map(|i| 1.0 / f64::from(i)).sum::<f64>();
        above - (x.ceil() - x) / x.ceil()
    };
    let full = f64::from(units) - padding;
    let factor = |v: f64| f64::from(units) * (harmonic(full) - harmonic(v)) / (full - v);
    let (mut low, mut high) = (1e-3, full - 1e-6);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if factor(middle) > 1.0 + over_provisioning { low = middle } else { high = middle }
    }
    f64::from(units) / (full - low)
}

#[test]
fn uniform_random_writes_under_greedy_collection_are_as_the_closed_form_has_it() {
    for (over_provisioning, expected) in [(0.07, 7.82), (0.1, 5.68), (0.143, 4.18), (0.2, 3.19), (0.3, 2.36)]
    {
        let measured = uniform(&drive(2048 * M, over_provisioning, 256), 0.25, 0.5);
        assert_close(&format!("OP {over_provisioning}"), measured, expected, 0.03);
    }
}

#[test]
fn small_blocks_amplify_less_as_the_law_of_finite_blocks_has_it() {
    let mut last = 0.0;
    for pages in [16, 64, 256] {
        let measured = uniform(&drive(512 * M, 0.1, pages), 1.0, 2.0);
        assert_close(&format!("{pages} pages"), measured, greedy_law(pages, 0.0, 0.1), 0.01);
        assert!(measured > last, "{pages} pages: {measured} is not above {last}");
        last = measured;
    }
}

#[test]
fn few_blocks_amplify_more_of_which_two_are_always_open_or_free() {
    let mut last = f64::INFINITY;
    for blocks in [32, 128, 1024] {
        let drive = drive(blocks * 64 * UNIT, 0.0, 64).without("over_provisioning");
        // One block more for each eight, those that are open and in reserve included.
        let drive = drive.set("geometry.blocks_per_plane", &(blocks / 8 * 9).to_string());
        let measured = uniform(&drive, 64.0 / blocks as f64, 2048.0 / blocks as f64);
        println!("{blocks} blocks: {measured:.3}");
        assert!(measured < 0.95 * last, "{blocks} blocks: {measured} is not below {last}");
        last = measured;
    }
    assert_close("1024 blocks", last, greedy_law(64, 0.0, 0.125), 0.03);
}

#[test]
fn dies_planes_large_pages_and_superblocks_are_near_the_same_law() {
    let four_dies =
        drive(512 * M, 0.1, 64).set("geometry.channels", "2").set("geometry.dies_per_channel", "2");
    for (what, drive, units, program_units) in [
        ("four dies", four_dies.clone(), 64, 1),
        ("four dies, static", four_dies.clone().set("allocation", "\"static\""), 64, 1),
        ("superblocks", four_dies.set("geometry.superblock", "true"), 256, 1),
        ("four planes", drive(512 * M, 0.1, 64).set("geometry.planes", "4"), 256, 4),
        ("pages of 16K", drive(512 * M, 0.1, 64).set("geometry.page_bytes", "16384"), 256, 4),
    ] {
        let measured = uniform(&drive.set("buffer.write", "\"1M\""), 1.0, 1.0);
        // The last program of what is moved out of a block is filled up: half of it on average, or less.
        let padding = 0.5 * f64::from(program_units - 1);
        let (least, most) = (greedy_law(units, 0.0, 0.1), greedy_law(units, padding, 0.1));
        println!("{what}: {measured:.3}, law {least:.3}, with padding {most:.3}");
        assert!((0.99 * least..1.01 * most).contains(&measured), "{what}: {measured}");
    }
}

/// Random units with probabilities in proportion to 1 / rank^theta; the ranks are scattered.
fn zipf(units: u64, theta: f64) -> impl FnMut() -> u64 {
    let mut random = fastrand::Rng::with_seed(9);
    let mut sum = 0.0;
    let sums: Vec<f64> = (1..=units)
        .map(|rank| {
            sum += (rank as f64).powf(-theta);
            sum
        })
        .collect();
    let mut order: Vec<u64> = (0..units).collect();
    random.shuffle(&mut order);
    move || {
        let at = random.f64() * sum;
        order[sums.partition_point(|&below| below <= at)]
    }
}

/// Random units of which `share` of all get `writes` of the writes.
fn zones(units: u64, share: f64, writes: f64) -> impl FnMut() -> u64 {
    let (mut random, hot) = (fastrand::Rng::with_seed(9), (units as f64 * share) as u64);
    move || if random.f64() < writes { random.u64(..hot) } else { random.u64(hot..units) }
}

#[test]
fn skewed_writes_amplify_as_in_a_brute_force_simulator() {
    const CAPACITY: u64 = 256 * M;
    let units = CAPACITY / UNIT;
    let pattern = |what: &str| -> Box<dyn FnMut() -> u64> {
        match what {
            "zipf 0.99" => Box::new(zipf(units, 0.99)),
            "zones 10/90" => Box::new(zones(units, 0.1, 0.9)),
            _ => Box::new(zones(units, 0.5, 0.5)),
        }
    };
    for what in ["zones 10/90", "zipf 0.99", "uniform"] {
        // Like the brute, it collects when the last free block but one is taken.
        let drive = drive(CAPACITY, 0.1, 64).set("state", "\"filled\"").set("gc.soft", "2");
        // And, as it can do as much as it likes for each program, not before.
        let drive = drive.set("gc.tokens_per_write", "1000");
        let (mut queue, mut unit) = (drive.queue(16), pattern(what));
        write(&mut *queue, 6 * units, &mut unit);
        let measured = write(&mut *queue, 4 * units, &mut unit);
        let mut brute = Brute::new(queue.wear().unwrap().blocks as usize, 64, units as usize);
        let mut unit = pattern(what);
        (0..6 * units).for_each(|_| brute.write(unit() as usize));
        let before = brute.programs;
        (0..4 * units).for_each(|_| brute.write(unit() as usize));
        let expected = (brute.programs - before) as f64 / (4 * units) as f64;
        assert_close(what, measured, expected, 0.01);
    }
}

#[test]
fn sequential_overwrites_and_writes_to_a_trimmed_drive_amplify_nothing() {
    let drive = drive(64 * M, 0.07, 64);
    let units = 64 * M / UNIT;
    let mut queue = drive.clone().set("state", "\"filled\"").queue(16);
    let mut next = 0..;
    let sequential = write(&mut *queue, 4 * units, || next.next().unwrap() % units);
    assert_close("sequential", sequential, 1.0, 0.01);

    let mut queue = drive.queue(16);
    closed_loop(&mut *queue, 1, |slot| Request::trim(slot, 0, (64 * M) as u32));
    let mut order: Vec<u64> = (0..units).collect();
    fastrand::Rng::with_seed(2).shuffle(&mut order);
    let mut next = order.into_iter();
    let trimmed = write(&mut *queue, units, || next.next().unwrap());
    assert_close("trimmed", trimmed, 1.0, 0.02);
}

#[test]
fn trimming_half_of_a_drive_is_as_good_as_so_much_over_provisioning() {
    let mut queue = drive(256 * M, 0.1, 64).queue(16);
    let half = 128 * M / UNIT;
    let outcome = closed_loop(&mut *queue, 1, |slot| Request::trim(slot, 128 * M, (128 * M) as u32));
    assert_eq!(outcome.requests[0].op, Op::Trim);
    let mut random = fastrand::Rng::with_seed(5);
    write(&mut *queue, 4 * half, || random.u64(..half));
    let measured = write(&mut *queue, 4 * half, || random.u64(..half));
    assert_close("half trimmed", measured, greedy_law(64, 0.0, 1.2), 0.015);
}

#[test]
fn more_over_provisioning_amplifies_less() {
    let shares = [0.04, 0.07, 0.1, 0.2, 0.4, 0.8, 2.0];
    let all: Vec<f64> = shares.iter().map(|&share| uniform(&drive(64 * M, share, 64), 1.0, 2.0)).collect();
    println!("{all:.2?}");
    assert!(all.is_sorted_by(|more, less| more > less), "{all:?}");
    assert!(*all.last().unwrap() >= 1.0);
}

#[test]
fn cost_benefit_beats_greedy_where_some_pages_are_hot_and_a_wide_window_is_greedy() {
    let units = 128 * M / UNIT;
    let under_zones = |policy: &str| {
        let policy = drive(128 * M, 0.15, 64).set("gc.policy", policy).set("gc.window", "1000000");
        let (mut queue, mut unit) = (policy.queue(16), zones(units, 0.1, 0.9));
        write(&mut *queue, 6 * units, &mut unit);
        write(&mut *queue, 4 * units, &mut unit)
    };
    let [greedy, windowed, cost_benefit] =
        ["\"greedy\"", "\"windowed\"", "\"cost-benefit\""].map(under_zones);
    println!("greedy {greedy:.3}, windowed {windowed:.3}, cost-benefit {cost_benefit:.3}");
    // Of blocks with as many valid pages one takes the one written first, the other the one unchanged
    // longest.
    assert!((windowed / greedy - 1.0).abs() < 0.02);
    assert!(cost_benefit < 0.95 * greedy);
}
