//! What a profile says, in the numbers that rules ask for: each with its interval, or with the experiment
//! that would measure it.

use leadline_model::Estimate;
use leadline_profile::{DeviceProfile, InterleavingPoint, OpKind, Parameters, Pattern, Point};

/// A profile, as rules ask it.
#[derive(Debug, Clone, Copy)]
pub struct Drive<'a> {
    profile: &'a DeviceProfile,
}

/// Something that the profile does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmeasured {
    /// Name of the experiment that measures it; `profile` for `leadline profile` itself.
    pub experiment: &'static str,
    /// What is missing, and the command that measures it.
    pub reason: String,
}

impl Unmeasured {
    /// What is missing, and the experiment that measures it.
    pub fn experiment(experiment: &'static str, what: &str) -> Self {
        let target = "TARGET --into PROFILE";
        Unmeasured {
            experiment,
            reason: format!("needs {what}; run leadline experiment {experiment} {target}"),
        }
    }

    /// What is missing of the profile's own points, and the block size that they need.
    pub fn points(what: &str, block_bytes: u32) -> Self {
        let size = format!("{}K", block_bytes / 1024);
        // The default sizes are measured by leadline profile alone, but this profile may have others: the
        // size has to be named either way.
        let sizes = if [4096, 8192].contains(&block_bytes) {
            "--block-size 4K,8K".to_owned()
        } else {
            format!("--block-size 4K,8K,{size}")
        };
        let reason = format!("needs {what} of {size}; run leadline profile TARGET {sizes}");
        Unmeasured { experiment: "profile", reason }
    }
}

impl<'a> Drive<'a> {
    /// What `profile` says.
    pub fn new(profile: &'a DeviceProfile) -> Self {
        Drive { profile }
    }

