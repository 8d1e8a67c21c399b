//! `gc` on drives whose collection is known.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use leadline_device::{Device, Op};
use leadline_measure::experiment::{self, ExperimentPlan};
use leadline_measure::{MeasureError, PlanError, Stop};
use leadline_profile::{Gc, GcPass, GcPassKind};

use crate::drives::{Greedy, PAGE, Paced, device};

const BLOCK: u64 = 16 << 10;
const MS: u64 = 1_000_000;

fn plan(device: &dyn Device, seconds: f64) -> ExperimentPlan {
    let mut plan = ExperimentPlan::new(experiment::GC, device.geometry(), device.clock());
    plan.seconds = seconds;
    plan
}

fn measure(device: &dyn Device, plan: &ExperimentPlan) -> Gc {
    let ran = experiment::run(device, plan, &Arc::default(), &mut |_| ()).unwrap();
    assert!(ran.stopped_by.is_none(), "{:?}", ran.stopped_by);

    ran.found.gc.unwrap()
}

fn pass(found: &Gc, kind: GcPassKind) -> &GcPass {
    found.pass(kind).unwrap_or_else(|| panic!("no {kind:?}"))
}

#[test]
fn an_even_drive_has_no_drop() {
    let drive = device(512 << 20, Paced::new(|_, _| 40_000));
    let found = measure(&drive, &plan(&drive, 60.0));
    assert_eq!(found.passes.len(), 4);
    for pass in &found.passes {
        assert!(pass.drop < 0.03 && pass.drop_robust < 0.03 && pass.whole, "{pass:?}");
        assert!((pass.mean_bytes_per_second / (BLOCK as f64 / 40e-6) - 1.0).abs() < 0.01, "{pass:?}");
        assert!(pass.windows.len() >= 20 && pass.write_amplification.is_none(), "{}", pass.windows.len());
        let [low, high] = pass.drop_robust_ci.unwrap();
        assert!(low <= pass.drop_robust && pass.drop_robust <= high, "{pass:?}");
    }
    let starts: Vec<f64> = found.passes.iter().map(|pass| pass.windows[0].0).collect();
    assert!(starts.is_sorted(), "one after the other: {starts:?}");
    let recovery = found.recovery.unwrap();
    assert!((recovery.after_bytes_per_second / recovery.before_bytes_per_second - 1.0).abs() < 0.02);
    assert_eq!(recovery.lasted_bytes, None);
    assert_eq!((found.part_bytes, found.procedure.bytes_written), (512 << 20, (512 << 20) / 4 * 13));
}

#[test]
fn a_known_drop_is_found_and_one_stall_is_no_robust_one() {
    // Overwriting is slower by 19 % in every third stretch of 20 ms.
    let mut seen = HashSet::new();
    let slow = move |request: &leadline_device::Request, at: u64| {
        let overwrites = !seen.insert(request.offset);
        if overwrites && (at / (20 * MS)).is_multiple_of(3) { (40_000.0 / 0.81) as u64 } else { 40_000 }
    };
    let drive = device(256 << 20, Paced::new(slow));
    let found = measure(&drive, &plan(&drive, 60.0));
    assert!(pass(&found, GcPassKind::Fill).drop < 0.03);
    for kind in [GcPassKind::SameOrder, GcPassKind::OtherOrder] {
        let pass = pass(&found, kind);
        assert!((pass.drop - 0.19).abs() < 0.02 && (pass.drop_robust - 0.19).abs() < 0.02, "{pass:?}");
        let [low, high] = pass.drop_robust_ci.unwrap();
        assert!(low <= 0.19 + 0.01 && 0.19 - 0.01 <= high && high - low < 0.1, "{low} {high}");
    }
    // A single stall of 30 ms.
    let mut requests = 0;
    let stalls = move |_: &leadline_device::Request, _| {
        requests += 1;
        if requests == 50_000 { 30 * MS } else { 40_000 }
    };
    let drive = device(512 << 20, Paced::new(stalls));
    let found = measure(&drive, &plan(&drive, 60.0));
    let same = pass(&found, GcPassKind::SameOrder);
    assert!(same.drop > 0.9 && same.drop_robust < 0.03, "{} {}", same.drop, same.drop_robust);
}

#[test]
fn the_same_blocks_are_written_in_the_same_order_and_then_in_another() {
    let offsets = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&offsets);
    let drive = device(
        32 << 20,
        Paced::new(move |request: &leadline_device::Request, _| {
            assert_eq!((request.op, u64::from(request.len)), (Op::Write, BLOCK));
            kept.lock().unwrap().push(request.offset / BLOCK);
            40_000
        }),
    );
    measure(&drive, &plan(&drive, 60.0));
    let offsets = offsets.lock().unwrap();
    let n = (32 << 20) / BLOCK as usize;
    let (fill, same, other) = (&offsets[..n], &offsets[n..2 * n], &offsets[2 * n..3 * n]);
    assert_eq!(fill, same);
    let ascending = |blocks: &[u64]| {
        let mut blocks = blocks.to_vec();
        blocks.sort_unstable();
        blocks
    };
    assert_eq!(ascending(fill), (0..n as u64).collect::<Vec<u64>>());
    assert_eq!(ascending(other), ascending(fill));
    let in_place = fill.iter().zip(other).filter(|(a, b)| a == b).count();
    assert!(in_place < 20 && !fill.is_sorted(), "{in_place} of {n} in the same place");
}

