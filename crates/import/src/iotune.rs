//! `io_properties.yaml`: what Seastar's iotune measured of a disk.

use std::path::Path;

use leadline_advise::{AdviseError, Config, System, parse, seastar};
use leadline_figures::number::{bandwidth, count};
use leadline_files::TextError;
use leadline_profile::{OpKind, Pattern};

use crate::found::Found;
use crate::interval::usable;
use crate::load::{Kind, Plateau};
use crate::options::Options;

/// Requests that iotune counts: the least that the disk takes, 4 KiB on nearly all.
const SMALL: u32 = 4096;

/// Requests by which it takes the bandwidth, in sequence.
const LARGE: u32 = 1 << 20;

/// What it once took for small requests (scylla-machine-image, pull request 961).
const MISTAKEN_BYTES: f64 = 262_144.0;

const RATES: [(OpKind, &str, &str); 2] =
    [(OpKind::Read, "read_iops", "read_bandwidth"), (OpKind::Write, "write_iops", "write_bandwidth")];

pub(crate) fn read(text: &str, path: &Path, options: &Options) -> Result<Found, TextError> {
    let config = parse(System::Seastar, text, path).map_err(|error| wrong(error, path))?;
    let disk = disk(&config, path, options)?;
    let mut found = Found::by("iotune", None);
    let of = |key: &str| {
        let is_it = |entry: &&leadline_advise::Entry| entry.section == disk && entry.key == key;
        config.entries.iter().find(is_it)
    };
    let rate = |key: &str| -> Result<f64, TextError> {
        // The reader refuses disks without these keys.
        let value = of(key).map_or("", |entry| entry.value.as_str());
        let rate = seastar::memory_size(value).map(|rate| rate as f64).filter(|rate| usable(*rate));
        rate.ok_or_else(|| TextError::file(path, format!("{key}: {value:?} of {disk} is no rate")))
    };
    for (op, iops_key, bandwidth_key) in RATES {
        let (iops, bytes) = (rate(iops_key)?, rate(bandwidth_key)?);
        let small = Kind { pattern: Pattern::Random, block_bytes: SMALL, op, durable: false };
        let large = Kind { pattern: Pattern::Sequential, block_bytes: LARGE, op, durable: false };
        if (iops * MISTAKEN_BYTES / bytes - 1.0).abs() < 0.02 {
            found.skip(format!(
                "{iops_key}: is {bandwidth_key} / 262144, so that requests of 256 KiB were taken for small ones"
            ));
        } else {
            found.read(format!("{iops_key}: {}, {} per second at most", small.words(), count(iops)));
            found.plateaus.push(Plateau { kind: small, iops });
        }
        found.read(format!("{bandwidth_key}: {}, {} at most", large.words(), bandwidth(bytes)));
        found.plateaus.push(Plateau { kind: large, iops: bytes / f64::from(LARGE) });
    }
    for key in ["duplex", "rate_factor", "read_saturation_length", "write_saturation_length"] {
        if of(key).is_some() {
            found.skip(format!("{key}: a profile has no place for it"));
        }
    }
    found.assume(
        "iotune measured these rates: somebody may have replaced them in the file since, or entered the rates of a \
         provider",
    );
    found.assume("its small requests have 4K, and its large ones 1M, as by default");
    Ok(found)
}

/// Mount point of the disk that is read.
fn disk(config: &Config, path: &Path, options: &Options) -> Result<String, TextError> {
    let mut disks: Vec<&str> = config.entries.iter().map(|entry| entry.section.as_str()).collect();
    disks.dedup();
    if let Some(wanted) = &options.mountpoint {
        return match disks.contains(&wanted.as_str()) {
            true => Ok(wanted.clone()),
            false => {
                let reason = format!("has no disk at --mountpoint {wanted}; it has {}", disks.join(", "));
                Err(TextError::file(path, reason))
            }
        };
    }
    match disks.as_slice() {
        [] => Err(TextError::file(path, "has no disk")),
        [one] => Ok((*one).to_owned()),
        several => {
            let list = several.join(" or --mountpoint ");
            let reason = format!("has {} disks; say which with --mountpoint {list}", several.len());
            Err(TextError::file(path, reason))
        }
    }
}

fn wrong(error: AdviseError, path: &Path) -> TextError {
    match error {
        AdviseError::Syntax { line: Some(line), reason, .. } => TextError::line(path, line, reason),
        AdviseError::Syntax { reason, .. } => TextError::file(path, reason),
        other => TextError::file(path, other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "disks:\n  - mountpoint: /var/lib/scylla\n    read_iops: 95000\n    read_bandwidth: \
                        545M\n    write_iops: 85k\n    write_bandwidth: 524288000\n    duplex: true\n";

    fn said(text: &str, options: &Options) -> String {
        read(text, Path::new("io.yaml"), options).unwrap_err().to_string()
    }

    #[test]
    fn rates_are_plateaus_of_small_random_and_large_sequential_requests() {
        let found = read(TEXT, Path::new("io.yaml"), &Options::default()).unwrap();
        let of = |op, pattern| {
            let is_it = |plateau: &&Plateau| plateau.kind.op == op && plateau.kind.pattern == pattern;
            found.plateaus.iter().find(is_it).unwrap().iops
        };
        assert_eq!(of(OpKind::Read, Pattern::Random), 95_000.0);
        assert_eq!(of(OpKind::Read, Pattern::Sequential), 545.0);
        assert_eq!(of(OpKind::Write, Pattern::Random), 87_040.0, "k is 1024, as Seastar has it");
        assert_eq!(of(OpKind::Write, Pattern::Sequential), 500.0);
        assert_eq!(found.file.skipped, ["duplex: a profile has no place for it"]);
    }

    #[test]
    fn rates_of_the_wrong_requests_are_skipped() {
        let text = TEXT.replace("95000", "2180");
        let found = read(&text, Path::new("io.yaml"), &Options::default()).unwrap();
        assert_eq!(found.plateaus.len(), 3);
        assert!(found.file.skipped[0].starts_with("read_iops: is read_bandwidth / 262144"));
    }

    #[test]
    fn of_several_disks_one_has_to_be_named() {
        let second = TEXT.replace("disks:\n", "").replace("/var/lib/scylla", "/b");
        let two = format!("{TEXT}{second}");
        let none = Options::default();
        assert!(said(&two, &none).ends_with("with --mountpoint /var/lib/scylla or --mountpoint /b"));
        let named = |mountpoint: &str| Options { mountpoint: Some(mountpoint.to_owned()), ..none.clone() };
        assert!(read(&two, Path::new("io.yaml"), &named("/b")).is_ok());
        assert!(said(&two, &named("/c")).contains("has no disk at --mountpoint /c"));
        assert!(said(&TEXT.replace("95000", "fast"), &none).contains("read_iops: \"fast\""));
        assert!(said(&TEXT.replace("    write_iops: 85k\n", ""), &none).contains("without write_iops"));
    }
}
