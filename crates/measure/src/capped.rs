//! Is the plateau the device's own, or a wall that somebody set?
//!
//! A device of S servers that each take time R reaches S / R; a software limit reaches the same throughput
//! whatever R is. So a cap shows as one wall under different service times: the same requests per second (or
//! bytes per second) at two block sizes, or for reads and writes, flat over the last doublings, with X_max
//! R_1 differing, which no number of servers explains; or as requests held back at depth 1, so that the mean
//! latency stands far above the median.

use leadline_profile::{Capped, Pattern};

use crate::estimate::CurveEstimate;

/// Two walls this near are the same.
const SAME_WALL: f64 = 0.02;

/// Servers that differ by more than this are not the same servers.
const OTHER_SERVERS: f64 = 0.05;

/// Mean / median latency at depth 1 from which requests were held back.
const HELD_BACK: f64 = 1.5;

/// Whether the curves of `pattern` at `block_bytes` end at a cap. `Unknown` with one block size, while a
/// curve still grows, and where the same wall could as well be the same servers.
pub fn capped(estimates: &[CurveEstimate], pattern: Pattern, block_bytes: u32) -> Capped {
    let verdicts: Vec<Capped> = estimates
        .iter()
        .filter(|e| e.id.pattern == pattern && e.id.block_bytes == block_bytes && !e.id.durable)
        .map(|curve| curve_capped(curve, estimates))
        .collect();
    if verdicts.contains(&Capped::Yes) {
        Capped::Yes
    } else if verdicts.is_empty() || verdicts.contains(&Capped::Unknown) {
        Capped::Unknown
    } else {
        Capped::No
    }
}

fn curve_capped(curve: &CurveEstimate, estimates: &[CurveEstimate]) -> Capped {
    if curve.fit.still_grows() {
        return Capped::Unknown;
    }
    let sizes: Vec<&CurveEstimate> = estimates
        .iter()
        .filter(|e| e.id.op == curve.id.op && e.id.pattern == curve.id.pattern && !e.id.durable)
        .filter(|e| e.id.block_bytes != curve.id.block_bytes && !e.fit.still_grows())
        .collect();
    if sizes.is_empty() {
        return Capped::Unknown;
    }
    if !curve.fit.flat_at_end() {
        return Capped::No;
    }
    let walls: Vec<&&CurveEstimate> =
        sizes.iter().filter(|other| other.fit.flat_at_end() && same_wall(curve, other)).collect();
    if walls.is_empty() {
        return Capped::No;
    }
    // The same wall for the other operation, too, where that has another service time.
    let other_op = estimates.iter().filter(|e| {
        e.id.op != curve.id.op
            && e.id.pattern == curve.id.pattern
            && e.id.block_bytes == curve.id.block_bytes
            && !e.id.durable
    });
    let same_for_both =
        other_op.filter(|e| e.fit.flat_at_end() && near(curve.fit.plateau, e.fit.plateau, SAME_WALL));
    let explained = walls.into_iter().copied().chain(same_for_both).all(|other| same_servers(curve, other));
    if explained && !held_back(curve) { Capped::Unknown } else { Capped::Yes }
}

/// The same requests per second, or the same bytes per second.
fn same_wall(a: &CurveEstimate, b: &CurveEstimate) -> bool {
    let bytes = |e: &CurveEstimate| e.fit.plateau * f64::from(e.id.block_bytes);
    near(a.fit.plateau, b.fit.plateau, SAME_WALL) || near(bytes(a), bytes(b), SAME_WALL)
}

fn same_servers(a: &CurveEstimate, b: &CurveEstimate) -> bool {
    match (a.little(), b.little()) {
        (Some(a), Some(b)) => near(a, b, OTHER_SERVERS),
        _ => true,
    }
}

fn held_back(curve: &CurveEstimate) -> bool {
    match (curve.latency_one, curve.median_one) {
        (Some(mean), Some(median)) => mean > HELD_BACK * median,
        _ => false,
    }
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a / b).max(b / a) <= 1.0 + tolerance
}
