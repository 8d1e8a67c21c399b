//! Which compaction comes next, as RocksDB's leveled picker decides.
//!
//! The level that exceeds its limit most goes first; in it, the file that overlaps least with the next
//! level in proportion to its size (`kMinOverlappingRatio`), together with those around it that can come
//! along without touching more of the next level. A file that overlaps with nothing is moved. Level 0 is
//! taken as a whole. While its target is busy, its own files are merged into one.

use super::files::{File, Tree, UNCOUNTED, pairs};

/// Pairs of one compaction at most, in multiples of a full file (`max_compaction_bytes`).
const LARGEST: f64 = 25.0;

/// Size over its limit from which a level is above it: what is free is a difference of sums, and rounding is
/// no reason for a compaction.
const ABOVE_LIMIT: f64 = 1.0 + 1e-9;

/// Files of level 0 at least that are merged into one while the next level is busy.
const FEWEST_INTRA_L0: usize = 4;

/// That many more than the trigger must be there for that.
const INTRA_L0_BEYOND_TRIGGER: usize = 2;

/// A compaction that was picked and runs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Compaction {
    id: u32,
    /// Level it takes from.
    pub(crate) start: usize,
    /// Level it writes into.
    pub(crate) output: usize,
    inputs: Vec<File>,
    overlapped: Vec<File>,
}

impl Compaction {
    /// Pairs that it reads.
    pub(crate) fn pairs(&self) -> f64 {
        pairs(&self.inputs) + pairs(&self.overlapped)
    }

    /// Files that it reads.
    pub(crate) fn files(&self) -> usize {
        self.inputs.len() + self.overlapped.len()
    }

    /// Whether the file is only moved.
    pub(crate) fn is_move(&self) -> bool {
        self.start > 0 && self.inputs.len() == 1 && self.overlapped.is_empty()
    }

    fn range(&self) -> (f64, f64) {
        range(self.inputs.iter().chain(&self.overlapped))
    }
}

fn range<'a>(files: impl Iterator<Item = &'a File>) -> (f64, f64) {
    files.fold((1.0, 0.0), |(low, high), f| (f.low.min(low), f.high.max(high)))
}

impl Tree {
    /// The next compaction; `None` where nothing is due, or all that is due touches what is running.
    pub(crate) fn pick(&mut self) -> Option<Compaction> {
        if self.idle {
            return None;
        }
        self.limits.follow(&self.totals);
        let mut due: Vec<(f64, usize)> = (0..self.levels.len() - 1)
            .map(|level| (self.score(level), level))
            .filter(|&(score, level)| score > ABOVE_LIMIT || level == 0 && score == 1.0)
            .collect();
        due.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut picked = None;
        for (_, level) in due {
            picked = if level == 0 {
                self.pick_l0().or_else(|| self.pick_intra_l0())
            } else {
                self.pick_from(level)
            };
            if picked.is_some() {
                break;
            }
        }
        self.idle = picked.is_none();
        let compaction = picked?;
        self.begin(&compaction);
        Some(compaction)
    }

    fn begin(&mut self, compaction: &Compaction) {
        self.take(compaction.start, &compaction.inputs);
        self.take(compaction.output, &compaction.overlapped);
        let (low, high) = compaction.range();
        self.writing.push((compaction.id, compaction.output, low, high));
    }

    /// Marks files of a level as being compacted.
    fn take(&mut self, level: usize, files: &[File]) {
        let (low, high) = range(files.iter());
        // Files of level 0 are not in the order of keys, but they are few.
        let all = &mut self.levels[level];
        let (first, last) = if level == 0 { (0, all.len()) } else { within(all, low, high) };
        let all_of_them = last - first == files.len();
        for file in &mut all[first..last] {
            file.busy |= all_of_them || files.iter().any(|f| f.id == file.id);
        }
        self.busy_pairs[level] += pairs(files);
        if level == 0 {
            self.busy_l0 += files.len();
        }
    }

