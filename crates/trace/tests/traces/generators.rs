//! Generators: what their names promise, and the same again for the same seed.

use std::collections::HashMap;

use leadline_trace::{GENERATOR, Request, Unit, generators, open};

use crate::{all, short};

fn made(spec: &str) -> Vec<Request> {
    all(open(&format!("gen:{spec}")).unwrap())
}

/// Percent of the requests that are reads.
fn reads(requests: &[Request]) -> f64 {
    let reads = requests.iter().filter(|request| !request.write).count();
    100.0 * reads as f64 / requests.len() as f64
}

#[test]
fn all_are_reproducible_counted_and_different_for_another_seed() {
    for info in generators() {
        let name = format!("{GENERATOR}{}", info.name);
        let has = |key| info.options.iter().any(|option| option.key == key);
        assert!(has("seed") && has("ops") && !info.about.is_empty(), "{name}");
        let take = |spec: &str| -> Vec<Request> {
            let mut trace = open(spec).unwrap();
            assert_eq!((trace.unit(), trace.timed()), (Unit::Page, false));
            (0..3000).map_while(|_| trace.next().unwrap()).collect()
        };
        let first = take(&name);
        assert_eq!(first.len(), 3000, "{name}");
        assert!(first.iter().all(|request| request.length > 0));
        assert_eq!(first, take(&format!("{name}?seed=1")), "{name}");
        if !matches!(info.name, "scan" | "loop") {
            assert_ne!(first, take(&format!("{name}?seed=2")), "{name}");
        }
        // Every default is a value that may be given.
        let all: Vec<String> = info.options.iter().map(|o| format!("{}={}", o.key, o.default)).collect();
        assert_eq!(first, take(&format!("{name}?{}", all.join("&"))), "{name}");

        let mut short = open(&format!("{name}?ops=10")).unwrap();
        for left in (0..10).rev() {
            short.next().unwrap().unwrap();
            assert_eq!(short.remaining(), Some(left), "{name}");
        }
        assert_eq!(short.progress(), Some(1.0));
        assert_eq!(short.next().unwrap(), None);
    }
}

#[test]
fn zipf_is_skewed_and_its_popular_pages_scattered() {
    let requests = made("zipf?pages=10000&ops=100000&theta=0.99&reads=30");
    assert!((reads(&requests) - 30.0).abs() < 1.0);
    let mut counts: HashMap<u64, u32> = HashMap::new();
    requests.iter().for_each(|request| *counts.entry(request.address).or_default() += 1);
    assert!(counts.keys().all(|&page| page < 10_000));
    let mut popular: Vec<(u32, u64)> = counts.iter().map(|(&page, &count)| (count, page)).collect();
    popular.sort_unstable();
    popular.reverse();
    // 1 / H(10000, 0.99) of the requests are for the first: 9.7 %.
    assert!((9000..10_500).contains(&popular[0].0), "{:?}", popular[0]);
    assert!(popular[0].1.abs_diff(popular[1].1) > 100, "{:?}", &popular[..2]);
    let in_order = made("zipf?pages=10000&ops=1000&scrambled=0");
    let first = in_order.iter().filter(|request| request.address < 100).count();
    assert!(first > 400, "{first} of 1000 on the first hundred pages");
}

#[test]
fn uniform_touches_everything_alike() {
    let requests = made("uniform?pages=100&ops=100000&reads=80");
    assert!((reads(&requests) - 80.0).abs() < 1.0);
    let mut counts = [0u32; 100];
    requests.iter().for_each(|request| counts[request.address as usize] += 1);
    assert!(counts.iter().all(|count| (800..1200).contains(count)), "{counts:?}");
}

#[test]
fn scans_and_loops_go_in_order() {
    let pages = |spec| made(spec).iter().map(short).collect::<Vec<_>>();
    assert_eq!(pages("scan?pages=5&run=2&ops=5"), ["R 0 0 2", "R 0 2 2", "R 0 4 1", "R 0 0 2", "R 0 2 2"]);
    let addresses = |spec| made(spec).iter().map(|request| request.address).collect::<Vec<_>>();
    assert_eq!(addresses("loop?pages=5&span=2&rounds=2&ops=13"), [0, 1, 0, 1, 2, 3, 2, 3, 4, 4, 0, 1, 0],);
    assert_eq!(addresses("loop?pages=3&span=10&rounds=1&ops=5"), [0, 1, 2, 0, 1]);
}

#[test]
fn scans_are_mixed_in() {
    let requests = made("mixed-scan?pages=1000&every=10&scan=5&ops=30&reads=0");
    for (i, request) in requests.iter().enumerate() {
        assert_eq!(request.write, i % 15 < 10, "{i}");
    }
    let scanned: Vec<u64> = requests.iter().filter(|r| !r.write).map(|r| r.address).collect();
    assert_eq!(scanned, (0..10).collect::<Vec<_>>(), "each scan goes on where the last ended");
}

#[test]
fn ycsb_mixes_are_those_of_the_paper() {
    // A read-modify-write is two requests: of three, on average, two read.
    for (name, percent) in
        [("a", 50.0), ("b", 95.0), ("c", 100.0), ("d", 95.0), ("e", 95.0), ("f", 200.0 / 3.0)]
    {
        let requests = made(&format!("ycsb-{name}?ops=60000&records=10000"));
        let got = reads(&requests);
        assert!((got - percent).abs() < 1.0, "{name}: {got} % reads");
        // Four records of 1000 bytes in a page of 4096, and 5 % of 60000 inserted.
        let pages = 2500 + if "de".contains(name) { 800 } else { 0 };
        assert!(requests.iter().all(|r| r.address + u64::from(r.length) <= pages), "{name}");
        let longest = requests.iter().map(|r| r.length).max().unwrap();
        assert_eq!(longest, if name == "e" { 26 } else { 1 }, "{name}");
    }
}

#[test]
fn ycsb_f_writes_what_it_read_and_d_reads_the_latest() {
    let requests = made("ycsb-f?ops=1000");
    for pair in requests.windows(2).filter(|pair| pair[1].write) {
        assert_eq!((pair[0].write, pair[0].address), (false, pair[1].address));
    }
    let requests = made("ycsb-d?ops=20000&records=100000");
    let mut newest = 0;
    let mut near = 0;
    for request in &requests {
        match request.write {
            true => newest = request.address,
            false => near += u32::from(newest > 0 && newest - request.address.min(newest) < 25),
        }
    }
    // H(100, 0.99) / H(100000, 0.99) = 41 % of 19000.
    assert!((7000..9000).contains(&near), "{near} reads within the hundred latest records");
    let inserted: Vec<u64> = requests.iter().filter(|r| r.write).map(|r| r.address).collect();
    assert_eq!(inserted[0], 25_000);
    assert!(inserted.is_sorted(), "records are added at the end");
}

#[test]
fn records_larger_than_pages_take_several() {
    let requests = made("ycsb-c?records=10&record_bytes=10000&page_bytes=4096&ops=200");
    assert!(requests.iter().all(|r| r.length == 3 && r.address % 3 == 0 && r.address < 30));
}
