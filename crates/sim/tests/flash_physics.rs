//! What limits a flash drive: dies, channels, link, software, in closed form.

use leadline_device::{Op, Request};

use crate::flash_drive::{Drive, M, Outcome, closed_loop};

/// Random reads of 4K with that many in flight.
fn reads(drive: &Drive, depth: u32, count: u64) -> Outcome {
    let mut random = fastrand::Rng::with_seed(3);
    closed_loop(&mut *drive.queue(depth), count, |slot| {
        Request::read(slot, random.u64(..64 * M / 4096) * 4096, 4096)
    })
}

/// Writes of 4K in sequence to a drive that holds nothing: no collection.
fn writes(drive: &Drive, depth: u32, count: u64) -> Outcome {
    let mut next = 0..;
    let fresh = drive.clone().set("state", "\"fresh\"");
    closed_loop(&mut *fresh.queue(depth), count, |slot| {
        Request::write(slot, next.next().unwrap() * 4096, 4096)
    })
}

fn dies(channels: u32, each: u32) -> Drive {
    Drive::new()
        .set("geometry.channels", &channels.to_string())
        .set("geometry.dies_per_channel", &each.to_string())
}

#[track_caller]
fn assert_close(measured: f64, expected: f64, share: f64) {
    println!("{measured:.1}, expected {expected:.1}: {:+.2} %", (measured / expected - 1.0) * 100.0);
    assert!((measured / expected - 1.0).abs() < share, "{measured} and not {expected}");
}

#[test]
fn a_request_alone_takes_what_its_parts_take() {
    let alone = |outcome: Outcome, ns: u64| {
        assert!(outcome.requests.iter().all(|done| done.took == ns), "{outcome:?}");
    };
    // 50 µs in the array, 4.096 µs on the bus; 200 µs to program.
    alone(reads(&Drive::new(), 1, 100), 54_096);
    alone(writes(&Drive::new(), 1, 100), 204_096);
    let around = Drive::new()
        .set("timing.controller_us", "3")
        .set("buffer.hit_us", "2")
        .set("link.request_us", "5")
        .set("link.mb_per_s", "2000");
    // Over the link data takes 2.048 µs: a read's at the end, a write's at the beginning. `hit_us` passes
    // while the write is programmed.
    alone(reads(&around, 1, 100), 5_000 + 3_000 + 54_096 + 2_048);
    alone(writes(&around, 1, 100), 5_000 + 2_048 + 3_000 + 204_096);
}

#[test]
fn reads_are_limited_by_dies_channels_and_link_whichever_is_least() {
    for (what, drive, per_second) in [
        ("4 dies", dies(1, 4), 4.0 / 50e-6),
        ("8 dies", dies(4, 2), 8.0 / 50e-6),
        ("a channel", dies(1, 8).set("timing.bus_mb_per_s", "102.4"), 1.0 / 40e-6),
        ("2 channels", dies(2, 8).set("timing.bus_mb_per_s", "102.4"), 2.0 / 40e-6),
        ("the link", dies(4, 8).set("link.mb_per_s", "1000"), 1.0 / 4.096e-6),
        ("software", dies(4, 8).set("link.request_us", "5"), 1.0 / 5e-6),
        ("software in 2 queues", dies(4, 8).set("link.request_us", "5").set("link.queues", "2"), 2.0 / 5e-6),
        ("a cap", dies(4, 8).set("cap.iops", "12345"), 12345.0),
    ] {
        println!("{what}");
        assert_close(reads(&drive, 512, 20_000).per_second(), per_second, 0.03);
    }
}

#[test]
fn writes_are_limited_by_dies_planes_and_channels() {
    for (what, drive, per_second) in [
        ("a die", dies(1, 1), 1.0 / 200e-6),
        ("8 dies", dies(4, 2), 8.0 / 200e-6),
        ("4 planes", dies(1, 2).set("geometry.planes", "4"), 8.0 / 200e-6),
        ("pages of 16K", dies(1, 2).set("geometry.page_bytes", "16384"), 8.0 / 200e-6),
        ("a channel", dies(1, 8).set("timing.bus_mb_per_s", "102.4"), 1.0 / 40e-6),
        ("a link both ways", dies(4, 8).set("link.mb_per_s", "256"), 1.0 / 16e-6),
        ("page types", dies(1, 4).set("timing.program_us", "[100, 200, 600]"), 4.0 / 300e-6),
        ("superblocks", dies(4, 2).set("geometry.superblock", "true"), 8.0 / 200e-6),
    ] {
        println!("{what}");
        assert_close(writes(&drive, 128, 8_000).per_second(), per_second, 0.02);
    }
}

#[test]
fn reads_of_page_types_take_their_mean_time() {
    let drive = Drive::new().set("timing.read_us", "[30, 50, 100]");
    assert_close(reads(&drive, 1, 5_000).mean_us(Op::Read), 64.1, 0.02);
    let spread = reads(&Drive::new().set("timing.sigma", "0.5"), 1, 20_000);
    assert_close(spread.mean_us(Op::Read), 54.1, 0.02);
    assert!(spread.quantile_us(Op::Read, 0.99) > 2.0 * spread.quantile_us(Op::Read, 0.5));
}

