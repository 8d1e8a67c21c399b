//! A program of one's own on the engine: how many vertices have how many edges.
//!
//! `cargo run --release -p leadline-graph --example degrees -- STORE`

use std::path::Path;

use leadline_graph::format::Direction;
use leadline_graph::{Engine, Graph, GraphError, Options, Which};

fn main() -> Result<(), GraphError> {
    let store = std::env::args().nth(1).unwrap_or_else(|| "web.graph".to_owned());
    let graph = Graph::open(Path::new(&store), Options::default())?;
    // What is kept for each vertex goes against the cap, beside cache and buffers: here 8 bytes for each
    // degree.
    let state = (graph.header().max_degree + 1) * 8 * (graph.options().threads as u64 + 1);
    let (counts, stats) = Engine::run(&graph, "degrees", state, |engine| {
        let most = graph.header().max_degree as usize;
        let local = || (vec![0_u64; most + 1], Vec::new());
        // Every block once, by some thread; each thread counts for itself.
        let locals = engine.sweep(Direction::Forward, Which::All, local, |(counts, pieces), block| {
            for vertex in block.vertices() {
                match block.is_piece(vertex) {
                    true => pieces.push((vertex, block.degree(vertex))),
                    false => counts[block.degree(vertex)] += 1,
                }
            }
        })?;
        let mut counts = vec![0; most + 1];
        let mut pieces = Vec::new();
        for (own, found) in locals {
            counts.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            pieces.extend(found);
        }
        // A hub's list lies in several blocks: its degree is the sum of its pieces'.
        pieces.sort_unstable();
        for hub in pieces.chunk_by(|a, b| a.0 == b.0) {
            counts[hub.iter().map(|piece| piece.1).sum::<usize>()] += 1;
        }
        Ok(counts)
    })?;
    for (degree, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        println!("{degree} {count}");
    }
    eprintln!("{:.3} s, {} requests, {:.1} in flight", stats.seconds, stats.requests, stats.mean_depth);
    Ok(())
}
