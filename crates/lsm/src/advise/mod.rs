//! Which layout suits a workload: the whole space searched, the best one and what its neighbours cost.

mod candidate;
mod front;
mod memory;
mod neighbours;
mod parallel;
mod search;
mod searched;
mod space;
mod wanted;

use crate::{Layout, LsmError, Machine};
use parallel::in_parallel;
use search::search;
use searched::Searched;

pub use candidate::Candidate;
pub use neighbours::Neighbour;
pub use wanted::{Endurance, Wanted};

/// Layouts whose mixes reach this share of the best count as as good; the one that writes least is chosen.
const AS_GOOD: f64 = 0.99;

/// Steps that are taken from the best layout of the space to a better neighbour.
const STEPS: u32 = 8;

/// Layouts of the front that are shown.
const FRONT: usize = 8;

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The layout to take.
    pub chosen: Candidate,
    /// Layouts of which none is better than another in everything: time of queries, rate of inserts, space
    /// and bytes written. From the fastest queries to the slowest, the chosen one among them.
    pub front: Vec<Candidate>,
    /// What one step in each direction from the chosen layout comes to.
    pub neighbours: Vec<Neighbour>,
    /// How many layouts were looked at.
    pub searched: usize,
}

/// Finds the layout that does most operations of the mix per second within what is wanted. It takes
/// seconds, on all processors: `progress` is told the share that is done, 0 to 1.
///
/// # Errors
/// [`LsmError::OutOfRange`]: the data, the memory or the number of clients makes no sense;
/// [`LsmError::NothingFits`]: no layout meets a limit; how near the nearest comes.
pub fn advise(wanted: &Wanted, machine: &Machine, progress: &mut dyn FnMut(f64)) -> Result<Advice, LsmError> {
    wanted.check()?;
    let first = space::first(wanted, machine.cores);
    // What follows the first round takes about half as long as that.
    let mut searched = search(wanted, machine, &first, &mut |done| progress(0.7 * done));
    if wanted.jobs.is_none() {
        // The number of compactions at a time matters little to which shape is best: it is tried for these.
        let more = space::other_jobs(&best_shapes(&searched), machine.cores);
        searched.extend(search(wanted, machine, &more, &mut |done| progress(0.7 + 0.1 * done)));
    }
    let count = searched.len();
    let allowed = within(wanted, searched)?;
    let most = allowed.iter().map(|s| s.per_second).fold(0.0, f64::max);
    let good = allowed.iter().filter(|s| s.per_second >= AS_GOOD * most);
    let chosen = good.min_by(|a, b| a.write_amplification.total_cmp(&b.write_amplification));
    let chosen = chosen.expect("a layout that is allowed").layout;
    let mut front: Vec<Layout> = front::front(&allowed, FRONT).iter().map(|s| s.layout).collect();
    if !front.contains(&chosen) {
        front.push(chosen);
    }
    let candidate = |layout: &Layout| Candidate::of(wanted, layout, machine);
    let mut front = in_parallel(&front, &candidate, &mut |done| progress(0.8 + 0.1 * done));
    front.sort_by(|a, b| a.read_us.total_cmp(&b.read_us));
    let is_chosen = |candidate: &&Candidate| candidate.prediction.layout == chosen;
    let mut chosen = front.iter().find(is_chosen).expect("the chosen layout is on the front").clone();
    let mut neighbours =
        neighbours::neighbours(wanted, &chosen, machine, &mut |done| progress(0.9 + 0.05 * done));
    // Not every combination is in the space: where a step away is better, that step is taken.
    for _ in 0..STEPS {
        let Some(better) = better_neighbour(wanted, &chosen, &neighbours) else { break };
        chosen = better;
        front.push(chosen.clone());
        neighbours = neighbours::neighbours(wanted, &chosen, machine, &mut |_| progress(0.97));
    }
    front.sort_by(|a, b| a.read_us.total_cmp(&b.read_us));
    Ok(Advice { chosen, front, neighbours, searched: count })
}

/// The best neighbour within all limits, if it does clearly more than the chosen layout.
fn better_neighbour(wanted: &Wanted, chosen: &Candidate, neighbours: &[Neighbour]) -> Option<Candidate> {
    let rate = |candidate: &Candidate| candidate.prediction.mix.per_second.value;
    let allowed = neighbours.iter().map(|neighbour| &neighbour.candidate).filter(|candidate| {
        let jobs = candidate.prediction.layout.jobs;
        wanted.jobs.is_none_or(|wanted| wanted == jobs)
            && wanted.p99_us.is_none_or(|limit| candidate.prediction.mix.point_p99_us <= limit)
            && wanted.life_years.is_none_or(|years| candidate.life_years.is_some_and(|life| life >= years))
    });
    let best = allowed.max_by(|a, b| rate(a).total_cmp(&rate(b)))?;
    (AS_GOOD * rate(best) > rate(chosen)).then(|| best.clone())
}

/// The best layouts of different shapes.
fn best_shapes(searched: &[Searched]) -> Vec<Layout> {
    let mut order: Vec<&Searched> = searched.iter().collect();
    order.sort_by(|a, b| b.per_second.total_cmp(&a.per_second));
    let mut shapes: Vec<Layout> = Vec::new();
    for searched in order {
        let same = |l: &Layout| space::same_shape(l, &searched.layout);
        if !shapes.iter().any(same) && shapes.len() < 4 {
            shapes.push(searched.layout);
        }
    }
    shapes
}

/// Those that meet every limit.
fn within(wanted: &Wanted, searched: Vec<Searched>) -> Result<Vec<Searched>, LsmError> {
    if searched.is_empty() {
        let least = memory::least(&wanted.data);
        return Err(LsmError::NothingFits {
            limit: format!("{:.1} MiB of memory", wanted.memory_bytes / 1048576.0),
            nearest: format!("memtables and indexes take {:.1} MiB at least", least / 1048576.0),
        });
    }
    let mut allowed = searched;
    if let Some(limit) = wanted.p99_us {
        let least = allowed.iter().map(|s| s.p99_us).fold(f64::INFINITY, f64::min);
        allowed.retain(|s| s.p99_us <= limit);
        if allowed.is_empty() {
            return Err(LsmError::NothingFits {
                limit: format!("a 99th percentile of {limit:.0} us"),
                nearest: format!("the lowest is {least:.0} us"),
            });
        }
    }
    if let Some(years) = wanted.life_years {
        let most = allowed.iter().filter_map(|s| s.life_years).fold(f64::NEG_INFINITY, f64::max);
        allowed.retain(|s| s.life_years.is_some_and(|life| life >= years));
        if allowed.is_empty() {
            return Err(LsmError::NothingFits {
                limit: format!("a life of {years} years"),
                nearest: if most.is_finite() {
                    format!("the longest is {most:.1} years at this rate")
                } else {
                    "neither the drive's rating nor its own write amplification is known".to_owned()
                },
            });
        }
    }
    Ok(allowed)
}
