//! How predictions move with the device, the clients and the layout.

use leadline_lsm::{Bound, DeviceCosts, Layout, Prediction, ProcessorCosts, predict};
use proptest::prelude::*;

use crate::lsm_device::{Drive, FLASH, data, demands, machine};

fn of(drive: Drive, layout: &Layout, mix: &str, clients: u32, bytes: f64) -> Prediction {
    on(&drive.costs(), layout, mix, clients, bytes)
}

fn on(device: &DeviceCosts, layout: &Layout, mix: &str, clients: u32, bytes: f64) -> Prediction {
    let processor = ProcessorCosts::default();
    predict(&data(bytes), layout, &machine(device, &processor), &demands(mix, clients))
}

fn small() -> Layout {
    let memtable_bytes = 4 << 20;
    Layout { memtable_bytes, file_bytes: memtable_bytes, base_bytes: 4 * memtable_bytes, ..Layout::default() }
}

/// Every number there is, with its interval around it.
fn sound(found: &Prediction) {
    let mix = found.mix.per_second;
    for estimate in
        [found.point.us, found.absent.us, found.scan.us, found.insert_per_s, mix, found.load.seconds]
    {
        let [low, high] = estimate.ci;
        assert!(
            0.0 < low && low <= estimate.value && estimate.value <= high && high.is_finite(),
            "{estimate:?}"
        );
    }
    assert!(found.space_amplification.value >= 0.999, "{:?}", found.space_amplification);
    assert!(found.mix.point_p99_us >= found.mix.point_us);
}

#[test]
fn a_single_level_answers_from_one_run_and_writes_more() {
    let levels = of(FLASH, &small(), "point=50,insert=50", 1, 1e9);
    let single = of(FLASH, &small().single_level(4), "point=50,insert=50", 1, 1e9);
    sound(&levels);
    sound(&single);
    assert!((single.point.blocks - 1.0).abs() < 0.05, "{} blocks", single.point.blocks);
    assert!(levels.point.blocks > 1.5, "{} blocks", levels.point.blocks);
    let [more, less] = [&single, &levels].map(|found| found.write_amplification.value);
    assert!(more > 1.8 * less, "{more} and {less} bytes written per byte");
    let used = levels.load.levels.iter().filter(|(files, _)| *files > 0).count();
    assert!(used >= 2 && single.load.levels.len() == 2, "{:?}", levels.load.levels);
}

#[test]
fn what_bounds_clients_is_named() {
    let points = |drive, clients| of(drive, &small(), "point=100", clients, 1e8);
    assert_eq!(points(FLASH, 1).point.bound, Bound::Clients);
    let busy = points(Drive { servers: 1.0, ..FLASH }, 64);
    assert_eq!((busy.point.bound, busy.mix.bound), (Bound::Device, Bound::Device));
    let fast = points(Drive { read_us: 1.0, ..FLASH }, 64);
    assert_eq!((fast.point.bound, fast.mix.bound), (Bound::Processor, Bound::Processor));
    let behind = of(Drive { write_us: 5000.0, ..FLASH }, &small(), "insert=100", 4, 3e8);
    assert_eq!(behind.mix.bound, Bound::Compaction);
    assert!(behind.load.stalled_seconds > 0.0);
}

#[test]
fn a_tree_of_any_size_is_predicted() {
    for bytes in [1000.0, 1e6, 1e18] {
        let found = of(FLASH, &Layout::default(), "point=50,insert=25,update=25", 2, bytes);
        sound(&found);
        assert_eq!(found.load.is_coarse, bytes > 1e13, "{bytes} bytes");
    }
}

#[test]
fn a_large_tree_that_is_not_loaded_from_empty_costs_what_a_smaller_one_leads_to_expect() {
    // 5000 memtables are all simulated, 10,000 are not.
    let layout = small();
    let bytes = 5000.0 * layout.memtable_bytes as f64;
    let [loaded, filled] = [bytes, 2.0 * bytes].map(|bytes| of(FLASH, &layout, "insert=100", 1, bytes));
    let growth = filled.write_amplification.value / loaded.write_amplification.value;
    assert!((0.85..1.3).contains(&growth), "{growth}");
    // Each change of the list of files costs time in proportion to all of them.
    let longer = filled.load.seconds.value / loaded.load.seconds.value;
    assert!((1.7..3.5).contains(&longer), "{longer}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3) })]

    #[test]
    fn more_clients_a_faster_device_a_cache_and_filters_do_not_hurt(
        clients in 1_u32..32, read_us in 20.0..400.0_f64, write_us in 10.0..400.0_f64, servers in 1_u32..32,
        fanout in 2_u32..12, bytes in 5e7..6e8_f64,
    ) {
        let drive = Drive { read_us, write_us, servers: f64::from(servers) };
        let slower = Drive { read_us: 50.0 * read_us, write_us: 50.0 * write_us, ..drive };
        let (drive, slower) = (drive.costs(), slower.costs());
        let layout = Layout { fanout: f64::from(fanout), cache_bytes: 1 << 20, ..small() };
        let mix = "point=40,absent=20,scan=10,insert=30";
        let base = on(&drive, &layout, mix, clients, bytes);
        sound(&base);
        let no_less = |more: f64, less: f64, what: &str| prop_assert_result(more >= 0.98 * less, what, more, less);
        let more = on(&drive, &layout, mix, clients + 4, bytes);
        no_less(more.mix.per_second.value, base.mix.per_second.value, "more clients")?;
        no_less(more.point.us.value, base.point.us.value, "each of more clients waits as long")?;
        let cached = on(&drive, &Layout { cache_bytes: 256 << 20, ..layout }, mix, clients, bytes);
        no_less(base.point.us.value, cached.point.us.value, "a larger cache")?;
        let filtered = on(&drive, &Layout { bloom_bits: 10.0, ..layout }, mix, clients, bytes);
        no_less(base.absent.us.value, filtered.absent.us.value, "a filter")?;
        prop_assert!(filtered.absent.blocks < 0.1 * base.absent.blocks + 1e-9);
        prop_assert_eq!(filtered.write_amplification, base.write_amplification);
        // Which compactions a load makes depends on their timing, and so does the tree that it leaves: a
        // slower device can let more of them run at a time.
        let slower = on(&slower, &layout, mix, clients, bytes);
        let faster = base.mix.per_second.value / slower.mix.per_second.value;
        prop_assert!(faster > 1.0, "a device 50 times faster: {faster}");
        let loads = slower.load.seconds.value / base.load.seconds.value;
        prop_assert!(loads > 1.0, "a load on a device 50 times faster: {loads}");
    }
}

fn prop_assert_result(holds: bool, what: &str, more: f64, less: f64) -> Result<(), TestCaseError> {
    prop_assert!(holds, "{}: {} and {}", what, more, less);
    Ok(())
}
