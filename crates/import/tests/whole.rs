//! Imported profiles as a whole: of several programs, and what settings follow from them.

use std::path::Path;

use leadline_advise::System;
use leadline_import::{Enough, Format, Options, enough, import, import_texts};
use leadline_profile::{DeviceKind, DeviceProfile, DeviceState, EngineKind, Pattern};
use proptest::prelude::*;

use crate::fio::{READS, Run, appends, document};

const IOTUNE: &str = "disks:\n  - mountpoint: /var/lib/scylla\n    read_iops: 95000\n    read_bandwidth: 545M\n\
                      \x20   write_iops: 85k\n    write_bandwidth: 524288000\n";

fn of(texts: &[(&str, &str)]) -> DeviceProfile {
    let texts: Vec<(&Path, &str)> = texts.iter().map(|(path, text)| (Path::new(*path), *text)).collect();
    import_texts(&texts, &Options::default()).unwrap()
}

fn keys(enough: &[Enough], system: System) -> Vec<&'static str> {
    enough.iter().find(|one| one.system == system).unwrap().keys.clone()
}

#[test]
fn several_files_make_one_profile_that_says_where_each_number_is_from() {
    let fio = document(&[appends("fdatasync")]).to_string();
    let profile = of(&[("etcd.json", &fio), ("io.yaml", IOTUNE)]);
    assert!(profile.experiments.fsync.is_some());
    assert_eq!(profile.parameters.len(), 2);
    assert_eq!(profile.parameters[0].max_write_iops, Some(87_040.0));
    assert_eq!(profile.points, []);
    assert_eq!(profile.device.kind, DeviceKind::Imported);
    assert_eq!(profile.method.engine, EngineKind::Imported);
    assert_eq!(profile.validity.state, DeviceState::Imported);
    let programs: Vec<&str> = profile.method.imported.iter().map(|file| file.program.as_str()).collect();
    assert_eq!(programs, ["fio", "iotune"]);
    assert!(profile.method.imported[1].assumed[0].starts_with("iotune measured these rates"));
    let details: Vec<&str> = profile.validity.checks.iter().map(|check| check.detail.as_str()).collect();
    assert!(details.contains(&"etcd.json, by fio 3.33, 2026-11-26T20:47:22Z"), "{details:?}");
}

#[test]
fn keys_follow_from_what_is_there_and_from_nothing_else() {
    let fio = document(&[appends("fdatasync")]).to_string();
    let enough_of = |profile: &DeviceProfile| enough(profile).unwrap();
    let flushes = enough_of(&of(&[("etcd.json", &fio)]));
    assert_eq!(keys(&flushes, System::Etcd), ["heartbeat-interval", "election-timeout"]);
    assert_eq!(keys(&flushes, System::Postgresql), ["commit_delay"]);
    assert_eq!(keys(&flushes, System::Ceph), [""; 0]);
    let rates = enough_of(&of(&[("io.yaml", IOTUNE)]));
    assert_eq!(keys(&rates, System::Etcd), [""; 0]);
    assert_eq!(keys(&rates, System::Ceph), ["osd_mclock_max_capacity_iops_ssd"]);
    let missing = &rates.iter().find(|one| one.system == System::Etcd).unwrap().missing;
    assert!(missing.iter().all(|missing| missing.experiment == "fsync"));
    let reads = |depths: &[u32]| {
        let jobs: Vec<_> = depths
            .iter()
            .enumerate()
            .map(|(at, &depth)| Run { depth, bytes: 8192, ..READS }.job(at))
            .collect();
        enough_of(&of(&[("sweep.json", &document(&jobs).to_string())]))
    };
    assert!(keys(&reads(&[1, 4, 16, 64, 128]), System::Postgresql).contains(&"effective_io_concurrency"));
    assert_eq!(keys(&reads(&[1, 4, 16]), System::Postgresql), [""; 0], "the curve still grows");
    assert_eq!(keys(&reads(&[64]), System::Postgresql), [""; 0], "one depth is no curve");
}

#[test]
fn a_file_of_which_nothing_can_be_used_is_refused_with_why() {
    let mut job = READS.job(0);
    job["job options"]["direct"] = "0".into();
    let text = document(&[job]).to_string();
    let error = import_texts(&[(Path::new("a/b.json"), &text)], &Options::default()).unwrap_err().to_string();
    assert!(
        error.starts_with("a/b.json: nothing can be used: job \"randread-4096-1\": went through"),
        "{error}"
    );
}

#[test]
fn a_format_that_is_named_is_read_as_such() {
    let named = |format| Options { format: Some(format), ..Options::default() };
    assert!(import_texts(&[(Path::new("x"), IOTUNE)], &named(Format::Iotune)).is_ok());
    let error = import_texts(&[(Path::new("x"), IOTUNE)], &named(Format::Fio)).unwrap_err().to_string();
    assert!(error.contains("has no line that begins with {"), "{error}");
    for format in Format::ALL {
        assert_eq!(Format::from_name(format.name()), Some(format));
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bytes.json");
    std::fs::write(&path, b"{\n\xff").unwrap();
    let error = import(&[&path], &Options::default()).unwrap_err().to_string();
    assert!(
        error.ends_with("bytes.json: line 2: is not UTF-8 text; give what the program printed"),
        "{error}"
    );
    let error = import(&[folder.path().join("none")], &Options::default()).unwrap_err().to_string();
    assert!(error.contains("none: No such file"), "{error}");
}

proptest! {
    #[test]
    fn every_sweep_makes_a_profile_that_loads_and_whose_numbers_hold_the_device(
        servers in 1u32..200,
        us in 5.0..20_000.0f64,
        depths in proptest::collection::btree_set(1u32..512, 1..9),
    ) {
        let depths: Vec<u32> = depths.into_iter().collect();
        let jobs: Vec<_> = depths.iter().enumerate()
            .map(|(at, &depth)| Run { depth, servers, us, ..READS }.job(at)).collect();
        let profile = of(&[("s.json", &document(&jobs).to_string())]);
        prop_assert_eq!(&DeviceProfile::parse(&profile.to_json(), "p").unwrap(), &profile);
        let entry = &profile.parameters[0];
        prop_assert_eq!(entry.pattern, Pattern::Random);
        // A plateau is claimed only where it is one, and never without its concurrency.
        prop_assert_eq!(entry.max_read_iops.is_some(), entry.k_r.is_some());
        if let (Some([low, high]), Some([k_low, k_high])) = (entry.max_read_iops_ci, entry.k_r_90_ci) {
            let true_iops = 1e6 * f64::from(servers) / us;
            prop_assert!(low <= true_iops && true_iops <= high, "{low} {true_iops} {high}");
            let k = 0.9 * f64::from(servers);
            prop_assert!(f64::from(k_low) <= k.ceil() && k.floor() <= f64::from(k_high), "{k_low} {k} {k_high}");
        }
        enough(&profile).unwrap();
    }
}
