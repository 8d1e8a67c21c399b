//! Linux: what is advised follows the device, what is wrong is named, and the files are taken by the programs
//! that read them.

mod dirty;
mod hwdb;
mod machine;
mod ranges;
mod scripts;
mod udev;

use std::fs;
use std::process::Command;

use leadline_advise::{Config, File, Lint, System, Value, Verdict};
use leadline_profile::DeviceProfile;
use serde_json::json;

use crate::asked::{
    advised, assert_fits_what_is_written, assert_names_what_is_missing, linted, value, wrong,
};
use crate::common::{DISK, FAST, Known, parsed};
use crate::programs::{ran, skipped, text};

const LINUX: System = System::Linux;

/// The drive with a model and with what `io-cost` finds.
pub(crate) fn with_rates(known: Known) -> serde_json::Value {
    let rate = |op: &str, pattern: &str, size: f64, k: u32| {
        let rate = known.iops(op, pattern, 4096, k) * size + 0.5;
        json!({"per_second": rate, "per_second_ci": [0.98 * rate, 1.02 * rate], "rounds": [rate]})
    };
    let bandwidth = |bandwidth: f64| json!({"per_second": bandwidth, "rounds": [bandwidth]});
    let mut document = known.document();
    document["device"]["name"] = if known.rotational { "sda" } else { "nvme0n1" }.into();
    document["device"]["model"] = "KXG6 (OEM) 512G".into();
    document["device"]["firmware"] = "5108AGLA".into();
    document["experiments"]["io-cost"] = json!({
        "large_bytes": 128 << 20, "small_bytes": 4096, "small_concurrency": 64,
        "rbps": bandwidth(known.bandwidth), "rseqiops": rate("read", "sequential", 1.0, 64),
        "rrandiops": rate("read", "random", 1.0, 64),
        "wbps": bandwidth(known.sustained), "wseqiops": rate("write", "sequential", 1.0, 64),
        "wrandiops": rate("write", "random", 1.0, 64),
    });
    document
}

fn profile(known: Known) -> DeviceProfile {
    parsed(&with_rates(known))
}

/// The drive under another name; with another model where that is not empty.
fn profile_of(known: Known, name: &str, model: &str) -> DeviceProfile {
    let mut document = with_rates(known);
    document["device"]["name"] = name.into();
    if !model.is_empty() {
        document["device"]["model"] = model.into();
    }
    parsed(&document)
}

fn config(text: &str) -> Config {
    leadline_advise::parse(LINUX, text, std::path::Path::new("file")).unwrap()
}

/// What is found in a text for a drive of this name.
fn linted_for(known: Known, name: &str, text: &str) -> Lint {
    let profile = profile_of(known, name, "");
    leadline_advise::lint(LINUX, &config(text), &profile, &crate::asked::inputs("6")).unwrap()
}

/// Keys, values and verdicts, in order.
fn found(lint: &Lint) -> Vec<(&str, &str, Verdict)> {
    lint.findings.iter().map(|one| (one.key.as_str(), one.found.as_str(), one.verdict)).collect()
}

fn number(known: Known, key: &str) -> f64 {
    value(LINUX, &profile(known), key).number().unwrap()
}

fn files(known: Known) -> Vec<File> {
    advised(LINUX, &profile(known), "6").files()
}

fn file(known: Known, name: &str) -> String {
    let files = files(known);
    let names: Vec<&str> = files.iter().map(|file| file.name).collect();
    files.iter().find(|file| file.name == name).unwrap_or_else(|| panic!("{names:?}")).text.clone()
}

#[test]
fn the_cost_model_is_what_the_kernels_own_jobs_find_in_whole_numbers() {
    assert_eq!(number(FAST, "io.cost.model rbps"), 5e9);
    assert_eq!(number(FAST, "io.cost.model wbps"), 1e9);
    // 40 at a time, 80 us each.
    assert_eq!(number(FAST, "io.cost.model rrandiops"), 500_000.0);
    assert_eq!(number(DISK, "io.cost.model rrandiops"), 125.0);
    // Twice the mean, as all percentiles of these drives: of 36 in flight, so at 64; 256 is a step of four.
    let exact = |known| advised(LINUX, &profile(known), "6").setting("io.cost.qos rlat").unwrap().exact;
    assert_eq!(exact(FAST), Some(2.0 * 64.0 / 500_000.0 * 1e6));
    assert_eq!(exact(DISK), Some(16_000.0));
    assert_eq!(number(FAST, "io.cost.qos rlat"), 256.0);
    assert_eq!(number(DISK, "io.cost.qos rlat"), 16_384.0);
}

