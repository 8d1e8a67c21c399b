//! What makes reads of a flash drive fast or slow: where the data is, what is known of it, what else the die
//! does.

use leadline_device::{Op, QueuePair, Request};

use crate::flash_drive::{Drive, K, M, Outcome, closed_loop};

/// A read from the flash: 50 µs in the array and 4.096 µs on the bus.
const MISS_US: f64 = 54.096;

/// Random reads of 4K of the first so many bytes.
fn reads_within(queue: &mut dyn QueuePair, bytes: u64, count: u64) -> Outcome {
    let mut random = fastrand::Rng::with_seed(3);
    closed_loop(queue, count, |slot| Request::read(slot, random.u64(..bytes / 4096) * 4096, 4096))
}

/// Reads of 4K one after the other.
fn reads_in_sequence(queue: &mut dyn QueuePair, bytes: u64) -> Outcome {
    let mut next = 0..;
    closed_loop(queue, bytes / 4096, |slot| Request::read(slot, next.next().unwrap() * 4096, 4096))
}

#[test]
fn what_holds_nothing_is_answered_by_the_controller() {
    let drive = Drive::new().set("timing.controller_us", "3").set("buffer.hit_us", "2");
    // The buffer has nothing to do with it.
    let mut queue = drive.clone().set("state", "\"fresh\"").queue(1);
    assert_eq!(reads_within(&mut *queue, 64 * M, 1_000).quantile_us(Op::Read, 1.0), 3.0);

    let mut queue = drive.queue(1);
    let request = |slot| Request::trim(slot, M, M as u32);
    assert_eq!(closed_loop(&mut *queue, 1, request).quantile_us(Op::Trim, 1.0), 5.0);
    let mut at = |offset| {
        closed_loop(&mut *queue, 1, |slot| Request::read(slot, offset, 4096)).quantile_us(Op::Read, 1.0)
    };
    assert_eq!([at(M), at(2 * M - 4096)], [3.0; 2], "trimmed");
    assert_eq!([at(M - 4096), at(2 * M)], [MISS_US + 3.0; 2], "its neighbours");
}

#[test]
fn a_trim_forgets_only_what_it_covers_whole() {
    let mut queue = Drive::new().queue(1);
    closed_loop(&mut *queue, 1, |slot| Request::trim(slot, 512, 8192));
    for (offset, us) in [(0, MISS_US), (4096, 0.0), (8192, MISS_US)] {
        let read = closed_loop(&mut *queue, 1, |slot| Request::read(slot, offset, 4096));
        assert_eq!(read.quantile_us(Op::Read, 1.0), us, "{offset}");
    }
}

#[test]
fn a_cached_mapping_costs_a_read_where_the_footprint_exceeds_the_cache() {
    // A unit of the mapping has the entries of 4 MiB: eight of them are in memory.
    let drive = Drive::new().set("mapping.cache", "\"32K\"");
    for megabytes in [4, 16, 32, 36, 48, 64] {
        let mut queue = drive.queue(1);
        reads_within(&mut *queue, megabytes * M, 2_000);
        let mean = reads_within(&mut *queue, megabytes * M, 10_000).mean_us(Op::Read);
        let misses = (1.0 - 32.0 / megabytes as f64).max(0.0);
        let expected = MISS_US * (1.0 + misses);
        println!("{megabytes} MiB: {mean:.1} us, expected {expected:.1}");
        let within = if misses == 0.0 { 1e-9 } else { 0.02 };
        assert!((mean / expected - 1.0).abs() < within, "{megabytes} MiB: {mean} and not {expected}");
    }
    let whole = reads_within(&mut *Drive::new().queue(1), 64 * M, 2_000);
    assert!((whole.mean_us(Op::Read) / MISS_US - 1.0).abs() < 1e-9);
}

#[test]
fn entries_that_were_changed_are_written_back() {
    let amplification = |drive: Drive| {
        let mut queue = drive.queue(8);
        let mut random = fastrand::Rng::with_seed(3);
        let request = |slot| Request::write(slot, random.u64(..64 * M / 4096) * 4096, 4096);
        closed_loop(&mut *queue, 2_000, request);
        queue.wear().unwrap().write_amplification().unwrap()
    };
    // Nothing is collected yet; half of the writes find their entries missing, and drop others that changed.
    let drive = Drive::new().set("over_provisioning", "0.5");
    assert_eq!(amplification(drive.clone()), 1.0);
    let cached = amplification(drive.set("mapping.cache", "\"32K\""));
    assert!((1.45..1.55).contains(&cached), "{cached}");
}

