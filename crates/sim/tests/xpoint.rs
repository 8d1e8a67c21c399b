//! A 3D XPoint drive does with a request what its description says, to the nanosecond unless it is random.

use leadline_device::{Completion, NEVER, Nanos, Op, Request};
use leadline_sim::{DeviceModel, DeviceSpec, Simulated};
use proptest::prelude::*;

use crate::loads::{self, alone, closed_loop, queue, random, reap};

const US: Nanos = 1_000;
const REGION: u64 = 1 << 30;

/// Four channels of 1 KiB at once; a page takes 4 us to read and 8 us to write, and 10 and 20 us beyond that.
const GOOD: &str = "kind = \"xpoint\"\ncapacity = \"1G\"\n\
                    geometry = { channels = 4, part_bytes = 1024 }\n\
                    timing = { read_us = 10, write_us = 20, read_mb_per_s = 1024, write_mb_per_s = 512 }\n";

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

#[test]
fn a_request_alone_takes_its_parts_and_the_medium() {
    let device = device("");
    let mut queue = queue(&device, 1);
    for (request, us) in [
        (Request::read(0, 8192, 4096), 4 + 10),
        (Request::write(0, 8192, 4096), 8 + 20),
        // A part of a part takes all of it; three parts lie on three channels.
        (Request::read(0, 512, 512), 4 + 10),
        (Request::read(0, 4096, 3072), 4 + 10),
        // Nine parts: three turns of a page, the last with one part.
        (Request::write(0, 0, 9216), 3 * 8 + 20),
        // Half of one page and half of the next lie on different channels.
        (Request::read(0, 2048, 4096), 4 + 10),
    ] {
        assert_eq!(alone(&mut *queue, request), us * US, "{request:?}");
    }
}

#[test]
fn throughput_grows_with_requests_until_the_channels_are_busy() {
    let device = device("");
    for (op, k, per_second) in [
        (Op::Read, 1, 1e6 / 14.0),
        (Op::Read, 2, 2e6 / 14.0),
        (Op::Read, 4, 1e6 / 4.0),
        (Op::Read, 64, 1e6 / 4.0),
        (Op::Write, 3, 3e6 / 28.0),
        (Op::Write, 64, 1e6 / 8.0),
    ] {
        let ours = closed_loop(&device, k, 10_000, random(op, 4096, REGION, 1)).per_second;
        assert!((ours / per_second - 1.0).abs() < 0.001, "{op:?}, k = {k}: {ours} and not {per_second}");
    }
}

#[test]
fn a_small_request_does_not_wait_for_all_of_a_large_one() {
    let mut model = model("");
    model.arrive(&Request::read(0, 0, 1 << 20), 0);
    model.arrive(&Request::read(1, 1 << 25, 4096), 1);
    // The page that is moving, the next one, its own, the medium.
    let large = 256 * 4 * US + 4 * US + 10 * US;
    assert_eq!(all(&mut *model), [(1, (4 + 4 + 4 + 10) * US), (0, large)]);
}

#[test]
fn the_controller_takes_one_request_after_the_other() {
    let mut model = model("");
    let slow = GOOD.replace("timing = {", "timing = { controller_us = 6,");
    let mut controlled = DeviceSpec::parse(&slow, "test.toml").unwrap().model();
    for slot in 0..3 {
        model.arrive(&Request::read(slot, 0, 4096), 0);
        controlled.arrive(&Request::read(slot, 0, 4096), 0);
    }
    assert_eq!(all(&mut *model), [(0, 14 * US), (1, 18 * US), (2, 22 * US)]);
    assert_eq!(all(&mut *controlled), [(0, 20 * US), (1, 26 * US), (2, 32 * US)]);
}

#[test]
fn a_request_that_is_not_whole_pages_takes_longer_the_less_the_larger_it_is() {
    let device = device("alignment = { even_us = 20, odd_us = 40, fade = 40960 }\n");
    let aligned = self::device("");
    let (mut queue, mut plain) = (queue(&device, 1), queue(&aligned, 1));
    let mut extra = |offset: u64, len: u32| {
        let plain = alone(&mut *plain, Request::write(0, offset, len));
        alone(&mut *queue, Request::write(0, offset, len)) - plain
    };
    assert_eq!([extra(0, 4096), extra(4096, 40960)], [0, 0], "whole pages");
    assert_eq!([extra(2048, 2048), extra(0, 10240)], [19 * US, 15 * US], "whole halves of pages");
    assert_eq!([extra(0, 1024), extra(512, 4096), extra(0, 20480 + 512)], [39 * US, 36 * US, 19_500]);
    assert_eq!([extra(0, 40960 + 512), extra(1024, 1 << 19)], [0, 0], "large enough");
}

