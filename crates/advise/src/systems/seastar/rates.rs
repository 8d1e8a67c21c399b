//! The four rates of a disk as Seastar understands them, and the rates that explain measured mixes best.
//!
//! A request costs 1 / iops + bytes / bandwidth seconds, by the rates of its operation, and Seastar sends no
//! more than a second's worth of cost per second (seastar doc/io-scheduler.md; `request_tokens` in
//! src/core/io_queue.cc). Rates that were measured one at a time do not fit into a sum: 4K reads already cost
//! bandwidth. So the rates are fitted to reads, writes and mixes together, by least squares of the logarithms
//! of their times.

use leadline_profile::{OpKind, Work, WorkPoint};
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::{Const, DVector, Dyn, OMatrix, Owned, Vector4};

/// Least part of the fastest request's time that either cost may have. A device that is limited by only one
/// of iops and bandwidth says nothing of the other, which would go to infinity.
pub(super) const LEAST_PART: f64 = 0.05;

/// Two streams are believed where the error of one is at least this, and that of two less than half of it.
const NOISE: f64 = 0.05;

/// Requests of one size, a share of them reads, with as many in flight as it takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mix {
    /// Bytes per request.
    pub(super) block_bytes: u32,
    /// Share of reads, 0 to 1.
    pub(super) read_share: f64,
    /// Seconds per request, of either kind.
    pub(super) seconds: f64,
    /// Its 95 % interval; twice the same where it is unknown.
    pub(super) seconds_ci: [f64; 2],
}

/// What a disk can do, by Seastar's definition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rates {
    /// Reads per second, if they had no length.
    pub(super) read_iops: f64,
    /// Bytes read per second, if requests cost nothing by themselves.
    pub(super) read_bandwidth: f64,
    /// As `read_iops`, of writes.
    pub(super) write_iops: f64,
    /// As `read_bandwidth`, of writes.
    pub(super) write_bandwidth: f64,
    /// Whether reads and writes have a second's worth of cost each per second, instead of one together.
    pub(super) duplex: bool,
}

/// Rates, and how far they are off.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fit {
    /// The rates.
    pub(super) rates: Rates,
    /// Root mean square of the logarithmic errors.
    pub(super) error: f64,
    /// The mix that they explain worst.
    pub(super) worst: Mix,
    /// Predicted / measured time of that mix.
    pub(super) worst_ratio: f64,
}

impl Mix {
    /// Whether that many of its requests are reads.
    pub(super) fn is_share(&self, read_share: f64) -> bool {
        (self.read_share - read_share).abs() < 0.02
    }
}

impl Rates {
    /// Iops and bandwidth of an operation.
    pub(super) fn of(&self, op: OpKind) -> (f64, f64) {
        match op {
            OpKind::Read => (self.read_iops, self.read_bandwidth),
            OpKind::Write => (self.write_iops, self.write_bandwidth),
        }
    }

    /// The same, to be changed.
    pub(super) fn of_mut(&mut self, op: OpKind) -> (&mut f64, &mut f64) {
        match op {
            OpKind::Read => (&mut self.read_iops, &mut self.read_bandwidth),
            OpKind::Write => (&mut self.write_iops, &mut self.write_bandwidth),
        }
    }

    /// Seconds for a request of this operation alone.
    pub(super) fn request(&self, op: OpKind, block_bytes: u32) -> f64 {
        let (iops, bandwidth) = self.of(op);
        1.0 / iops + f64::from(block_bytes) / bandwidth
    }

    /// Seconds per request of a mix.
    pub(super) fn seconds(&self, block_bytes: u32, read_share: f64) -> f64 {
        let reads = read_share * self.request(OpKind::Read, block_bytes);
        let writes = (1.0 - read_share) * self.request(OpKind::Write, block_bytes);
        if self.duplex { reads.max(writes) } else { reads + writes }
    }
}

/// The mixes in an experiment, each at the concurrency at which it was fastest.
pub(super) fn mixes(work: &Work) -> Vec<Mix> {
    let mut mixes: Vec<Mix> = Vec::new();
    for mix in work.points.iter().filter_map(mix) {
        let same = |m: &&mut Mix| m.block_bytes == mix.block_bytes && m.is_share(mix.read_share);
        match mixes.iter_mut().find(same) {
            Some(known) if known.seconds > mix.seconds => *known = mix,
            Some(_) => {}
            None => mixes.push(mix),
        }
    }
    mixes
}

