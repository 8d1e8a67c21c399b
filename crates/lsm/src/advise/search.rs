//! Every layout of the space, looked at without intervals.

use super::parallel::in_parallel;
use super::searched::Searched;
use super::wanted::Wanted;
use super::{memory, space};
use crate::predict::LoadedTree;
use crate::{Layout, Machine};

/// Each of `layouts` loaded once, and looked at with every block size and filter, in their order.
pub(super) fn search(
    wanted: &Wanted,
    machine: &Machine,
    layouts: &[Layout],
    progress: &mut dyn FnMut(f64),
) -> Vec<Searched> {
    in_parallel(layouts, &|layout| look(wanted, machine, layout), progress).into_iter().flatten().collect()
}

/// A layout loaded once, and looked at with every block size and filter.
fn look(wanted: &Wanted, machine: &Machine, layout: &Layout) -> Vec<Searched> {
    let tree = LoadedTree::load(&wanted.data, layout, machine, wanted.demands.mix.replacing());
    let mut searched = Vec::new();
    for layout in space::queries(layout, &wanted.demands.mix) {
        let Some(layout) = memory::with_cache(&layout, &wanted.data, wanted.memory_bytes) else { continue };
        let tree = tree.with_queries_of(&layout);
        let mix = tree.mix(&wanted.demands);
        let writes = tree.sustained_write_amplification();
        searched.push(Searched {
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
    searched
}