#[test]
fn the_same_place_is_refreshed_every_so_many_reads_and_by_a_write() {
    let device = device("disturb = { reads = 7, penalty_us = 50, pages = 64 }\n");
    let mut queue = queue(&device, 1);
    let mut slow = |offset, len| alone(&mut *queue, Request::read(0, offset, len)) > 40 * US;
    let found: Vec<usize> = (1..=21).filter(|_| slow(4096, 4096)).collect();
    assert_eq!(found, [7, 14, 21]);
    // Each place has its own count, and a read of two pages counts for both.
    assert!((0..6).all(|_| !slow(8192, 512)) && (0..4).all(|_| !slow(1 << 20, 4096)));
    assert!(slow(8192, 8192), "the seventh of the first page");
    assert!((0..5).all(|_| !slow(12288, 4096)), "and the first of the second");
    assert!(slow(12288, 4096));
    for _ in 0..6 {
        assert!(!slow(1 << 25, 4096));
    }
    drop(queue);
    let mut queue = loads::queue(&device, 1);
    alone(&mut *queue, Request::write(0, (1 << 25) + 1024, 512));
    let mut slow = || alone(&mut *queue, Request::read(0, 1 << 25, 4096)) > 40 * US;
    assert!((0..6).all(|_| !slow()) && slow(), "counted from the write on");
}

#[test]
fn reads_of_many_places_forget_those_read_long_ago() {
    let device = device("disturb = { reads = 3, penalty_us = 50, pages = 1024 }\n");
    let mut queue = queue(&device, 1);
    let mut pass = |pages: u64| -> usize {
        let slow = |page| alone(&mut *queue, Request::read(0, page * 4096, 4096)) > 40 * US;
        (0..pages).map(slow).filter(|slow| *slow).count()
    };
    // Three passes over as many places as fit easily refresh all of them but few.
    let found: usize = (0..3).map(|_| pass(256)).sum();
    assert!(found >= 240, "{found} of 256");
    // Over far more than it counts they refresh none.
    assert_eq!((0..6).map(|_| pass(100_000)).sum::<usize>(), 0);
}

#[test]
fn what_was_just_written_is_read_late_and_written_again_at_once() {
    let device = device("settle = { us = 100, banks = 1000 }\n");
    let mut queue = queue(&device, 1);
    alone(&mut *queue, Request::write(0, 0, 4096));
    assert_eq!(alone(&mut *queue, Request::write(0, 0, 4096)), 28 * US);
    assert_eq!(alone(&mut *queue, Request::read(0, 1 << 20, 4096)), 14 * US, "another bank");
    // 14 us have passed.
    assert_eq!(alone(&mut *queue, Request::read(0, 0, 4096)), (100 - 14 + 10) * US);
    assert_eq!(alone(&mut *queue, Request::read(0, 0, 4096)), 14 * US);
}

#[test]
fn now_and_then_a_request_stalls() {
    let at_rest = closed_loop(&device(""), 1, 1000, random(Op::Read, 4096, REGION, 1)).mean_us();
    let stalls = device("stall = { share = 0.02, mean_us = 300 }\n");
    let served = closed_loop(&stalls, 1, 200_000, random(Op::Read, 4096, REGION, 1));
    let more = served.mean_us() - at_rest;
    assert!((5.6..6.4).contains(&more), "2 % of 300 us are 6 us, not {more}");
    assert_eq!(served.percentile_us(97.0), at_rest, "the others do not");
}

#[test]
fn the_spread_is_lognormal_with_the_mean_given() {
    let spread = loads::device(&GOOD.replace("timing = {", "timing = { sigma = 0.5,"));
    let served = closed_loop(&spread, 1, 200_000, random(Op::Write, 4096, REGION, 1));
    let medium = |us: f64| us - 8.0;
    assert!((medium(served.mean_us()) / 20.0 - 1.0).abs() < 0.01, "{}", served.mean_us());
    let median = 20.0 * (-0.125f64).exp();
    for (percent, z) in [(50.0, 0.0), (90.0, 1.2816), (99.0, 2.3263)] {
        let (found, truth) = (medium(served.percentile_us(percent)), median * f64::exp(0.5 * z));
        assert!((found / truth - 1.0).abs() < 0.03, "p{percent}: {found}, truth {truth}");
    }
}

