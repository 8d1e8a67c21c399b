//! The non-decreasing curve nearest to noisy points.

/// Weighted isotonic regression (pool adjacent violators): the non-decreasing values nearest by least squares
/// to `points`, each a value and its weight, above 0.
///
/// ```
/// let fit = leadline_model::monotone([(1.0, 1.0), (4.0, 1.0), (2.0, 3.0), (5.0, 1.0)]);
/// assert_eq!(fit, [1.0, 2.5, 2.5, 5.0]);
/// ```
pub fn monotone(points: impl IntoIterator<Item = (f64, f64)>) -> Vec<f64> {
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (value, weight) in points {
        let mut block = (value, weight, 1);
        while let Some(&(mean, weight, count)) = blocks.last() {
            if mean <= block.0 {
                break;
            }
            let total = weight + block.1;
            block = ((mean * weight + block.0 * block.1) / total, total, count + block.2);
            blocks.pop();
        }
        blocks.push(block);
    }
    blocks.iter().flat_map(|&(mean, _, count)| std::iter::repeat_n(mean, count)).collect()
}
