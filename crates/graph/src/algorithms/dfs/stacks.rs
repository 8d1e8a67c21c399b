//! Stacks of vertices in which each vertex is at most once: put on a stack again, it leaves its place for the top. That is
//! what a stack with repeats comes to, in memory that does not grow with the edges.

use crate::format::{NO_VERTEX, Vertex};

/// No stack.
const NOWHERE: u32 = u32::MAX;

/// One stack, linked through [`Stacks`].
#[derive(Debug, Clone, Copy)]
struct Ends {
    top: Vertex,
    bottom: Vertex,
    count: u32,
}

/// All stacks.
#[derive(Debug)]
pub(super) struct Stacks {
    ends: Vec<Ends>,
    /// By vertex: the one above it, the one below it, and the stack that it is on.
    above: Vec<Vertex>,
    below: Vec<Vertex>,
    on: Vec<u32>,
}

impl Stacks {
    /// `count` empty stacks of the vertices of a graph.
    pub(super) fn new(count: usize, vertices: u64) -> Stacks {
        let none = || vec![NO_VERTEX; vertices as usize];
        let ends = vec![Ends { top: NO_VERTEX, bottom: NO_VERTEX, count: 0 }; count];
        Stacks { ends, above: none(), below: none(), on: vec![NOWHERE; vertices as usize] }
    }

    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn is_empty(&self, stack: usize) -> bool {
        self.ends[stack].count == 0
    }

    /// Puts a vertex on top, wherever it was.
    pub(super) fn push(&mut self, stack: usize, vertex: Vertex) {
        self.remove(vertex);
        let ends = &mut self.ends[stack];
        self.below[vertex as usize] = ends.top;
        self.above[vertex as usize] = NO_VERTEX;
        self.on[vertex as usize] = stack as u32;
        match ends.top {
            NO_VERTEX => ends.bottom = vertex,
            top => self.above[top as usize] = vertex,
        }
        ends.top = vertex;
        ends.count += 1;
    }

    /// Takes the top.
    pub(super) fn pop(&mut self, stack: usize) -> Option<Vertex> {
        let top = self.ends[stack].top;
        self.remove(top);
        (top != NO_VERTEX).then_some(top)
    }

    /// Moves the bottom of the longest stack to an empty one: what lies there longest has most behind it. False where no
    /// stack has one to spare.
    pub(super) fn steal(&mut self, stack: usize) -> bool {
        let longest = (0..self.ends.len()).max_by_key(|other| self.ends[*other].count);
        match longest.filter(|longest| self.ends[*longest].count > 1) {
            Some(longest) => {
                self.push(stack, self.ends[longest].bottom);
                true
            }
            None => false,
        }
    }

    /// Takes a vertex from where it is, if it is anywhere.
    fn remove(&mut self, vertex: Vertex) {
        let place = vertex as usize;
        let Some(ends) = self.on.get(place).and_then(|on| self.ends.get_mut(*on as usize)) else { return };
        let (above, below) = (self.above[place], self.below[place]);
        match above {
            NO_VERTEX => ends.top = below,
            above => self.below[above as usize] = below,
        }
        match below {
            NO_VERTEX => ends.bottom = above,
            below => self.above[below as usize] = above,
        }
        ends.count -= 1;
        self.on[place] = NOWHERE;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn they_are_stacks_with_each_vertex_once(steps in prop::collection::vec((0..3usize, 0..12u32, 0..4), 0..200)) {
            let mut stacks = Stacks::new(3, 12);
            let mut model: Vec<Vec<u32>> = vec![Vec::new(); 3];
            for (stack, vertex, what) in steps {
                if what > 0 {
                    stacks.push(stack, vertex);
                    model.iter_mut().for_each(|other| other.retain(|v| *v != vertex));
                    model[stack].push(vertex);
                } else if model[stack].is_empty() {
                    let most = model.iter().map(Vec::len).max().unwrap_or(0);
                    prop_assert_eq!(stacks.steal(stack), most > 1);
                    if most > 1 {
                        // The last of the longest, as `max_by_key` has it.
                        let longest = (0..3).rfind(|i| model[*i].len() == most).unwrap();
                        let bottom = model[longest].remove(0);
                        model[stack].push(bottom);
                    }
                } else {
                    prop_assert_eq!(stacks.pop(stack), model[stack].pop());
                }
                for (i, stack) in model.iter().enumerate() {
                    prop_assert_eq!(stacks.is_empty(i), stack.is_empty());
                }
            }
        }
    }
}
