//! Triangles among lists in memory: of each vertex, which two of the neighbours above it are neighbours.

use std::sync::atomic::{AtomicU32, Ordering};

use leadline_graph_store::format::Vertex;

use super::super::lists::Lists;
use super::super::table::{FILTER_BATCH, Table};
use crate::{Engine, GraphError};

/// A list that many times as long as the other is searched and not walked.
const SEARCH_ABOVE: usize = 16;

/// A list with no more entries is compared and not looked up in a table.
const FEW: usize = 4;

/// Vertices that a thread takes at a time.
const CHUNK: u32 = 64;

/// What is counted for each triangle, in addition to the triangle itself.
pub(crate) trait Count: Sync {
    /// Whether anything is.
    const PER_VERTEX: bool;

    /// What the edge of a list's entry brings to the vertex that is opposite to it in a triangle.
    fn brings(entry: u32) -> u64;

    /// Adds to what the triangles of a vertex brought it.
    fn add(&self, vertex: Vertex, brought: u64);
}

/// Finds the triangles whose lowest vertex is in `lists` and whose middle one is in `held`; how many.
///
/// # Errors
/// [`GraphError::Interrupted`].
pub(super) fn close<C: Count>(
    engine: &Engine<'_>,
    lists: &Lists,
    held: &Lists,
    count: &C,
) -> Result<u64, GraphError> {
    let (graph, all) = (engine.graph(), lists.vertices());
    engine.begin_steps(all.len().div_ceil(CHUNK as usize) as u32);
    // Threads take a few at a time, and keep their tables.
    let next = AtomicU32::new(all.start);
    let worker = || {
        let (mut table, mut triangles) = (Table::default(), 0);
        loop {
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            if start >= all.end || !graph.step() {
                return triangles;
            }
            for vertex in start..(start + CHUNK).min(all.end) {
                triangles += close_one(&mut table, vertex, lists.list(vertex), held, count);
            }
        }
    };
    let triangles = rayon::broadcast(|_| worker()).into_iter().sum();
    graph.check_stop().map(|()| triangles)
}

fn close_one<C: Count>(table: &mut Table, vertex: Vertex, list: &[u32], held: &Lists, count: &C) -> u64 {
    match list.len() {
        0 | 1 => 0,
        2..=FEW => close_with(&mut Few::new(list), vertex, list, held, count),
        _ => {
            table.fill(list);
            let triangles = close_with(table, vertex, list, held, count);
            table.clear_marks(list);
            triangles
        }
    }
}

/// Closes the triangles of a vertex whose list is in `own` already.
fn close_with<L: LookUp, C: Count>(
    own: &mut L,
    vertex: Vertex,
    list: &[u32],
    held: &Lists,
    count: &C,
) -> u64 {
    let (mut triangles, mut of_vertex) = (0, 0);
    for edge in list.iter().filter(|edge| held.vertices().contains(&(*edge >> 1))) {
        let (middle, mut of_middle) = (held.list(edge >> 1), 0);
        // Nothing is looked up for a triangle that is only counted.
        let found = |own: &mut L, entry: u32, place: usize| {
            triangles += 1;
            if C::PER_VERTEX {
                of_vertex += C::brings(entry);
                of_middle += C::brings(own.entry(place));
                *own.among(place) += C::brings(*edge);
            }
        };
        if middle.len() > list.len() * SEARCH_ABOVE {
            search(own, list, middle, found);
        } else {
            own.walk(middle, found);
        }
        add(count, edge >> 1, of_middle);
    }
    if C::PER_VERTEX && triangles > 0 {
        add(count, vertex, of_vertex);
        for entry in list {
            let among = own.place(*entry).map_or(0, |place| std::mem::take(own.among(place)));
            add(count, entry >> 1, among);
        }
    }
    triangles
}

/// Calls `found` for each vertex that is in both lists, as [`LookUp::walk`], looking for each of the shorter
/// one in the other.
fn search<L: LookUp>(own: &mut L, list: &[u32], middle: &[u32], mut found: impl FnMut(&mut L, u32, usize)) {
    for entry in list {
        if let Ok(at) = middle.binary_search_by_key(&(entry >> 1), |other| other >> 1)
            && let Some(place) = own.place(*entry)
        {
            found(own, middle[at], place);
        }
    }
}

/// A vertex's list, to be looked up in.
trait LookUp {
    /// Calls `found` for each vertex that is here and in another list, with the entry there and the place
    /// here.
    fn walk(&mut self, other: &[u32], found: impl FnMut(&mut Self, u32, usize));

    /// The place of an entry's vertex.
    fn place(&self, entry: u32) -> Option<usize>;

    /// The entry at a place.
    fn entry(&self, place: usize) -> u32;

