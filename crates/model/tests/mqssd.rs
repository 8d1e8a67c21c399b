//! Affine and MQSSD: truths recovered, and what cannot be known refused.

use leadline_model::{Affine, CostTable, InFlight, Model, Mqssd, Observation, Observations, Workload};
use leadline_profile::{OpKind, PAGE_BYTES};

use crate::common;
use common::{Column, published, published_table};

const PAGES: [u32; 7] = [1, 4, 10, 32, 100, 316, 1000];
const KS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Setup and transfer at a concurrency, seconds.
type Truth = fn(OpKind, u32) -> [f64; 2];

/// Whatever the concurrency.
fn affine(op: OpKind, _: u32) -> [f64; 2] {
    if op == OpKind::Read { [80e-6, 1.5e-6] } else { [20e-6, 3e-6] }
}

/// Setup falls like 1 / k to k = 32, transfer to k = 4: kinks that no smooth function has.
fn multi_queue(op: OpKind, k: u32) -> [f64; 2] {
    let [setup, transfer] = affine(op, k);
    [setup / f64::from(k.min(32)), transfer / f64::from(k.min(4))]
}

/// 1,000 random requests of every size, at every concurrency; times off by `noise`, lognormal.
fn grid(truth: Truth, ops: &[OpKind], noise: f64) -> Observations {
    let mut random = fastrand::Rng::with_seed(11);
    let mut all = Vec::new();
    for &op in ops {
        for k in KS {
            for pages in PAGES {
                let normal = (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
                let [setup, transfer] = truth(op, k);
                let seconds = 1000.0 * (setup + f64::from(pages) * transfer) * (noise * normal).exp();
                let workload = Workload::pure(op, 1000.0, pages * PAGE_BYTES, 1.0, k);
                all.push(Observation { workload, seconds, relative_error: noise, weight: 1.0 });
            }
        }
    }
    Observations { all, ..Observations::default() }
}

const BOTH: [OpKind; 2] = [OpKind::Read, OpKind::Write];

fn value(model: &impl Model, name: &str) -> f64 {
    model.parameters().into_iter().find(|p| p.name == name).unwrap_or_else(|| panic!("no {name}")).value
}

fn assert_near(found: f64, truth: f64, relative: f64, what: &str) {
    assert!((found / truth - 1.0).abs() <= relative, "{what}: {found} instead of {truth}");
}

#[test]
fn affine_costs_are_found_exactly_without_noise_and_within_two_percent_with() {
    for (noise, tolerance) in [(0.0, 1e-10), (0.03, 0.02)] {
        let model = Affine::fit(&grid(affine, &BOTH, noise)).expect("a fit");
        for (name, truth) in
            [("setup_read", 80.0), ("transfer_read", 1.5), ("setup_write", 20.0), ("transfer_write", 3.0)]
        {
            assert_near(value(&model, name), truth, tolerance, name);
        }
        let sequential = model.cost(OpKind::Read, 8192, 0.0, 4).expect("reads were measured");
        assert_near(sequential, 3e-6, tolerance, "two pages in sequence");
        assert!(model.remarks()[0].starts_with("reads: setup and transfer are told apart well"));
    }
}

#[test]
fn costs_that_the_size_hardly_changes_are_told_apart_poorly() {
    let mut observations = grid(affine, &[OpKind::Read], 0.0);
    observations.all.retain(|o| o.workload.block_bytes == PAGE_BYTES);
    for (i, o) in observations.all.iter_mut().enumerate() {
        // Of the requests, 100 % jump, or 95 %.
        o.workload.random_fraction = if i % 2 == 0 { 1.0 } else { 0.95 };
        o.seconds = 1000.0 * (80e-6 * o.workload.random_fraction + 1.5e-6);
    }
    let model = Affine::fit(&observations).expect("a fit");
    assert_near(value(&model, "transfer_read"), 1.5, 1e-6, "transfer");
    assert!(model.remarks()[0].contains("poorly"), "{}", model.remarks()[0]);
}

#[test]
fn no_cost_is_negative_and_no_request_is_free() {
    let mut observations = grid(affine, &BOTH, 0.0);
    for o in &mut observations.all {
        let pages = o.workload.pages_per_request();
        // Reads: larger ones are faster. Writes: twice the pages, more than twice the time.
        o.seconds = if o.workload.only() == Some(OpKind::Read) { pages.powf(-0.1) } else { pages.powf(1.1) };
    }
    let (affine, mqssd) =
        (Affine::fit(&observations).expect("a fit"), Mqssd::fit(&observations).expect("a fit"));
    assert_eq!(value(&affine, "setup_write"), 0.0);
    for op in BOTH {
        for random_fraction in [0.0, 1.0] {
            for k in [1, 128, 1_000_000] {
                for cost in
                    [affine.cost(op, 512, random_fraction, k), mqssd.cost(op, 512, random_fraction, k)]
                {
                    let cost = cost.expect("both were measured");
                    assert!(cost > 0.0 && cost.is_finite(), "{op:?} {random_fraction} {k}: {cost}");
                }
            }
        }
    }
}

/// Relative standard errors of both costs that seven sizes of this noise allow at best (Cramer and Rao).
fn standard_errors([setup, transfer]: [f64; 2], noise: f64) -> [f64; 2] {
    let shares = PAGES.map(|pages| setup / (setup + f64::from(pages) * transfer));
    let sum = |of: fn(f64) -> f64| shares.iter().map(|&share| of(share)).sum::<f64>();
    let (ss, tt, st) = (sum(|s| s * s), sum(|s| (1.0 - s) * (1.0 - s)), sum(|s| s * (1.0 - s)));
    let determinant = ss * tt - st * st;
    [noise * (tt / determinant).sqrt(), noise * (ss / determinant).sqrt()]
}

#[test]
fn costs_that_fall_with_the_concurrency_are_recovered_at_each() {
    let model = Mqssd::fit(&grid(multi_queue, &BOTH, 0.03)).expect("a fit");
    for op in BOTH {
        let costs = model.costs(op).expect("both were measured");
        assert_eq!(costs.per_k.iter().map(|cell| cell.k).collect::<Vec<_>>(), KS);
        for cell in &costs.per_k {
            let [setup, transfer] = multi_queue(op, cell.k);
            let [setup_error, transfer_error] = standard_errors([setup, transfer], 0.03);
            assert_near(cell.setup, setup, 3.0 * setup_error, "setup");
            assert_near(cell.transfer, transfer, 3.0 * transfer_error, "transfer");
            let r2 = cell.r2.expect("of a fit");
            assert!(cell.points == 7 && (0.99..=1.0).contains(&r2), "{cell:?}");
            assert_near(costs.setup.at(f64::from(cell.k)), setup, 0.25, "setup, smooth");
            assert_near(costs.transfer.at(f64::from(cell.k)), transfer, 0.25, "transfer, smooth");
        }
    }
    let name = "setup_read(8)";
    assert_near(value(&model, name), 80.0 / 8.0, 0.2, name);
    assert_near(value(&model, "transfer_write(inf)"), 0.75, 0.2, "transfer_write(inf)");
    assert!(model.remarks().iter().any(|n| n.starts_with("writes: setup and transfer are told apart well")));
}

#[test]
fn workloads_are_predicted_from_smooth_costs() {
    let smooth: Truth = |op, k| {
        let [setup, transfer] = affine(op, k);
        let k = f64::from(k);
        [setup * (0.03 + 1.0 / (1.0 + (k / 2.0).powf(1.3))), transfer * (0.2 + 1.0 / (1.0 + k / 3.0))]
    };
    for (noise, tolerance) in [(0.0, 0.005), (0.03, 0.06)] {
        let observations = grid(smooth, &BOTH, noise);
        let model = Mqssd::fit(&observations).expect("a fit");
        let again = model.refit(&observations).expect("a fit");
        for op in BOTH {
            // Between the concurrencies and sizes that were measured, and partly in sequence.
            for (pages, random_fraction, k) in [(1, 1.0, 3), (16, 0.5, 12), (64, 0.0, 100), (256, 1.0, 1)] {
                let [setup, transfer] = smooth(op, k);
                let truth = random_fraction * setup + f64::from(pages) * transfer;
                for model in [&model, &again] {
                    let cost = model.cost(op, pages * PAGE_BYTES, random_fraction, k).expect("measured");
                    assert_near(cost, truth, tolerance, "a request");
                }
            }
        }
    }
}

#[test]
fn a_setup_that_costs_nothing_does_not_spoil_the_prediction() {
    let free_setup: Truth = |op, k| [0.0, affine(op, k)[1] * (0.1 + 1.0 / (1.0 + f64::from(k) / 2.0))];
    for (noise, tolerance) in [(0.0, 0.005), (0.03, 0.06)] {
        let model = Mqssd::fit(&grid(free_setup, &[OpKind::Read], noise)).expect("a fit");
        for k in KS {
            let cost = model.cost(OpKind::Read, PAGE_BYTES, 1.0, k).expect("reads were measured");
            assert_near(cost, free_setup(OpKind::Read, k)[1], tolerance, "a page");
        }
    }
}

#[test]
fn one_setup_lost_in_the_noise_does_not_pull_down_the_others() {
    let setup = |k: u32| 0.1e-6 / f64::from(k).sqrt();
    let small: Truth = |op, k| [0.1e-6 / f64::from(k).sqrt(), affine(op, k)[1]];
    let mut observations = grid(small, &[OpKind::Read], 0.01);
    for o in observations.all.iter_mut().filter(|o| o.concurrency() == 16) {
        // Small requests a little faster, as noise may have it.
        o.seconds *= if o.workload.block_bytes == PAGE_BYTES { 0.95 } else { 1.0 };
    }
    let model = Mqssd::fit(&observations).expect("a fit");
    let costs = model.costs(OpKind::Read).expect("reads were measured");
    assert_eq!(costs.per_k[4].setup, 0.0);
    for k in [8, 16, 32] {
        let share = costs.setup.at(f64::from(k)) / setup(k);
        assert!((0.5..2.0).contains(&share), "k = {k}: {share}");
    }
}

#[test]
fn refits_keep_names_and_order_of_the_parameters() {
    let mut observations = grid(multi_queue, &BOTH, 0.03);
    let model = Mqssd::fit(&observations).expect("a fit");
    let mut random = fastrand::Rng::with_seed(3);
    observations.all.iter_mut().for_each(|o| o.weight = -(1.0 - random.f64()).ln());
    let again = model.refit(&observations).expect("a fit");
    let names = |model: &Mqssd| model.parameters().into_iter().map(|p| p.name).collect::<Vec<_>>();
    assert_eq!(names(&model), names(&again));
    assert_ne!(model, again);
    for k in KS {
        let of = |model: &Mqssd| model.cost(OpKind::Write, 65536, 1.0, k).expect("writes were measured");
        assert_near(of(&again), of(&model), 0.1, "a request");
    }
}

#[test]
fn reads_alone_are_enough_and_writes_are_then_unknown() {
    let observations = grid(multi_queue, &[OpKind::Read], 0.01);
    let (affine, mqssd) =
        (Affine::fit(&observations).expect("a fit"), Mqssd::fit(&observations).expect("a fit"));
    let mixed = Workload {
        reads: 1.0,
        writes: 1.0,
        block_bytes: 4096,
        random_fraction: 1.0,
        in_flight: InFlight::Together(4),
    };
    assert_eq!((affine.seconds(&mixed), mqssd.seconds(&mixed)), (None, None));
    let reads = Workload { writes: 0.0, ..mixed };
    assert!(affine.seconds(&reads).is_some() && mqssd.seconds(&reads).is_some());
    assert!(mqssd.parameters().iter().all(|p| p.name.contains("read")));
}

#[test]
fn what_the_observations_lack_is_said() {
    let all = grid(multi_queue, &BOTH, 0.0);
    let lacking_affine = |o: &Observations| Affine::fit(o).expect_err("too little").to_string();
    let lacking_mqssd = |o: &Observations| Mqssd::fit(o).expect_err("too little").to_string();
    let one_size = all.filtered(|o| o.workload.block_bytes == PAGE_BYTES);
    assert_eq!(
        lacking_affine(&one_size),
        "affine needs reads or writes of two request sizes, or random and sequential ones; different random accesses \
         per page: reads have 1, writes 1"
    );
    let three = all.filtered(|o| o.concurrency() <= 4 && o.workload.only() == Some(OpKind::Read));
    assert_eq!(
        lacking_mqssd(&three),
        "mqssd needs 4 different concurrencies, each with two request sizes or random fractions; reads have 3, writes 0"
    );
    assert!(lacking_mqssd(&one_size).ends_with("reads have 0, writes 0"));
    let fitted = Mqssd::fit(&all).expect("a fit");
    assert!(fitted.refit(&three).is_err());
    assert!(Mqssd::from_costs(&CostTable::default()).is_err());
}

#[test]
fn the_published_table_makes_a_model_of_its_own_costs() {
    let fit = Mqssd::from_costs(&published_table()).expect("a model");
    assert_eq!((fit.cells, fit.functions.len()), (32, 4));
    for f in &fit.functions {
        let (largest, left_out) = (100.0 * f.errors.largest_relative, 100.0 * f.leave_one_out);
        println!(
            "{:15} {:?}: R2 {:.5}, largest {largest:.2} %, leave-one-out {left_out:.2} %",
            f.name,
            f.function.shape(),
            f.errors.r2_log
        );
    }
    println!("mean {:.2} %, leave-one-out {:.2} %", 100.0 * fit.mape, 100.0 * fit.leave_one_out);
    assert!(fit.mape < 0.025 && fit.leave_one_out < 0.05);
    for row in published() {
        let random_write = fit.model.cost(OpKind::Write, 4096, 1.0, row.k as u32).expect("writes are in it");
        let truth = row.cost(Column::SetupWrite) + row.cost(Column::TransferWrite);
        assert_near(random_write, truth, 0.05, "a random page write");
    }
}

/// Equations 7 and 8 add throughputs and drop by a thousand. With times added, the table's writes drop as the
/// paper says of all its devices, by 38 to 57 at k = 1 and by 5.0 to 7.8 at high k. Its reads do not quite:
/// the paper says 18 to 23 and 1.3 to 1.5.
#[test]
fn the_published_drops_come_out_of_the_corrected_equations() {
    let model = Mqssd::from_costs(&published_table()).expect("a model").model;
    let drop = |op: OpKind, k: u32| {
        let cell =
            model.costs(op).and_then(|c| c.per_k.iter().find(|cell| cell.k == k)).expect("in the table");
        (cell.setup + cell.transfer) / (0.001 * cell.setup + cell.transfer)
    };
    for k in [1, 128] {
        println!("k = {k}: writes {:.2}, reads {:.2}", drop(OpKind::Write, k), drop(OpKind::Read, k));
    }
    assert!((drop(OpKind::Write, 1) - 41.6).abs() <= 0.1);
    assert!((5.0..=7.8).contains(&drop(OpKind::Write, 128)));
    assert!((drop(OpKind::Read, 1) - 16.6).abs() <= 0.1 && (drop(OpKind::Read, 128) - 1.8).abs() <= 0.1);
}
