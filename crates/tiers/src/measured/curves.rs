//! What was measured: how long requests of each kind and size take with that many in flight.

use leadline_profile::{DeviceProfile, OpKind, Pattern, Point};

/// Why a profile makes no device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeasuredError {
    /// It has no read points.
    #[error("has no measured reads; measure the device again with leadline profile")]
    NoReads,
}

/// What a request is, as far as its time depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    pub(super) op: OpKind,
    pub(super) pattern: Pattern,
    pub(super) durable: bool,
}

/// The curves of all kinds.
pub(super) struct Curves {
    /// Of each kind that was measured.
    grids: Vec<(Kind, Grid)>,
}

/// The curves of one kind: for each size, ascending, throughput over concurrency.
struct Grid {
    sizes: Vec<(f64, Curve)>,
}

/// Requests in flight, ascending, and requests per second.
type Curve = Vec<(f64, f64)>;

impl Curves {
    /// Of a profile's points.
    pub(super) fn new(profile: &DeviceProfile) -> Result<Curves, MeasuredError> {
        let mut curves = Curves { grids: Vec::new() };
        for point in profile.points.iter().filter(|point| point.iops.is_finite() && point.iops > 0.0) {
            curves.add(point);
        }
        for (_, grid) in &mut curves.grids {
            grid.sizes.sort_by(|one, other| one.0.total_cmp(&other.0));
            grid.sizes
                .iter_mut()
                .for_each(|(_, curve)| curve.sort_by(|one, other| one.0.total_cmp(&other.0)));
        }
        if curves.has(OpKind::Read, false) { Ok(curves) } else { Err(MeasuredError::NoReads) }
    }

    fn add(&mut self, point: &Point) {
        let kind = Kind { op: point.op, pattern: point.pattern, durable: point.durable };
        let (bytes, k) = (f64::from(point.block_bytes), f64::from(point.concurrency.max(1)));
        if !self.grids.iter().any(|(known, _)| *known == kind) {
            self.grids.push((kind, Grid { sizes: Vec::new() }));
        }
        let Some((_, grid)) = self.grids.iter_mut().find(|(known, _)| *known == kind) else { return };
        match grid.sizes.iter_mut().find(|(size, _)| *size == bytes) {
            Some((_, curve)) if curve.iter().any(|(known, _)| *known == k) => {}
            Some((_, curve)) => curve.push((k, point.iops)),
            None => grid.sizes.push((bytes, vec![(k, point.iops)])),
        }
    }

    /// Whether requests of this operation were measured, durable ones or others.
    pub(super) fn has(&self, op: OpKind, durable: bool) -> bool {
        self.grids.iter().any(|(kind, _)| kind.op == op && kind.durable == durable)
    }

    /// The kind that stands for a kind: itself where it was measured; then the other pattern, then writes
    /// that are not durable, then reads.
    pub(super) fn measured(&self, kind: Kind) -> Kind {
        let other = match kind.pattern {
            Pattern::Random => Pattern::Sequential,
            Pattern::Sequential => Pattern::Random,
        };
        let ways = [(kind.op, kind.durable), (kind.op, false), (OpKind::Read, false)];
        let kinds = ways
            .into_iter()
            .flat_map(|(op, durable)| [kind.pattern, other].map(|pattern| Kind { op, pattern, durable }));
        let known = |wanted: &Kind| self.grids.iter().any(|(kind, _)| kind == wanted);
        kinds.into_iter().find(known).unwrap_or(kind)
    }

    /// Nanoseconds that a request of a measured kind takes while `k` are in flight all the time.
    pub(super) fn request_ns(&self, kind: Kind, len: u32, k: u32) -> f64 {
        let grid = self.grids.iter().find(|(known, _)| *known == kind).map(|(_, grid)| grid);
        // Every kind that is asked for was measured.
        grid.map_or(f64::INFINITY, |grid| grid.request_ns(f64::from(len), f64::from(k)))
    }
}

impl Grid {
    fn request_ns(&self, bytes: f64, k: f64) -> f64 {
        let ns = |(_, curve): &(f64, Curve)| k / iops(curve, k) * 1e9;
        let above = self.sizes.partition_point(|(size, _)| *size < bytes);
        match (above.checked_sub(1).map(|at| &self.sizes[at]), self.sizes.get(above)) {
            (_, Some(exact)) if exact.0 == bytes => ns(exact),
            (None, Some(smallest)) => ns(smallest),
            (Some(small), Some(large)) => {
                let share = (bytes - small.0) / (large.0 - small.0);
                ns(small) + share * (ns(large) - ns(small))
            }
            (Some(largest), None) => {
                let before = self.sizes.len().checked_sub(2).map(|at| &self.sizes[at]);
                let slope = before.map(|before| (ns(largest) - ns(before)) / (largest.0 - before.0));
                // With one size, or where the larger takes no longer, its bandwidth is what is known.
                let slope = slope.filter(|slope| *slope > 0.0).unwrap_or(ns(largest) / largest.0);
                ns(largest) + slope * (bytes - largest.0)
            }
            (None, None) => f64::INFINITY,
        }
    }
}

/// Throughput with `k` in flight: linear between what was measured; below in proportion, above the last.
fn iops(curve: &Curve, k: f64) -> f64 {
    let above = curve.partition_point(|(measured, _)| *measured < k);
    match (above.checked_sub(1).map(|at| curve[at]), curve.get(above)) {
        (None, Some((first, iops))) => iops * k / first,
        (Some((k0, x0)), Some((k1, x1))) => x0 + (k - k0) / (k1 - k0) * (x1 - x0),
        (Some((_, last)), None) => last,
        (None, None) => 0.0,
    }
}
