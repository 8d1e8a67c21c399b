//! What keeps clients from doing more.

use crate::queue::{Demand, closed};

/// Throughput that twice the clients must add for the clients to be what bounds it.
const GROWS: f64 = 1.1;

/// What sets the pace of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The clients: each waits for its own operation, and more of them would do more.
    Clients,
    /// The processor: its cores are busy.
    Processor,
    /// The device: more requests at a time would not be served faster.
    Device,
    /// Compactions, which do not keep up with more writes.
    Compaction,
}

impl Bound {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Clients => "clients",
            Bound::Processor => "processor",
            Bound::Device => "device",
            Bound::Compaction => "compaction",
        }
    }

    /// Of clients without compactions. `demand` has the device's times for twice as many.
    pub(crate) fn of(demand: &Demand, clients: u32) -> Self {
        let [now, more] = [clients, 2 * clients].map(|n| closed(demand, n).per_second);
        let last = demand.device.last().copied().unwrap_or_default();
        if more > GROWS * now {
            Bound::Clients
        } else if (demand.processor + demand.reading) / demand.cores > last {
            Bound::Processor
        } else {
            Bound::Device
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_more_clients_would_not_help_is_bound_by_the_slower_of_both() {
        let of = |processor, device: f64, clients| {
            // A device of eight servers.
            let device: Vec<f64> = (1..=2 * clients).map(|n| device / f64::from(n.min(8))).collect();
            Bound::of(&Demand { processor, reading: 0.0, cores: 2.0, device: &device }, clients)
        };
        assert_eq!(of(10e-6, 80e-6, 1), Bound::Clients);
        assert_eq!(of(10e-6, 80e-6, 100), Bound::Device);
        assert_eq!(of(100e-6, 80e-6, 100), Bound::Processor);
        // The processor's part in the requests counts, too.
        let device: Vec<f64> = (1..=200).map(|n| 80e-6 / f64::from(n.min(8))).collect();
        let demand = Demand { processor: 10e-6, reading: 90e-6, cores: 2.0, device: &device };
        assert_eq!(Bound::of(&demand, 100), Bound::Processor);
    }
}
