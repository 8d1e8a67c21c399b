//! Stores whose checksums are right and whose contents are not: errors, never panics.

use std::fs;
use std::path::Path;

use leadline_graph::format::Direction;
use leadline_graph::{Graph, GraphError, Options, degree_distribution, verify};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::made::Shape;

const BLOCK: usize = 4096;

/// Writes the store with its first forward block changed and sealed again.
fn forge(store: &[u8], path: &Path, at: usize, bytes: &[u8]) {
    let mut store = store.to_vec();
    let block = &mut store[BLOCK..2 * BLOCK];
    block[at..at + bytes.len()].copy_from_slice(bytes);
    let seal = xxh3_64_with_seed(&block[8..], 1 << 32);
    block[..8].copy_from_slice(&seal.to_le_bytes());
    fs::write(path, store).unwrap();
}

#[test]
fn a_block_that_claims_vertices_it_does_not_hold_is_refused_where_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g");
    let ring: Vec<_> = (0..5000).map(|i| (i, (i + 1) % 5000, 0.0)).collect();
    Shape::new(5000, true).compressed().writer(&path, &ring).finish().unwrap();
    let store = fs::read(&path).unwrap();
    let entries = u16::from_le_bytes([store[BLOCK + 12], store[BLOCK + 13]]);
    for (at, bytes, everywhere, says) in [
        (8, &1u32.to_le_bytes()[..], false, "is not where the directory says"),
        (8, &u32::MAX.to_le_bytes(), true, "has lists of vertices that do not exist"),
        (12, &u16::MAX.to_le_bytes(), true, "has a head that no import writes"),
        (12, &0u16.to_le_bytes(), true, "has a head that no import writes"),
        (12, &(entries - 1).to_le_bytes(), false, "is not where the directory says"),
    ] {
        forge(&store, &path, at, bytes);
        let damaged = |error: GraphError| {
            let text = error.to_string();
            assert!(matches!(error, GraphError::Damaged { .. }), "{text}");
            assert!(text.contains("block 0, at byte 4096, ") && text.contains(says), "{text}");
        };
        let graph = Graph::open(&path, Options::default()).unwrap();
        damaged(graph.wcc().unwrap_err());
        damaged(graph.bfs(&[0]).unwrap_err());
        if everywhere {
            damaged(degree_distribution(&path, Direction::Forward, &mut |_| {}).unwrap_err());
            damaged(verify(&path, &mut |_| {}).unwrap_err());
        }
    }
}
