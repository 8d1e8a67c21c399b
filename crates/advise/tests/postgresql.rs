//! PostgreSQL: what is advised follows the device, and what is wrong is named.

use std::process::Command;

use leadline_advise::{Config, Inputs, Lint, System, Value, Verdict, advise, lint, read};

use crate::common::{DISK, FAST, Known, parsed};

fn inputs(version: &str) -> Inputs {
    Inputs { version: Some(version.to_owned()), memory_bytes: Some(8 << 30), ..Inputs::default() }
}

fn number(known: Known, version: &str, key: &str) -> f64 {
    let advice = advise(System::Postgresql, &known.profile(), &inputs(version)).unwrap();
    advice.setting(key).expect(key).value.number().expect(key)
}

/// What the rule comes to, before it is put on a step that does as well.
fn exact(known: Known, data_bytes: Option<u64>, key: &str) -> f64 {
    let inputs = Inputs { data_bytes, ..inputs("16") };
    let advice = advise(System::Postgresql, &known.profile(), &inputs).unwrap();
    advice.setting(key).expect(key).exact.expect(key)
}

fn config(text: &str) -> Config {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    read(System::Postgresql, file.path()).unwrap()
}

fn linted(known: Known, text: &str) -> Lint {
    lint(System::Postgresql, &config(text), &known.profile(), &inputs("18")).unwrap()
}

fn wrong(lint: &Lint) -> Vec<(&str, Verdict)> {
    let wrong = lint.findings.iter().filter(|finding| finding.verdict.is_wrong());
    wrong.map(|finding| (finding.key.as_str(), finding.verdict)).collect()
}

#[test]
fn prefetching_is_what_saturates_the_device() {
    // 40 servers: 36 of them are 90 %, and half of what is asked for ahead may have arrived.
    assert_eq!(exact(FAST, None, "effective_io_concurrency"), 72.0);
    assert_eq!(number(FAST, "16", "effective_io_concurrency"), 64.0);
    assert_eq!(number(DISK, "16", "effective_io_concurrency"), 16.0);
    assert_eq!(number(FAST, "18", "io_workers"), 32.0);
    assert_eq!(number(DISK, "18", "io_workers"), 3.0);
}

#[test]
fn a_key_that_is_set_and_needs_more_to_be_judged_is_told() {
    let inputs = Inputs { memory_bytes: None, ..inputs("16") };
    let told = |text: &str| lint(System::Postgresql, &config(text), &FAST.profile(), &inputs).unwrap().notes;
    let note = "not judged: checkpoint_timeout and max_wal_size depend on shared_buffers: give --memory";
    assert_eq!(told("max_wal_size = 1GB\n"), [note]);
    assert_eq!(told("seq_page_cost = 1\n"), [""; 0]);
}

/// `sustained` may end before the credit does: what it measured is then the burst.
#[test]
fn a_volume_that_lives_on_credit_is_written_to_at_its_baseline() {
    let mut document = FAST.document();
    document["experiments"]["burst"] = serde_json::json!({
        "operation": "read", "block_bytes": 4096, "concurrency": 32, "moved_bytes": 1u64 << 30,
        "peak_iops": 3000.0, "baseline_iops": 300.0, "loads": [],
    });
    let advice = advise(System::Postgresql, &parsed(&document), &inputs("16")).unwrap();
    let pages = advice.setting("bgwriter_lru_maxpages").unwrap();
    assert_eq!(pages.value, Value::Number(30.0), "half of 300 per second, in rounds of 200 ms");
    assert!(
        pages.rule.contains("half of the 300 pages of 8K per second of the volume's baseline"),
        "{}",
        pages.rule
    );
}

#[test]
fn scans_read_themselves_where_workers_would_have_no_processors() {
    let method = |cores: u32| {
        let inputs = Inputs { cores: Some(cores), ..inputs("18") };
        let advice = advise(System::Postgresql, &FAST.profile(), &inputs).unwrap();
        let word = advice.setting("io_method").unwrap().value.to_string();
        (word, advice.setting("io_workers").is_some())
    };
    assert_eq!(method(2), ("sync".to_owned(), false));
    assert_eq!(method(4), ("worker".to_owned(), true));
}

