//! Which vertices are looked at together: batches of windows. They depend on the vertices and the lengths of
//! their lists alone: not on memory, blocks or threads.

use std::ops::Range;

use leadline_graph_store::format::Vertex;

use crate::Frontier;

/// Vertices of a window: few, since the lists of a whole window must fit in memory.
pub(super) const WINDOW: u64 = 64;

/// Most entries of a batch of more than one window, without weights and with weights, which take three times
/// the memory: the least memory for lists has room for either.
const BATCH_ENTRIES: [u64; 2] = [1 << 18, 1 << 17];

/// Most vertices of a batch.
const BATCH_VERTICES: u32 = 1 << 16;

/// Some vertices of whole windows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Batch {
    /// From the first window to the end of the last.
    pub(super) range: Range<Vertex>,
    /// How many of them.
    pub(super) vertices: u32,
    /// Entries of their lists.
    pub(super) entries: u64,
}

/// The batches of a set; `listed` are the entries of each vertex's list, with weights or without.
pub(super) fn batches(wanted: &Frontier, listed: &[u32], weighted: bool) -> Vec<Batch> {
    let most = BATCH_ENTRIES[usize::from(weighted)];
    let mut batches: Vec<Batch> = Vec::new();
    let mut window = Batch { range: 0..0, vertices: 0, entries: 0 };
    let mut add = |window: &Batch| match batches.last_mut() {
        Some(last)
            if last.entries + window.entries <= most && last.vertices + window.vertices <= BATCH_VERTICES =>
        {
            last.range.end = window.range.end;
            last.vertices += window.vertices;
            last.entries += window.entries;
        }
        _ if window.vertices > 0 => batches.push(window.clone()),
        _ => {}
    };
    for vertex in wanted.iter(0..listed.len() as Vertex) {
        if vertex >= window.range.end {
            add(&window);
            let start = vertex - vertex % WINDOW as Vertex;
            let end = (u64::from(start) + WINDOW).min(listed.len() as u64) as Vertex;
            window = Batch { range: start..end, vertices: 0, entries: 0 };
        }
        window.vertices += 1;
        window.entries += u64::from(listed[vertex as usize]);
    }
    add(&window);
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_have_each_vertex_once_and_are_small_or_a_window() {
        let mut rng = fastrand::Rng::with_seed(1);
        for (count, at) in [0, 1, 63, 64, 65, 5000, 200_000, 200_000].into_iter().zip(0..) {
            let weighted = at % 2 == 0;
            let most = BATCH_ENTRIES[usize::from(weighted)];
            let listed: Vec<u32> = (0..count).map(|_| rng.u32(..9).pow(rng.u32(..5))).collect();
            let wanted = Frontier::new(count);
            (0..count).filter(|_| rng.bool()).for_each(|vertex| _ = wanted.insert(vertex as Vertex));
            let (mut end, mut vertices) = (0, 0);
            for batch in batches(&wanted, &listed, weighted) {
                assert!(batch.range.start >= end && u64::from(batch.range.start).is_multiple_of(WINDOW));
                let own: Vec<Vertex> = wanted.iter(batch.range.clone()).collect();
                let entries: u64 = own.iter().map(|vertex| u64::from(listed[*vertex as usize])).sum();
                assert_eq!((own.len() as u32, entries), (batch.vertices, batch.entries));
                let windows = (batch.range.end - batch.range.start).div_ceil(WINDOW as u32);
                assert!(own.len() <= 1 << 16 && (entries <= most || windows == 1), "{batch:?}");
                (end, vertices) = (batch.range.end, vertices + u64::from(batch.vertices));
            }
            assert_eq!(vertices, wanted.count());
        }
    }
}