#[test]
fn the_read_buffer_answers_what_fits_into_it() {
    let drive = Drive::new().set("buffer.read", "\"10M\"").set("buffer.hit_us", "5");
    for (megabytes, hits) in [(6, true), (10, true), (11, false), (20, false)] {
        let mut queue = drive.queue(1);
        reads_in_sequence(&mut *queue, megabytes * M);
        // What was used longest ago is forgotten first: in a loop, just what comes next.
        let again = reads_in_sequence(&mut *queue, megabytes * M);
        let expected = if hits { 5.0 } else { MISS_US };
        assert_eq!(again.quantile_us(Op::Read, 0.5), expected, "{megabytes} MiB");
    }
}

/// Sixteen dies with pages of 16K.
fn read_ahead() -> Drive {
    Drive::new()
        .set("geometry.channels", "4")
        .set("geometry.dies_per_channel", "4")
        .set("geometry.pages_per_block", "16")
        .set("geometry.page_bytes", "16384")
        .set("over_provisioning", "0.6")
        .set("read_ahead.bytes", "\"512K\"")
        .set("buffer.hit_us", "5")
}

#[test]
fn read_ahead_makes_a_sequence_as_fast_as_the_buffer_and_nothing_else() {
    let without = read_ahead().without("read_ahead.bytes");
    let slow = reads_in_sequence(&mut *without.queue(1), 16 * M).mean_us(Op::Read);
    assert!((slow - MISS_US).abs() < 0.1, "{slow}");
    let fast = reads_in_sequence(&mut *read_ahead().queue(1), 16 * M).mean_us(Op::Read);
    assert!(fast < 1.3 * 5.0, "{fast}");
    let random = reads_within(&mut *read_ahead().queue(1), 64 * M, 4_000).mean_us(Op::Read);
    assert!((random / MISS_US - 1.0).abs() < 0.05, "{random}");
    // As fast as the buses: the largest step is a page of 16K on one of four channels.
    let deep = reads_in_sequence(&mut *read_ahead().queue(16), 16 * M);
    assert!(deep.per_second() * 4096.0 > 0.8 * 4e9 * 16.0 / 16.384, "{} requests/s", deep.per_second());
}

#[test]
fn read_ahead_follows_as_many_sequences_as_it_has_streams() {
    let mean_us = |streams: &str, sequences: u64| {
        let mut queue = read_ahead().set("read_ahead.streams", streams).queue(1);
        let mut next = 0..;
        let request = |slot| {
            let at: u64 = next.next().unwrap();
            let (sequence, step) = (at % sequences, at / sequences);
            Request::read(slot, sequence * 8 * M + step * 4096, 4096)
        };
        closed_loop(&mut *queue, 4_000, request).mean_us(Op::Read)
    };
    assert!(mean_us("4", 4) < 10.0);
    assert!(mean_us("4", 5) > 0.9 * MISS_US);
    assert!(mean_us("5", 5) < 10.0);
}

#[test]
fn what_was_read_ahead_goes_with_its_sequence() {
    let mean_us = |streams: &str| {
        let mut queue = read_ahead().set("read_ahead.streams", streams).queue(1);
        let (mut random, mut next) = (fastrand::Rng::with_seed(3), 0..);
        // Fifteen of a sequence, then one elsewhere, which costs the sequence its place.
        let outcome = closed_loop(&mut *queue, 8_000, |slot| match next.next().unwrap() {
            at if at % 16 == 15 => Request::read(slot, (8192 + random.u64(..8192)) * 4096, 4096),
            at => Request::read(slot, at / 16 * 15 * 4096 + at % 16 * 4096, 4096),
        });
        let sequential: Vec<f64> =
            (0..8_000).filter(|at| at % 16 < 15).map(|at| outcome.requests[at].took as f64 / 1e3).collect();
        sequential.iter().sum::<f64>() / sequential.len() as f64
    };
    let (one, two) = (mean_us("1"), mean_us("2"));
    println!("with memory for one sequence {one:.1} us, for two {two:.1} us");
    // At least two in fifteen are read from the flash.
    assert!(two < 1.3 * 5.0 && one > (2.0 * MISS_US + 13.0 * 5.0) / 15.0, "{one} and {two}");
}

