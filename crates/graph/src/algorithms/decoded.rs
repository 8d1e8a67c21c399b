//! Lists in memory, for algorithms that look at all neighbours of a vertex, whichever way edges lead.

use std::sync::Arc;

use leadline_graph_store::format::{Direction, Vertex};

use crate::engine::{Csr, Passes};
use crate::{Engine, GraphError};

/// The decoded lists of each direction in which a graph has different ones.
#[derive(Debug)]
pub(super) struct Decoded(Vec<Arc<Csr>>);

impl Decoded {
    /// The lists of a graph, if they are in memory or are to be; none where the cap has no room for `beside`
    /// bytes next to them, which the run's plan does not have.
    ///
    /// # Errors
    /// As [`Engine::sweep`].
    pub(super) fn of(
        engine: &mut Engine<'_>,
        passes: Passes,
        beside: u64,
    ) -> Result<Option<Decoded>, GraphError> {
        // One direction is not decoded where the other one has no room.
        let reverse = engine.bytes_of_reverse_lists();
        let Some(forward) = engine.csr(Direction::Forward, passes, beside + reverse)? else {
            return Ok(None);
        };
        if !engine.graph().header().directed {
            return Ok(Some(Decoded(vec![forward])));
        }
        let reverse = engine.csr(Direction::Reverse, passes, beside)?;
        Ok(reverse.map(|reverse| Decoded(vec![forward, reverse])))
    }

    /// A vertex's lists, each ascending: of a directed graph the outgoing edges come first.
    #[inline]
    pub(super) fn lists(&self, vertex: Vertex) -> impl Iterator<Item = &[Vertex]> {
        self.0.iter().map(move |csr| csr.list(vertex))
    }

    /// Entries of a vertex's lists.
    #[inline]
    pub(super) fn degree(&self, vertex: Vertex) -> u32 {
        self.0.iter().map(|csr| csr.degree(vertex)).sum()
    }

    /// How many neighbours a vertex has, whichever way edges lead: each counts once, and the vertex itself
    /// does not.
    pub(super) fn neighbours(&self, vertex: Vertex) -> u32 {
        let mut lists = self.lists(vertex).map(|list| list.iter().copied().peekable());
        let (mut outgoing, mut incoming) = (lists.next(), lists.next());
        let mut next = || match (outgoing.as_mut(), incoming.as_mut()) {
            (Some(one), Some(other)) => match (one.peek(), other.peek()) {
                (Some(a), Some(b)) if a <= b => one.next(),
                (Some(_), None) => one.next(),
                _ => other.next(),
            },
            (one, other) => one.or(other)?.next(),
        };
        let (mut count, mut before) = (0, vertex);
        while let Some(neighbour) = next() {
            count += u32::from(neighbour != before && neighbour != vertex);
            before = neighbour;
        }
        count
    }

    /// Entries of all lists.
    pub(super) fn entries(&self) -> u64 {
        self.0.iter().map(|csr| csr.entries()).sum()
    }
}