#[test]
fn a_random_page_costs_what_it_takes_against_one_that_the_kernel_reads_ahead() {
    // Fast: 36 in flight take 80 us; two requests of 128K in sequence take 50 us and the transfer of 120 KiB.
    let (random, sequential) = (80.0 / 36.0, (50.0 + 122_880.0 / 5e3) / 32.0);
    assert!(random < sequential);
    // Not dearer: the default, with which the planner prices no bitmap heap scan above the whole table.
    assert_eq!(number(FAST, "16", "random_page_cost"), 4.0);
    assert!((1..=100).all(|percent| bitmap(0.01 * f64::from(percent), 4.0) < WHOLE_TABLE));
    // The disk: 8 ms against 8192 bytes at 200 MB/s (41 us).
    let cost = exact(DISK, None, "random_page_cost");
    assert_eq!(number(DISK, "16", "random_page_cost"), 256.0, "{cost}");
    let ratio = 8000.0 / 40.96_f64;
    let fraction = 1.0 / ratio;
    assert!((bitmap(fraction, cost) - WHOLE_TABLE).abs() < 0.01, "{cost}");
}

/// What the planner takes a sequential scan of a table to cost per page, with 20 rows in each.
const WHOLE_TABLE: f64 = 1.0 + 20.0 * 0.0125;

/// What it takes a bitmap heap scan of a fraction of the pages to cost, per page of the table.
fn bitmap(fraction: f64, random_page_cost: f64) -> f64 {
    fraction * (random_page_cost - (random_page_cost - 1.0) * fraction.sqrt())
}

#[test]
fn half_of_the_data_in_memory_makes_random_pages_half_as_expensive() {
    let cost = |data_bytes| exact(DISK, data_bytes, "random_page_cost");
    // Half of 8 ms against 41 us: the planner goes over to the whole table at twice as many pages.
    let fraction = 40.96 / 4000.0;
    assert!((bitmap(fraction, cost(Some(16 << 30))) - WHOLE_TABLE).abs() < 0.01);
    assert!((bitmap(0.5 * fraction, cost(None)) - WHOLE_TABLE).abs() < 0.01);
}

#[test]
fn writing_in_the_background_is_paced_by_what_lasts() {
    // No more than the defaults, however fast the drive.
    assert_eq!(number(FAST, "16", "bgwriter_lru_maxpages"), 100.0);
    assert_eq!(number(FAST, "16", "bgwriter_flush_after"), f64::from(512 << 10));
    assert_eq!(number(FAST, "16", "checkpoint_flush_after"), f64::from(256 << 10));
    // 2 MB/s at random for long: half of 244 pages per second in rounds of 200 ms, 20 KB in 10 ms.
    let slow = Known { sustained: 8e6, ..DISK };
    assert_eq!(number(slow, "16", "bgwriter_lru_maxpages"), 24.0);
    assert_eq!(number(slow, "16", "checkpoint_flush_after"), f64::from(64 << 10));
    // 13 MB/s: 130 KB in 10 ms.
    let faster = Known { sustained: 52e6, ..DISK };
    assert_eq!(number(faster, "16", "checkpoint_flush_after"), f64::from(128 << 10));
    // 2 GiB of buffers at 12.5 MB/s and 90 %: 191 s, below the default.
    assert_eq!(number(DISK, "16", "checkpoint_timeout"), 300.0);
}

