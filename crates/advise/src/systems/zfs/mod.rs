//! OpenZFS: how many requests of each class a device has under way.

mod meanings;
mod read;

use std::path::Path;

use leadline_model::Estimate;
use leadline_profile::{OpKind, Pattern};

use super::Rules;
use crate::keys::Keys;
use crate::lint::finding;
use crate::meaning::Meaning;
use crate::streams::Stream;
use crate::{
    Advice, AdviseError, Config, Drive, File, Finding, Inputs, Setting, Source, Unmeasured, Value, Verdict,
};

/// The smallest records of databases.
const RECORD: u32 = 8192;

/// Requests of a class at most: more would not be told apart by the scheduler any more.
const MOST: f64 = 128.0;

/// `zfs_vdev_sync_*_min_active` unless set.
const MIN_ACTIVE: f64 = 10.0;

const SYNC: [(&str, &str); 2] = [
    ("zfs_vdev_sync_read_max_active", "zfs_vdev_sync_read_min_active"),
    ("zfs_vdev_sync_write_max_active", "zfs_vdev_sync_write_min_active"),
];
/// Requests of all classes together.
const ALL: &str = "zfs_vdev_max_active";

const ASYNC: [&str; 2] = ["zfs_vdev_async_read_max_active", "zfs_vdev_async_write_max_active"];

/// Parameters of old releases.
const GONE: [(&str, &str); 3] = [
    ("zfs_vdev_scheduler", "OpenZFS takes no notice of it: the scheduler is set in the queue of the device"),
    ("zfs_vdev_max_pending", "it is of releases before 0.6.4: each class of requests has a limit of its own"),
    ("zfs_vdev_min_pending", "it is of releases before 0.6.4: each class of requests has a limit of its own"),
];

const SOURCE: Source =
    Source { defined: "zfs(4), \"ZFS I/O SCHEDULER\"; module/zfs/vdev_queue.c", version: "0.8 to 2.3" };

pub(crate) struct Zfs;

impl Rules for Zfs {
    fn title(&self) -> &'static str {
        "OpenZFS"
    }

    fn versions(&self) -> &'static [&'static str] {
        &meanings::VERSIONS
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[("zfs", "version")]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["interleaving"]
    }

    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, _inputs: &Inputs, advice: &mut Advice) {
        let random = [
            ("reads", drive.reads_in_flight(Pattern::Random, RECORD)),
            ("writes", drive.writes_in_flight(Pattern::Random, RECORD)),
        ];
        for ((most_key, least_key), (kind, k)) in SYNC.into_iter().zip(random) {
            let most = k.map(|k| synchronous(most_key, kind, &k));
            let value = most.as_ref().map_or(MIN_ACTIVE, |most| most.value.number().unwrap_or(MIN_ACTIVE));
            advice.add(most_key, most);
            // A class gets its minimum even above its maximum.
            if value < MIN_ACTIVE {
                advice.add(least_key, Ok(minimum(least_key, most_key, value)));
            }
        }
        for (key, op) in ASYNC.into_iter().zip([OpKind::Read, OpKind::Write]) {
            advice.add(key, asynchronous(drive, key, op));
        }
        advice.notes.push(
            "the parameters apply to every device of every pool: take the values of the slowest".into(),
        );
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let mut text: String = advice.heading().iter().map(|line| format!("# {line}\n")).collect();
        for setting in &advice.settings {
            text.push_str(&format!("options zfs {}={}\n", setting.key, setting.value));
        }
        let place =
            "/etc/modprobe.d; update-initramfs -u where the root is on ZFS; until then /sys/module/zfs";
        vec![File { name: "leadline-zfs.conf", place, text }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        read::read(text, path)
    }

    fn value(&self, _setting: &Setting, text: &str) -> Option<Value> {
        read::number(text).map(|number| Value::Number(number.into()))
    }

    fn keys(&self, version: &str) -> Option<&'static Keys> {
        meanings::keys(version)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &meanings::MEANINGS
    }

    fn if_refused(&self) -> &'static str {
        "the module is not loaded with this"
    }

    fn if_unknown(&self) -> &'static str {
        "passes over it"
    }

    fn patterns(&self, config: &Config, advice: &Advice, drive: &Drive) -> Vec<Finding> {
        let gone = config.entries.iter().filter_map(|entry| {
            if let Some((is_gone, reason)) = meanings::removed(&entry.key, advice.version) {
                let verdict = if is_gone { Verdict::Unknown } else { Verdict::NotJudged };
                return Some(finding(entry, verdict, reason));
            }
            let (_, reason) = GONE.iter().find(|(key, _)| *key == entry.key)?;
            Some(finding(entry, Verdict::Meaningless, *reason))
        });
        let below_minimum = SYNC.iter().filter_map(|(most, least)| {
            let minimum = config.number(least).unwrap_or(MIN_ACTIVE);
            let reason =
                format!("below {least}, {minimum}: this number is let through anyway; lower that, too");
            let is_below = config.number(most)? < minimum;
            is_below.then(|| Some(finding(config.last(most)?, Verdict::Meaningless, reason)))?
        });
        let other_kind = other_kind(config, drive);
        gone.chain(below_minimum).chain(beyond_all(config)).chain(other_kind).collect()
    }
}

