//! Which layout is advised on devices whose costs are known.

use leadline_lsm::{Advice, Endurance, Layout, LsmError, ProcessorCosts, Wanted, advise};

use crate::lsm_device::{Drive, FLASH, data, demands, machine};

fn wanted(mix: &str) -> Wanted {
    Wanted {
        data: data(4e9),
        demands: demands(mix, 4),
        memory_bytes: 256e6,
        jobs: None,
        compaction_readahead_bytes: 0,
        compressed_share: 1.0,
        p99_us: None,
        endurance: None,
        rate: None,
        life_years: None,
    }
}

fn ask(wanted: &Wanted, drive: Drive) -> Result<Advice, LsmError> {
    let (device, processor) = (drive.costs(), ProcessorCosts::default());
    advise(wanted, &machine(&device, &processor), &mut |_| {})
}

/// Doublings of settings away from RocksDB's defaults; a filter is one, a single level is four.
fn distance(layout: &Layout) -> f64 {
    let doublings = |value: f64, usual: f64| (value / usual).log2().abs();
    let shape = if layout.is_single_level() {
        4.0
    } else {
        doublings(layout.fanout, 10.0) + doublings(layout.l0_files.into(), 4.0)
    };
    shape
        + doublings(layout.memtable_bytes as f64, 67108864.0)
        + doublings(layout.block_bytes.into(), 4096.0)
        + doublings(layout.jobs.into(), 1.0)
        + if layout.bloom_bits > 0.0 { 1.0 } else { 0.0 }
}

#[test]
fn each_doubling_away_from_the_defaults_brings_a_tenth_more() {
    for mix in ["point=60,scan=10,insert=30", "absent=50,update=50", "insert=100"] {
        let advice = ask(&wanted(mix), FLASH).unwrap();
        let chosen = advice.tied[0];
        assert_eq!(chosen.layout, advice.chosen.prediction.layout, "{mix}");
        for other in &advice.tied {
            let far = other.distance - chosen.distance;
            assert!((other.distance - distance(&other.layout)).abs() < 1e-9, "{mix}: {other:?}");
            assert!(far >= -1e-9, "{mix}: {other:?} does as many and is nearer than {chosen:?}");
            let gain = other.per_second / chosen.per_second;
            assert!((0.95..=1.1_f64.powf(far) * 1.000001).contains(&gain), "{mix}: {other:?}, {chosen:?}");
        }
        let most = advice.tied.iter().max_by(|a, b| a.per_second.total_cmp(&b.per_second)).unwrap();
        assert_eq!(most.layout, advice.most.prediction.layout, "{mix}");
        assert!(chosen.per_second >= 0.75 * most.per_second, "{mix}: {chosen:?}, {most:?}");
        for pair in advice.tied[1..].windows(2) {
            assert!(pair[0].distance <= pair[1].distance + 1e-6, "{mix}: the nearest first");
        }
        // Of those that were not searched, none is better by a tenth of what its distance would have to
        // bring.
        assert!(advice.neighbours.len() >= 3, "{mix}: {:?}", advice.neighbours);
        let does = advice.chosen.prediction.mix.per_second.value;
        for other in advice.neighbours.iter().map(|other| &other.candidate.prediction) {
            let far = distance(&other.layout) - chosen.distance;
            let most = does * 1.1_f64.powf(far) * 1.106;
            assert!(other.mix.per_second.value <= most, "{mix}: {:?} beats {chosen:?}", other.layout);
        }
    }
}

#[test]
fn devices_that_differ_by_a_few_percent_get_one_layout() {
    let on = |read: f64, write: f64| {
        let Drive { read_us, write_us, .. } = FLASH;
        let drive = Drive { read_us: read * read_us, write_us: write * write_us, ..FLASH };
        ask(&wanted("insert=100"), drive).unwrap().chosen.prediction.layout
    };
    let layout = on(1.0, 1.0);
    for (read, write) in [(0.97, 1.03), (1.03, 0.97), (1.02, 1.02)] {
        assert_eq!(on(read, write), layout, "reads take {read}, writes {write} times as long");
    }
}

#[test]
fn the_front_has_the_chosen_layout_and_the_order_of_read_time() {
    let advice = ask(&wanted("point=60,scan=10,insert=30"), FLASH).unwrap();
    assert!(advice.front.contains(&advice.chosen) && advice.front.contains(&advice.most));
    for pair in advice.front.windows(2) {
        assert!(pair[0].read_us <= pair[1].read_us);
    }
    for found in advice.front.iter().map(|candidate| &candidate.prediction) {
        assert!(found.fills > 1 && found.fill_error > 0.0, "a mean of several loads, with its error");
        for busy in [&found.insert_busy, &found.mix.compactions] {
            assert!((0.0..=1.0).contains(&busy.device_used), "{busy:?}");
        }
    }
}