#[test]
fn only_a_spinning_disk_has_its_requests_sorted() {
    assert_eq!(value(LINUX, &profile(FAST), "queue/scheduler"), Value::word("none"));
    assert_eq!(value(LINUX, &profile(DISK), "queue/scheduler"), Value::word("mq-deadline"));
    let slow = Known { servers: 4, ..FAST };
    // 50,000 per second: 1.9 us each are 10 % of a processor, on the fast drive ten times that.
    let rule = |scheduler: &str| format!("ACTION==\"add\", ATTR{{queue/scheduler}}=\"{scheduler}\"\n");
    assert_eq!(wrong(LINUX, &profile(slow), &rule("bfq")), []);
    assert_eq!(wrong(LINUX, &profile(FAST), &rule("bfq")), [("queue/scheduler".into(), Verdict::Wrong)]);
    assert_eq!(wrong(LINUX, &profile(DISK), &rule("none")), [("queue/scheduler".into(), Verdict::Wrong)]);
}

#[test]
fn the_kernels_word_for_a_virtual_disk_that_it_spins_decides_nothing() {
    let disk = profile_of(DISK, "vda", "QEMU HARDDISK");
    assert_eq!(disk.device.rotational, Some(true));
    assert_eq!(value(LINUX, &disk, "queue/scheduler"), Value::word("none"));
    assert_ne!(
        value(LINUX, &disk, "queue/max_sectors_kb"),
        value(LINUX, &profile(DISK), "queue/max_sectors_kb")
    );
    for fine in ["none", "mq-deadline"] {
        let rule = format!("ACTION==\"add\", ATTR{{queue/scheduler}}=\"{fine}\"\n");
        assert_eq!(wrong(LINUX, &disk, &rule), [], "{fine}");
    }
}

#[test]
fn as_much_is_read_ahead_as_keeps_the_device_busy() {
    // 256 KiB take 100 us and move 2.6 GB/s: two of them are the least that reach 5 GB/s.
    assert_eq!(number(FAST, "queue/read_ahead_kb"), 512.0);
    assert_eq!(number(DISK, "queue/read_ahead_kb"), 128.0);
    // Twice 36 in flight: 64 is the nearest step.
    assert_eq!(number(FAST, "queue/nr_requests"), 64.0);
    let mut document = with_rates(FAST);
    document["device"]["queue_requests"] = 1023.into();
    assert_eq!(value(LINUX, &parsed(&document), "queue/nr_requests"), Value::Number(1023.0));
}

/// Without a scheduler the kernel refuses more than the driver has.
#[test]
fn no_more_requests_are_advised_than_the_driver_takes() {
    let advised = |scheduler: &str, requests: u32| {
        let mut document = with_rates(FAST);
        document["device"]["queue_requests"] = requests.into();
        document["device"]["scheduler"] = scheduler.into();
        value(LINUX, &parsed(&document), "queue/nr_requests")
    };
    assert_eq!(advised("none", 31), Value::Number(31.0));
    assert_eq!(advised("mq-deadline", 62), Value::Number(31.0));
    assert_eq!(advised("none", 1023), Value::Number(1023.0));
}

#[test]
fn what_may_be_dirty_is_what_the_drive_writes_in_seconds() {
    // 1 GB/s, and at most a tenth of 8 GiB.
    assert_eq!(number(FAST, "vm.dirty_background_bytes"), f64::from(819 << 20));
    // 100 MB, and three times as much: the nearest steps, also of what it is when it is measured again.
    for measured in [0.9, 1.0, 1.1] {
        let disk = Known { sustained: measured * DISK.sustained, ..DISK };
        assert_eq!(number(disk, "vm.dirty_background_bytes"), f64::from(64 << 20));
        assert_eq!(number(disk, "vm.dirty_bytes"), f64::from(192 << 20));
    }
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    let rates = ["rbps", "rseqiops", "rrandiops", "wbps", "wseqiops", "wrandiops"];
    let rates = rates.map(|name| format!("io.cost.model {name}"));
    let mut missing: Vec<(&str, &str)> = rates.iter().map(|key| (key.as_str(), "io-cost")).collect();
    missing.extend(["queue/read_ahead_kb", "queue/max_sectors_kb"].map(|key| (key, "interleaving")));
    missing.extend(["vm.dirty_background_bytes", "vm.dirty_bytes"].map(|key| (key, "sustained")));
    assert_names_what_is_missing(LINUX, &parsed(&document), &missing);
    let names: Vec<&str> =
        advised(LINUX, &parsed(&document), "6").files().iter().map(|file| file.name).collect();
    assert_eq!(names, ["99-leadline-queue.rules"]);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for known in [FAST, DISK] {
        for file in files(known) {
            let lint = linted(LINUX, &profile(known), "6", &file.text);
            assert!(!lint.findings.is_empty() && !lint.is_wrong(), "{}: {:?}", file.name, lint.findings);
        }
        // One file after the other, since some say the same.
        let mut document = with_rates(known);
        document["device"]["model"] = serde_json::Value::Null;
        assert_fits_what_is_written(LINUX, &parsed(&document));
    }
}

