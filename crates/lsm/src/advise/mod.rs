//! Which layout suits a workload: the whole space searched, the best one and what its neighbours cost.

mod candidate;
mod front;
mod memory;
mod nearness;
mod neighbours;
mod parallel;
mod search;
mod searched;
mod space;
mod wanted;

use crate::{Layout, LsmError, Machine};
use nearness::PER_DOUBLING;
use parallel::in_parallel;
use search::search;
use searched::Searched;

pub use candidate::Candidate;
pub use neighbours::Neighbour;
pub use wanted::{Endurance, Wanted};

/// Steps that are taken from the chosen layout to a neighbour outside of the space that is worth clearly
/// more, and how much more, a logarithm.
const STEPS: u32 = 8;
const CLEARLY: f64 = 0.1;

/// Layouts of the front that are shown.
const FRONT: usize = 8;

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The layout to take. Each doubling that it is away from RocksDB's defaults brings
    /// [`Advice::PER_DOUBLING`] times as many operations per second, and it does [`Advice::LEAST`] of the
    /// most that any does.
    pub chosen: Candidate,
    /// The one that does most operations of the mix per second, however far from the defaults.
    pub most: Candidate,
    /// Layouts of which none is better than another in everything: time of queries, rate of inserts, space
    /// and bytes written. From the fastest queries to the slowest, the chosen one among them.
    pub front: Vec<Candidate>,
    /// What one step in each direction from the chosen layout comes to.
    pub neighbours: Vec<Neighbour>,
    /// How many layouts were looked at.
    pub searched: usize,
    /// The layouts that do [`Advice::TIED`] of the chosen one's operations per second or more. It comes
    /// first, then from the nearest to RocksDB's defaults to the farthest.
    pub tied: Vec<Tied>,
}

/// A layout that does as many operations per second as the chosen one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tied {
    /// The layout.
    pub layout: Layout,
    /// Operations of the mix per second.
    pub per_second: f64,
    /// How far it is from RocksDB's defaults, in doublings of settings.
    pub distance: f64,
}

impl Advice {
    /// Operations per second that each doubling away from the defaults must bring, as a factor.
    pub const PER_DOUBLING: f64 = PER_DOUBLING;

    /// Share of the most operations per second that any layout does, which the chosen one does at least.
    pub const LEAST: f64 = nearness::LEAST;

    /// Share of the chosen layout's operations per second from which another one does as many: chance of the
    /// loads moves both by some percent.
    pub const TIED: f64 = 0.95;

    /// Whether the device's costs, within their intervals, decide that another layout does more than the
    /// chosen one.
    pub fn is_decided(&self) -> bool {
        self.most.prediction.mix.without_model_ci[0] > self.chosen.prediction.mix.without_model_ci[1]
    }
}

/// Finds the layout that does most operations of the mix per second within what is wanted, where each
/// doubling away from RocksDB's defaults must bring a tenth more: what profiles of one device, and loads of
/// one layout, come to differs by some percent, and no such difference is to decide. It takes seconds, on all
/// processors: `progress` is told the share that is done, 0 to 1.
///
/// # Errors
/// [`LsmError::OutOfRange`]: the data, the memory or the number of clients makes no sense;
/// [`LsmError::NothingFits`]: no layout meets a limit; how near the nearest comes.
pub fn advise(wanted: &Wanted, machine: &Machine, progress: &mut dyn FnMut(f64)) -> Result<Advice, LsmError> {
    wanted.check()?;
    let searched = search(wanted, machine, &mut |done| progress(0.7 * done));
    let count = searched.len();
    let allowed = within(wanted, searched)?;
    let mut chosen = worthiest(&allowed).layout;
    let most = *allowed.iter().max_by(|a, b| a.per_second.total_cmp(&b.per_second)).expect("a layout");
    let mut shown: Vec<Layout> = front::front(&allowed, FRONT).iter().map(|s| s.layout).collect();
    for layout in [chosen, most.layout] {
        if !shown.contains(&layout) {
            shown.push(layout);
        }
    }
    let candidate = |layout: &Layout| Candidate::of(wanted, layout, machine);
    let mut front = in_parallel(&shown, &candidate, &mut |done| progress(0.7 + 0.15 * done));
    // Not every combination is in the space: a step away may be clearly better.
    let mut step = 0;
    let neighbours = loop {
        let from = of_layout(&front, &chosen);
        let neighbours = neighbours::neighbours(wanted, &from, machine, &mut |done| {
            progress(if step == 0 { 0.85 + 0.12 * done } else { 0.97 });
        });
        let Some(better) = better_neighbour(wanted, &from, &neighbours).filter(|_| step < STEPS) else {
            break neighbours;
        };
        (chosen, step) = (better.prediction.layout, step + 1);
        if !front.contains(&better) {
            front.push(better);
        }
    };
    front.sort_by(|a, b| a.read_us.total_cmp(&b.read_us));
    let (most, chosen) = (of_layout(&front, &most.layout), of_layout(&front, &chosen));
    let tied = tied(&allowed, &chosen);
    Ok(Advice { chosen, most, front, neighbours, searched: count, tied })
}

