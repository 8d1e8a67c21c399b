//! Experiments on what writing does to a made-up drive.

use super::*;

/// A drive on which the experiments on writes were made.
pub fn written_profile() -> DeviceProfile {
    let mut profile = sample_profile();
    profile.experiments = Experiments {
        write_amplification: Some(write_amplification()),
        gc: Some(gc()),
        sustained: Some(sustained()),
        ..Experiments::default()
    };
    profile
}

fn procedure() -> Procedure {
    Procedure { engine: "simulated".into(), direct: true, epochs: 6, ..Procedure::default() }
}

fn write_amplification() -> WriteAmplification {
    let run = |pattern: &str, fill: f64, level: f64| {
        let host_bytes = (fill * f64::from(1 << 30)) as u64;
        let windows: Vec<WearWindow> = (0..12)
            .map(|i| {
                let amplification = level - (level - 1.0) * (-f64::from(i) / 2.0).exp();
                let media_bytes = (host_bytes as f64 * amplification) as u64;
                WearWindow { host_bytes, media_bytes, erases: media_bytes >> 20 }
            })
            .collect();
        WriteAmplificationRun {
            pattern: pattern.parse().expect("a pattern"),
            fill,
            part_bytes: 4 * host_bytes,
            block_bytes: 4096,
            concurrency: 32,
            write_amplification: level,
            write_amplification_ci: Some([level * 0.99, level * 1.01]),
            settled: fill > 0.8,
            host_bytes: 12 * host_bytes,
            media_bytes: windows.iter().map(|window| window.media_bytes).sum(),
            used_windows: 6,
            windows,
        }
    };
    WriteAmplification {
        procedure: procedure(),
        latest: run("uniform", 1.0, 3.19),
        others: vec![
            run("zones:10/90", 1.0, 3.9),
            run("zipf:0.99", 1.0, 3.6),
            run("uniform", 0.9, 2.2),
            run("uniform", 0.7, 1.4),
        ],
    }
}

fn gc() -> Gc {
    let mut at = 0.0;
    let mut pass = |kind, max: f64, min: f64| {
        let windows: Vec<(f64, f64)> = (0..100)
            .map(|i| {
                let rate = if i % 7 < 2 { max } else { min + (max - min) * 0.2 * f64::from(i % 5) / 4.0 };
                at += 0.1;
                (at - 0.1, rate)
            })
            .collect();
        if kind == GcPassKind::OtherOrder {
            at += 15.0;
        }
        GcPass {
            kind,
            bytes: 15 << 30,
            seconds: 10.0,
            whole: true,
            mean_bytes_per_second: (max + min) / 2.0,
            max_bytes_per_second: max,
            min_bytes_per_second: min,
            drop: 1.0 - min / max,
            drop_robust: 0.15,
            drop_robust_ci: Some([0.13, 0.17]),
            write_amplification: Some(1.3),
            windows,
        }
    };
    Gc {
        procedure: procedure(),
        block_bytes: 16384,
        concurrency: 256,
        part_bytes: 15 << 30,
        passes: vec![
            pass(GcPassKind::Fill, 2.0e9, 1.99e9),
            pass(GcPassKind::SameOrder, 2.0e9, 1.62e9),
            pass(GcPassKind::OtherOrder, 1.4e9, 0.9e9),
            pass(GcPassKind::AfterRest, 1.9e9, 0.9e9),
        ],
        recovery: Some(GcRecovery {
            rest_seconds: 15.0,
            before_bytes_per_second: 1.0e9,
            after_bytes_per_second: 1.9e9,
            lasted_bytes: Some(f64::from(1 << 30)),
        }),
    }
}

fn sustained() -> Sustained {
    let load = |pattern, block_bytes, burst: f64, falls: bool| {
        let sustained = if falls { burst / 4.0 } else { burst };
        let around = |value: f64| Some([value * 0.99, value * 1.01]);
        let at_bytes = f64::from(1 << 30);
        let cliff = SustainedCliff {
            at_bytes,
            at_ci: [at_bytes * 0.98, at_bytes * 1.02],
            beyond_bytes: at_bytes * 0.75,
            beyond_ci: [at_bytes * 0.73, at_bytes * 0.77],
            before_bytes_per_second: burst,
            after_bytes_per_second: sustained,
        };
        SustainedLoad {
            pattern,
            block_bytes,
            concurrency: 32,
            rest_seconds: 15.0,
            written_bytes: 8 << 30,
            seconds: 10.0,
            burst_bytes_per_second: burst,
            burst_ci: around(burst),
            sustained_bytes_per_second: sustained,
            sustained_ci: around(sustained),
            ratio: sustained / burst,
            ratio_ci: Some([0.96, 1.04].map(|share| share * sustained / burst)),
            settled: falls,
            cliffs: if falls { vec![cliff] } else { Vec::new() },
            samples: (0..200)
                .map(|i| {
                    let written = 2f64.powf(20.0 + 13.0 * f64::from(i) / 199.0);
                    let noise = 1.0 + 0.03 * f64::from(i % 7 - 3) / 3.0;
                    (written, noise * if written < at_bytes { burst } else { sustained })
                })
                .collect(),
        }
    };
    let under = |share: f64| {
        let mean = 80.0 * (1.0 + share / (1.02 - share));
        UnderLoad {
            write_share: share,
            offered_bytes_per_second: share * 8e8,
            bytes_per_second: share * 8e8,
            ops: 40_000,
            latency_us: Latency {
                mean,
                p50: mean * 0.95,
                p90: mean * 1.2,
                p99: mean * 1.5,
                p99_9: mean * 3.0,
                ..Latency::default()
            },
            mean_us_ci: Some([mean * 0.98, mean * 1.02]),
        }
    };
    Sustained {
        procedure: procedure(),
        loads: vec![load(Pattern::Sequential, 128 << 10, 2e9, true), load(Pattern::Random, 4096, 8e8, false)],
        latencies: [0.0, 0.1, 0.3, 0.5, 0.7, 0.9].map(under).to_vec(),
        read_block_bytes: 4096,
    }
}
