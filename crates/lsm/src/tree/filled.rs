//! A tree that is full from the start, for data too large to be loaded pair by pair.

use super::files::Tree;

impl Tree {
    /// Puts `pairs` into an empty tree: every level from the first one on as full as its limit allows, and
    /// the rest into the last one that is needed. Files are full and lie side by side over all keys.
    pub(crate) fn fill(&mut self, pairs: f64) {
        let last = self.levels.len() - 1;
        self.totals[last] = pairs;
        self.limits.follow(&self.totals);
        self.totals[last] = 0.0;
        let mut left = pairs;
        self.idle = false;
        for level in self.limits.base_level..=last {
            let here = self.limits.target(level).min(left);
            let files = (here / self.file_pairs).ceil();
            for i in 0..files as u64 {
                let file = self.file(i as f64 / files, (i + 1) as f64 / files, here / files);
                self.levels[level].push(file);
            }
            self.totals[level] = here;
            left -= here;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    fn filled(layout: &Layout, pairs: f64) -> Vec<(usize, f64)> {
        let mut tree = Tree::new(layout, pairs, 10.0, 100.0);
        tree.fill(pairs);
        assert!(tree.pending_pairs() < 1e-6, "nothing is above its limit");
        tree.files_by_level()
    }

    #[test]
    fn levels_are_at_their_limits_and_the_last_has_the_rest() {
        let layout = Layout { fanout: 4.0, levels: 7, ..Layout::default() };
        let none = (0, 0.0);
        let wanted = [none, (10, 100.0), (40, 400.0), (26, 255.0), none, none, none];
        assert_eq!(filled(&layout, 755.0), wanted);
        assert_eq!(filled(&layout.single_level(1), 755.0), [none, (76, 755.0)]);
    }

    #[test]
    fn dynamic_levels_are_filled_up_from_the_last() {
        let layout = Layout { fanout: 10.0, levels: 4, dynamic_levels: true, ..Layout::default() };
        let found = filled(&layout, 5000.0);
        assert_eq!((found[1].1, found[2].1, found[3].1), (50.0, 500.0, 4450.0));
    }
}
