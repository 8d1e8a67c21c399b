//! Predictions against programs that are run on both devices.

use leadline_placement::{
    After, Captured, Kind, PlacementError, Prediction, Waits, predict, replay, side_by_side,
};
use leadline_sim::DeviceModel;
use leadline_trace::capture::{Event, Operation, Thread, Writer};
use proptest::prelude::*;

use crate::program::{Step, drive, run};

fn predicted(captured: &Captured, device: &mut dyn DeviceModel) -> Prediction {
    replay(captured, &Waits::of(captured), &side_by_side(captured).0, device)
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let kind = prop_oneof![8 => Just(Kind::Read), 1 => Just(Kind::Write), 1 => Just(Kind::Flush)];
    // Pages far apart: nothing that looks like read-ahead.
    let request = (kind, 0u64..400).prop_map(|(kind, page)| Step::Wait(kind, 80 * page));
    let step = prop_oneof![2 => request, 1 => (1u64..500_000).prop_map(Step::Compute)];
    prop::collection::vec(step, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// A program that waits for each of its requests is predicted exactly, whichever drive it ran on.
    #[test]
    fn who_waits_for_each_request_is_predicted_to_the_nanosecond(
        steps in steps(), fast_us in 1u64..100, slow_us in 100u64..1000,
    ) {
        let steps = [steps, vec![Step::Wait(Kind::Read, 1)]].concat();
        let on = |us| run(std::slice::from_ref(&steps), &mut *drive(us, 4));
        let (fast, slow) = (on(fast_us), on(slow_us));
        for (from, to, us) in [(&fast, &slow, slow_us), (&slow, &fast, fast_us), (&fast, &fast, fast_us)] {
            let prediction = predicted(from, &mut *drive(us, 4));
            prop_assert_eq!(prediction.total_ns, to.ended_ns);
            prop_assert_eq!(prediction.io_ns + prediction.computing_ns, prediction.total_ns);
            let computing: u64 = steps.iter().map(|step| match step { Step::Compute(time) => *time, _ => 0 }).sum();
            prop_assert_eq!(prediction.computing_ns, computing);
            prop_assert_eq!(Waits::of(to).recorded(to), prediction);
        }
    }

    /// So are several processes that begin at once and share a drive with room for all of them.
    #[test]
    fn processes_at_the_same_time_do_not_wait_for_each_other(programs in prop::collection::vec(steps(), 2..4)) {
        let read = || vec![Step::Wait(Kind::Read, 1)];
        // Each begins with requests, so that all are seen to be under way together.
        let all = |steps: Vec<Step>| [read(), read(), steps, read()].concat();
        let without_flushes = |step: &Step| !matches!(step, Step::Wait(Kind::Flush, _));
        let programs: Vec<Vec<Step>> =
            programs.into_iter().map(|steps| all(steps).into_iter().filter(without_flushes).collect()).collect();
        let (fast, slow) = (run(&programs, &mut *drive(30, 8)), run(&programs, &mut *drive(200, 8)));
        prop_assert_eq!(predicted(&fast, &mut *drive(30, 8)).total_ns, fast.ended_ns);
        // The end is that of the process that ends last, there as here; what it computes at the end counts
        // for all.
        let total = predicted(&fast, &mut *drive(200, 8)).total_ns;
        prop_assert_eq!(total, slow.ended_ns);
    }
}

/// A scan as InnoDB does it: one read that it waits for, the rest of the extent read ahead, and computing.
fn scan(extents: u64, spacing: u64, computing: u64) -> Vec<Step> {
    let extent = |i: u64| {
        [Step::Wait(Kind::Read, 64 * i), Step::ReadAhead(64 * i + 1, 63, spacing), Step::Compute(computing)]
    };
    (0..extents).flat_map(extent).chain([Step::Wait(Kind::Read, 64 * extents)]).collect()
}

#[test]
fn read_ahead_does_not_wait_for_itself() {
    let steps = [scan(50, 10_000, 3_000_000)];
    let (fast, slow) = (run(&steps, &mut *drive(40, 6)), run(&steps, &mut *drive(200, 25)));
    for (from, to, us, servers) in [(&fast, &slow, 200, 25), (&slow, &fast, 40, 6)] {
        let waits = Waits::of(from);
        let ahead =
            (0..from.requests.len() as u32).filter(|&i| matches!(waits.after(i), [After::Issued(_)])).count();
        // Of each extent all but the one that is waited for and the first behind it, which starts the rest.
        assert_eq!(ahead, 50 * 62);
        let total = predicted(from, &mut *drive(us, servers)).total_ns as f64;
        let off = total / to.ended_ns as f64 - 1.0;
        assert!(off.abs() < 0.05, "{off:.3}");
    }
}

#[test]
fn one_page_after_the_other_is_not_read_ahead() {
    let steps = [(0..200).flat_map(|page| [Step::Wait(Kind::Read, page), Step::Compute(10_000)]).collect()];
    let fast: Captured = run(&steps, &mut *drive(40, 6));
    let total = predicted(&fast, &mut *drive(200, 25)).total_ns;
    assert_eq!(total, 200 * 210_000);
}

#[test]
fn files_that_a_placed_device_names_are_on_its_fast_part() {
    let page = |page| [Step::Wait(Kind::Read, page), Step::Compute(10_000)];
    let mut captured = run(&[(0..10).map(|i| 80 * i).flat_map(page).collect()], &mut *drive(100, 1));
    let folder = tempfile::tempdir().unwrap();
    let device = |us: u32| {
        let half = format!("service_us = {us}\nservers = 1\n");
        format!("kind = \"parametric\"\ncapacity = \"1G\"\n[read]\n{half}[write]\n{half}")
    };
    std::fs::write(folder.path().join("fast.toml"), device(10)).unwrap();
    std::fs::write(folder.path().join("slow.toml"), device(200)).unwrap();
    let placed = folder.path().join("placed.toml");
    let on = |fast_size: &str, captured: &Captured| {
        let text = format!(
            "kind = \"placed\"\nfast = \"fast.toml\"\nslow = \"slow.toml\"\nfast_size = \"{fast_size}\"\n\
             fast_files = [\"t/line*\"]\n"
        );
        std::fs::write(&placed, text).unwrap();
        let name = format!("sim:{}", placed.display());
        let mut opened = leadline_tiers::open(&name, None).unwrap();
        predict(captured, &Waits::of(captured), &name, &mut opened)
    };
    captured.files[0].name = "t/orders.ibd".to_owned();
    assert_eq!(on("600M", &captured).unwrap().io_ns, 10 * 200_000);
    captured.files[0].name = "t/lineitem.ibd".to_owned();
    assert_eq!(on("600M", &captured).unwrap().io_ns, 10 * 10_000);
    // No room for all of it: it stays where it was.
    assert_eq!(on("100M", &captured).unwrap().io_ns, 10 * 200_000);
    for bytes in [2 << 30, u64::MAX] {
        captured.files[0].bytes = bytes;
        assert!(matches!(on("100M", &captured), Err(PlacementError::TooLarge { .. })));
    }
}

#[test]
fn a_capture_is_loaded_without_what_no_device_sees() {
    let mut writer = Writer::new(Vec::new());
    writer.file("t/a.ibd").unwrap();
    writer.file("never touched").unwrap();
    writer.thread(&Thread { tid: 1, pid: 1, name: String::new() }).unwrap();
    let event = |operation, at, offset, length| Event {
        issued_ns: at,
        completed_ns: at + 10,
        thread: 0,
        file: 0,
        operation,
        offset,
        length,
    };
    for event in [
        event(Operation::Read, 5, 4096, 4096),
        event(Operation::Read, 20, 1 << 40, 0),
        event(Operation::Truncate, 30, 0, 0),
        event(Operation::Sync, 40, 0, 0),
    ] {
        writer.event(&event).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q3.capture");
    let path = path.to_str().unwrap();
    std::fs::write(path, writer.finish(100).unwrap()).unwrap();
    let captured = Captured::load(path, &mut |_| true).unwrap();
    assert_eq!((captured.name.as_str(), captured.ended_ns), ("q3", 100));
    let kinds: Vec<Kind> = captured.requests.iter().map(|request| request.kind).collect();
    assert_eq!(kinds, [Kind::Read, Kind::Flush]);
    let files: Vec<(&str, u64)> =
        captured.files.iter().map(|file| (file.name.as_str(), file.bytes)).collect();
    assert_eq!(files, [("t/a.ibd", 8192), ("never touched", 0)]);
    // 5 ns, the read, 25 ns, the flush, 50 ns.
    let prediction = predicted(&captured, &mut *drive(1, 1));
    assert_eq!((prediction.computing_ns, prediction.total_ns >= 1080), (80, true));

    std::fs::write(path, Writer::new(Vec::new()).finish(100).unwrap()).unwrap();
    let empty = Captured::load(path, &mut |_| true).unwrap_err();
    assert!(matches!(empty, PlacementError::Requests { found: 0, .. }), "{empty}");
}
