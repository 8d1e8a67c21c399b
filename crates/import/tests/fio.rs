//! fio's JSON of devices whose numbers are known.

use std::path::Path;

use leadline_files::TextError;
use leadline_import::{Options, import_texts};
use leadline_profile::{Censored, DeviceProfile, OpKind, Pattern};
use serde_json::{Value, json};

/// A run of ten seconds on a device of `servers` that take `us` each.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) rw: &'static str,
    pub(crate) bytes: u32,
    pub(crate) depth: u32,
    pub(crate) servers: u32,
    pub(crate) us: f64,
}

pub(crate) const READS: Run = Run { rw: "randread", bytes: 4096, depth: 1, servers: 32, us: 100.0 };
const WRITES: Run = Run { rw: "randwrite", servers: 8, us: 50.0, ..READS };

impl Run {
    fn name(&self) -> String {
        format!("{}-{}-{}", self.rw, self.bytes, self.depth)
    }

    fn side(&self) -> &'static str {
        if self.rw.contains("read") { "read" } else { "write" }
    }

    /// As fio 3 writes it, in the group `group`.
    pub(crate) fn job(&self, group: usize) -> Value {
        let busy = f64::from(self.depth.min(self.servers));
        let iops = 1e6 * busy / self.us;
        let mean = 1e3 * self.us * f64::from(self.depth) / busy;
        let ios = (10.0 * iops).round();
        let times = |percentiles: bool| {
            let mut times = json!({"min": mean, "max": 2.0 * mean, "mean": mean, "stddev": 0.0, "N": ios});
            if percentiles {
                times["percentile"] = json!({"50.000000": mean, "99.000000": 1.5 * mean});
            }
            times
        };
        let none = json!({"io_bytes": 0, "total_ios": 0, "runtime": 0, "iops": 0.0});
        let mut job = json!({
            "jobname": self.name(), "groupid": group, "error": 0,
            "job options": {"name": self.name(), "rw": self.rw, "bs": size(self.bytes),
                "iodepth": self.depth.to_string(), "direct": "1", "ioengine": "libaio"},
            "read": none, "write": none, "trim": none,
        });
        job[self.side()] = json!({
            "io_bytes": ios * f64::from(self.bytes), "total_ios": ios, "runtime": 10_000, "iops": iops,
            "lat_ns": times(false), "clat_ns": times(true), "iops_mean": iops, "iops_stddev": 0.0,
            "iops_samples": 20,
        });
        job
    }
}

/// As people write it.
fn size(bytes: u32) -> String {
    if bytes.is_multiple_of(1024) { format!("{}k", bytes / 1024) } else { bytes.to_string() }
}

pub(crate) fn document(jobs: &[Value]) -> Value {
    json!({"fio version": "fio-3.33", "timestamp": 1_795_726_042, "global options": {},
        "jobs": jobs, "disk_util": [{"name": "nvme0n1"}]})
}

fn sweep(run: Run, depths: &[u32]) -> Vec<Value> {
    depths.iter().enumerate().map(|(at, &depth)| Run { depth, ..run }.job(at)).collect()
}

fn imported(document: &Value) -> Result<DeviceProfile, TextError> {
    import_texts(&[(Path::new("/home/me/sweep.json"), &document.to_string())], &Options::default())
}

/// Why nothing of a document is taken.
#[track_caller]
fn refused(document: &Value) -> String {
    imported(document).unwrap_err().to_string()
}

/// What is said of one run, changed by `change`, beside another.
#[track_caller]
fn skipped(change: impl Fn(&mut Value)) -> String {
    let mut job = Run { depth: 8, ..READS }.job(1);
    change(&mut job);
    let profile = imported(&document(&[READS.job(0), job])).unwrap();
    let points: Vec<u32> = profile.points.iter().map(|point| point.concurrency).collect();
    assert_eq!(points, [1], "{:?}", profile.method.imported);
    profile.method.imported[0].skipped.join("; ")
}