#[test]
fn the_software_of_the_host_is_a_limit_for_each_queue() {
    let text = |more: &str| format!("link = {{ request_us = 10{more} }}\n");
    for (more, k, per_second) in [
        // One waits for all of it, or for the part given.
        ("", 1, 1e6 / 24.0),
        (", latency_us = 2", 1, 1e6 / 16.0),
        ("", 16, 1e5),
        (", latency_us = 2", 16, 1e5),
        (", queues = 2", 16, 2e5),
        // 10 us more for 4 KiB.
        (", per_kib_us = 2.5", 1, 1e6 / 34.0),
        (", per_kib_us = 2.5", 16, 5e4),
        // The channels are the limit then.
        (", queues = 3", 16, 2.5e5),
    ] {
        let ours = closed_loop(&device(&text(more)), k, 10_000, random(Op::Read, 4096, REGION, 1)).per_second;
        assert!((ours / per_second - 1.0).abs() < 0.002, "{more}, k = {k}: {ours} and not {per_second}");
    }
}

#[test]
fn the_link_adds_a_page_and_limits_what_passes_it() {
    let fast = device("link = { mb_per_s = 4096 }\n");
    let mut queue = queue(&fast, 1);
    // Of a large request all but the first page passes while the medium works.
    assert_eq!(alone(&mut *queue, Request::read(0, 0, 4096)), 15 * US);
    assert_eq!(alone(&mut *queue, Request::write(0, 0, 4096)), 29 * US);
    assert_eq!(alone(&mut *queue, Request::read(0, 0, 1 << 20)), (1024 + 10 + 1) * US);
    let mixed = || {
        let mut random = fastrand::Rng::with_seed(5);
        move |slot| {
            let offset = random.u64(..1 << 15) << 15;
            if random.bool() {
                Request::read(slot, offset, 32768)
            } else {
                Request::write(slot, offset, 32768)
            }
        }
    };
    // 128 MB/s each way, or both ways together.
    for (duplex, mb_per_s) in [("true", 256.0), ("false", 128.0)] {
        let device = device(&format!("link = {{ mb_per_s = 128, duplex = {duplex} }}\n"));
        let ours = closed_loop(&device, 64, 20_000, mixed()).per_second * 32768.0 / 1e6;
        assert!((ours / mb_per_s - 1.0).abs() < 0.05, "{duplex}: {ours} MB/s");
    }
    let device = device("link = { mb_per_s = 128 }\n");
    for (op, us) in [(Op::Read, 10 + 8192), (Op::Write, 8192 + 20)] {
        let alone = closed_loop(&device, 1, 100, random(op, 1 << 20, REGION, 1)).mean_us();
        assert_eq!(alone, f64::from(us), "1 MiB at 128 MB/s, {op:?}");
    }
}

#[test]
fn a_limit_in_software_holds_reads_and_writes_and_no_flush_overtakes_a_write() {
    let mut model = model("cap = { iops = 1000 }\n");
    for slot in 0..3 {
        model.arrive(&Request::write(slot, 0, 4096), 0);
    }
    model.arrive(&Request::flush(3), 0);
    assert_eq!(all(&mut *model), [(0, 28 * US), (1, 1028 * US), (2, 2028 * US), (3, 2028 * US)]);
}

#[test]
fn a_flush_waits_for_writes_that_other_queues_have_yet_to_send() {
    let mut model = model("link = { request_us = 10, queues = 2 }\n");
    for slot in [0, 2, 4, 1] {
        model.arrive(&if slot == 1 { Request::flush(1) } else { Request::write(slot, 0, 4096) }, 0);
    }
    assert_eq!(all(&mut *model), [(0, 38 * US), (2, 48 * US), (4, 58 * US), (1, 58 * US)]);
}

#[test]
fn a_trim_waits_for_nothing_but_the_software_and_no_flush_for_it() {
    let mut model = model("link = { request_us = 10, mb_per_s = 100 }\n");
    model.arrive(&Request::trim(0, 0, 1 << 30), 0);
    model.arrive(&Request::flush(1), 0);
    assert_eq!(all(&mut *model), [(0, 10 * US), (1, 20 * US)]);
    assert_eq!(model.wear().unwrap().host_bytes, 0);
}

