//! A profile as a real drive would give it: noisy curves that saturate, tails that grow, a cliff while
//! writing.
#![allow(dead_code, unreachable_pub)] // each test binary uses its own part

use leadline_model::*;
use leadline_profile::*;

#[path = "busy.rs"]
mod busy;
#[path = "experiments.rs"]
mod experiments;
#[path = "fleet.rs"]
pub mod fleet;
#[path = "graphs.rs"]
pub mod graphs;
#[path = "lsm.rs"]
pub mod lsm;
#[path = "pages.rs"]
pub mod pages;
#[path = "place.rs"]
pub mod place;
#[path = "pools.rs"]
pub mod pools;
#[path = "traces.rs"]
pub mod traces;
#[path = "tried.rs"]
mod tried;
#[path = "written.rs"]
mod written;

/// What the made-up drive is like.
#[derive(Debug, Clone)]
pub struct Shape {
    pub name: &'static str,
    pub model: &'static str,
    pub seed: u64,
    /// Microseconds of a 4K read, and how many the drive serves at once.
    pub read: (f64, f64),
    /// The same for writes.
    pub write: (f64, f64),
    /// The same for durable writes.
    pub durable: (f64, f64),
    pub blocks: Vec<u32>,
    pub patterns: Vec<Pattern>,
    pub deepest: u32,
    pub writes: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            name: "nvme0n1",
            model: "Example NVMe 980",
            seed: 7,
            read: (68.0, 30.0),
            write: (24.0, 5.6),
            durable: (410.0, 21.0),
            blocks: vec![4096, 8192, 16384, 65536],
            patterns: vec![Pattern::Random, Pattern::Sequential],
            deepest: 256,
            writes: true,
        }
    }
}

/// The usual drive.
pub fn sample_profile() -> DeviceProfile {
    Shape::default().profile()
}

/// A second, slower drive of another make, for comparisons.
pub fn slower_profile() -> DeviceProfile {
    Shape {
        name: "sda",
        model: "Example SATA 870",
        seed: 11,
        read: (92.0, 9.0),
        write: (38.0, 3.4),
        durable: (900.0, 6.0),
        ..Shape::default()
    }
    .profile()
}

/// The usual drive without its file system.
pub fn raw_profile() -> DeviceProfile {
    let mut raw = Shape { seed: 8, read: (65.5, 30.0), write: (19.0, 5.4), ..Shape::default() }.profile();
    raw.device.kind = "block".into();
    raw.device.target = "/dev/nvme0n1".into();
    raw.device.filesystem = None;
    raw
}

/// The smallest thing that still is a profile: one read point at depth one.
pub fn one_point() -> DeviceProfile {
    let mut profile = reads_only();
    profile.points.retain(|p| p.concurrency == 1);
    profile.points[0].iops_ci = None;
    let entry = &mut profile.parameters[0];
    (entry.k_r, entry.k_r_ci, entry.censored.read) = (Some(1), Some([1, 1]), true);
    (entry.k_r_90, entry.k_r_90_ci) = (Some(1), Some([1, 1]));
    (entry.k_r_knee, entry.max_read_iops) = (None, Some(profile.points[0].iops));
    profile.timeline.clear();
    profile.method.max_concurrency = 1;
    profile
}

/// A raw device whose writes were not asked for; one block size.
pub fn reads_only() -> DeviceProfile {
    let shape =
        Shape { writes: false, blocks: vec![4096], patterns: vec![Pattern::Random], ..Shape::default() };
    let mut profile = shape.profile();
    profile.device.kind = "block".into();
    profile.device.target = "/dev/nvme0n1".into();
    profile.method.writes = "not measured: a block device without --destructive".into();
    profile.validity.cliffs.clear();
    profile.validity.bytes_written = 0;
    profile
}

