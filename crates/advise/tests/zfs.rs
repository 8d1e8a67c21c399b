//! OpenZFS: what is advised follows the device, and what is wrong is named.

use std::fs;
use std::process::Command;

use leadline_advise::{System, Verdict};
use serde_json::json;

use crate::asked::{
    advised, assert_fits_what_is_written, assert_names_what_is_missing, linted, value, wrong,
};
use crate::common::{DISK, FAST, Known, parsed};
use crate::drives::assert_one_advice;
use crate::programs::{ran, text};

const ZFS: System = System::Zfs;

fn number(known: Known, key: &str) -> f64 {
    value(ZFS, &known.profile(), key).number().unwrap()
}

#[test]
fn a_class_has_as_many_requests_as_saturate_the_device() {
    // 36 in flight: 32 is the nearest step.
    assert_eq!(number(FAST, "zfs_vdev_sync_read_max_active"), 32.0);
    assert_eq!(number(DISK, "zfs_vdev_sync_read_max_active"), 1.0);
    // 512 KiB in flight are four records: halfway between two steps.
    assert_eq!(number(FAST, "zfs_vdev_async_read_max_active"), 8.0);
    assert_eq!(number(DISK, "zfs_vdev_async_read_max_active"), 3.0);
}

#[test]
fn a_drive_that_is_measured_again_has_the_same_advice() {
    assert_one_advice(ZFS);
}

#[test]
fn a_maximum_below_the_default_minimum_takes_that_with_it() {
    assert_eq!(number(DISK, "zfs_vdev_sync_read_min_active"), 1.0);
    let on_fast = advised(ZFS, &FAST.profile(), "2.2");
    assert!(on_fast.setting("zfs_vdev_sync_read_min_active").is_none());
    let found = wrong(ZFS, &DISK.profile(), "options zfs zfs_vdev_sync_read_max_active=1\n");
    assert_eq!(found, [("zfs_vdev_sync_read_max_active".into(), Verdict::Meaningless)]);
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    let missing = ["zfs_vdev_async_read_max_active", "zfs_vdev_async_write_max_active"];
    assert_names_what_is_missing(ZFS, &parsed(&document), &missing.map(|key| (key, "interleaving")));
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    assert_fits_what_is_written(ZFS, &FAST.profile());
    assert_fits_what_is_written(ZFS, &DISK.profile());
}

/// Facts of configurations that people use.
#[test]
fn settings_for_another_device_are_named() {
    // For solid-state drives, on a disk.
    let many = "options zfs zfs_vdev_sync_read_max_active=256 zfs_vdev_sync_write_max_active=256 \
                zfs_vdev_sync_read_min_active=8 zfs_vdev_async_read_max_active=16\n";
    let found = wrong(ZFS, &DISK.profile(), many);
    let keys = [
        "zfs_vdev_sync_read_max_active",
        "zfs_vdev_sync_write_max_active",
        "zfs_vdev_sync_read_min_active",
        "zfs_vdev_async_read_max_active",
    ];
    assert_eq!(found, keys.map(|key| (key.to_owned(), Verdict::TooHigh)));
    let one = "options zfs zfs_vdev_sync_read_min_active=1 zfs_vdev_sync_read_max_active=1\n";
    assert_eq!(wrong(ZFS, &FAST.profile(), one), [(keys[0].to_owned(), Verdict::TooLow)]);
    // Parameters that are gone.
    for key in ["zfs_vdev_scheduler", "zfs_vdev_max_pending"] {
        let found = wrong(ZFS, &FAST.profile(), &format!("options zfs {key}=noop\n"));
        assert_eq!(found, [(key.to_owned(), Verdict::Meaningless)]);
    }
    let found = wrong(ZFS, &FAST.profile(), "options zfs zfs_vdev_async_write_max_active=many\n");
    assert_eq!(found, [("zfs_vdev_async_write_max_active".into(), Verdict::Invalid)]);
}

#[test]
fn sane_settings_are_left_alone() {
    let defaults = "options zfs zfs_vdev_sync_read_max_active=10 zfs_vdev_sync_write_max_active=10 \
                    zfs_vdev_async_read_max_active=3 zfs_vdev_async_write_max_active=10\n";
    assert_eq!(wrong(ZFS, &DISK.profile(), defaults), []);
    let more =
        "options zfs zfs_vdev_sync_read_max_active=32 zfs_arc_max=8589934592\noptions spl spl_hostid=1\n";
    assert_eq!(wrong(ZFS, &FAST.profile(), more), []);
}

