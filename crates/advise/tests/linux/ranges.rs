//! What the kernel takes, by version: ranges, words, and schedulers that it no longer has.

use leadline_advise::{Inputs, Lint, Value, Verdict, advise, lint};

use super::{LINUX, config, found, profile_of};
use crate::asked::inputs;
use crate::common::{DISK, FAST, Known};

fn linted(known: Known, name: &str, version: &str, text: &str) -> Lint {
    lint(LINUX, &config(text), &profile_of(known, name, ""), &inputs(version)).unwrap()
}

fn write(drive: &str, key: &str, value: &str) -> String {
    format!("echo '{value}' > /sys/block/{drive}/queue/{key}\n")
}

/// As Linux 6.18 answers.
#[test]
fn what_the_kernel_refuses_is_no_matter_of_speed() {
    use Verdict::{Fits, Invalid, NotJudged, Off, OutOfRange, TooHigh, TooLow};
    for (key, value, verdict) in [
        ("nr_requests", "2049", OutOfRange),
        ("nr_requests", "-1", Invalid),
        ("nr_requests", "0x80", Invalid),
        ("nr_requests", "1k", Invalid),
        ("nr_requests", "+128", Fits),
        ("nr_requests", "2", TooLow),
        ("read_ahead_kb", "0", Off),
        ("read_ahead_kb", "1M", Invalid),
        ("read_ahead_kb", "4294967296", OutOfRange),
        ("read_ahead_kb", "1000000", TooHigh),
        ("max_sectors_kb", "0", NotJudged),
        ("max_sectors_kb", "12.5", Invalid),
        ("wbt_lat_usec", "-2", OutOfRange),
        ("wbt_lat_usec", "2ms", Invalid),
        ("wbt_lat_usec", "0", Off),
        ("wbt_lat_usec", "-1", NotJudged),
        ("scheduler", "MQ-DEADLINE", Invalid),
        ("scheduler", "anticipatory", Invalid),
    ] {
        let lint = linted(FAST, "nvme0n1", "6", &write("nvme0n1", key, value));
        let verdicts: Vec<Verdict> = lint.findings.iter().map(|finding| finding.verdict).collect();
        assert_eq!(verdicts, [verdict], "{key} = {value}: {:?}", lint.findings);
    }
    for (line, verdict) in [
        ("259:0 rpct=120", OutOfRange),
        ("259:0 rlat=2.5", Invalid),
        ("259:0 rbps=-1", Invalid),
        ("259:0 rpct=95.00", Fits),
    ] {
        assert_eq!(found(&linted(FAST, "nvme0n1", "6", line))[0].2, verdict, "{line}");
    }
}

#[test]
fn schedulers_of_one_queue_are_judged_by_their_counterpart_only_where_they_are() {
    let verdict = |known, name: &str, version: &str, word: &str| {
        let lint = linted(known, name, version, &write(name, "scheduler", word));
        assert_eq!(lint.findings.len(), 1, "{:?}", lint.findings);
        (lint.findings[0].verdict, lint.findings[0].reason.clone())
    };
    for (word, counterpart) in [("noop", "none"), ("cfq", "bfq")] {
        for (version, name) in [("6.1.0-18-amd64", "sda"), ("5.0", "sda"), ("4.19.0-26-amd64", "nvme0n1")] {
            let (verdict, reason) = verdict(FAST, name, version, word);
            assert_eq!(verdict, Verdict::Invalid, "{word} of {version}");
            assert!(reason.contains(&format!("its counterpart is {counterpart}")), "{reason}");
        }
    }
    // RHEL 8 calls its kernel 4.18.
    assert_eq!(verdict(FAST, "sda", "4.18.0-553.el8.x86_64", "noop").0, Verdict::Invalid);
    assert_eq!(verdict(FAST, "sda", "4.9.0-19-amd64", "noop").0, Verdict::Fits);
    assert_eq!(verdict(DISK, "sda", "3.10.0-1160.el7.x86_64", "deadline").0, Verdict::Fits);
    assert_eq!(verdict(FAST, "sda", "3.10.0-1160.el7.x86_64", "cfq").0, Verdict::Wrong);
    assert_eq!(verdict(DISK, "sda", "3.10.0-1160.el7.x86_64", "bfq").0, Verdict::Invalid);
    // A name that the kernel has for mq-deadline as well.
    assert_eq!(verdict(DISK, "sda", "6", "deadline").0, Verdict::Fits);
}

#[test]
fn older_kernels_are_advised_what_they_have() {
    let advised = |known: Known, name: &str, version: &str| {
        let profile = profile_of(known, name, "");
        advise(LINUX, &profile, &inputs(version)).unwrap()
    };
    for (version, has_cost) in
        [("el8", false), ("3", false), ("4", false), ("5.0", false), ("5.4", true), ("6", true)]
    {
        let advice = advised(DISK, "sda", version);
        assert_eq!(advice.setting("io.cost.model rbps").is_some(), has_cost, "{version}");
        let word = if ["3", "4"].contains(&version) { "deadline" } else { "mq-deadline" };
        assert_eq!(advice.setting("queue/scheduler").unwrap().value, Value::word(word), "{version}");
    }
    assert_eq!(advised(FAST, "nvme0n1", "4").setting("queue/scheduler").unwrap().value, Value::word("none"));
}

#[test]
fn the_kernel_of_the_profile_is_the_one_that_is_meant() {
    let mut profile = profile_of(FAST, "sda", "");
    profile.device.kernel = Some("6.1.0-18-amd64".to_owned());
    let text = write("sda", "scheduler", "noop");
    let lint_as = |version: Option<&str>| {
        let inputs = Inputs { version: version.map(str::to_owned), ..Inputs::default() };
        lint(LINUX, &config(&text), &profile, &inputs).unwrap()
    };
    assert_eq!(lint_as(None).findings[0].verdict, Verdict::Invalid);
    assert_eq!(lint_as(None).advice.version, "6");
    assert_eq!(lint_as(Some("4.9.0-19-amd64")).findings[0].verdict, Verdict::Fits);
}
