//! What an application gains by batching its requests: the four classes of PIO (Papon and Athanassoulis,
//! DaMoN 2021, section 3.1).
//!
//! Unbatched, an operation costs f_r + f_w alpha reads, with f_r the share of reads and f_w = 1 - f_r. An
//! application that batches reads pays f_r / k_r for them instead; one that batches writes pays
//! f_w alpha / k_w for those. The speedup is the quotient.

use leadline_profile::PioClass;

use crate::{InFlight, Predict, Workload};

/// A device as the formulas see it; all three positive, k_r and k_w at least 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PioNumbers {
    /// Cost of one unbatched write in unbatched reads: **`alpha_1`**, not the saturated alpha.
    ///
    /// The base of every speedup is an application that has one request in flight at a time, so its writes
    /// cost what a single write costs; batching then divides that by k_w. The saturated alpha = alpha_1 k_r /
    /// k_w already contains the batching, and the base case would be wrong by k_r / k_w: a device with k_r =
    /// 80, k_w = 8 and a saturated alpha of 2.8 has alpha_1 = 0.28. The paper writes alpha for both.
    pub alpha: f64,
    /// Reads that the device serves at once.
    pub k_r: f64,
    /// Writes that the device serves at once.
    pub k_w: f64,
}

impl PioNumbers {
    /// The numbers where at most `k` requests are submitted together: no more than that run at once.
    pub fn with_batch(&self, k: u32) -> Self {
        let k = f64::from(k);
        PioNumbers { k_r: self.k_r.min(k), k_w: self.k_w.min(k), ..*self }
    }
}

/// Cost of an operation in reads, one request at a time: f_r + f_w alpha. `read_share` is f_r, 0 to 1;
/// `alpha` is [`PioNumbers::alpha`].
pub fn unbatched_cost(read_share: f64, alpha: f64) -> f64 {
    read_share + (1.0 - read_share) * alpha
}

/// How many times faster an application of a class is than the unbatched one; `read_share` is f_r, 0 to 1.
///
/// 1 for the unbatched class; at most k_w for batched writes, reached at f_r = 0; at most k_r for batched
/// reads, reached at f_r = 1; between k_w (f_r = 0) and k_r (f_r = 1) for both.
pub fn speedup(class: PioClass, read_share: f64, numbers: &PioNumbers) -> f64 {
    let PioNumbers { alpha, k_r, k_w } = *numbers;
    let reads_at_once = if class.batches_reads() { k_r } else { 1.0 };
    let writes_at_once = if class.batches_writes() { k_w } else { 1.0 };
    let batched = read_share / reads_at_once + (1.0 - read_share) * alpha / writes_at_once;
    unbatched_cost(read_share, alpha) / batched
}

/// [`speedup`] over f_r from 0 to 1 in `steps` equal steps (at least one): pairs of f_r and speedup, `steps`
/// + 1 of them.
pub fn curve(class: PioClass, numbers: &PioNumbers, steps: u32) -> Vec<(f64, f64)> {
    let steps = steps.max(1);
    let at = |step| {
        let read_share = f64::from(step) / f64::from(steps);
        (read_share, speedup(class, read_share, numbers))
    };
    (0..=steps).map(at).collect()
}

/// How many times faster than one request at a time a program of this class is with batches of `batch`, by
/// `model`; `None` where the model knows no such requests.
pub fn predicted(
    model: &dyn Predict,
    class: PioClass,
    read_share: f64,
    batch: u32,
    block_bytes: u32,
) -> Option<f64> {
    let time = |reads: u32, writes: u32| {
        model.seconds(&Workload {
            reads: read_share,
            writes: 1.0 - read_share,
            block_bytes,
            random_fraction: 1.0,
            in_flight: InFlight::Batches { reads, writes },
        })
    };
    let at_once = |batches: bool| if batches { batch } else { 1 };
    Some(time(1, 1)? / time(at_once(class.batches_reads()), at_once(class.batches_writes()))?)
}
