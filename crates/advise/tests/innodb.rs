//! InnoDB: flushing follows what keeps reads fast, and numbers from data sheets are named.

use std::process::Command;

use leadline_advise::{Config, Inputs, Lint, Reading, System, Value, Verdict, advise, lint, read_as};
use leadline_profile::DeviceProfile;
use serde_json::json;

use crate::common::{DISK, FAST, Known, parsed};

/// A drive, and how many random 16K writes it makes durable per second.
const DRIVES: [(Known, f64); 3] = [(FAST, 30_000.0), (CLOUD, 3000.0), (DISK, 100.0)];

/// A volume of 3000 requests per second.
const CLOUD: Known = Known {
    read_us: 600.0,
    write_us: 900.0,
    servers: 3,
    bandwidth: 1.25e8,
    sustained: 1.25e8,
    flush_us: 1000.0,
    rotational: true,
};

/// With `durable-writes`, by which reads take twice as long at half of the capacity, and four times at all of
/// it.
pub(crate) fn document(known: Known, capacity: f64) -> serde_json::Value {
    let point = |share: f64| {
        json!({
            "write_share": share, "offered_writes_per_second": share * capacity,
            "writes_per_second": share * capacity, "fell_behind": false, "ops": 1000,
            "latency_us": {"mean": known.read_us, "p99": known.read_us * 4_f64.powf(share)},
        })
    };
    let points: Vec<serde_json::Value> = [0.0, 0.2, 0.4, 0.6, 0.8].into_iter().map(point).collect();
    let mut document = known.document();
    document["method"]["direct"] = true.into();
    document["experiments"]["durable-writes"] = json!({
        "block_bytes": 16384, "capacity_concurrency": 16, "capacity_writes_per_second": capacity,
        "capacity_ci": [0.98 * capacity, 1.02 * capacity],
        "points": points,
    });
    document
}

fn profile(known: Known, capacity: f64) -> DeviceProfile {
    parsed(&document(known, capacity))
}

fn inputs(version: &str) -> Inputs {
    Inputs { version: Some(version.to_owned()), ..Inputs::default() }
}

fn value(profile: &DeviceProfile, inputs: &Inputs, key: &str) -> f64 {
    let advice = advise(System::Innodb, profile, inputs).unwrap();
    advice.setting(key).expect(key).value.number().expect(key)
}

/// What the rule comes to, before it is put on a step that does as well.
fn exact(profile: &DeviceProfile, inputs: &Inputs, key: &str) -> f64 {
    let advice = advise(System::Innodb, profile, inputs).unwrap();
    let setting = advice.setting(key).expect(key);
    setting.exact.or(setting.value.number()).expect(key)
}

fn config(version: &str, text: &str) -> Config {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let reading = Reading { version: Some(version.to_owned()), ..Reading::default() };
    read_as(System::Innodb, file.path(), &reading).unwrap()
}

fn linted(profile: &DeviceProfile, version: &str, text: &str) -> Lint {
    lint(System::Innodb, &config(version, text), profile, &inputs(version)).unwrap()
}

fn wrong(lint: &Lint) -> Vec<(&str, Verdict)> {
    let wrong = lint.findings.iter().filter(|finding| finding.verdict.is_wrong());
    wrong.map(|finding| (finding.key.as_str(), finding.verdict)).collect()
}

#[test]
fn flushing_is_paced_by_reads_and_not_by_what_the_drive_can_write() {
    for (known, capacity) in DRIVES {
        let profile = profile(known, capacity);
        // Twice the percentile at rest: half of the capacity. Each page also takes 16 KiB in sequence.
        let pages = |writes: f64| (1.0 / (1.0 / writes + 16384.0 / known.sustained)).floor().max(100.0);
        let inputs = inputs("mariadb-10.11");
        let capacity_value = exact(&profile, &inputs, "innodb_io_capacity");
        assert!((capacity_value - pages(capacity / 2.0)).abs() <= 1.0, "{capacity}: {capacity_value}");
        assert_eq!(exact(&profile, &inputs, "innodb_io_capacity_max"), pages(capacity));
    }
}

