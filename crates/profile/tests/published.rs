//! Published numbers as a profile: what was published, nothing that was not, and a file that loads again.

use std::path::Path;

use leadline_catalogue::{DEVICES, Description, find};
use leadline_profile::{
    Capped, CheckName, CheckStatus, DeviceProfile, DeviceState, OpKind, PublishedError, published_profile,
};

fn profile(name: &str) -> DeviceProfile {
    let device = find(name.trim_end_matches(":raw")).unwrap();
    published_profile(&device.description(), name).unwrap()
}

#[test]
fn every_published_device_is_a_profile_that_loads_again() {
    let mut seen = 0;
    for device in DEVICES.iter().filter(|device| !device.description().published.is_empty()) {
        let profile = profile(device.name);
        let again = DeviceProfile::parse(&profile.to_json(), Path::new(device.name)).unwrap();
        assert_eq!(again, profile);
        assert_eq!((again.device.kind.as_str(), again.method.engine.as_str()), ("published", "published"));
        assert!(again.validity.complete && again.validity.state == DeviceState::Published);
        let source = &again.validity.checks[0];
        assert!(source.name == CheckName::Source && source.detail.contains("DaMoN 2021"), "{source:?}");
        seen += 1;
    }
    assert_eq!(seen, 5);
}

#[test]
fn numbers_are_those_published_and_no_others() {
    let profile = profile("p4800x");
    assert_eq!(profile.device.target, "device:p4800x");
    let [read, write] = &profile.points[..] else { panic!("{:?}", profile.points) };
    assert_eq!((read.op, read.concurrency, read.latency_us.mean), (OpKind::Read, 1, 6.8));
    assert_eq!((write.op, write.concurrency, write.latency_us.mean), (OpKind::Write, 1, 7.6));
    assert!((read.iops - 147_058.8).abs() < 0.1 && read.latency_us.p99 == 0.0 && read.iops_ci.is_none());
    let four = &profile.parameters[0];
    assert_eq!((four.block_bytes, four.alpha, four.k_r, four.k_w), (4096, Some(1.1), Some(6), Some(5)));
    assert!((four.alpha_1.unwrap() - 1.1176).abs() < 1e-4);
    assert_eq!((four.max_read_iops, four.capped), (None, Capped::Unknown));
    let eight = &profile.parameters[1];
    assert_eq!((eight.block_bytes, eight.alpha, eight.alpha_1), (8192, Some(1.0), None));
}

#[test]
fn one_profile_has_one_path() {
    let file = profile("p4510");
    assert_eq!((file.parameters.len(), file.parameters[0].k_r, file.points.len()), (2, Some(80), 2));
    let raw = profile("p4510:raw");
    assert_eq!((raw.parameters.len(), raw.parameters[0].k_r, raw.points.len()), (2, Some(16), 0));
    assert_eq!((file.device.name.as_str(), raw.device.name.as_str()), ("p4510", "p4510-raw"));
    // A description of the raw device alone needs no suffix.
    let text = "source = \"s\"\n[[published]]\nblock_bytes = 4096\npattern = \"sequential\"\npath = \"raw\"\n\
                k_r = 2\nk_w = 3\n";
    let description = Description::parse(text, "mine.toml").unwrap();
    for name in ["./mine.toml", "./mine.toml:raw"] {
        assert_eq!(published_profile(&description, name).unwrap().parameters[0].k_w, Some(3));
    }
    assert_eq!(published_profile(&description, "./a/mine.toml").unwrap().device.name, "mine");
}

#[test]
fn a_limit_is_told_from_the_device() {
    let profile = profile("aws-virtual");
    let four = &profile.parameters[0];
    assert_eq!((four.capped, four.alpha), (Capped::Yes, Some(2.0)));
    assert_eq!((four.max_read_iops, four.max_write_iops), (Some(60_000.0), Some(60_000.0)));
    let alpha = profile.validity.checks.iter().find(|check| check.name == CheckName::Alpha).unwrap();
    assert_eq!(alpha.status, CheckStatus::Violated);
    assert!(alpha.detail.contains("4K random: alpha 2 was read before the limit"), "{}", alpha.detail);
    assert_eq!(profile.parameters[1].max_read_iops, None, "8K: what saturates there was not published");
}

#[test]
fn what_was_not_published_is_refused() {
    let flash = find("flash").unwrap().description();
    let error = published_profile(&flash, "flash").unwrap_err();
    assert_eq!(
        error.to_string(),
        "device:flash has no published numbers; measure the simulated device: leadline profile sim:flash"
    );
    let sata = find("s4610").unwrap().description();
    let error = published_profile(&sata, "s4610:raw").unwrap_err();
    assert_eq!(error, PublishedError::NotRaw { name: "s4610".into() });
}