/// Everything that can be wrong with a run.
pub fn troubled_profile() -> DeviceProfile {
    let mut profile =
        Shape { name: "vda", model: "virtual disk", seed: 3, deepest: 16, ..Shape::default() }.profile();
    profile.method.direct = false;
    profile.validity.complete = false;
    profile.validity.stopped_by = Some("SIGINT".into());
    profile.validity.state = "burst".into();
    profile.validity.steady_state = None;
    profile.validity.censored_curves = 2;
    profile.validity.temperature =
        Some(Temperature { start_c: 51.0, max_c: 84.0, warning_c: Some(82.0), throttled: true });
    profile.validity.order_effect = Some(OrderEffect { ratio: 0.83, ratio_ci: [0.78, 0.88], seen: true });
    profile.validity.checks[0].status = CheckStatus::Violated;
    profile.validity.checks[0].detail =
        "1 of 88 points exceed k times the speed of one; worst: 4K random read at k = 4, 4.36 \
         times as fast"
            .into();
    for entry in &mut profile.parameters {
        entry.censored = Censored { read: true, write: false };
        entry.capped = Capped::Yes;
    }
    profile
}

/// A drive that follows the MQSSD model and on which every experiment was made.
pub fn studied_profile() -> DeviceProfile {
    experiments::studied_profile()
}

/// A drive on which the experiments on devices as such were made.
pub fn tried_profile() -> DeviceProfile {
    tried::tried_profile()
}

/// The usual drive with the experiments on writes.
pub fn written_profile() -> DeviceProfile {
    written::written_profile()
}

/// A device of which only the numbers of a paper are known.
pub fn published_profile() -> DeviceProfile {
    experiments::published_profile()
}

/// Reads of which fio measured one depth, in a file with a name that is not harmless on a page.
pub fn imported_profile() -> DeviceProfile {
    let mut profile = one_point();
    profile.device.kind = DeviceKind::Imported;
    profile.method = Method {
        engine: EngineKind::Imported,
        imported: vec![ImportedFile {
            file: "<b>sweep</b>.json".to_owned(),
            program: "fio".to_owned(),
            version: Some("3.33".to_owned()),
            read: vec!["job \"a\": random reads of 4K".to_owned()],
            skipped: vec!["job \"b\": went through the page cache".to_owned()],
            assumed: vec!["jobs ran one after the other".to_owned()],
            ..ImportedFile::default()
        }],
        ..Method::default()
    };
    profile.validity =
        Validity { complete: true, state: DeviceState::Imported, censored_curves: 1, ..Validity::default() };
    profile
}

/// An assessment with a held-out error in percent and its standard error; fitted to nothing but a page cost.
pub fn assessed(name: &'static str, error_percent: Option<f64>, standard_error: f64) -> Assessment {
    let one = WorkPoint {
        reads: 1000,
        writes: 0,
        block_bytes: 4096,
        random_fraction: 1.0,
        concurrency: 1,
        seconds: 0.1,
        ..WorkPoint::default()
    };
    let mut profile = DeviceProfile::default();
    profile.experiments.r_by_k = Some(Work { points: vec![one], ..Work::default() });
    let fitted = FittedModel::<Dam>::from_profile(&profile).expect("one point is enough");
    Assessment {
        needs: None,
        fitted: Some(Box::new(fitted)),
        points: 12,
        mape_percent: Some(3.0),
        held_out: error_percent.map(|percent| CrossValidation {
            percent,
            percent_ci: Some([percent * 0.8, percent * 1.2]),
            standard_error,
            folds: 5,
        }),
        ..Assessment::unfitted(name, String::new())
    }
}

impl Shape {
    pub fn profile(&self) -> DeviceProfile {
        let mut rng = fastrand::Rng::with_seed(self.seed);
        let mut profile = DeviceProfile {
            schema: SCHEMA.into(),
            leadline: "0.1.0".into(),
            created: Some("2026-11-21T09:30:00Z".into()),
            device: self.facts(),
            method: self.method(),
            validity: self.validity(),
            ..DeviceProfile::default()
        };
        for &pattern in &self.patterns {
            for &block in &self.blocks {
                self.measure(&mut profile, &mut rng, pattern, block);
            }
        }
        profile.timeline = timeline(&mut rng, self.writes);
        profile
    }

