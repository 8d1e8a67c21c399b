//! `buffer` and `read-disturb` on drives whose read buffer and refreshes are known.

use std::ops::RangeInclusive;
use std::sync::Arc;

use leadline_device::Device;
use leadline_measure::experiment::{self, Experiment, ExperimentPlan};
use leadline_profile::{Buffer, DisturbSeries, Experiments, ReadDisturb};
use leadline_testing::exhaustive;

use crate::drive::Drive;

/// Twenty drives of a kind, or two that stand for them.
fn seeds() -> RangeInclusive<u64> {
    1..=if exhaustive() { 20 } else { 2 }
}

/// Of twenty drives at most one may be wrong; of those that stand for them none.
fn at_most_one_of_twenty(wrong: &[u64], what: &str) {
    assert!(20 * wrong.len() <= seeds().count(), "{what}: drives {wrong:?}");
}

fn plan(device: &dyn Device, experiment: &'static dyn Experiment) -> ExperimentPlan {
    let mut plan = ExperimentPlan::new(experiment, device.geometry(), device.clock());
    plan.layout = false;
    plan
}

fn run(device: &dyn Device, plan: &ExperimentPlan) -> Experiments {
    let ran = experiment::run(device, plan, &Arc::default(), &mut |_| ()).unwrap();
    assert!(ran.stopped_by.is_none(), "{:?}", ran.stopped_by);
    ran.found
}

fn buffer_by(drive: &Drive, change: impl Fn(&mut ExperimentPlan)) -> Buffer {
    let device = drive.device();
    let mut plan = plan(&device, experiment::BUFFER);
    change(&mut plan);
    run(&device, &plan).buffer.unwrap()
}

fn buffer(drive: &Drive) -> Buffer {
    buffer_by(drive, |_| ())
}

/// With so many reads of the page at most, on a drive that is known to have a buffer of so many bytes.
fn disturb(drive: &Drive, reads: u64, buffer: Option<u64>) -> ReadDisturb {
    let device = drive.device();
    let mut plan = plan(&device, experiment::READ_DISTURB);
    (plan.max_ops_per_slice, plan.buffer_bytes) = (reads, buffer);
    run(&device, &plan).read_disturb.unwrap()
}

/// From `low` to `high`, all orders of magnitude alike.
fn between(low: f64, high: f64, random: &mut fastrand::Rng) -> f64 {
    low * (high / low).powf(random.f64())
}

/// Some drive without a buffer and without refreshes.
fn some_drive(seed: u64, random: &mut fastrand::Rng) -> Drive {
    let read_us = between(10.0, 100.0, random);
    let hit_us = read_us * between(0.1, 0.6, random);
    Drive { read_us, hit_us, sigma: 0.05 + 0.2 * random.f64(), seed, ..Drive::default() }
}

#[test]
fn a_buffer_is_found_with_its_size_and_none_where_there_is_none() {
    let (mut missed, mut imagined) = (Vec::new(), Vec::new());
    for seed in seeds() {
        let random = &mut fastrand::Rng::with_seed(seed);
        let without = some_drive(seed, random);
        let found = buffer(&without);
        if found.detected {
            imagined.push(seed);
        } else {
            assert_eq!((found.held_bytes(), found.fast_us, found.buffer_ci), (0, None, None));
        }
        let size = between(1e6, 40e6, random) as u64 / 4096 * 4096;
        let drive = Drive { buffer: size, ..without };
        let found = buffer(&drive);
        let Some(bytes) = found.buffer_bytes.filter(|_| found.detected) else {
            missed.push(seed);
            continue;
        };
        let what = format!("{drive:?}: {bytes}, {:?}", found.buffer_ci);
        assert!((bytes / size as f64 - 1.0).abs() < 0.1, "{what}");
        let [low, high] = found.buffer_ci.unwrap();
        assert!(low <= bytes && bytes <= high && high / low < 1.2, "{what}");
        assert!((found.fast_us.unwrap() / drive.hit_us - 1.0).abs() < 0.1, "{what}");
        assert!((found.slow_us / drive.read_us - 1.0).abs() < 0.1, "{what}");
    }
    at_most_one_of_twenty(&missed, "not found");
    at_most_one_of_twenty(&imagined, "found where there is none");
}

#[test]
fn the_latency_of_each_size_is_that_of_the_pages_it_finds_in_the_buffer() {
    let drive = Drive { buffer: 4 << 20, sigma: 0.0, ..Drive::default() };
    let found = buffer(&drive);
    assert_eq!((found.passes, found.block_bytes), (3, 4096));
    assert!(found.points.is_sorted_by_key(|point| point.size_bytes));
    let sizes: Vec<u64> = found.points.iter().map(|point| point.size_bytes >> 10).collect();
    assert_eq!((sizes[0], sizes[sizes.len() - 1]), (256, 256 << 10));
    let near = sizes.iter().filter(|&&kib| (3 << 10..=5 << 10).contains(&kib)).count();
    assert!(near >= 5, "sizes of 1.25 times each other near the buffer's, and closer ones: {sizes:?}");
    for point in found.points {
        // Where a region fits, two passes of three are answered from the buffer.
        let fits = point.size_bytes <= drive.buffer;
        let later = if fits { 8.0 } else { 80.0 };
        assert_eq!((point.p30_us, point.p40_us, point.later_mean_us), (later, later, later), "{point:?}");
        // A page or two may still be there from a region before.
        assert!((point.first_mean_us - 80.0).abs() < 4.0, "{point:?}");
        let mean = (point.first_mean_us + 2.0 * later) / 3.0;
        assert!((point.mean_us - mean).abs() < 1e-6, "{point:?}");
        assert_eq!(point.held_share, Some(f64::from(u8::from(fits))), "{point:?}");
    }
}

