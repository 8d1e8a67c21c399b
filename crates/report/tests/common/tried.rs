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
        buffer: Some(buffer()),
        read_disturb: Some(read_disturb()),
        channels: Some(busy::channels()),
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
                provokes: None,
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
    let collection = PressurePoint { provokes: Some(InternalWork::Collection), ..found.points[4].clone() };
    let disturbed = PressurePoint { provokes: Some(InternalWork::ReadDisturb), ..found.points[0].clone() };
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

/// A drive with a buffer of 13.4 MiB.
fn buffer() -> Buffer {
    let size = 13.4 * f64::from(1 << 20);
    let point = |kib: u64| {
        let held = if (kib << 10) as f64 <= size { 1.0 } else { 0.0 };
        let (fast, slow) = (12.0, 82.0);
        let later = held * fast + (1.0 - held) * slow;
        BufferPoint {
            size_bytes: kib << 10,
            reads: 2304,
            p30_us: later * 0.97,
            p40_us: later,
            mean_us: (slow + 2.0 * later) / 3.0,
            first_mean_us: slow,
            later_mean_us: later,
            held_share: Some(held),
        }
    };
    let mut sizes: Vec<u64> = (0..11).map(|i| 256 << i).collect();
    sizes.extend([6553, 10240, 12800, 13312, 13516, 13926, 14336, 20480]);
    sizes.sort_unstable();
    Buffer {
        procedure: procedure(),
        block_bytes: 4096,
        passes: 3,
        detected: true,
        p_value: 0.001,
        distance: 0.99,
        buffer_bytes: Some(size),
        buffer_ci: Some([f64::from(13_516 << 10), f64::from(13_926 << 10)]),
        at_least_bytes: None,
        fast_us: Some(12.0),
        slow_us: 82.0,
        points: sizes.into_iter().map(point).collect(),
    }
}

/// A drive that is slow at every 30th read, which reads between do not show.
fn read_disturb() -> ReadDisturb {
    let mut random = fastrand::Rng::with_seed(3);
    let mut us =
        |i: usize, slow: f64| 10.0 * (1.0 + 0.1 * random.f64()) + if i % 30 == 29 { slow } else { 0.0 };
    let series = |us: &mut dyn FnMut(usize) -> f64, reads: usize| DisturbSeries {
        reads: reads as u64,
        seconds: 1.0,
        latency_us: latency_us(10.7, 1.9),
        p_value: 0.62,
        detectable: vec![
            Detectable { period_reads: 30.0, penalty_us: 0.9 },
            Detectable { period_reads: 300.0, penalty_us: 1.8 },
        ],
        stretch_reads: reads.div_ceil(1000) as u32,
        stretches: (0..1000)
            .map(|i| (us(i % 29), us(i % 29) + 20.0 * f64::from(u8::from(i % 3 == 0))))
            .collect(),
        excerpt_first: 29,
        excerpt_us: (0..240).map(&mut *us).collect(),
        lag_reads: 1,
        correlation: (1..=105).map(|lag| if lag % 30 == 0 { 0.42 } else { us(0) * 0.01 - 0.105 }).collect(),
        ..DisturbSeries::default()
    };
    let with = DisturbSeries {
        detected: true,
        p_value: 0.01,
        period_reads: Some(30.0),
        period_ci: Some([29.8, 30.2]),
        penalty_us: Some(20.1),
        penalty_ci: Some([19.8, 20.4]),
        detection_probability: Some(1.0),
        ..series(&mut |i| us(i, 20.0), 100_000)
    };
    let without = series(&mut |i| us(i, 0.0), 4_000);
    let correlation = without.correlation.iter().map(|r| r.min(0.02)).collect();
    ReadDisturb {
        procedure: procedure(),
        block_bytes: 4096,
        buffer_bytes: None,
        evicted_bytes: 20 << 20,
        evicted_block_bytes: 65536,
        false_alarm_rate: 0.02,
        repeating: with,
        evicting: Some(DisturbSeries { correlation, ..without }),
    }
}
