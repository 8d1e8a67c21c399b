//! CockroachDB: the bandwidth by which writing in the background is paced.

use std::path::Path;

use leadline_profile::{OpKind, Pattern};

use super::Rules;
use crate::lint::finding;
use crate::streams::Stream;
use crate::syntax::sizes::scaled;
use crate::{
    Advice, AdviseError, Config, Drive, Entry, File, Finding, Inputs, Place, Setting, Source, Unmeasured,
    Value, Verdict,
};

const KEY: &str = "provisioned-rate";

/// The setting for all stores of a cluster.
const CLUSTER: &str = "kvadmission.store.provisioned_bandwidth";

/// Section of an entry that names the disk, as releases before 24.1 want it and later ones refuse it.
const WITH_DISK: &str = "disk-name";

const MIB: u64 = 1 << 20;

/// Units of go-humanize, in lower case.
const UNITS: [(&str, f64); 9] = [
    ("b", 1.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
    ("kib", 1024.0),
    ("mib", 1048576.0),
    ("gib", 1073741824.0),
    ("tib", 1099511627776.0),
];

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
        read(text, path)
    }

    fn value(&self, _setting: &Setting, text: &str) -> Option<Value> {
        let bytes = scaled(&text.to_ascii_lowercase(), 1.0, &UNITS)?;
        (bytes >= 1.0).then_some(Value::Bytes(bytes as u64))
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

/// Reads and writes together, for long: no more than the slower of the two alone.
fn rate(drive: &Drive) -> Result<Setting, Unmeasured> {
    let reads = Stream::of(drive, OpKind::Read)?.bandwidth;
    let writes = drive.sustained_writes(Pattern::Sequential)?;
    let least = |writes: f64| writes.min(reads);
    let value = (least(writes.value) as u64 / MIB).max(1) * MIB;
    let rule = format!(
        "the lower of what the drive reads, {:.0} MB/s, and what it writes for long, {:.0} MB/s: reads and \
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

/// Finds the flag in any text: a unit of systemd, a script, the output of `ps`. And the cluster setting.
fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    let is_said = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    for (at, line) in text.lines().enumerate().filter(|(_, line)| is_said(line)) {
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '"' | '\'' | ';' | '\\');
        let until_end = |text: &str| text[..text.find(ends).unwrap_or(text.len())].to_owned();
        let mut push = |section: &str, value: String| {
            let place = Place::Line { path: path.into(), line: at + 1 };
            config.entries.push(Entry { section: section.to_owned(), key: KEY.to_owned(), value, place });
        };
        for (start, found) in line.match_indices("provisioned-rate=") {
            let value = until_end(&line[start + found.len()..]);
            let section = if value.starts_with("disk-name=") { WITH_DISK } else { "" };
            let Some((_, bandwidth)) = value.split_once("bandwidth=") else {
                // Then the setting of the cluster is in force.
                continue;
            };
            let Some(bytes) = bandwidth.strip_suffix("/s") else {
                let reason = format!("{value}: the bandwidth does not end with /s, as in 250MiB/s");
                return Err(AdviseError::syntax(path, at + 1, reason));
            };
            push(section, bytes.to_owned());
        }
        if let Some((_, rest)) = line.split_once(CLUSTER) {
            let value =
                until_end(rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '=' | '\'')));
            push(CLUSTER, value);
        }
    }
    if config.entries.is_empty() && text.lines().any(is_said) {
        let reason = format!("has neither {KEY}=bandwidth=BYTES/s nor {CLUSTER}");
        return Err(AdviseError::syntax(path, None, reason));
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_found_wherever_it_stands() {
        let text = "ExecStart=cockroach start --store=path=/d,provisioned-rate=bandwidth=250MiB/s \\\n\
                    --store 'path=/e,provisioned-rate=disk-name=sdb:bandwidth=1GB/s,attrs=ssd'\n\
                    SET CLUSTER SETTING kvadmission.store.provisioned_bandwidth = '128MiB';\n\
                    # provisioned-rate=bandwidth=1MiB/s\n";
        let config = read(text, Path::new("u")).unwrap();
        let found: Vec<(&str, &str)> =
            config.entries.iter().map(|entry| (entry.section.as_str(), entry.value.as_str())).collect();
        assert_eq!(found, [("", "250MiB"), (WITH_DISK, "1GB"), (CLUSTER, "128MiB")]);
    }

    #[test]
    fn a_rate_is_per_second_and_a_text_without_one_is_refused() {
        let said = |text| read(text, Path::new("u")).unwrap_err().to_string();
        let one = said("--store=provisioned-rate=bandwidth=1GiB\n");
        assert_eq!(one, "u, line 1: bandwidth=1GiB: the bandwidth does not end with /s, as in 250MiB/s");
        assert!(said("nothing\n").starts_with("u: has neither provisioned-rate"));
        assert_eq!(read("# nothing is set\n", Path::new("u")).unwrap(), Config::default());
    }
}
