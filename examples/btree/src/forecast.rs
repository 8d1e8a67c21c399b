//! What the model says of a tree before it is measured.

use leadline_lsm::Data;
use leadline_lsm::Estimate;
use leadline_lsm::btree::{BTreeError, Mix, Operation, TreeAccesses, Usage};
use leadline_model::{Predict, Workload};
use leadline_profile::OpKind;

use crate::{ProcessorTimes, throughput};

/// What all forecasts have in common.
pub struct Forecaster<'a> {
    /// The model, fitted to the device.
    pub model: &'a dyn Predict,
    /// The pairs in each tree.
    pub data: Data,
    /// Bytes of pairs that a range reads.
    pub range_bytes: u64,
    /// Memory of each tree's pool, bytes.
    pub memory_bytes: u64,
    /// Processors.
    pub processors: u32,
}

/// The forecast of one operation on a tree of one node size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// Operations per second, of all clients.
    pub per_second: Estimate,
    /// Nodes read from the device per operation.
    pub reads: f64,
}

impl Forecaster<'_> {
    /// What `clients` clients come to that only do `operation`, on the node size of `times`. The interval is
    /// the model's; what the processor takes counts as exact.
    ///
    /// # Errors
    /// [`BTreeError`] where the model knows no reads or a number is out of its range.
    pub fn forecast(
        &self,
        times: &ProcessorTimes,
        operation: Operation,
        clients: u32,
    ) -> Result<Forecast, BTreeError> {
        let usage = Usage {
            data: self.data,
            fill: times.fill,
            memory_bytes: self.memory_bytes,
            mix: Mix::only(operation),
            range_bytes: self.range_bytes,
        };
        let tree = TreeAccesses::new(&usage, times.node_bytes)?;
        let reads = tree.of(operation).reads;
        let leaves = match operation {
            Operation::Range => tree.shape.leaves_touched(usage.range_pairs()),
            _ => 1.0,
        };
        let processor = times.seconds(operation, tree.shape.height() as f64 - 1.0 + leaves, reads);
        let mut device = [Vec::new(), Vec::new(), Vec::new()];
        for there in 1..=clients {
            let read = Workload::pure(OpKind::Read, 1.0, times.node_bytes, 1.0, there);
            let predicted = self.model.predict(&read)?;
            let [low, high] = predicted.seconds_ci;
            for (list, seconds) in device.iter_mut().zip([predicted.seconds, high, low]) {
                list.push(reads * seconds);
            }
        }
        let [value, least, most] =
            device.map(|device| throughput(&device, processor, self.processors).unwrap_or(f64::INFINITY));
        Ok(Forecast { per_second: Estimate { value, ci: [least, most] }, reads })
    }
}
