//! What is known of a drive comes out again.

use leadline_calibrate::{Calibration, Origin, Parameter};
use leadline_profile::{Capped, OpKind, Parameters, Pattern};
use leadline_sim::DeviceSpec;

use crate::drives::{SSD, VIRTUAL, calibrate, fitted, profile};

const BOTH: [OpKind; 2] = [OpKind::Read, OpKind::Write];

/// What is said to be shown is within `factor` of the truth, and no range leaves the truth out by more than
/// that.
#[track_caller]
fn agrees(found: &Calibration, truth: &[(Parameter, f64)], factor: f64) {
    for &(parameter, truth) in truth {
        let one = fitted(found, parameter);
        if one.origin == Origin::Identified {
            let off = one.value / truth;
            assert!(
                (1.0 / factor..=factor).contains(&off),
                "{}: {} for {truth}",
                parameter.name(),
                one.value
            );
        }
        let [low, high] = one.range;
        let above = one.open[0] || low <= truth * factor;
        let below = one.open[1] || high >= truth / factor;
        assert!(above && below, "{}: {} for {truth}", parameter.name(), one.range_words());
    }
}

#[track_caller]
fn shows(found: &Calibration, parameters: &[Parameter]) {
    for &parameter in parameters {
        let one = fitted(found, parameter);
        assert_eq!(one.origin, Origin::Identified, "{}: {}", parameter.name(), one.range_words());
    }
}

/// Every curve is met within `percent`; median latencies, which count half as much in the fit, within twice
/// that.
#[track_caller]
fn meets(found: &Calibration, percent: f64) {
    for one in &found.residuals {
        assert!(one.throughput_percent < percent, "{one:?}");
        assert!(one.latency_percent.unwrap() < 2.0 * percent, "{one:?}");
    }
}

#[test]
fn a_drive_limited_by_dies_programs_and_link_is_recovered() {
    let measured = profile(SSD, &BOTH, &[4 << 10, 64 << 10], &[1, 8, 64]);
    let found = calibrate(&measured).unwrap();
    let truth = [
        (Parameter::Dies, 16.0),
        (Parameter::Read, 80.0),
        (Parameter::Request, 2.0),
        (Parameter::Link, 1500.0),
        (Parameter::Controller, 10.0),
        (Parameter::Hit, 8.0),
        (Parameter::Bus, 800.0),
    ];
    agrees(&found, &truth, 1.35);
    shows(&found, &[Parameter::Dies, Parameter::Read]);
    meets(&found, 10.0);
    let value = |parameter| fitted(&found, parameter).value;
    // With two sizes, copies of 1024 bytes each explain a bandwidth as well as a link does.
    let off = value(Parameter::Link).min(1024.0 / value(Parameter::Copy)) / 1500.0;
    assert!((0.8..1.25).contains(&off), "{off} times the bandwidth");
    // What is programmed at a time and what it takes go together.
    let rate = |stripe: f64, program: f64, dies: f64| stripe * dies / program;
    let found_rate = rate(value(Parameter::Stripe), value(Parameter::Program), value(Parameter::Dies));
    let off = found_rate / rate(32768.0, 1000.0, 16.0);
    assert!((0.8..1.25).contains(&off), "writes of {off} times the bandwidth");
}

#[test]
fn a_disk_behind_software_is_recovered() {
    let measured = profile(VIRTUAL, &BOTH, &[4 << 10, 16 << 10, 64 << 10], &[1, 4, 16]);
    let found = calibrate(&measured).unwrap();
    agrees(&found, &[(Parameter::Request, 6.0), (Parameter::Copy, 0.6), (Parameter::Read, 30.0)], 1.35);
    shows(&found, &[Parameter::Request, Parameter::Copy]);
    meets(&found, 10.0);
    // Its dies never limit anything: there is no telling how many there are.
    assert_ne!(fitted(&found, Parameter::Dies).origin, Origin::Identified);
}

#[test]
fn a_limit_set_in_software_becomes_a_cap() {
    let text = format!("{SSD}\n[cap]\niops = 20000\n");
    let mut measured = profile(&text, &[OpKind::Read], &[4 << 10], &[1, 4, 16, 64]);
    let mut entry = Parameters::new(Pattern::Random, 4 << 10);
    (entry.capped, entry.max_read_iops) = (Capped::Yes, Some(20_100.0));
    measured.parameters.push(entry);
    let found = calibrate(&measured).unwrap();
    agrees(&found, &[(Parameter::Cap, 20_000.0)], 1.05);
    let off = fitted(&found, Parameter::Cap).value / 20_000.0;
    assert!((0.95..1.05).contains(&off), "{off} times the limit");
    meets(&found, 10.0);
    assert!(found.text.contains("[cap]\niops = "), "{}", found.text);
}

#[test]
fn without_writes_all_that_writes_would_show_is_a_default() {
    let measured = profile(SSD, &[OpKind::Read], &[4 << 10], &[1, 2, 4, 8, 16, 32, 64, 128]);
    let found = calibrate(&measured).unwrap();
    shows(&found, &[Parameter::Dies, Parameter::Read]);
    agrees(&found, &[(Parameter::Dies, 16.0), (Parameter::Read, 80.0)], 1.35);
    for parameter in [Parameter::Hit, Parameter::Program] {
        let one = fitted(&found, parameter);
        assert!(matches!(one.origin, Origin::Default { .. }), "{one:?}");
        assert_eq!(one.range_words(), "anything");
    }
}

#[test]
fn the_description_is_the_drive_and_says_where_everything_is_from() {
    let measured = profile(SSD, &[OpKind::Read], &[4 << 10], &[1, 8, 64]);
    let found = calibrate(&measured).unwrap();
    assert_eq!(DeviceSpec::parse(&found.text, "text").unwrap(), found.spec);
    let fields = found.text.lines().filter(|line| line.contains(" = ") && !line.starts_with('#'));
    for line in fields.filter(|line| !line.starts_with(char::is_alphabetic) || line.contains('#')) {
        let comment = line.split_once('#').map_or("", |(_, comment)| comment).trim();
        let known = ["fitted", "default", "the profile's"];
        assert!(known.iter().any(|word| comment.starts_with(word)), "{line}");
    }
    assert_eq!(found.text, calibrate(&measured).unwrap().text, "the same profile, the same drive");
}