#[test]
fn a_sweep_gives_back_the_device_it_was_of() {
    let depths = [1, 2, 4, 8, 16, 32, 64, 128];
    let mut jobs = sweep(READS, &depths);
    jobs.extend(sweep(WRITES, &depths).into_iter().enumerate().map(|(at, mut job)| {
        job["groupid"] = json!(100 + at);
        job
    }));
    let profile = imported(&document(&jobs)).unwrap();
    assert_eq!(profile.points.len(), 16);
    let one = profile.points.iter().find(|p| p.op == OpKind::Read && p.concurrency == 1).unwrap();
    assert!((one.iops - 10_000.0).abs() < 1e-6 && (one.latency_us.mean - 100.0).abs() < 1e-6);
    assert_eq!(
        (one.latency_us.p99, one.latency_us.p99_9),
        (150.0, 0.0),
        "what fio did not write is not known"
    );
    let [low, high] = one.iops_ci.unwrap();
    assert!((low - 10_000.0 / 1.1).abs() < 1e-6 && (high - 11_000.0).abs() < 1e-6);
    let entry = &profile.parameters[0];
    assert_eq!((entry.pattern, entry.block_bytes), (Pattern::Random, 4096));
    let near =
        |found: Option<f64>, known: f64| assert!((found.unwrap() / known - 1.0).abs() < 1e-6, "{found:?}");
    near(entry.max_read_iops, 320_000.0);
    near(entry.max_write_iops, 160_000.0);
    near(entry.alpha, 2.0);
    near(entry.alpha_1, 0.5);
    near(entry.k_r_little, 32.0);
    assert!(entry.k_r_ci.unwrap()[0] <= 31 && entry.k_r_ci.unwrap()[1] >= 31, "{entry:?}");
    assert!((29..=32).contains(&entry.k_r.unwrap()) && (7..=8).contains(&entry.k_w.unwrap()), "{entry:?}");
    assert_eq!(entry.censored, Censored::default());
    assert_eq!(profile.device.name, "nvme0n1");
    assert_eq!(profile.device.target, "sweep.json", "without the directory");
    let file = &profile.method.imported[0];
    assert_eq!((file.program.as_str(), file.version.as_deref()), ("fio", Some("3.33")));
    assert_eq!(file.created.as_deref(), Some("2026-11-26T20:47:22Z"));
    let again = DeviceProfile::parse(&profile.to_json(), "p.json").unwrap();
    assert_eq!(again, profile);
}

#[test]
fn copies_count_together_whether_they_are_reported_alone_or_as_a_group() {
    let run = Run { depth: 4, ..READS };
    let with_copies = |mut job: Value, name: &str| {
        job["job options"]["numjobs"] = json!("2");
        job["job options"]["name"] = json!(name);
        job["jobname"] = json!(name);
        job
    };
    let alone = document(&[with_copies(run.job(0), "a"), with_copies(run.job(0), "a")]);
    let mut whole = with_copies(Run { depth: 8, ..READS }.job(0), "a");
    whole["job options"]["iodepth"] = json!("4");
    for document in [alone, document(&[whole])] {
        let profile = imported(&document).unwrap();
        let [point] = profile.points.as_slice() else { panic!("{:?}", profile.points) };
        assert_eq!(point.concurrency, 8);
        assert!((point.iops - 80_000.0).abs() < 1e-6 && (point.latency_us.mean - 100.0).abs() < 1e-6);
        assert_eq!(point.latency_us.p99, 150.0);
    }
}