#[test]
fn collection_costs_nothing_in_the_order_of_the_fill_and_much_in_another() {
    let drive = device(PAGE << 15, Greedy::fresh(1 << 15, 0.1, 128));
    let found = measure(&drive, &plan(&drive, 60.0));
    let amplification = |kind| pass(&found, kind).write_amplification.unwrap();
    assert_eq!(amplification(GcPassKind::Fill), 1.0);
    assert!(amplification(GcPassKind::SameOrder) < 1.1, "{}", amplification(GcPassKind::SameOrder));
    assert!(amplification(GcPassKind::OtherOrder) > 1.5, "{}", amplification(GcPassKind::OtherOrder));
    let mean = |kind| pass(&found, kind).mean_bytes_per_second;
    assert!(mean(GcPassKind::OtherOrder) < 0.8 * mean(GcPassKind::SameOrder));
}

#[test]
fn what_a_rest_gives_back_is_found_with_how_long_it_lasts() {
    // After 10 ms without a request, 40 MB are written at 1.6 GB/s; else 400 MB/s.
    let (mut last, mut credit) = (0, 0u64);
    let recovers = move |request: &leadline_device::Request, at: u64| {
        if at > last + 10 * MS {
            credit = 40_000_000;
        }
        last = at;
        let fast = credit >= u64::from(request.len);
        credit = credit.saturating_sub(u64::from(request.len));
        if fast { 10_000 } else { 40_000 }
    };
    let drive = device(2 << 30, Paced::new(recovers));
    let found = measure(&drive, &plan(&drive, 200.0));
    let recovery = found.recovery.clone().unwrap();
    assert!((recovery.before_bytes_per_second / 4.096e8 - 1.0).abs() < 0.02, "{recovery:?}");
    assert!((recovery.after_bytes_per_second / 1.638e9 - 1.0).abs() < 0.05, "{recovery:?}");
    assert!((recovery.lasted_bytes.unwrap() / 4e7 - 1.0).abs() < 0.1, "{recovery:?}");
    assert!((recovery.rest_seconds - 10.0).abs() < 1e-9);
}

#[test]
fn where_time_is_short_only_what_was_filled_is_overwritten() {
    let drive = device(1 << 30, Paced::new(|_, _| 40_000));
    let found = measure(&drive, &plan(&drive, 2.0));
    // 0.15 of two seconds at 400 MB/s.
    assert!((100 << 20..160 << 20).contains(&found.part_bytes), "{}", found.part_bytes);
    assert!(found.procedure.notes[0].contains("not all of the region was filled"));
    let whole: Vec<bool> = found.passes.iter().map(|pass| pass.whole).collect();
    assert_eq!(whole, [false, true, true, true]);
    assert_eq!(pass(&found, GcPassKind::SameOrder).bytes, found.part_bytes);
}

#[test]
fn what_may_be_written_is_never_exceeded() {
    let drive = device(64 << 20, Paced::new(|_, _| 40_000));
    let mut plan = plan(&drive, 60.0);
    plan.max_writes = Some(150 << 20);
    let ran = experiment::run(&drive, &plan, &Arc::default(), &mut |_| ()).unwrap();
    assert!(matches!(ran.stopped_by, Some(Stop::WritesSpent)), "{:?}", ran.stopped_by);
    let found = ran.found.gc.unwrap();
    assert_eq!((found.passes.len(), found.procedure.bytes_written), (3, 150 << 20));
    plan.max_writes = Some(32 << 20);
    let error = experiment::run(&drive, &plan, &Arc::default(), &mut |_| ()).unwrap_err();
    assert!(matches!(error, MeasureError::Plan(PlanError::WritesSpent { .. })), "{error}");
}

#[test]
fn a_small_region_has_fewer_requests_in_flight_and_all_of_its_passes() {
    for blocks in [16, 100, 1000] {
        let drive = device(blocks * BLOCK, Paced::new(|_, _| 1_000_000));
        let found = measure(&drive, &plan(&drive, 60.0));
        assert_eq!(found.passes.len(), 4, "{blocks}");
        assert_eq!(u64::from(found.concurrency), (blocks / 8).min(256), "{blocks}");
        for pass in &found.passes {
            assert!((pass.mean_bytes_per_second / (BLOCK as f64 / 1e-3) - 1.0).abs() < 0.3, "{pass:?}");
        }
    }
}