#[test]
fn a_buffer_may_hold_whole_pages_of_the_medium_or_drop_any_of_them() {
    // A first read brings in its neighbours.
    for unit in [16 << 10, 64 << 10] {
        let found = buffer(&Drive { buffer: 8 << 20, unit, ..Drive::default() });
        let share = found.buffer_bytes.unwrap() / f64::from(8 << 20);
        assert!((share - 1.0).abs() < 0.1, "{unit}: {share} of the truth, {:?}", found.buffer_ci);
    }
    // What is held falls slowly with the size, and the interval says so.
    let found = buffer(&Drive { buffer: 8 << 20, drops_any: true, ..Drive::default() });
    let [low, high] = found.buffer_ci.unwrap();
    assert!(low < f64::from(8 << 20) && f64::from(8 << 20) < high && high > 2.0 * low, "{low} to {high}");
}

#[test]
fn what_is_beyond_the_region_or_the_time_is_told() {
    let large = Drive { buffer: 200 << 20, ..Drive::default() };
    let found = buffer_by(&large, |plan| plan.region.len = 64 << 20);
    assert_eq!((found.detected, found.buffer_bytes, found.at_least_bytes), (true, None, Some(64 << 20)));
    assert_eq!(found.held_bytes(), 64 << 20);
    // A drive as slow as a disk: what it has time for, and the rest is named.
    let slow = Drive { buffer: 2 << 20, hit_us: 200.0, read_us: 8000.0, ..Drive::default() };
    let found = buffer_by(&slow, |plan| plan.seconds = 60.0);
    assert!(found.procedure.measured_seconds < 120.0, "{:?}", found.procedure);
    assert!(
        found.procedure.notes[0].starts_with("left out, would take too long"),
        "{:?}",
        found.procedure.notes
    );

    let bytes = found.buffer_bytes.unwrap();
    assert!((bytes / f64::from(2 << 20) - 1.0).abs() < 0.1, "{bytes}");
}

/// What was found of a drive that is refreshed after so many reads; `None` where nothing was.
#[track_caller]
fn assert_right(series: &DisturbSeries, drive: &Drive) {
    let (reads, penalty) = drive.refresh.unwrap();
    let what = format!("{drive:?}: {:?}, {:?}", series.period_ci, series.penalty_ci);
    assert!((series.period_reads.unwrap() / reads - 1.0).abs() < 0.1, "{what}");
    assert!((series.penalty_us.unwrap() / penalty - 1.0).abs() < 0.25, "{what}");
    let [low, high] = series.period_ci.unwrap();
    assert!(low < reads * 1.02 && reads * 0.98 < high && high / low < 1.2, "{what}");
    assert!(series.p_value <= 0.01 && series.detection_probability >= Some(0.5), "{what}");
}

#[test]
fn refreshes_are_found_with_their_period_and_none_where_there_are_none() {
    const READS: u64 = 20_000;
    let (mut missed, mut imagined) = (Vec::new(), Vec::new());
    for seed in seeds() {
        let random = &mut fastrand::Rng::with_seed(seed);
        let without = some_drive(seed, random);
        let found = disturb(&without, READS, Some(0));
        if found.found().is_some() {
            imagined.push(seed);
        }
        let reads = between(10.0, 2000.0, random).round();
        let penalty = without.read_us * between(2.0, 30.0, random);
        let drift = if seed % 2 == 0 { 0.02 } else { 0.0 };
        let drive = Drive { refresh: Some((reads, penalty)), drift, ..without };
        let found = disturb(&drive, READS, Some(0));
        match found.repeating.detected {
            true => assert_right(&found.repeating, &drive),
            false => missed.push(seed),
        }
    }
    at_most_one_of_twenty(&missed, "not found");
    at_most_one_of_twenty(&imagined, "found where there are none");
}