#[test]
fn fio_2_counts_in_kib_and_microseconds() {
    let mut job = READS.job(0);
    let side = job["read"].as_object_mut().unwrap();
    let (lat, clat) = (side.remove("lat_ns").unwrap(), side.remove("clat_ns").unwrap());
    let micros = |times: Value, key: &str| times[key].as_f64().unwrap() / 1e3;
    side.insert(
        "lat".into(),
        json!({"max": micros(lat.clone(), "max"), "mean": micros(lat, "mean"), "N": 100_000}),
    );
    let p99 = clat["percentile"]["99.000000"].as_f64().unwrap() / 1e3;
    side.insert("clat".into(), json!({"mean": 100.0, "percentile": {"99.00": p99}}));
    side.insert("io_bytes".into(), json!(400_000));
    let mut document = document(&[job]);
    document["fio version"] = json!("fio-2.16");
    let point = imported(&document).unwrap().points.remove(0);
    assert!((point.iops - 10_000.0).abs() < 1e-6);
    assert_eq!((point.latency_us.mean, point.latency_us.p99), (100.0, 150.0));
}

#[test]
fn histograms_of_json_plus_give_all_percentiles() {
    let mut job = READS.job(0);
    job["read"]["clat_ns"]["bins"] = json!({"90000": 50_000, "100000": 49_000, "200000": 1000});
    let point = imported(&document(&[job])).unwrap().points.remove(0);
    assert_eq!((point.latency_us.p50, point.latency_us.p99, point.latency_us.p99_9), (90.0, 100.0, 200.0));
    assert_eq!(point.histogram.iter().map(|bin| bin.count).sum::<u64>(), 100_000);
}

#[test]
fn writes_with_sync_are_durable_and_those_without_are_not() {
    let durable = |sync: &str| {
        let mut job = WRITES.job(0);
        job["job options"]["sync"] = json!(sync);
        imported(&document(&[job])).unwrap().points[0].durable
    };
    assert!(durable("1") && durable("dsync") && durable("sync"));
    assert!(!durable("0") && !durable("none"));
}

#[test]
fn the_documented_check_of_disks_is_the_latency_of_flushes() {
    let profile = imported(&document(&[appends("fdatasync")])).unwrap();
    let found = profile.experiments.fsync.as_ref().unwrap();
    let point = &found.points[0];
    assert_eq!((found.append_bytes, point.writers, point.commits), (2300, 1, 10_000));
    assert_eq!((point.latency_us.mean, point.latency_us.p99), (900.0, 2000.0));
    assert!((point.commits_per_second - 1000.0).abs() < 1e-9);
    assert_eq!((profile.points.len(), profile.parameters.len()), (0, 0), "the appends are the page cache's");
    assert!(!profile.method.direct);
    let fsync = imported(&document(&[appends("fsync")])).unwrap();
    assert!(fsync.experiments.fsync.unwrap().procedure.notes[1].starts_with("by fsync"));
}

/// Ten seconds of the appends of etcd's documentation.
pub(crate) fn appends(flush: &str) -> Value {
    let mut job = Run { rw: "write", bytes: 2300, us: 1000.0, ..READS }.job(0);
    let options = job["job options"].as_object_mut().unwrap();
    options.remove("direct");
    options.insert("ioengine".into(), json!("sync"));
    options.insert(flush.into(), json!("1"));
    job["sync"] = json!({"lat_ns": {"mean": 900e3, "max": 5e6, "stddev": 1e5, "N": 10_000,
        "percentile": {"50.000000": 800e3, "99.000000": 2e6}}});
    job
}

#[test]
fn a_longest_flush_of_less_than_nothing_is_not_known() {
    let mut job = appends("fdatasync");
    job["sync"]["lat_ns"]["max"] = json!(-1);
    let profile = imported(&document(&[job])).unwrap();
    assert_eq!(profile.experiments.fsync.as_ref().unwrap().points[0].latency_us.max, 0.0);
    assert!(DeviceProfile::parse(&profile.to_json(), "p.json").is_ok());
}

