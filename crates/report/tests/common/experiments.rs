//! Experiments on a made-up drive that follows the MQSSD model: a setup per access and a transfer per page,
//! both falling with k.

use super::*;

/// Microseconds of one request among many, `k` of them in flight.
fn cost_us(op: OpKind, block: u32, random_fraction: f64, k: u32) -> f64 {
    let (k, pages) = (f64::from(k), f64::from(block) / 4096.0);
    let ([setup, transfer], [setup_least, transfer_least]) = match op {
        OpKind::Read => ([62.0, 9.0], [1.9, 1.3]),
        OpKind::Write => ([17.0, 7.0], [5.2, 3.1]),
    };
    let falling = |one: f64, least: f64| least + (one - least) / k;
    random_fraction * falling(setup, setup_least) + pages * falling(transfer, transfer_least)
}

/// Reads and writes disturb each other, most where there is as much of either and many are in flight.
fn mixed_us(read_share: f64, block: u32, k: u32) -> f64 {
    let reads = read_share * cost_us(OpKind::Read, block, 1.0, k);
    let writes = (1.0 - read_share) * cost_us(OpKind::Write, block, 1.0, k);
    let disturbance = 1.0 + 0.8 * read_share * (1.0 - read_share) * (1.0 - 1.0 / f64::from(k));
    (reads + writes) * disturbance
}

pub fn studied_profile() -> DeviceProfile {
    let mut rng = fastrand::Rng::with_seed(21);
    let shape = Shape { name: "nvme1n1", model: "Example NVMe 990", deepest: 128, ..Shape::default() };
    let mut profile = Shape { blocks: vec![4096, 65536], ..shape }.profile();
    for p in &mut profile.points {
        if !p.durable {
            let random_fraction = if p.pattern == Pattern::Random { 1.0 } else { 0.0 };
            let us = noisy(&mut rng, cost_us(p.op, p.block_bytes, random_fraction, p.concurrency));
            p.iops = 1e6 / us;
            p.iops_ci = Some([p.iops * 0.985, p.iops * 1.015]);
            p.bandwidth_bytes = p.iops * f64::from(p.block_bytes);
        }
    }
    for entry in &mut profile.parameters {
        let most = |op| {
            let of = |p: &&Point| p.op == op && !p.durable && p.pattern == entry.pattern;
            let points = profile.points.iter().filter(of).filter(|p| p.block_bytes == entry.block_bytes);
            points.map(|p| p.iops).reduce(f64::max)
        };
        (entry.max_read_iops, entry.max_write_iops) = (most(OpKind::Read), most(OpKind::Write));
    }
    profile.experiments = Experiments {
        r_by_k: Some(r_by_k(&mut rng)),
        mixed: Some(mixed(&mut rng)),
        ladder: Some(ladder(&mut rng)),
        pio_classes: Some(pio_classes(&mut rng)),
        burst: Some(burst(&mut rng)),
        fsync: Some(fsync(&mut rng)),
        sync_methods: Some(sync_methods(&mut rng)),
        mix_line: Some(mix_line(&mut rng)),
        durable_writes: Some(durable_writes(&mut rng)),
        io_cost: Some(io_cost(&mut rng)),
        ..Experiments::default()
    };
    profile
}

pub fn published_profile() -> DeviceProfile {
    let mut profile = reads_only();
    profile.device = DeviceFacts {
        target: "device:example".into(),
        kind: "published".into(),
        name: "example".into(),
        model: Some("Example drive of a paper".into()),
        ..DeviceFacts::default()
    };
    profile.method = Method { engine: "published".into(), ..Method::default() };
    profile.validity.state = "published".into();
    profile.timeline.clear();
    profile.points.retain(|p| p.concurrency == 1);
    let mut write = profile.points[0].clone();
    (write.op, write.iops) = (OpKind::Write, profile.points[0].iops * 3.5);
    profile.points.push(write);
    let entry = &mut profile.parameters[0];
    (entry.k_r, entry.k_w, entry.alpha, entry.alpha_1) = (Some(80), Some(8), Some(2.8), Some(0.28));
    profile
}

/// Within one and a half percent.
fn noisy(rng: &mut fastrand::Rng, value: f64) -> f64 {
    value * (1.0 + 0.03 * (rng.f64() - 0.5))
}

fn procedure() -> Procedure {
    Procedure { engine: "io_uring".into(), direct: true, epochs: 4, ..Procedure::default() }
}

/// So many of each, all random.
fn point(rng: &mut fastrand::Rng, [reads, writes]: [u64; 2], block: u32, k: u32) -> WorkPoint {
    let requests = (reads + writes) as f64;
    let seconds = noisy(rng, requests * mixed_us(reads as f64 / requests, block, k) / 1e6);
    WorkPoint {
        reads,
        writes,
        block_bytes: block,
        random_fraction: 1.0,
        concurrency: k,
        seconds,
        seconds_ci: Some([seconds * 0.985, seconds * 1.015]),
        ..WorkPoint::default()
    }
}