#[test]
fn the_workload_decides_the_shape() {
    let queries = ask(&wanted("point=100"), FLASH).unwrap().chosen.prediction.layout;
    assert!(queries.is_single_level() || queries.bloom_bits > 0.0, "{queries:?}");
    let inserts = ask(&wanted("insert=100"), FLASH).unwrap().chosen.prediction;
    assert!(!inserts.layout.is_single_level(), "{:?}", inserts.layout);
    assert_eq!(inserts.layout.bloom_bits, 0.0, "filters serve no insert");
}

#[test]
fn the_device_decides_the_shape() {
    let wanted = wanted("point=30,scan=20,insert=50");
    let on = |drive| ask(&wanted, drive).unwrap().chosen;
    let slow_writes = on(Drive { read_us: 80.0, write_us: 3000.0, servers: 4.0 });
    let slow_reads = on(Drive { read_us: 3000.0, write_us: 80.0, servers: 4.0 });
    assert_ne!(slow_writes.prediction.layout, slow_reads.prediction.layout);
    let written = |chosen: &leadline_lsm::Candidate| chosen.prediction.write_amplification.value;
    assert!(
        written(&slow_writes) < written(&slow_reads),
        "where writes are slow, less is written: {} and {}",
        written(&slow_writes),
        written(&slow_reads)
    );
}

#[test]
fn limits_hold_or_are_said_to_be_out_of_reach() {
    let free = wanted("point=60,insert=40");
    let all = ask(&free, FLASH).unwrap();
    let unknown = |advice: &Advice| advice.front.iter().all(|other| other.life_years.is_none());
    assert!(unknown(&all), "without the drive's facts its life is not known");

    let limit = 0.9 * all.chosen.prediction.mix.point_p99_us;
    let p99 = Wanted { p99_us: Some(limit), ..free };
    match ask(&p99, FLASH) {
        Ok(advice) => assert!(advice.chosen.prediction.mix.point_p99_us <= limit),
        Err(error) => assert!(error.to_string().contains("the lowest is"), "{error}"),
    }
    let error = ask(&Wanted { p99_us: Some(1.0), ..free }, FLASH).unwrap_err().to_string();
    assert!(error.contains("99th percentile of 1 us") && error.contains("the lowest is"), "{error}");

    let endurance = Some(Endurance { rated_bytes: 100e12, write_amplification: 1.5 });
    let rated = Wanted { endurance, rate: Some(1000.0), ..free };
    let without_limit = ask(&rated, FLASH).unwrap().chosen.life_years.unwrap();
    let years = 1.1 * without_limit;
    match ask(&Wanted { life_years: Some(years), ..rated }, FLASH) {
        // The limit is of the search, which has no intervals; the number shown is the same.
        Ok(advice) => assert!(advice.chosen.life_years.unwrap() >= 0.999 * years),
        Err(error) => assert!(error.to_string().contains("the longest is"), "{error}"),
    }
    let error = ask(&Wanted { life_years: Some(1e6), ..rated }, FLASH).unwrap_err().to_string();
    assert!(error.contains("1000000 years") && error.contains("the longest is"), "{error}");

    let small = Wanted { memory_bytes: 64e6, ..free };
    let chosen = ask(&small, FLASH).unwrap().chosen;
    let used = chosen.memory_bytes + chosen.prediction.layout.cache_bytes as f64;
    assert!(used <= 64e6, "{used} bytes");
    let error = ask(&Wanted { memory_bytes: 1e6, ..free }, FLASH).unwrap_err().to_string();
    assert!(error.contains("MiB of memory") && error.contains("at least"), "{error}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let free = wanted("point=100");
    for (wanted, said) in [
        (Wanted { data: data(0.0), ..free }, "number of pairs"),
        (Wanted { memory_bytes: f64::NAN, ..free }, "memory"),
        (Wanted { demands: demands("point=100", 0), ..free }, "clients"),
        (Wanted { jobs: Some(0), ..free }, "jobs"),
        (Wanted { compressed_share: 0.0, ..free }, "compressed"),
    ] {
        let error = ask(&wanted, FLASH).unwrap_err();
        assert!(matches!(error, LsmError::OutOfRange { .. }) && error.to_string().contains(said), "{error}");
    }
    // A single pair is a tree, too.
    let one = ask(&Wanted { data: data(1000.0), ..wanted("point=50,insert=50") }, FLASH).unwrap();
    assert!(one.chosen.prediction.mix.per_second.value.is_finite());
}
