//! What `io-cost` found: the six rates of the cost model by which Linux shares a device among cgroups.

use serde::{Deserialize, Serialize};

use super::Record;
use super::range::{
    AT_LEAST_ONE, BadField, Impossible, PAIR, POSITIVE, ascending, check, impossible_procedure, named,
    positive, under,
};
use crate::Procedure;

/// The parameters of `io.cost.model`, by the definition of the kernel's tools/cgroup/iocost_coef_gen.py.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IoCost {
    /// How it was measured.
    #[serde(default)]
    pub procedure: Procedure,
    /// Bytes per request of `rbps` and `wbps`, one at a time.
    pub large_bytes: u32,
    /// Bytes per request of the small requests.
    pub small_bytes: u32,
    /// Small requests in flight.
    pub small_concurrency: u32,
    /// Sequential reads, bytes per second.
    pub rbps: IoCostRate,
    /// Small sequential reads per second.
    pub rseqiops: IoCostRate,
    /// Small random reads per second.
    pub rrandiops: IoCostRate,
    /// Sequential writes, bytes per second.
    pub wbps: IoCostRate,
    /// Small sequential writes per second.
    pub wseqiops: IoCostRate,
    /// Small random writes per second.
    pub wrandiops: IoCostRate,
}

/// One rate, as far as the device sustained it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct IoCostRate {
    /// Bytes or requests per second: of all rounds, or of those after a fall.
    pub per_second: f64,
    /// Its 95 % interval, bootstrap over the same rounds; `null` where there are fewer than two, or it fell
    /// in the last one alone, so that it is open what is sustained.
    #[serde(default)]
    pub per_second_ci: Option<[f64; 2]>,
    /// The rate in each round, in order.
    pub rounds: Vec<f64>,
    /// The rate in the rounds before it fell; `null` where it did not.
    #[serde(default)]
    pub before_fall: Option<f64>,
}

impl IoCost {
    /// The rates with the kernel's names for them, in its order.
    pub fn rates(&self) -> [(&'static str, &IoCostRate); 6] {
        [
            ("rbps", &self.rbps),
            ("rseqiops", &self.rseqiops),
            ("rrandiops", &self.rrandiops),
            ("wbps", &self.wbps),
            ("wseqiops", &self.wseqiops),
            ("wrandiops", &self.wrandiops),
        ]
    }
}

impl Record for IoCost {
    fn impossible(&self) -> Option<Impossible> {
        let bad = check(self.large_bytes > 0, "large_bytes", AT_LEAST_ONE)
            .or_else(|| check(self.small_bytes > 0, "small_bytes", AT_LEAST_ONE))
            .or_else(|| check(self.small_concurrency > 0, "small_concurrency", AT_LEAST_ONE));
        impossible_procedure(&self.procedure)
            .or_else(|| named(bad))
            .or_else(|| self.rates().into_iter().find_map(|(name, rate)| under(name, named(rate.bad()))))
    }
}

impl IoCostRate {
    fn bad(&self) -> Option<BadField> {
        check(positive(self.per_second), "per_second", POSITIVE)
            .or_else(|| check(self.per_second_ci.is_none_or(ascending), "per_second_ci", PAIR))
            .or_else(|| check(self.rounds.iter().all(|&rate| positive(rate)), "rounds", POSITIVE))
            .or_else(|| {
                let fine = self.before_fall.is_none_or(positive);
                check(fine, "before_fall", "must be a positive number or null")
            })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::range::{assert_read_as_written, assert_refused};
    use super::*;
    use crate::{DeviceProfile, Experiments, SCHEMA};

    fn sample() -> DeviceProfile {
        let rate = |per_second: f64| IoCostRate {
            per_second,
            per_second_ci: Some([0.99 * per_second, 1.01 * per_second]),
            rounds: vec![3.0 * per_second, per_second, per_second],
            before_fall: Some(3.0 * per_second),
        };
        let found = IoCost {
            procedure: Procedure::default(),
            large_bytes: 128 << 20,
            small_bytes: 4096,
            small_concurrency: 64,
            rbps: rate(6e8),
            rseqiops: rate(5e5),
            rrandiops: rate(4e5),
            wbps: rate(3e8),
            wseqiops: rate(2e5),
            wrandiops: rate(1e5),
        };
        let experiments = Experiments { io_cost: Some(found), ..Experiments::default() };
        DeviceProfile { schema: SCHEMA.to_owned(), experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn what_is_possible_is_read_as_it_was_written() {
        assert_read_as_written(&sample());
    }

    #[test]
    fn rates_have_the_names_and_the_order_that_the_kernel_writes_them_in() {
        let found = sample().experiments.io_cost.unwrap();
        let line: Vec<String> =
            found.rates().iter().map(|(name, rate)| format!("{name}={}", rate.per_second)).collect();
        assert_eq!(
            line.join(" "),
            "rbps=600000000 rseqiops=500000 rrandiops=400000 wbps=300000000 wseqiops=200000 wrandiops=100000"
        );
    }

    #[test]
    fn impossible_values_are_refused_with_their_place() {
        assert_refused(
            &sample(),
            [
                ("io-cost/large_bytes", json!(0), "io-cost.large_bytes"),
                ("io-cost/small_bytes", json!(0), "io-cost.small_bytes"),
                ("io-cost/small_concurrency", json!(0), "io-cost.small_concurrency"),
                ("io-cost/rbps/per_second", json!(0.0), "io-cost.rbps.per_second"),
                ("io-cost/rseqiops/per_second_ci", json!([2.0, 1.0]), "io-cost.rseqiops.per_second_ci"),
                ("io-cost/rrandiops/rounds/2", json!(-1.0), "io-cost.rrandiops.rounds"),
                ("io-cost/wbps/before_fall", json!(0.0), "io-cost.wbps.before_fall"),
                ("io-cost/wseqiops/per_second", json!(-1.0), "io-cost.wseqiops.per_second"),
                ("io-cost/wrandiops/per_second", json!(-1.0), "io-cost.wrandiops.per_second"),
                ("io-cost/procedure/measured_seconds", json!(-1.0), "io-cost.procedure.measured_seconds"),
            ],
        );
    }
}
