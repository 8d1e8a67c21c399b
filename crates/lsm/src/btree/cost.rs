//! What the operations on a B-tree take on a device, by a fitted model.

use leadline_model::{InFlight, Predict, PredictError, Workload};

use super::{Accesses, BTreeError, Operation, TreeAccesses, Usage};
use crate::Estimate;

/// A tree with nodes of one size on a device, used by that many clients.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeCost {
    /// The tree, and what operations ask of the device.
    pub accesses: TreeAccesses,
    /// Bytes written per byte of pairs inserted or updated.
    pub write_amplification: f64,
    /// Microseconds that each of [`Operation::ALL`] takes a client when all clients do only that; 0 where it
    /// needs no access to the device. `None` where the profile has no such requests and the mix does without.
    pub operation_us: [Option<Estimate>; 4],
    /// Operations of the mix per second, of all clients together; `None` where they need no access to the
    /// device, which then sets no limit.
    pub mix_per_second: Option<Estimate>,
    /// Share of the mix's time that each of [`Operation::ALL`] takes; zeros where it takes no time.
    pub time_shares: [f64; 4],
    /// Whether requests of this size lie within those measured.
    pub measured: bool,
}

impl NodeCost {
    /// What `usage` costs with nodes of `node_bytes` and `clients` clients, each of which waits for its
    /// accesses one after the other. `measured` are the smallest and the largest request measured.
    ///
    /// # Errors
    /// [`BTreeError`] where a node is too small, or the model knows no requests that the mix needs.
    pub fn new(
        usage: &Usage,
        node_bytes: u32,
        clients: u32,
        model: &dyn Predict,
        measured: [u32; 2],
    ) -> Result<Self, BTreeError> {
        let accesses = TreeAccesses::new(usage, node_bytes)?;
        let seconds = |asked: Accesses| seconds(model, asked, node_bytes, clients);
        let mut operation_us = [None; 4];
        let mut times = [0.0; 4];
        for operation in Operation::ALL {
            let (at, share) = (operation as usize, usage.mix.share(operation));
            match seconds(accesses.of(operation)) {
                Ok(each) => {
                    operation_us[at] = Some(each.times(1e6 * f64::from(clients)));
                    times[at] = share * each.value;
                }
                // Where the mix needs such requests, its own time below is refused.
                Err(PredictError::NotMeasured { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let all: f64 = times.iter().sum();
        Ok(NodeCost {
            write_amplification: accesses.write_amplification(usage),
            operation_us,
            mix_per_second: seconds(accesses.of_mix(&usage.mix))?.inverse(),
            time_shares: times.map(|time| if all > 0.0 { time / all } else { 0.0 }),
            measured: (measured[0]..=measured[1]).contains(&node_bytes),
            accesses,
        })
    }

    /// Bytes of a node.
    pub fn node_bytes(&self) -> u32 {
        self.accesses.shape.node_bytes
    }

    /// Operations of the mix per second, without limit where they need no access to the device.
    pub(super) fn rate(&self) -> f64 {
        self.mix_per_second.map_or(f64::INFINITY, |rate| rate.value)
    }
}

/// Seconds of the device for one operation while `clients` of them are under way.
fn seconds(
    model: &dyn Predict,
    asked: Accesses,
    node_bytes: u32,
    clients: u32,
) -> Result<Estimate, PredictError> {
    if asked.reads + asked.writes <= 0.0 {
        return Ok(Estimate { value: 0.0, ci: [0.0; 2] });
    }
    let predicted = model.predict(&Workload {
        reads: asked.reads,
        writes: asked.writes,
        block_bytes: node_bytes,
        random_fraction: 1.0,
        in_flight: InFlight::Together(clients),
    })?;
    Ok(Estimate { value: predicted.seconds, ci: predicted.seconds_ci })
}