#[test]
fn commits_wait_for_others_only_where_a_flush_is_slow() {
    assert_eq!(number(FAST, "16", "commit_delay"), 0.0);
    assert_eq!(number(DISK, "16", "commit_delay"), 8000.0);
    let advice = advise(System::Postgresql, &FAST.profile(), &inputs("16")).unwrap();
    // 2 % is not worth another method.
    assert_eq!(advice.setting("wal_sync_method").unwrap().value, Value::word("fdatasync"));
    let mut document = FAST.document();
    document["experiments"]["sync-methods"]["points"][1]["iops"] = 20_000.0.into();
    document["experiments"]["sync-methods"]["points"][1]["iops_ci"] = serde_json::json!([19_000.0, 21_000.0]);
    let advice = advise(System::Postgresql, &parsed(&document), &inputs("16")).unwrap();
    assert_eq!(advice.setting("wal_sync_method").unwrap().value, Value::word("open_datasync"));
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = serde_json::json!({});
    let advice = advise(System::Postgresql, &parsed(&document), &inputs("18")).unwrap();
    let missing: Vec<(&str, &str)> =
        advice.missing.iter().map(|missing| (missing.key, missing.experiment)).collect();
    assert!(missing.contains(&("random_page_cost", "interleaving")), "{missing:?}");
    assert!(missing.contains(&("commit_delay", "fsync")), "{missing:?}");
    assert!(missing.contains(&("wal_sync_method", "sync-methods")), "{missing:?}");
    assert!(missing.contains(&("bgwriter_lru_maxpages", "sustained")), "{missing:?}");
    assert!(advice.setting("effective_io_concurrency").is_some());
    let needs = System::Postgresql.needs();
    assert!(advice.missing.iter().all(|missing| needs.contains(&missing.experiment)));
}

#[test]
fn versions_have_their_own_keys() {
    let keys = |version: &str| -> Vec<&str> {
        let advice = advise(System::Postgresql, &FAST.profile(), &inputs(version)).unwrap();
        advice.settings.iter().map(|setting| setting.key).collect()
    };
    assert!(!keys("16").contains(&"io_combine_limit") && keys("17").contains(&"io_combine_limit"));
    assert!(!keys("17").contains(&"io_workers") && keys("18").contains(&"io_workers"));
    let older = advise(System::Postgresql, &FAST.profile(), &inputs("12")).unwrap();
    assert!(older.version == "13" && older.notes.iter().any(|note| note.starts_with("version 12 is not")));
    let unknown = advise(System::Postgresql, &FAST.profile(), &inputs("newest")).unwrap_err().to_string();
    assert!(unknown.contains("--version newest") && unknown.contains("13, 14, 15, 16, 17, 18"), "{unknown}");
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for known in [FAST, DISK] {
        for version in System::Postgresql.versions() {
            let profile = known.profile();
            let advice = advise(System::Postgresql, &profile, &inputs(version)).unwrap();
            let text = &advice.files()[0].text;
            let lint = lint(System::Postgresql, &config(text), &profile, &inputs(version)).unwrap();
            assert_eq!(lint.findings.len(), advice.settings.len(), "{text}");
            assert_eq!(wrong(&lint), [], "{text}");
            assert!(lint.notes.is_empty(), "{:?}", lint.notes);
        }
    }
}

#[test]
fn settings_for_another_drive_are_named_with_what_they_cost() {
    let from_a_solid_state_drive =
        "effective_io_concurrency = 200\nrandom_page_cost = 1.1\ncommit_delay = 0\n";
    let on_disk = linted(DISK, from_a_solid_state_drive);
    let want = [("effective_io_concurrency", Verdict::TooHigh), ("random_page_cost", Verdict::TooLow)];
    assert_eq!(wrong(&on_disk), want);
    let on_fast = linted(FAST, "effective_io_concurrency = 1\nrandom_page_cost = 4.0\n");
    assert_eq!(wrong(&on_fast), [("effective_io_concurrency", Verdict::TooLow)]);
    let (times, of) = on_fast.findings[0].costs.unwrap();
    assert!((times - 40.0).abs() < 0.5 && of == "a cold bitmap heap scan", "{times}");
}

