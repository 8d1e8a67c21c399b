//! Numbers as the charts draw them.

pub(super) use leadline_figures::chart::{point, round};

/// A measured value with its 95 % interval: `[x, y, low, high]`.
pub(super) type Measured = (f64, f64, Option<f64>, Option<f64>);

/// A curve: `[x, y]` each.
pub(super) type Line = Vec<(f64, f64)>;
