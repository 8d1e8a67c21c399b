//! What a write to a flash drive waits for: the buffer, the programs behind it, the SLC cache, the rest of a
//! page, durability.

use leadline_device::{Op, QueuePair, Request};

use crate::flash_drive::{Done, Drive, K, M, Outcome, closed_loop, pause};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// To program a page: 4.096 µs on the bus, 200 µs in the array.
const PROGRAM_US: f64 = 204.096;

/// Writes of 4K one after the other, from an offset on.
fn writes_in_sequence(queue: &mut dyn QueuePair, offset: u64, bytes: u64) -> Outcome {
    let mut next = 0..;
    closed_loop(queue, bytes / 4096, |slot| Request::write(slot, offset + next.next().unwrap() * 4096, 4096))
}

/// What one request takes, µs.
fn alone_us(queue: &mut dyn QueuePair, request: Request) -> f64 {
    let outcome = closed_loop(queue, 1, |slot| Request { slot, ..request });
    outcome.took as f64 / 1e3
}

#[test]
fn the_write_buffer_absorbs_a_burst_of_its_size() {
    for kib in [256, 1024, 4096] {
        let drive = Drive::new().set("buffer.write", &(kib * K).to_string()).set("buffer.hit_us", "2");
        let mut queue = drive.queue(1);
        let outcome = writes_in_sequence(&mut *queue, 0, 8 * M);
        let absorbed = outcome.requests.iter().take_while(|done| done.took == 2_000).count() as u64;
        // While it fills at 2 µs a page, one page leaves every 200 µs; the first two are on their way.
        let leaving = kib / 4 / 100 + 2;
        assert!((kib / 4..=kib / 4 + leaving).contains(&absorbed), "{kib} KiB: {absorbed} pages");
        let after = &outcome.requests[absorbed as usize..];
        let mean = after.iter().map(|done| done.took as f64 / 1e3).sum::<f64>() / after.len() as f64;
        assert!((mean / 200.0 - 1.0).abs() < 0.01, "{mean}");
        // Empty again after a while.
        pause(&mut *queue, SECOND);
        let again = writes_in_sequence(&mut *queue, 16 * M, kib * K);
        assert_eq!(again.quantile_us(Op::Write, 1.0), 2.0);
    }
}

#[test]
fn what_is_written_again_while_it_waits_is_programmed_once() {
    let mut queue = Drive::new().set("buffer.write", "\"1M\"").queue(1);
    let mut next = 0..;
    closed_loop(&mut *queue, 10_000, |slot| Request::write(slot, next.next().unwrap() % 16 * 4096, 4096));
    let wear = queue.wear().unwrap();
    assert!(wear.media_bytes < wear.host_bytes / 100, "{wear:?}");
    // And read from there.
    assert_eq!(alone_us(&mut *queue, Request::read(0, 4096, 4096)), 0.0);
}

#[test]
fn a_flush_waits_for_the_programs_unless_power_loss_is_no_danger() {
    let drive = Drive::new().set("buffer.write", "\"1M\"").set("buffer.flush_us", "7");
    for (protected, pages) in [(false, 1), (false, 64), (true, 64)] {
        let drive = drive.clone().set("buffer.power_loss_protection", &protected.to_string());
        let mut queue = drive.queue(64);
        assert_eq!(alone_us(&mut *queue, Request::flush(0)), 7.0, "nothing to wait for");
        writes_in_sequence(&mut *queue, 0, pages * 4096);
        let took = alone_us(&mut *queue, Request::flush(0));
        let expected = if protected { 7.0 } else { 7.0 + PROGRAM_US + (pages - 1) as f64 * 200.0 };
        assert!((took - expected).abs() < 0.1, "{pages} pages, {protected}: {took} and not {expected}");
        assert_eq!(alone_us(&mut *queue, Request::flush(0)), 7.0, "they are programmed");
    }
}

#[test]
fn a_durable_write_is_programmed_first_unless_power_loss_is_no_danger() {
    let drive = Drive::new().set("buffer.write", "\"1M\"").set("buffer.hit_us", "2");
    let durable = Request { durable: true, ..Request::write(0, 0, 4096) };
    let unprotected = drive.clone().set("buffer.power_loss_protection", "false");
    assert_eq!(alone_us(&mut *drive.queue(1), durable), 2.0);
    assert_eq!(alone_us(&mut *unprotected.queue(1), durable), PROGRAM_US);
    assert_eq!(alone_us(&mut *unprotected.queue(1), Request { durable: false, ..durable }), 2.0);
    let unbuffered = unprotected.without("buffer.write");
    assert_eq!(alone_us(&mut *unbuffered.queue(1), Request { durable: false, ..durable }), PROGRAM_US);
}

