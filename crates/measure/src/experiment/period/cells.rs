//! A series of latencies made fit for correlation: without slow changes, in cells, as scores of ranks.

/// Reads over which the typical latency is taken to be constant, at least.
const SHORTEST_STRETCH: usize = 256;

/// Stretches that a long series is divided into.
const STRETCHES: usize = 32;

/// The latencies less what is typical at that time: the median of the stretch round it, between stretches
/// interpolated. So a drive that becomes slower with heat shows no long period.
pub(super) fn levelled(latencies: &[f64]) -> Vec<f64> {
    if latencies.is_empty() {
        return Vec::new();
    }
    let stretch = (latencies.len() / STRETCHES).max(SHORTEST_STRETCH);
    // The last one takes the rest, so that none is short.
    let count = (latencies.len() / stretch).max(1);
    let medians: Vec<(f64, f64)> = (0..count)
        .map(|i| {
            let (begin, end) =
                (i * stretch, if i + 1 == count { latencies.len() } else { (i + 1) * stretch });
            ((begin + end) as f64 / 2.0, quantile(&latencies[begin..end], 0.5))
        })
        .collect();
    let typical = |at: f64| {
        let next = medians.partition_point(|&(middle, _)| middle <= at);
        match (next.checked_sub(1).map(|i| medians[i]), medians.get(next)) {
            (Some((from, low)), Some(&(to, high))) => low + (high - low) * (at - from) / (to - from),
            (Some((_, median)), None) | (None, Some(&(_, median))) => median,
            (None, None) => 0.0,
        }
    };
    latencies.iter().enumerate().map(|(i, us)| us - typical(i as f64)).collect()
}

/// The largest value of each `length` neighbours; a shorter rest at the end is left out.
pub(super) fn maxima(values: &[f64], length: usize) -> Vec<f64> {
    let largest = |cell: &[f64]| cell.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    values.chunks_exact(length).map(largest).collect()
}

/// Savage scores: what is expected of each rank where values are exponential, with mean 0 and variance 1.
/// The upper ranks count most, and none that much that one slow read decides. All 0 where all values are
/// alike.
///
/// Ranks are those within `stretch` neighbours, so that times at which all reads are slower, or vary more,
/// are like the others.
pub(super) fn scores(values: &[f64], stretch: usize) -> Vec<f32> {
    // The last stretch takes the rest, so that none is short.
    let count = (values.len() / stretch.max(1)).max(1);
    let mut scores = Vec::with_capacity(values.len());
    for i in 0..count {
        let end = if i + 1 == count { values.len() } else { (i + 1) * stretch };
        scores.extend(scores_of(&values[i * stretch..end]));
    }
    scores
}

fn scores_of(values: &[f64]) -> impl Iterator<Item = f32> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let n = values.len() as f64;
    let mut scores = vec![0f64; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = (first as f64 + (equal.len() as f64) / 2.0) / n;
        equal.iter().for_each(|&i| scores[i] = -(1.0 - rank).ln());
        first += equal.len();
    }
    let mean = scores.iter().sum::<f64>() / n;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / n;
    let scale = if variance > 1e-12 { 1.0 / variance.sqrt() } else { 0.0 };
    scores.into_iter().map(move |score| ((score - mean) * scale) as f32)
}

/// The value that the share `level` of them does not exceed; `values` is not empty.
pub(in crate::experiment) fn quantile(values: &[f64], level: f64) -> f64 {
    let mut values = values.to_vec();
    let at = ((values.len() - 1) as f64 * level).round() as usize;
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_slowly_is_taken_off_and_what_is_short_stays() {
        let slow = |i: usize| 100.0 + 50.0 * (i as f64 / 20_000.0);
        let series: Vec<f64> = (0..20_000).map(|i| slow(i) + if i % 100 == 0 { 80.0 } else { 0.0 }).collect();
        let levelled = levelled(&series);
        for (i, us) in levelled.iter().enumerate().skip(400).take(19_200) {
            let expected = if i % 100 == 0 { 80.0 } else { 0.0 };
            assert!((us - expected).abs() < 0.1, "{i}: {us}");
        }
        assert!(super::levelled(&[]).is_empty());
        assert_eq!(super::levelled(&[5.0, 7.0, 9.0]), [-2.0, 0.0, 2.0]);
    }

    #[test]
    fn scores_are_by_rank_and_those_of_equals_are_equal() {
        let scores = scores(&[5.0, 1.0, 1.0, 1e9], 4);
        assert_eq!(scores[1], scores[2]);
        assert!(scores[1] < scores[0] && scores[0] < scores[3]);
        let sum: f32 = scores.iter().sum();
        let squares: f32 = scores.iter().map(|s| s * s).sum();
        assert!(sum.abs() < 1e-5 && (squares - 4.0).abs() < 1e-5);
        assert_eq!(super::scores(&[3.0; 5], 5), [0.0; 5]);
        // Each stretch by itself, the last with the rest.
        let two = super::scores(&[1.0, 2.0, 300.0, 200.0, 100.0], 2);
        assert!(two[0] < two[1] && two[2] > two[3] && two[3] > two[4] && two[1] > two[4], "{two:?}");
    }

    #[test]
    fn a_cell_is_as_slow_as_its_slowest() {
        assert_eq!(maxima(&[1.0, 5.0, 2.0, 3.0, 9.0], 2), [5.0, 3.0]);
        assert_eq!(quantile(&[4.0, 1.0, 3.0, 2.0, 5.0], 0.75), 4.0);
    }
}