#[test]
fn rates_that_noise_parts_have_one_value_and_the_most_is_never_below_the_pace() {
    let alike =
        [(1280.0, [2150.0, 2250.0, 2350.0]), (5120.0, [8e3, 8.5e3, 9e3]), (20_480.0, [21e3, 22e3, 23e3])];
    for (wanted, capacities) in alike {
        for capacity in capacities {
            let profile = profile(FAST, capacity);
            let of = |key: &str| value(&profile, &inputs("mariadb-10.11"), key);
            let (pace, most) = (of("innodb_io_capacity"), of("innodb_io_capacity_max"));
            assert!(pace <= most, "{capacity}: {pace} and {most}");
            assert_eq!(most, wanted, "{capacity}");
        }
    }
}

#[test]
fn the_pace_stays_within_what_innodb_has_a_use_for() {
    let pace = |known, capacity| {
        let advice = advise(System::Innodb, &profile(known, capacity), &Inputs::default()).unwrap();
        let setting = advice.setting("innodb_io_capacity").unwrap();
        (setting.value.number().unwrap(), setting.rule.clone())
    };
    let (least, rule) = pace(DISK, 100.0);
    assert!(least == 100.0 && rule.ends_with("InnoDB takes no less than 100"), "{rule}");
    let (most, rule) = pace(FAST, 1e6);
    assert!(most == 20_000.0 && rule.ends_with("beyond 20000 the manual sees little use"), "{rule}");
}

#[test]
fn a_given_limit_for_reads_takes_the_place_of_twice_that_at_rest() {
    let profile = profile(FAST, 30_000.0);
    let at = |us: f64| {
        let inputs = Inputs { read_p99_seconds: Some(us / 1e6), ..inputs("mysql-8.4") };
        exact(&profile, &inputs, "innodb_io_capacity")
    };
    assert!(at(100.0) < at(160.0) && at(160.0) < at(240.0));
    let impossible = Inputs { read_p99_seconds: Some(79e-6), ..inputs("mysql-8.4") };
    let advice = advise(System::Innodb, &profile, &impossible).unwrap();
    assert!(advice.setting("innodb_io_capacity").is_none());
    assert!(
        advice.notes.iter().any(|note| note.contains("reads alone already take longer")),
        "{:?}",
        advice.notes
    );
}

#[test]
fn a_volume_that_lives_on_credit_is_taken_for_what_lasts() {
    let mut document = document(CLOUD, 3000.0);
    document["experiments"]["burst"] = json!({
        "operation": "write", "block_bytes": 4096, "concurrency": 32, "moved_bytes": 1u64 << 30,
        "peak_iops": 3000.0, "baseline_iops": 300.0, "loads": [],
    });
    let lasting = parsed(&document);
    let key = "innodb_io_capacity_max";
    let most = exact(&lasting, &inputs("mysql-8.0"), key);
    assert!(most < 300.0 && most > 250.0, "{most}");
    assert!(exact(&profile(CLOUD, 3000.0), &inputs("mysql-8.0"), key) > 2000.0);
}

#[test]
fn neighbours_are_flushed_where_that_saves_a_seek_whatever_the_kernel_says() {
    let neighbours = |known, capacity| {
        value(&profile(known, capacity), &inputs("mariadb-10.11"), "innodb_flush_neighbors")
    };
    assert_eq!(neighbours(DISK, 100.0), 1.0);
    assert_eq!(neighbours(FAST, 30_000.0), 0.0);
    // Said to spin, as virtual disks are.
    assert_eq!(neighbours(Known { rotational: true, ..FAST }, 30_000.0), 0.0);
}