    fn measure(&self, profile: &mut DeviceProfile, rng: &mut fastrand::Rng, pattern: Pattern, block: u32) {
        let speedup = if pattern == Pattern::Sequential { 0.7 } else { 1.0 };
        let cost = speedup * (0.6 + 0.1 * f64::from(block) / 1024.0);
        let curve = |op, durable, (us, servers): (f64, f64), rng: &mut fastrand::Rng| -> Vec<Point> {
            let depths = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 128, 256];
            let servers = (servers / (f64::from(block) / 4096.0).powf(0.35)).max(1.3);
            depths
                .into_iter()
                .filter(|&k| k <= self.deepest)
                .map(|k| point(rng, (op, pattern, block, durable), k, us * cost, servers))
                .collect()
        };
        let reads = curve(OpKind::Read, false, self.read, rng);
        let (writes, durable) = if self.writes {
            (curve(OpKind::Write, false, self.write, rng), curve(OpKind::Write, true, self.durable, rng))
        } else {
            (Vec::new(), Vec::new())
        };
        profile.parameters.push(parameters(pattern, block, &reads, &writes, &durable));
        profile.points.extend(reads.into_iter().chain(writes).chain(durable));
    }

    fn facts(&self) -> DeviceFacts {
        DeviceFacts {
            target: format!("/mnt/{}", self.name),
            kind: "directory".into(),
            name: self.name.into(),
            model: Some(self.model.into()),
            firmware: Some("5B2QGXA7".into()),
            link: Some(Link { name: "PCIe 8.0 GT/s x4".into(), bandwidth_bytes: Some(3.938e9) }),
            capacity_bytes: Some(1_000_204_886_016),
            logical_block_bytes: Some(512),
            physical_block_bytes: Some(4096),
            rotational: Some(false),
            scheduler: Some("none".into()),
            queue_requests: Some(1023),
            zones: Some(Zones {
                model: "host-aware".into(),
                zone_bytes: Some(256 << 20),
                max_open_zones: Some(14),
            }),
            write_cache: Some("write back".into()),
            filesystem: Some("ext4 rw,relatime".into()),
            kernel: Some("6.1.0-28-amd64".into()),
            cpus: Some(8),
            ..DeviceFacts::default()
        }
    }

    fn method(&self) -> Method {
        Method {
            engine: "io_uring".into(),
            direct: true,
            concurrency_is: "one ring of depth k".into(),
            threads: 1,
            cpus: vec![0],
            budget: "default".into(),
            budget_seconds: Some(120.0),
            measured_seconds: 118.4,
            layout_seconds: 21.7,
            seed: self.seed,
            block_sizes: self.blocks.clone(),
            patterns: self.patterns.clone(),
            footprint_bytes: 8 << 30,
            epochs: 8,
            slice_seconds: 0.25,
            max_concurrency: self.deepest,
            writes: "measured".into(),
            precondition_passes: 1,
            ..Method::default()
        }
    }

    fn validity(&self) -> Validity {
        let check =
            |name: &str, status, detail: &str| Check { name: name.into(), status, detail: detail.into() };
        Validity {
            complete: true,
            state: "steady".into(),
            steady_state: Some(Rounds {
                passed: true,
                iops: vec![81_200.0, 80_100.0, 79_900.0, 80_400.0, 79_800.0],
                range: 0.018,
                slope: 0.011,
            }),
            checks: vec![
                check(
                    "speedup",
                    CheckStatus::Ok,
                    "k requests are at most k times as fast as one at all 88 points",
                ),
                check(
                    "little",
                    CheckStatus::Ok,
                    "throughput times latency is within 5 % of k at all 88 points",
                ),
                check(
                    "link",
                    CheckStatus::Ok,
                    "bandwidth is within the 3.94 GB/s of PCIe 8.0 GT/s x4 at all 88 points",
                ),
                check("cpu", CheckStatus::Unknown, "no processor time was recorded"),
            ],
            cliffs: if self.writes {
                vec![Cliff {
                    phase: "layout".into(),
                    at_bytes: 6 << 30,
                    before_bytes_per_second: 1.92e9,
                    after_bytes_per_second: 4.4e8,
                }]
            } else {
                Vec::new()
            },
            temperature: Some(Temperature {
                start_c: 38.0,
                max_c: 57.0,
                warning_c: Some(82.0),
                throttled: false,
            }),
            durability:
                "a completed write is in the drive's volatile cache; a durable one (RWF_DSYNC) is on flash"
                    .into(),
            footprint_fraction: Some(0.0086),
            bytes_written: 31 << 30,
            bytes_read: 44 << 30,
            cpu_bound_points: 2,
            order_effect: Some(OrderEffect { ratio: 0.99, ratio_ci: [0.96, 1.02], seen: false }),
            slice_effects: Vec::new(),
            held: None,
            limited_by: None,
            washout_seconds: Some(1.2),
            washout_recovered: Some(true),
            cpu_pressure: Some(0.004),
            cpu_steal: Some(0.0),
            ..Validity::default()
        }
    }
}