#[test]
fn a_write_of_a_part_of_a_page_costs_a_read_of_the_rest() {
    let drive = Drive::new().set("buffer.write", "\"1M\"").set("buffer.hit_us", "2");
    let mut queue = drive.queue(1);
    let read_us = 54.096;
    assert_eq!(alone_us(&mut *queue, Request::write(0, 8192, 4096)), 2.0, "a whole page");
    assert_eq!(alone_us(&mut *queue, Request::write(0, 8192 + 512, 512)), 2.0, "in the buffer");
    assert_eq!(alone_us(&mut *queue, Request::write(0, 512, 512)), read_us);
    // The ends of a longer one.
    pause(&mut *queue, SECOND);
    assert_eq!(alone_us(&mut *queue, Request::write(0, M + 512, 8192)), 50.0 + read_us, "two on one die");
    // Where nothing was, there is no rest; smaller units have none either.
    let mut queue = drive.clone().set("state", "\"fresh\"").queue(1);
    assert_eq!(alone_us(&mut *queue, Request::write(0, 512, 512)), 2.0);
    let mut queue = drive.set("mapping.unit", "512").queue(1);
    assert_eq!(alone_us(&mut *queue, Request::write(0, 512, 512)), 2.0);
}

#[test]
fn parts_mapped_apart_need_no_read_when_written_and_two_when_read() {
    let drive = Drive::new().set("buffer.write", "\"64K\"").set("mapping.fine_entries", "4");
    let mut queue = drive.queue(1);
    let read_us = 54.096;
    // Long enough for the buffer to be written.
    let mut took = |request: Request| {
        let took = alone_us(&mut *queue, request);
        pause(&mut *queue, SECOND);
        (took, queue.wear().unwrap().media_bytes / 4096)
    };
    let part = |unit: u64, sector: u64| Request::write(0, unit * 4096 + sector * 512, 512);
    let read = |sector: u64, sectors: u32| Request::read(0, sector * 512, sectors * 512);
    assert_eq!(took(part(0, 2)), (0.0, 1), "no read");
    assert_eq!(took(read(2, 1)).0, 50.512, "the part");
    assert_eq!(took(read(3, 5)).0, 50.0 + 2.56, "the rest");
    assert_eq!(took(read(0, 8)).0, 50.0 + 50.512, "both, on one die");
    assert_eq!(took(part(0, 2)), (0.0, 2), "the same part again");
    assert_eq!(took(part(0, 3)), (read_us, 3), "it grows: what is in it is read");
    assert_eq!(took(Request::write(0, 1024, 1536)), (0.0, 4), "no more of it is needed");
    // Four units may have a part: at the fifth the first is made whole.
    (1..4).for_each(|unit| assert_eq!(took(part(unit, 0)), (0.0, unit + 4)));
    assert_eq!(took(part(4, 0)).1, 9, "its part, and the first unit whole");
    assert_eq!(took(read(0, 8)).0, read_us);
    assert_eq!(took(read(8, 8)).0, 50.0 + 50.512);
    // A whole write and a trim do away with parts.
    assert_eq!(took(Request::write(0, 4096, 4096)).0, 0.0);
    assert_eq!(took(read(8, 8)).0, read_us);
    took(Request::trim(0, 8192, 4096));
    assert_eq!(took(read(16, 8)).0, 0.0);
}

#[test]
fn parts_that_make_up_a_unit_while_they_wait_are_written_as_one() {
    let drive = Drive::new().set("buffer.write", "\"64K\"").set("buffer.power_loss_protection", "false");
    let mut queue = drive.set("geometry.page_bytes", "8192").set("mapping.fine_entries", "100").queue(1);
    // In a page of two units one waits for another.
    for sector in 0..8 {
        assert_eq!(alone_us(&mut *queue, Request::write(0, sector * 512, 512)), 0.0);
    }
    alone_us(&mut *queue, Request::flush(0));
    assert_eq!(queue.wear().unwrap().media_bytes, 8192);
    assert_eq!(alone_us(&mut *queue, Request::read(0, 0, 4096)), 54.096);
}

/// A drive whose SLC cache takes so many MiB, four times as fast as the rest.
fn cached(megabytes: u64) -> Drive {
    Drive::new()
        .set("buffer.write", "\"64K\"")
        .set("slc.bytes", &(megabytes * M).to_string())
        .set("slc.read_us", "20")
        .set("slc.program_us", "50")
        .set("slc.idle_ms", "100")
}

/// Bytes that were written before the speed fell by half.
fn cliff(outcome: &Outcome) -> u64 {
    let rate = |part: &[Done]| part.len() as f64 / (part[part.len() - 1].at - part[0].at) as f64;
    let windows: Vec<f64> = outcome.requests.chunks(64).map(rate).collect();
    64 * 4096 * windows[1..].iter().position(|&now| now < 0.5 * windows[1]).map_or(0, |at| at as u64 + 1)
}

