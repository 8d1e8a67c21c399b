//! Trees of vertices that hang together, joined by threads without locks.
//!
//! By vertex of a range there is a number: its parent, a lower vertex of the range, or itself if it is a
//! root. The tree of a root may hang together with a vertex below the range, its *exit*, which is then the
//! root's number. Where the range is all vertices, none is below it.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use crate::format::Vertex;

/// The root of a vertex's tree, in a range that begins at `start`; makes the way shorter for the next.
#[inline]
pub(super) fn find(parents: &[AtomicU32], start: Vertex, mut vertex: Vertex) -> Vertex {
    let get = |vertex: Vertex| parents[(vertex - start) as usize].load(Ordering::Relaxed);
    let is_root = |vertex: Vertex, parent: Vertex| parent == vertex || parent < start;
    loop {
        let parent = get(vertex);
        if is_root(vertex, parent) {
            return vertex;
        }
        let above = get(parent);
        if is_root(parent, above) {
            return parent;
        }
        // What is no root never becomes one again, and it is only ever moved towards its root, so a race is
        // won by either.
        parents[(vertex - start) as usize].store(above, Ordering::Relaxed);
        vertex = above;
    }
}

/// Joins the tree of root `from` with that of `other`, the higher root under the lower; returns the root of
/// both. If the higher had an exit, `left` is given it: the caller sees to it that it is not lost.
#[inline]
pub(super) fn join(
    parents: &[AtomicU32],
    start: Vertex,
    from: Vertex,
    other: Vertex,
    left: impl FnOnce(Vertex, Vertex) -> Vertex,
) -> Vertex {
    let (mut a, mut b) = (from, other);
    // Mostly they hang together already.
    if parents[(b - start) as usize].load(Ordering::Relaxed) == a {
        return a;
    }
    loop {
        (a, b) = (find(parents, start, a), find(parents, start, b));
        if a == b {
            return a;
        }
        let (low, high) = (a.min(b), a.max(b));
        let place = &parents[(high - start) as usize];
        let exit = place.load(Ordering::Relaxed);
        let is_root = exit == high || exit < start;
        if is_root && place.compare_exchange(exit, low, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            return if exit < start { left(low, exit) } else { low };
        }
    }
}

/// Makes the number of each vertex that is no root the root of its tree.
pub(super) fn flatten(parents: &[AtomicU32], start: Vertex) {
    parents.par_iter().zip(start..start + parents.len() as u32).for_each(|(parent, vertex)| {
        let root = find(parents, start, vertex);
        if root != vertex {
            parent.store(root, Ordering::Relaxed);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::numbers;

    const START: Vertex = 100;

    #[test]
    fn the_exit_of_a_root_that_is_joined_is_handed_on() {
        let parents = numbers(10, |place| START + place);
        parents[7].store(3, Ordering::Relaxed);
        let nothing = |_, _| -> Vertex { panic!("no exit") };
        assert_eq!(join(&parents, START, START + 4, START + 5, nothing), START + 4);
        let mut left = None;
        let root = join(&parents, START, START + 7, START + 5, |root, exit| {
            left = Some((root, exit));
            root
        });
        assert_eq!((root, left), (START + 4, Some((START + 4, 3))));
        assert_eq!(find(&parents, START, START + 7), START + 4);
        // The exit of the lower one stays.
        parents[4].store(9, Ordering::Relaxed);
        assert_eq!(join(&parents, START, START + 8, START + 7, nothing), START + 4);
        flatten(&parents, START);
        let flat: Vec<u32> = parents.into_iter().map(AtomicU32::into_inner).collect();
        assert_eq!(flat, [100, 101, 102, 103, 9, 104, 106, 104, 104, 109]);
    }
}
