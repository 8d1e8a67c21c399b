//! What is in force: keys that others make moot, values that switch off, ratios, ranges, versions.

use leadline_advise::{Finding, Inputs, Lint, System, Verdict, lint, parse};

use crate::common::{DISK, FAST, Known};

/// What is found in a configuration of this version, on a machine with 16 processors.
fn linted(system: System, known: Known, version: Option<&str>, text: &str) -> Lint {
    let config = parse(system, text, "x.conf".as_ref()).unwrap();
    let version = version.map(str::to_owned);
    let inputs = Inputs { version, memory_bytes: Some(8 << 30), cores: Some(16), ..Inputs::default() };
    lint(system, &config, &known.profile(), &inputs).unwrap()
}

fn postgresql(version: &str, text: &str) -> Lint {
    linted(System::Postgresql, FAST, Some(version), text)
}

fn of<'a>(lint: &'a Lint, key: &str) -> &'a Finding {
    let mut found = lint.findings.iter().filter(|finding| finding.key == key);
    let one = found.next().unwrap_or_else(|| panic!("{key}: {:?}", lint.findings));
    assert_eq!(found.next(), None, "one thing is said of a key");
    one
}

fn verdict(lint: &Lint, key: &str) -> Verdict {
    of(lint, key).verdict
}

#[test]
fn workers_that_do_not_run_are_moot() {
    for method in ["io_uring", "sync", "'SYNC'"] {
        let lint = postgresql("18", &format!("io_method = {method}\nio_workers = 3\n"));
        let workers = of(&lint, "io_workers");
        assert_eq!(workers.verdict, Verdict::Moot, "{method}");
        assert!(
            workers.reason.contains("io_method = ") && workers.reason.contains("x.conf, line 1"),
            "{workers:?}"
        );
    }
    assert_eq!(verdict(&postgresql("18", "io_workers = 1\n"), "io_workers"), Verdict::TooLow);
    // What moves a key aside may stand behind it.
    let lint = postgresql("18", "io_workers = 3\nio_method = worker\nio_method = sync\n");
    assert_eq!(verdict(&lint, "io_workers"), Verdict::Moot);
}

#[test]
fn nothing_is_paced_without_fsync() {
    let lint = postgresql("16", "fsync = off\ncheckpoint_flush_after = 8kB\ncommit_delay = 50000\n");
    assert_eq!(verdict(&lint, "checkpoint_flush_after"), Verdict::Moot);
    assert_eq!(verdict(&lint, "commit_delay"), Verdict::Moot);
    assert!(lint.unset.iter().all(|unset| unset.key != "wal_sync_method"));
    assert_eq!((lint.wrong(), lint.judged()), (0, 0));
}

#[test]
fn pages_are_not_asked_for_ahead_with_direct_io() {
    let direct = "debug_io_direct = 'wal, data'\neffective_io_concurrency = 1\n";
    assert_eq!(verdict(&postgresql("17", direct), "effective_io_concurrency"), Verdict::Moot);
    // Workers read them.
    assert_eq!(verdict(&postgresql("18", direct), "effective_io_concurrency"), Verdict::TooLow);
    let sync = format!("{direct}io_method = sync\n");
    assert_eq!(verdict(&postgresql("18", &sync), "effective_io_concurrency"), Verdict::Moot);
}

#[test]
fn zero_that_leaves_it_to_the_kernel_is_not_too_low() {
    for key in ["checkpoint_flush_after", "bgwriter_flush_after"] {
        for zero in ["0", "0kB", "'0'"] {
            let lint = postgresql("16", &format!("{key} = {zero}\n"));
            let found = of(&lint, key);
            assert_eq!(found.verdict, Verdict::Off, "{key} = {zero}");
            assert!(found.reason.contains("the kernel alone decides"), "{found:?}");
            assert_eq!(lint.judged(), 0);
        }
        assert_eq!(verdict(&postgresql("16", &format!("{key} = 1\n")), key), Verdict::TooLow);
    }
    // Off costs what the profile knows: one page after the other.
    let lint = postgresql("16", "effective_io_concurrency = 0\n");
    let found = of(&lint, "effective_io_concurrency");
    assert_eq!(found.verdict, Verdict::TooLow);
    assert!(found.costs.unwrap().0 > 30.0);
}

#[test]
fn costs_of_pages_count_by_their_ratio() {
    let lint = |sequential: &str, random: &str| {
        postgresql("16", &format!("seq_page_cost = {sequential}\nrandom_page_cost = {random}\n"))
    };
    for (sequential, random) in [("0.1", "0.4"), ("1.0", "4.0"), ("10", "40"), ("0.01", "0.04")] {
        let lint = lint(sequential, random);
        assert_eq!(verdict(&lint, "seq_page_cost"), Verdict::Fits, "{sequential}");
        assert_eq!(verdict(&lint, "random_page_cost"), Verdict::Fits, "{random} to {sequential}");
    }
    let lint = lint("0.1", "10");
    let found = of(&lint, "random_page_cost");
    assert_eq!(found.verdict, Verdict::TooHigh);
    assert!(found.reason.contains("100 times seq_page_cost"), "{found:?}");
    // What would fit here, not where seq_page_cost is 1.
    assert_eq!(found.advised.as_ref().unwrap().number(), Some(0.4));
}