#[test]
fn an_slc_cache_shows_as_a_cliff_of_its_size_and_is_there_again_after_a_pause() {
    for megabytes in [2, 5, 12] {
        let mut queue = cached(megabytes).queue(1);
        let first = writes_in_sequence(&mut *queue, 0, 24 * M);
        let found = cliff(&first) as f64 / (megabytes * M) as f64;
        assert!((found - 1.0).abs() < 0.1, "{megabytes} MiB: {found}");
        // Too short a pause: nothing is folded. A long one: 256 pages per MiB, 270 µs each, and erases.
        pause(&mut *queue, 90 * MS);
        assert_eq!(cliff(&writes_in_sequence(&mut *queue, 24 * M, 2 * M)), 0);
        pause(&mut *queue, 10 * SECOND);
        let again = cliff(&writes_in_sequence(&mut *queue, 26 * M, 24 * M)) as f64 / (megabytes * M) as f64;
        assert!((again - 1.0).abs() < 0.1, "{megabytes} MiB, again: {again}");
    }
    let mut queue = Drive::new().set("buffer.write", "\"64K\"").queue(1);
    assert_eq!(cliff(&writes_in_sequence(&mut *queue, 0, 24 * M)), 0, "no cache, no cliff");
}

#[test]
fn the_slc_cache_is_read_faster_and_folding_writes_its_data_once_more() {
    let mut queue = cached(4).queue(1);
    writes_in_sequence(&mut *queue, 0, 2 * M);
    pause(&mut *queue, 50 * MS);
    assert_eq!(queue.wear().unwrap().media_bytes, 2 * M);
    assert_eq!(alone_us(&mut *queue, Request::read(0, M, 4096)), 24.096);
    assert_eq!(alone_us(&mut *queue, Request::read(0, 32 * M, 4096)), 54.096);
    pause(&mut *queue, 5 * SECOND);
    assert_eq!(queue.wear().unwrap().media_bytes, 4 * M);
    assert_eq!(alone_us(&mut *queue, Request::read(0, M, 4096)), 54.096);
}

#[test]
fn trims_lower_collection() {
    let amplification = |trims: bool| {
        let mut queue = Drive::new().set("state", "\"steady\"").set("over_provisioning", "0.1").queue(4);
        let (units, mut random) = (64 * M / 4096, fastrand::Rng::with_seed(3));
        // A quarter of the drive holds nothing at any time: what is trimmed is not what is written next.
        let request = |slot| {
            let offset = random.u64(..units) * 4096;
            if trims && random.u32(..4) == 0 {
                Request::trim(slot, offset, 4096)
            } else {
                Request::write(slot, offset, 4096)
            }
        };
        closed_loop(&mut *queue, 6 * units, request);
        queue.wear().unwrap().write_amplification().unwrap()
    };
    let (without, with) = (amplification(false), amplification(true));
    println!("without trims {without:.2}, with {with:.2}");
    assert!(with < 0.5 * without, "{with} and {without}");
}

#[test]
fn tokens_let_a_burst_of_the_host_go_first_while_there_are_free_blocks() {
    // Eighteen free blocks of 64 pages more than `hard`.
    let drive = Drive::new().set("state", "\"steady\"").set("gc.soft", "20");
    let bursts = |tokens: &str| {
        let mut queue = drive.clone().set("gc.tokens_per_write", tokens).queue(8);
        let mut random = fastrand::Rng::with_seed(3);
        let mut burst = |count| {
            let request = |slot| Request::write(slot, random.u64(..64 * M / 4096) * 4096, 4096);
            closed_loop(&mut *queue, count, request).per_second()
        };
        [burst(1_000), burst(10_000)]
    };
    let (paced, unpaced) = (bursts("0.1"), bursts("0"));
    println!("with tokens {paced:.0?} writes/s, without {unpaced:.0?}");
    assert!((paced[0] * 200e-6 - 0.9).abs() < 0.1, "nearly all of the die's time: {paced:?}");
    assert!(unpaced[0] < 0.7 * paced[0], "{paced:?} and {unpaced:?}");
    // In the long run it is all the same.
    assert!((paced[1] / unpaced[1] - 1.0).abs() < 0.1, "{paced:?} and {unpaced:?}");
}

#[test]
fn no_write_waits_until_whole_blocks_are_collected() {
    let drive = Drive::new().set("state", "\"steady\"").set("buffer.write", "\"16K\"");
    let drive = drive.set("geometry.channels", "2").set("geometry.dies_per_channel", "2");
    for (what, drive) in [
        ("dynamic", drive.clone()),
        ("static", drive.clone().set("allocation", "\"static\"")),
        ("superblocks", drive.clone().set("geometry.superblock", "true")),
        ("more in reserve", drive.set("gc.soft", "6").set("gc.hard", "2")),
    ] {
        let (mut queue, mut random) = (drive.queue(1), fastrand::Rng::with_seed(3));
        let request = |slot| Request::write(slot, random.u64(..64 * M / 4096) * 4096, 4096);
        let longest = *closed_loop(&mut *queue, 40_000, request).sorted_us(Op::Write).last().unwrap();
        println!("{what}: {longest:.0} us");
        // A block is 64 programs of 200 µs, of which a good half are moved, and two or three blocks make one
        // free: 25 ms and more. An erase takes 2 ms.
        assert!(longest < 9_000.0, "{what}: {longest} us");
    }
}
