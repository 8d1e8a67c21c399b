//! The built-in 3D XPoint drive against the figures that were published of the real one: Yang, Li and Lilja,
//! ACM TOMPECS 5(1), 2020 (YLL), and Papon and Athanassoulis, DaMoN 2021 (PA). With `--nocapture` they are
//! printed as in docs/simulated-devices.md.

use leadline_device::{Op, Request};
use leadline_sim::{Simulated, XpointSpec};

use crate::loads::{Beside, Served, alone, beside, closed_loop, device, queue, random, sequential};

/// PA, section 2: the file that was measured.
const REGION: u64 = 29_000_000_000;

/// Of the latency, what the host's software takes before the drive has the request (YLL, section 4.1: 20 % of
/// 10.72 us). Table 1 of YLL has latencies without it: its median of 8.6 us is those 10.72 us less 20 %, and
/// their figure 3, with it, has no latency below 10 us.
const SOFTWARE_US: f64 = 2.14;

fn text() -> &'static str {
    leadline_catalogue::find("p4800x-xpoint").expect("it is built in").text
}

fn p4800x() -> Simulated {
    device(text())
}

/// The drive where each of many threads sends its own requests, as in PA.
fn with_many_queues() -> Simulated {
    device(&text().replace("queues = 1", "queues = 20"))
}

/// A figure as published, ours, and by which factor it may be off.
fn figure(what: &str, paper: f64, ours: f64, most: f64) {
    println!("| {what} | {paper:.3} | {ours:.3} | {:+.0} % |", (ours / paper - 1.0) * 100.0);
    assert!((1.0 / most..=most).contains(&(ours / paper)), "{what}: published {paper}, ours {ours}");
}

fn reads() -> impl FnMut(u32) -> Request {
    random(Op::Read, 4096, REGION, 1)
}

fn writes() -> impl FnMut(u32) -> Request {
    random(Op::Write, 4096, REGION, 2)
}

/// Gigabytes per second of random requests.
fn gb_per_s(device: &Simulated, op: Op, len: u32, k: u32) -> f64 {
    closed_loop(device, k, 20_000, random(op, len, REGION, 3)).per_second * f64::from(len) / 1e9
}

#[test]
fn one_request_at_a_time_takes_what_was_published_random_or_sequential() {
    for (what, op, paper) in [("read", Op::Read, 10.72), ("write", Op::Write, 11.95)] {
        let ours = closed_loop(&p4800x(), 1, 100_000, random(op, 4096, REGION, 1)).mean_us();
        figure(&format!("random {what} of 4K, mean, us"), paper, ours, 1.05);
        let ours = closed_loop(&p4800x(), 1, 100_000, sequential(op, 4096)).mean_us();
        figure(&format!("sequential {what} of 4K, mean, us"), paper, ours, 1.05);
    }
}

#[test]
fn bandwidth_is_what_was_published_and_saturates_at_as_few_requests() {
    let gb_per_s = |op, len, k| gb_per_s(&p4800x(), op, len, k);
    figure("reads of 256K, GB/s", 2.5, gb_per_s(Op::Read, 256 << 10, 64), 1.1);
    figure("writes of 256K, GB/s", 2.0, gb_per_s(Op::Write, 256 << 10, 64), 1.1);
    figure("writes of 16K, 256 in flight, GB/s", 2.13, gb_per_s(Op::Write, 16 << 10, 256), 1.1);
    figure("reads of 4K, 128 in flight, GB/s", 1.2, gb_per_s(Op::Read, 4096, 128), 1.1);
    figure("reads of 4K, 4 in flight, GB/s", 1.2, gb_per_s(Op::Read, 4096, 4), 1.1);
    for len in [8 << 10, 16 << 10] {
        let share = gb_per_s(Op::Read, len, 4) / gb_per_s(Op::Read, len, 64);
        figure(&format!("{}K: 4 reads in flight, share of the most", len >> 10), 1.0, share, 1.1);
    }
    for len in [32 << 10, 64 << 10, 256 << 10] {
        for op in [Op::Read, Op::Write] {
            let share = gb_per_s(op, len, 2) / gb_per_s(op, len, 64);
            figure(&format!("{}K: 2 {op:?}s in flight, share of the most", len >> 10), 1.0, share, 1.1);
        }
    }
}