#[test]
fn values_that_the_server_refuses_are_not_judged_by_speed() {
    let lint = |value: &str| postgresql("16", &format!("effective_io_concurrency = {value}\n"));
    for value in ["2000", "-5", "1001"] {
        let lint = lint(value);
        let found = of(&lint, "effective_io_concurrency");
        assert_eq!(found.verdict, Verdict::OutOfRange, "{value}");
        assert!(found.reason.contains("takes 0 to 1000: the server does not start"), "{found:?}");
        assert_eq!(found.times, None);
    }
    for value in ["nan", "many", "'1 2'"] {
        let verdict = verdict(&lint(value), "effective_io_concurrency");
        assert!(matches!(verdict, Verdict::Invalid | Verdict::OutOfRange), "{value}: {verdict:?}");
    }
    let word = postgresql("16", "wal_sync_method = fdatasynch\n");
    assert!(of(&word, "wal_sync_method").reason.contains("takes fsync, fdatasync, open_sync, open_datasync"));
    // Moot or not.
    let moot = postgresql("18", "io_method = sync\nio_workers = 400\n");
    assert_eq!(verdict(&moot, "io_workers"), Verdict::OutOfRange);
}

#[test]
fn keys_of_other_versions_stop_the_server() {
    let lint = postgresql("15", "io_method = sync\neffective_io_concurrency = 64\n");
    let found = of(&lint, "io_method");
    assert_eq!(found.verdict, Verdict::Unknown);
    assert_eq!(found.reason, "PostgreSQL has this key in 18 only, and 15 does not start with it");
    assert_eq!((lint.wrong(), lint.judged()), (1, 2));
    let dotted = postgresql("15", "pg_stat_statements.max = 10000\n");
    assert_eq!(dotted.findings, []);
}

#[test]
fn without_a_version_only_what_holds_for_all_is_judged() {
    let text = "io_method = worker\neffective_io_concurrency = 1\n";
    let lint = linted(System::Postgresql, FAST, None, text);
    let method = of(&lint, "io_method");
    assert_eq!(method.verdict, Verdict::NotJudged);
    assert_eq!(method.reason, "fits in version 18, unknown in 17: say --version");
    assert_eq!(verdict(&lint, "effective_io_concurrency"), Verdict::TooLow);
    // 16 since 18, which fits a disk, and 1 before.
    let unset = linted(System::Postgresql, DISK, None, "port = 5432\n").unset;
    assert!(unset.iter().all(|unset| unset.key != "effective_io_concurrency"), "{unset:?}");
}

#[test]
fn the_older_keys_of_rocksdb_make_the_newer_one_moot() {
    let options = |more: &str| {
        let text = format!("[DBOptions]\n  max_background_jobs=2\n  bytes_per_sync=65536\n  {more}\n");
        linted(System::Rocksdb, FAST, Some("7.8"), &text)
    };
    for keys in ["max_background_compactions=8", "max_background_flushes=2"] {
        let lint = options(keys);
        assert_eq!(verdict(&lint, "max_background_jobs"), Verdict::Moot, "{keys}");
    }
    // As RocksDB itself writes them down.
    let lint = options("max_background_compactions=-1\n  max_background_flushes=-1");
    assert_eq!(verdict(&lint, "max_background_jobs"), Verdict::TooLow);
    assert_eq!(verdict(&lint, "bytes_per_sync"), Verdict::TooLow);
    let direct = options("use_direct_io_for_flush_and_compaction=true");
    assert_eq!(verdict(&direct, "bytes_per_sync"), Verdict::Moot);
    // With direct reads RocksDB reads 2 MiB ahead itself.
    for (direct, verdict) in [("true", Verdict::Fits), ("false", Verdict::TooLow)] {
        let lint = options(&format!("compaction_readahead_size=0\n  use_direct_reads={direct}"));
        assert_eq!(of(&lint, "compaction_readahead_size").verdict, verdict, "{direct}");
    }
    let zero = linted(System::Rocksdb, FAST, Some("9"), "[DBOptions]\n  bytes_per_sync=0\n");
    assert_eq!(verdict(&zero, "bytes_per_sync"), Verdict::Off);
}

#[test]
fn servers_that_clamp_are_told_apart_from_those_that_do_not_start() {
    let lint =
        linted(System::Innodb, FAST, Some("mariadb-10.11"), "[mysqld]\ninnodb_read_io_threads = 128\n");
    let found = of(&lint, "innodb_read_io_threads");
    assert_eq!(found.verdict, Verdict::OutOfRange);
    assert_eq!(
        found.reason,
        "InnoDB mariadb-10.11 takes 1 to 64: the server takes the nearest of them, and says so in \
                              its log only"
    );
    let one = "[mysqld]\ninnodb_buffer_pool_instances = 1\ninnodb_page_cleaners = 8\n";
    let lint = linted(System::Innodb, FAST, Some("8.0.36"), one);
    assert_eq!(verdict(&lint, "innodb_page_cleaners"), Verdict::Moot);
}
