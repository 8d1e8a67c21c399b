//! Placement against caching: what is chosen, and what the choice is made of.

use std::collections::BTreeSet;
use std::sync::Mutex;

use leadline_placement::{
    Captured, Choice, File, FileSize, Kind, Migration, Query, Request, Simulated, Storage, Study, StudyError,
    StudyOptions, Times, study,
};
use leadline_trace::capture::Thread;

const MIB: u64 = 1 << 20;
const PAGE: u64 = 16 << 10;

/// Times by a rule, and what was asked.
struct Ruled {
    queries: Vec<Query>,
    files: Vec<FileSize>,
    rule: fn(usize, &Storage) -> f64,
    asked: Mutex<Vec<(usize, Storage)>>,
}

/// Two queries: q0 reads files 0 and 1, q1 files 1 and 2; of 10, 20 and 30 MiB.
fn ruled(rule: fn(usize, &Storage) -> f64) -> Ruled {
    let query = |name: &str, weight, files: [usize; 2]| Query {
        name: name.to_owned(),
        weight,
        files: BTreeSet::from(files),
    };
    let file = |name: &str, mib| FileSize { name: name.to_owned(), bytes: mib * MIB };
    Ruled {
        queries: vec![query("q0", 1.0, [0, 1]), query("q1", 2.0, [1, 2])],
        files: vec![file("customer", 10), file("orders", 20), file("lineitem", 30)],
        rule,
        asked: Mutex::default(),
    }
}

impl Times for Ruled {
    fn queries(&self) -> &[Query] {
        &self.queries
    }

    fn files(&self) -> &[FileSize] {
        &self.files
    }

    fn seconds(&self, query: usize, storage: &Storage) -> Result<f64, StudyError> {
        self.asked.lock().unwrap().push((query, storage.clone()));
        Ok((self.rule)(query, storage))
    }

    fn migration_seconds(&self, bytes: u64) -> Result<f64, StudyError> {
        // 10 MiB a second.
        Ok(bytes as f64 / (10 * MIB) as f64)
    }
}

fn options(fast_mib: &[u64], migration: Migration) -> StudyOptions {
    StudyOptions {
        fast_bytes: fast_mib.iter().map(|mib| mib * MIB).collect(),
        block_bytes: PAGE as u32,
        migration,
        names: ("fast".to_owned(), "slow".to_owned()),
    }
}

fn studied(times: &dyn Times, options: &StudyOptions) -> Study {
    study(times, options, &|_, _, _| true).unwrap()
}

/// 100 s; a placed file saves 10, 25 or 30 s of a query, and a cache 1 s for each MiB.
fn additive(_: usize, storage: &Storage) -> f64 {
    match storage {
        Storage::Slow => 100.0,
        Storage::Fast => 20.0,
        Storage::Placed(files) => 100.0 - files.iter().map(|file| [10.0, 25.0, 30.0][*file]).sum::<f64>(),
        Storage::Cached(bytes, ..) => 100.0 - (bytes / MIB) as f64,
    }
}

#[test]
fn the_best_set_is_that_of_the_weighted_savings_less_copying() {
    let times = ruled(additive);
    let study = studied(&times, &options(&[10, 20, 30, 60], Migration::Once));
    // Of 300 s: customer saves 1 x 10 - 1, orders 3 x 25 - 2, lineitem 2 x 30 - 3.
    let best: Vec<_> =
        study.all.sizes.iter().map(|size| (&size.placed[0].files[..], size.placed[0].seconds)).collect();
    let expected: [(&[usize], f64); 4] =
        [(&[0], 291.0), (&[1], 227.0), (&[0, 1], 218.0), (&[0, 1, 2], 161.0)];
    assert_eq!(best, expected);
    assert_eq!(study.all.sizes[3].placed[0].migration_seconds, 6.0);
    assert_eq!(study.all.sizes[3].placed[0].query_seconds, [65.0, 45.0]);
    // Copied before each run: orders is used by both, q1 runs twice.
    let study = studied(&times, &options(&[20], Migration::PerQuery));
    let best = &study.all.sizes[0].placed[0];
    assert_eq!((&best.files[..], best.migration_seconds, best.seconds), (&[1][..], 6.0, 231.0));
    // For q1 alone lineitem is better than orders where it fits.
    let study = studied(&times, &options(&[30], Migration::Once));
    assert_eq!(study.each[1].sizes[0].placed[0].files, [2]);
    assert_eq!(study.each[0].sizes[0].placed[0].files, [0, 1]);
}

