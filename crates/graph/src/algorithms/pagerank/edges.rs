//! Edges that all count the same, and edges that count by their weights. The loops over edges are compiled
//! for each: without weights, none asks for any.

use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::Ordering;

use leadline_graph_store::format::{Block, Direction, Group, GroupWeights, Groups, Vertex};

use super::hubs::each_hub;
use super::shared::{Double, Shared};
use crate::algorithms::lists::{sweep_lists_of_range, sweep_range};
use crate::algorithms::{by_vertex, numbers, plain};
use crate::engine::Stored;
use crate::{Engine, Graph, GraphError};

/// Values of a group.
pub(super) const GROUP: usize = 4;

/// How a vertex shares its rank out among its edges.
pub(super) trait Edges {
    /// What a vertex gives along an edge of weight 1.
    type Give: Shared + Stored;
    /// The weights of a vertex's edges together.
    type Total: Stored + Copy + Into<f64>;
    /// An edge of a list: where it leads, and its weight if that is not 1.
    type Edge: Copy + Default + Send;
    /// The weights of a list.
    type Weights<'a>;

    /// By vertex of a range: the weights of its edges together.
    ///
    /// # Errors
    /// [`GraphError::Malformed`] where ranks cannot be shared out by them.
    fn totals(engine: &mut Engine<'_>, range: &Range<Vertex>) -> Result<Vec<Self::Total>, GraphError>;

    /// The weights of a list of a block, whose neighbours are in `groups`.
    fn weights<'a>(block: &Block<'a>, list: (usize, usize), groups: &Groups<'a>) -> Self::Weights<'a>;

    /// The edges of the next group of a list, which lead to `ends`.
    fn edges(ends: [u32; GROUP], weights: &mut Self::Weights<'_>) -> [Self::Edge; GROUP];

    /// An edge that leads to `end`; without weights, none is asked for.
    fn edge(end: u32, weight: f64) -> Self::Edge;

    /// Where an edge leads.
    fn end(edge: Self::Edge) -> u32;

    /// What an edge carries.
    fn carried(give: f64, edge: Self::Edge) -> f64;

    /// Calls `each` with the edges of a list.
    #[inline]
    fn scan(block: &Block<'_>, vertex: Vertex, list: (usize, usize), mut each: impl FnMut(Self::Edge)) {
        let groups = block.groups_at(vertex, list);
        let mut weights = Self::weights(block, list, &groups);
        for Group { values, len } in groups {
            Self::edges(values, &mut weights).into_iter().take(len).for_each(&mut each);
        }
    }
}

/// Each edge has the weight 1; what vertices give is kept as `Give`.
pub(super) struct Unweighted<Give>(PhantomData<Give>);

impl<Give: Shared + Stored> Edges for Unweighted<Give> {
    type Give = Give;
    type Total = u32;
    type Edge = u32;
    type Weights<'a> = ();

    fn totals(engine: &mut Engine<'_>, range: &Range<Vertex>) -> Result<Vec<u32>, GraphError> {
        let degrees = numbers(range.len() as u64, |_| 0);
        sweep_lists_of_range(
            engine,
            Direction::Forward,
            range,
            || (),
            |(), lists| {
                lists.each_degree(|vertex, here| {
                    let Some(degree) = degrees.get(vertex.wrapping_sub(range.start) as usize) else { return };
                    if lists.is_piece(vertex) {
                        degree.fetch_add(here as u32, Ordering::Relaxed);
                    } else {
                        degree.store(here as u32, Ordering::Relaxed);
                    }
                });
            },
        )?;
        Ok(plain(degrees))
    }

    #[inline(always)]
    fn weights<'a>(_: &Block<'a>, _: (usize, usize), _: &Groups<'a>) {}

    #[inline(always)]
    fn edges(ends: [u32; GROUP], (): &mut ()) -> [u32; GROUP] {
        ends
    }

    #[inline(always)]
    fn edge(end: u32, _: f64) -> u32 {
        end
    }

    #[inline(always)]
    fn end(edge: u32) -> u32 {
        edge
    }

    #[inline(always)]
    fn carried(give: f64, _: u32) -> f64 {
        give
    }
}

/// Edges by their weights. What vertices give is kept in double precision: weights may span more than single
/// precision does.
pub(super) struct Weighted;

/// What a vertex's weights may add up to, if not 0: what it gives, and what an edge then carries, is within
/// double precision.
const TOTALS: RangeInclusive<f64> = 1e-250..=1e250;

/// What a thread finds.
struct Found {
    /// Of each piece of a hub: its weights together.
    pieces: Vec<(Vertex, f64)>,
    /// The first edge whose weight is refused.
    refused: Option<(Vertex, Vertex)>,
}

impl Edges for Weighted {
    type Give = Double;
    type Total = f64;
    type Edge = (u32, f64);
    type Weights<'a> = GroupWeights<'a>;

    fn totals(engine: &mut Engine<'_>, range: &Range<Vertex>) -> Result<Vec<f64>, GraphError> {
        let graph = engine.graph();
        let totals = by_vertex(range.len() as u64, |_| Double::new(0.0));
        let found = sweep_range(
            engine,
            Direction::Forward,
            range,
            || Found { pieces: Vec::new(), refused: None },
            |found, block| {
                for (vertex, list) in block.places().filter(|(vertex, _)| range.contains(vertex)) {
                    let mut total = 0.0;
                    Weighted::scan(block, vertex, list, |(neighbour, weight)| {
                        total += weight;
                        if !(0.0..f64::INFINITY).contains(&weight) {
                            let edge = (vertex, neighbour);
                            found.refused = Some(found.refused.map_or(edge, |before| before.min(edge)));
                        }
                    });
                    if block.is_piece(vertex) {
                        found.pieces.push((vertex, total));
                    } else {
                        totals[(vertex - range.start) as usize].set(total);
                    }
                }
            },
        )?;
        if let Some(edge) = found.iter().filter_map(|found| found.refused).min() {
            return Err(refused(graph, edge));
        }
        each_hub(found.into_iter().flat_map(|found| found.pieces), |vertex, total| {
            totals[(vertex - range.start) as usize].set(total);
        });
        let totals: Vec<f64> = totals.into_iter().map(|total| total.get()).collect();
        match totals.iter().position(|total| *total != 0.0 && !TOTALS.contains(total)) {
            Some(place) => Err(out_of_range(graph, range.start + place as Vertex, totals[place])),
            None => Ok(totals),
        }
    }

    #[inline(always)]
    fn weights<'a>(block: &Block<'a>, list: (usize, usize), groups: &Groups<'a>) -> GroupWeights<'a> {
        block.weights_at(list, groups.values())
    }

    #[inline(always)]
    fn edges(ends: [u32; GROUP], weights: &mut GroupWeights<'_>) -> [(u32, f64); GROUP] {
        let weights = weights.next_group();
        std::array::from_fn(|at| (ends[at], weights[at]))
    }

    #[inline(always)]
    fn edge(end: u32, weight: f64) -> (u32, f64) {
        (end, weight)
    }

    #[inline(always)]
    fn end((end, _): (u32, f64)) -> u32 {
        end
    }

    #[inline(always)]
    fn carried(give: f64, (_, weight): (u32, f64)) -> f64 {
        give * weight
    }
}

/// What is said of an edge along which no rank can be given.
fn refused(graph: &Graph, (from, to): (Vertex, Vertex)) -> GraphError {
    match (graph.id_of(from), graph.id_of(to)) {
        (Ok(from), Ok(to)) => {
            let what = format!(
                "the edge from {from} to {to} has a negative weight, or one that is not finite; weighted \
                 PageRank needs weights of 0 and more"
            );
            GraphError::malformed(graph.name(), what)
        }
        (Err(error), _) | (_, Err(error)) => error,
    }
}

/// What is said of a vertex whose rank cannot be divided by its weights.
fn out_of_range(graph: &Graph, vertex: Vertex, total: f64) -> GraphError {
    let (least, most) = (TOTALS.start(), TOTALS.end());
    graph.id_of(vertex).map_or_else(
        |error| error,
        |id| {
            let what = format!(
                "the weights of the edges from {id} add up to {total:e}; weighted PageRank needs 0, or \
                 {least:e} to {most:e}: scale the weights"
            );
            GraphError::malformed(graph.name(), what)
        },
    )
}