    /// What was brought so far to the vertex at a place.
    fn among(&mut self, place: usize) -> &mut u64;
}

impl LookUp for Table {
    #[inline]
    fn walk(&mut self, other: &[u32], mut found: impl FnMut(&mut Table, u32, usize)) {
        for part in other.chunks(FILTER_BATCH) {
            let mut kept = [0; FILTER_BATCH];
            let count = self.filter_marked(part, &mut kept);
            for entry in &kept[..count] {
                if let Some(place) = self.find(*entry) {
                    found(self, *entry, place);
                }
            }
        }
    }

    #[inline]
    fn place(&self, entry: u32) -> Option<usize> {
        self.find(entry)
    }

    #[inline]
    fn entry(&self, place: usize) -> u32 {
        self.entries[place]
    }

    #[inline]
    fn among(&mut self, place: usize) -> &mut u64 {
        &mut self.among[place]
    }
}

/// A short list: all of it is compared with an entry at once.
struct Few {
    /// Doubled vertices; [`Few::NONE`] behind the last.
    vertices: [u32; FEW],
    /// Which of the edges lead both ways.
    bits: [u32; FEW],
    among: [u64; FEW],
}

impl Few {
    /// No vertex.
    const NONE: u32 = !1;

    #[inline]
    fn new(list: &[u32]) -> Few {
        let mut few = Few { vertices: [Few::NONE; FEW], bits: [0; FEW], among: [0; FEW] };
        for (at, entry) in list.iter().enumerate() {
            (few.vertices[at], few.bits[at]) = (entry & !1, entry & 1);
        }
        few
    }
}

impl LookUp for Few {
    #[inline]
    fn walk(&mut self, other: &[u32], mut found: impl FnMut(&mut Few, u32, usize)) {
        for entry in other {
            if let Some(place) = self.place(*entry) {
                found(self, *entry, place);
            }
        }
    }

    #[inline]
    fn place(&self, entry: u32) -> Option<usize> {
        let vertex = entry & !1;
        // No branch for each: most entries are not there.
        let is_there = self.vertices.iter().fold(false, |is_there, own| is_there | (*own == vertex));
        if is_there { self.vertices.iter().position(|own| *own == vertex) } else { None }
    }

    #[inline]
    fn entry(&self, place: usize) -> u32 {
        self.vertices[place] | self.bits[place]
    }

    #[inline]
    fn among(&mut self, place: usize) -> &mut u64 {
        &mut self.among[place]
    }
}

#[inline]
fn add<C: Count>(count: &C, vertex: Vertex, brought: u64) {
    if brought > 0 {
        count.add(vertex, brought);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use leadline_graph_store::format::{Layout, StoreWriter, Weights};

    use super::super::{MemoryPlan, Upward};
    use super::*;
    use crate::{Graph, Options};

    /// Asks to stop once a triangle was found, and counts those after.
    struct StopsAtFirst {
        stop: Arc<AtomicBool>,
        found: AtomicU32,
    }

    impl Count for StopsAtFirst {
        const PER_VERTEX: bool = true;

        fn brings(_: u32) -> u64 {
            1
        }

        fn add(&self, _: Vertex, _: u64) {
            self.stop.store(true, Ordering::Relaxed);
            self.found.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn whoever_asks_to_stop_waits_for_a_few_vertices_only() {
        const VERTICES: u32 = 30_000;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph");
        let weights = Weights::None;
        let layout = Layout {
            block_bytes: 4096,
            compressed: true,
            directed: false,
            weights,
            vertices: VERTICES.into(),
        };
        let mut writer = StoreWriter::create(&path, layout).unwrap();
        // A band: each vertex has a triangle with the next two.
        for vertex in 0..VERTICES {
            let around = vertex.saturating_sub(2)..(vertex + 3).min(VERTICES);
            around
                .filter(|other| *other != vertex)
                .for_each(|other| writer.edge(vertex, other, 0.0).unwrap());
        }
        writer.finish().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let options = Options { threads: 2, ..Options::default() }.with_stop(Arc::clone(&stop));
        let graph = Graph::open(&path, options).unwrap();
        let count = StopsAtFirst { stop, found: AtomicU32::new(0) };
        let (plan, bytes) = MemoryPlan::of(&graph, graph.options().memory, 0);
        let ran = Engine::run(&graph, "triangles", bytes, |engine| {
            Upward::measure(engine)?.close_all(engine, plan, &count, |_| ())
        });
        assert!(matches!(ran, Err(GraphError::Interrupted)));
        let found = count.found.into_inner();
        assert!((1..VERTICES / 10).contains(&found), "{found} additions after somebody asked to stop");
    }
}