type What = (OpKind, Pattern, u32, bool);

fn point(
    rng: &mut fastrand::Rng,
    (op, pattern, block, durable): What,
    k: u32,
    us: f64,
    servers: f64,
) -> Point {
    let depth = f64::from(k);
    // A soft minimum of k and the number of servers.
    let busy = (depth.powf(-3.0) + servers.powf(-3.0)).powf(-1.0 / 3.0);
    let noise = 1.0 + 0.012 * (rng.f64() - 0.5);
    let iops = busy / us * 1e6 * noise;
    let wide = 0.006 + 0.02 * rng.f64();
    let mean = depth / iops * 1e6;
    let sigma = if op == OpKind::Read { 0.22 } else { 0.34 } + 0.10 * (depth / servers).min(2.0);
    let histogram = lognormal(mean, sigma, 200_000);
    let at = |share: f64| {
        let mut left = (200_000.0 * share) as u64;
        histogram.iter().find(|bin| match left.checked_sub(bin.count) {
            Some(rest) if rest > 0 => {
                left = rest;
                false
            }
            _ => true,
        })
    };
    let p = |share| at(share).map_or(mean, |bin| bin.upper_us);
    let slices = (0..8)
        .map(|epoch| Slice {
            epoch,
            order: epoch * 96 + k,
            at_seconds: f64::from(epoch) * 14.0 + f64::from(k) * 0.03,
            seconds: 0.25,
            ops: (iops * 0.25 * (1.0 + 0.02 * (rng.f64() - 0.5))) as u64,
            bytes: (iops * 0.25) as u64 * u64::from(block),
            mean_latency_us: mean,
            cpu_share: Some((iops / 500_000.0).min(1.0)),
            cpu_wait: Some(0.003),
            merged: Some(0.0),
        })
        .collect();
    Point {
        op,
        pattern,
        block_bytes: block,
        concurrency: k,
        durable,
        iops,
        iops_ci: Some([iops * (1.0 - wide), iops * (1.0 + wide)]),
        bandwidth_bytes: iops * f64::from(block),
        latency_us: Latency {
            mean,
            p50: p(0.5),
            p90: p(0.9),
            p99: p(0.99),
            p99_5: p(0.995),
            p99_9: p(0.999),
            p99_95: p(0.9995),
            p99_99: p(0.9999),
            max: histogram.last().map_or(mean, |bin| bin.upper_us),
        },
        cpu_bound: op == OpKind::Read && block == 4096 && k >= 128,
        cpu_us_per_op: Some(2.1),
        slices,
        stretches: Vec::new(),
        histogram,
        extra: serde_json::Map::new(),
    }
}

/// A log-normal latency with a slow one in a thousand, in bins 1 % wide.
fn lognormal(mean: f64, sigma: f64, total: u64) -> Vec<Bin> {
    let mu = mean.ln() - sigma * sigma / 2.0;
    let below = |us: f64| {
        let normal = |z: f64| 1.0 / (1.0 + (-1.702 * z).exp());
        0.999 * normal((us.ln() - mu) / sigma) + 0.001 * normal((us.ln() - mu - 1.6) / (0.5 * sigma))
    };
    let mut bins = Vec::new();
    let (mut upper, mut before) = (mean * 0.2, 0.0);
    while upper < mean * 40.0 {
        let share = below(upper);
        let count = ((share - before) * total as f64).round() as u64;
        if count > 0 {
            bins.push(Bin { upper_us: upper, count });
            before = share;
        }
        upper *= 1.01;
    }
    bins
}

