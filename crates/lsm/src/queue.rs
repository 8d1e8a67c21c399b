//! Clients, processors and a device as a closed queueing network.
//!
//! Each client alternates between the processors and the device, and never waits for anything else. With
//! two stations whose rates depend on how many are there, the number at the device is a birth-death chain,
//! and its stationary distribution is exact for exponential times (Gordon and Newell, Operations Research
//! 15(2), 1967) and close for others, as the order of visits does not matter.

/// What one operation demands of both stations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Demand<'a> {
    /// Processor time in addition to its requests, seconds.
    pub(crate) processor: f64,
    /// Processor time of its requests, seconds. The device was measured with it, so that it is no time of
    /// its own; but cores cannot do more than all of it.
    pub(crate) reading: f64,
    /// Cores; more than 0, a share where others take the rest.
    pub(crate) cores: f64,
    /// Seconds of device time per operation with 1, 2, ... operations at the device. Not empty; beyond its
    /// end the last one holds.
    pub(crate) device: &'a [f64],
}

/// What comes of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Load {
    /// Operations per second, all clients together.
    pub(crate) per_second: f64,
    /// Mean number of operations at the device.
    pub(crate) at_device: f64,
}

/// The network with `clients`, 1 or more.
pub(crate) fn closed(demand: &Demand, clients: u32) -> Load {
    let device = |n: u32| demand.device[(n as usize).min(demand.device.len()) - 1];
    // Weights of n operations at the device, relative to none, as logarithms: they span many powers of ten.
    let mut logs = Vec::with_capacity(clients as usize + 1);
    logs.push(0.0f64);
    for n in 1..=clients {
        let waiting = f64::from(clients - n + 1);
        let arrivals = waiting.min(demand.cores) / demand.processor.max(1e-12);
        let departures = 1.0 / device(n).max(1e-12);
        logs.push(logs[n as usize - 1] + (arrivals / departures).ln());
    }
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut sum, mut per_second, mut at_device) = (0.0, 0.0, 0.0);
    for (n, log) in logs.iter().enumerate() {
        let weight = (log - largest).exp();
        sum += weight;
        at_device += weight * n as f64;
        if n > 0 {
            per_second += weight / device(n as u32).max(1e-12);
        }
    }
    let (per_second, at_device) = (per_second / sum, at_device / sum);
    // Where the cores cannot do that much, the rest of the clients wait for them, not for the device.
    let most = demand.cores / (demand.processor + demand.reading).max(1e-12);
    let share = (most / per_second).min(1.0);
    Load { per_second: share * per_second, at_device: share * at_device }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn per_second(processor: f64, cores: f64, device: &[f64], clients: u32) -> f64 {
        closed(&Demand { processor, reading: 0.0, cores, device }, clients).per_second
    }

    fn near(found: f64, wanted: f64) {
        assert!((found / wanted - 1.0).abs() < 1e-6, "{found} is not {wanted}");
    }

    #[test]
    fn one_client_takes_the_sum_of_its_times() {
        near(per_second(10e-6, 2.0, &[90e-6], 1), 1e4);
    }

    #[test]
    fn many_clients_are_bound_by_the_slower_station() {
        // 2 cores at 10 us: 200,000 per second; a device that is faster does not matter.
        near(per_second(10e-6, 2.0, &[1e-6], 500), 2e5);
        near(per_second(1e-6, 2.0, &[10e-6], 500), 1e5);
    }

    #[test]
    fn a_device_of_many_servers_serves_each_client_as_if_it_were_alone() {
        let device: Vec<f64> = (1..=16).map(|n| 100e-6 / f64::from(n)).collect();
        near(per_second(1e-12, 2.0, &device, 16), 1.6e5);
        let load = closed(&Demand { processor: 1e-12, reading: 0.0, cores: 2.0, device: &device }, 8);
        assert!((load.at_device - 8.0).abs() < 1e-3);
    }

    #[test]
    fn requests_take_processor_time_too_but_no_time_of_their_own() {
        let of = |reading, clients| {
            closed(&Demand { processor: 10e-6, reading, cores: 2.0, device: &[90e-6] }, clients).per_second
        };
        near(of(30e-6, 1), 1e4);
        let fast = Demand { processor: 10e-6, reading: 30e-6, cores: 2.0, device: &[1e-6] };
        near(closed(&fast, 500).per_second, 5e4);
    }

    #[test]
    fn two_equal_single_servers_follow_the_formula_of_mean_value_analysis() {
        // X(n) = n / (n + 1) / S for two equal stations.
        for n in [1u32, 2, 5, 40] {
            near(per_second(1e-4, 1.0, &[1e-4], n), f64::from(n) / f64::from(n + 1) / 1e-4);
        }
    }
}
