//! CockroachDB: the bandwidth by which writing in the background is paced.

mod read;

use std::path::Path;

use leadline_profile::{OpKind, Pattern};

use super::Rules;
use crate::lint::finding;
use crate::meaning::{Meaning, Special};
use crate::streams::Stream;
use crate::{
    Advice, AdviseError, Config, Drive, Entry, File, Finding, Inputs, Setting, Source, Unmeasured, Value,
    Verdict,
};

const KEY: &str = "provisioned-rate";

/// The setting for all stores of a cluster.
const CLUSTER: &str = "kvadmission.store.provisioned_bandwidth";

/// Section of an entry that names the disk, as releases before 24.1 want it and later ones refuse it.
const WITH_DISK: &str = "disk-name";

const MEANINGS: [Meaning; 1] = [Meaning::of(KEY).special(&[(
    "0",
    Special::Off("nothing is known of the bandwidth, so writing in the background is not paced by it"),
)])];

const MIB: u64 = 1 << 20;

const SOURCE: Source = Source {
    defined: "pkg/base/store_spec.go; pkg/util/admission/disk_bandwidth.go",
    version: "22.2 to 25.4",
};

pub(crate) struct Cockroachdb;

impl Rules for Cockroachdb {
    fn title(&self) -> &'static str {
        "CockroachDB"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["22.2", "23.1", "23.2", "24.1", "24.2", "24.3", "25.1", "25.2", "25.3", "25.4"]
    }

    fn programs(&self) -> &'static [(&'static str, &'static str)] {
        &[("cockroach", "version")]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["interleaving", "sustained"]
    }

    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, _inputs: &Inputs, advice: &mut Advice) {
        advice.add(KEY, rate(drive));
        if advice.setting(KEY).is_some() {
            advice.notes.push(format!("{CLUSTER} sets the same for all stores of the cluster"));
        }
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let mut text: String = advice.heading().iter().map(|line| format!("# {line}\n")).collect();
        for setting in &advice.settings {
            let mib = setting.value.number().unwrap_or_default() as u64 / MIB;
            let disk = match names_disk(advice) {
                true => format!("disk-name={}:", advice.device.split(' ').next().unwrap_or("DISK")),
                false => String::new(),
            };
            text.push_str(&format!("{KEY}={disk}bandwidth={mib}MiB/s\n"));
        }
        let place = "behind a comma at the end of the value of --store";
        vec![File { name: "leadline-store.txt", place, text }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        read::read(text, path)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &MEANINGS
    }

    fn value(&self, _setting: &Setting, text: &str) -> Option<Value> {
        read::bytes(text).map(|bytes| Value::Bytes(bytes as u64))
    }

    fn patterns(&self, config: &Config, advice: &Advice, _drive: &Drive) -> Vec<Finding> {
        let other = |entry: &&Entry| {
            entry.key == KEY && entry.section != CLUSTER && (entry.section == WITH_DISK) != names_disk(advice)
        };
        let reason = match names_disk(advice) {
            true => "releases before 24.1 want provisioned-rate=disk-name=DISK:bandwidth=BYTES/s",
            false => "24.1 and later refuse disk-name: write provisioned-rate=bandwidth=BYTES/s",
        };
        config.entries.iter().filter(other).map(|entry| finding(entry, Verdict::Invalid, reason)).collect()
    }
}

/// Whether the version wants the name of the disk.
fn names_disk(advice: &Advice) -> bool {
    ["22.2", "23.1", "23.2"].contains(&advice.version)
}

/// Sustained reads and writes together: no more than the slower of the two alone.
fn rate(drive: &Drive) -> Result<Setting, Unmeasured> {
    let reads = Stream::of(drive, OpKind::Read)?.bandwidth;
    let writes = drive.sustained_writes(Pattern::Sequential)?;
    let least = |writes: f64| writes.min(reads);
    let value = (least(writes.value) as u64 / MIB).max(1) * MIB;
    let rule = format!(
        "the lower of the read rate, {:.0} MB/s, and the sustained write rate, {:.0} MB/s: reads and \
         writes share it, and the admission control lets writing in the background have four fifths",
        reads / 1e6,
        writes.value / 1e6
    );
    Ok(Setting::new(KEY, Value::Bytes(value), "bytes per second", rule, SOURCE)
        .interval(writes.ci.map(least))
        .fits(value as f64 / 2.0, 1.25 * least(writes.ci[1]).max(value as f64))
        .if_wrong(
            "restores, backfills and snapshots crawl while the drive could do more",
            "nothing is held back: queries wait behind restores, backfills and snapshots",
        ))
}
