//! What a trace asked of each of its files, by captures made by hand.

use leadline_trace::ReadAs;
use leadline_trace::by_file::{ByFile, ByFileOptions, Class, Usage, by_file};
use leadline_trace::capture::{Event, Operation, Thread, Writer};
use proptest::prelude::*;

const PAGE: u64 = 16 << 10;
const US: u64 = 1_000;
/// A read of the devices in these tests.
const SERVICE: u64 = 200 * US;
/// What a query does with a page before it asks for the next one.
const COMPUTING: u64 = 60 * US;
const FILES: [&str; 3] = ["t/a.ibd", "t/b.ibd", "log"];

fn event(file: u32, at: u64, page: u64) -> Event {
    let (issued_ns, completed_ns) = (at, at + SERVICE);
    let (offset, length) = (page * PAGE, PAGE);
    Event { issued_ns, completed_ns, thread: 0, file, operation: Operation::Read, offset, length }
}

/// Reads of single pages, each after the one before was looked at.
fn on_demand(file: u32, at: u64, pages: impl IntoIterator<Item = u64>) -> Vec<Event> {
    let step = SERVICE + COMPUTING;
    (0..).zip(pages).map(|(i, page)| event(file, at + i * step, page)).collect()
}

/// Reads of single pages that are sent without waiting, six at a time served.
fn ahead(file: u32, at: u64, pages: impl IntoIterator<Item = u64>) -> Vec<Event> {
    let one = |(i, page)| {
        let done = at + (i / 6 + 1) * SERVICE;
        Event { completed_ns: done, thread: (i % 4) as u32, ..event(file, at + i * US, page) }
    };
    (0..).zip(pages).map(one).collect()
}

fn capture(mut events: Vec<Event>, ended_ns: u64) -> Vec<u8> {
    events.sort_by_key(|event| event.issued_ns);
    let mut writer = Writer::new(Vec::new());
    for name in FILES {
        writer.file(name).unwrap();
    }
    for tid in 1..5 {
        writer.thread(&Thread { tid, pid: 1, name: "query".to_owned() }).unwrap();
    }
    events.iter().for_each(|event| writer.event(event).unwrap());
    writer.finish(ended_ns).unwrap()
}

fn of_bytes(name: &str, bytes: &[u8], options: &ByFileOptions) -> ByFile {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    by_file(path.to_str().unwrap(), &ReadAs::Told, options, &mut |_, _| {}).unwrap()
}

fn looked_at(events: Vec<Event>) -> ByFile {
    of_bytes("x.capture", &capture(events, 1 << 40), &ByFileOptions::default())
}

/// Of the only file read.
#[track_caller]
fn only(events: Vec<Event>) -> Usage {
    let found = looked_at(events);
    assert_eq!(found.files.len(), 1);
    assert_eq!(found.files[0].usage, found.all);
    found.all
}

fn named<'a>(found: &'a ByFile, name: &str) -> &'a Usage {
    &found.files.iter().find(|file| file.name == name).unwrap().usage
}

/// Sequential and random reads of pages.
fn reads(usage: &Usage) -> (u64, u64) {
    (usage.sequential_page_reads, usage.random_page_reads)
}

#[test]
fn a_scan_is_random_until_the_database_reads_ahead() {
    // The first extent is read page by page; each other one at once, while the one before is looked at.
    let mut events = on_demand(0, 0, 0..64);
    for extent in 1..100 {
        events.extend(ahead(0, extent * 64 * (SERVICE + COMPUTING), extent * 64..(extent + 1) * 64));
    }
    let usage = only(events);
    assert_eq!(reads(&usage), (99 * 64, 64));
    assert_eq!(usage.class, Some(Class::Sequential));
    assert_eq!((usage.repeat_access_rate, usage.distinct_pages), (Some(1.0), 6400));
    assert_eq!(usage.footprint_bytes, 6400 * PAGE);
}

#[test]
fn reads_on_demand_are_random_even_in_order() {
    let usage = only(on_demand(0, 0, 0..1000));
    assert_eq!((reads(&usage), usage.class), ((0, 1000), Some(Class::Random)));
}

#[test]
fn random_reads_are_random_however_many_are_in_flight() {
    let mut random = fastrand::Rng::with_seed(7);
    // A small file is the hard case: whatever is read lies close to something read before.
    for pages in [100, 1000, 100_000] {
        let drawn: Vec<u64> = (0..20_000).map(|_| random.u64(..pages)).collect();
        let usage = only(ahead(0, 0, drawn));
        assert!(usage.random_read_share > Some(0.999), "{pages}: {usage:?}");
    }
}

