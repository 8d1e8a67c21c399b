//! How much of what was measured lasts: a drive with a cache and a volume with credit are fast at first, and
//! iotune, which measures for two minutes, has set up clusters by that.

use leadline_profile::{OpKind, Pattern};

use super::rates::{LEAST_PART, Mix, Rates, alone};
use crate::Drive;

/// What is within that much of the measured rate is the same rate.
const SAME: f64 = 0.95;

/// The sustained rates of a device, if measured.
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
    fn least_seconds(&self, op: OpKind, block_bytes: u32) -> f64 {
        let of_size = |known: Option<(f64, u32)>| {
            known.filter(|(_, size)| block_bytes >= *size).map_or(0.0, |(seconds, _)| seconds)
        };
        let shared = of_size(self.baseline);
        match op {
            OpKind::Read => shared,
            OpKind::Write => {
                let sequential = self.sequential.map_or(0.0, |bandwidth| f64::from(block_bytes) / bandwidth);
                shared.max(of_size(self.random)).max(sequential)
            }
        }
    }

    /// The sustained share of the rate at which requests alone were measured: 0 to 1.
    pub(super) fn share(&self, op: OpKind, mix: &Mix) -> f64 {
        let share = mix.seconds / self.least_seconds(op, mix.block_bytes);
        if share < SAME { share } else { 1.0 }
    }

    /// Rates at which the smallest and the largest requests alone take as much longer as they do in the long
    /// run.
    pub(super) fn limit(&self, rates: Rates, mixes: &[Mix]) -> Rates {
        let mut limited = rates;
        for op in [OpKind::Read, OpKind::Write] {
            let Some([small, large]) = alone(mixes, op) else { continue };
            let (iops, bandwidth) = limited.of_mut(op);
            *bandwidth *= self.share(op, &large);
            let needed = rates.request(op, small.block_bytes) / self.share(op, &small);
            let rest = needed - f64::from(small.block_bytes) / *bandwidth;
            // Where bytes alone already take that long, requests may cost next to nothing.
            *iops = 1.0 / rest.max(1.0 / *iops).max(LEAST_PART * needed);
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
                "it sustains {:.0} MB/s of sequential writes and {:.0} requests of {}K per second at random",
                sequential / 1e6,
                1.0 / seconds,
                block_bytes / 1024
            ));
        }
        words.into_iter().map(|words| format!("; {words}")).collect()
    }
}
