//! Whether predicted speed-ups are in the order of the measured ones.

use super::Compared;

/// Pairs of queries whose measured speed-ups differ by more than their runs do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Agreement {
    /// All of them.
    pub pairs: usize,
    /// Those that are predicted in the measured order.
    pub right: usize,
}

/// Of all pairs of queries.
pub fn agreement(compared: &[Compared]) -> Agreement {
    let mut agreement = Agreement::default();
    for (i, a) in compared.iter().enumerate() {
        for b in &compared[i + 1..] {
            let (slower, faster) = match (a.speedup_range(), b.speedup_range()) {
                (of_a, of_b) if of_a[1] < of_b[0] => (a, b),
                (of_a, of_b) if of_b[1] < of_a[0] => (b, a),
                _ => continue,
            };
            agreement.pairs += 1;
            agreement.right += usize::from(slower.predicted_speedup() < faster.predicted_speedup());
        }
    }
    agreement
}