#[test]
fn a_durable_write_takes_what_the_description_says_and_wear_is_whole_parts() {
    let device = device("flush = { service_us = 3, durable_us = 5 }\n");
    let mut queue = queue(&device, 2);
    assert_eq!(alone(&mut *queue, Request::flush(0)), 3 * US);
    let durable = Request { durable: true, ..Request::write(0, 0, 4096) };
    assert_eq!(alone(&mut *queue, durable), 33 * US);
    alone(&mut *queue, Request::write(0, 1536, 512));
    alone(&mut *queue, Request::write(0, 512, 1024));
    alone(&mut *queue, Request::read(0, 512, 1024));
    let wear = queue.wear().unwrap();
    assert_eq!((wear.host_bytes, wear.media_bytes), (4096 + 512 + 1024, 4096 + 1024 + 2048));
    assert_eq!((wear.erases, wear.blocks), (0, 0), "written in place");
}

#[test]
fn writes_at_once_are_those_that_keep_the_slowest_stage_busy() {
    for (more, writes) in [
        ("", 4),
        ("link = { request_us = 10 }\n", 4),
        ("link = { request_us = 10, queues = 2 }\n", 5),
        ("link = { request_us = 10, latency_us = 2, queues = 2 }\n", 4),
        ("link = { request_us = 10, per_kib_us = 1 }\n", 3),
        ("link = { mb_per_s = 64 }\n", 2),
    ] {
        let spec = DeviceSpec::parse(&format!("{GOOD}{more}"), "test.toml").unwrap();
        assert_eq!(spec.writes_at_once(), writes, "{more}");
    }
}

#[test]
fn the_seed_decides_what_is_random() {
    let run = |seed| {
        let text = GOOD.replace("timing = {", "timing = { sigma = 0.3,");
        let device = loads::device(&format!("seed = {seed}\n{text}"));
        let mut queue = queue(&device, 8);
        let mut next = random(Op::Read, 4096, REGION, 3);
        (0..8).for_each(|slot| queue.submit(next(slot)).unwrap());
        reap(&mut *queue, 8)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is asked of it, in whatever order.
    #[test]
    fn a_flush_is_done_with_the_last_write_before_it_and_data_moves_no_faster_than_the_channels(
        load in prop::collection::vec((0u64..30_000, 0u32..9, 1u32..200, 0u64..1000), 1..80),
        link in prop::sample::select(vec![
            "",
            "link = { mb_per_s = 700, request_us = 3, queues = 4 }\n",
            "link = { mb_per_s = 99, duplex = false }\n",
            "cap = { iops = 30000 }\nsettle = { us = 40, banks = 3 }\n",
        ]),
    ) {
        let mut model = model(link);
        let (mut requests, mut now) = (Vec::new(), 0);
        for (&(gap, op, blocks, place), slot) in load.iter().zip(0..) {
            now += gap;
            let (offset, len) = (place * 4096, blocks * 512);
            let request = match op {
                0 => Request::flush(slot),
                8 => Request::trim(slot, offset, len),
                1..4 => Request::write(slot, offset, len),
                _ => Request::read(slot, offset, len),
            };
            model.arrive(&request, now);
            requests.push((now, request));
        }
        let done = all(&mut *model);
        prop_assert_eq!(done.len(), requests.len());
        prop_assert!(done.windows(2).all(|pair| pair[0].1 <= pair[1].1));
        let mut at = vec![0; requests.len()];
        done.iter().for_each(|&(slot, done)| at[slot as usize] = done);
        let (mut last_write, mut channels) = (0, 0);
        for ((arrival, request), done) in requests.iter().zip(&at) {
            match request.op {
                Op::Write => {
                    last_write = last_write.max(*done);
                    channels += u64::from(request.len) * US * 2 / 1024;
                    prop_assert!(*done >= arrival + 28 * US);
                }
                Op::Read => {
                    channels += u64::from(request.len) * US / 1024;
                    prop_assert!(*done >= arrival + 14 * US);
                }
                Op::Flush => prop_assert!(*done >= last_write.max(*arrival), "{:?}", request),
                Op::Trim => prop_assert!(done >= arrival),
            }
            if request.op == Op::Flush && link.is_empty() {
                prop_assert_eq!(*done, last_write.max(*arrival));
            }
        }
        let first = requests[0].0;
        prop_assert!(*at.iter().max().unwrap() >= first + channels, "faster than the channels");
    }
}
