//! Vertices in parts, for state that the cap has no room for at once: the lists of one part are read while
//! the state of another, at the other end of the edges, is in memory.

use std::ops::Range;

use leadline_graph_store::format::{Direction, Vertex};

use super::memory_plan::Partition;
use crate::Graph;
use crate::engine::{CUT, EnginePlan, StateFile};

/// Most parts of either side.
const MOST_PARTS: u64 = 256;

/// Bytes of vertex state, and of what it costs to read it again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartitionBytes {
    /// In memory, of each vertex whose list is read.
    pub(crate) list: u64,
    /// In memory, of each vertex at the other end.
    pub(crate) neighbour: u64,
    /// Read from the file of each vertex, for each part of lists.
    pub(crate) again_by_lists: u64,
    /// Read from the file of each vertex, for each part of the other ends.
    pub(crate) again_by_neighbours: u64,
    /// In memory whatever the parts.
    pub(crate) fixed: u64,
}

/// Ranges of vertices, each side's cover all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Partitioning {
    /// By whose lists are read together.
    pub(crate) lists: Vec<Range<Vertex>>,
    /// By who is at the other end.
    pub(crate) neighbours: Vec<Range<Vertex>>,
    /// Bytes in memory: of the largest part of either side, and of the way to the file.
    pub(crate) bytes: u64,
}

impl Partition for Partitioning {
    type Bytes = PartitionBytes;

    /// The parts with which least is read, where every part of neighbours has all blocks read once.
    fn choose(graph: &Graph, memory: u64, bytes: PartitionBytes) -> Option<Partitioning> {
        let (header, blocks) = (graph.header(), graph.all_blocks());
        let options = graph.options();
        let room = EnginePlan::room_for_state(header, options, memory, blocks);
        let room = room.saturating_sub(bytes.fixed + StateFile::BYTES);
        Partitioning::within(graph.vertices(), room, header.blocks(Direction::Forward).bytes, bytes)
    }

    fn least_memory(graph: &Graph, bytes: PartitionBytes) -> u64 {
        let least = part(graph.vertices(), MOST_PARTS) * (bytes.list + bytes.neighbour);
        let state = least + bytes.fixed + StateFile::BYTES;
        let (header, options, blocks) = (graph.header(), graph.options(), graph.all_blocks());
        EnginePlan::memory_for_state(header, options, blocks, state).next_multiple_of(1 << 10)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Partitioning {
    /// `lists_bytes` are the bytes of all blocks.
    fn within(vertices: u64, room: u64, lists_bytes: u64, bytes: PartitionBytes) -> Option<Partitioning> {
        let mut best: Option<(u128, u64, u64)> = None;
        for count in 1..=MOST_PARTS {
            let neighbours = part(vertices, count);
            let left = room.saturating_sub(neighbours * bytes.neighbour);
            let lists = (left / bytes.list / CUT * CUT).min(vertices.next_multiple_of(CUT));
            if lists < part(vertices, MOST_PARTS) {
                continue;
            }
            let times = vertices.div_ceil(lists);
            let read = u128::from(count) * u128::from(lists_bytes + vertices * bytes.again_by_neighbours)
                + u128::from(times) * u128::from(vertices * bytes.again_by_lists);
            if best.is_none_or(|(least, ..)| read < least) {
                best = Some((read, lists, neighbours));
            }
        }
        best.map(|(_, lists, neighbours)| Partitioning {
            bytes: lists * bytes.list + neighbours * bytes.neighbour + bytes.fixed + StateFile::BYTES,
            lists: ranges(vertices, lists),
            neighbours: ranges(vertices, neighbours),
        })
    }
}

/// Bytes of vertex state in memory, where parts are alike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EqualPartitionBytes {
    /// Of each vertex of a part.
    pub(crate) each: u64,
    /// Of no part.
    pub(crate) fixed: u64,
}

/// Parts of one size, of which one or a few are in memory at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EqualPartitions {
    /// The vertices of each, all of one number but the last.
    pub(crate) ranges: Vec<Range<Vertex>>,
    /// Bytes in memory: of the largest part, and those of no part.
    pub(crate) bytes: u64,
}