#[test]
fn loads_that_say_nothing_of_the_device_are_skipped_with_why() {
    let option =
        |key: &'static str, value: &'static str| skipped(move |job| job["job options"][key] = json!(value));
    for (key, value, why) in [
        ("direct", "0", "went through the page cache"),
        ("rw", "randrw", "mixed reads and writes (rw=randrw)"),
        ("rw", "randread:8", "neither random nor in sequence"),
        ("rw", "randtrim", "neither reads nor writes"),
        ("rate_iops", "1000", "was held to a rate"),
        ("thinktime", "100", "paused between requests"),
        ("verify", "crc32c", "verified its writes"),
        ("bsrange", "4k-8k", "requests of several sizes"),
        ("bs", "4k,8k", "bs=4k,8k is not one size"),
        ("random_distribution", "zipf:1.2", "everywhere alike"),
        ("ioengine", "null", "ioengine=null is not one"),
        ("filename", "/dev/sda:/dev/sdb", "several devices"),
        ("iodepth", "many", "iodepth=many is not a number"),
        ("iodepth", "2", "8.0 requests were in flight on average, where iodepth x numjobs is 2"),
        ("iodepth", "64", "only 8.0 requests were in flight"),
        ("ioengine", "psync", "is the sum of several jobs"),
        ("bs", "8k", "requests had 4096 bytes on average, where 8192 were asked for"),
        ("kb_base", "1000", "where 4000 were asked for"),
        ("name", "other", "is the sum of several jobs (group_reporting): jobs named \"other\""),
    ] {
        let said = option(key, value);
        assert!(said.contains(why), "{key}={value}: {said}");
        assert!(said.starts_with("job \"randread-4096-8\""), "{said}");
    }
    assert!(skipped(|job| job["error"] = json!(5)).contains("ended with error 5"));
    assert!(skipped(|job| job["write"]["total_ios"] = json!(1)).contains("is the sum of several jobs"));
    assert!(skipped(|job| job["read"]["total_ios"] = json!(0)).contains("no requests"));
    let short = skipped(|job| {
        for (key, value) in [("total_ios", 800), ("io_bytes", 800 * 4096), ("runtime", 10)] {
            job["read"][key] = json!(value);
        }
    });
    assert!(short.contains("800 requests in 0.01 s are too few"), "{short}");
}

#[test]
fn jobs_of_one_group_ran_at_the_same_time_and_none_is_taken() {
    let jobs = [READS.job(0), WRITES.job(0)];
    let said = refused(&document(&jobs));
    assert!(
        said.contains("ran at the same time as \"randwrite-4096-1\"") && said.ends_with("and 1 more"),
        "{said}"
    );
}

#[test]
fn documents_that_are_not_one_whole_run_are_refused_with_the_line() {
    let text = serde_json::to_string_pretty(&document(&[READS.job(0)])).unwrap();
    let said = |text: &str| {
        import_texts(&[(Path::new("f.json"), text)], &Options::default()).unwrap_err().to_string()
    };
    let cut = &text[..text.len() - 20];
    assert!(said(cut).starts_with("f.json: line "), "{}", said(cut));
    let lines = text.lines().count();
    let two = format!("{text}\n{text}");
    assert!(said(&two).starts_with(&format!("f.json: line {}: another document begins here", lines + 1)));
    let noted = format!("note: capped at 1\n{}", text.replace("\"total_ios\": 0", "\"total_ios\": \"x\""));
    let line = 1 + noted.lines().position(|line| line.contains("\"x\"")).unwrap();
    assert!(said(&noted).starts_with(&format!("f.json: line {line}: jobs[0]")), "{}", said(&noted));
}

#[test]
fn repeated_runs_are_one_load_and_their_difference_is_in_its_interval() {
    let (first, second) = (document(&[READS.job(0)]), document(&[Run { us: 200.0, ..READS }.job(0)]));
    let (first, second) = (first.to_string(), second.to_string());
    let texts = [(Path::new("a.json"), first.as_str()), (Path::new("b.json"), second.as_str())];
    let profile = import_texts(&texts, &Options::default()).unwrap();
    let [point] = profile.points.as_slice() else { panic!() };
    assert!((point.iops - 7500.0).abs() < 1e-6);
    let [low, high] = point.iops_ci.unwrap();
    assert!(low < 5000.0 && high > 10_000.0, "{low} {high}");
    assert_eq!(profile.device.target, "a.json, b.json");
}