#[test]
fn read_ahead_is_dropped_where_dies_are_busy() {
    let mut queue = read_ahead().queue(33);
    let (mut random, mut next) = (fastrand::Rng::with_seed(3), 0..);
    // One reads in sequence; thirty-two at random.
    let outcome = closed_loop(&mut *queue, 20_000, |slot| match slot {
        0 => Request::read(0, next.next().unwrap() % 8192 * 4096, 4096),
        _ => Request::read(slot, (8192 + random.u64(..8192)) * 4096, 4096),
    });
    let alone = reads_in_sequence(&mut *read_ahead().queue(1), 16 * M).mean_us(Op::Read);
    let mean = |of_slot: fn(u32) -> bool| {
        let took =
            outcome.requests.iter().filter(|done| of_slot(done.slot)).map(|done| done.took as f64 / 1e3);
        took.clone().sum::<f64>() / took.count() as f64
    };
    let (sequential, others) = (mean(|slot| slot == 0), mean(|slot| slot > 0));
    println!("alone {alone:.1} us, beside random reads {sequential:.1} us, those {others:.1} us");
    assert!(sequential > 0.8 * others && sequential > 10.0 * alone, "{sequential}, {others} and {alone}");
}

#[test]
fn suspension_lowers_the_tail_of_reads_beside_writes() {
    let tail = |drive: Drive| {
        let drive = drive.set("state", "\"steady\"").set("buffer.write", "\"256K\"");
        let mut queue = drive.set("geometry.dies_per_channel", "4").queue(8);
        let mut random = fastrand::Rng::with_seed(3);
        let outcome = closed_loop(&mut *queue, 40_000, |slot| {
            let offset = random.u64(..64 * M / 4096) * 4096;
            if slot == 0 { Request::read(slot, offset, 4096) } else { Request::write(slot, offset, 4096) }
        });
        [0.5, 0.99, 0.999].map(|share| outcome.quantile_us(Op::Read, share))
    };
    let (waits, suspends) = (tail(Drive::new()), tail(Drive::new().set("timing.suspend_us", "10")));
    println!("p50, p99, p99.9: {waits:.0?}, with suspension {suspends:.0?}");
    assert!(waits[1] > 1_000.0, "an erase takes 2 ms: {waits:?}");
    assert!(suspends[1] < 0.5 * waits[1] && suspends[2] < 0.5 * waits[2], "{suspends:?} and {waits:?}");
}

#[test]
fn a_block_read_too_often_is_refreshed_with_its_period() {
    for (reads, pages) in [(1_000, 0), (300, 1), (300, 4)] {
        let drive =
            Drive::new().set("disturb.reads", &reads.to_string()).set("disturb.pages", &pages.to_string());
        let mut queue = drive.queue(1);
        let outcome = closed_loop(&mut *queue, 10 * reads, |slot| Request::read(slot, 0, 4096));
        // A refresh shows as slow reads one after the other: programs and an erase are in their way.
        let slow: Vec<usize> = (0..outcome.requests.len())
            .filter(|&at| outcome.requests[at].took as f64 > 2e3 * MISS_US)
            .collect();
        let first: Vec<usize> = (0..slow.len())
            .filter(|&at| at == 0 || slow[at] - slow[at - 1] > reads as usize / 2)
            .map(|at| slow[at])
            .collect();
        println!("{reads} reads, {pages} pages: {first:?}");
        assert!(first.len() >= 8, "{first:?}");
        for pair in first.windows(2) {
            let period = (pair[1] - pair[0]) as f64;
            assert!((period / reads as f64 - 1.0).abs() < 0.1, "{reads} reads, {pages} pages: {first:?}");
        }
        let moved = queue.wear().unwrap().media_bytes / 4096;
        let expected = if pages == 0 { 64 } else { pages };
        assert!((8 * expected..=11 * expected).contains(&moved), "{moved} pages moved");
    }
    // What refreshes write has to be collected, though nobody writes.
    let mut queue = Drive::new().set("disturb.reads", "100").set("disturb.pages", "4").queue(1);
    closed_loop(&mut *queue, 200_000, |slot| Request::read(slot, 0, 4096));
    let wear = queue.wear().unwrap();
    assert!(wear.media_bytes >= 1_800 * 4 * 4096 && wear.erases > 30, "{wear:?}");
    let mut queue = Drive::new().queue(1);
    closed_loop(&mut *queue, 10_000, |slot| Request::read(slot, 0, 4096));
    assert_eq!(queue.wear().unwrap().media_bytes, 0, "without [disturb] nothing is moved");
}

#[test]
fn large_reads_are_shared_by_the_dies() {
    let drive = Drive::new().set("geometry.channels", "2").set("geometry.dies_per_channel", "2");
    let read = closed_loop(&mut *drive.queue(1), 1, |slot| Request::read(slot, 0, 64 * K as u32));
    // Sixteen pages: four on each die one after the other, and the last leaves over the bus behind another.
    let us = read.quantile_us(Op::Read, 1.0);
    assert!((4.0 * 50.0..4.0 * 50.0 + 4.0 * 4.1).contains(&us), "{us}");
}
