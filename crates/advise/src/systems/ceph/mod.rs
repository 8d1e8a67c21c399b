//! Ceph: what an OSD's mClock scheduler takes its drive for.

mod meanings;
mod read;
mod scope;

use std::path::Path;

use leadline_model::Estimate;
use leadline_profile::{OpKind, Pattern};

use super::{Rules, Scoped};
use crate::keys::Keys;
use crate::lint::finding;
use crate::meaning::Meaning;
use crate::syntax::sizes;
use crate::{
    Advice, AdviseError, Config, Drive, File, Finding, Inputs, Setting, Source, Unmeasured, Value, Verdict,
};

/// Requests by which an OSD's capacity is defined.
const SMALL: u32 = 4096;

/// What an OSD has been seen to do on drives of any speed: its own path takes a processor's time per request.
/// A capacity from here on is not called too low.
const OSD_PATH: f64 = 5000.0;

const SOURCE: Source = Source {
    defined: "src/common/options/osd.yaml.in, documentation, \"mClock Config Reference\"",
    version: "Ceph 17 to 20",
};

/// The keys of one kind of drive, and what Ceph takes such a drive for.
struct Class {
    iops: &'static str,
    bandwidth: &'static str,
    default_iops: f64,
    default_bandwidth: u64,
    /// What an OSD's own benchmark must find to be believed, `osd_mclock_iops_capacity_low_threshold_*`
    /// (since 20, and in later releases of 18 and 19) to `osd_mclock_iops_capacity_threshold_*`.
    believed: [f64; 2],
}

const HDD: Class = Class {
    iops: "osd_mclock_max_capacity_iops_hdd",
    bandwidth: "osd_mclock_max_sequential_bandwidth_hdd",
    default_iops: 315.0,
    default_bandwidth: 150 << 20,
    believed: [50.0, 500.0],
};

const SSD: Class = Class {
    iops: "osd_mclock_max_capacity_iops_ssd",
    bandwidth: "osd_mclock_max_sequential_bandwidth_ssd",
    default_iops: 21_500.0,
    default_bandwidth: 1200 << 20,
    believed: [1000.0, 80_000.0],
};

impl Class {
    /// Ceph has the kernel's word for it, whatever the drive is.
    fn of(drive: &Drive) -> &'static Class {
        if drive.profile().device.rotational == Some(true) { &HDD } else { &SSD }
    }
}

pub(crate) struct Ceph;