/// More for one class than for all classes together.
fn beyond_all(config: &Config) -> Vec<Finding> {
    let Some(all) = config.last(ALL).and_then(|_| config.number(ALL)) else { return Vec::new() };
    let classes = SYNC.iter().map(|(most, _)| *most).chain(ASYNC);
    let beyond = classes.filter_map(|key| {
        let entry = config.last(key).filter(|_| config.number(key).is_some_and(|most| most > all))?;
        let reason = format!("above {ALL}, {all}: a device has no more requests of all classes together");
        Some(finding(entry, Verdict::Meaningless, reason))
    });
    beyond.collect()
}

/// The limit of aggregation that ZFS takes for drives of the other kind.
fn other_kind(config: &Config, drive: &Drive) -> Option<Finding> {
    let rotational = drive.profile().device.rotational?;
    let (key, other) = match rotational {
        true => ("zfs_vdev_aggregation_limit_non_rotating", "zfs_vdev_aggregation_limit"),
        false => ("zfs_vdev_aggregation_limit", "zfs_vdev_aggregation_limit_non_rotating"),
    };
    // ZFS has the kernel's word for it, even of a virtual disk.
    let kind = if rotational { "spins" } else { "does not spin" };
    let reason = format!("because this drive {kind}, as the kernel has it: ZFS takes {other} for it");
    Some(finding(config.last(key)?, Verdict::Moot, reason))
}

/// What programs wait for.
fn synchronous(key: &'static str, kind: &str, k: &Estimate) -> Setting {
    let value = k.value.clamp(1.0, MOST);
    let rule =
        format!("{} random {kind} of 8K in flight reach 90 % of the most that the device does", k.value);
    Setting::new(key, Value::Number(value), "requests per device", rule, SOURCE)
        .interval(k.ci.map(|end| end.min(MOST)))
        .fits((value / 3.0).floor().max(1.0), (4.0 * value).max(MIN_ACTIVE))
        .on_ladder(MOST, [1.0, MOST])
        .default(Value::Number(10.0))
        .if_wrong(
            "requests wait in ZFS while the device could serve more",
            "requests wait in the device, where ZFS cannot let more urgent ones pass",
        )
}

fn minimum(key: &'static str, most_key: &str, value: f64) -> Setting {
    let rule = format!("no more than {most_key}, which has no effect below it");
    Setting::new(key, Value::Number(value), "requests per device", rule, SOURCE)
        .fits(1.0, value)
        .default(Value::Number(MIN_ACTIVE))
        .if_wrong("", "this number is let through, whatever the maximum is")
}

/// Prefetched reads, and the writes of transaction groups: large and in sequence.
fn asynchronous(drive: &Drive, key: &'static str, op: OpKind) -> Result<Setting, Unmeasured> {
    let stream = Stream::of(drive, op)?;
    let (kind, default) = match op {
        OpKind::Read => ("reads", 3.0),
        OpKind::Write => ("writes", 10.0),
    };
    let value = (2.0 * stream.requests()).clamp(default, MOST);
    let rule = format!(
        "{:.0} KiB of sequential {kind} in flight reach 90 % of the most, in records of 128K; at least the \
         default, {default}",
        stream.bytes_in_flight as f64 / 1024.0
    );
    let times =
        |(bytes, share): &(u64, f64)| (Value::Number((*bytes as f64 / 131_072.0).max(1.0)), 1.0 / share);
    let single: Vec<_> = stream.shares.iter().filter(|(bytes, _)| *bytes >= 131_072).map(times).collect();
    Ok(Setting::new(key, Value::Number(value), "requests per device", rule, SOURCE)
        .fits((value / 3.0).floor().max(1.0), 4.0 * value)
        // Powers of two: halfway between two steps of this ladder the higher one is taken.
        .on_ladder(2.0, [default, MOST])
        .default(Value::Number(default))
        .if_wrong(
            "the device is idle between large requests",
            "urgent requests wait behind large requests that no program waits for",
        )
        .costs("large requests in sequence", single))
}
