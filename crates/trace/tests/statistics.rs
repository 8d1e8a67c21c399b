//! Statistics of traces, held to naive models and to traces whose answer is known.

use std::collections::{HashMap, HashSet, VecDeque};

use leadline_trace::info::info;
use leadline_trace::reuse::{Reuse, StackDistances};
use leadline_trace::{Info, InfoOptions, Request, Trace, TraceError, Unit};
use proptest::prelude::*;

/// A trace in memory; `Err` is a bad line.
struct Given {
    unit: Unit,
    timed: bool,
    items: VecDeque<Result<Request, u64>>,
}

impl Trace for Given {
    fn unit(&self) -> Unit {
        self.unit
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        match self.items.pop_front() {
            None => Ok(None),
            Some(Ok(request)) => Ok(Some(request)),
            Some(Err(line)) => {
                Err(TraceError::Syntax { path: "given".into(), line, reason: "expected a request".into() })
            }
        }
    }

    fn timed(&self) -> bool {
        self.timed
    }
}

fn bytes(requests: impl IntoIterator<Item = Request>) -> Given {
    Given { unit: Unit::Byte, timed: true, items: requests.into_iter().map(Ok).collect() }
}

fn pages(numbers: impl IntoIterator<Item = u64>) -> Given {
    let request = |address| Request { at_ns: 0, volume: 0, write: address % 3 == 0, address, length: 1 };
    Given { unit: Unit::Page, timed: false, items: numbers.into_iter().map(request).map(Ok).collect() }
}

fn look(trace: Given) -> Info {
    info("given", trace, &InfoOptions::default(), &mut |_, _| {}).unwrap()
}

fn request(at_ns: u64, volume: u32, write: bool, address: u64, length: u32) -> Request {
    Request { at_ns, volume, write, address, length }
}

/// Distances by looking back page by page.
fn naive(accesses: &[u64]) -> Vec<Option<u64>> {
    let distance = |(now, page): (usize, &u64)| {
        let before = accesses[..now].iter().rposition(|other| other == page)?;
        Some(accesses[before..now].iter().collect::<HashSet<_>>().len() as u64)
    };
    accesses.iter().enumerate().map(distance).collect()
}

/// Misses of an LRU cache of `pages`.
fn lru_misses(accesses: &[u64], pages: usize) -> usize {
    let mut cache: VecDeque<u64> = VecDeque::new();
    let mut misses = 0;
    for page in accesses {
        match cache.iter().position(|cached| cached == page) {
            Some(at) => {
                cache.remove(at);
            }
            None => {
                misses += 1;
                cache.truncate(pages - 1);
            }
        }
        cache.push_front(*page);
    }
    misses
}

/// Skewed accesses: the smaller the number, the more of them.
fn skewed(seed: u64, accesses: usize, pages: u64) -> Vec<u64> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..accesses).map(|_| ((random.f64() * random.f64() * random.f64()) * pages as f64) as u64).collect()
}

proptest! {
    #[test]
    fn distances_are_those_of_the_naive_model(accesses in prop::collection::vec(0..60u64, 0..400)) {
        let mut order = StackDistances::new();
        let found: Vec<_> = accesses.iter().map(|&page| order.access(page)).collect();
        prop_assert_eq!(found, naive(&accesses));
        prop_assert_eq!(order.len(), accesses.iter().collect::<HashSet<_>>().len());
    }

    #[test]
    fn a_page_that_is_removed_was_never_there(
        steps in prop::collection::vec((0..30u64, 0..5u8), 0..300),
    ) {
        let mut order = StackDistances::new();
        let mut stack: Vec<u64> = Vec::new();
        for (page, what) in steps {
            let place = stack.iter().position(|other| *other == page);
            if what == 0 {
                order.remove(page);
                place.map(|i| stack.remove(i));
            } else {
                prop_assert_eq!(order.access(page), place.map(|i| i as u64 + 1));
                place.map(|i| stack.remove(i));
                stack.insert(0, page);
            }
        }
    }

    #[test]
    fn the_curve_is_that_of_lru_caches(accesses in prop::collection::vec(0..80u64, 1..300)) {
        let found = look(pages(accesses.clone()));
        prop_assert!(found.sampling.exact);
        for (cache, ratio) in found.reuse.lru_miss_ratios {
            let truth = lru_misses(&accesses, cache as usize) as f64 / accesses.len() as f64;
            prop_assert!((ratio - truth).abs() < 1e-12, "{} pages: {} is {}", cache, ratio, truth);
        }
    }
}