#[test]
fn files_that_are_read_in_turns_do_not_disturb_one_another() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut events = Vec::new();
    for extent in 0..20 {
        let at = extent * 10_000 * US;
        events.extend(ahead(0, at, extent * 64..(extent + 1) * 64));
        let drawn: Vec<u64> = (0..64).map(|_| random.u64(..1_000_000)).collect();
        events.extend(ahead(1, at + 500, drawn));
        // The same file is read at random too, far from the scan.
        events.extend(on_demand(0, at + 700, (0..10).map(|_| 1_000_000 + random.u64(..1_000_000))));
    }
    let found = looked_at(events);
    assert_eq!(reads(named(&found, "t/a.ibd")), (20 * 64, 200));
    assert_eq!(reads(named(&found, "t/b.ibd")), (0, 20 * 64));
    assert_eq!(reads(&found.all), (20 * 64, 20 * 64 + 200));
}

#[test]
fn an_extent_is_read_ahead_without_the_pages_that_are_there_already() {
    // The first page was asked for on demand; a quarter of the extent is missing, partly in one piece.
    let in_pool = |page: u64| [3, 10, 11, 12, 13, 14, 15, 16, 17, 18, 40, 41, 50, 60, 63].contains(&page);
    let mut events = on_demand(0, 0, [640]);
    events.extend(ahead(0, SERVICE + COMPUTING, (1..64).filter(|p| !in_pool(*p)).map(|p| 640 + p)));
    assert_eq!(reads(&only(events)), (48, 1));
    // Where half of it is missing, nobody can tell.
    let few = only(ahead(0, 0, (0..64).step_by(2)));
    assert_eq!(reads(&few), (0, 32));
}

#[test]
fn several_threads_bring_an_extent_out_of_order() {
    let mut random = fastrand::Rng::with_seed(9);
    for _ in 0..50 {
        let mut pages: Vec<u64> = (640..704).collect();
        pages.chunks_mut(8).for_each(|chunk| random.shuffle(chunk));
        assert_eq!(reads(&only(ahead(0, 0, pages.clone()))), (64, 0), "{pages:?}");
    }
}

#[test]
fn large_reads_in_a_row_are_sequential_whatever_is_computed_between_them() {
    let large = |i: u64, at: u64| Event { length: 128 << 10, ..event(0, i * 10_000 * US, at * 8) };
    let usage = only((0..80).map(|i| large(i, i)).collect());
    assert_eq!((usage.reads, usage.page_reads, reads(&usage)), (80, 640, (640, 0)));
    // The rest of a run counts with it; less than an extent does not.
    assert_eq!(reads(&only((0..11).map(|i| large(i, i)).collect())), (88, 0));
    assert_eq!(reads(&only((0..4).map(|i| large(i, i)).collect())), (0, 32));
    assert_eq!(reads(&only((0..80).map(|i| large(i, i * 9)).collect())), (0, 640));
}

#[test]
fn parts_of_pages_in_order_are_one_run() {
    let small = |i: u64| Event { offset: i * 4096, length: 4096, ..event(0, i * (SERVICE + US), 0) };
    let usage = only((0..4096).map(small).collect());
    assert_eq!(reads(&usage), (4096, 0));
    assert_eq!((usage.distinct_pages, usage.repeat_access_rate), (1024, Some(4.0)));
    assert_eq!(usage.class, Some(Class::Sequential));
}

#[test]
fn a_program_that_is_interrupted_now_and_then_still_reads_in_sequence() {
    let pause = |i: u64| if i % 20 == 19 { 500 * US } else { US };
    let mut at = 0;
    let one = |i| {
        at += SERVICE + pause(i);
        event(0, at, i)
    };
    assert_eq!(reads(&only((0..1000).map(one).collect())), (1000, 0));
}

#[test]
fn writes_have_shares_of_their_own_and_count_as_accesses() {
    let write = |event: Event| Event { operation: Operation::Write, ..event };
    let mut events: Vec<Event> = ahead(0, 0, 0..64).into_iter().map(write).collect();
    events.extend(on_demand(0, 1 << 30, [5, 9, 5]).into_iter().map(write));
    events.extend(on_demand(0, 1 << 31, [5]));
    events.extend([Operation::Sync, Operation::Truncate, Operation::Remove].map(|operation| Event {
        operation,
        length: 0,
        ..event(0, 1 << 32, 0)
    }));
    // A read that failed is none.
    events.push(Event { length: 0, ..event(0, 1 << 33, 70) });
    let usage = only(events);
    assert_eq!((usage.sequential_page_writes, usage.random_page_writes), (64, 3));
    assert_eq!((usage.requests, usage.reads, usage.writes), (68, 1, 67));
    assert_eq!((usage.syncs, usage.other_operations), (1, 2));
    assert_eq!((usage.read_bytes, usage.written_bytes, usage.bytes), (PAGE, 67 * PAGE, 68 * PAGE));
    assert_eq!((usage.distinct_pages, usage.repeat_access_rate), (64, Some(68.0 / 64.0)));
    assert_eq!(usage.class, Some(Class::Random));
}

#[test]
fn the_papers_example_has_a_rate_of_two() {
    let usage = only(on_demand(0, 0, [1, 3, 4, 3, 1, 4, 5, 3]));
    assert_eq!((usage.repeat_access_rate, usage.class), (Some(2.0), Some(Class::RandomAndRepeated)));
}

