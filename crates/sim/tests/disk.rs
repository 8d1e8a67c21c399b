//! A hard disk seeks, waits for its platter, and reads what passes; the built-in one takes what was
//! published.

use leadline_device::{Completion, NEVER, Nanos, Op, Request};
use leadline_sim::{DeviceModel, DeviceSpec, Simulated};
use proptest::prelude::*;

use crate::loads::{self, alone, closed_loop, queue, random, reap, sequential};

const US: Nanos = 1_000;
const MS: Nanos = 1_000_000;

/// Tracks of 1 MB that turn in 10 ms, 1000 of them; 1 ms to the next, 4 ms over a third, 10 ms over all. The
/// platter stands somewhere at the start.
const GOOD: &str = "kind = \"disk\"\ncapacity = 1024000000\n\
                    platter = { rpm = 6000, mb_per_s = 102.4 }\n\
                    seek = { track_us = 1000, average_us = 4000, full_us = 10000 }\n";
const TRACK: u64 = 1_024_000;

fn device(more: &str) -> Simulated {
    loads::device(&format!("{GOOD}{more}"))
}

fn model(more: &str) -> Box<dyn DeviceModel> {
    DeviceSpec::parse(&format!("{GOOD}{more}"), "test.toml").unwrap().model()
}

fn all(model: &mut dyn DeviceModel) -> Vec<(u32, Nanos)> {
    let mut completions = Vec::new();
    model.advance(NEVER, &mut completions);
    completions.iter().map(|c: &Completion| (c.slot, c.at)).collect()
}

const NO_READ_AHEAD: &str = "buffer = { read_ahead = 0 }\n";

#[test]
fn the_platter_turns_with_time_and_nothing_else() {
    let device = device(NO_READ_AHEAD);
    let mut queue = queue(&device, 1);
    alone(&mut *queue, Request::read(0, 0, 512));
    let sector = 5 * US;
    // The same place comes round once a turn, a later one sooner.
    for _ in 0..3 {
        assert_eq!(alone(&mut *queue, Request::read(0, 0, 512)), 10 * MS);
    }
    assert_eq!(alone(&mut *queue, Request::read(0, TRACK / 2, 512)), 5 * MS);
    assert_eq!(alone(&mut *queue, Request::read(0, TRACK / 2 + 512, 5120)), 10 * sector, "what comes next");
    assert_eq!(alone(&mut *queue, Request::write(0, 0, 512)), 5 * MS - 10 * sector);
}

#[test]
fn random_requests_take_a_seek_by_distance_and_half_a_turn() {
    // A range of tracks as a share of all: mean of the law over pairs of places in it, by numbers.
    let law = |share: f64| {
        if share < 0.5e-3 {
            0.0
        } else if share <= 1.0 / 3.0 {
            1.0 + 3.0 * (3.0 * share).sqrt()
        } else {
            4.0 + 9.0 * (share - 1.0 / 3.0)
        }
    };
    for range in [0.01, 0.1, 0.5, 1.0] {
        let tracks = (range * 1000.0) as i64;
        let pairs = (0..tracks).flat_map(|a| (0..tracks).map(move |b| (a - b).abs() as f64 / 1000.0));
        let seek = pairs.map(law).sum::<f64>() / (tracks * tracks) as f64;
        let device = device(NO_READ_AHEAD);
        let region = tracks as u64 * TRACK;
        let ours = closed_loop(&device, 1, 40_000, random(Op::Read, 512, region, 1)).mean_us() / 1e3;
        let truth = seek + 5.0 + 0.005;
        assert!((ours / truth - 1.0).abs() < 0.02, "{range} of the tracks: {ours} ms, truth {truth}");
    }
}