fn mix(point: &WorkPoint) -> Option<Mix> {
    let requests = (point.reads + point.writes) as f64;
    let random = point.random_fraction > 0.99;
    let ends = point.seconds_ci.unwrap_or([point.seconds; 2]);
    (requests > 0.0 && random).then(|| Mix {
        block_bytes: point.block_bytes,
        read_share: point.reads as f64 / requests,
        seconds: point.seconds / requests,
        seconds_ci: ends.map(|seconds| seconds / requests),
    })
}

/// The rates that explain the mixes best. `None` unless reads and writes of two sizes are among them.
pub(super) fn fit(mixes: &[Mix]) -> Option<Fit> {
    fit_streams(mixes, duplex(mixes))
}

impl Fit {
    /// The rates if all mixes took as long as the upper, and as the lower, ends of their intervals say: the
    /// least and the most.
    pub(super) fn ends(&self, mixes: &[Mix]) -> [Rates; 2] {
        [1, 0].map(|end| {
            let at_end: Vec<Mix> = mixes.iter().map(|m| Mix { seconds: m.seconds_ci[end], ..*m }).collect();
            fit_streams(&at_end, self.rates.duplex).map_or(self.rates, |fit| fit.rates)
        })
    }
}

/// Whether reads and writes leave each other alone: by each size's mixes against the same size's reads and
/// writes, so that it does not matter how time grows with size.
fn duplex(mixes: &[Mix]) -> bool {
    let alone = |block_bytes, share: f64| {
        mixes.iter().find(|m| m.block_bytes == block_bytes && m.is_share(share)).map(|m| m.seconds)
    };
    let (mut one, mut two, mut count) = (0.0, 0.0, 0.0_f64);
    for mix in mixes.iter().filter(|m| !m.is_share(0.0) && !m.is_share(1.0)) {
        let (Some(read), Some(write)) = (alone(mix.block_bytes, 1.0), alone(mix.block_bytes, 0.0)) else {
            continue;
        };
        let (reads, writes) = (mix.read_share * read, (1.0 - mix.read_share) * write);
        one += ((reads + writes) / mix.seconds).ln().powi(2);
        two += (reads.max(writes) / mix.seconds).ln().powi(2);
        count += 1.0;
    }
    one > NOISE.powi(2) * count && two < 0.25 * one
}

fn fit_streams(mixes: &[Mix], duplex: bool) -> Option<Fit> {
    let alone = |op| alone(mixes, op).map(whole_costs);
    let whole = [alone(OpKind::Read)?, alone(OpKind::Write)?];
    let floors = whole.map(|ends| ends.map(|cost| LEAST_PART * cost)).concat();
    let floors = Vector4::from_column_slice(&floors);
    // Half of the time to either cost.
    let start = floors.map(|floor| (0.5 * floor / LEAST_PART - floor).ln());
    let (found, _) =
        LevenbergMarquardt::new().with_patience(200).minimize(Problem { mixes, duplex, floors, logs: start });
    let rates = found.rates();
    let ratio = |m: &Mix| rates.seconds(m.block_bytes, m.read_share) / m.seconds;
    let off = |m: &Mix| ratio(m).ln().abs();
    let worst = *mixes.iter().max_by(|a, b| off(a).total_cmp(&off(b)))?;
    let error = (mixes.iter().map(|m| off(m).powi(2)).sum::<f64>() / mixes.len() as f64).sqrt();
    error.is_finite().then(|| Fit { rates, error, worst, worst_ratio: ratio(&worst) })
}

/// The smallest and the largest requests of one operation alone, if they differ.
pub(super) fn alone(mixes: &[Mix], op: OpKind) -> Option<[Mix; 2]> {
    let share = if op == OpKind::Read { 1.0 } else { 0.0 };
    let alone = mixes.iter().filter(|m| m.is_share(share));
    let small = alone.clone().min_by_key(|m| m.block_bytes)?;
    let large = alone.max_by_key(|m| m.block_bytes)?;
    (small.block_bytes < large.block_bytes).then_some([*small, *large])
}

/// Seconds per smallest request, and seconds per byte of the largest.
fn whole_costs([small, large]: [Mix; 2]) -> [f64; 2] {
    [small.seconds, large.seconds / f64::from(large.block_bytes)]
}

/// The four costs, of a read, of a byte read, of a write, of a byte written: each its floor and the
/// exponential of a parameter.
struct Problem<'a> {
    mixes: &'a [Mix],
    duplex: bool,
    floors: Vector4<f64>,
    logs: Vector4<f64>,
}