fn of_layout(candidates: &[Candidate], layout: &Layout) -> Candidate {
    let found = candidates.iter().find(|candidate| candidate.prediction.layout == *layout);
    found.expect("a layout that is shown").clone()
}

/// The neighbour within all limits that is worth most, if it is worth clearly more than the chosen layout.
fn better_neighbour(wanted: &Wanted, chosen: &Candidate, neighbours: &[Neighbour]) -> Option<Candidate> {
    let worth = |candidate: &Candidate| {
        nearness::worth(&candidate.prediction.layout, candidate.prediction.mix.per_second.value)
    };
    let allowed = neighbours.iter().map(|neighbour| &neighbour.candidate).filter(|candidate| {
        let jobs = candidate.prediction.layout.jobs;
        wanted.jobs.is_none_or(|wanted| wanted == jobs)
            && wanted.p99_us.is_none_or(|limit| candidate.prediction.mix.point_p99_us <= limit)
            && wanted.life_years.is_none_or(|years| candidate.life_years.is_some_and(|life| life >= years))
    });
    let best = allowed.max_by(|a, b| worth(a).total_cmp(&worth(b)))?;
    (worth(best) > worth(chosen) + CLEARLY).then(|| best.clone())
}

/// Those that do as many as the chosen one, that one first.
fn tied(allowed: &[Searched], chosen: &Candidate) -> Vec<Tied> {
    let layout = chosen.prediction.layout;
    let of = |s: &Searched| Tied {
        layout: s.layout,
        per_second: s.per_second,
        distance: nearness::distance(&s.layout),
    };
    // A neighbour outside of the space was not searched.
    let searched = allowed.iter().find(|s| s.layout == layout).copied();
    let first = searched.unwrap_or_else(|| Searched::of(chosen));
    let least = (Advice::TIED * first.per_second).max(least_per_second(allowed));
    let others = allowed.iter().filter(|s| s.layout != layout && s.per_second >= least);
    let mut tied: Vec<Tied> = others.map(of).collect();
    tied.sort_by(|a, b| nearness::nearer(&a.layout, &b.layout));
    tied.insert(0, of(&first));
    tied
}

/// What the chosen layout must do: most of what any does.
fn least_per_second(searched: &[Searched]) -> f64 {
    nearness::LEAST * searched.iter().map(|s| s.per_second).fold(0.0, f64::max)
}

/// Of the layouts that do enough, the one that is worth most.
fn worthiest(allowed: &[Searched]) -> Searched {
    let by_worth = |a: &&Searched, b: &&Searched| {
        nearness::worth(&b.layout, b.per_second)
            .total_cmp(&nearness::worth(&a.layout, a.per_second))
            .then_with(|| nearness::nearer(&a.layout, &b.layout))
    };
    let least = least_per_second(allowed);
    *allowed.iter().filter(|s| s.per_second >= least).min_by(by_worth).expect("a layout that is allowed")
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
