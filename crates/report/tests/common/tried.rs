//! Experiments on a made-up drive as such: one request at a time, beside background load, of many sizes.

use super::*;

/// Microseconds of a request at rest.
fn alone_us(op: OpKind, pattern: Pattern) -> f64 {
    match (op, pattern) {
        (OpKind::Read, Pattern::Random) => 82.0,
        (OpKind::Read, Pattern::Sequential) => 14.0,
        (OpKind::Write, _) => 17.0,
    }
}

fn latency_us(mean: f64, tail: f64) -> Latency {
    Latency {
        mean,
        p50: mean * 0.94,
        p90: mean * (1.0 + 0.2 * tail),
        p99: mean * (1.0 + tail),
        p99_5: mean * (1.0 + 1.4 * tail),
        p99_9: mean * (1.0 + 2.4 * tail),
        p99_95: mean * (1.0 + 3.0 * tail),
        p99_99: mean * (1.0 + 5.0 * tail),
        max: mean * (1.0 + 9.0 * tail),
    }
}

fn foregrounds() -> Vec<(OpKind, Pattern)> {
    let patterns = [Pattern::Sequential, Pattern::Random];
    patterns.into_iter().flat_map(|p| [(OpKind::Read, p), (OpKind::Write, p)]).collect()
}

/// A drive on which the experiments on devices as such were made.
pub fn tried_profile() -> DeviceProfile {
    let mut profile = sample_profile();
    profile.experiments = Experiments {
        latency: Some(latency()),
        interleaving: Some(interleaving()),
        pressure: Some(pressure(&foregrounds(), &[50.0, 100.0, 200.0, 400.0])),
        tail: Some(tail()),
        unaligned: Some(unaligned()),
        ..Experiments::default()
    };
    profile
}

fn procedure() -> Procedure {
    Procedure { engine: "io_uring".into(), direct: true, epochs: 6, ..Procedure::default() }
}

fn latency() -> LatencyDistributions {
    let mut workloads = Vec::new();
    for (op, pattern) in foregrounds() {
        for durable in [false, true] {
            if durable && op == OpKind::Read {
                continue;
            }
            let mean = alone_us(op, pattern) * if durable { 2.2 } else { 1.0 };
            let histogram: Vec<Bin> = (0..200)
                .map(|i| Bin {
                    upper_us: mean * (0.7 + 0.012 * f64::from(i * i) / 10.0),
                    count: (2e5 * (-f64::from(i) / 14.0).exp()) as u64,
                })
                .filter(|bin| bin.count > 0)
                .collect();
            workloads.push(LatencyDistribution {
                op,
                pattern,
                durable,
                ops: histogram.iter().map(|bin| bin.count).sum(),
                seconds: 60.0,
                latency_us: latency_us(mean, 1.5),
                mean_us_ci: Some([mean * 0.99, mean * 1.01]),
                system_call_us: Some(mean * 0.97),
                block_layer: (!durable).then_some(BlockLayerTime {
                    ops: 400_000,
                    program_mean_us: mean * 0.95,
                    mean_us: mean * 0.76,
                }),
                histogram,
            });
        }
    }
    LatencyDistributions { procedure: procedure(), block_bytes: 4096, workloads }
}

fn interleaving() -> Interleaving {
    let mut points = Vec::new();
    for (op, pattern) in foregrounds() {
        for block_bytes in [4096, 32768, 262144] {
            for concurrency in [1, 4, 16, 64, 256] {
                let us = alone_us(op, pattern) + f64::from(block_bytes) / 2500.0;
                let bandwidth_bytes = (f64::from(concurrency) * f64::from(block_bytes) / us * 1e6).min(2.5e9);
                points.push(InterleavingPoint {
                    op,
                    pattern,
                    block_bytes,
                    concurrency,
                    bandwidth_bytes,
                    bandwidth_ci: Some([bandwidth_bytes * 0.97, bandwidth_bytes * 1.03]),
                    from_profile: block_bytes == 4096,
                    cpu_bound: false,
                });
            }
        }
    }
    Interleaving { procedure: procedure(), points }
}

fn pressure(foregrounds: &[(OpKind, Pattern)], rates: &[f64]) -> Pressure {
    let mut points = Vec::new();
    let capacities = [(OpKind::Read, 1000.0), (OpKind::Write, 800.0)];
    for &(op, pattern) in foregrounds {
        let loads = capacities.into_iter().flat_map(|(op, most)| rates.iter().map(move |&r| (op, r, most)));
        for background in std::iter::once(None).chain(loads.map(Some)) {
            let load = background.map_or(0.0, |(_, rate, most)| rate / most);
            let mean = alone_us(op, pattern) * (1.0 + load / (1.0 - load));
            points.push(PressurePoint {
                op,
                pattern,
                chore: None,
                background: background.map(|(op, rate, _)| Background {
                    op,
                    offered_bytes_per_second: rate * 1e6,
                    bytes_per_second: rate * 1e6,
                }),
                ops: 400_000,
                latency_us: latency_us(mean, 1.0 + 4.0 * load),
                mean_us_ci: Some([mean * 0.98, mean * 1.02]),
            });
        }
    }
    let capacity =
        |(op, rate): (OpKind, f64)| BackgroundCapacity { op, bandwidth_bytes: rate * 1e6, concurrency: 64 };
    Pressure {
        procedure: procedure(),
        block_bytes: 4096,
        background_block_bytes: 16384,
        capacities: capacities.map(capacity).to_vec(),
        points,
    }
}

/// At rest, beside four loads, beside overwriting, and over and over.
fn tail() -> Pressure {
    let mut found = pressure(&[(OpKind::Read, Pattern::Random)], &[300.0, 700.0]);
    let collection = PressurePoint { chore: Some(Chore::Collection), ..found.points[4].clone() };
    let disturbed = PressurePoint { chore: Some(Chore::ReadDisturb), ..found.points[0].clone() };
    found.points.extend([collection, disturbed]);
    found
}

fn unaligned() -> Unaligned {
    let point = |kib: u32| {
        let mean = 16.0 + 0.5 * f64::from(kib) + if kib.is_multiple_of(4) { 0.0 } else { 30.0 };
        UnalignedPoint {
            block_bytes: kib * 1024,
            ops: 10_000,
            latency_us: latency_us(mean, 1.0),
            mean_us_ci: Some([mean * 0.97, mean * 1.03]),
        }
    };
    Unaligned { procedure: procedure(), durable: false, points: (1..=64).map(point).collect() }
}