#[test]
fn what_another_parameter_takes_the_effect_of_is_moot() {
    let verdicts = |known: Known, version: &str, options: &str| -> Vec<(String, Verdict)> {
        let lint = linted(ZFS, &known.profile(), version, &format!("options zfs {options}\n"));
        lint.findings.into_iter().map(|one| (one.key, one.verdict)).collect()
    };
    let of = |key: &str, verdict| vec![(key.to_owned(), verdict)];
    let distance = "zfetch_max_distance";
    assert_eq!(
        verdicts(FAST, "2.2", "zfs_prefetch_disable=1 zfetch_max_distance=1"),
        of(distance, Verdict::Moot)
    );
    assert_eq!(verdicts(FAST, "2.2", "zfetch_max_distance=1"), []);
    let [spinning, solid] = ["zfs_vdev_aggregation_limit", "zfs_vdev_aggregation_limit_non_rotating"];
    let both = format!("{spinning}=1048576 {solid}=131072");
    assert_eq!(verdicts(FAST, "2.2", &both), of(spinning, Verdict::Moot));
    assert_eq!(verdicts(DISK, "2.2", &both), of(solid, Verdict::Moot));
    let share = "zfs_dirty_data_max_percent";
    assert_eq!(
        verdicts(FAST, "2.2", "zfs_dirty_data_max=4294967296 zfs_dirty_data_max_percent=20"),
        of(share, Verdict::Moot)
    );
    let most = "zfs_vdev_sync_read_max_active";
    let found = verdicts(FAST, "2.2", "zfs_vdev_max_active=16 zfs_vdev_sync_read_max_active=32");
    assert_eq!(found, of(most, Verdict::Meaningless));
}

#[test]
fn parameters_are_those_of_the_release() {
    let meta = "options zfs zfs_arc_meta_limit=1073741824\n";
    let said = |version: &str| linted(ZFS, &FAST.profile(), version, meta).findings.remove(0);
    assert_eq!(said("2.2").verdict, Verdict::Unknown);
    assert!(said("2.2").reason.contains("zfs_arc_meta_balance"), "{}", said("2.2").reason);
    assert_eq!(said("2.1.11-1").verdict, Verdict::NotJudged);
    // Which of them it is decides.
    let config = leadline_advise::parse(ZFS, meta, "z.conf".as_ref()).unwrap();
    let unknown =
        leadline_advise::lint(ZFS, &config, &FAST.profile(), &leadline_advise::Inputs::default()).unwrap();
    assert_eq!(unknown.findings[0].verdict, Verdict::NotJudged);
    assert!(unknown.findings[0].reason.ends_with("say --version"), "{}", unknown.findings[0].reason);
    for text in ["-1", "4294967296", "10K", "many"] {
        let found =
            wrong(ZFS, &FAST.profile(), &format!("options zfs zfs_vdev_async_read_max_active={text}\n"));
        assert!(matches!(found[0].1, Verdict::Invalid | Verdict::OutOfRange), "{text}: {found:?}");
    }
}

#[test]
fn modprobe_reads_the_options() {
    let folder = tempfile::tempdir().unwrap();
    let advice = advised(ZFS, &DISK.profile(), "2.2");
    let file = &advice.files()[0];
    assert!(file.text.contains("Not proven here"), "{}", file.text);
    fs::write(folder.path().join(file.name), &file.text).unwrap();
    let mut command = Command::new("modprobe");
    let Some(shown) = ran(command.arg("-C").arg(folder.path()).arg("--showconfig")) else { return };
    assert_eq!(text(&shown.stderr), "");
    let shown = text(&shown.stdout);
    let options: String = shown
        .lines()
        .filter(|line| line.starts_with("options zfs "))
        .map(|line| format!("{line}\n"))
        .collect();
    let lint = linted(ZFS, &DISK.profile(), "2.2", &options);
    assert_eq!(lint.findings.len(), advice.settings.len(), "{shown}");
    assert!(!lint.is_wrong(), "{:?}", lint.findings);
}