/// The largest number of requests that X_max R_1 has, one of the ways to tell k.
fn alpha_and_k(len: u32) -> (f64, [f64; 2]) {
    let device = with_many_queues();
    let [read, write] = [Op::Read, Op::Write].map(|op| {
        let most = closed_loop(&device, 64, 40_000, random(op, len, REGION, 4)).per_second;
        (most, most / closed_loop(&device, 1, 40_000, random(op, len, REGION, 5)).per_second)
    });
    (read.0 / write.0, [read.1, write.1])
}

#[test]
fn asymmetry_and_concurrency_are_those_of_the_other_study_on_its_host() {
    for (len, alpha, k) in [(4096, 1.1, [6.0, 5.0]), (8192, 1.0, [4.0, 4.0])] {
        let ours = alpha_and_k(len);
        figure(&format!("{}K: alpha", len >> 10), alpha, ours.0, 1.1);
        figure(&format!("{}K: k_r", len >> 10), k[0], ours.1[0], 1.35);
        figure(&format!("{}K: k_w", len >> 10), k[1], ours.1[1], 1.35);
    }
}

/// A row of table 1 of YLL: medians within 15 %, p99.9 within a factor of 2.
fn row(what: &str, paper: [f64; 6], ours: &Served) {
    let most = [1.15, 1.9, 1.6, 2.0, 2.0, 2.0];
    for ((percent, paper), most) in [50.0, 90.0, 99.5, 99.9, 99.95, 99.99].into_iter().zip(paper).zip(most) {
        let ours = ours.percentile_us(percent) - SOFTWARE_US;
        figure(&format!("{what}: p{percent}, us"), paper, ours, most);
    }
}

const REQUESTS: usize = 200_000;

#[test]
fn percentiles_at_rest_are_those_published() {
    let ours = closed_loop(&p4800x(), 1, REQUESTS, reads());
    row("random reads of 4K at rest", [8.6, 10.6, 13.1, 24.7, 29.1, 44.8], &ours);
    // A file of 20 MB, read 50,000 times: no place often enough to be refreshed.
    let ours = closed_loop(&p4800x(), 1, 50_000, random(Op::Read, 4096, 20_000_000, 6));
    row("beside refreshes for read disturb", [8.6, 12.6, 13.4, 24.9, 28.3, 45.7], &ours);
}

#[test]
fn percentiles_beside_other_loads_are_those_published() {
    for (mb, paper) in [
        (200, [8.9, 14.5, 16.5, 26.0, 29.3, 45.2]),
        (400, [9.0, 22.4, 23.7, 30.0, 31.4, 49.3]),
        (800, [9.3, 17.5, 19.8, 29.6, 33.0, 54.0]),
    ] {
        let background = random(Op::Read, 16 << 10, REGION, 7);
        let ours = beside(&p4800x(), reads(), background, &Beside::Arrivals(f64::from(mb) * 1e6), REQUESTS);
        // Their background is not described, and 400 MB/s disturb more than 800.
        let what = format!("beside {mb} MB/s of reads");
        figure(&format!("{what}: p50, us"), paper[0], ours.percentile_us(50.0) - SOFTWARE_US, 1.15);
        figure(&format!("{what}: p90, us"), paper[1], ours.percentile_us(90.0) - SOFTWARE_US, 2.0);
        for (percent, paper) in [99.5, 99.9, 99.95, 99.99].into_iter().zip(&paper[2..]) {
            let ours = ours.percentile_us(percent) - SOFTWARE_US;
            figure(&format!("{what}: p{percent}, us"), *paper, ours, 1.6);
        }
    }
    let ours = beside(&p4800x(), reads(), writes(), &Beside::OneAtATime, REQUESTS);
    row("beside one write of 4K at a time", [9.5, 33.5, 41.2, 45.9, 47.9, 56.0], &ours);
}