/// Facts of configurations that people use.
#[test]
fn settings_for_another_device_are_named() {
    // The kernel's class for fast solid-state drives, on a disk.
    let fast = "8:0 ctrl=user model=linear rbps=3102524156 rseqiops=724816 rrandiops=778122 wbps=1742780862 \
                wseqiops=425702 wrandiops=443193\n";
    let found = wrong(LINUX, &profile(DISK), fast);
    assert_eq!(found.iter().filter(|(_, verdict)| *verdict == Verdict::TooHigh).count(), 5, "{found:?}");
    assert!(found.contains(&("io.cost.model rbps".into(), Verdict::Meaningless)), "{found:?}");
    // A limit in milliseconds.
    let found =
        wrong(LINUX, &profile(DISK), "8:0 enable=1 rpct=95.00 rlat=75 wpct=95.00 wlat=150 min=50 max=150\n");
    let limits = ["io.cost.qos rlat", "io.cost.qos wlat"].map(|key| (key.to_owned(), Verdict::TooLow));
    assert_eq!(found, limits);
    // Read-ahead of a video server, for a database's drive.
    let script = "echo 65536 > /sys/block/nvme0n1/queue/read_ahead_kb\n\
                  echo 2 > /sys/block/nvme0n1/queue/nr_requests\n";
    let want = [("queue/read_ahead_kb", Verdict::TooHigh), ("queue/nr_requests", Verdict::TooLow)];
    assert_eq!(wrong(LINUX, &profile(FAST), script), want.map(|(key, verdict)| (key.to_owned(), verdict)));
    // Four fifths of the memory.
    let found = wrong(LINUX, &profile(DISK), "vm.dirty_ratio = 80\nvm.dirty_background_ratio = 4\n");
    assert_eq!(found, [("vm.dirty_ratio".into(), Verdict::TooHigh)]);
    let found =
        wrong(LINUX, &profile(DISK), "vm.dirty_background_bytes=268435456\nvm.dirty_bytes=268435456\n");
    assert_eq!(found, [("vm.dirty_background_bytes".into(), Verdict::Meaningless)]);
    // A key that systemd does not ask for, and a scheduler that is set too late.
    let entry = "block:*:name:HFS256GD9TNG-62A0A:fwver:*:\n IOCOST_SOLUTIONS=naive\n";
    assert_eq!(wrong(LINUX, &profile(FAST), entry)[0].1, Verdict::Meaningless);
    let rule = "ACTION==\"add\", ATTR{queue/nr_requests}=\"256\", ATTR{queue/scheduler}=\"none\"\n";
    assert_eq!(wrong(LINUX, &profile(FAST), rule), [("queue/nr_requests".into(), Verdict::Meaningless)]);
}

#[test]
fn sane_settings_are_left_alone() {
    for (known, text) in [
        (FAST, "KERNEL==\"nvme*\", ATTR{queue/scheduler}=\"none\", ATTR{queue/read_ahead_kb}=\"256\"\n"),
        (
            DISK,
            "ATTR{queue/rotational}==\"1\", ATTR{queue/scheduler}=\"bfq\", ATTR{queue/nr_requests}=\"256\"\n",
        ),
        (DISK, "vm.dirty_background_bytes = 67108864\nvm.dirty_bytes = 268435456\nvm.swappiness = 10\n"),
        (FAST, "vm.dirty_background_ratio = 10\nvm.dirty_ratio = 20\n"),
        // As systemd ships them: no percentiles, so no limits.
        (FAST, "259:0 enable=1 rpct=0.00 rlat=8807 wpct=0.00 wlat=59023 min=100.00 max=100.00\n"),
    ] {
        assert_eq!(wrong(LINUX, &profile(known), text), [], "{text}");
    }
}

#[test]
fn the_rate_before_a_fall_is_known_for_what_it_is() {
    let mut document = with_rates(DISK);
    document["experiments"]["io-cost"]["wbps"]["before_fall"] = 5e8.into();
    let lint = linted(LINUX, &parsed(&document), "6", "8:0 wbps=490000000\n");
    let burst = lint.findings.iter().find(|finding| finding.verdict == Verdict::Meaningless).unwrap();
    assert!(burst.reason.contains("before it falls, 500000000: it sustains 100000000"), "{}", burst.reason);
}

#[test]
fn values_that_cannot_be_are_invalid() {
    let found = wrong(LINUX, &profile(DISK), "vm.dirty_bytes = 4096\n8:0 min=120 max=110 rbps=many\n");
    let invalid = ["io.cost.qos min", "io.cost.model rbps"].map(|key| (key, Verdict::Invalid));
    for (key, verdict) in invalid.into_iter().chain([("vm.dirty_bytes", Verdict::OutOfRange)]) {
        assert!(found.contains(&(key.into(), verdict)), "{key}: {found:?}");
    }
}