#[test]
fn versions_have_their_own_keys() {
    let keys = |version: &str| -> Vec<&str> {
        let advice = advise(System::Innodb, &profile(FAST, 30_000.0), &inputs(version)).unwrap();
        advice.settings.iter().map(|setting| setting.key).collect()
    };
    let has = |version: &str, key: &str| keys(version).contains(&key);
    assert!(has("mysql-8.0", "innodb_page_cleaners") && has("mysql-9", "innodb_page_cleaners"));
    assert!(!has("mariadb-10.11", "innodb_page_cleaners"));
    assert!(has("mariadb-10.11", "innodb_flush_method") && !has("mariadb-11", "innodb_flush_method"));
    let older = advise(System::Innodb, &FAST.profile(), &inputs("5.7.44")).unwrap();
    assert!(
        older.version == "mysql-8.0" && older.notes.iter().any(|note| note.starts_with("version 5.7.44 is"))
    );
    let unknown = advise(System::Innodb, &FAST.profile(), &inputs("percona")).unwrap_err().to_string();
    assert!(unknown.contains("--version percona") && unknown.contains("mariadb-10.11"), "{unknown}");
}

#[test]
fn instances_of_the_pool_share_what_is_flushed_for_free_pages() {
    let small = Inputs { memory_bytes: Some(1 << 30), ..inputs("mysql-8.0") };
    let profile = profile(CLOUD, 3000.0);
    let depth = |inputs: &Inputs| value(&profile, inputs, "innodb_lru_scan_depth");
    assert_eq!(depth(&small), 1024.0);
    let pages = exact(&profile, &small, "innodb_io_capacity_max");
    assert!((depth(&inputs("mysql-8.0")) - pages / 8.0).abs() <= 1.0);
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    document["method"]["direct"] = false.into();
    let advice = advise(System::Innodb, &parsed(&document), &Inputs::default()).unwrap();
    let missing: Vec<(&str, &str)> =
        advice.missing.iter().map(|missing| (missing.key, missing.experiment)).collect();
    assert!(missing.contains(&("innodb_io_capacity", "durable-writes")), "{missing:?}");
    assert!(missing.contains(&("innodb_flush_neighbors", "interleaving")), "{missing:?}");
    let needs = System::Innodb.needs();
    assert!(advice.missing.iter().all(|missing| needs.contains(&missing.experiment)));
    assert!(advice.setting("innodb_flush_method").is_none());
    assert!(advice.notes.iter().any(|note| note.starts_with("innodb_flush_method")), "{:?}", advice.notes);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for (known, capacity) in DRIVES {
        for version in System::Innodb.versions() {
            let profile = profile(known, capacity);
            let advice = advise(System::Innodb, &profile, &inputs(version)).unwrap();
            let lint = linted(&profile, version, &advice.files()[0].text);
            assert_eq!(lint.findings.len(), advice.settings.len(), "{:?}", lint.findings);
            assert_eq!(wrong(&lint), []);
            assert!(lint.notes.is_empty(), "{:?}", lint.notes);
        }
    }
}

/// Percona, "Give Love to Your SSDs - Reduce innodb_io_capacity_max!": values from data sheets.
#[test]
fn a_data_sheet_on_a_cloud_volume_is_too_high_and_says_what_it_costs() {
    let lint = linted(
        &profile(CLOUD, 3000.0),
        "mysql-8.0",
        "[mysqld]\ninnodb_io_capacity = 20000\ninnodb-io-capacity-max=40K\n",
    );
    let want = [("innodb_io_capacity", Verdict::TooHigh), ("innodb_io_capacity_max", Verdict::TooHigh)];
    assert_eq!(wrong(&lint), want);
    let (times, of) = lint.findings[0].costs.unwrap();
    assert!(times > 2.9 && of == "the slowest hundredth of reads", "{times}");
    assert!(lint.findings[0].times.unwrap() > 10.0);
}

