//! Doubly linked lists of nodes in two arrays: no allocation, O(1) from anywhere. A node is in one list at
//! most.

use std::ops::ControlFlow;

use crate::cache_line::prefetch;

/// Number of a node, from 0.
pub(crate) type Node = u32;

const NONE: Node = Node::MAX;

/// `N` lists over the same nodes. 8 bytes a node.
#[derive(Debug, Clone)]
pub(crate) struct Lists<const N: usize> {
    /// (towards the front, towards the back) of each node.
    links: Vec<(Node, Node)>,
    lists: [Ends; N],
}

#[derive(Debug, Clone, Copy)]
struct Ends {
    front: Node,
    back: Node,
    len: u32,
}

impl<const N: usize> Lists<N> {
    /// Empty, for nodes 0 to `nodes` - 1.
    pub(crate) fn new(nodes: u32) -> Self {
        let empty = Ends { front: NONE, back: NONE, len: 0 };
        Lists { links: vec![(NONE, NONE); nodes as usize], lists: [empty; N] }
    }

    /// Nodes up to `nodes` - 1 from now on, which are at least as many as before.
    pub(crate) fn grow(&mut self, nodes: u32) {
        self.links.resize(nodes as usize, (NONE, NONE));
    }

    /// Adds a node that is in no list.
    #[inline]
    pub(crate) fn push_front(&mut self, list: usize, node: Node) {
        let list = &mut self.lists[list];
        self.links[node as usize] = (NONE, list.front);
        match list.front {
            NONE => list.back = node,
            old => self.links[old as usize].0 = node,
        }
        list.front = node;
        list.len += 1;
    }

    /// Adds a node that is in no list behind one that is in this list, towards the back.
    pub(crate) fn insert_behind(&mut self, list: usize, node: Node, at: Node) {
        let list = &mut self.lists[list];
        let after = std::mem::replace(&mut self.links[at as usize].1, node);
        self.links[node as usize] = (at, after);
        match after {
            NONE => list.back = node,
            after => self.links[after as usize].0 = node,
        }
        list.len += 1;
    }

    /// Takes out a node that is in this list.
    #[inline]
    pub(crate) fn remove(&mut self, list: usize, node: Node) {
        let list = &mut self.lists[list];
        let (before, after) = self.links[node as usize];
        match before {
            NONE => list.front = after,
            before => self.links[before as usize].1 = after,
        }
        match after {
            NONE => list.back = before,
            after => self.links[after as usize].0 = before,
        }
        list.len -= 1;
    }

    /// Asks the processor for all that taking these nodes out needs.
    pub(crate) fn prefetch(&self, nodes: &[Node]) {
        let prefetch_node = |&node: &Node| {
            if let Some(links) = self.links.get(node as usize) {
                prefetch(links);
            }
        };
        nodes.iter().for_each(prefetch_node);
        for &node in nodes {
            let (before, after) = self.links[node as usize];
            [before, after].iter().for_each(prefetch_node);
        }
    }

    #[inline]
    pub(crate) fn front(&self, list: usize) -> Option<Node> {
        some(self.lists[list].front)
    }

    #[inline]
    pub(crate) fn back(&self, list: usize) -> Option<Node> {
        some(self.lists[list].back)
    }

    /// The neighbour towards the front.
    #[inline]
    pub(crate) fn before(&self, node: Node) -> Option<Node> {
        #[cfg(test)]
        super::steps::count();
        some(self.links[node as usize].0)
    }

    /// From the back to the front.
    #[inline]
    pub(crate) fn walk(
        &self,
        list: usize,
        visit: &mut dyn FnMut(Node) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut next = self.back(list);
        while let Some(node) = next {
            visit(node)?;
            next = self.before(node);
        }
        ControlFlow::Continue(())
    }

    #[inline]
    pub(crate) fn len(&self, list: usize) -> u32 {
        self.lists[list].len
    }
}

#[inline]
fn some(node: Node) -> Option<Node> {
    (node != NONE).then_some(node)
}
