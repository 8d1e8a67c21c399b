//! The four rates of io_properties.yaml, and what Seastar's scheduler makes of them.

use serde::{Deserialize, Serialize};

use super::Mix;
use crate::ProveError;

/// Their names in io_properties.yaml, in the order of [`Rates`].
const KEYS: [&str; 4] = ["read_iops", "read_bandwidth", "write_iops", "write_bandwidth"];

/// Whether reads and writes have a sum each.
const DUPLEX: &str = "duplex";

/// Endings of sizes that Seastar reads, each 1024 times the one before.
const ENDINGS: &str = "KMGT";

/// What a disk can do of each alone. Requests of several kinds share it in this way, says the scheduler: the
/// fractions that they take of each rate together are 1 at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Reads per second, were they of no size; `None` where only their bytes count.
    pub read_iops: Option<f64>,
    /// Bytes read per second, were they one request; `None` where only requests count.
    pub read_bandwidth: Option<f64>,
    /// Writes per second, were they of no size; `None` where only their bytes count.
    pub write_iops: Option<f64>,
    /// Bytes written per second, were they one request; `None` where only requests count.
    pub write_bandwidth: Option<f64>,
    /// Whether reads and writes leave each other alone: the fractions of each are 1 at most then.
    pub duplex: bool,
}

impl Rates {
    /// From settings as io_properties.yaml has them; others are left alone.
    ///
    /// # Errors
    /// [`ProveError::Plan`], where one is missing or is not a rate.
    pub(super) fn of(settings: &[(String, String)]) -> Result<Rates, ProveError> {
        let rate = |key| {
            let wrong = |problem| ProveError::Plan { what: key, problem };
            let found = settings.iter().find(|(other, _)| other == key).map(|(_, value)| value);
            let value =
                found.ok_or_else(|| wrong("it is missing; the advice must have all four rates".into()))?;
            let rate = parse(value).filter(|rate| *rate > 0);
            rate.map(|rate| rate as f64).ok_or_else(|| {
                wrong(format!(
                    "{value:?} is not a rate; it must be a number above 0, with K, M, G or T at most"
                ))
            })
        };
        let duplex = match settings.iter().find(|(key, _)| key == DUPLEX).map(|(_, value)| value.as_str()) {
            None | Some("false") => false,
            Some("true") => true,
            Some(other) => {
                let problem = format!("{other:?} is neither true nor false");
                return Err(ProveError::Plan { what: DUPLEX, problem });
            }
        };
        let [read_iops, read_bandwidth, write_iops, write_bandwidth] = KEYS.map(rate);
        Ok(Rates {
            read_iops: Some(read_iops?),
            read_bandwidth: Some(read_bandwidth?),
            write_iops: Some(write_iops?),
            write_bandwidth: Some(write_bandwidth?),
            duplex,
        })
    }

    /// Whether this is one of the keys that are tried.
    pub(super) fn has(key: &str) -> bool {
        KEYS.contains(&key) || key == DUPLEX
    }

    /// The sum of the fractions that `reads` and `writes` per second of a size take. The scheduler lets
    /// it be 1 at most: at more, the disk does more than the rates say. Of a duplex disk, it is the larger of
    /// the reads' and the writes'.
    pub fn sum(&self, bytes: u32, reads_per_second: f64, writes_per_second: f64) -> f64 {
        let cost = |iops: Option<f64>, bandwidth: Option<f64>| {
            iops.map_or(0.0, |iops| 1.0 / iops) + bandwidth.map_or(0.0, |rate| f64::from(bytes) / rate)
        };
        let reads = reads_per_second * cost(self.read_iops, self.read_bandwidth);
        let writes = writes_per_second * cost(self.write_iops, self.write_bandwidth);
        if self.duplex { reads.max(writes) } else { reads + writes }
    }

    /// Whether reads are what limits a mix, as far as they and writes are apart.
    pub(super) fn is_limited_by_reads(&self, mix: Mix) -> bool {
        let reads = f64::from(mix.read_percent) / 100.0;
        self.sum(mix.bytes, reads, 0.0) >= self.sum(mix.bytes, 0.0, 1.0 - reads)
    }

