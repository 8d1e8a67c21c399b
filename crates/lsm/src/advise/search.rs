//! Every layout of the space, looked at without intervals.

use super::parallel::in_parallel;
use super::searched::Searched;
use super::wanted::Wanted;
use super::{least_per_second, memory, nearness, space, within};
use crate::predict::LoadedTree;
use crate::{Bound, Layout, Machine};

/// Rounds of loads. Layouts that were worth this much less than the best at most in the rounds before, a
/// logarithm, are loaded this many times: no chance of a load makes the others the best.
const ROUNDS: [(f64, u32); 2] = [(0.2, 4), (0.1, 24)];

/// The same from which other numbers of compactions at a time are tried.
const WORTH_JOBS: f64 = 0.4;

/// Share of what is enough from which a layout may do enough in other loads.
const CLOSE: f64 = 0.9;

/// Share of the time that the first loads take, those with other numbers of compactions, and each round.
const TIME: [f64; 4] = [0.3, 0.2, 0.2, 0.3];

/// A layout's memtables, levels and compactions, with what every block size and filter comes to.
struct Shape {
    layout: Layout,
    found: Vec<Searched>,
    /// Whether compactions set the pace, which is as much a matter of chance as what they write.
    by_chance: bool,
}

impl Shape {
    fn of(wanted: &Wanted, tree: &LoadedTree) -> Self {
        let mut shape = Shape { layout: *tree.layout(), found: Vec::new(), by_chance: false };
        for layout in space::queries(tree.layout(), &wanted.demands.mix) {
            let layout = memory::with_cache(&layout, &wanted.data, wanted.memory_bytes);
            let Some(layout) = layout else { continue };
            let tree = tree.with_queries_of(&layout);
            let mix = tree.mix(&wanted.demands);
            let writes = tree.sustained_write_amplification();
            shape.by_chance |= mix.bound == Bound::Compaction;
            shape.found.push(Searched {
                layout,
                per_second: mix.per_second.value,
                read_us: mix.read_us,
                insert_per_s: tree.sustained_inserts_per_s(),
                space_amplification: tree.space_amplification(),
                write_amplification: writes,
                p99_us: mix.point_p99_us,
                life_years: wanted.life(mix.per_second.value, writes),
            });
        }
        shape
    }

    /// What the best of it within the limits is worth, of those that do `enough` operations per second.
    fn worth(&self, wanted: &Wanted, enough: f64) -> f64 {
        let allowed = within(wanted, self.found.clone()).unwrap_or_default();
        let enough = allowed.iter().filter(|s| s.per_second >= enough);
        enough.map(|s| nearness::worth(&s.layout, s.per_second)).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// What a layout must do and be worth to be looked at more closely: `less` than the best at most.
fn thresholds(wanted: &Wanted, shapes: &[Shape], less: f64) -> (f64, f64) {
    let found: Vec<Searched> = shapes.iter().flat_map(|shape| shape.found.clone()).collect();
    let enough = least_per_second(&within(wanted, found).unwrap_or_default());
    let best = shapes.iter().map(|shape| shape.worth(wanted, enough)).fold(f64::NEG_INFINITY, f64::max);
    // Where none is within the limits, no further load is. One that does a little too little may do enough in
    // others.
    (CLOSE * enough, (best - less).max(f64::MIN))
}

/// The whole space, each layout with every block size and filter.
pub(super) fn search(wanted: &Wanted, machine: &Machine, progress: &mut dyn FnMut(f64)) -> Vec<Searched> {
    let replacing = wanted.demands.mix.replacing();
    let look = |(layout, loads): &(Layout, u32)| {
        let tree = LoadedTree::warm(&wanted.data, layout, machine, replacing, *loads);
        Shape::of(wanted, &tree)
    };
    let mut done = 0.0;
    let mut step = 0;
    let mut all = |layouts: Vec<(Layout, u32)>| {
        let (share, before) = (TIME[step], done);
        let found = in_parallel(&layouts, &look, &mut |part| progress(before + share * part));
        done += share;
        step += 1;
        found
    };
    let mut shapes = all(space::first(wanted, machine.cores).into_iter().map(|l| (l, 1)).collect());
    if wanted.jobs.is_none() {
        // What is not enough with some compactions at a time may be with more.
        let (_, least) = thresholds(wanted, &shapes, WORTH_JOBS);
        let worth = shapes.iter().filter(|shape| shape.worth(wanted, 0.0) >= least);
        let others = worth.flat_map(|shape| space::other_jobs(&shape.layout, machine.cores));
        shapes.extend(all(others.map(|layout| (layout, 1)).collect()));
    }
    for (less, loads) in ROUNDS {
        let (enough, least) = thresholds(wanted, &shapes, less);
        let (again, rest): (Vec<Shape>, Vec<Shape>) =
            shapes.into_iter().partition(|shape| shape.by_chance && shape.worth(wanted, enough) >= least);
        shapes = rest;
        shapes.extend(all(again.into_iter().map(|shape| (shape.layout, loads)).collect()));
    }
    shapes.into_iter().flat_map(|shape| shape.found).collect()
}
