//! Walks on lists in memory. A step waits for memory a few times, wherever the lists lie, so a thread leads
//! many walkers in turns: what one walker needs next is on its way while other walkers go on.

use std::sync::atomic::{AtomicU64, Ordering};

use leadline_graph_store::format::Vertex;
use rayon::prelude::*;

use super::WalkOptions;
use super::lane::{Lane, World};
use super::law::Law;
use super::random::Chance;
use crate::engine::Csr;
use crate::{Engine, Graph, GraphError};

/// Walkers that a thread leads in turns.
const LANES: usize = 64;

/// Most walkers that a thread takes at a time.
const CHUNK: usize = 1 << 10;

/// Most walkers of a batch: while one is handed on, the next is made.
const BATCH: u64 = 1 << 15;

/// Walks of some walkers, one after the other.
struct Walked {
    first: u64,
    /// Walker by walker, as many places as the longest walk has vertices.
    paths: Vec<Vertex>,
    /// Edges that each followed.
    steps: Vec<u32>,
}

/// Makes all walks and hands them on; the edges they followed. No more than `at_once` walkers are in memory.
pub(super) fn walk(
    engine: &mut Engine<'_>,
    lists: &Csr,
    options: &WalkOptions,
    at_once: u64,
    mut sink: impl FnMut(u64, &[Vertex]) -> Result<(), GraphError> + Send,
) -> Result<u64, GraphError> {
    let graph = engine.graph();
    let walks = graph.walk_count(options);
    let world = World::new(graph, lists, Law::new(options), options.length);
    let (edges, mut steps) = (AtomicU64::new(0), 0);
    // Two batches are there together.
    let most = (at_once / 2).clamp(1, BATCH);
    let mut done = Walked { first: 0, paths: Vec::new(), steps: Vec::new() };
    let mut first = 0;
    while first < walks {
        let count = most.min(walks - first);
        engine.expect(first as f64 / walks as f64..(first + count) as f64 / walks as f64);
        let starts = graph.starts(options, first, count)?;
        let chunk = (starts.len().div_ceil(4 * engine.threads())).clamp(1, CHUNK);
        engine.begin_pass(starts.len().div_ceil(chunk) as u32)?;
        let make = || lead_all(graph, &world, options, first, &starts, chunk, &edges);
        let (next, given) = rayon::join(make, || give(&done, options.length, &mut sink));
        steps += given?;
        graph.check_stop()?;
        (done, first) = (next, first + count);
    }
    steps += give(&done, options.length, &mut sink)?;
    engine.add_scanned_edges(edges.into_inner());
    Ok(steps)
}

/// Makes the walks from some starts.
fn lead_all(
    graph: &Graph,
    world: &World<'_>,
    options: &WalkOptions,
    first: u64,
    starts: &[Vertex],
    chunk: usize,
    edges: &AtomicU64,
) -> Walked {
    let width = options.length as usize + 1;
    let mut paths = leadline_files::huge_vec(starts.len() * width);
    paths.resize(starts.len() * width, 0);
    let mut steps = vec![0; starts.len()];
    (paths.par_chunks_mut(chunk * width).zip(steps.par_chunks_mut(chunk)).zip(starts.par_chunks(chunk)))
        .enumerate()
        .with_max_len(1)
        .for_each(|(at, ((paths, steps), starts))| {
            if graph.step() {
                let chance = |walker: usize| Chance::of(options.seed, first + (at * chunk + walker) as u64);
                let looked = lead(world, chance, starts, paths, steps);
                edges.fetch_add(looked, Ordering::Relaxed);
            }
        });
    Walked { first, paths, steps }
}

/// Leads walkers from their starts to their ends, some of them at a time. How many entries were looked at.
fn lead(
    world: &World<'_>,
    chance: impl Fn(usize) -> Chance,
    starts: &[Vertex],
    paths: &mut [Vertex],
    steps: &mut [u32],
) -> u64 {
    let width = paths.len() / starts.len();
    let mut waiting = starts.iter().enumerate();
    let mut begin = || waiting.next().map(|(walker, start)| Lane::new(world, walker, chance(walker), *start));
    let mut lanes: Vec<Lane> = std::iter::from_fn(&mut begin).take(LANES).collect();
    starts.iter().zip(paths.chunks_mut(width)).for_each(|(start, path)| path[0] = *start);
    let mut looked = 0;
    while !lanes.is_empty() {
        let mut at = 0;
        while let Some(lane) = lanes.get_mut(at) {
            if let Some(to) = lane.go_on(world, &mut looked) {
                paths[lane.walker * width + lane.step as usize] = to;
            }
            if !lane.has_ended(world) {
                at += 1;
                continue;
            }
            steps[lane.walker] = lane.step;
            match begin() {
                Some(next) => (lanes[at], at) = (next, at + 1),
                None => drop(lanes.swap_remove(at)),
            }
        }
    }
    looked
}

/// Hands walks on; the edges they followed.
fn give(
    walked: &Walked,
    length: u32,
    sink: &mut impl FnMut(u64, &[Vertex]) -> Result<(), GraphError>,
) -> Result<u64, GraphError> {
    let mut total = 0;
    let paths = walked.paths.chunks(length as usize + 1);
    for ((path, steps), walker) in paths.zip(&walked.steps).zip(walked.first..) {
        sink(walker, &path[..=*steps as usize])?;
        total += u64::from(*steps);
    }
    Ok(total)
}