fn r_by_k(rng: &mut fastrand::Rng) -> Work {
    let mut points = Vec::new();
    for k in [1, 2, 4, 8, 16, 32, 64] {
        for pages in [1, 4, 16, 64, 256, 1024] {
            let accesses = 65536 / u64::from(pages);
            points.push(point(rng, [accesses, 0], 4096 * pages, k));
            points.push(point(rng, [0, accesses], 4096 * pages, k));
        }
    }
    Work { procedure: procedure(), points }
}

fn mixed(rng: &mut fastrand::Rng) -> Work {
    let mut points = Vec::new();
    for k in [1, 4, 16, 64] {
        for reads in [1000, 3000, 5000, 7000, 9000] {
            points.push(point(rng, [reads, 10_000 - reads], 4096, k));
        }
    }
    Work { procedure: procedure(), points }
}

/// One server's queue; the last rung is more than the drive can do.
fn ladder(rng: &mut fastrand::Rng) -> Ladder {
    let mixes = [0.5, 0.9, 1.0].map(|read_share| {
        let capacity_iops = 1e6 / mixed_us(read_share, 4096, 64);
        let idle_us = mixed_us(read_share, 4096, 1);
        let rungs = [0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.95, 1.05].map(|load: f64| {
            let queue = if load < 1.0 { 1.0 + 0.3 * load.powi(3) / (1.0 - load) } else { 60.0 };
            let mut at = |factor: f64| noisy(rng, idle_us * factor * queue);
            let latency_us = Latency {
                mean: at(1.05),
                p50: at(1.0),
                p90: at(1.4),
                p99: at(2.6),
                p99_5: at(3.3),
                p99_9: at(7.0),
                p99_95: at(9.5),
                p99_99: at(19.0),
                max: at(40.0),
            };
            let offered_iops = load * capacity_iops;
            Rung { offered_iops, iops: offered_iops.min(0.99 * capacity_iops), ops: 20_000, latency_us }
        });
        LadderMix {
            read_share,
            capacity_iops,
            capacity_ci: None,
            capacity_concurrency: 64,
            rungs: rungs.to_vec(),
        }
    });
    Ladder { procedure: procedure(), block_bytes: 4096, mixes: mixes.to_vec() }
}

fn pio_classes(rng: &mut fastrand::Rng) -> PioClasses {
    let mut points = Vec::new();
    for class in [PioClass::BatchedWrites, PioClass::BatchedReads, PioClass::BatchedBoth] {
        for read_share in [0.1, 0.5, 0.9] {
            for batch in [2, 4, 8, 16, 32] {
                let reads = if class.batches_reads() { batch } else { 1 };
                let writes = if class.batches_writes() { batch } else { 1 };
                let us = |k_r, k_w| {
                    read_share * cost_us(OpKind::Read, 4096, 1.0, k_r)
                        + (1.0 - read_share) * cost_us(OpKind::Write, 4096, 1.0, k_w)
                };
                let unbatched_seconds = us(1, 1) / 1e6;
                let seconds = noisy(rng, us(reads, writes)) / 1e6;
                let speedup = unbatched_seconds / seconds;
                points.push(PioPoint {
                    class,
                    read_share,
                    batch,
                    ops: 40_000,
                    unbatched_seconds,
                    seconds,
                    speedup,
                    speedup_ci: Some([speedup * 0.95, speedup * 1.05]),
                });
            }
        }
    }
    PioClasses { procedure: procedure(), block_bytes: 4096, points }
}

/// 20 s at 3000, then 300; the later loads after rests that refill half of the credit, and all of it.
fn burst(rng: &mut fastrand::Rng) -> Burst {
    let mut load = |rest_seconds: f64, credit: f64| {
        let fell = credit / 2700.0;
        let samples = (0..(fell * 14.0) as u32).map(|i| {
            let at = f64::from(i) / 10.0;
            (at, noisy(rng, if at < fell { 3000.0 } else { 300.0 }))
        });
        let samples = samples.collect();
        BurstLoad { rest_seconds, fell_at_seconds: Some(fell), credit_ops: Some(credit), samples }
    };
    let loads = vec![load(0.0, 54_000.0), load(90.0, 27_100.0), load(234.0, 53_900.0)];
    Burst {
        procedure: procedure(),
        operation: OpKind::Read,
        block_bytes: 4096,
        concurrency: 128,
        moved_bytes: 600 << 20,
        peak_iops: 3001.0,
        peak_ci: Some([2995.0, 3007.0]),
        baseline_iops: Some(300.2),
        baseline_ci: Some([299.0, 301.4]),
        credit_ops: Some(53_950.0),
        credit_ci: Some([53_200.0, 54_700.0]),
        refill_per_second: Some(301.1),
        refill_ci: Some([296.0, 306.0]),
        loads,
    }
}