/// Beyond 256 pages, too: the printed distances are in bins there, the curve is not.
#[test]
fn the_curve_is_exact_at_every_point_of_a_large_footprint() {
    let accesses = skewed(3, 30_000, 6000);
    let mut stack: Vec<u64> = Vec::new();
    let mut places = Vec::new();
    for page in &accesses {
        let place = stack.iter().position(|other| other == page);
        place.map(|at| stack.remove(at));
        stack.insert(0, *page);
        places.push(place);
    }
    let found = look(pages(accesses.clone()));
    assert!(found.sampling.exact && found.footprint_pages > 3000.0, "{}", found.footprint_pages);
    assert!(found.reuse.lru_miss_ratios.len() > 80);
    for (cache, ratio) in found.reuse.lru_miss_ratios {
        let misses = places.iter().filter(|place| place.is_none_or(|at| at as u64 >= cache)).count();
        assert_eq!(ratio, misses as f64 / accesses.len() as f64, "{cache} pages");
    }
}

#[test]
fn distances_are_right_after_times_were_numbered_anew_many_times() {
    // 20,000 accesses over 700 pages: the tree holds 1,400 times at most.
    let accesses = skewed(3, 20_000, 700);
    let mut order = StackDistances::new();
    let mut stack: Vec<u64> = Vec::new();
    for page in accesses {
        let place = stack.iter().position(|other| *other == page);
        assert_eq!(order.access(page), place.map(|i| i as u64 + 1));
        place.map(|i| stack.remove(i));
        stack.insert(0, page);
    }
}

#[test]
fn a_sample_of_an_eighth_gives_the_curve_within_two_percent() {
    let accesses = skewed(9, 400_000, 40_000);
    let (mut exact, mut sampled) = (Reuse::new(1 << 20), Reuse::new(4_000));
    for &page in &accesses {
        exact.access(page, false);
        sampled.access(page, false);
    }
    assert!(exact.is_exact() && exact.rate() == 1.0 && !sampled.is_exact());
    assert!((0.05..0.2).contains(&sampled.rate()), "{}", sampled.rate());
    assert_eq!(sampled.followed().count(), 4_000);
    let footprint = accesses.iter().collect::<HashSet<_>>().len() as f64;
    assert_eq!(exact.pages(), footprint);
    assert!((sampled.pages() / footprint - 1.0).abs() < 0.05, "{} of {footprint}", sampled.pages());
    let sizes: Vec<u64> = (1..40).map(|i| i * 1_000).collect();
    let worst =
        exact.miss_ratios(&sizes).into_iter().zip(sampled.miss_ratios(&sizes)).map(|(a, b)| (a - b).abs());
    let worst = worst.fold(0.0, f64::max);
    assert!(worst < 0.02, "off by {worst}");
}

#[test]
fn what_is_followed_to_the_end_was_counted_from_the_start() {
    let accesses = skewed(5, 50_000, 5_000);
    let mut truth: HashMap<u64, u64> = HashMap::new();
    let mut reuse = Reuse::new(300);
    for &page in &accesses {
        *truth.entry(page).or_default() += 1;
        reuse.access(page, page % 2 == 0);
    }
    for page in reuse.followed() {
        assert_eq!(page.accesses, truth[&page.page]);
        assert_eq!(page.writes, if page.page % 2 == 0 { page.accesses } else { 0 });
    }
}

#[test]
fn everything_said_of_requests_is_exact() {
    let found = look(bytes([
        request(0, 0, false, 8192, 4096),
        request(1_000_000_000, 0, false, 12288, 8192), // sequential
        request(1_500_000_000, 1, true, 20480, 512),   // not: another volume
        request(2_000_000_000, 0, true, 20480, 4096),  // sequential
        request(4_000_000_000, 0, true, 0, 1),
    ]));
    let r = &found.requests;
    assert_eq!((r.count, r.reads, r.writes, r.read_share), (5, 2, 3, Some(0.4)));
    assert_eq!((r.read_bytes, r.written_bytes), (12288, 4609));
    assert_eq!((r.volumes, r.first_address, r.last_address), (2, Some(0), Some(24575)));
    assert_eq!(r.sequential_share, Some(0.4));
    let sizes = r.sizes.as_ref().unwrap();
    assert_eq!((sizes.min, sizes.median, sizes.p99, sizes.max), (1, 4096, 8192, 8192));
    assert_eq!(sizes.histogram, [(1, 1), (512, 1), (4096, 2), (8192, 1)]);
    let rates = r.rates.as_ref().unwrap();
    assert_eq!((rates.seconds, rates.requests_per_second), (4.0, Some(1.25)));
    assert_eq!(
        rates.cells.iter().map(|c| (c.reads, c.writes)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1)),
        (2, 3)
    );
    assert_eq!(r.heat.len(), 2);
    assert_eq!(r.heat[0].cells.iter().map(|c| c.1 + c.2).sum::<u64>(), 4);
    // Pages 2 | 3 4 | 5 of volume 1 | 5 | 0: none twice.
    assert_eq!((found.accesses, found.footprint_pages, found.written_pages), (6, 6.0, 3.0));
    assert_eq!((found.repeat_share, found.footprint_bytes), (Some(0.0), 6.0 * 4096.0));
}

