//! What a model says of a program that batches.

use leadline_model::{InFlight, Predict, Workload};
use leadline_profile::PioClass;

/// How many times faster than one request at a time a program of this class is with batches of `batch`, by
/// `model`; `None` where the model knows no such requests.
pub(crate) fn predicted_speedup(
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