fn parameters(
    pattern: Pattern,
    block_bytes: u32,
    reads: &[Point],
    writes: &[Point],
    durable: &[Point],
) -> Parameters {
    let most = |points: &[Point]| points.iter().map(|p| p.iops).reduce(f64::max);
    let first = |points: &[Point]| points.first().map(|p| p.iops);
    let ratio = |a: Option<f64>, b: Option<f64>| Some(a? / b?);
    let around = |v: Option<f64>, by: f64| v.map(|v| [v * (1.0 - by), v * (1.0 + by)]);
    let reaching = |points: &[Point], level: f64| {
        let goal = most(points)? * level;
        points.iter().find(|p| p.iops >= goal).map(|p| p.concurrency)
    };
    let knee = |points: &[Point]| reaching(points, 0.95);
    let near = |k: Option<u32>| k.map(|k| [(k * 7 / 8).max(1), k + k / 4]);
    let little = |points: &[Point]| Some(most(points)? * points.first()?.latency_us.mean / 1e6);
    let alpha = ratio(most(reads), most(writes));
    let alpha_1 = ratio(first(reads), first(writes));
    let alpha_durable = ratio(most(reads), most(durable));
    let alpha_1_durable = ratio(first(reads), first(durable));
    Parameters {
        pattern,
        block_bytes,
        alpha,
        alpha_ci: around(alpha, 0.06),
        alpha_1,
        alpha_1_ci: around(alpha_1, 0.04),
        alpha_durable,
        alpha_durable_ci: around(alpha_durable, 0.08),
        alpha_1_durable,
        alpha_1_durable_ci: around(alpha_1_durable, 0.05),
        k_r: knee(reads),
        k_r_ci: near(knee(reads)),
        k_r_90: reaching(reads, 0.9),
        k_r_90_ci: near(reaching(reads, 0.9)),
        k_r_little: little(reads),
        k_r_knee: knee(reads).map(|k| k * 3 / 4 + 1),
        k_w: knee(writes),
        k_w_ci: near(knee(writes)),
        k_w_90: reaching(writes, 0.9),
        k_w_90_ci: near(reaching(writes, 0.9)),
        k_w_little: little(writes),
        k_w_knee: knee(writes).map(|k| k * 3 / 4 + 1),
        max_read_iops: most(reads),
        max_read_iops_ci: around(most(reads), 0.01),
        max_write_iops: most(writes),
        max_write_iops_ci: around(most(writes), 0.02),
        max_durable_write_iops: most(durable),
        max_durable_write_iops_ci: None,
        capped: Capped::No,
        censored: Censored::default(),
        extra: serde_json::Map::new(),
    }
}

fn timeline(rng: &mut fastrand::Rng, writes: bool) -> Vec<TimelineSample> {
    let mut samples = Vec::new();
    let mut written = 0.0;
    let mut add = |phase: &str, from: f64, to: f64, rate: &mut dyn FnMut(f64, f64) -> f64| {
        let mut at = from;
        while at < to {
            let bytes_per_second = rate(at, written) * (0.97 + 0.06 * rng.f64());
            if matches!(phase, "layout" | "write") {
                written += bytes_per_second * 0.1;
            }
            samples.push(TimelineSample {
                at_seconds: at,
                phase: phase.into(),
                bytes_per_second,
                written_bytes: written as u64,
            });
            at += 0.1;
        }
    };
    add("layout", 0.0, 8.4, &mut |_, written| if written < 6.44e9 { 1.92e9 } else { 4.4e8 });
    add("search", 8.4, 16.0, &mut |at, _| 6e7 * (1.0 + (at - 8.4) * 3.0));
    for round in 0..8 {
        let start = 16.0 + f64::from(round) * 14.0;
        add("read", start, start + 7.0, &mut |at, _| 9e8 + 8e8 * ((at - start) * 0.9).sin().abs());
        if writes {
            add("write", start + 7.0, start + 12.0, &mut |at, _| {
                2.5e8 + 6e8 * ((at - start) * 0.8).cos().abs()
            });
            add("washout", start + 12.0, start + 14.0, &mut |_, _| 1e6);
        }
    }
    samples
}