#[test]
fn the_choice_is_what_takes_least_and_is_said_with_the_price_of_the_next() {
    let study = studied(&ruled(additive), &options(&[10, 20, 50], Migration::Once));
    let chosen: Vec<Choice> = study.all.sizes.iter().map(|size| size.choice).collect();
    assert_eq!(chosen, [Choice::Cache, Choice::Placement, Choice::Cache]);
    assert_eq!(
        study.all.sizes[1].words,
        "20M: take orders placed: 227 s; the block cache (lru, every-miss) would take 240 s (6 % more); \
         the slow device alone would take 300 s (32 % more)"
    );
    let hardly = |_: usize, storage: &Storage| if *storage == Storage::Slow { 100.0 } else { 99.5 };
    let hardly = studied(&ruled(hardly), &options(&[20], Migration::Once));
    assert_eq!(hardly.each[0].sizes[0].choice, Choice::Neither, "half a percent is not worth a drive");
    let useless = studied(&ruled(|_, _| 100.0), &options(&[20], Migration::Once));
    let size = &useless.all.sizes[0];
    assert_eq!((size.choice, size.placed.len()), (Choice::Neither, 0));
    assert_eq!(
        size.words,
        "20M: neither pays; the slow device alone takes 300 s; the block cache (lru, every-miss) cannot be \
         told apart from it (300 s)"
    );
}

#[test]
fn sets_are_chosen_by_their_own_times_not_by_the_sum_of_savings() {
    // Two files together save nothing more than the first.
    let overlapping = |_: usize, storage: &Storage| match storage {
        Storage::Placed(files) if files.len() == 1 => 100.0 - [11.0, 13.0, 20.0][*files.first().unwrap()],
        Storage::Placed(_) => 95.0,
        _ => 100.0,
    };
    let study = studied(&ruled(overlapping), &options(&[30], Migration::Once));
    // By savings, customer + orders is the best of q0; replayed, orders alone is.
    assert_eq!(study.each[0].sizes[0].placed[0].files, [1]);
}

#[test]
fn nothing_is_predicted_twice_and_all_caches_are() {
    let times = ruled(additive);
    studied(&times, &options(&[20, 60], Migration::Once));
    let asked = times.asked.into_inner().unwrap();
    let distinct: std::collections::HashSet<_> = asked.iter().collect();
    assert_eq!(distinct.len(), asked.len());
    let caches = asked.iter().filter(|(_, storage)| matches!(storage, Storage::Cached(..))).count();
    assert_eq!(caches, 2 * 2 * 10 * 2);
    // A query is never asked about a file that it does not use.
    assert!(asked.iter().all(|(query, storage)| match storage {
        Storage::Placed(files) => files.iter().all(|file| (*query..query + 2).contains(file)),
        _ => true,
    }));
}

#[test]
fn it_can_be_ended() {
    let ended = study(&ruled(additive), &options(&[20], Migration::Once), &|phase, _, _| phase == "files");
    assert!(ended.unwrap_err().is_interrupted());
}

/// A query of one thread that reads pages of files, one after the other, without computing.
fn capture(name: &str, files: &[(&str, u64)], pages: impl IntoIterator<Item = (u32, u64)>) -> Captured {
    let mut now = 0;
    let mut request = |(file, page): (u32, u64)| {
        let issued_ns = now;
        now += 200_000;
        Request {
            issued_ns,
            completed_ns: now,
            offset: page * PAGE,
            bytes: PAGE as u32,
            thread: 0,
            file,
            kind: Kind::Read,
        }
    };
    let requests: Vec<Request> = pages.into_iter().map(&mut request).collect();
    let files = files.iter().map(|&(name, pages)| File { name: name.to_owned(), bytes: pages * PAGE });
    Captured {
        name: name.to_owned(),
        requests,
        files: files.collect(),
        threads: vec![Thread { tid: 1, pid: 1, name: "query".to_owned() }],
        ended_ns: now,
    }
}

/// The fast and the slow device of these tests, as files.
fn devices(folder: &std::path::Path) -> (String, String) {
    let device = |name: &str, us: f64, us_per_kib: f64, servers: u32| {
        let server = format!("{{ service_us = {us:?}, per_kib_us = {us_per_kib:?}, servers = {servers} }}");
        let text = format!("kind = \"parametric\"\ncapacity = \"1G\"\nread = {server}\nwrite = {server}\n");
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        format!("sim:{}", path.display())
    };
    (device("fast.toml", 40.0, 0.2, 6), device("slow.toml", 184.0, 1.0, 25))
}

fn simulated(captures: Vec<Captured>) -> (Simulated, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (fast, slow) = devices(folder.path());
    (Simulated::new(captures, &fast, &slow, PAGE as u32).unwrap(), folder)
}

const TABLES: [(&str, u64); 2] = [("t/orders.ibd", 1024), ("t/lineitem.ibd", 4096)];

#[test]
fn pages_read_once_are_for_placement_and_pages_read_again_for_the_cache() {
    let mut random = fastrand::Rng::with_seed(1);
    // Every third page of a table once, in no order.
    let mut pages: Vec<u64> = (0..4096).step_by(3).collect();
    random.shuffle(&mut pages);
    let once = capture("once", &TABLES, pages.into_iter().map(|page| (1, page)));
    // 600 pages of the large table eight times each: they fit where the table does not.
    let hot: Vec<u64> = (0..600).map(|_| random.u64(..4096)).collect();
    let again = capture("again", &TABLES, (0..4800).map(|_| (1, hot[random.usize(..hot.len())])));
    let (times, _folder) = simulated(vec![once, again]);
    let study = studied(&times, &options(&[16, 64], Migration::Once));
    let chosen =
        |query: usize| -> Vec<Choice> { study.each[query].sizes.iter().map(|size| size.choice).collect() };
    // The table has 64 MiB: it fits into the second size only.
    assert_eq!(chosen(0), [Choice::Neither, Choice::Placement]);
    assert_eq!(chosen(1)[0], Choice::Cache);
    let again = &study.each[1];
    assert!(again.sizes[0].placed.is_empty(), "what does not fit is not placed");
    assert!(again.sizes[0].cached[0].seconds < 0.5 * again.slow_seconds);
}

