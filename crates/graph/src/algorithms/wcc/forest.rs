//! Trees of vertices that hang together, joined by threads without locks.
//!
//! By vertex of a range there is a number: its parent, a lower vertex of the range, or itself if it is a
//! root. The tree of a root may hang together with a vertex below the range, its *exit*, which is then the
//! root's number. Where the range is all vertices, none is below it.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::word::Word;

/// The number of a vertex: of 32 bits, or of 64 where a graph has more vertices than that.
pub(super) trait Number: Copy + Ord + Send + Sync {
    /// The place of a vertex in a range that begins at `start`.
    fn place(self, start: Self) -> usize;
    /// The vertex at a place.
    fn at(start: Self, place: usize) -> Self;
}

macro_rules! number {
    ($number:ty) => {
        impl Number for $number {
            #[inline]
            fn place(self, start: $number) -> usize {
                (self - start) as usize
            }

            #[inline]
            fn at(start: $number, place: usize) -> $number {
                start + place as $number
            }
        }
    };
}

number!(u32);
number!(u64);

/// The root of a vertex's tree, in a range that begins at `start`; makes the way shorter for the next.
///
/// What is no root never becomes one again, and it is only ever moved towards its root, so a race is won by
/// either.
#[inline]
pub(super) fn find<N: Number, W: Word<N>>(parents: &[W], start: N, vertex: N) -> N {
    find_by(parents, start, vertex, |place, _, above| place.store(above, Ordering::Relaxed))
}

/// As [`find`], where `shorten` gets the place of a vertex, its parent, and the parent's parent.
#[inline]
fn find_by<N: Number, W: Word<N>>(parents: &[W], start: N, mut vertex: N, shorten: impl Fn(&W, N, N)) -> N {
    let get = |vertex: N| parents[vertex.place(start)].load(Ordering::Relaxed);
    let is_root = |vertex: N, parent: N| parent == vertex || parent < start;
    loop {
        let parent = get(vertex);
        if is_root(vertex, parent) {
            return vertex;
        }
        let above = get(parent);
        if is_root(parent, above) {
            return parent;
        }
        shorten(&parents[vertex.place(start)], parent, above);
        vertex = above;
    }
}

/// Joins the tree of root `from` with that of `other`, the higher root under the lower; returns the root of
/// both. If the higher had an exit, `left` is given it: the caller sees to it that it is not lost.
#[inline]
pub(super) fn join<N: Number, W: Word<N>>(
    parents: &[W],
    start: N,
    from: N,
    other: N,
    left: impl FnOnce(N, N) -> N,
) -> N {
    let (mut a, mut b) = (from, other);
    // Mostly they hang together already.
    if parents[b.place(start)].load(Ordering::Relaxed) == a {
        return a;
    }
    loop {
        (a, b) = (find(parents, start, a), find(parents, start, b));
        if a == b {
            return a;
        }
        let (low, high) = (a.min(b), a.max(b));
        let place = &parents[high.place(start)];
        let exit = place.load(Ordering::Relaxed);
        let is_root = exit == high || exit < start;
        if is_root && place.compare_exchange(exit, low, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            return if exit < start { left(low, exit) } else { low };
        }
    }
}

/// Makes the number of each vertex that is no root the root of its tree.
pub(super) fn flatten<N: Number, W: Word<N>>(parents: &[W], start: N) {
    (0..parents.len()).into_par_iter().for_each(|place| flatten_one(parents, start, N::at(start, place)));
}

/// The same for one vertex. On the way to the root, others are moved only if nobody else has moved them: what
/// another thread made the root would be a parent on the way again.
fn flatten_one<N: Number, W: Word<N>>(parents: &[W], start: N, vertex: N) {
    let root = find_by(parents, start, vertex, |place, parent, above| {
        let _ = place.compare_exchange(parent, above, Ordering::Relaxed, Ordering::Relaxed);
    });
    if root != vertex {
        parents[vertex.place(start)].store(root, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use loom::sync::Arc;

    use leadline_graph_store::format::Vertex;

    use super::*;
    use crate::algorithms::numbers;

    const START: Vertex = 100;

    /// Two threads join trees of a range at once.
    #[test]
    fn trees_that_are_joined_at_once_hang_together_and_keep_one_exit() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let words = (START..START + 4).map(loom::sync::atomic::AtomicU32::new);
            let shared = Arc::new((words.collect::<Vec<_>>(), loom::sync::atomic::AtomicU32::new(0)));
            let join_both = |shared: &(Vec<_>, loom::sync::atomic::AtomicU32), a: Vertex, b: Vertex| {
                let (parents, left) = shared;
                join(parents, START, START + a, START + b, |root, exit| {
                    left.fetch_add(exit, Ordering::Relaxed);
                    root
                })
            };
            let (parents, left) = &*shared;
            // The root that both want to put under another has an exit.
            parents[3].store(7, Ordering::Relaxed);
            let other = Arc::clone(&shared);
            let other = loom::thread::spawn(move || join_both(&other, 3, 1));
            join_both(&shared, 3, 0);
            other.join().unwrap();
            assert_eq!(left.load(Ordering::Relaxed), 7, "the exit is handed on once");
            assert_eq!([1, 3].map(|place| find(parents, START, START + place)), [START; 2]);
            assert_eq!(find(parents, START, START + 2), START + 2);
        });
    }

    /// Two threads make vertices of a chain children of its root, one of them on the other's way.
    #[test]
    fn what_is_a_child_of_the_root_stays_one() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let parents = (0..6u32).map(|place| START + place.saturating_sub(1));
            let shared = Arc::new(parents.map(loom::sync::atomic::AtomicU32::new).collect::<Vec<_>>());
            let other = Arc::clone(&shared);
            let other = loom::thread::spawn(move || flatten_one(&other, START, START + 5));
            flatten_one(&shared, START, START + 3);
            other.join().unwrap();
            assert_eq!([3, 5].map(|place| shared[place].load(Ordering::Relaxed)), [START; 2]);
        });
    }

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