    /// The profile itself: facts and experiments.
    pub fn profile(&self) -> &'a DeviceProfile {
        self.profile
    }

    /// Whether it is known to be a spinning disk: the kernel's word for a virtual disk is no knowledge.
    pub fn is_rotational(&self) -> bool {
        self.profile.device.spins() == Some(true)
    }

    /// Points of one curve, ascending in concurrency.
    pub fn curve(&self, op: OpKind, pattern: Pattern, block_bytes: u32, durable: bool) -> Vec<&'a Point> {
        let is_of = |p: &&Point| {
            p.op == op && p.pattern == pattern && p.block_bytes == block_bytes && p.durable == durable
        };
        let mut curve: Vec<&Point> = self.profile.points.iter().filter(is_of).collect();
        curve.sort_by_key(|point| point.concurrency);
        curve
    }

    /// Reads to keep in flight: where throughput reaches 90 % of its plateau (`k_r_90`).
    pub fn reads_in_flight(&self, pattern: Pattern, block_bytes: u32) -> Result<Estimate, Unmeasured> {
        let missing = || Unmeasured::points("throughput over reads in flight", block_bytes);
        let entry = self.parameters(pattern, block_bytes).ok_or_else(missing)?;
        let k = entry.advised_reads().ok_or_else(missing)?;
        let ci = if entry.k_r_90.is_some() { entry.k_r_90_ci } else { entry.k_r_ci };
        Ok(in_flight(k, ci))
    }

    /// Writes to keep in flight: where throughput reaches 90 % of its plateau (`k_w_90`).
    pub fn writes_in_flight(&self, pattern: Pattern, block_bytes: u32) -> Result<Estimate, Unmeasured> {
        let missing = || Unmeasured::points("throughput over writes in flight", block_bytes);
        let entry = self.parameters(pattern, block_bytes).ok_or_else(missing)?;
        let k = entry.advised_writes().ok_or_else(missing)?;
        let ci = if entry.k_w_90.is_some() { entry.k_w_90_ci } else { entry.k_w_ci };
        Ok(in_flight(k, ci))
    }

    /// Operations per second with `k` requests in flight: between two measured points along a straight line
    /// on logarithmic axes, beyond the last as at the last.
    pub fn throughput(
        &self,
        op: OpKind,
        pattern: Pattern,
        block_bytes: u32,
        k: f64,
    ) -> Result<Estimate, Unmeasured> {
        let curve = self.curve(op, pattern, block_bytes, false);
        let what = match op {
            OpKind::Read => "throughput of reads",
            OpKind::Write => "throughput of writes",
        };
        let missing = || Unmeasured::points(what, block_bytes);
        let above = curve.iter().position(|point| f64::from(point.concurrency) >= k);
        let (below, above) = match above {
            None => (curve.last(), curve.last()),
            Some(0) => (curve.first(), curve.first()),
            Some(at) => (curve.get(at - 1), curve.get(at)),
        };
        let (Some(below), Some(above)) = (below, above) else { return Err(missing()) };
        let (k0, k1) = (f64::from(below.concurrency), f64::from(above.concurrency));
        let share = if k1 > k0 { (k.max(1.0) / k0).ln() / (k1 / k0).ln() } else { 0.0 };
        let between = |of: &dyn Fn(&Point) -> f64| of(below).powf(1.0 - share) * of(above).powf(share);
        let end = |at: usize| between(&|point| point.iops_ci.map_or(point.iops, |ci| ci[at]));
        Ok(Estimate::of(between(&|point| point.iops), [end(0), end(1)]))
    }

    /// The plateau of one curve, operations per second.
    pub fn plateau(&self, op: OpKind, pattern: Pattern, block_bytes: u32) -> Result<Estimate, Unmeasured> {
        let what = match op {
            OpKind::Read => "the most that reads do",
            OpKind::Write => "the most that writes do",
        };
        let found = self.parameters(pattern, block_bytes).map(|entry| match op {
            OpKind::Read => (entry.max_read_iops, entry.max_read_iops_ci),
            OpKind::Write => (entry.max_write_iops, entry.max_write_iops_ci),
        });
        let Some((Some(iops), ci)) = found else { return Err(Unmeasured::points(what, block_bytes)) };
        Ok(Estimate::of(iops, ci.unwrap_or([iops; 2])))
    }

    /// Bytes per second of requests of `block_bytes`, `k` in flight; by `interleaving`, whose concurrencies
    /// and sizes are powers of two up to 256 and 256K.
    pub fn bandwidth(
        &self,
        op: OpKind,
        pattern: Pattern,
        block_bytes: u32,
        k: u32,
    ) -> Result<Estimate, Unmeasured> {
        let missing = || Unmeasured::experiment("interleaving", "bandwidth over the size of requests");
        let found = self.profile.experiments.interleaving.as_ref().ok_or_else(missing)?;
        let is_it = |point: &&InterleavingPoint| {
            (point.op, point.pattern, point.block_bytes, point.concurrency) == (op, pattern, block_bytes, k)
        };
        let point = found.points.iter().find(is_it).ok_or_else(missing)?;
        let bandwidth = point.bandwidth_bytes;
        Ok(Estimate::of(bandwidth, point.bandwidth_ci.unwrap_or([bandwidth; 2])))
    }

    /// The sustained write rate, bytes per second: by `sustained`, not the profile's plateau, which may be a
    /// burst.
    pub fn sustained_writes(&self, pattern: Pattern) -> Result<Estimate, Unmeasured> {
        let missing = || Unmeasured::experiment("sustained", "the sustained write rate");
        let found = self.profile.experiments.sustained.as_ref().ok_or_else(missing)?;
        let load = found.loads.iter().find(|load| load.pattern == pattern).ok_or_else(missing)?;
        let bandwidth = load.sustained_bytes_per_second;
        Ok(Estimate::of(bandwidth, load.sustained_ci.unwrap_or([bandwidth; 2])))
    }

    /// The rate of random writes of `page_bytes` that lasts, bytes per second: the sustained one, but no more
    /// requests than a volume allows that has spent its burst credit ([`Drive::baseline`]), which `sustained`
    /// may end too early to meet.
    ///
    /// # Errors
    /// [`Unmeasured`] without the experiment `sustained`.
    pub fn lasting_random_writes(&self, page_bytes: u32) -> Result<Estimate, Unmeasured> {
        let sustained = self.sustained_writes(Pattern::Random)?;
        let most = self.baseline().map_or(f64::INFINITY, |baseline| baseline * f64::from(page_bytes));
        Ok(Estimate { value: sustained.value.min(most), ci: sustained.ci.map(|end| end.min(most)) })
    }

    /// The plateau of durable writes, operations per second; `None` where none were measured. Its interval is
    /// `None` where the profile has none.
    pub fn durable_plateau(&self, pattern: Pattern, block_bytes: u32) -> Option<(f64, Option<[f64; 2]>)> {
        let entry = self.parameters(pattern, block_bytes)?;
        Some((entry.max_durable_write_iops?, entry.max_durable_write_iops_ci))
    }

    /// Requests per second that a volume with burst credit allows when the credit is spent; `None` where
    /// `burst` was not run or found no such limit.
    pub fn baseline(&self) -> Option<f64> {
        self.profile.experiments.burst.as_ref()?.baseline_iops
    }

    fn parameters(&self, pattern: Pattern, block_bytes: u32) -> Option<&'a Parameters> {
        let is_of = |entry: &&Parameters| entry.pattern == pattern && entry.block_bytes == block_bytes;
        self.profile.parameters.iter().find(is_of)
    }
}

fn in_flight(k: u32, ci: Option<[u32; 2]>) -> Estimate {
    let k = f64::from(k);
    Estimate::of(k, ci.map_or([k; 2], |ci| ci.map(f64::from)))
}
