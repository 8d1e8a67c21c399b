//! What a block cache holds: Che's approximation of LRU (IEEE JSAC 20(7), 2002).
//!
//! A block that is asked for at rate q is found if it was asked for within the last T, where T is such that
//! the cache is full: hit = 1 - exp(-q T). Blocks of the same run are asked for alike.

/// Blocks that are asked for alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Class {
    /// How many there are.
    pub(crate) blocks: f64,
    /// How often one of them is asked for, per operation.
    pub(crate) rate: f64,
}

/// The share of hits of each class in a cache of this many blocks.
pub(crate) fn hits(classes: &[Class], cache_blocks: f64) -> Vec<f64> {
    let asked = |class: &&Class| class.blocks > 0.0 && class.rate > 0.0;
    if classes.iter().filter(asked).map(|c| c.blocks).sum::<f64>() <= cache_blocks {
        return classes.iter().map(|_| 1.0).collect();
    }
    let hit = |class: &Class, time: f64| {
        if class.blocks > 0.0 { 1.0 - (-class.rate / class.blocks * time).exp() } else { 1.0 }
    };
    let held = |time: f64| classes.iter().filter(asked).map(|c| c.blocks * hit(c, time)).sum::<f64>();
    // The time after which the cache is full, in operations: by bisection of its logarithm.
    let (mut low, mut high) = (1e-9f64, 1e18f64);
    for _ in 0..120 {
        let middle = (low * high).sqrt();
        if held(middle) < cache_blocks {
            low = middle;
        } else {
            high = middle;
        }
    }
    classes.iter().map(|class| if cache_blocks > 0.0 { hit(class, low) } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_always_found_and_nothing_is_found_without_a_cache() {
        let class = Class { blocks: 10.0, rate: 1.0 };
        assert_eq!(hits(&[class], 10.0), [1.0]);
        assert_eq!(hits(&[class], 0.0), [0.0]);
    }

    #[test]
    fn blocks_that_are_asked_for_alike_are_found_in_proportion_to_the_cache() {
        let found = hits(&[Class { blocks: 1000.0, rate: 1.0 }], 100.0)[0];
        assert!((found - 0.1).abs() < 1e-6, "{found}");
    }

    #[test]
    fn a_small_busy_run_stays_in_the_cache_and_a_large_one_does_not() {
        let small = Class { blocks: 50.0, rate: 1.0 };
        let large = Class { blocks: 100_000.0, rate: 1.0 };
        let found = hits(&[small, large], 200.0);
        assert!(found[0] > 0.75 && found[1] < 0.01, "{found:?}");
    }
}
