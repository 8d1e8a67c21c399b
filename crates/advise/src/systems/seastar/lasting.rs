//! How much of what was measured lasts: a drive with a cache and a volume with credit are fast at first, and
//! iotune, which measures for two minutes, has set up clusters by that.

use leadline_profile::{OpKind, Pattern};

use super::rates::Rates;
use crate::Drive;

/// What a device does for long, where that was measured.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lasting {
    /// Bytes per second of large writes in sequence.
    sequential: Option<f64>,
    /// Seconds per random write, and its bytes.
    random: Option<(f64, u32)>,
    /// Seconds per request, of either kind, and its bytes, of a volume that has spent its credit.
    baseline: Option<(f64, u32)>,
}

impl Lasting {
    pub(super) fn of(drive: &Drive) -> Lasting {
        let experiments = &drive.profile().experiments;
        let random = experiments.sustained.as_ref().and_then(|found| found.load(Pattern::Random));
        let burst = experiments.burst.as_ref();
        Lasting {
            sequential: drive.sustained_writes(Pattern::Sequential).ok().map(|bandwidth| bandwidth.value),
            random: random.map(|load| {
                (f64::from(load.block_bytes) / load.sustained_bytes_per_second, load.block_bytes)
            }),
            baseline: burst.and_then(|found| Some((1.0 / found.baseline_iops?, found.block_bytes))),
        }
    }

    pub(super) fn writes_known(&self) -> bool {
        self.sequential.is_some()
    }

    /// The least time that a request can take in the long run, seconds.
    pub(super) fn least_seconds(&self, op: OpKind, block_bytes: u32) -> f64 {
        let mut least =
            self.baseline.filter(|(_, size)| block_bytes >= *size).map_or(0.0, |(seconds, _)| seconds);
        if op == OpKind::Write {
            let random = self.random.filter(|(_, size)| block_bytes >= *size);
            least = least.max(random.map_or(0.0, |(seconds, _)| seconds));
            least = least.max(self.sequential.map_or(0.0, |bandwidth| f64::from(block_bytes) / bandwidth));
        }
        least
    }

    /// Rates by which no request takes less than it does in the long run.
    pub(super) fn limit(&self, rates: Rates) -> Rates {
        let write_bandwidth =
            self.sequential.map_or(rates.write_bandwidth, |most| rates.write_bandwidth.min(most));
        let mut limited = Rates { write_bandwidth, ..rates };
        for op in [OpKind::Read, OpKind::Write] {
            let random = self.random.filter(|_| op == OpKind::Write);
            for (seconds, block_bytes) in self.baseline.into_iter().chain(random) {
                let missing = seconds - limited.request(op, block_bytes);
                if missing > 0.0 {
                    let iops = limited.iops_of(op);
                    *iops = 1.0 / (1.0 / *iops + missing);
                }
            }
        }
        limited
    }

    /// What limits an operation, to be said behind other numbers.
    pub(super) fn in_words(&self, op: OpKind) -> String {
        let mut words = Vec::new();
        if let Some((seconds, _)) = self.baseline {
            words.push(format!("the volume's baseline is {:.0} requests per second", 1.0 / seconds));
        }
        if op == OpKind::Write
            && let (Some(sequential), Some((seconds, block_bytes))) = (self.sequential, self.random)
        {
            words.push(format!(
                "for long it writes {:.0} MB/s in sequence and {:.0} requests of {}K per second at random",
                sequential / 1e6,
                1.0 / seconds,
                block_bytes / 1024
            ));
        }
        words.into_iter().map(|words| format!("; {words}")).collect()
    }
}
