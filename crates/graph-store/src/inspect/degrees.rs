//! How many vertices have how many neighbours.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::store_file::StoreFile;
use crate::GraphError;
use crate::Progress;
use crate::format::Direction;

/// Degrees of a graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DegreeDistribution {
    /// Vertices.
    pub vertices: u64,
    /// Entries of all lists.
    pub entries: u64,
    /// Vertices without an entry in their list.
    pub isolated: u64,
    /// Entries per vertex; 0 where there are no vertices.
    pub mean: f64,
    /// The middle one, or the lower of the two in the middle; 0 where there are no vertices.
    pub median: u64,
    /// The largest.
    pub max: u64,
    /// By powers of two, from 1 up; those without vertices too, up to the one of the largest degree.
    pub buckets: Vec<DegreeBucket>,
}

/// Vertices whose degrees lie between two powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DegreeBucket {
    /// The least degree, a power of two.
    pub least: u64,
    /// The largest degree, one less than the next power of two.
    pub most: u64,
    /// That many have it.
    pub vertices: u64,
}

/// Counts the lists of a store by their length, in one pass over its blocks. A self-loop counts once. Memory:
/// 16 bytes for each degree that occurs. `progress` has the phase `blocks`.
///
/// # Errors
/// [`GraphError::NeedsReverse`] where reverse lists are asked for and there are none; as [`super::verify`]
/// else.
pub fn degree_distribution(
    path: impl AsRef<Path>,
    direction: Direction,
    progress: &mut dyn FnMut(Progress),
) -> Result<DegreeDistribution, GraphError> {
    let store = StoreFile::open(path.as_ref())?;
    let header = store.header;
    if direction == Direction::Reverse && !header.has_reverse() {
        let what = "the distribution of incoming degrees".into();
        return Err(GraphError::NeedsReverse { name: store.name, what });
    }
    let blocks = header.blocks(direction).bytes / u64::from(header.block_bytes);
    let mut counts = Counts::default();
    let mut open = 0;
    store.blocks(direction, |number, _, block| {
        if number % 1024 == 0 {
            progress(Progress { phase: "blocks", done: u64::from(number), total: Some(blocks) });
        }
        for vertex in block.vertices() {
            open += block.degree(vertex) as u64;
            if !block.continues(vertex) {
                counts.add(std::mem::take(&mut open));
            }
        }
        Ok(())
    })?;
    Ok(counts.distribution())
}

/// Vertices by degree.
#[derive(Debug)]
struct Counts {
    few: Vec<u64>,
    many: BTreeMap<u64, u64>,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts { few: vec![0; 4096], many: BTreeMap::new() }
    }
}

impl Counts {
    fn add(&mut self, degree: u64) {
        match self.few.get_mut(degree as usize) {
            Some(count) => *count += 1,
            None => *self.many.entry(degree).or_default() += 1,
        }
    }

    /// Degrees that occur, ascending, and their vertices.
    fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let few = self.few.iter().enumerate().map(|(degree, count)| (degree as u64, *count));
        few.chain(self.many.iter().map(|(degree, count)| (*degree, *count))).filter(|(_, count)| *count > 0)
    }

    fn distribution(&self) -> DegreeDistribution {
        let vertices: u64 = self.iter().map(|(_, count)| count).sum();
        let entries: u64 = self.iter().map(|(degree, count)| degree * count).sum();
        let mut below = 0;
        let median = self.iter().find(|(_, count)| {
            below += count;
            2 * below >= vertices
        });
        let max = self.iter().last().map_or(0, |(degree, _)| degree);
        let mut buckets: Vec<DegreeBucket> = (0..64 - max.leading_zeros())
            .map(|bits| DegreeBucket { least: 1 << bits, most: (2 << bits) - 1, vertices: 0 })
            .collect();
        for (degree, count) in self.iter().filter(|(degree, _)| *degree > 0) {
            buckets[degree.ilog2() as usize].vertices += count;
        }
        DegreeDistribution {
            vertices,
            entries,
            isolated: self.few[0],
            mean: if vertices == 0 { 0.0 } else { entries as f64 / vertices as f64 },
            median: median.map_or(0, |(degree, _)| degree),
            max,
            buckets,
        }
    }
}
