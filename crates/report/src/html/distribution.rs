//! Latency histograms as curves.

use leadline_profile::Bin;

use super::chart_numbers::round;

/// The complementary distribution in at most about `most` points, evenly spread along the drawn curve.
pub(super) fn slower_than(histogram: &[Bin], most: usize) -> Vec<(f64, f64)> {
    let total: u64 = histogram.iter().map(|bin| bin.count).sum();
    if total == 0 {
        return Vec::new();
    }
    let mut left = total;
    let curve: Vec<(f64, f64)> = histogram
        .iter()
        .map(|bin| {
            left = left.saturating_sub(bin.count);
            (bin.upper_us, left as f64 / total as f64)
        })
        .collect();
    // Drawn log against log: a step there is a distance in decades.
    let place = |(us, share): (f64, f64)| (us.max(1e-3).log10(), share.max(0.5 / total as f64).log10());
    let step = |a, b| {
        let ((x0, y0), (x1, y1)) = (place(a), place(b));
        f64::hypot(x1 - x0, y1 - y0)
    };
    let length: f64 = curve.windows(2).map(|pair| step(pair[0], pair[1])).sum();
    let stride = length / most.max(2) as f64;
    let mut thinned = vec![curve[0]];
    let mut walked = 0.0;
    for pair in curve.windows(2) {
        walked += step(pair[0], pair[1]);
        if walked >= stride {
            thinned.push(pair[1]);
            walked = 0.0;
        }
    }
    if thinned.last() != curve.last() {
        thinned.extend(curve.last());
    }
    thinned.into_iter().map(|(us, share)| (round(us), round(share))).collect()
}
