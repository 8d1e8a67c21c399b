//! Point queries together with a client that writes, under one variant after the other.

use leadline_lsm::validate::{BenchRun, Latency, Outcome, latency, outcome, stall_seconds};
use leadline_process::Seen;

use super::bench::Bench;
use super::plan::{Io, Plan};
use super::snapshot::Snapshot;
use crate::rounds::{Measured, Rounds};
use crate::{Comparison, Progress, ProveError, Role, Variant};

/// Clients that read, and one that overwrites pairs at a steady rate.
const BENCHMARK: &str = "readwhilewriting";

/// What db_bench printed.
#[derive(Debug, PartialEq)]
struct Read {
    outcome: Outcome,
    latency: Latency,
    stall_seconds: f64,
}

/// Reads copies of one database with every variant in every round, by the 99th percentile and by the mean of
/// a query's latency.
pub(super) fn run(
    bench: &Bench,
    variants: &[(Role, Variant)],
    io: Io,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Comparison>, ProveError> {
    progress(Progress { phase: "reads", done: 0.0, detail: "filling a database to read".into() });
    let default = Variant { name: "default".into(), settings: Vec::new() };
    bench.fill(&default, io, bench.plan.seed, "filling a database to read")?;
    let path = bench.with(&default, io, |database| Ok(database.path()))?;
    let snapshot = Snapshot::take(&path, bench.folder.path().join("base"))?;
    let Plan { data_bytes, readers, read_seconds, write_bytes_per_second, seed, .. } = *bench.plan;
    let work = format!(
        "db_bench {BENCHMARK} of {} MiB by {readers} clients for {read_seconds} s, next to one that writes \
         {:.1} MiB/s, with {}",
        data_bytes >> 20,
        write_bytes_per_second as f64 / 1048576.0,
        io.words()
    );
    let measures = [["99th percentile of the latency", "microseconds"], ["mean latency", "microseconds"]];
    let rounds = Rounds {
        phase: "reads",
        name: "reads",
        work: &work,
        measures: &measures,
        variants,
        rounds: bench.plan.rounds_of(bench.plan.read_rounds),
        seed: seed ^ 1,
    };
    let found = rounds.run(progress, &mut |variant, round, during| {
        bench.with(variant, io, |database| Ok(database.remove()?))?;
        snapshot.restore(&path)?;
        measure(bench, variant, io, round, during).map(Some)
    })?;
    bench.with(&default, io, |database| Ok(database.remove()?))?;
    snapshot.remove()?;
    Ok(found)
}

fn measure(
    bench: &Bench,
    variant: &Variant,
    io: Io,
    round: u32,
    during: &str,
) -> Result<Measured, ProveError> {
    let Plan { readers, read_seconds, write_bytes_per_second, seed, .. } = *bench.plan;
    let run = BenchRun {
        during,
        // In one process, so that what is warm stays warm, and compactions go on.
        benchmarks: &format!("{BENCHMARK},{BENCHMARK},stats"),
        compactions: true,
        options: vec![
            "--use_existing_db=true".into(),
            format!("--threads={readers}"),
            format!("--duration={read_seconds}"),
            // It looks at the time only every 1000 operations otherwise, which may take long.
            "--ops_between_duration_checks=10".into(),
            format!("--benchmark_write_rate_limit={write_bytes_per_second}"),
            "--histogram".into(),
        ],
        seed: seed.wrapping_add(u64::from(round)),
    };
    let mut passes = Vec::new();
    let text = bench.run(variant, io, &run, &mut |_, seen| {
        if let Seen::Line(line) = seen {
            passes.extend(outcome(BENCHMARK, line));
        }
    })?;
    let problem = "a result, its histogram or the time of stalls is missing";
    let Read { outcome, latency, stall_seconds } =
        read(&passes, &text).ok_or_else(|| ProveError::unexpected("db_bench", during, problem, &text))?;
    let mean_us = outcome.seconds * 1e6 * f64::from(readers) / outcome.operations as f64;
    let counts = [
        ("reads_per_second", outcome.operations as f64 / outcome.seconds),
        ("p50_us", latency.p50_us),
        ("p999_us", latency.p999_us),
        ("max_us", latency.max_us),
        ("stall_seconds", stall_seconds),
    ];
    let counts = counts.map(|(name, count)| (name.to_owned(), count)).into();
    Ok(Measured { times: vec![latency.p99_us, mean_us], counts })
}

/// The second of two passes; the first one was to become warm.
fn read(passes: &[Outcome], text: &str) -> Option<Read> {
    let [_, outcome] = passes else { return None };
    let outcome = Some(outcome.clone()).filter(|outcome| outcome.operations > 0 && outcome.seconds > 0.0)?;
    Some(Read { outcome, latency: latency(text)?, stall_seconds: stall_seconds(text)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What db_bench 7.8.3 printed, without its buckets and most of RocksDB's statistics.
    const PRINTED: &str = "\
readwhilewriting :      29.216 micros/op 34210 ops/sec 1.001 seconds 34244 operations;    9.4 MB/s

Microseconds per read:
Count: 34244 Average: 29.2160  StdDev: 80.10
Min: 1  Median: 12.1  Max: 5010
Percentiles: P50: 12.10 P75: 30.00 P99: 180.00 P99.9: 900.00 P99.99: 4500.00
readwhilewriting :      14.589 micros/op 132105 ops/sec 3.124 seconds 412678 operations;    4.9 MB/s

Microseconds per read:
Count: 412678 Average: 14.6077  StdDev: 646.52
Min: 0  Median: 1.1750  Max: 96085
Percentiles: P50: 1.18 P75: 1.85 P99: 5.99 P99.9: 28.35 P99.99: 34866.10
Cumulative stall: 00:00:00.250 H:M:S, 4.0 percent
";

    #[test]
    fn the_second_pass_counts() {
        let passes: Vec<Outcome> = PRINTED.lines().filter_map(|line| outcome(BENCHMARK, line)).collect();
        let found = read(&passes, PRINTED).unwrap();
        assert_eq!((found.outcome.seconds, found.outcome.operations), (3.124, 412_678));
        assert_eq!((found.latency.p99_us, found.latency.max_us, found.stall_seconds), (5.99, 96085.0, 0.25));
        assert_eq!(read(&passes[..1], PRINTED), None);
        assert_eq!(read(&passes, ""), None);
    }
}
