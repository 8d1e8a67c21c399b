//! Leiden's refinement: every community is taken apart, and put together again along its edges only, so that
//! each part is connected.

use super::super::walk::random::{mix, unit};
use super::lists::Lists;
use super::moving::{State, entries};
use crate::{Frontier, GraphError};

/// How readily a part is chosen that gains less than the best, in mean weights of an entry: the paper's
/// theta.
const THETA: f64 = 0.01;

/// Rounding, as a share of what is compared.
const ROUNDING: f64 = 1e-10;

/// Bytes per vertex, in addition to the state.
pub(super) const BYTES: u64 = 4 + 8 + 8;

/// By vertex, its part; numbered as one of its vertices.
///
/// # Errors
/// What `lists` fails with.
pub(super) fn refine(state: &mut State, lists: &mut impl Lists, seed: u64) -> Result<Vec<u32>, GraphError> {
    let vertices = lists.vertices();
    let mut all = Frontier::new(vertices);
    all.fill();
    // By part: the weight of its edges to the rest of its community. At first, every vertex is one.
    let (mut leading_out, mut listed) = (vec![0.0; vertices as usize], 0u64);
    let community = &state.community;
    lists.visit(&all, 0, &mut |vertex, list| {
        let own = community[vertex as usize];
        let inside = |neighbour: u32| neighbour != vertex && community[neighbour as usize] == own;
        leading_out[vertex as usize] =
            entries(list).filter(|(neighbour, _)| inside(*neighbour)).map(|(_, weight)| weight).sum();
        listed += list.iter().map(|piece| piece.len() as u64).sum::<u64>();
        Ok(())
    })?;
    let theta = THETA * state.twice / listed.max(1) as f64;
    let mut parts: Vec<u32> = (0..vertices as u32).collect();
    let mut totals = state.degree.clone();
    let mut alone = Frontier::new(vertices);
    alone.fill();
    lists.visit(&all, mix(seed), &mut |vertex, list| {
        let at = vertex as usize;
        let (own, degree) = (state.community[at], state.degree[at]);
        if !alone.contains(vertex) {
            return Ok(());
        }
        let of_community = state.total[own as usize];
        let is_tied = |state: &State, total: f64, out: f64| {
            let expected = state.expected(total, of_community - total);
            out >= expected - ROUNDING * total
        };
        if !is_tied(state, degree, leading_out[at]) {
            return Ok(());
        }
        for (neighbour, weight) in entries(list).filter(|(neighbour, _)| *neighbour != vertex) {
            if state.community[*neighbour as usize] == own {
                state.near.add(parts[*neighbour as usize], *weight);
            }
        }
        let gain =
            |part: u32| state.near.weight[part as usize] - state.expected(degree, totals[part as usize]);
        let may = |part: &&u32| {
            let place = **part as usize;
            is_tied(state, totals[place], leading_out[place]) && gain(**part) >= -ROUNDING * degree
        };
        let chosen = {
            let candidates = || state.near.labels.iter().filter(may);
            let most = candidates().map(|part| gain(*part)).fold(f64::NEG_INFINITY, f64::max);
            let share = |part: &u32| ((gain(*part) - most) / theta).exp();
            let mut left = unit(mix(seed ^ mix(u64::from(vertex)))) * candidates().map(share).sum::<f64>();
            // Rounding may leave some of it for after the last.
            let mut last = None;
            for part in candidates() {
                last = Some(*part);
                left -= share(part);
                if left < 0.0 {
                    break;
                }
            }
            last
        };
        if let Some(part) = chosen {
            let place = part as usize;
            leading_out[place] += leading_out[at] - 2.0 * state.near.weight[place];
            totals[place] += degree;
            (totals[at], leading_out[at], parts[at]) = (0.0, 0.0, part);
            alone.remove(vertex);
            alone.remove(part);
        }
        state.near.clear();
        Ok(())
    })?;
    Ok(parts)
}