impl Rules for Ceph {
    fn title(&self) -> &'static str {
        "Ceph"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["17", "18", "19", "20"]
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[("ceph-osd", "--version")]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["sustained"]
    }

    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, _inputs: &Inputs, advice: &mut Advice) {
        let class = Class::of(drive);
        advice.add(class.iops, iops(drive, class));
        // Version 17 charges requests by osd_mclock_cost_per_io_usec and the like instead.
        if advice.version != "17" {
            advice.add(class.bandwidth, bandwidth(drive, class));
        }
        if drive.profile().device.rotational.is_none() {
            advice.notes.push(
                "the kernel did not say whether the drive spins, by which an OSD chooses between _hdd and \
                 _ssd; _ssd is assumed"
                    .to_owned(),
            );
        }
        advice.notes.extend(believed(drive, class));
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let mut text = String::new();
        for line in advice.heading() {
            text.push_str(&format!("# {line}\n"));
        }
        text.push_str("[osd]\n");
        for setting in &advice.settings {
            text.push_str(&format!("{} = {}\n", setting.key, setting.value));
        }
        let place = "ceph.conf on the hosts whose OSDs have this drive, as [osd] or [osd.N]; or ceph config \
                     set osd.N KEY VALUE";
        vec![File { name: "ceph.conf", place, text }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        read::read(text, path)
    }

    fn scoped(&self, config: &Config, _drive: &Drive, inputs: &Inputs) -> Option<Scoped> {
        Some(scope::scoped(config, inputs))
    }

    fn keys(&self, version: &str) -> Option<&'static Keys> {
        meanings::keys(version)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &meanings::MEANINGS
    }

    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        match setting.value {
            Value::Bytes(_) => bytes(text).map(Value::Bytes),
            _ => text.trim().parse().ok().filter(|iops: &f64| *iops >= 0.0).map(Value::Number),
        }
    }

    fn patterns(&self, config: &Config, advice: &Advice, drive: &Drive) -> Vec<Finding> {
        let class = Class::of(drive);
        [
            other_class(config, class),
            default_in_force(config, advice, class),
            unbelievable(config, advice, class),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A size: a whole number, with K, M, G or T for powers of 1024, which may be followed by i, B or both.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim().trim_end_matches('B').trim_end_matches('i');
    let units =
        [("K", 1024.0), ("M", 1048576.0), ("G", 1073741824.0), ("T", 1099511627776.0), ("P", 2_f64.powi(50))];
    let bytes = sizes::scaled(text, 1.0, &units)?;
    (bytes >= 0.0 && bytes.fract() == 0.0).then_some(bytes as u64)
}

/// Sustained random writes of 4K; durable ones, since an OSD acknowledges no others.
fn capacity(drive: &Drive) -> Result<(Estimate, String), Unmeasured> {
    let plain = drive.plateau(OpKind::Write, Pattern::Random, SMALL);
    let (mut iops, mut rule) = match (drive.durable_plateau(Pattern::Random, SMALL), plain) {
        (Some((durable, _)), Ok(plain)) => (
            Estimate::of(
                durable.min(plain.value),
                plain.ci.map(|end| end * (durable / plain.value).min(1.0)),
            ),
            format!(
                "the most random durable writes of 4K, {durable:.0} per second ({:.0} if not durable)",
                plain.value
            ),
        ),
        // As where an OSD's own benchmark was imported.
        (Some((durable, ci)), Err(_)) => (
            Estimate::of(durable, ci.unwrap_or([durable; 2])),
            format!("the most random durable writes of 4K, {durable:.0} per second"),
        ),
        (None, plain) => {
            let plain = plain?;
            (plain, format!("the most random writes of 4K, {:.0} per second", plain.value))
        }
    };
    let mut limit = |most: f64, what: &str| {
        if most < iops.value {
            iops = Estimate { value: most, ci: iops.ci.map(|end| end.min(most)) };
            rule.push_str(&format!(", but {what}: {most:.0}"));
        }
    };
    if let Ok(bandwidth) = drive.sustained_writes(Pattern::Random) {
        limit(bandwidth.value / f64::from(SMALL), "its sustained rate is lower");
    }
    if let Some(baseline) = drive.baseline() {
        limit(baseline, "the volume's credit lasts for fewer");
    }
    Ok((iops, rule))
}

fn iops(drive: &Drive, class: &Class) -> Result<Setting, Unmeasured> {
    let (iops, rule) = capacity(drive)?;
    let most = class.believed[1];
    let value = iops.value.clamp(1.0, most).round();
    let rule = match iops.value > most {
        true => format!("{rule}; {most} is the most that Ceph believes of an OSD"),
        false => rule,
    };
    let setting = Setting::new(class.iops, Value::Number(value), "writes of 4K per second", rule, SOURCE);
    Ok(setting
        .interval(iops.ci.map(|end| end.clamp(1.0, most)))
        .fits((value / 2.0).min(OSD_PATH), 2.0 * value)
        .default(Value::Number(class.default_iops))
        .if_wrong(
            "each small request is charged as many bytes, so recovery and clients alike are held below what \
             the drive does",
            "more is reserved than the drive does: recovery and scrubs take it from clients",
        ))
}

fn bandwidth(drive: &Drive, class: &Class) -> Result<Setting, Unmeasured> {
    let bandwidth = drive.sustained_writes(Pattern::Sequential)?;
    let value = bandwidth.value.round().max(1.0);
    let rule = "the drive's sustained sequential writes; divided by the capacity in writes this is the charge of a small \
                request, in bytes"
        .to_owned();
    Ok(Setting::new(class.bandwidth, Value::Bytes(value as u64), "bytes per second", rule, SOURCE)
        .interval(bandwidth.ci)
        .fits(value / 2.0, 2.0 * value)
        .default(Value::Bytes(class.default_bandwidth))
        .if_wrong(
            "large requests, such as recovery and backfill, are held below the drive's rate",
            "large requests are charged too little against small ones, and clients wait behind recovery",
        ))
}

/// What Ceph's own benchmark would come to.
fn believed(drive: &Drive, class: &Class) -> Option<String> {
    let (iops, _) = capacity(drive).ok()?;
    let [least, most] = class.believed;
    let (is_less, default) = (iops.value < least, class.default_iops);
    (is_less || iops.value > most).then(|| {
        let limit = if is_less { format!("less than {least}") } else { format!("more than {most}") };
        format!(
            "{:.0} writes per second are {limit}: an OSD that measures this does not believe it, and goes \
             on with {default} unless the capacity is set",
            iops.value
        )
    })
}

/// Only the other class is set: an OSD on this drive does not read it.
fn other_class(config: &Config, class: &Class) -> Option<Finding> {
    let other = if class.iops == SSD.iops { &HDD } else { &SSD };
    let entry = config.last(other.iops).filter(|_| config.last(class.iops).is_none())?;
    let reason =
        format!("the kernel's word for this drive is that OSDs read {} for it, which is not set", class.iops);
    Some(finding(entry, Verdict::Meaningless, reason))
}

/// The value that stays in force where an OSD does not believe its benchmark, on a drive for which it is
/// wrong.
fn default_in_force(config: &Config, advice: &Advice, class: &Class) -> Option<Finding> {
    let entry = config.last(class.iops)?;
    let setting = advice.setting(class.iops)?;
    let is_default = config.number(class.iops) == Some(class.default_iops);
    let [least, most] = class.believed;
    (is_default && !setting.fits.has(&Value::Number(class.default_iops))).then(|| {
        let reason = format!(
            "the default, which stays where an OSD's benchmark found less than {least} or more than {most}; \
             and with it the benchmark runs again at each start"
        );
        Finding { advised: Some(setting.value.clone()), ..finding(entry, Verdict::TooHigh, reason) }
    })
}

/// More than an OSD would believe of itself, on a drive that does not do it either.
fn unbelievable(config: &Config, advice: &Advice, class: &Class) -> Option<Finding> {
    let entry = config.last(class.iops)?;
    let threshold = class.iops.replace("max_capacity_iops", "iops_capacity_threshold");
    let most = config.number(&threshold).unwrap_or(class.believed[1]);
    let setting = advice.setting(class.iops)?;
    let found = config.number(class.iops).filter(|found| *found > most)?;
    (!setting.fits.has(&Value::Number(found))).then(|| {
        let reason = format!("above {threshold}, {most}: as a measurement, Ceph would reject it as an error");
        Finding { advised: Some(setting.value.clone()), ..finding(entry, Verdict::TooHigh, reason) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_binary() {
        assert_eq!(bytes("1200M"), Some(1200 << 20));
        assert_eq!(bytes("150 MiB"), Some(150 << 20));
        assert_eq!(bytes("4096B"), Some(4096));
        for text in ["", "M", "-1", "0.3", "3 apples"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }
}
