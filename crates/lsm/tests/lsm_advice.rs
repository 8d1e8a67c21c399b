//! Which layout is advised on devices whose costs are known.

use leadline_lsm::{Advice, Endurance, LsmError, ProcessorCosts, Wanted, advise};

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

#[test]
fn the_chosen_layout_is_on_the_front_and_no_layout_shown_beats_it_by_more_than_a_percent() {
    for mix in ["point=60,scan=10,insert=30", "absent=50,update=50", "scan=100"] {
        let advice = ask(&wanted(mix), FLASH).unwrap();
        let best = advice.chosen.prediction.mix.per_second.value;
        assert!(advice.front.contains(&advice.chosen));
        assert!(advice.neighbours.len() >= 3, "{mix}: {:?}", advice.neighbours);
        let neighbours = advice.neighbours.iter().map(|other| &other.candidate);
        for other in advice.front.iter().chain(neighbours) {
            let found = other.prediction.mix.per_second.value;
            assert!(
                found <= best / 0.99 * 1.0001,
                "{mix}: {:?} does {found}, not {best}",
                other.prediction.layout
            );
        }
        for pair in advice.front.windows(2) {
            assert!(pair[0].read_us <= pair[1].read_us, "{mix}: in the order of read time");
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
