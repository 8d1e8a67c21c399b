//! The graph of communities, of lists in memory: each community's edges are summed up by one thread.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::lists::MemoryLists;
use super::near::{Near, Sums};
use super::state::State;

/// Sums that are made, at most, before they are put to those made before.
const GROUP_SUMS: u64 = 1 << 18;

/// Entries that a thread sums up at a time.
const TASK_ENTRIES: u64 = 1 << 13;

/// The lists of some communities.
#[derive(Default)]
struct Part {
    ends: Vec<u64>,
    neighbours: Vec<u32>,
    weights: Vec<f64>,
}

/// The vertices of each community.
struct Members {
    /// Where each community's begin, and the end.
    starts: Vec<u32>,
    vertices: Vec<u32>,
}

impl Members {
    /// `labels` are below `count`.
    fn new(labels: &[u32], count: u32) -> Members {
        let mut starts = vec![0u32; count as usize + 1];
        for label in labels {
            starts[*label as usize + 1] += 1;
        }
        for label in 1..starts.len() {
            starts[label] += starts[label - 1];
        }
        let mut places = starts.clone();
        let mut vertices = vec![0u32; labels.len()];
        for (vertex, label) in (0..).zip(labels) {
            let place = &mut places[*label as usize];
            vertices[*place as usize] = vertex;
            *place += 1;
        }
        Members { starts, vertices }
    }

    fn of(&self, label: usize) -> &[u32] {
        &self.vertices[self.starts[label] as usize..self.starts[label + 1] as usize]
    }
}

/// The graph of communities. `labels` are below `count`; `near` has a place for each label of a vertex.
pub(super) fn condense(
    lists: &MemoryLists,
    labels: &[u32],
    count: u32,
    near: Near,
    threads: usize,
) -> MemoryLists {
    let members = Members::new(labels, count);
    // What the level was moved by is gone, and others may sum up in its place.
    let left = labels.len() as u64 * State::BYTES_LEFT / (u64::from(count).max(1) * Near::BYTES);
    let mut nears = vec![near];
    nears.extend((1..threads.min(1 + left as usize)).map(|_| Near::new(count as usize)));
    let mut made = MemoryLists { loops: 1.0, ..MemoryLists::default() };
    made.ends.reserve_exact(count as usize);
    for group in groups(lists, &members, count) {
        let parts: Vec<Mutex<Part>> = group.iter().map(|_| Mutex::default()).collect();
        let cursor = AtomicUsize::new(0);
        let work = |near: &mut Near| {
            // Relaxed: whoever adds to it has what was added alone.
            loop {
                let at = cursor.fetch_add(1, Ordering::Relaxed);
                let Some(task) = group.get(at) else { break };
                let part = sum_up(lists, labels, &members, task.clone(), near);
                *parts[at].lock().unwrap_or_else(PoisonError::into_inner) = part;
            }
        };
        match rayon::current_thread_index() {
            Some(_) if group.len() > 1 => rayon::scope(|scope| {
                nears.iter_mut().for_each(|near| scope.spawn(|_| work(near)));
            }),
            _ => work(&mut nears[0]),
        }
        for part in parts {
            let part = part.into_inner().unwrap_or_else(PoisonError::into_inner);
            let before = made.neighbours.len() as u64;
            made.ends.extend(part.ends.iter().map(|end| before + end));
            made.neighbours.extend_from_slice(&part.neighbours);
            made.weights.extend_from_slice(&part.weights);
        }
    }
    made
}

/// Groups of tasks: ranges of communities. The sums of a group are bounded, but for a community that has more
/// alone.
fn groups(lists: &MemoryLists, members: &Members, count: u32) -> Vec<Vec<Range<usize>>> {
    let mut groups: Vec<Vec<Range<usize>>> = Vec::new();
    let (mut sums, mut entries) = (GROUP_SUMS + 1, 0);
    for label in 0..count as usize {
        let lengths =
            members.of(label).iter().map(|vertex| lists.list(*vertex as usize, *vertex).len() as u64);
        let listed: u64 = lengths.sum();
        let most = listed.min(count.into());
        if sums + most > GROUP_SUMS {
            groups.push(Vec::new());
            (sums, entries) = (0, 0);
        }
        sums += most;
        let Some(group) = groups.last_mut() else { continue };
        match group.last_mut() {
            Some(task) if entries + listed <= TASK_ENTRIES => {
                task.end = label + 1;
                entries += listed;
            }
            _ => {
                group.push(label..label + 1);
                entries = listed;
            }
        }
    }
    groups
}

/// The lists of some communities.
fn sum_up(lists: &MemoryLists, labels: &[u32], members: &Members, of: Range<usize>, near: &mut Near) -> Part {
    let mut part = Part::default();
    for label in of {
        for member in members.of(label) {
            lists
                .list(*member as usize, *member)
                .each(|neighbour, weight| near.add(labels[neighbour as usize], weight));
        }
        near.sort();
        for (other, weight) in near.all() {
            part.neighbours.push(other);
            part.weights.push(weight);
        }
        part.ends.push(part.neighbours.len() as u64);
        near.clear();
    }
    part
}