#[test]
fn no_concurrency_does_more_than_so_many_times_one_request_nor_than_the_link() {
    for drive in [
        dies(4, 2),
        dies(2, 2).set("geometry.planes", "2").set("link.mb_per_s", "300"),
        dies(1, 4).set("timing.suspend_us", "10").set("link.request_us", "2"),
        dies(2, 2).set("link.mb_per_s", "200").set("link.duplex", "false"),
    ] {
        let [read_alone, write_alone] =
            [reads(&drive, 1, 500), writes(&drive, 1, 500)].map(|x| x.per_second());
        let link: Option<f64> = drive.get("link.mb_per_s").map(|mb| mb.parse().unwrap());
        let (mut last_read, mut last_write) = (0.0, 0.0);
        for depth in [1, 2, 3, 5, 8, 16, 64, 300] {
            let (r, w) =
                (reads(&drive, depth, 4_000).per_second(), writes(&drive, depth, 4_000).per_second());
            assert!(r <= 1.0001 * read_alone * f64::from(depth), "{depth} reads: {r} and {read_alone} alone");
            assert!(
                w <= 1.0001 * write_alone * f64::from(depth),
                "{depth} writes: {w} and {write_alone} alone"
            );
            let most = link.map_or(f64::INFINITY, |mb| mb * 1e6 / 4096.0);
            assert!(r <= 1.0001 * most && w <= 1.0001 * most, "{depth}: {r}, {w}, link {most}");
            assert!(r >= 0.98 * last_read && w >= 0.98 * last_write, "more in flight does not slow it down");
            (last_read, last_write) = (r, w);
        }
    }
}

#[test]
fn software_that_writes_wait_for_does_not_hold_up_reads() {
    let drive = dies(4, 8).set("link.request_us", "5").set("link.write_us", "20");
    let drive = drive.set("buffer.write", "\"16M\"");
    assert_close(reads(&drive, 512, 20_000).per_second(), 1.0 / 5e-6, 0.03);
    assert_close(writes(&drive, 512, 4_000).per_second(), 1.0 / 25e-6, 0.03);
}

#[test]
fn both_ways_of_a_link_are_used_at_once_or_one_at_a_time() {
    let mixed = |duplex: &str| {
        let drive = dies(4, 8).set("buffer.write", "\"8M\"").set("link.mb_per_s", "409.6");
        let mut queue = drive.set("link.duplex", duplex).queue(256);
        let mut random = fastrand::Rng::with_seed(3);
        let outcome = closed_loop(&mut *queue, 4_000, |slot| {
            let offset = random.u64(..64 * M / 4096) * 4096;
            if slot % 2 == 0 { Request::read(slot, offset, 4096) } else { Request::write(slot, offset, 4096) }
        });
        outcome.per_second()
    };
    // 10 µs each way.
    let (duplex, one_at_a_time) = (mixed("true"), mixed("false"));
    assert_close(one_at_a_time, 1.0 / 10e-6, 0.02);
    assert!(duplex > 1.6 * one_at_a_time, "{duplex} and {one_at_a_time}");
}

#[test]
fn static_allocation_writes_a_page_where_it_belongs_and_dynamic_where_there_is_time() {
    // Every fourth page: all of them belong to one of four dies.
    let strided = |allocation: &str| {
        let mut queue = dies(2, 2).set("allocation", allocation).set("state", "\"fresh\"").queue(64);
        let mut next = 0..;
        let request = |slot| Request::write(slot, next.next().unwrap() * 4 * 4096, 4096);
        closed_loop(&mut *queue, 2_000, request).per_second()
    };
    assert_close(strided("\"static\""), 1.0 / 200e-6, 0.02);
    assert_close(strided("\"dynamic\""), 4.0 / 200e-6, 0.02);
}

#[test]
fn collection_takes_its_share_of_the_dies() {
    // Each host page costs the dies (program + (WA - 1) (read + program) + WA erase / 64), if nothing is
    // idle.
    let drive = dies(1, 4).set("state", "\"steady\"").set("over_provisioning", "0.15");
    let mut queue = drive.queue(64);
    let mut random = fastrand::Rng::with_seed(3);
    let mut run = |count| {
        closed_loop(&mut *queue, count, |slot| Request::write(slot, random.u64(..16_384) * 4096, 4096))
    };
    run(16_384);
    let outcome = run(32_768);
    let amplification = queue.wear().unwrap().write_amplification().unwrap();
    let (moved, erased) = (amplification - 1.0, amplification / 64.0);
    let busy_us = 200.0 + moved * 250.0 + erased * 2000.0;
    println!("amplification {amplification:.2}");
    assert_close(outcome.per_second(), 4.0 / (busy_us * 1e-6), 0.05);
}
