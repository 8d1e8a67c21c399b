//! Resampling a series whose neighbours are alike.

/// As many samples, in stretches of about the square root of their number.
pub(super) fn resampled<T: Copy>(samples: &[T], random: &mut fastrand::Rng) -> Vec<T> {
    let stretch = ((samples.len() as f64).sqrt().ceil() as usize).max(1);
    let mut again = Vec::with_capacity(samples.len() + stretch);
    while again.len() < samples.len() {
        let start = random.usize(..samples.len() - stretch + 1);
        again.extend_from_slice(&samples[start..start + stretch]);
    }
    again.truncate(samples.len());
    again
}

/// Value at this level (0 to 1) of values that are not empty, the nearest one.
pub(super) fn percentile(values: &mut [f64], level: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[(level * (values.len() - 1) as f64).round() as usize]
}