/// Where the programs of udev are missing, that is said and nothing is checked.
#[test]
fn the_hardware_database_has_the_entry_for_the_drive() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("etc/udev/hwdb.d");
    fs::create_dir_all(&database).unwrap();
    fs::write(database.join("99.hwdb"), file(FAST, "99-leadline-iocost.hwdb")).unwrap();
    let root = format!("--root={}", folder.path().display());
    let hwdb = |arguments: &[&str]| ran(Command::new("systemd-hwdb").args(arguments));
    let Some(updated) = hwdb(&["update", "--strict", &root]) else { return };
    assert_eq!(text(&updated.stderr), "");
    // As udev asks: a space of the model may be one, or an underscore.
    for model in ["KXG6 (OEM) 512G", "KXG6__OEM__512G"] {
        let asked = format!("block::name:{model}:fwrev:5108AGLA:");
        let found = text(&hwdb(&["query", &root, &asked]).unwrap().stdout);
        assert!(found.contains("IOCOST_SOLUTIONS=leadline\n"), "{asked}: {found}");
        assert!(found.contains("IOCOST_MODEL_LEADLINE=rbps=5000000000 rseqiops="), "{found}");
        assert!(found.contains("IOCOST_QOS_LEADLINE=rpct=99.00 rlat=256 wpct=99.00 wlat="), "{found}");
    }
}

/// In a name space of its own, whose /run and /dev are empty: `udevadm test` of systemd 252 reads all rules
/// that there are, and applies them to the device that it is given.
#[test]
fn udev_reads_the_rule() {
    let rule = tempfile::NamedTempFile::new().unwrap();
    let script = "mount -t tmpfs none /run && mount -t tmpfs none /dev && mkdir -p /run/udev/rules.d && \
                  cp \"$1\" /run/udev/rules.d/99-known.rules && exec udevadm test /sys/class/mem/null 2>&1";
    for known in [FAST, DISK] {
        fs::write(rule.path(), file(known, "99-leadline-queue.rules")).unwrap();
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script, "sh"]).arg(rule.path());
        let Some(ran) = ran(&mut command) else { return };
        let said = text(&ran.stdout);
        if !said.contains("Reading rules file: /run/udev/rules.d/99-known.rules") {
            return skipped(&command, &format!("no name space, or no udevadm: {said}{}", text(&ran.stderr)));
        }
        assert!(!said.contains("99-known.rules:"), "{said}");
    }
}

#[test]
fn sysctl_knows_the_keys() {
    let written = tempfile::NamedTempFile::new().unwrap();
    fs::write(written.path(), file(DISK, "99-leadline-dirty.conf")).unwrap();
    let path = written.path().display().to_string();
    let Some(read) = ran(Command::new("sysctl").args(["--dry-run", "-p", &path])) else { return };
    assert!(read.status.success(), "{}", text(&read.stderr));
    assert_eq!(text(&read.stdout), "vm.dirty_background_bytes = 67108864\nvm.dirty_bytes = 201326592\n");
}

/// The script runs, with files of a folder in the place of the kernel's.
#[test]
fn the_script_writes_one_line_into_each_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    fs::create_dir_all(at("block/nvme0n1")).unwrap();
    fs::write(at("block/nvme0n1/dev"), "259:0\n").unwrap();
    let root = folder.path().display().to_string();
    let script = file(FAST, "leadline-iocost.sh");
    let script = script.replace("/sys/block", &format!("{root}/block")).replace("/sys/fs/cgroup", &root);
    let ran = Command::new("sh").args(["-e", "-u", "-c", &script]).output().unwrap();
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let model = fs::read_to_string(at("io.cost.model")).unwrap();
    assert!(model.starts_with("259:0 ctrl=user model=linear rbps=5000000000 rseqiops="), "{model}");
    let qos = fs::read_to_string(at("io.cost.qos")).unwrap();
    assert!(qos.starts_with("259:0 enable=1 ctrl=user rpct=99.00 rlat=256 "), "{qos}");
    assert!(qos.ends_with("min=75.00 max=100.00\n"), "{qos}");
}

/// A file of sysctl.d cannot have a scheduler.
#[test]
fn defaults_are_judged_of_what_could_stand_in_the_file() {
    let unset = |text: &str| -> Vec<&'static str> {
        linted(LINUX, &profile(FAST), "6", text).unset.iter().map(|unset| unset.key).collect()
    };
    assert_eq!(unset("vm.swappiness = 10\n"), <[&str; 0]>::default());
    assert!(unset("echo 64 > /sys/block/nvme0n1/queue/nr_requests\n").contains(&"queue/read_ahead_kb"));
}