impl Partition for EqualPartitions {
    type Bytes = EqualPartitionBytes;

    /// As few as there is room for.
    fn choose(graph: &Graph, memory: u64, bytes: EqualPartitionBytes) -> Option<EqualPartitions> {
        let (header, options, blocks) = (graph.header(), graph.options(), graph.all_blocks());
        let room = EnginePlan::room_for_state(header, options, memory, blocks).saturating_sub(bytes.fixed);
        EqualPartitions::within(graph.vertices(), room, bytes)
    }

    fn least_memory(graph: &Graph, bytes: EqualPartitionBytes) -> u64 {
        let state = part(graph.vertices(), MOST_EQUAL_PARTITIONS) * bytes.each + bytes.fixed;
        let (header, options, blocks) = (graph.header(), graph.options(), graph.all_blocks());
        EnginePlan::memory_for_state(header, options, blocks, state).next_multiple_of(1 << 10)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl EqualPartitions {
    fn within(vertices: u64, room: u64, bytes: EqualPartitionBytes) -> Option<EqualPartitions> {
        let EqualPartitionBytes { each, fixed } = bytes;
        let size = |count| part(vertices, count);
        let count = (1..=MOST_EQUAL_PARTITIONS).find(|count| size(*count) * each <= room)?;
        Some(EqualPartitions { ranges: ranges(vertices, size(count)), bytes: size(count) * each + fixed })
    }
}

/// Most parts that are alike: each of them may have to meet each other.
pub(crate) const MOST_EQUAL_PARTITIONS: u64 = 64;

/// Vertices of a part where there are that many.
fn part(vertices: u64, count: u64) -> u64 {
    vertices.div_ceil(count).max(1).next_multiple_of(CUT)
}

/// Ranges of that many vertices each; the last may have fewer.
pub(crate) fn ranges(vertices: u64, each: u64) -> Vec<Range<Vertex>> {
    let starts = (0..vertices).step_by(each as usize);
    starts.map(|start| start as Vertex..(start + each).min(vertices) as Vertex).collect()
}

/// The places of a range of vertices in a column of all.
pub(crate) fn places(range: &Range<Vertex>) -> Range<u64> {
    range.start.into()..range.end.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: PartitionBytes =
        PartitionBytes { list: 8, neighbour: 4, again_by_lists: 4, again_by_neighbours: 0, fixed: 100 };

    fn covers(ranges: &[Range<Vertex>], vertices: u64) -> bool {
        let mut next = 0;
        let follow = ranges.iter().all(|range| {
            let follows = range.start == next && range.start < range.end;
            next = range.end;
            follows && u64::from(range.start).is_multiple_of(CUT)
        });
        follow && u64::from(next) == vertices
    }

    #[test]
    fn parts_cover_all_vertices_and_keep_to_the_room() {
        for vertices in [1, 1023, 1024, 1025, 100_000, 1 << 24, u64::from(u32::MAX)] {
            for room in [20_000, 1 << 20, 40 << 20, 1 << 36] {
                let Some(parts) = Partitioning::within(vertices, room, vertices * 40, BYTES) else {
                    assert!(room < 12 * 2 * part(vertices, MOST_PARTS), "{vertices} in {room}");
                    continue;
                };
                assert!(covers(&parts.lists, vertices) && covers(&parts.neighbours, vertices));
                assert!(parts.bytes <= room + BYTES.fixed + StateFile::BYTES, "{vertices} in {room}");
            }
        }
    }

    #[test]
    fn blocks_are_read_as_seldom_as_the_room_allows() {
        // Two parts of 2^23 vertices and 4 bytes are 32 MiB; one would be 64.
        let parts = Partitioning::within(1 << 24, 40 << 20, 750 << 20, BYTES).unwrap();
        assert_eq!((parts.neighbours.len(), parts.lists.len()), (2, 16));
        let parts = Partitioning::within(1 << 24, 300 << 20, 750 << 20, BYTES).unwrap();
        assert_eq!((parts.neighbours.len(), parts.lists.len()), (1, 1));
    }
}
