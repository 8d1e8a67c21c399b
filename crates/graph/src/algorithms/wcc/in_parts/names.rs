//! Components in parts are named by the first vertex in the order of ids, where that is not the order of
//! vertices: the first rank among the vertices of a tree is handed on to the tree's exit, from the highest
//! part down, until it is the name of the component.

use std::ops::Range;

use leadline_graph_store::format::{NO_VERTEX, Vertex};

use super::load;
use crate::algorithms::parts::places;
use crate::algorithms::wcc::pairs::Pairs;
use crate::engine::{StateColumn, StateFile};
use crate::{Graph, GraphError};

/// Bytes of a vertex of a part: its number, and a rank with a root.
pub(super) const EACH: u64 = 12;

/// Gives roots without an exit the first vertices of their components. `column` has roots and exits.
pub(super) fn name(
    graph: &Graph,
    file: &StateFile,
    column: StateColumn<u32>,
    pairs: &mut Pairs,
    ranges: &[Range<Vertex>],
) -> Result<(), GraphError> {
    let mut ids = graph.ids();
    let (mut rank, mut kept) = (0, Ok(()));
    ids.each_vertex(|vertex| {
        if kept.is_ok() {
            kept = pairs.push((vertex, rank));
        }
        rank += 1;
    })?;
    kept?;
    let most = ranges.first().map_or(0, |range| range.len());
    let mut numbers = leadline_files::huge_vec(most);
    // By root: the first rank of its tree, and the root.
    let mut first: Vec<(u32, Vertex)> = leadline_files::huge_vec(most);
    let mut some = Vec::new();
    for (part, range) in ranges.iter().enumerate().rev() {
        graph.check_stop()?;
        let start = range.start;
        load(file, column, range, &mut numbers)?;
        first.clear();
        first.extend(range.clone().map(|vertex| (NO_VERTEX, vertex)));
        while pairs.take(part, &mut some)? {
            for (vertex, rank) in &some {
                let number = numbers[(vertex - start) as usize];
                let root = if (start..*vertex).contains(&number) { number } else { *vertex };
                let first = &mut first[(root - start) as usize].0;
                *first = (*first).min(*rank);
            }
        }
        first.retain(|(rank, _)| *rank != NO_VERTEX);
        // Ranks in their order are read a page at a time.
        first.sort_unstable();
        for (rank, root) in &first {
            let number = &mut numbers[(root - start) as usize];
            if *number < start {
                pairs.push((*number, *rank))?;
            } else {
                *number = ids.vertex((*rank).into())?;
            }
        }
        file.store(column, places(range), |place| numbers[place])?;
    }
    Ok(())
}