#[test]
fn sequential_requests_lose_no_turn() {
    let device = device("timing = { controller_us = 100 }\n");
    // A track and the way to the next: 1 ms and, as the square root begins, 0.164 ms.
    let most = TRACK as f64 / 11.164e-3;
    for (op, k, len, bytes_per_s) in [
        (Op::Read, 1, 1 << 20, most),
        (Op::Read, 1, 64 << 10, most),
        // 100 us for each.
        (Op::Read, 1, 4 << 10, 4096.0 / 100e-6),
        (Op::Read, 4, 16 << 10, most),
        (Op::Write, 2, 64 << 10, most),
        (Op::Write, 8, 16 << 10, most),
    ] {
        let ours = closed_loop(&device, k, 800, sequential(op, len)).per_second * f64::from(len);
        assert!(
            (ours / bytes_per_s - 1.0).abs() < 0.02,
            "{op:?} of {len}, k = {k}: {ours} bytes/s, {bytes_per_s}"
        );
    }
    // One write at a time is too late for its place: a turn each.
    let ours = closed_loop(&device, 1, 2_000, sequential(Op::Write, 4096)).mean_us() / 1e3;
    assert!((9.9..10.1).contains(&ours), "{ours} ms");
}

#[test]
fn reading_ahead_stops_when_the_buffer_is_full_and_what_is_in_it_is_there_at_once() {
    let device = device("buffer = { read_ahead = \"64K\" }\n");
    let mut queue = queue(&device, 1);
    let wait = |queue: &mut dyn leadline_device::QueuePair| {
        let later = queue.now() + 20 * MS + 5 * US;
        queue.reap(1, later, &mut Vec::new()).unwrap();
    };
    alone(&mut *queue, Request::read(0, 0, 4096));
    wait(&mut *queue);
    let now = queue.now();
    for page in 1..=16 {
        alone(&mut *queue, Request::read(0, page * 4096, 4096));
    }
    assert_eq!(queue.now(), now, "64 KiB were read in the meantime");
    // The head had stopped behind them, 640 us after the first page, and reads on when it is there again.
    assert_eq!(alone(&mut *queue, Request::read(0, 17 * 4096, 4096)), (640 + 40 - 5) * US);
    // Something else in between ends it.
    wait(&mut *queue);
    alone(&mut *queue, Request::read(0, 500 * TRACK, 4096));
    assert!(alone(&mut *queue, Request::read(0, 18 * 4096, 4096)) > MS);
}

#[test]
fn a_queue_is_reordered_by_what_comes_first_and_serves_more() {
    let at = |k, queue: &str| {
        closed_loop(&device(queue), k, 5_000, random(Op::Read, 4096, 1_000_000_000, 2)).per_second
    };
    let in_order = at(32, "queue = { depth = 1 }\n");
    assert!((at(1, "") / in_order - 1.0).abs() < 0.02, "in order of arrival k makes no difference");
    let rates = [in_order, at(4, ""), at(8, ""), at(32, "")];
    assert!(rates.windows(2).all(|pair| pair[1] > 1.1 * pair[0]), "{rates:?}");
    assert!(rates[3] > 1.8 * in_order && rates[3] < 4.0 * in_order, "{rates:?}");
    // Those beyond the depth wait outside.
    assert!((at(512, "") / at(32, "") - 1.0).abs() < 0.1);
    assert!(at(32, "queue = { reorder_ms = 0 }\n") < 1.05 * in_order);
}

#[test]
fn nothing_is_passed_by_what_came_much_later() {
    // Near requests that never end, and one that is far away.
    let slowest = |queue_text: &str| {
        let device = device(queue_text);
        let mut queue = queue(&device, 9);
        let mut near = random(Op::Read, 512, 4 * TRACK, 3);
        (0..8).for_each(|slot| queue.submit(near(slot)).unwrap());
        queue.submit(Request::read(8, 990 * TRACK, 512)).unwrap();
        loop {
            for completion in reap(&mut *queue, 1) {
                if completion.slot == 8 {
                    return completion.at / MS;
                }
                queue.submit(near(completion.slot)).unwrap();
            }
            if queue.now() > 20_000 * MS {
                return 20_000;
            }
        }
    };
    let (short, long) =
        (slowest("queue = { reorder_ms = 100 }\n"), slowest("queue = { reorder_ms = 2000 }\n"));
    // The bound, and those that came within it.
    assert!((100..250).contains(&short), "{short} ms");
    assert!((2000..2250).contains(&long), "{long} ms");
}

