//! Compaction: one base of the old one and all changes.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::merge::fits_in_four_bytes;
use crate::format::header::IdKind;
use crate::format::{Direction, Layout, Scratch, StoreWriter, Weights};
use crate::inspect::StoreFile;
use crate::{GraphError, Progress};

/// What a compaction did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct CompactReport {
    /// Changes since the store was imported, all of which are in the new base.
    pub version: u64,
    /// Of the base and the changes before.
    pub bytes_before: u64,
    /// Of the base now.
    pub bytes_after: u64,
    /// Whether there was anything to do.
    pub compacted: bool,
}

/// Writes all lists of a store, with its changes.
pub(super) fn write(
    store: &StoreFile,
    path: &Path,
    stop: Option<&AtomicBool>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), GraphError> {
    let header = &store.header;
    let layout = Layout {
        block_bytes: header.block_bytes,
        compressed: header.compressed,
        directed: header.directed,
        weights: weights(store)?,
        vertices: header.vertices,
    };
    let mut writer = StoreWriter::create(path, layout)?;
    let mut scratch = Scratch::default();
    let mut done = 0;
    let total = header.edges * if header.directed && header.has_reverse() { 2 } else { 1 };
    let mut side = |writer: &mut StoreWriter, direction| {
        store.blocks(direction, |_, _, block| {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Err(GraphError::Interrupted);
            }
            for vertex in block.vertices() {
                let list = block.list(vertex, &mut scratch);
                done += list.neighbours.len() as u64;
                for (at, neighbour) in list.neighbours.iter().enumerate() {
                    writer.edge(vertex, *neighbour, list.weights.get(at).copied().unwrap_or(0.0))?;
                }
            }
            progress(Progress { phase: "compact", done, total: Some(total) });
            Ok(())
        })
    };
    side(&mut writer, Direction::Forward)?;
    if header.directed && header.has_reverse() {
        writer.start_reverse()?;
        side(&mut writer, Direction::Reverse)?;
    }
    write_ids(store, &mut writer)?;
    writer.set_rules(header.rules);
    writer.finish()?;
    Ok(())
}

fn write_ids(store: &StoreFile, writer: &mut StoreWriter) -> Result<(), GraphError> {
    let vertices = store.header.vertices;
    let mut ids = store.ids();
    match store.base.id_kind {
        // Ids that go from 0 on without gaps need no table.
        IdKind::Dense if is_dense(store)? => {}
        IdKind::Dense | IdKind::Numbers => writer.number_ids((0..vertices).map(|rank| ids.number(rank)))?,
        IdKind::Strings => writer.string_ids(|| {
            let mut ids = store.ids();
            (0..vertices).map(move |rank| ids.text(rank))
        })?,
    }
    let mut ids = store.ids();
    let (mut rank, mut is_sorted) = (0, true);
    ids.each_vertex(|vertex| {
        is_sorted &= vertex == rank;
        rank += 1;
    })?;
    if !is_sorted {
        writer.order((0..vertices).map(|rank| ids.vertex(rank)))?;
    }
    Ok(())
}

/// Whether each id is its rank.
fn is_dense(store: &StoreFile) -> Result<bool, GraphError> {
    let mut ids = store.ids();
    match store.header.vertices {
        0 => Ok(true),
        // Ids ascend.
        count => Ok(ids.number(count - 1)? == count - 1),
    }
}

/// How weights have to be kept, those of changes among them.
fn weights(store: &StoreFile) -> Result<Weights, GraphError> {
    let mut weights = store.base.weights;
    if weights == Weights::F32 {
        store.each_row(|row| {
            if !fits_in_four_bytes(row) {
                weights = Weights::F64;
            }
        })?;
    }
    Ok(weights)
}
