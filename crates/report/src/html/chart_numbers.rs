//! Numbers as the charts draw them.

/// A measured value with its 95 % interval: `[x, y, low, high]`.
pub(super) type Measured = (f64, f64, Option<f64>, Option<f64>);

/// A curve: `[x, y]` each.
pub(super) type Line = Vec<(f64, f64)>;

/// What a chart can draw: both numbers finite, the second positive (and rounded).
pub(super) fn point(x: f64, y: f64) -> Option<(f64, f64)> {
    (x.is_finite() && y.is_finite() && y > 0.0).then(|| (x, round(y)))
}

/// Five significant digits: a chart shows no more, and a page should not carry them.
pub(super) fn round(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(4 - value.abs().log10().floor() as i32);
    if scale.is_finite() && scale > 0.0 { (value * scale).round() / scale } else { value }
}