#[test]
fn a_write_cache_answers_at_once_while_there_is_room_and_a_flush_waits_for_all_of_it() {
    let device = device("buffer = { write = \"64K\" }\ntiming = { controller_us = 100 }\n");
    let mut queue = queue(&device, 4);
    let mut next = random(Op::Write, 4096, 1_000_000_000, 4);
    for _ in 0..16 {
        assert_eq!(alone(&mut *queue, next(0)), 100 * US);
    }
    // Of the 16 one may be on the platter by now.
    let waits: Nanos = (0..4).map(|_| alone(&mut *queue, next(0))).sum();
    assert!(waits > 5 * MS, "no room: {waits} ns");
    let flush = alone(&mut *queue, Request::flush(0));
    assert!(flush > 30 * MS, "{flush} ns for some 15 writes");
    assert_eq!(alone(&mut *queue, Request::flush(0)), 0, "nothing left");
    let wear = queue.wear().unwrap();
    assert_eq!((wear.host_bytes, wear.media_bytes, wear.erases), (20 * 4096, 20 * 4096, 0));
    // What is in the cache is read from it; a durable write and one larger than the cache go past it.
    alone(&mut *queue, Request::write(0, 1 << 25, 8192));
    assert_eq!(alone(&mut *queue, Request::read(0, (1 << 25) + 4096, 4096)), 100 * US);
    assert!(alone(&mut *queue, Request { durable: true, ..next(0) }) > 200 * US);
    assert!(alone(&mut *queue, Request::write(0, 1 << 26, 1 << 20)) > 10 * MS);
}

#[test]
fn reads_come_before_what_is_cached_but_not_forever() {
    let device = device("buffer = { write = \"64M\" }\nqueue = { reorder_ms = 1000 }\n");
    let mut queue = queue(&device, 104);
    let mut write = random(Op::Write, 4096, 1_000_000_000, 5);
    let mut read = random(Op::Read, 4096, 1_000_000_000, 6);
    (0..4).for_each(|slot| queue.submit(read(slot)).unwrap());
    (4..104).for_each(|slot| queue.submit(write(slot)).unwrap());
    let mut written = |until: Nanos| {
        while queue.now() < until {
            for completion in reap(&mut *queue, 1).iter().filter(|completion| completion.slot < 4) {
                queue.submit(read(completion.slot)).unwrap();
            }
        }
        queue.wear().unwrap().media_bytes / 4096
    };
    assert_eq!(written(900 * MS), 0, "four reads wait all the time");
    assert_eq!(written(5000 * MS), 100);
}

#[test]
fn a_flush_does_not_wait_until_the_reads_end() {
    let device = device("buffer = { write = \"64M\" }\nqueue = { reorder_ms = 60000 }\n");
    let mut queue = queue(&device, 105);
    let mut write = random(Op::Write, 4096, 1_000_000_000, 5);
    let mut read = random(Op::Read, 4096, 1_000_000_000, 6);
    (0..4).for_each(|slot| queue.submit(read(slot)).unwrap());
    (4..104).for_each(|slot| queue.submit(write(slot)).unwrap());
    queue.submit(Request::flush(104)).unwrap();
    while queue.now() < 5000 * MS {
        for completion in reap(&mut *queue, 1) {
            match completion.slot {
                104 => return,
                slot @ 0..4 => queue.submit(read(slot)).unwrap(),
                _ => {}
            }
        }
    }
    panic!("{:?} after 5 s", queue.wear());
}

#[test]
fn outer_tracks_are_faster_than_inner_ones() {
    let text = GOOD.replace("mb_per_s = 102.4", "mb_per_s = 102.4, inner_mb_per_s = 51.2, zones = 4");
    let device = loads::device(&text);
    let rate = |from: u64| {
        let mut next = sequential(Op::Read, 1 << 20);
        let far = move |slot| {
            let request = next(slot);
            Request { offset: request.offset + from, ..request }
        };
        closed_loop(&device, 1, 80, far).per_second
    };
    let (outer, inner) = (rate(0), rate(930_000_384));
    assert!((outer / inner - 2.0).abs() < 0.1, "{outer} and {inner} MiB/s");
}