    /// Size of a level over its limit, what is being compacted left out.
    fn score(&self, level: usize) -> f64 {
        if level == 0 {
            return (self.levels[0].len() - self.busy_l0) as f64 / self.l0_files as f64;
        }
        (self.totals[level] - self.busy_pairs[level]) / self.limits.target(level)
    }

    /// Overlaps with what is in this range of a level are to be counted again.
    fn changed(&mut self, level: usize, low: f64, high: f64) {
        if level >= 2 {
            let above = &mut self.levels[level - 1];
            let (first, last) = within(above, low, high);
            above[first..last].iter_mut().for_each(|f| f.overlap = UNCOUNTED);
        }
    }

    fn pick_l0(&mut self) -> Option<Compaction> {
        let output = self.limits.base_level;
        let inputs = self.levels[0].clone();
        if inputs.iter().any(|f| f.busy) {
            return None;
        }
        self.compaction(0, output, inputs)
    }

    /// Merges what is in level 0 into the next level, however little it is, and whatever is due then: the
    /// tree must be at rest.
    pub(crate) fn empty_level_0(&mut self) {
        let mut next = if self.l0_count() > 0 { self.pick_l0() } else { None };
        if let Some(compaction) = &next {
            self.begin(compaction);
        }
        while let Some(compaction) = next {
            self.finish(compaction);
            next = self.pick();
        }
    }

    fn pick_intra_l0(&mut self) -> Option<Compaction> {
        let inputs: Vec<File> = self.levels[0].iter().filter(|f| !f.busy).copied().collect();
        let enough = (self.l0_files + INTRA_L0_BEYOND_TRIGGER).max(FEWEST_INTRA_L0);
        if inputs.len() < enough || self.writing.iter().any(|w| w.1 == 0) {
            return None;
        }
        // From the newest on, as long as each further one makes the work per file that goes away smaller.
        let (mut sum, mut least, mut picked) = (0.0, f64::INFINITY, Vec::new());
        for file in inputs.iter().rev() {
            let work = (sum + file.pairs) / picked.len().max(1) as f64;
            if sum + file.pairs > LARGEST * self.file_pairs || picked.len() > 1 && work > least {
                break;
            }
            sum += file.pairs;
            least = work;
            picked.push(*file);
        }
        let inputs = picked;
        if inputs.len() < FEWEST_INTRA_L0 {
            return None;
        }
        self.next_id += 1;
        Some(Compaction { id: self.next_id, start: 0, output: 0, inputs, overlapped: Vec::new() })
    }

    fn pick_from(&mut self, level: usize) -> Option<Compaction> {
        let (upper, lower) = self.levels.split_at_mut(level + 1);
        let (files, next) = (&mut upper[level], &lower[0]);
        for file in files.iter_mut().filter(|file| file.overlap < 0.0) {
            file.overlap = pairs(overlapping(next, file.low, file.high)) / file.pairs;
        }
        let (mut lowest, mut least) = (f64::INFINITY, None);
        for (i, file) in files.iter().enumerate() {
            if file.overlap < lowest && !file.busy {
                (lowest, least) = (file.overlap, Some(i));
            }
        }
        let least = least?;
        self.compaction(level, level + 1, vec![self.levels[level][least]]).or_else(|| {
            let free = self.levels[level].iter().enumerate().filter(|(_, file)| !file.busy);
            let mut order: Vec<(f64, usize)> = free.map(|(i, f)| (f.overlap, i)).collect();
            order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            order
                .into_iter()
                .find_map(|(_, i)| self.compaction(level, level + 1, vec![self.levels[level][i]]))
        })
    }

