//! Captures of known dependence: several threads and processes, and the kernel's requests among theirs.

use leadline_placement::{After, Captured, File, Kind, Request, Waits, replay, side_by_side};
use leadline_sim::DeviceModel;
use leadline_trace::capture::Thread;
use proptest::prelude::*;

use crate::program::{PAGE, Step, drive, run};

/// Microseconds of a request of the drive that was captured.
const FAST_US: u64 = 30;
/// Of the one that is predicted.
const SLOW_US: u64 = 6_000;

fn predicted(captured: &Captured, device: &mut dyn DeviceModel) -> u64 {
    replay(captured, &Waits::of(captured), &side_by_side(captured).0, device).total_ns
}

/// Captured on a fast drive, predicted on a slow one, and run there: how far off the prediction is.
fn off(threads: &[Vec<Step>], servers: u32) -> f64 {
    let captured = run(threads, &mut *drive(FAST_US, servers));
    let there = run(threads, &mut *drive(SLOW_US, servers));
    predicted(&captured, &mut *drive(SLOW_US, servers)) as f64 / there.ended_ns as f64 - 1.0
}

fn check(threads: &[Vec<Step>], servers: u32, most: f64) {
    let off = off(threads, servers);
    assert!(off.abs() <= most, "predicted {:+.1} % of what it takes", 100.0 * off);
}

/// Reads far apart, each of which is waited for.
fn reads(from: u64, count: u64, computing: u64) -> Vec<Step> {
    (0..count).flat_map(|i| [Step::Wait(Kind::Read, from + 67 * i), Step::Compute(computing)]).collect()
}

#[test]
fn reads_before_late_write_back_are_in_the_total() {
    // The kernel writes a page long after the last read, and nobody waits for it.
    let late = [reads(0, 300, 20_000), vec![Step::Compute(2_000_000), Step::Late(31_000)]].concat();
    check(&[late], 4, 0.01);
    // It writes one when the program ends, which waits for it, such as a mapped page.
    let at_end = [reads(0, 300, 20_000), vec![Step::WriteBack(31_000, 1)]].concat();
    check(&[at_end], 4, 0.001);
}

#[test]
fn write_back_under_way_while_a_program_reads_is_not_waited_for() {
    // Each read waits in the queue of the one server at most once for the kernel's write.
    let step = |i: u64| [Step::Late(30_000 + i), Step::Wait(Kind::Read, 67 * i), Step::Compute(50_000)];
    check(&[(0..200).flat_map(step).collect()], 8, 0.01);
}

#[test]
fn a_sync_waits_for_the_write_back_before_it() {
    let commit = |i: u64| {
        let pages = 1 + i % 7;
        [Step::Wait(Kind::Read, 67 * i), Step::WriteBack(20_000 + 8 * i, pages), Step::Wait(Kind::Flush, 0)]
    };
    check(&[(0..100).flat_map(commit).collect()], 2, 0.02);
}

#[test]
fn files_that_are_closed_one_after_the_other_are_written_one_after_the_other() {
    // As `tar` does when it unpacks on a mount whose `close` waits: no request of its own at all.
    let file = |i: u64| [Step::Compute(2_000_000), Step::WriteBack(100 * i, 1 + i % 3)];
    check(&[(0..150).flat_map(file).collect()], 1, 0.02);
    check(&[(0..150).flat_map(file).collect()], 8, 0.02);
}

#[test]
fn a_process_that_follows_another_waits_for_its_end() {
    let first = [reads(0, 100, 10_000), vec![Step::Signal(1)]].concat();
    let second = [vec![Step::Await(1), Step::Compute(500_000)], reads(10_000, 100, 10_000)].concat();
    check(&[first, second], 4, 0.001);
}

#[test]
fn the_end_is_that_of_the_slower_of_two_processes() {
    // On the fast drive the second one ends last, because it computes; on the slow one the first.
    let reader = reads(0, 400, 10_000);
    let computes = [reads(10_000, 20, 10_000), reads(20_000, 10, 5_000_000)].concat();
    check(&[reader, computes], 8, 0.01);
}

#[test]
fn a_program_waits_for_all_threads_that_it_has_started() {
    let worker =
        |i: u64| [vec![Step::Await(1)], reads(5_000 * i, 20 + 10 * i, 30_000), vec![Step::Signal(2)]];
    let begins = [reads(0, 50, 10_000), vec![Step::Signal(1); 3], vec![Step::Await(2); 3]].concat();
    let main = [begins, reads(2_000, 50, 10_000)].concat();
    let threads: Vec<Vec<Step>> = std::iter::once(main).chain((1..4).map(|i| worker(i).concat())).collect();
    check(&threads, 8, 0.01);
}

#[test]
fn a_server_and_its_client_wait_for_each_other() {
    // The client looks something up, thinks, asks, and writes the answer down.
    let ask = |i: u64| {
        [
            Step::Wait(Kind::Read, 67 * i),
            Step::Compute(300_000 + 1_000 * (i % 10)),
            Step::Signal(1),
            Step::Await(2),
            Step::Wait(Kind::Write, 30_000 + i),
            Step::Compute(100_000),
        ]
    };
    let answer = |i: u64| {
        let page = 10_000 + 150 * i;
        [Step::Await(1), Step::Wait(Kind::Read, page), Step::Wait(Kind::Read, page + 70), Step::Signal(2)]
    };
    let client = (0..60).flat_map(ask).collect();
    let server = (0..60).flat_map(answer).collect();
    check(&[client, server], 4, 0.001);
}

