//! Which compaction comes next, as RocksDB's leveled picker decides.
//!
//! The level that exceeds its limit most goes first; in it, the file that overlaps least with the next
//! level in proportion to its size (`kMinOverlappingRatio`), together with those around it that can come
//! along without touching more of the next level. A file that overlaps with nothing is moved. Level 0 is
//! taken as a whole. While its target is busy, its own files are merged into one.

use super::files::{File, Tree, pairs};

/// Pairs of one compaction at most, in multiples of a full file (`max_compaction_bytes`).
const LARGEST: f64 = 25.0;

/// Files of level 0 at least that are merged into one while the next level is busy.
const FEWEST_INTRA_L0: usize = 4;

/// So many more than the trigger must be there for that.
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
        self.limits.follow(&self.totals);
        let mut due: Vec<(f64, usize)> = (0..self.levels.len() - 1)
            .map(|level| (self.score(level), level))
            .filter(|&(score, level)| score > 1.0 || level == 0 && score == 1.0)
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
        let compaction = picked?;
        for (level, files) in
            [(compaction.start, &compaction.inputs), (compaction.output, &compaction.overlapped)]
        {
            for file in &mut self.levels[level] {
                file.busy |= files.iter().any(|f| f.id == file.id);
            }
        }
        let (low, high) = compaction.range();
        self.writing.push((compaction.id, compaction.output, low, high));
        Some(compaction)
    }

    /// Size of a level over its limit, what is being compacted left out.
    fn score(&self, level: usize) -> f64 {
        let free = self.levels[level].iter().filter(|f| !f.busy);
        if level == 0 {
            return free.count() as f64 / self.l0_files as f64;
        }
        free.map(|f| f.pairs).sum::<f64>() / self.limits.target(level)
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
        let next = &self.levels[level + 1];
        // Both levels are in the order of keys, so that one walk over both finds what each file overlaps
        // with.
        let mut first = 0;
        let mut order: Vec<(f64, usize)> = Vec::with_capacity(self.levels[level].len());
        for (i, file) in self.levels[level].iter().enumerate() {
            while next.get(first).is_some_and(|f| f.high <= file.low) {
                first += 1;
            }
            if !file.busy {
                let overlap =
                    next[first..].iter().take_while(|f| f.low < file.high).map(|f| f.pairs).sum::<f64>();
                order.push((overlap / file.pairs, i));
            }
        }
        let least = *order.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        self.compaction(level, level + 1, vec![self.levels[level][least.1]]).or_else(|| {
            order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
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
        let moved = compaction.is_move();
        let inputs: Vec<File> = compaction.inputs.iter().chain(&compaction.overlapped).copied().collect();
        self.levels[compaction.start].retain(|f| !compaction.inputs.iter().any(|i| i.id == f.id));
        let (low, high) = compaction.range();
        let level = &mut self.levels[compaction.output];
        // They lie side by side: nothing else was written between them while this ran.
        let first = compaction.overlapped.first().and_then(|f| level.iter().position(|l| l.id == f.id));
        if let Some(first) = first {
            level.drain(first..first + compaction.overlapped.len());
        }
        let outputs = if compaction.output == 0 {
            // One file of level 0, however large.
            let sum = pairs(&inputs);
            vec![self.file(low, high, sum)]
        } else if moved {
            inputs.iter().map(|f| File { busy: false, ..*f }).collect()
        } else {
            let below =
                self.levels.get(compaction.output + 1).map_or(&[][..], |files| overlapping(files, low, high));
            let below = below.to_vec();
            self.merged(&inputs, &below)
        };
        let written = if moved { (0.0, 0) } else { (pairs(&outputs), outputs.len()) };
        self.totals[compaction.start] -= pairs(&compaction.inputs);
        self.totals[compaction.output] += pairs(&outputs) - pairs(&compaction.overlapped);
        let level = &mut self.levels[compaction.output];
        // In level 0 by age: before all that was flushed since it was picked.
        let at = if compaction.output == 0 {
            level.iter().position(|f| f.id > compaction.id).unwrap_or(level.len())
        } else {
            level.partition_point(|f| f.high <= low)
        };
        level.splice(at..at, outputs);
        written
    }
}

/// Those of `files`, in the order of keys, that share keys with `low` to `high`.
fn overlapping(files: &[File], low: f64, high: f64) -> &[File] {
    let first = files.partition_point(|f| f.high <= low);
    let last = files.partition_point(|f| f.low < high);
    &files[first..last.max(first)]
}