#[test]
fn everything_placed_takes_as_long_as_the_fast_device_and_nothing_as_long_as_the_slow_one() {
    let mut random = fastrand::Rng::with_seed(2);
    let pages: Vec<(u32, u64)> = (0..500).map(|_| (random.u32(..2), random.u64(..1024))).collect();
    let (times, _folder) = simulated(vec![capture("q", &TABLES, pages)]);
    let seconds = |storage: &Storage| times.seconds(0, storage).unwrap();
    let all = Storage::Placed(BTreeSet::from([0, 1]));
    assert_eq!(seconds(&all), seconds(&Storage::Fast));
    assert_eq!(seconds(&Storage::Placed(BTreeSet::new())), seconds(&Storage::Slow));
    assert_eq!(seconds(&Storage::Slow), 500.0 * 200e-6);
    let one = seconds(&Storage::Placed(BTreeSet::from([0])));
    assert!(seconds(&Storage::Fast) < one && one < seconds(&Storage::Slow));
    assert_eq!(times.files()[1].bytes, 4096 * PAGE);
}

#[test]
fn a_page_that_the_kernel_writes_last_does_not_place_its_file() {
    let mut random = fastrand::Rng::with_seed(3);
    let files = [("db", 1024), ("db-shm", 2)];
    let mut captured = capture("q", &files, (0..500).map(|_| (0, random.u64(..1024))));
    let last = *captured.requests.last().unwrap();
    // Long after the last read; when the program ends, which waits for it.
    let issued_ns = last.completed_ns + 3_000_000;
    let completed_ns = issued_ns + 200_000;
    captured.requests.push(Request {
        issued_ns,
        completed_ns,
        thread: 1,
        file: 1,
        kind: Kind::Write,
        ..last
    });
    captured.requests[500].offset = 0;
    captured.threads.push(Thread { tid: 0, pid: 0, name: String::new() });
    captured.ended_ns = completed_ns;
    let (times, _folder) = simulated(vec![captured]);
    let seconds = |set: &[usize]| {
        times.seconds(0, &Storage::Placed(set.iter().copied().collect::<BTreeSet<usize>>())).unwrap()
    };
    // 500 reads and a write of 200 us, and 3 ms of computing.
    assert!((seconds(&[]) - 0.1032).abs() < 1e-9, "{}", seconds(&[]));
    let saves = |set: &[usize]| seconds(&[]) - seconds(set);
    assert!(saves(&[0]) > 100.0 * saves(&[1]), "{} and {}", saves(&[0]), saves(&[1]));
    assert!(saves(&[1]) > 0.0);
}

#[test]
fn what_cannot_be_is_said_in_a_line() {
    let named = |name: &str| capture(name, &TABLES, [(0, 0)]);
    let folder = tempfile::tempdir().unwrap();
    let (fast, slow) = devices(folder.path());
    let said = |captures, fast: &str, slow: &str| {
        let error = Simulated::new(captures, fast, slow, PAGE as u32).err().unwrap().to_string();
        assert!(!error.contains('\n'));
        error
    };
    assert!(said(vec![named("q"), named("q")], &fast, &slow).starts_with("q: two traces are called so"));
    let nameless = capture("q", &[("", 10)], [(0, 0)]);
    assert!(said(vec![nameless], &fast, &slow).starts_with("q: has no names of files"));
    let large = capture("q", &[("t", 2 << 16)], [(0, 0)]);
    assert!(said(vec![large], &fast, &slow).contains("choose a larger device"));
    assert!(said(vec![named("q")], "nosuch", &slow).contains("is not a modelled device"));

    let (mut times, _folder) = simulated(vec![named("q3"), named("q10")]);
    let error = times.weigh(&[("q4".to_owned(), 1.0)]).unwrap_err().to_string();
    assert_eq!(error, "q4: is none of the queries, which are q3, q10; they are called as their traces");
    let none = [("q3".to_owned(), 0.0), ("q10".to_owned(), 0.0)];
    assert!(matches!(times.weigh(&none), Err(StudyError::NoWeight)));
    for bytes in [0, PAGE - 1, (1 << 30) + 1] {
        let error = times.fast_sizes(&[MIB, bytes]).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("a fast size of {bytes} bytes: must be from a cached block")),
            "{error}"
        );
    }
    let sizes = times.fast_sizes(&[]).unwrap();
    assert_eq!((sizes.len(), sizes.last()), (8, Some(&(80 * MIB))));
}