/// How often the intervals of the buffer's size, of the period of refreshes and of their penalty hold what
/// was planted, where a buffer or a period is found.
#[test]
fn intervals_hold_what_was_planted() {
    let seeds = if exhaustive() { 200 } else { 10 };
    let (mut inside, mut all) = ([0u64; 3], [0u64; 3]);
    for seed in 1..=seeds {
        let random = &mut fastrand::Rng::with_seed(1000 + seed);
        let without = some_drive(seed, random);
        let size = between(1e6, 40e6, random) as u64 / 4096 * 4096;
        let (reads, penalty) = (between(10.0, 2000.0, random).round(), without.read_us * 10.0);
        let of_buffer = buffer(&Drive { buffer: size, ..without.clone() });
        let refreshed =
            disturb(&Drive { refresh: Some((reads, penalty)), ..without }, 20_000, Some(0)).repeating;
        let planted = [
            (of_buffer.buffer_ci, size as f64),
            (refreshed.period_ci, reads),
            (refreshed.penalty_ci, penalty),
        ];
        for (i, (interval, truth)) in planted.into_iter().enumerate() {
            let Some([low, high]) = interval else { continue };
            inside[i] += u64::from(low <= truth && truth <= high);
            all[i] += 1;
        }
    }
    println!("buffer, period, penalty: {inside:?} of {all:?}");
    // Where the buffer ends is a bound, and a period is a whole number: both are held nearly always.
    for ((inside, all), least) in inside.into_iter().zip(all).zip([0.95, 0.95, 0.80]) {
        assert!(10 * all >= 9 * seeds && inside as f64 >= least * all as f64, "{inside} of {all}");
    }
}

#[test]
fn behind_a_buffer_only_reads_between_show_the_refreshes() {
    for seed in seeds() {
        let random = &mut fastrand::Rng::with_seed(100 + seed);
        let drive = Drive {
            buffer: between(1e6, 4e6, random) as u64 / 4096 * 4096,
            refresh: Some((between(10.0, 120.0, random).round(), 500.0)),
            ..some_drive(seed, random)
        };
        let found = disturb(&drive, 10_000, Some(drive.buffer));
        assert!(!found.repeating.detected, "{drive:?}: the buffer answers");
        assert!((found.evicted_bytes as f64 / drive.buffer as f64 - 2.0).abs() < 0.1, "{drive:?}");
        let evicting = found.evicting.as_ref().unwrap();
        assert!(evicting.reads <= 1000 && evicting.latency_us.p50 > 0.8 * drive.read_us, "{drive:?}");
        assert_right(evicting, &drive);
        assert!(found.found() == Some(evicting));
    }
}

#[test]
fn what_is_kept_of_a_series_can_be_drawn() {
    let drive = Drive { refresh: Some((30.0, 200.0)), sigma: 0.02, ..Drive::default() };
    let found = disturb(&drive, 10_000, Some(0));
    let series = &found.repeating;
    assert_eq!((series.reads, series.stretch_reads, series.stretches.len()), (10_000, 10, 1000));
    assert!((series.latency_us.mean / (80.0 + 200.0 / 30.0) - 1.0).abs() < 0.02, "{:?}", series.latency_us);
    // It begins right after a slow read, as the paper's figure does.
    let slow: Vec<usize> = (0..series.excerpt_us.len()).filter(|&i| series.excerpt_us[i] > 200.0).collect();
    assert_eq!(slow, [29, 59, 89, 119, 149, 179, 209, 239]);
    assert_eq!((series.lag_reads, series.correlation.len()), (1, 105));
    for lag in 2..=104 {
        let r = series.correlation[lag - 1];
        assert_eq!(r > 0.3, lag % 30 == 0, "lag {lag}: {r}");
    }
    assert_eq!((found.buffer_bytes, found.evicted_bytes), (Some(0), 20 << 20));
    assert!(found.false_alarm_rate <= 0.05);
}

#[test]
fn what_comes_back_with_time_is_not_a_refresh() {
    // Every millisecond, whatever is read.
    let drive = Drive { tick: Some((1000.0, 300.0)), sigma: 0.05, ..Drive::default() };
    let found = disturb(&drive, 10_000, Some(0));
    assert!(!found.repeating.detected && found.repeating.p_value <= 0.01);
    let note = &found.procedure.notes[0];
    assert!(note.contains("ms) one was slow, but not with pauses between the reads"), "{note}");
}

#[test]
fn what_would_have_been_found_is_told() {
    let drive = Drive { sigma: 0.15, ..Drive::default() };
    let found = disturb(&drive, 10_000, Some(0));
    let smallest = &found.repeating.detectable;
    assert_eq!(smallest.iter().map(|one| one.period_reads).collect::<Vec<_>>(), [30.0, 300.0]);
    assert!(
        smallest[0].penalty_us < smallest[1].penalty_us,
        "what comes seldom must be slower: {smallest:?}"
    );
    for one in smallest {
        let with = |times: f64| {
            let refresh = Some((one.period_reads, times * one.penalty_us));
            disturb(&Drive { refresh, ..drive.clone() }, 10_000, Some(0)).repeating.detected
        };
        assert!(with(2.0) && !with(0.25), "{one:?}");
    }
}

#[test]
fn a_region_too_small_is_refused_with_the_least_there_must_be() {
    let device = Drive::default().device();
    for one in [experiment::BUFFER, experiment::READ_DISTURB] {
        let mut plan = plan(&device, one);
        plan.region.len = (1 << 20) - 4096;
        let said = experiment::run(&device, &plan, &Arc::default(), &mut |_| ()).unwrap_err().to_string();
        assert!(said.contains(&format!("{} needs 1M at least", one.name())), "{said}");
        plan.region.len = 2 << 20;
        run(&device, &plan);
    }
}
