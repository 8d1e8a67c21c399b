//! Databases that are filled under one variant after the other.

use super::bench::Bench;
use super::plan::{Io, Plan};
use crate::rounds::{Measured, Rounds};
use crate::{Comparison, Progress, ProveError, Role, Variant};

/// Fills a database with every variant in every round, by the time until the last compaction has ended.
pub(super) fn run(
    bench: &Bench,
    variants: &[(Role, Variant)],
    io: Io,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Comparison>, ProveError> {
    let Plan { data_bytes, value_bytes, seed, .. } = *bench.plan;
    let rounds = bench.plan.rounds_of(bench.plan.rounds);
    let work = format!(
        "db_bench filluniquerandom of {} MiB in values of {value_bytes} bytes, with {}",
        data_bytes >> 20,
        io.words()
    );
    let measures = [["time until the last compaction has ended", "seconds"]];
    let rounds =
        Rounds { phase: "fills", name: "a fill", work: &work, measures: &measures, variants, rounds, seed };
    rounds.run(progress, &mut |variant, round, during| {
        let fill = bench.fill(variant, io, seed.wrapping_add(round.into()), during)?;
        let counts = [
            ("insert_seconds", fill.insert_seconds),
            ("stall_seconds", fill.stall_seconds),
            ("processor_seconds", fill.processor_seconds),
            ("write_amplification", fill.write_amplification),
            ("device_read_mib", fill.device_read_bytes as f64 / 1048576.0),
            ("device_written_mib", fill.device_written_bytes as f64 / 1048576.0),
            ("compactions", fill.background.compactions as f64),
            ("mean_compactions_at_a_time", fill.background.mean_compactions),
        ];
        let counts = counts.map(|(name, count)| (name.to_owned(), count)).into();
        Ok(Some(Measured { times: vec![fill.fill_seconds], counts }))
    })
}