#[test]
fn a_default_of_mysql_8_4_on_a_disk_is_too_high_although_nobody_set_it() {
    let lint = linted(&profile(DISK, 100.0), "mysql-8.4", "[mysqld]\n");
    assert!(!lint.is_wrong());
    let pace = lint.unset.iter().find(|unset| unset.key == "innodb_io_capacity").expect("not set");
    assert_eq!((&pace.default, &pace.advised), (&Value::Number(10_000.0), &Value::Number(100.0)));
}

#[test]
fn options_that_mariadb_ignores_are_meaningless() {
    let text = "[mariadb-10.11]\ninnodb_page_cleaners = 8\nloose_innodb_buffer_pool_instances = 8\n\
                innodb_io_capacity = 1000\ninnodb_io_capacity_max = 500\n[client]\ninnodb_io_capacity = 1\n";
    let want = [
        ("innodb_io_capacity_max", Verdict::Meaningless),
        ("innodb_page_cleaners", Verdict::Meaningless),
        ("innodb_buffer_pool_instances", Verdict::Meaningless),
    ];
    assert_eq!(wrong(&linted(&profile(CLOUD, 3000.0), "mariadb-10.11", text)), want);
}

#[test]
fn sane_configurations_pass() {
    let fast = "[mysqld]\ninnodb_io_capacity = 2000\ninnodb_io_capacity_max = 4000\n\
                innodb_flush_neighbors = 0\ninnodb_flush_method = O_DIRECT\ninnodb_read_io_threads = 16\n";
    assert_eq!(wrong(&linted(&profile(FAST, 30_000.0), "mysql-8.0", fast)), []);
    let disk =
        "[mysqld]\ninnodb_io_capacity = 100\ninnodb_io_capacity_max = 100\ninnodb_flush_neighbors = 1\n";
    assert_eq!(wrong(&linted(&profile(DISK, 100.0), "mariadb-10.11", disk)), []);
    let cloud = "[mysqld]\ninnodb_io_capacity = 1000\ninnodb_io_capacity_max = 2000\n";
    assert_eq!(wrong(&linted(&profile(CLOUD, 3000.0), "mariadb-11", cloud)), []);
}

#[test]
fn values_of_another_kind_are_invalid() {
    let text = "[mysqld]\ninnodb_io_capacity = fast\ninnodb_lru_scan_depth = 1.5\n";
    let want = [("innodb_io_capacity", Verdict::Invalid), ("innodb_lru_scan_depth", Verdict::Invalid)];
    assert_eq!(wrong(&linted(&profile(FAST, 30_000.0), "mysql-9", text)), want);
}

/// The server's own program takes every line as it is, and prints it back.
#[test]
fn mariadbd_takes_every_line() {
    let mariadbd =
        ["/usr/sbin/mariadbd", "/usr/bin/mariadbd"].into_iter().find(|p| std::path::Path::new(p).exists());
    let Some(mariadbd) = mariadbd else { panic!("no mariadbd: cargo xtask setup installs it") };
    for (known, capacity) in DRIVES {
        let profile = profile(known, capacity);
        let advice = advise(System::Innodb, &profile, &inputs("mariadb-10.11")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("leadline.cnf");
        std::fs::write(&file, &advice.files()[0].text).unwrap();
        let ran = Command::new(mariadbd)
            .arg(format!("--defaults-file={}", file.display()))
            .args(["--help", "--verbose"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{said}");
        for bad in ["adjusted", "removed", "unknown", "ERROR", "deprecated"] {
            assert!(!said.contains(bad), "{said}");
        }
        let printed = String::from_utf8_lossy(&ran.stdout);
        for setting in &advice.settings {
            let name = setting.key.replace('_', "-");
            let line = printed.lines().find(|line| line.split_whitespace().next() == Some(name.as_str()));
            let shown = line.and_then(|line| line.split_whitespace().nth(1)).map(Value::word);
            assert_eq!(shown, Some(Value::word(setting.value.to_string())), "{name}");
        }
    }
}
