//! What point queries and scans read, from the shape of the tree.

use crate::block::Blocks;
use crate::cache::{Class, hits};
use crate::tree::Run;
use crate::{Layout, ProcessorCosts};

/// Reads of one operation on average: how many of each size, and the processor time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reads {
    /// Bytes of a request, and requests of that size per operation.
    pub(crate) requests: Vec<(f64, f64)>,
    /// Data blocks that were looked at, from the device or the cache.
    pub(crate) blocks: f64,
    /// Of these, found in the cache.
    pub(crate) cached: f64,
    /// Processor time in addition to the reads, seconds.
    pub(crate) processor: f64,
    /// Processor time of the reads, seconds: part of the time that a device was measured to take.
    pub(crate) reading: f64,
}

impl Reads {
    /// Requests per operation.
    pub(crate) fn count(&self) -> f64 {
        self.requests.iter().map(|(_, count)| count).sum()
    }

    /// Bytes transferred per operation.
    pub(crate) fn bytes(&self) -> f64 {
        self.requests.iter().map(|(bytes, count)| bytes * count).sum()
    }

    /// A share of it.
    pub(crate) fn scaled(&self, share: f64) -> Reads {
        Reads {
            requests: self.requests.iter().map(|&(bytes, count)| (bytes, share * count)).collect(),
            blocks: share * self.blocks,
            cached: share * self.cached,
            processor: share * self.processor,
            reading: share * self.reading,
        }
    }

    /// All of them together.
    pub(crate) fn sum(all: &[Reads]) -> Reads {
        Reads {
            requests: together(all.iter().flat_map(|reads| reads.requests.clone()).collect()),
            blocks: all.iter().map(|reads| reads.blocks).sum(),
            cached: all.iter().map(|reads| reads.cached).sum(),
            processor: all.iter().map(|reads| reads.processor).sum(),
            reading: all.iter().map(|reads| reads.reading).sum(),
        }
    }

    /// Their mean; nothing where there are none.
    pub(crate) fn mean(all: &[Reads]) -> Reads {
        Reads::sum(all).scaled(1.0 / all.len().max(1) as f64)
    }
}

/// Reads that follow each other in a file before RocksDB reads ahead.
const READS_BEFORE_READAHEAD: u32 = 2;

/// First and largest amount that it reads ahead on its own (`initial_auto_readahead_size`,
/// `max_auto_readahead_size`), bytes.
const READAHEAD: [f64; 2] = [8192.0, 262144.0];

/// Starting positions in a file over which a scan is averaged.
const POSITIONS: u32 = 16;

/// A tree as queries see it.
pub(crate) struct Shape<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) blocks: Blocks,
    /// Newest first.
    pub(crate) runs: &'a [Run],
    pub(crate) processor: &'a ProcessorCosts,
}