#[test]
fn sane_settings_are_left_alone() {
    let of_a_fast_drive = "effective_io_concurrency = 200\nrandom_page_cost = 1.1\nmax_wal_size = 16GB\n\
                           checkpoint_completion_target = 0.9\nwal_sync_method = open_datasync\n";
    assert_eq!(wrong(&linted(FAST, of_a_fast_drive)), []);
    // Defaults that nobody set are no failure.
    let nothing = linted(FAST, "shared_buffers = 4GB\nport = 5432\n");
    assert!(!nothing.is_wrong() && nothing.findings.is_empty());
    assert!(nothing.unset.iter().any(|unset| unset.key == "effective_io_concurrency"), "{:?}", nothing.unset);
}

#[test]
fn what_cannot_be_is_meaningless_or_invalid() {
    let lint = linted(
        FAST,
        "random_page_cost = 0.5\nseq_page_cost = 1\nio_combine_limit = 1MB\ncommit_delay = soon\n",
    );
    let found = wrong(&lint);
    assert!(found.contains(&("random_page_cost", Verdict::Meaningless)), "{found:?}");
    assert!(found.contains(&("io_combine_limit", Verdict::Meaningless)), "{found:?}");
    assert!(found.contains(&("commit_delay", Verdict::Invalid)), "{found:?}");
}

#[test]
fn a_key_set_twice_is_judged_where_it_is_in_force() {
    let lint = linted(FAST, "effective_io_concurrency = 1\neffective_io_concurrency = 32\n");
    assert_eq!(wrong(&lint), []);
    assert!(
        lint.notes.iter().any(|note| note.contains("line 1: effective_io_concurrency is set again below"))
    );
}

#[test]
fn profiles_of_one_device_have_one_advice_that_fits_all_of_them() {
    let of = |k: u32| {
        let mut document = FAST.document();
        for entry in document["parameters"].as_array_mut().unwrap() {
            entry["k_r_90"] = k.into();
            entry["k_r_90_ci"] = serde_json::json!([k / 2, 2 * k]);
        }
        parsed(&document)
    };
    // Four quick runs of one disk.
    for k in [24, 54, 60, 32] {
        let advice = advise(System::Postgresql, &of(k), &inputs("16")).unwrap();
        let setting = advice.setting("effective_io_concurrency").unwrap();
        assert_eq!(setting.value, Value::Number(64.0));
        assert_eq!(setting.exact, Some(f64::from(2 * k)));
        for other in [24, 54, 60, 32] {
            let text = format!("effective_io_concurrency = {}\n", 2 * other);
            let lint = lint(System::Postgresql, &config(&text), &of(k), &inputs("16")).unwrap();
            assert_eq!(wrong(&lint), [], "{text} on a profile with {k}");
        }
    }
}

/// The server's own program reads each value back, in its own words.
#[test]
fn postgres_takes_every_line() {
    let Some(postgres) = newest_postgres() else { panic!("no postgres: cargo xtask setup installs it") };
    let version = Command::new(&postgres).arg("--version").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let major = version.split_whitespace().nth(2).and_then(|v| v.split('.').next()).unwrap().to_owned();
    for known in [FAST, DISK] {
        let advice = advise(System::Postgresql, &known.profile(), &inputs(&major)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("postgresql.conf"), &advice.files()[0].text).unwrap();
        for setting in &advice.settings {
            let ran =
                Command::new(&postgres).args(["-C", setting.key, "-D"]).arg(folder.path()).output().unwrap();
            let said = String::from_utf8_lossy(&ran.stderr).into_owned();
            assert!(ran.status.success(), "{}: {said}", setting.key);
            let printed = String::from_utf8(ran.stdout).unwrap();
            let again = config(&format!("{} = {}\n", setting.key, printed.trim()));
            let lint = lint(System::Postgresql, &again, &known.profile(), &inputs(&major)).unwrap();
            assert_eq!(wrong(&lint), [], "{} = {printed}", setting.key);
        }
    }
}

fn newest_postgres() -> Option<std::path::PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let programs = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin/postgres")));
    programs.filter(|program| program.exists()).max()
}
