//! How large each level may become.

use crate::Layout;

/// Targets of the levels, in pairs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Limits {
    fanout: f64,
    base: f64,
    dynamic: bool,
    /// The level into which level 0 is compacted.
    pub(super) base_level: usize,
    /// Per level; level 0 has none, nor has the last.
    targets: Vec<f64>,
}

impl Limits {
    pub(super) fn new(layout: &Layout, base: f64) -> Self {
        let levels = layout.levels.max(2) as usize;
        let mut limits = Limits {
            fanout: layout.fanout.max(1.0),
            base,
            dynamic: layout.dynamic_levels,
            base_level: 1,
            targets: vec![f64::INFINITY; levels],
        };
        if limits.dynamic {
            limits.follow(&vec![0.0; levels]);
        } else {
            limits.set(1, base);
        }
        limits
    }

    fn set(&mut self, base_level: usize, base: f64) {
        let last = self.targets.len() - 1;
        self.base_level = base_level;
        for level in 0..last {
            let above = level as i32 - base_level as i32;
            self.targets[level] =
                if level < base_level { f64::INFINITY } else { base * self.fanout.powi(above) };
        }
        self.targets[last] = f64::INFINITY;
    }

    /// With dynamic sizes, the targets follow the last level: each level is the next one over the fanout, and
    /// the first that would be no larger than the base is the one into which level 0 is compacted.
    pub(super) fn follow(&mut self, pairs: &[f64]) {
        if !self.dynamic {
            return;
        }
        let last = self.targets.len() - 1;
        let largest = pairs[1..].iter().copied().fold(0.0, f64::max);
        let (mut level, mut size) = (last, largest);
        while level > 1 && size > self.base {
            size /= self.fanout;
            level -= 1;
        }
        // Levels that are not empty stay in use until they are drained.
        let used = (1..=last).find(|&l| pairs[l] > 0.0).unwrap_or(last);
        if used < level {
            size /= self.fanout.powi((level - used) as i32);
            level = used;
        }
        self.set(level, size.max(self.base / self.fanout));
    }

    pub(super) fn target(&self, level: usize) -> f64 {
        self.targets[level]
    }

    /// Pairs to be compacted until all is within the limits (`EstimateCompactionBytesNeeded`).
    pub(super) fn pending(&self, pairs: &[f64], l0_due: bool) -> f64 {
        let (mut pending, mut moved) = (0.0, 0.0);
        if l0_due {
            moved = pairs[0];
            pending += pairs[0] + pairs[self.base_level];
        }
        for level in self.base_level..pairs.len() - 1 {
            let size = pairs[level] + moved;
            moved = (size - self.targets[level]).max(0.0);
            if moved > 0.0 {
                pending += moved * (1.0 + pairs[level + 1] / size);
            }
        }
        pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_grow_by_the_fanout_and_the_last_has_no_limit() {
        let layout = Layout { fanout: 4.0, levels: 4, ..Layout::default() };
        let limits = Limits::new(&layout, 100.0);
        assert_eq!((1..4).map(|l| limits.target(l)).collect::<Vec<_>>(), [100.0, 400.0, f64::INFINITY]);
        assert_eq!(limits.base_level, 1);
    }

    #[test]
    fn dynamic_sizes_are_computed_up_from_the_last_level() {
        let layout = Layout { fanout: 10.0, levels: 7, dynamic_levels: true, ..Layout::default() };
        let mut limits = Limits::new(&layout, 100.0);
        assert_eq!(limits.base_level, 6);
        limits.follow(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5000.0]);
        assert_eq!((limits.base_level, limits.target(4), limits.target(5)), (4, 50.0, 500.0));
    }

    #[test]
    fn what_is_above_its_limit_is_pending_with_its_share_of_the_next_level() {
        let limits = Limits::new(&Layout { fanout: 4.0, levels: 4, ..Layout::default() }, 100.0);
        assert_eq!(limits.pending(&[10.0, 100.0, 400.0, 1000.0], false), 0.0);
        // 50 too many in level 1, each with 400 / 150 of level 2; then the same 50 in level 2.
        let wanted = 50.0 * (1.0 + 400.0 / 150.0) + 50.0 * (1.0 + 1000.0 / 450.0);
        assert!((limits.pending(&[0.0, 150.0, 400.0, 1000.0], false) - wanted).abs() < 1e-9);
    }
}
