//! Sums of what the neighbours of each list give.
//!
//! Where gives do not fit in the processor's cache, waiting for them is most of the work. A loop that decodes
//! a list and adds up at once has few of them on their way: the processor looks only so many instructions
//! ahead, and decoding takes most of those. So lists are decoded first, with a prefetch for each neighbour,
//! and added up when there are some hundred.

use super::Shared;
use crate::format::{Block, Group, Vertex};
use crate::prefetch::prefetch;

/// Gives that are on their way together: what the first-level cache has room for, a line each.
const MANY: usize = 256;

/// Values of a group.
const GROUP: usize = 4;

/// Decoded lists that wait for their sums.
pub(super) struct Sums {
    /// Of the neighbours, one list after the other: the places of their gives.
    places: [u32; MANY + GROUP],
    /// How many there are.
    filled: usize,
    /// Of each list that is decoded to its end: the vertex it belongs to, and where it ends.
    ends: Vec<(Vertex, usize)>,
    /// What was added up of the first list already.
    begun: f64,
}

impl Sums {
    pub(super) fn new() -> Sums {
        Sums { places: [0; MANY + GROUP], filled: 0, ends: Vec::new(), begun: 0.0 }
    }

    /// Calls `take` with the sum of each of some lists of a block, in their order. What a neighbour gives is
    /// at its `place` among `gives`.
    #[inline]
    pub(super) fn of<Give: Shared>(
        &mut self,
        block: &Block<'_>,
        lists: impl Iterator<Item = (Vertex, (usize, usize))>,
        gives: &[Give],
        place: impl Fn(Vertex) -> u32,
        mut take: impl FnMut(Vertex, f64),
    ) {
        for (vertex, list) in lists {
            for Group { values, len } in block.groups_at(vertex, list) {
                let places = values.map(&place);
                for place in places {
                    if let Some(give) = gives.get(place as usize) {
                        prefetch(give);
                    }
                }
                self.places[self.filled..self.filled + GROUP].copy_from_slice(&places);
                self.filled += len;
                if self.filled >= MANY {
                    self.add_up(gives, &mut take);
                }
            }
            self.ends.push((vertex, self.filled));
        }
        self.add_up(gives, &mut take);
    }

    /// Adds up all that is decoded.
    #[inline]
    fn add_up<Give: Shared>(&mut self, gives: &[Give], take: &mut impl FnMut(Vertex, f64)) {
        let mut from = 0;
        for (vertex, end) in self.ends.drain(..) {
            take(vertex, self.begun + sum(gives, &self.places[from..end]));
            (self.begun, from) = (0.0, end);
        }
        self.begun += sum(gives, &self.places[from..self.filled]);
        self.filled = 0;
    }
}

/// What is given at some places.
#[inline]
fn sum<Give: Shared>(gives: &[Give], places: &[u32]) -> f64 {
    let give = |place: u32| gives[place as usize].get();
    let (groups, rest) = places.as_chunks::<GROUP>();
    // One addition that waits for the one before, for each group.
    let sum = groups.iter().map(|[a, b, c, d]| (give(*a) + give(*b)) + (give(*c) + give(*d))).sum::<f64>();
    sum + rest.iter().map(|place| give(*place)).sum::<f64>()
}