    /// Requests per second of a mix at which the sum is 1.
    pub fn requests_per_second(&self, mix: Mix) -> f64 {
        let reads = f64::from(mix.read_percent) / 100.0;
        1.0 / self.sum(mix.bytes, reads, 1.0 - reads)
    }
}

/// A size as Seastar reads it.
fn parse(value: &str) -> Option<u64> {
    let value = value.trim();
    let (at, ending) = value.char_indices().last()?;
    let (digits, power) = match ENDINGS.find(ending.to_ascii_uppercase()) {
        Some(which) => (&value[..at], which + 1),
        None => (value, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << (10 * power))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &[(&str, &str)]) -> Vec<(String, String)> {
        text.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    const ADVICE: [(&str, &str); 5] = [
        ("mountpoint", "/var/lib/scylla"),
        ("read_iops", "100000"),
        ("read_bandwidth", "1G"),
        ("write_iops", "50K"),
        ("write_bandwidth", "512M"),
    ];

    #[test]
    fn rates_are_read_as_seastar_reads_them() {
        let rates = Rates::of(&settings(&ADVICE)).unwrap();
        assert_eq!(rates.read_iops, Some(100_000.0));
        assert_eq!(rates.read_bandwidth, Some(1_073_741_824.0));
        assert_eq!(rates.write_iops, Some(51_200.0));
        assert_eq!(rates.write_bandwidth, Some(536_870_912.0));
        assert!(!rates.duplex);
        let with = |duplex| Rates::of(&settings(&[&ADVICE[..], &[("duplex", duplex)]].concat()));
        assert!(with("true").unwrap().duplex && !with("false").unwrap().duplex);
        assert!(with("yes").unwrap_err().to_string().starts_with("duplex: \"yes\" is neither"));
        let missing = Rates::of(&settings(&ADVICE[..4])).unwrap_err();
        assert!(missing.is_input() && missing.to_string().starts_with("write_bandwidth: it is missing"));
        for wrong in ["", "0", "-1", "fast", "1.5G", "99999999999999999999", "99999999999999T", "µ"] {
            let mut advice = ADVICE;
            advice[2].1 = wrong;
            let error = Rates::of(&settings(&advice)).unwrap_err();
            assert!(error.is_input() && error.to_string().contains("read_bandwidth"), "{wrong:?}: {error}");
        }
    }

    #[test]
    fn fractions_of_the_four_rates_are_1_together() {
        let rates = Rates {
            read_iops: Some(100_000.0),
            read_bandwidth: Some(1e9),
            write_iops: Some(50_000.0),
            write_bandwidth: Some(5e8),
            duplex: false,
        };
        // A read of 4096 bytes takes 10 us and 4.096 us, a write 20 us and 8.192 us.
        let mix = |bytes, read_percent| rates.requests_per_second(Mix { bytes, read_percent });
        assert!((mix(4096, 100) - 1e6 / 14.096).abs() < 1e-6);
        assert!((mix(4096, 0) - 1e6 / 28.192).abs() < 1e-6);
        assert!((mix(4096, 50) - 1e6 / 21.144).abs() < 1e-6);
        assert!((rates.sum(4096, 1e6 / 14.096, 1e6 / 28.192) - 2.0).abs() < 1e-9);
        // Apart, each may take all of the time.
        let duplex = Rates { duplex: true, ..rates };
        assert!((duplex.sum(4096, 1e6 / 14.096, 1e6 / 28.192) - 1.0).abs() < 1e-9);
        let duplex = |bytes, read_percent| duplex.requests_per_second(Mix { bytes, read_percent });
        assert!((duplex(4096, 50) - 2e6 / 28.192).abs() < 1e-6);
        assert!((duplex(4096, 100) - 1e6 / 14.096).abs() < 1e-6);
        let without = Rates { read_iops: None, ..rates };
        assert!((without.sum(1000, 1e6, 0.0) - 1.0).abs() < 1e-9);
    }
}