#[test]
fn the_built_in_disk_takes_what_was_published() {
    // Papon and Athanassoulis, DaMoN 2021, table 1 and section 2: 4K, random, in a file of 29 GB.
    let text = leadline_catalogue::find("hdd-disk").unwrap().text;
    let at = |op, k, region| closed_loop(&loads::device(text), k, 10_000, random(op, 4096, region, 7));
    let (read, write) = (at(Op::Read, 1, 29_000_000_000), at(Op::Write, 1, 29_000_000_000));
    for (what, paper, ours, most) in [
        ("read, us", 7000.0, read.mean_us(), 0.03),
        ("write, us", 7300.0, write.mean_us(), 0.03),
        ("alpha at one request in flight", 1.0, read.per_second / write.per_second, 0.05),
        // A real disk that reorders is no device of k = 1, but its writes stay as fast as its reads.
        (
            "alpha at 64",
            1.0,
            at(Op::Read, 64, 1 << 30).per_second / at(Op::Write, 64, 1 << 30).per_second,
            0.1,
        ),
        ("read, us, in 1 GiB", 7000.0, at(Op::Read, 1, 1 << 30).mean_us(), 0.1),
        ("write, us, in 1 GiB", 7300.0, at(Op::Write, 1, 1 << 30).mean_us(), 0.1),
    ] {
        println!("| {what} | {paper} | {ours:.3} | {:+.1} % |", (ours / paper - 1.0) * 100.0);
        assert!((ours / paper - 1.0).abs() < most, "{what}: published {paper}, ours {ours}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is asked of it, in whatever order, of any alignment.
    #[test]
    fn every_request_is_done_once_after_its_data_has_passed_the_head(
        load in prop::collection::vec((0u64..20_000_000, 0u32..9, 1u32..3_000_000, 0u64..1 << 29), 1..60),
        more in prop::sample::select(vec![
            "", NO_READ_AHEAD, "buffer = { write = \"1M\" }\n", "queue = { depth = 2, reorder_ms = 5 }\n",
            "buffer = { write = \"4M\", read_ahead = 4096 }\n\
             link = { mb_per_s = 300, duplex = false, request_us = 9 }\n",
        ]),
    ) {
        let mut model = model(more);
        let mut arrived = Vec::new();
        let mut at = 0;
        for (&(gap, op, len, offset), slot) in load.iter().zip(0..) {
            at += gap;
            let request = match op {
                0 => Request::flush(slot),
                8 => Request::trim(slot, offset, len),
                1..4 => Request::write(slot, offset, len),
                4 => Request { durable: true, ..Request::write(slot, offset, len) },
                _ => Request::read(slot, offset, len),
            };
            arrived.push((at, request));
            model.arrive(&request, at);
        }
        let done = all(&mut *model);
        prop_assert_eq!(done.len(), arrived.len());
        prop_assert!(done.windows(2).all(|pair| pair[0].1 <= pair[1].1));
        let mut ends = vec![0; arrived.len()];
        done.iter().for_each(|&(slot, end)| ends[slot as usize] = end);
        let mut last_write = 0;
        for ((at, request), &end) in arrived.iter().zip(&ends) {
            prop_assert!(end >= *at);
            match request.op {
                Op::Write => last_write = last_write.max(end),
                Op::Flush => prop_assert!(end >= last_write, "{:?}", request),
                _ => {}
            }
            let passing = u64::from(request.len) * 10 * MS / TRACK;
            if request.op == Op::Write && (request.durable || !more.contains("write =")) {
                prop_assert!(end + 1 >= at + passing, "{:?}", request);
            }
        }
        let wear = model.wear().unwrap();
        prop_assert!(wear.media_bytes >= wear.host_bytes && wear.media_bytes.is_multiple_of(512));
    }
}