#[test]
fn the_time_with_something_in_flight_is_io_and_the_rest_computing() {
    let at = |file, from, to| Event { completed_ns: to, ..event(file, from, 0) };
    let events = vec![at(0, 100, 200), at(1, 150, 300), at(0, 180, 190), at(2, 400, 500)];
    let found = of_bytes("x.capture", &capture(events, 1000), &ByFileOptions::default());
    let io = |usage: &Usage| (usage.io_seconds.unwrap() * 1e9).round();
    assert_eq!(FILES.map(|name| io(named(&found, name))), [100.0, 150.0, 100.0]);
    assert_eq!(io(&found.all), 300.0);
    assert_eq!((found.seconds, found.computing_seconds), (Some(1e-6), Some(7e-7)));
}

#[test]
fn a_trace_without_names_or_completions_says_so() {
    // A position in the file is all that tells there: no page is known to have been waited for.
    let mut text = String::new();
    for page in 0..640 {
        text +=
            &format!("{},host,0,Read,{},16384,100\n", 128_166_372_003_061_629u64 + page * 1000, page * PAGE);
        text += &format!(
            "{},host,1,Write,{},512,100\n",
            128_166_372_003_061_630u64 + page * 1000,
            page * 7 * PAGE
        );
    }
    let found = of_bytes("x.msr", text.as_bytes(), &ByFileOptions::default());
    assert!(!found.named);
    assert_eq!(
        found.files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(),
        ["volume 0", "volume 1"]
    );
    assert_eq!(reads(named(&found, "volume 0")), (640, 0));
    assert_eq!(named(&found, "volume 1").random_write_share, Some(1.0));
    assert_eq!(named(&found, "volume 1").class, None);
    assert!(found.seconds.is_some());
    assert_eq!((found.computing_seconds, found.all.io_seconds), (None, None));
    assert_eq!(named(&found, "volume 0").io_seconds, None);
}

#[test]
fn pages_of_page_traces_are_the_traces_own() {
    let text: String = (0..128).chain([u64::MAX, 5]).map(|page| format!("R {page}\n")).collect();
    let found = of_bytes("x.pages", text.as_bytes(), &ByFileOptions::default());
    assert_eq!((found.all.page_reads, found.all.distinct_pages), (130, 129));
    assert_eq!((found.all.read_bytes, reads(&found.all)), (130 * PAGE, (128, 2)));
    assert_eq!((found.seconds, found.bad_lines.count), (None, 0));
}

#[test]
fn sparse_pages_beyond_memory_are_sampled() {
    let events: Vec<Event> = (0..20_000).map(|i| event(0, i * US, i * 100_000)).collect();
    let options = ByFileOptions { most_chunks: 4000, ..ByFileOptions::default() };
    let found = of_bytes("x.capture", &capture(events, 1 << 40), &options);
    assert!(!found.exact);
    assert!((18_000..22_000).contains(&found.all.distinct_pages), "{}", found.all.distinct_pages);
    assert_eq!(found.all.page_reads, 20_000);
}

#[test]
fn a_damaged_capture_is_refused() {
    let mut bytes = capture(on_demand(0, 0, 0..10), 1 << 40);
    bytes.truncate(bytes.len() - 20);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.capture");
    std::fs::write(&path, bytes).unwrap();
    let refused = by_file(path.to_str().unwrap(), &ReadAs::Told, &ByFileOptions::default(), &mut |_, _| {});
    assert!(refused.unwrap_err().to_string().contains("the capture is damaged"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Whatever is asked for, each access is either sequential or random, and pages are counted as by a set.
    #[test]
    fn every_access_is_counted_once(
        drawn in prop::collection::vec((0u64..300, 1u64..200_000, 0u64..30, any::<bool>()), 1..400),
        page_bytes in prop::sample::select(vec![512u32, 4096, 16384, 262_144]),
    ) {
        let mut at = 0;
        let one = |(page, length, gap, write): (u64, u64, u64, bool)| {
            at += gap * US;
            let operation = if write { Operation::Write } else { Operation::Read };
            Event { length, operation, offset: page * 5000, ..event(0, at, 0) }
        };
        let events: Vec<Event> = drawn.into_iter().map(one).collect();
        let options = ByFileOptions { page_bytes, ..ByFileOptions::default() };
        let found = of_bytes("x.capture", &capture(events.clone(), 1 << 40), &options).all;
        let page_bytes = u64::from(page_bytes);
        let mut distinct = std::collections::HashSet::new();
        let mut accesses = [0; 2];
        for event in &events {
            let pages = event.offset / page_bytes..=(event.offset + event.length - 1) / page_bytes;
            accesses[usize::from(event.operation.is_write())] += pages.clone().count() as u64;
            distinct.extend(pages);
        }
        prop_assert_eq!([found.page_reads, found.page_writes], accesses);
        prop_assert_eq!(found.distinct_pages, distinct.len() as u64);
        prop_assert_eq!(found.sequential_page_reads + found.random_page_reads, found.page_reads);
        prop_assert_eq!(found.sequential_page_writes + found.random_page_writes, found.page_writes);
    }
}