impl Problem<'_> {
    fn costs(&self) -> Vector4<f64> {
        self.floors + self.logs.map(f64::exp)
    }

    fn rates(&self) -> Rates {
        let costs = self.costs();
        Rates {
            read_iops: 1.0 / costs[0],
            read_bandwidth: 1.0 / costs[1],
            write_iops: 1.0 / costs[2],
            write_bandwidth: 1.0 / costs[3],
            duplex: self.duplex,
        }
    }

    /// How much of each cost a request of the mix has, on average.
    fn parts(&self, mix: &Mix) -> Vector4<f64> {
        let (bytes, reads, writes) = (f64::from(mix.block_bytes), mix.read_share, 1.0 - mix.read_share);
        let parts = Vector4::new(reads, reads * bytes, writes, writes * bytes);
        if !self.duplex {
            return parts;
        }
        // Only the stream that takes longer counts.
        let costs = self.costs();
        let time = |from: usize| parts[from] * costs[from] + parts[from + 1] * costs[from + 1];
        if time(0) >= time(2) {
            Vector4::new(parts[0], parts[1], 0.0, 0.0)
        } else {
            Vector4::new(0.0, 0.0, parts[2], parts[3])
        }
    }
}

impl LeastSquaresProblem<f64, Dyn, Const<4>> for Problem<'_> {
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Const<4>>;
    type ParameterStorage = Owned<f64, Const<4>>;

    fn set_params(&mut self, logs: &Vector4<f64>) {
        self.logs = *logs;
    }

    fn params(&self) -> Vector4<f64> {
        self.logs
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        let costs = self.costs();
        let errors = self.mixes.iter().map(|mix| (self.parts(mix).dot(&costs) / mix.seconds).ln());
        Some(DVector::from_iterator(self.mixes.len(), errors))
    }

    fn jacobian(&self) -> Option<OMatrix<f64, Dyn, Const<4>>> {
        let costs = self.costs();
        let mut jacobian = OMatrix::<f64, Dyn, Const<4>>::zeros(self.mixes.len());
        for (i, mix) in self.mixes.iter().enumerate() {
            let parts = self.parts(mix);
            let slopes = parts.component_mul(&self.logs.map(f64::exp)) / parts.dot(&costs);
            jacobian.set_row(i, &slopes.transpose());
        }
        Some(jacobian)
    }
}

#[cfg(test)]
mod tests {
    use levenberg_marquardt::differentiate_numerically;

    use super::*;

    fn mixes(seconds: impl Fn(f64, f64) -> f64) -> Vec<Mix> {
        let mut mixes = Vec::new();
        for block_bytes in [4096, 262_144] {
            for read_share in [1.0, 0.75, 0.5, 0.25, 0.0] {
                let seconds = seconds(f64::from(block_bytes), read_share);
                mixes.push(Mix { block_bytes, read_share, seconds, seconds_ci: [seconds; 2] });
            }
        }
        mixes
    }

    #[test]
    fn the_derivatives_are_those_of_the_errors() {
        let mixes = mixes(|size, share| share * (1e-5 + size / 5e8) + (1.0 - share) * (3e-5 + size / 4e8));
        for duplex in [false, true] {
            let floors = Vector4::new(1e-6, 1e-11, 2e-6, 2e-11);
            let logs = floors.map(|floor: f64| (7.0 * floor).ln());
            let mut problem = Problem { mixes: &mixes, duplex, floors, logs };
            let numerically = differentiate_numerically(&mut problem).unwrap();
            let difference = problem.jacobian().unwrap() - numerically;
            assert!(difference.amax() < 1e-5, "{duplex}: {difference}");
        }
    }

    #[test]
    fn two_streams_are_believed_only_where_mixes_show_them() {
        let parts =
            |size: f64, share: f64| (share * (1e-5 + size / 5e8), (1.0 - share) * (3e-5 + size / 4e8));
        let sum = mixes(|size, share| parts(size, share).0 + parts(size, share).1);
        let longer = mixes(|size, share| parts(size, share).0.max(parts(size, share).1));
        assert!(!fit(&sum).unwrap().rates.duplex);
        assert!(fit(&longer).unwrap().rates.duplex);
        let alone: Vec<Mix> = longer.into_iter().filter(|m| m.is_share(0.0) || m.is_share(1.0)).collect();
        assert!(!fit(&alone).unwrap().rates.duplex, "nothing tells");
    }

    #[test]
    fn sizes_and_operations_that_are_missing_leave_no_rates() {
        let all = mixes(|size, share| 1e-5 + size / 5e8 * share);
        let without = |keep: fn(&Mix) -> bool| fit(&all.iter().copied().filter(keep).collect::<Vec<_>>());
        assert!(without(|m| m.block_bytes == 4096).is_none());
        assert!(without(|m| !m.is_share(0.0)).is_none());
        assert!(without(|_| false).is_none());
    }
}