impl Shape<'_> {
    /// Chance that a filter lets a key through that its file does not have.
    fn false_positive(&self) -> f64 {
        if self.layout.bloom_bits <= 0.0 {
            return 1.0;
        }
        (-self.layout.bloom_bits * std::f64::consts::LN_2.powi(2)).exp()
    }

    /// Blocks of each run that one query looks at: for a key that is there, or one that is not.
    fn looked_at(&self, present: bool) -> Vec<f64> {
        let all: f64 = self.runs.iter().map(|run| run.pairs).sum();
        let passes = self.false_positive();
        // The share of queries that come as far as this run.
        let mut reach = 1.0;
        self.runs
            .iter()
            .map(|run| {
                let here = if present && all > 0.0 { run.pairs / all } else { 0.0 };
                // A key has a file of this run around it with the chance of the coverage, and if it is
                // here, always.
                let met = (reach * run.coverage).max(here);
                reach = (reach - here).max(0.0);
                here + (met - here) * passes
            })
            .collect()
    }

    /// Classes of blocks for the cache, as operations look at them, `looks` per run.
    fn classes(&self, looks: &[f64]) -> Vec<Class> {
        let class = |(run, &rate): (&Run, &f64)| Class { blocks: run.pairs / self.blocks.pairs, rate };
        self.runs.iter().zip(looks).map(class).collect()
    }

    fn cache_blocks(&self) -> f64 {
        let block = self.blocks.bytes / self.layout.compressed_share;
        self.layout.cache_bytes as f64 / block
    }

    /// A point query for a key that is there (`present`), or is not.
    pub(crate) fn point(&self, present: bool) -> Reads {
        let looks = self.looked_at(present);
        let hit = hits(&self.classes(&looks), self.cache_blocks());
        let blocks: f64 = looks.iter().sum();
        let cached: f64 = looks.iter().zip(&hit).map(|(look, hit)| look * hit).sum();
        let missed = blocks - cached;
        let p = self.processor;
        let processor = p.point_us + blocks * p.cached_block_us;
        let reading = missed * (p.block_us - p.cached_block_us).max(0.0);
        let requests = vec![(self.blocks.transferred(self.blocks.bytes), missed)];
        Reads { requests, blocks, cached, processor: processor * 1e-6, reading: reading * 1e-6 }
    }

    /// A scan that returns `pairs` pairs in the order of keys.
    pub(crate) fn scan(&self, pairs: f64) -> Reads {
        let all: f64 = self.runs.iter().map(|run| run.pairs).sum();
        let mut requests: Vec<(f64, f64)> = Vec::new();
        let (mut blocks, mut beyond) = (0.0, 0.0);
        for run in self.runs {
            let share = if all > 0.0 { run.pairs / all } else { 0.0 };
            // It stands on its first pair, and takes its share of the others from there.
            let touched = 1.0 + (pairs * share / self.blocks.pairs).max(0.0);
            let per_file = (run.pairs / run.files as f64 / self.blocks.pairs).max(1.0);
            for position in 0..POSITIONS {
                let start = per_file * (f64::from(position) + 0.5) / f64::from(POSITIONS);
                for (bytes, weight) in self.sequence(touched, per_file, start) {
                    requests.push((bytes, weight / f64::from(POSITIONS)));
                }
            }
            blocks += touched;
            beyond += (touched - 1.0) * self.blocks.bytes;
        }
        let p = self.processor;
        let runs = self.runs.len() as f64;
        let processor = p.seek_us + runs * (p.seek_run_us + p.cached_block_us) + pairs * p.pair_us;
        let reading = runs * (p.block_us - p.cached_block_us).max(0.0) + beyond / 1048576.0 * p.read_mib_us;
        Reads {
            requests: together(requests),
            blocks,
            cached: 0.0,
            processor: processor * 1e-6,
            reading: reading * 1e-6,
        }
    }

    /// Reads of a run of which `touched` blocks are taken one after the other, from block `start` of a file
    /// of `per_file` on: two single ones, then with as much ahead as RocksDB chooses, doubling; again in
    /// each file.
    fn sequence(&self, touched: f64, per_file: f64, start: f64) -> Vec<(f64, f64)> {
        let mut requests = Vec::new();
        let (mut left, mut in_file) = (touched, per_file - start);
        while left > 1e-9 {
            let here = left.min(in_file);
            let (mut done, mut reads, mut ahead) = (0.0, 0, READAHEAD[0]);
            while done < here - 1e-9 {
                // The last block may be needed only in some cases: a fraction of a read.
                let weight = (here - done).min(1.0);
                let mut bytes = self.blocks.bytes;
                if reads >= READS_BEFORE_READAHEAD {
                    bytes =
                        (bytes + ahead).min(((in_file - done) * self.blocks.bytes).max(self.blocks.bytes));
                    ahead = (2.0 * ahead).min(READAHEAD[1]);
                }
                requests.push((self.blocks.transferred(bytes), weight));
                done += (bytes / self.blocks.bytes).max(1.0);
                reads += 1;
            }
            left -= here;
            in_file = per_file;
        }
        requests
    }
}

/// Requests of the same size as one.
fn together(mut requests: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    requests.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut sums: Vec<(f64, f64)> = Vec::new();
    for (bytes, count) in requests {
        match sums.last_mut() {
            Some(last) if (last.0 - bytes).abs() < 1.0 => last.1 += count,
            _ => sums.push((bytes, count)),
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key is looked for in a run at most as often as the run has a file around it, however many of the
    /// pairs are in it: they are in its files, too.
    #[test]
    fn a_run_is_looked_at_as_often_as_it_covers_the_key() {
        let run = |level, pairs, coverage| Run { level, pairs, coverage, files: 10 };
        let runs = [run(1, 1e4, 0.2), run(2, 5e6, 0.8), run(3, 4.99e6, 1.0)];
        let data = crate::Data { pairs: 1e7, key_bytes: 16, value_bytes: 100 };
        let layout = Layout::default();
        let processor = ProcessorCosts {
            point_us: 0.0,
            block_us: 0.0,
            cached_block_us: 0.0,
            seek_us: 0.0,
            seek_run_us: 0.0,
            pair_us: 0.0,
            read_mib_us: 0.0,
            insert_us: 0.0,
            flush_pair_us: 0.0,
            merge_pair_us: 0.0,
            compaction_mib_us: 0.0,
            edit_file_us: 0.0,
        };
        let blocks = Blocks::of(&data, &layout, 512);
        let shape = Shape { layout: &layout, blocks, runs: &runs, processor: &processor };
        let looks = shape.looked_at(true);
        // The last run has what the others do not: 49.9 % of the keys.
        for (look, wanted) in looks.iter().zip([0.2, 0.999 * 0.8, 0.499]) {
            assert!((look - wanted).abs() < 1e-9, "{looks:?}");
        }
        // Of a key that is not there, every covering run is looked at.
        assert_eq!(shape.looked_at(false), [0.2, 0.8, 1.0]);
    }
}
