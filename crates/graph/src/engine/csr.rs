//! Lists as plain numbers, one after the other (compressed sparse rows, CSR), for graphs that fit in memory
//! whole. To go through them takes a fraction of the time that it takes to decode blocks.

use std::ops::Range;
use std::sync::Arc;

use leadline_graph_store::format::{Direction, Header, Vertex};

use crate::prefetch::prefetch;

/// Vertices that are asked how far away their neighbours lie.
const SAMPLE: u64 = 1024;

/// The lists of a direction.
#[derive(Debug)]
pub(crate) struct Csr {
    /// By vertex: where its list begins; at the end, how many neighbours there are in all.
    starts: Vec<u32>,
    /// Ascending in each list; repeats where the graph has parallel edges.
    neighbours: Vec<Vertex>,
}

impl Csr {
    /// Bytes in memory of the lists of one direction of a graph; none where their places have no room for
    /// that many neighbours.
    pub(crate) fn bytes_for(header: &Header) -> Option<u64> {
        let Header { vertices, edges, .. } = *header;
        (edges <= u32::MAX.into()).then(|| 4 * (vertices + 1 + edges))
    }

    /// Lists that are one after the other.
    pub(super) fn new(starts: Vec<u32>, neighbours: Vec<Vertex>) -> Csr {
        assert_eq!(starts.last().copied(), Some(neighbours.len() as u32), "the last list ends where all do");
        Csr { starts, neighbours }
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        4 * (self.starts.len() + self.neighbours.len()) as u64
    }

    /// Entries of all lists.
    #[inline]
    pub(crate) fn entries(&self) -> u64 {
        self.neighbours.len() as u64
    }

    /// A vertex's neighbours.
    #[inline]
    pub(crate) fn list(&self, vertex: Vertex) -> &[Vertex] {
        let at = vertex as usize;
        &self.neighbours[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// How many they are.
    #[inline]
    pub(crate) fn degree(&self, vertex: Vertex) -> u32 {
        self.starts[vertex as usize + 1] - self.starts[vertex as usize]
    }

    /// The list of each of a range of vertices, in their order, and with it as many entries that come later,
    /// by `ahead`; at the end of all lists, the list itself.
    #[inline]
    pub(crate) fn lists_and_later(
        &self,
        vertices: Range<usize>,
        ahead: usize,
    ) -> impl Iterator<Item = (&[Vertex], &[Vertex])> {
        let places = &self.starts[vertices.start..=vertices.end];
        places.windows(2).map(move |place| {
            let (start, end) = (place[0] as usize, place[1] as usize);
            let list = &self.neighbours[start..end];
            (list, self.neighbours.get(start + ahead..end + ahead).unwrap_or(list))
        })
    }

    /// Whether most neighbours lie further from their vertex than that many vertices, judged by a sample.
    pub(crate) fn is_scattered(&self, distance: u32) -> bool {
        let vertices = self.starts.len() as u64 - 1;
        let (mut far, mut all) = (0, 0);
        for vertex in (0..vertices).step_by((vertices / SAMPLE).max(1) as usize) {
            let list = self.list(vertex as Vertex);
            all += list.len();
            far += list.iter().filter(|neighbour| neighbour.abs_diff(vertex as Vertex) > distance).count();
        }
        2 * far > all
    }

    /// Where a vertex's list begins and ends among the entries of all.
    #[inline]
    pub(crate) fn place(&self, vertex: Vertex) -> (u32, u32) {
        let at = vertex as usize;
        (self.starts[at], self.starts[at + 1])
    }

    /// An entry of all lists.
    #[inline]
    pub(crate) fn entry(&self, place: u32) -> Vertex {
        self.neighbours[place as usize]
    }

    /// Some entries, one after the other.
    #[inline]
    pub(crate) fn entries_at(&self, place: u32, count: u32) -> &[Vertex] {
        &self.neighbours[place as usize..(place + count) as usize]
    }

    /// Has the place of a vertex's list fetched.
    #[inline]
    pub(crate) fn prefetch_place(&self, vertex: Vertex) {
        prefetch(&self.starts[vertex as usize]);
    }

    /// Has an entry fetched.
    #[inline]
    pub(crate) fn prefetch_entry(&self, place: u32) {
        prefetch(&self.neighbours[place as usize]);
    }

    /// The lists of a range of vertices, in their order.
    #[inline]
    pub(crate) fn lists(&self, vertices: Range<usize>) -> impl Iterator<Item = &[Vertex]> {
        let places = &self.starts[vertices.start..=vertices.end];
        places.windows(2).map(|place| &self.neighbours[place[0] as usize..place[1] as usize])
    }
}

/// The lists that a graph keeps decoded: forward, and of a directed graph also reverse.
#[derive(Debug, Default)]
pub(crate) struct KeptLists([Option<Arc<Csr>>; 2]);

impl KeptLists {
    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.iter().flatten().map(|csr| csr.bytes()).sum()
    }

    /// The place of a direction of a graph that has that header.
    pub(super) fn of(&mut self, header: &Header, direction: Direction) -> &mut Option<Arc<Csr>> {
        &mut self.0[usize::from(header.directed && direction == Direction::Reverse)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_entries_are_as_many_as_the_list_has() {
        let csr = Csr::new(vec![0, 3, 3, 5, 6], vec![1, 2, 3, 0, 3, 2]);
        let found: Vec<_> = csr.lists_and_later(0..4, 2).collect();
        // Behind the last there are none, so a list stands for them.
        let expected: [(&[Vertex], &[Vertex]); 4] =
            [(&[1, 2, 3], &[3, 0, 3]), (&[], &[]), (&[0, 3], &[0, 3]), (&[2], &[2])];
        assert_eq!(found, expected);
    }

    #[test]
    fn lists_are_scattered_where_most_neighbours_are_far_away() {
        let near = Csr::new((0..=100).collect(), (0..100).map(|vertex| (vertex + 1) % 100).collect());
        assert!(!near.is_scattered(1));
        let far = Csr::new((0..=100).collect(), (0..100).map(|vertex| (vertex + 50) % 100).collect());
        assert!(far.is_scattered(49) && !far.is_scattered(50));
    }
}
