//! What is wrong with several keys together, or known to be wrong.

use super::cost::{MODEL, QOS};
use super::kernel;
use super::kernel::CLASSES;
use super::queue::{self, REQUESTS, SCHEDULER};
use crate::lint::finding;
use crate::{Advice, Config, Drive, Finding, Fits, Verdict};

pub(super) fn findings(config: &Config, advice: &Advice, drive: &Drive) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(never_matched(config));
    findings.extend(kernels_own(config, advice));
    findings.extend(before_the_fall(config, advice, drive));
    findings.extend(no_range(config));
    findings.extend(set_anew(config));
    findings.extend(of_older_kernels(config, advice));
    findings.extend(write_back(config));
    findings
}

/// A firmware under a name that udev does not ask for.
fn never_matched(config: &Config) -> Option<Finding> {
    let is_it = |key: &str| key.starts_with("block:") && key.contains(":fwver:");
    let entry = config.entries.iter().find(|entry| is_it(&entry.key))?;
    let reason = "never matches: systemd's 90-iocost.rules asks for fwrev, not fwver";
    Some(finding(entry, Verdict::Meaningless, reason))
}

/// The six rates of one of the kernel's classes, which it takes by itself.
fn kernels_own(config: &Config, advice: &Advice) -> Option<Finding> {
    let found: Option<Vec<f64>> = MODEL.iter().map(|key| config.number(key)).collect();
    let found = found?;
    let (class, _) = CLASSES.iter().find(|(_, rates)| rates.as_slice() == found)?;
    let fits = |(key, rate): (&&str, &f64)| {
        advice
            .setting(key)
            .is_some_and(|setting| matches!(setting.fits, Fits::Range([a, b]) if (a..=b).contains(rate)))
    };
    if MODEL.iter().zip(&found).all(fits) {
        return None;
    }
    let reason = format!("the six rates are the kernel's own for {class}, not measured on this device");
    Some(finding(config.last(MODEL[0])?, Verdict::Meaningless, reason))
}

/// What the device does until its credit or its cache is used up.
fn before_the_fall(config: &Config, advice: &Advice, drive: &Drive) -> Option<Finding> {
    let found = drive.profile().experiments.io_cost.as_ref()?;
    let is_burst = |key: &str, before: f64| {
        let rate = config.number(key)?;
        let is_too_high = !advice.setting(key)?.fits.has(&crate::Value::Number(rate));
        Some(is_too_high && (rate / before - 1.0).abs() < 0.1)
    };
    let mut keys = MODEL.iter().zip(found.rates());
    let (key, (_, rate)) = keys.find(|(key, (_, rate))| {
        rate.before_fall.and_then(|before| is_burst(key, before)).unwrap_or(false)
    })?;
    let reason = format!(
        "is what the device does before it falls, {:.0}: it sustains {:.0}",
        rate.before_fall?, rate.per_second
    );
    Some(finding(config.last(key)?, Verdict::Meaningless, reason))
}

fn no_range(config: &Config) -> Option<Finding> {
    let (min, max) = (config.number(QOS[4])?, config.number(QOS[5])?);
    let reason = format!("is above max, {max}: the kernel refuses the line");
    (min > max).then(|| Some(finding(config.last(QOS[4])?, Verdict::Invalid, reason)))?
}

/// `nr_requests` before the scheduler.
fn set_anew(config: &Config) -> Option<Finding> {
    let place = |key: &str| config.entries.iter().rposition(|entry| entry.key == key);
    let (requests, scheduler) = (place(REQUESTS)?, place(SCHEDULER)?);
    let reason = "the scheduler is set after it, which resets nr_requests: write it after queue/scheduler";
    (requests < scheduler).then(|| finding(&config.entries[requests], Verdict::Meaningless, reason))
}

/// A scheduler that only disks with one queue have, or only those with several.
fn of_older_kernels(config: &Config, advice: &Advice) -> Option<Finding> {
    let entry = config.last(SCHEDULER)?;
    if advice.version == "3" && ["mq-deadline", "kyber", "bfq"].contains(&entry.value.as_str()) {
        let reason = "no scheduler of this kernel, so the write fails: it is of Linux 4.12 and later";
        return Some(finding(entry, Verdict::Invalid, reason));
    }
    let counterpart = queue::counterpart(&entry.value)?;
    let is_nvme = advice.device.starts_with("nvme");
    let has_several = is_nvme || !kernel::has_single_queues(advice.version);
    // The kernel knows mq-deadline by that name, too.
    let is_refused = entry.value != "deadline" || advice.version == "3";
    let reason = format!(
        "no scheduler of {}, so the write fails: schedulers of one queue ended with Linux 5.0; its counterpart \
         is {counterpart}",
        if is_nvme { "a drive with several queues" } else { "this kernel" }
    );
    (has_several && is_refused).then(|| finding(entry, Verdict::Invalid, reason))
}

/// The latency by which write-back is throttled: -1 stands for the kernel's own, 0 for no throttling.
fn write_back(config: &Config) -> Option<Finding> {
    let entry = config.last("queue/wbt_lat_usec")?;
    let is_cost = config.entries.iter().any(|entry| entry.key.starts_with("io.cost.qos"));
    let (verdict, reason) = match entry.value.parse::<i64>() {
        Ok(..=-2) => (Verdict::OutOfRange, "the kernel refuses less than -1, which stands for its own"),
        Ok(0) => (Verdict::Off, "write-back is not held back while programs read"),
        Ok(_) if is_cost => (Verdict::Moot, "because of io.cost.qos: io.cost switches this throttling off"),
        Ok(_) => {
            (Verdict::NotJudged, "how long write-back may make reads wait is nothing that the device decides")
        }
        Err(_) => (Verdict::Invalid, "the kernel refuses this: it is no whole number of microseconds"),
    };
    Some(finding(entry, verdict, reason))
}