    /// A compaction of `inputs` with all that they overlap; `None` where something of it is busy.
    fn compaction(&mut self, start: usize, output: usize, mut inputs: Vec<File>) -> Option<Compaction> {
        let (low, high) = range(inputs.iter());
        let overlapped = overlapping(&self.levels[output], low, high).to_vec();
        let (wide_low, wide_high) = range(inputs.iter().chain(&overlapped));
        let written = |low: f64, high: f64| {
            self.writing.iter().any(|&(_, level, from, to)| level == output && from < high && low < to)
        };
        if overlapped.iter().any(|f| f.busy) || written(wide_low, wide_high) {
            return None;
        }
        if start > 0 && !overlapped.is_empty() {
            let more = overlapping(&self.levels[start], wide_low, wide_high);
            let (more_low, more_high) = range(more.iter());
            let comes_free = overlapping(&self.levels[output], more_low, more_high).len() == overlapped.len();
            let small = pairs(more) + pairs(&overlapped) <= LARGEST * self.file_pairs;
            let free = more.iter().all(|f| !f.busy) && !written(more_low, more_high);
            if more.len() > inputs.len() && small && comes_free && free {
                inputs = more.to_vec();
            }
        }
        self.next_id += 1;
        Some(Compaction { id: self.next_id, start, output, inputs, overlapped })
    }

    /// What is left when a compaction is done; pairs and files that it wrote, none where it only moved.
    pub(crate) fn finish(&mut self, compaction: Compaction) -> (f64, usize) {
        self.writing.retain(|w| w.0 != compaction.id);
        self.idle = false;
        let moved = compaction.is_move();
        let inputs: Vec<File> = compaction.inputs.iter().chain(&compaction.overlapped).copied().collect();
        self.remove(compaction.start, &compaction.inputs, Vec::new());
        let (low, high) = compaction.range();
        self.changed(compaction.start, low, high);
        self.changed(compaction.output, low, high);
        let outputs = if compaction.output == 0 {
            // One file of level 0, however large.
            let sum = pairs(&inputs);
            vec![self.file(low, high, sum)]
        } else if moved {
            inputs.iter().map(|f| File { busy: false, overlap: UNCOUNTED, ..*f }).collect()
        } else {
            let below =
                self.levels.get(compaction.output + 1).map_or(&[][..], |files| overlapping(files, low, high));
            let below = below.to_vec();
            self.merged(&inputs, &below)
        };
        let written = if moved { (0.0, 0) } else { (pairs(&outputs), outputs.len()) };
        self.totals[compaction.output] += pairs(&outputs);
        if compaction.overlapped.is_empty() {
            let level = &mut self.levels[compaction.output];
            // In level 0 by age: before all that was flushed since it was picked.
            let at = if compaction.output == 0 {
                level.iter().position(|f| f.id > compaction.id).unwrap_or(level.len())
            } else {
                level.partition_point(|f| f.high <= low)
            };
            level.splice(at..at, outputs);
        } else {
            self.remove(compaction.output, &compaction.overlapped, outputs);
        }
        written
    }

    /// Takes files that were compacted out of a level, and puts others, which have their keys, in their
    /// place.
    fn remove(&mut self, level: usize, files: &[File], others: Vec<File>) {
        let (Some(first), Some(last)) = (files.first(), files.last()) else { return };
        let all = &mut self.levels[level];
        // They lie side by side, unless another one was moved between them meanwhile.
        let at = if level == 0 { 0 } else { all.partition_point(|f| f.low < first.low) };
        let end = at + files.len();
        let side_by_side = level > 0
            && all.get(at).is_some_and(|f| f.id == first.id)
            && all.get(end - 1).is_some_and(|f| f.id == last.id);
        if side_by_side {
            all.splice(at..end, others);
        } else {
            all.retain(|f| !files.iter().any(|i| i.id == f.id));
            if let Some(low) = others.first().map(|f| f.low) {
                let at = all.partition_point(|f| f.high <= low);
                all.splice(at..at, others);
            }
        }
        let gone = pairs(files);
        self.totals[level] -= gone;
        self.busy_pairs[level] -= gone;
        if level == 0 {
            self.busy_l0 -= files.len();
        }
    }
}

/// Those of `files`, in the order of keys, that share keys with `low` to `high`.
fn overlapping(files: &[File], low: f64, high: f64) -> &[File] {
    let (first, last) = within(files, low, high);
    &files[first..last]
}

/// Where they begin and end.
fn within(files: &[File], low: f64, high: f64) -> (usize, usize) {
    let first = files.partition_point(|f| f.high <= low);
    let last = files.partition_point(|f| f.low < high);
    (first, last.max(first))
}
