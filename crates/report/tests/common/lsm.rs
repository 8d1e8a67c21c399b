//! A validation and an advice, made up on the drive of the other samples: RocksDB is as fast as predicted,
//! give or take some percent.

use std::sync::LazyLock;

use leadline_lsm::validate::*;
use leadline_lsm::*;

use super::sample_profile;

fn processor() -> ProcessorCosts {
    ProcessorCosts { block_us: 12.0, ..ProcessorCosts::default() }
}

/// Every fanout, the single level and the layout for flash, two repeats.
pub fn sample_validation() -> Record {
    // Simulated loads take a while, and several tests look at this one.
    static SAMPLE: LazyLock<Record> = LazyLock::new(|| {
        let layouts = LayoutName::parse_list("F=2,8,32,single,flash").expect("names of layouts");
        validation(layouts, vec![1, 4, 16], 2)
    });
    SAMPLE.clone()
}

/// One layout, one client, measured once.
pub fn small_validation() -> Record {
    validation(vec![LayoutName::Fanout(8)], vec![1], 1)
}

/// Measured without the device beside it, so without predictions.
pub fn unpredicted_validation() -> Record {
    Record { comparison: None, devices: Vec::new(), files: None, ..small_validation() }
}

fn validation(layouts: Vec<LayoutName>, clients: Vec<u32>, repeats: u32) -> Record {
    let plan = Plan {
        data: Data::of_bytes(f64::from(16 << 20), 16, 2048),
        layouts,
        files: Vec::new(),
        jobs: if repeats > 1 { vec![1, 4] } else { vec![1] },
        clients,
        repeats,
        seconds: 5,
        seed: 1,
    };
    let profile = sample_profile();
    let files = FileCosts::of_sync(850.0);
    let layouts = layout_cells(&plan, &plan.scale().expect("a plan"));
    let mut record = Record {
        schema: SCHEMA.into(),
        measured_at: "2026-11-22T12:00:00Z".into(),
        leadline: "0.1.0".into(),
        rocksdb: "7.8.3".into(),
        machine: profile.device.clone(),
        plan,
        layouts,
        processor: processor(),
        files: Some(files),
        devices: vec![DeviceCell { repeat: 0, profile, files }],
        fills: Vec::new(),
        queries: Vec::new(),
        comparison: None,
    };
    let device = record.device_costs().expect("a device").expect("costs of the device");
    measure(&mut record, &device);
    record.comparison = Some(Comparison::of(&record, &device, 4));
    record
}

/// What was predicted, with an error of some percent that differs between repeats.
fn measure(record: &mut Record, device: &DeviceCosts) {
    let mut rng = fastrand::Rng::with_seed(5);
    let machine = Machine { device, processor: &record.processor, cores: 4 };
    for cell in record.layouts.clone() {
        let (layout, jobs) = (cell.name, cell.jobs);
        for &clients in &record.plan.clients {
            let demands = Demands { mix: Mix::POINTS, clients, scan_pairs: f64::from(SCAN_PAIRS) };
            let found = predict_loaded(&record.plan.data, &cell.layout, &machine, &[demands]).remove(0);
            for (operation, query) in [(Query::Point, &found.point), (Query::Scan, &found.scan)] {
                let error = 0.85 + 0.35 * rng.f64();
                for repeat in (0..record.plan.repeats).filter(|_| cell.queried) {
                    let read = read(query, clients, error * (0.99 + 0.02 * rng.f64()));
                    let levels = Vec::new();
                    record.queries.push(QueryCell { layout, jobs, repeat, operation, clients, levels, read });
                }
            }
            let error = 0.85 + 0.4 * rng.f64();
            for repeat in (0..record.plan.repeats).filter(|_| clients == 1) {
                let fill = fill(&found.load, error * (0.98 + 0.04 * rng.f64()));
                record.fills.push(FillCell { layout, jobs, repeat, fill });
            }
        }
    }
}

fn read(query: &QueryPrediction, clients: u32, error: f64) -> Read {
    let wall_us = query.us.value * error;
    let ops_per_second = f64::from(clients) * 1e6 / wall_us;
    Read {
        operations: (5.0 * ops_per_second) as u64,
        seconds: 5.0,
        ops_per_second,
        wall_us,
        processor_us: query.processor_us * error,
        device_reads: query.requests,
        device_bytes: query.bytes,
        cache_misses: query.requests,
        cache_hits: query.blocks - query.requests,
        latency: Latency {
            p50_us: wall_us,
            p99_us: 2.0 * wall_us,
            p999_us: 3.0 * wall_us,
            max_us: 9.0 * wall_us,
        },
    }
}

fn fill(load: &LoadPrediction, error: f64) -> Fill {
    Fill {
        fill_seconds: load.seconds.value * error,
        insert_seconds: load.insert_seconds * error,
        processor_seconds: load.processor_seconds,
        device_read_bytes: 0,
        device_written_bytes: 0,
        write_amplification: load.write_amplification.value / error,
        stall_seconds: load.stalled_seconds,
        stalls: Default::default(),
        background: Background { mean_subcompactions: load.concurrency, ..Background::default() },
        levels: Vec::new(),
    }
}

/// What an advice was asked and what it was made from.
pub struct SampleAdvice {
    pub wanted: Wanted,
    device: DeviceCosts,
    processor: ProcessorCosts,
    warnings: Vec<String>,
}

/// An advice for 128 MiB on the drive of the other samples.
pub fn sample_advice(mix: &str) -> SampleAdvice {
    SampleAdvice {
        wanted: Wanted {
            data: Data::of_bytes(f64::from(128 << 20), 16, 1024),
            demands: Demands { mix: mix.parse().expect("a mix"), clients: 8, scan_pairs: 100.0 },
            memory_bytes: f64::from(64 << 20),
            jobs: Some(4),
            compaction_readahead_bytes: 0,
            compressed_share: 1.0,
            p99_us: None,
            endurance: None,
            rate: None,
            life_years: None,
        },
        device: DeviceCosts::from_profile(&sample_profile()).expect("costs of the device"),
        processor: processor(),
        warnings: vec!["a warning </script><img src=x>".to_owned()],
    }
}

impl SampleAdvice {
    pub fn question(&self) -> leadline_lsm::figures::Question<'_> {
        leadline_lsm::figures::Question {
            data: &self.wanted.data,
            demands: &self.wanted.demands,
            has_mix: true,
            machine: Machine { device: &self.device, processor: &self.processor, cores: 4 },
            processor: "made up",
            warnings: &self.warnings,
        }
    }

    pub fn advice(&self) -> Advice {
        advise(&self.wanted, &self.question().machine, &mut |_| {}).expect("an advice")
    }
}
