//! Which nodes are in memory: those used most recently.

use super::Shape;

/// Halvings of the interval that holds the characteristic time: more than a double has bits.
const HALVINGS: usize = 80;

/// The share of accesses to each level that find their node in memory, the root first.
///
/// Memory is one LRU list over all nodes, by Che's approximation (Che, Tung and Wang, IEEE JSAC 2002): a node
/// stays until it was not used for T operations. Of each level's n nodes an operation uses u at random: one,
/// and `leaves_used` of the leaves. So an access to the level finds its node in memory with probability
/// 1 - (1 - u / n)^T, and T is such that the nodes in memory fill it. Upper levels, which have few nodes, are
/// nearly always there.
///
/// `memory_bytes` of 0 holds nothing; one as large as the tree holds all of it.
pub fn resident(shape: &Shape, memory_bytes: u64, leaves_used: f64) -> Vec<f64> {
    let frames = (memory_bytes as f64 / f64::from(shape.node_bytes)).floor();
    if frames >= shape.nodes() {
        return vec![1.0; shape.height()];
    }
    if frames < 1.0 {
        return vec![0.0; shape.height()];
    }
    let used = |level: usize| if level + 1 == shape.height() { leaves_used } else { 1.0 };
    let shares = |time: f64| -> Vec<f64> {
        let at = |(level, nodes): (usize, &f64)| {
            let unused = (1.0 - used(level) / nodes).max(0.0);
            -(time * unused.ln()).exp_m1()
        };
        shape.levels.iter().enumerate().map(at).collect()
    };
    let held = |time: f64| shares(time).iter().zip(&shape.levels).map(|(share, n)| share * n).sum::<f64>();
    // T in powers of two, from one that brings in nothing to one that leaves nothing out.
    let (mut low, mut high) = (-64.0, shape.nodes().log2() + 64.0);
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if held(f64::exp2(middle)) < frames { low = middle } else { high = middle }
    }
    shares(f64::exp2((low + high) / 2.0))
}
