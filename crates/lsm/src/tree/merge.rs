//! Merging files: their pairs, in the order of keys, cut into new files.

use super::files::{File, Tree};

/// Pairs of a file and of the files of the next level that it overlaps with, in multiples of a full file
/// (`max_compaction_bytes`).
const MOST_OVERLAP: f64 = 25.0;

/// A file that ends where one of the next level does may end at this share of its full size, and at this
/// much more for each end of such a file that it has passed, up to the last
/// (`level_compaction_dynamic_file_size`).
const EARLY_CUT: [f64; 3] = [0.5, 0.05, 0.9];

impl Tree {
    /// The files that merging `inputs` gives. Where pairs replace others, those of two inputs that happen
    /// to have the same key become one: in a range in which they hold shares p and q of the keys, p + q - p
    /// q remain.
    ///
    /// As in RocksDB from 7.8 on, files end where those of the next level, `below`, begin or end, if they
    /// have at least half of their size there: whoever is compacted next then touches fewer files.
    pub(super) fn merged(&mut self, inputs: &[File], below: &[File]) -> Vec<File> {
        // Where a file begins and ends, and what it adds there: pairs per key range, or the logarithm of the
        // share of keys that it does not have.
        let mut ends: Vec<(f64, f64)> = Vec::with_capacity(2 * (inputs.len() + below.len()));
        for file in inputs {
            let width = (file.high - file.low).max(1e-15);
            let adds = if self.replaces {
                (1.0 - file.pairs / width / self.keys).max(1e-9).ln()
            } else {
                file.pairs / width
            };
            ends.push((file.low, adds));
            ends.push((file.high, -adds));
        }
        for file in below {
            ends.push((file.low, 0.0));
            ends.push((file.high, 0.0));
        }
        // Most of them are in order already, which the stable sort makes use of.
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut cut = Cut {
            // What is not in the last level may become twice as large, if nothing ends there before.
            most: if below.is_empty() { self.file_pairs } else { 2.0 * self.file_pairs },
            full: self.file_pairs,
            files: Vec::new(),
            open: None,
        };
        let mut sum = 0.0;
        let mut below = below.iter().peekable();
        for (i, &(at, adds)) in ends.iter().enumerate() {
            sum += adds;
            if adds == 0.0 {
                let overlap = below.next_if(|f| f.low == at).map_or(0.0, |f| f.pairs);
                cut.boundary(overlap);
            }
            let Some(&(next, _)) = ends.get(i + 1) else { break };
            let density = if self.replaces { (1.0 - sum.exp()) * self.keys } else { sum };
            // What remains of a sum after all it was made of is taken away again is rounding.
            let pairs = density * (next - at);
            if next > at && pairs > 1e-6 {
                cut.segment(at, next, pairs);
            }
        }
        cut.end();
        let pieces = cut.files;
        pieces.into_iter().map(|(low, high, pairs)| self.file(low, high, pairs)).collect()
    }
}

/// Cuts a stream of pairs into files.
struct Cut {
    /// Pairs of a full file, and of the largest.
    full: f64,
    most: f64,
    /// First key, last key and pairs of each.
    files: Vec<(f64, f64, f64)>,
    open: Option<Open>,
}

/// The file being written.
#[derive(Clone, Copy)]
struct Open {
    first: f64,
    last: f64,
    pairs: f64,
    /// Ends of files of the next level that it has passed, and the pairs of those that it overlaps with.
    passed: u32,
    overlap: f64,
}

impl Cut {
    /// `pairs` evenly over `low` to `high`.
    fn segment(&mut self, mut low: f64, high: f64, mut pairs: f64) {
        loop {
            let mut open =
                self.open.unwrap_or(Open { first: low, last: low, pairs: 0.0, passed: 0, overlap: 0.0 });
            let room = self.most - open.pairs;
            if pairs < room {
                (open.last, open.pairs) = (high, open.pairs + pairs);
                self.open = Some(open);
                return;
            }
            // Never beyond the segment, not by rounding either: another file may begin there.
            let middle = (low + (high - low) * room / pairs).min(high);
            self.files.push((open.first, middle, self.most));
            self.open = None;
            pairs -= room;
            low = middle;
            if pairs <= 1e-6 {
                return;
            }
        }
    }

