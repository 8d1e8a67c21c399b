//! Sweeps of simulated pools, made up.

use leadline_pool::simulate::{LatencyUs, Outcome, Swept, SweptPool};

/// A pool with LRU, one client and 100 frames.
pub fn pool(ace: &str, cleaner: &str, seconds: f64) -> SweptPool {
    let outcome = Outcome {
        policy: "lru".into(),
        ace: ace.into(),
        n: if ace == "off" { 1 } else { 8 },
        adaptive: false,
        cleaner: cleaner.into(),
        clients: 1,
        frames: 100,
        operations: 1000,
        operations_writing: 500,
        misses: 400,
        writes: 200,
        writes_by_cleaner: 0,
        batches: if ace == "off" { 200 } else { 25 },
        prefetches: 0,
        prefetches_used: 0,
        seconds: Some(seconds),
        latency_us: Some(LatencyUs { mean: 60.0, p50: 50.0, p99: 120.0, p999: 200.0, max: 300.0 }),
        format: None,
        skipped: Default::default(),
        objects: None,
        wear: None,
    };
    SweptPool { outcome, read_share: None, alpha_1: None }
}

/// These pools over a generated trace.
pub fn sweep(pools: Vec<SweptPool>) -> Swept {
    Swept {
        trace: "gen:paper-ms?ops=1000".into(),
        device: Some("sim:flash".into()),
        page_bytes: 4096,
        notes: Vec::new(),
        pools,
    }
}

/// A sweep over every dimension, with runtimes by a formula.
pub fn large_sweep() -> Swept {
    let mut pools = Vec::new();
    for (read_share, alpha_1) in [(10.0, 1.0), (10.0, 4.0), (90.0, 1.0), (90.0, 4.0)] {
        for (frames, clients, policy) in
            [(1000, 1, "lru"), (1000, 8, "lru"), (4000, 1, "lru"), (1000, 1, "clock"), (1000, 64, "lru")]
        {
            for (ace, cleaner, n) in [
                ("off", "off", 1),
                ("off", "1", 1),
                ("cow-x", "off", 4),
                ("cow-x", "off", 8),
                ("off", "auto", 8),
            ] {
                let writes = alpha_1 * (100.0 - read_share) / f64::from(n.min(64 / clients).max(1));
                let mut one = pool(ace, cleaner, (100.0 + writes) / f64::from(clients));
                (one.read_share, one.alpha_1) = (Some(read_share), Some(alpha_1));
                let outcome = &mut one.outcome;
                (outcome.n, outcome.clients, outcome.frames) = (n, clients, frames);
                outcome.policy = policy.into();
                (outcome.operations, outcome.misses, outcome.writes) = (100_000, 40_000, 20_000);
                outcome.operations_writing = (1000.0 * (100.0 - read_share)) as u64;
                outcome.batches = 20_000 / u64::from(n);
                outcome.latency_us = outcome.latency_us.map(|us| LatencyUs { p99: 150.0, ..us });
                pools.push(one);
            }
        }
    }
    Swept {
        trace: "gen:paper-ms</script><img src=x>".into(),
        notes: vec!["assumed: nothing".into()],
        ..sweep(pools)
    }
}
