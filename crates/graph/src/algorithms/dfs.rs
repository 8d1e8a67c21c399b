//! Depth-first search, unordered: deep before wide, but on several ways at once, so that the device has several reads to do
//! (Acar, Charguéraud, Rainey, "A Work-Efficient Algorithm for Parallel Unordered Depth-First Search", SC 2015).
//!
//! There is a stack a thread. Each round takes some vertices off the top of every stack, reads their lists together, and puts
//! the ends of their edges on top; a stack that has run empty steals from the bottom of the longest.
//!
//! What holds of the forest, however many threads and reads there are: every vertex that the sources lead to is in it
//! once; an edge leads from every parent to its child; a parent comes before its child in the order; roots are sources.
//! With one thread and a depth of one it is that of a depth-first search: an edge that leads from a vertex to a later one
//! leads to a descendant. With more it need not be. The same threads, depth and blocks make the same forest again.

mod stacks;

use std::mem;

use crate::format::{Direction, NO_VERTEX, Vertex};
use crate::{Engine, Graph, GraphError, RunStats, Which};

use super::lists::spare;
use stacks::Stacks;

/// What a depth-first search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Dfs {
    /// By vertex: the one that it was found from; [`NO_VERTEX`] for roots and for what was not reached.
    pub parents: Vec<Vertex>,
    /// By vertex: the source that its tree grew from; [`NO_VERTEX`] where it was not reached.
    pub roots: Vec<Vertex>,
    /// By vertex: how many were visited before it; [`NO_VERTEX`] where it was not reached.
    pub order: Vec<u32>,
    /// Vertices reached.
    pub reached: u64,
    /// What it took.
    pub stats: RunStats,
}

struct Search<'g> {
    graph: &'g Graph,
    parents: Vec<Vertex>,
    roots: Vec<Vertex>,
    order: Vec<u32>,
    reached: u32,
    stacks: Stacks,
}

impl Graph {
    /// Depth-first search from these sources, or from every vertex in the order of the users' ids where there are none.
    ///
    /// # Errors
    /// [`GraphError::Memory`] below about 24 bytes a vertex; what the device or a damaged store gives.
    ///
    /// # Panics
    /// Where a source is no vertex of the graph; see [`Graph::vertex`].
    pub fn dfs(&self, sources: &[Vertex]) -> Result<Dfs, GraphError> {
        let options = self.options();
        let threads = options.threads.max(1) as u64;
        // The lists of a round: a value takes at least 5/4 bytes in its block, 8 here, and as many where they are collected.
        let a_list = 14 * u64::from(self.header().block_bytes);
        let state = self.vertices() * 24;
        let most = (spare(self, state) / 4 / a_list / threads).max(1);
        let each = (u64::from(options.depth) / threads).clamp(1, most) as usize;
        let bytes = state + each as u64 * threads * a_list;
        let (search, stats) = Engine::run(self, "depth-first search", bytes, |engine| {
            let mut ids = self.ids();
            let mut search = Search::new(self, threads as usize);
            let all = if sources.is_empty() { self.vertices() } else { sources.len() as u64 };
            let sources = (0..all).map(|i| match sources.get(i as usize) {
                Some(source) => Ok(*source),
                None => ids.vertex(i),
            });
            search.run(engine, sources, each)?;
            Ok(search)
        })?;
        let Search { parents, roots, order, reached, .. } = search;
        Ok(Dfs { parents, roots, order, reached: u64::from(reached), stats })
    }
}

/// A vertex whose list is to be read, and where from: its stack, and the blocks of the list that are left.
#[derive(Debug, Clone, Copy)]
struct Taken {
    vertex: Vertex,
    stack: usize,
    first_block: u32,
    last_block: u32,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph, threads: usize) -> Search<'g> {
        let none = || vec![NO_VERTEX; graph.vertices() as usize];
        let stacks = Stacks::new(threads, graph.vertices());
        Search { graph, parents: none(), roots: none(), order: none(), reached: 0, stacks }
    }

    /// Rounds of up to `each` vertices a stack, until nothing is left.
    fn run(
        &mut self,
        engine: &mut Engine<'_>,
        mut sources: impl Iterator<Item = Result<Vertex, GraphError>>,
        each: usize,
    ) -> Result<(), GraphError> {
        let mut taken = Vec::new();
        loop {
            for stack in 0..self.stacks.count() {
                if self.stacks.is_empty(stack) && !self.stacks.steal(stack) {
                    self.begin(stack, &mut sources)?;
                }
                for _ in 0..each {
                    let Some(vertex) = self.stacks.pop(stack) else { break };
                    taken.push(self.take(vertex, stack));
                }
            }
            if taken.is_empty() {
                return Ok(());
            }
            while !taken.is_empty() {
                self.read(engine, &taken)?;
                // A hub's list from its end, so that its beginning comes on top.
                taken.retain(|taken| taken.last_block > taken.first_block);
                taken.iter_mut().for_each(|taken| taken.last_block -= 1);
            }
        }
    }

    /// The next source that was not visited yet grows a tree on this stack.
    fn begin(
        &mut self,
        stack: usize,
        sources: &mut impl Iterator<Item = Result<Vertex, GraphError>>,
    ) -> Result<(), GraphError> {
        for source in sources {
            let source = source?;
            if self.order[source as usize] == NO_VERTEX {
                self.parents[source as usize] = NO_VERTEX;
                self.stacks.push(stack, source);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Visits a vertex: it has its place in the forest now.
    fn take(&mut self, vertex: Vertex, stack: usize) -> Taken {
        let place = vertex as usize;
        self.order[place] = self.reached;
        self.reached += 1;
        self.roots[place] = match self.parents[place] {
            NO_VERTEX => vertex,
            parent => self.roots[parent as usize],
        };
        let directory = self.graph.directory(Direction::Forward);
        let (first_block, last_block) = (directory.block_of(vertex), directory.last_block_of(vertex));
        Taken { vertex, stack, first_block, last_block }
    }

    /// Reads the last blocks of the lists that are left, and puts what was not visited on the stacks.
    fn read(&mut self, engine: &mut Engine<'_>, taken: &[Taken]) -> Result<(), GraphError> {
        let mut wanted: Vec<(u32, u32)> = (0..).zip(taken).map(|(i, taken)| (taken.last_block, i)).collect();
        wanted.sort_unstable();
        let mut blocks: Vec<u32> = wanted.iter().map(|(block, _)| *block).collect();
        blocks.dedup();
        let order = &self.order;
        let local = || (0, Vec::new());
        let locals =
            engine.sweep(Direction::Forward, Which::Blocks(&blocks), local, |(edges, found), block| {
                let start = wanted.partition_point(|(wanted, _)| *wanted < block.number());
                for (_, i) in wanted[start..].iter().take_while(|(wanted, _)| *wanted == block.number()) {
                    block.scan(taken[*i as usize].vertex, |neighbour| {
                        *edges += 1;
                        if order[neighbour as usize] == NO_VERTEX {
                            found.push((*i, neighbour));
                        }
                        true
                    });
                }
            })?;
        let mut all = Vec::new();
        for (edges, mut found) in locals {
            engine.looked_at(edges);
            if all.is_empty() {
                mem::swap(&mut all, &mut found);
            } else {
                all.append(&mut found);
            }
        }
        // In one order, whatever the threads did. The first to be visited comes last, and so on top.
        all.sort_unstable_by(|a: &(u32, Vertex), b| b.cmp(a));
        for (i, neighbour) in all {
            let from = &taken[i as usize];
            self.parents[neighbour as usize] = from.vertex;
            self.stacks.push(from.stack, neighbour);
        }
        Ok(())
    }
}