#[test]
fn think_time_of_clients_stays_as_long() {
    // Three sessions; the clients ask nothing of the drive themselves.
    let session = |i: u64| reads(7_000 * i, 80, 3_000_000 + 100_000 * i);
    let threads: Vec<Vec<Step>> = (0..3).map(session).collect();
    check(&threads, 8, 0.001);
}

#[test]
fn the_kernel_s_read_ahead_goes_on_while_a_program_computes() {
    // Windows of 1, 2, 4 and then 8 pages: the next one is sent when the one before is begun.
    let windows: Vec<(u64, u64)> =
        [(0, 1), (1, 2), (3, 4)].into_iter().chain((0..200).map(|i| (7 + 8 * i, 8))).collect();
    for computing in [10_000u64, 100_000, 5_000_000, 9_000_000] {
        let mut steps = vec![Step::Ahead(0, 1), Step::Need(0), Step::Compute(5_000), Step::Ahead(1, 2)];
        for pair in windows[1..].windows(2) {
            let (next, pages) = pair[1];
            steps.extend([Step::Compute(computing), Step::Ahead(next, pages), Step::Need(pair[0].0)]);
            // Something else now and then, such as an inner page of an index.
            if next % 20 == 3 {
                steps.extend([Step::Compute(computing / 2), Step::Wait(Kind::Read, 20_000 + next)]);
            }
        }
        steps.push(Step::Compute(computing));
        steps.push(Step::Need(windows[windows.len() - 1].0));
        check(&[steps], 2, 0.05);
    }
}

#[test]
fn read_ahead_of_a_scan_by_several_threads_is_one() {
    // Windows of 1, 2, 4 and 8 pages by one thread, then of 8 by whichever of three came to the one before.
    let first = [(0, 1), (1, 2), (3, 4), (7, 8)].map(|(page, pages)| (0u32, page, pages));
    let windows = first.into_iter().chain((0..100u32).map(|i| (i * 7 % 3, 15 + 8 * u64::from(i), 8)));
    let request = |(at, (thread, page, pages)): (u64, (u32, u64, u64))| Request {
        issued_ns: 100_000 * at,
        completed_ns: 100_000 * at + 40_000,
        offset: page * PAGE,
        bytes: (pages * PAGE) as u32,
        thread,
        file: 0,
        kind: Kind::Read,
    };
    let requests: Vec<Request> = (0..).zip(windows).map(request).collect();
    let threads = (1..4).map(|tid| Thread { tid, pid: tid, name: String::new() }).collect();
    let files = vec![File { name: "table".to_owned(), bytes: 1 << 24 }];
    let captured = Captured { name: "scan".to_owned(), requests, files, threads, ended_ns: 10_400_000 };
    let waits = Waits::of(&captured);
    for window in 2..captured.requests.len() as u32 {
        assert!(
            waits.after(window).contains(&After::Issued(window - 1)),
            "{window}: {:?}",
            waits.after(window)
        );
        assert!(!waits.after(window).contains(&After::Completed(window - 1)), "{window}");
    }
    // Two are under way at any time, on a drive that has room for two.
    let total = predicted(&captured, &mut *drive(SLOW_US, 2)) as f64 / (104.0 * 3e6);
    assert!((0.95..1.1).contains(&total), "{total}");
}

/// Steps of a process that begins with a request and keeps the drive busy.
fn busy() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0u64..400).prop_map(|page| vec![Step::Wait(Kind::Read, 80 * page)]),
        1 => (0u64..400).prop_map(|page| vec![Step::WriteBack(80 * page, 2), Step::Wait(Kind::Flush, 0)]),
        2 => (1_000u64..100_000).prop_map(|time| vec![Step::Compute(time)]),
    ];
    let begins = vec![Step::Wait(Kind::Read, 1)];
    prop::collection::vec(step, 20..80).prop_map(move |steps| [begins.clone(), steps.concat()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Processes one after the other, whatever each does, and what the kernel writes for them.
    #[test]
    fn processes_one_after_the_other_add_up(programs in prop::collection::vec(busy(), 2..4)) {
        let of = programs.len() as u64;
        let chained: Vec<Vec<Step>> = (0..).zip(&programs).map(|(i, steps)| {
            let waits = if i > 0 { vec![Step::Await(i)] } else { Vec::new() };
            let tells = if i + 1 < of { vec![Step::Signal(i + 1)] } else { Vec::new() };
            [waits, steps.clone(), tells].concat()
        }).collect();
        let off = off(&chained, 8);
        prop_assert!(off.abs() < 0.02, "{:+.3}", off);
    }

    /// Whatever else is captured, a total is never less than what one thread alone waits for.
    #[test]
    fn no_thread_s_requests_are_left_out(programs in prop::collection::vec(busy(), 1..4)) {
        let captured = run(&programs, &mut *drive(FAST_US, 8));
        let total = predicted(&captured, &mut *drive(SLOW_US, 8));
        for steps in &programs {
            let reads = steps.iter().filter(|step| matches!(step, Step::Wait(Kind::Read, _))).count() as u64;
            prop_assert!(total >= reads * SLOW_US * 1_000, "{} < {} reads", total, reads);
        }
    }
}