#[test]
fn a_high_load_beside_it_slows_a_request_by_the_factors_published() {
    // Microseconds more beside 1500 MB/s, sequential and random foreground.
    for (background, op, paper) in [
        (Op::Read, Op::Read, [2.2, 2.39]),
        (Op::Read, Op::Write, [2.62, 2.65]),
        (Op::Write, Op::Read, [8.23, 6.26]),
        (Op::Write, Op::Write, [4.77, 4.6]),
    ] {
        let rest = if op == Op::Read { 10.72 } else { 11.95 };
        let slowed = |foreground: &mut dyn FnMut(u32) -> Request| {
            let at_rest = closed_loop(&p4800x(), 1, 50_000, &mut *foreground).mean_us();
            let background = random(background, 16 << 10, REGION, 8);
            let beside = beside(&p4800x(), foreground, background, &Beside::Arrivals(1.5e9), 50_000);
            beside.mean_us() / at_rest
        };
        let what = |pattern| format!("{pattern} {op:?} beside 1500 MB/s of {background:?}s, factor");
        figure(&what("sequential"), (rest + paper[0]) / rest, slowed(&mut sequential(op, 4096)), 1.5);
        figure(&what("random"), (rest + paper[1]) / rest, slowed(&mut random(op, 4096, REGION, 9)), 1.5);
    }
}

#[test]
fn overwriting_keeps_its_bandwidth() {
    let device = p4800x();
    let written: Vec<f64> = (0..10).map(|_| gb_per_s(&device, Op::Write, 16 << 10, 256)).collect();
    let (most, least) =
        (written.iter().copied().fold(0.0, f64::max), written.iter().copied().fold(9.0, f64::min));
    let drop = (1.0 - least / most) * 100.0;
    println!("| overwriting: bandwidth lost at most, % | 0.5 | {drop:.4} | |");
    assert!(drop <= 0.5, "{written:?}");
}

#[test]
fn sizes_form_the_three_layers_published_until_they_are_large() {
    let mean = |kib: u32| closed_loop(&p4800x(), 1, 20_000, sequential(Op::Write, kib << 10)).mean_us();
    // What a size takes beyond the straight line through whole pages of 4K on either side.
    let beyond = |kib: u32| {
        let (below, above) = (kib / 4 * 4, kib.next_multiple_of(4));
        let line = mean(below) + (mean(above) - mean(below)) * f64::from(kib - below) / 4.0;
        mean(kib) - line
    };
    for (odd, even) in [(5, 6), (9, 10), (15, 14), (23, 22), (33, 34)] {
        let (odd_us, even_us) = (beyond(odd), beyond(even));
        assert!(even_us > 0.3 && odd_us > even_us + 0.3, "{even}K + {even_us} us, {odd}K + {odd_us} us");
    }
    assert!(beyond(5) > beyond(23) && beyond(23) > beyond(33) + 0.3, "the gap closes");
    for large in [51, 54, 63] {
        assert!(mean(large) < mean(large.next_multiple_of(4)) * 1.03, "{large}K");
    }
    assert!(mean(1) > mean(4) && mean(2) > mean(4) && mean(3) > mean(2), "less than a page is no faster");
}

#[test]
fn a_place_read_again_and_again_is_slow_every_thirtieth_time() {
    let device = p4800x();
    let mut queue = queue(&device, 1);
    let us: Vec<f64> =
        (0..30_000).map(|_| alone(&mut *queue, Request::read(0, 1 << 30, 4096)) as f64 / 1e3).collect();
    let phase = |at: usize| us.iter().skip(at).step_by(30).sum::<f64>() / 1000.0;
    let phases: Vec<f64> = (0..30).map(phase).collect();
    let slow = (0..30).max_by(|a, b| phases[*a].total_cmp(&phases[*b])).unwrap();
    let others = (phases.iter().sum::<f64>() - phases[slow]) / 29.0;
    figure("read disturb: period, reads", 30.0, (slow + 1) as f64, 1.0001);
    figure("read disturb: penalty, us", 20.0, phases[slow] - others, 1.05);
}

#[test]
fn it_says_how_many_writes_at_once_use_it_fully() {
    assert_eq!(XpointSpec::parse(text(), "p4800x-xpoint").unwrap().writes_at_once(), 4);
}
