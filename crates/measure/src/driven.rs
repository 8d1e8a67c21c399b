//! A curve with what drives it.

use leadline_device::format_size;
use leadline_profile::{OpKind, Pattern, Slice};

use crate::curve::{Curve, CurveId, PointData};
use crate::fit::{CurveFit, CurvePoint};
use crate::load::{AddressStream, Recorder, Spread, Workload};

/// One curve with what drives it.
pub(crate) struct Driven {
    pub(crate) curve: Curve,
    pub(crate) streams: Vec<AddressStream>,
    /// What the search saw.
    pub(crate) searched: Vec<CurvePoint>,
    /// What every epoch measures.
    pub(crate) grid: Vec<u32>,
    /// Concurrency from which a point helps to decide the plateau or k.
    pub(crate) decisive_from: u32,
    /// Slices that an epoch gives to a decisive point.
    pub(crate) decisive_slices: u32,
    /// Whether every point is measured only once per epoch, because bytes are short.
    pub(crate) sparing: bool,
    /// Slices of the search, kept in case nothing else comes.
    pub(crate) found: Vec<(u32, Slice, Recorder)>,
}

/// Share of the plateau from which on points help to decide where 90 and 95 % of it are reached.
const DECISIVE: f64 = 0.8;

/// Slices of a decisive point in an epoch, where there is time for them.
pub(crate) const DECISIVE_SLICES: u32 = 2;

impl Driven {
    /// Slices that an epoch gives this point: more where the answer is decided. For durable writes, of which
    /// only the plateau and depth 1 are reported, one is enough everywhere.
    pub(crate) fn slices_at(&self, k: u32) -> u32 {
        if self.sparing || self.curve.id.durable || k < self.decisive_from { 1 } else { self.decisive_slices }
    }

    /// Every point of an epoch, as often as it is measured.
    pub(crate) fn slices(&self) -> impl Iterator<Item = u32> {
        self.grid.iter().flat_map(|&k| std::iter::repeat_n(k, self.slices_at(k) as usize))
    }

    /// Throughput to be expected at `k`, operations per second: as measured, or else as of the next lower
    /// concurrency in proportion, which is never too little on a curve that bends; `None` where nothing lower
    /// was measured.
    pub(crate) fn expected_iops(&self, k: u32) -> Option<f64> {
        let measured = self.curve.points.get(&k).map(PointData::iops).filter(|&iops| iops > 0.0);
        measured.or_else(|| {
            let below = self.searched.iter().rfind(|p| p.k <= k && p.iops > 0.0)?;
            Some(below.iops * f64::from(k) / f64::from(below.k))
        })
    }

    /// Finds out from the points at hand which of them are decisive.
    pub(crate) fn decide(&mut self, points: &[CurvePoint]) {
        if !points.is_empty() {
            self.decisive_from = CurveFit::new(points).bracket(DECISIVE).0;
        }
    }

    /// The curve; where no epoch reached it, with what the search saw.
    pub(crate) fn into_curve(mut self) -> Curve {
        if self.curve.points.values().all(|data| data.slices.is_empty()) {
            self.curve.points.clear();
            for (k, slice, latencies) in self.found {
                if slice.ops > 0 {
                    let data = PointData { slices: vec![slice], latencies, ..PointData::default() };
                    self.curve.points.insert(k, data);
                }
            }
        }
        self.curve
    }
}

pub(crate) fn workload(id: CurveId) -> Workload {
    Workload {
        read_share: if id.op == OpKind::Read { 1.0 } else { 0.0 },
        block_bytes: id.block_bytes,
        random_fraction: if id.pattern == Pattern::Random { 1.0 } else { 0.0 },
        spread: Spread::Uniform,
        durable: id.durable,
    }
}

/// What is running, for the progress bar: `4K random read, k = 32`.
pub(crate) fn describe(id: CurveId, k: u32) -> String {
    let pattern = if id.pattern == Pattern::Random { "random" } else { "sequential" };
    let op = match (id.op, id.durable) {
        (OpKind::Read, _) => "read",
        (OpKind::Write, false) => "write",
        (OpKind::Write, true) => "durable write",
    };
    format!("{} {pattern} {op}, k = {k}", format_size(id.block_bytes.into()))
}
