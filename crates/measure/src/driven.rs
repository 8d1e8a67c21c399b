//! A curve with what drives it.

use leadline_device::format_size;
use leadline_model::{OpKind, Pattern, Slice};

use crate::curve::{Curve, CurveId, PointData};
use crate::fit::CurvePoint;
use crate::load::{AddressStream, Recorder, Spread, Workload};

/// One curve with what drives it.
pub(crate) struct Driven {
    pub(crate) curve: Curve,
    pub(crate) streams: Vec<AddressStream>,
    /// What the search saw.
    pub(crate) searched: Vec<CurvePoint>,
    /// What every epoch measures.
    pub(crate) grid: Vec<u32>,
    /// Slices of the search, kept in case nothing else comes.
    pub(crate) found: Vec<(u32, Slice, Recorder)>,
}

impl Driven {
    /// The curve; where no epoch reached it, with what the search saw.
    pub(crate) fn into_curve(mut self) -> Curve {
        if self.curve.points.values().all(|data| data.slices.is_empty()) {
            self.curve.points.clear();
            for (k, slice, latencies) in self.found {
                if slice.ops > 0 {
                    let data = PointData { slices: vec![slice], latencies, cpu_seconds: None };
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