fn latency(rng: &mut fastrand::Rng, us: f64) -> Latency {
    let mut at = |factor: f64| noisy(rng, us * factor);
    Latency {
        mean: at(1.1),
        p50: at(1.0),
        p90: at(1.6),
        p99: at(4.0),
        p99_5: at(5.0),
        p99_9: at(9.0),
        p99_95: at(11.0),
        p99_99: at(15.0),
        max: at(20.0),
    }
}

/// Commits are grouped: sixteen writers do four times what one does. etcd's rule is kept by few of them.
fn fsync(rng: &mut fastrand::Rng) -> Fsync {
    let points = [1, 2, 4, 8, 16].map(|writers: u32| {
        let commits_per_second = noisy(rng, 800.0 * f64::from(writers).sqrt());
        FsyncPoint {
            writers,
            commits: (commits_per_second * 10.0) as u64,
            seconds: 10.0,
            commits_per_second,
            commits_ci: Some([commits_per_second * 0.94, commits_per_second * 1.06]),
            latency_us: latency(rng, 1200.0 * f64::from(writers).sqrt()),
        }
    });
    let log = LogKind::File;
    Fsync { procedure: procedure(), log, append_bytes: 2300, sent_bytes: 2300, points: points.into() }
}

fn sync_methods(rng: &mut fastrand::Rng) -> SyncMethods {
    let mut points = Vec::new();
    for (file, rate) in FileState::ALL.into_iter().zip([420.0, 640.0, 1310.0]) {
        for method in SyncMethod::ALL {
            let iops = noisy(rng, if method == SyncMethod::Fsync { rate * 0.8 } else { rate });
            points.push(SyncPoint {
                method,
                file,
                ops: (iops * 5.0) as u64,
                seconds: 5.0,
                iops,
                iops_ci: Some([iops * 0.95, iops * 1.05]),
                latency_us: latency(rng, 0.9e6 / iops),
            });
        }
    }
    SyncMethods { procedure: procedure(), block_bytes: 8192, points }
}

fn mix_line(rng: &mut fastrand::Rng) -> Work {
    let mut points = Vec::new();
    for k in [16, 64, 128] {
        for (block, shares) in [
            (4 << 10, &[0, 25, 50, 75, 100][..]),
            (256 << 10, &[0, 25, 50, 75, 100]),
            (16 << 10, &[0, 100]),
            (64 << 10, &[0, 100]),
            (1 << 20, &[0, 100]),
        ] {
            points.extend(
                shares.iter().map(|&share| point(rng, [100 * share, 10_000 - 100 * share], block, k)),
            );
        }
    }
    Work { procedure: procedure(), points }
}

/// Reads wait for writes as in a queue; the last share is more than there is room for beside reads.
fn durable_writes(rng: &mut fastrand::Rng) -> DurableWrites {
    let capacity = 2000.0;
    let point = |share: f64| {
        let offered = share * capacity;
        let fell_behind = share > 0.85;
        let latency_us = latency(rng, 90.0 * (1.0 + 0.4 * share / (1.0 - share)));
        DurableWritesPoint {
            write_share: share,
            offered_writes_per_second: offered,
            writes_per_second: if fell_behind { 0.8 * offered } else { offered },
            fell_behind,
            ops: 5000,
            latency_us,
            mean_us_ci: Some([latency_us.mean * 0.97, latency_us.mean * 1.03]),
        }
    };
    let points = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].map(point).to_vec();
    DurableWrites {
        procedure: procedure(),
        block_bytes: 16 << 10,
        capacity_concurrency: 32,
        capacity_writes_per_second: capacity,
        capacity_ci: Some([0.98 * capacity, 1.02 * capacity]),
        capacity_latency_us: latency(rng, 15_000.0),
        points,
    }
}

/// Sequential writes fall to a quarter, as behind a cache.
fn io_cost(rng: &mut fastrand::Rng) -> IoCost {
    let mut rate = |per_second: f64, before_fall: Option<f64>| IoCostRate {
        per_second,
        per_second_ci: Some([0.98 * per_second, 1.02 * per_second]),
        rounds: (0..6).map(|i| noisy(rng, before_fall.filter(|_| i < 2).unwrap_or(per_second))).collect(),
        before_fall,
    };
    IoCost {
        procedure: procedure(),
        large_bytes: 128 << 20,
        small_bytes: 4096,
        small_concurrency: 64,
        rbps: rate(2.8e9, None),
        rseqiops: rate(510_000.0, None),
        rrandiops: rate(480_000.0, None),
        wbps: rate(5e8, Some(2e9)),
        wseqiops: rate(120_000.0, None),
        wrandiops: rate(110_000.0, None),
    }
}