#[test]
fn hot_sets_are_the_smallest_that_suffice() {
    // One page gets half of 100 accesses, nine get four each, fourteen get one each.
    let mut accesses = vec![1000; 50];
    accesses.extend((0..9).flat_map(|page| [page; 4]));
    accesses.extend(100..114);
    let found = look(pages(accesses));
    let hot: Vec<(f64, f64)> =
        found.hotness.hot_sets.iter().map(|h| (h.share_of_accesses, h.pages)).collect();
    assert_eq!(hot, [(0.5, 1.0), (0.8, 9.0), (0.9, 14.0), (0.99, 23.0)]);
    assert_eq!(found.hotness.hot_sets[0].share_of_pages, 1.0 / 24.0);
    assert_eq!(found.hotness.curve.first(), Some(&(1.0 / 24.0, 0.5)));
    assert_eq!(found.hotness.curve.last(), Some(&(1.0, 1.0)));
    assert_eq!(found.repeat_share, Some(0.76));
}

#[test]
fn a_cyclic_scan_misses_always_until_all_fits() {
    let found = look(pages((0..10).flat_map(|_| 0..100)));
    for &(cache, ratio) in &found.reuse.lru_miss_ratios {
        assert_eq!(ratio, if cache < 100 { 1.0 } else { 0.1 }, "{cache} pages");
    }
    assert_eq!((found.reuse.median_distance, found.reuse.p90_distance), (Some(100), Some(100)));
    let shares: f64 = found.reuse.distances.iter().map(|bin| bin.share).sum();
    assert!((shares - 0.9).abs() < 1e-12, "{shares}");
    assert!(found.reuse.distances.iter().all(|bin| bin.share == 0.0 || (bin.from..=bin.to).contains(&100)));
    assert_eq!(found.requests.sequential_share, Some(0.99));
}

#[test]
fn empty_traces_and_those_of_one_request_have_no_statistics_that_are_not_numbers() {
    let empty = look(pages([]));
    assert_eq!((empty.requests.count, empty.accesses, empty.footprint_pages), (0, 0, 0.0));
    assert!(empty.requests.sizes.is_none() && empty.repeat_share.is_none());
    assert!(empty.hotness.hot_sets.is_empty() && empty.reuse.lru_miss_ratios.is_empty());
    let one = look(bytes([request(0, 0, true, u64::MAX, u32::MAX)]));
    assert_eq!(one.requests.rates.as_ref().unwrap().requests_per_second, None);
    assert_eq!(one.requests.last_address, Some(u64::MAX));
    let one = look(pages([7]));
    assert_eq!((one.repeat_share, one.reuse.lru_miss_ratios), (Some(0.0), vec![(1, 1.0)]));
    assert!(one.hotness.hot_sets.iter().all(|hot| hot.pages == 1.0));
    let same = look(pages([7; 1000]));
    assert_eq!((same.footprint_pages, same.repeat_share), (1.0, Some(0.999)));
}

#[test]
fn bad_lines_are_counted_and_the_rest_is_read_unless_strict() {
    let given = || {
        let mut trace = pages([1, 2, 3]);
        for line in 10..17 {
            trace.items.insert(1, Err(line));
        }
        trace
    };
    let found = look(given());
    assert_eq!((found.requests.count, found.bad_lines.count, found.bad_lines.first.len()), (3, 7, 5));
    assert_eq!(found.bad_lines.first[0], "given:16: expected a request");
    let strict = InfoOptions { strict: true, ..InfoOptions::default() };
    let error = info("given", given(), &strict, &mut |_, _| {}).unwrap_err();
    assert_eq!(error.to_string(), "given:16: expected a request");
}

#[test]
fn a_file_that_cannot_be_read_on_ends_it() {
    struct Broken;
    impl Trace for Broken {
        fn unit(&self) -> Unit {
            Unit::Page
        }
        fn next(&mut self) -> Result<Option<Request>, TraceError> {
            Err(TraceError::Io { path: "broken".into(), source: std::io::Error::other("gone") })
        }
    }
    let error = info("broken", Broken, &InfoOptions::default(), &mut |_, _| {}).unwrap_err();
    assert_eq!(error.to_string(), "broken: gone");
}

#[test]
fn progress_is_told_of_long_traces() {
    let mut told = Vec::new();
    info("given", pages(0..200_000), &InfoOptions::default(), &mut |n, _| told.push(n)).unwrap();
    assert_eq!(told, [65_536, 131_072, 196_608]);
}