    /// A file of the next level begins or ends here; `overlap` are the pairs of one that begins.
    fn boundary(&mut self, overlap: f64) {
        let Some(open) = &mut self.open else { return };
        open.passed += 1;
        open.overlap += overlap;
        let [first, each, last] = EARLY_CUT;
        let enough = (first + each * f64::from(open.passed)).min(last) * self.full;
        if open.pairs >= enough || open.pairs + open.overlap > MOST_OVERLAP * self.full {
            self.end();
        }
    }

    fn end(&mut self) {
        self.files.extend(self.open.take().map(|open| (open.first, open.last, open.pairs)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    fn tree(full: f64) -> Tree {
        Tree::new(&Layout::default(), 1000.0, full, 1e9)
    }

    fn file(low: f64, high: f64, pairs: f64) -> File {
        File { low, high, pairs, id: 0, busy: false, overlap: -1.0 }
    }

    #[test]
    fn merging_keeps_every_pair_and_cuts_full_files() {
        let merged =
            tree(30.0).merged(&[file(0.0, 1.0, 50.0), file(0.2, 0.4, 40.0), file(0.8, 1.0, 10.0)], &[]);
        assert!((merged.iter().map(|f| f.pairs).sum::<f64>() - 100.0).abs() < 1e-6);
        assert_eq!(merged.iter().filter(|f| (f.pairs - 30.0).abs() < 1e-6).count(), 3);
        assert!(merged.windows(2).all(|w| w[0].high <= w[1].low), "{merged:?}");
        assert_eq!((merged[0].low, merged.last().unwrap().high), (0.0, 1.0));
        // 0.2 x 50 pairs before 0.2, then 250 pairs per unit: the first file ends where it holds 30.
        assert!((merged[0].high - 0.28).abs() < 1e-9, "{merged:?}");
    }

    #[test]
    fn a_gap_between_inputs_has_no_pairs() {
        let merged = tree(10.0).merged(&[file(0.0, 0.1, 10.0), file(0.5, 0.6, 10.0)], &[]);
        assert_eq!(merged.len(), 2);
        assert!((merged[0].high - 0.1).abs() < 1e-9 && (merged[1].low - 0.5).abs() < 1e-9);
    }

    #[test]
    fn pairs_with_the_same_key_become_one_where_they_replace_each_other() {
        let mut tree = tree(1e9);
        tree.replace_from_now_on();
        let merged = tree.merged(&[file(0.0, 1.0, 500.0), file(0.0, 1.0, 100.0)], &[]);
        assert!((merged[0].pairs - 550.0).abs() < 1e-6, "{merged:?}");
        let merged = tree.merged(&[file(0.0, 1.0, 1000.0), file(0.0, 1.0, 100.0)], &[]);
        assert!((merged[0].pairs - 1000.0).abs() < 0.1, "{merged:?}");
    }

    #[test]
    fn files_end_where_those_of_the_next_level_do_once_they_are_half_full() {
        let below = [file(0.0, 0.3, 30.0), file(0.3, 0.6, 30.0), file(0.6, 1.0, 30.0)];
        let merged = tree(30.0).merged(&[file(0.0, 1.0, 70.0)], &below);
        let highs: Vec<f64> = merged.iter().map(|f| (f.high * 100.0).round() / 100.0).collect();
        // 21 pairs at 0.3 are more than half of 30; so are 21 at 0.6; the rest is 28.
        assert_eq!(highs, [0.3, 0.6, 1.0]);
        // Ten pairs at 0.3 are too few: the file goes on, beyond its full size if nothing ends there.
        let merged = tree(30.0).merged(&[file(0.0, 1.0, 34.0)], &below);
        assert_eq!(merged.len(), 2, "{merged:?}");
        assert!((merged[0].high - 0.6).abs() < 1e-9);
    }
}
