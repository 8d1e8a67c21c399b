//! The MQSSD paper's measurements of RocksDB: what is fitted to some cells predicts the others.

use std::sync::OnceLock;

use leadline_lsm::Layout;
use leadline_lsm::paper::{
    AccessCosts, Cell, Column, DATA, HeldOut, Model, SimulatedShapes, Workload, access_costs, cells,
    flash_cells, held_out, insert_us, mean_error, point_us, scan_us,
};

/// Simulated once: it takes most of the time of these tests.
fn shapes() -> &'static SimulatedShapes {
    static SHAPES: OnceLock<SimulatedShapes> = OnceLock::new();
    SHAPES.get_or_init(SimulatedShapes::simulate)
}

fn judged(model: Model, workload: Workload, kept: fn(&Cell) -> bool) -> HeldOut {
    let cells: Vec<Cell> = cells(workload).into_iter().filter(kept).collect();
    held_out(&cells, |cell| model.terms(workload, cell))
}

fn is_leveled(cell: &Cell) -> bool {
    cell.column != Column::SingleLevel
}

/// The single level with one compaction thread, which takes 12.9 times as long as with two.
fn is_slowest_load(cell: &Cell) -> bool {
    (cell.column, cell.k) == (Column::SingleLevel, 1)
}

fn assert_at_most(found: &HeldOut, most: f64) {
    assert!(found.random_halves <= most && found.other_concurrencies <= most, "above {most}: {found:?}");
}

#[test]
fn point_queries_are_predicted_within_10_percent() {
    let ours = judged(Model::Shapes(shapes()), Workload::Point, |_| true);
    assert_at_most(&ours, 0.10);
    let paper = judged(Model::Equations, Workload::Point, |_| true);
    assert!(paper.random_halves > 5.0 * ours.random_halves, "{paper:?}");
    assert!(paper.other_concurrencies > 5.0 * ours.other_concurrencies, "{paper:?}");
}

#[test]
fn scans_are_predicted_within_10_percent() {
    let ours = judged(Model::Shapes(shapes()), Workload::Scan, |_| true);
    assert_at_most(&ours, 0.10);
    let paper = judged(Model::Equations, Workload::Scan, |_| true);
    assert!(paper.random_halves > 5.0 * ours.random_halves, "{paper:?}");
    assert!(paper.other_concurrencies > 5.0 * ours.other_concurrencies, "{paper:?}");
}

#[test]
fn compaction_is_predicted_within_15_percent() {
    let ours = |kept| judged(Model::Shapes(shapes()), Workload::Compaction, kept);
    assert_at_most(&ours(|cell| !is_slowest_load(cell)), 0.15);
    assert_at_most(&ours(|_| true), 0.15);
    let (leveled, paper) = (ours(is_leveled), judged(Model::Equations, Workload::Compaction, is_leveled));
    assert!(paper.random_halves > 2.0 * leveled.random_halves, "{paper:?}, {leveled:?}");
    assert!(paper.other_concurrencies > 2.0 * leveled.other_concurrencies, "{paper:?}, {leveled:?}");
}

/// Fitted to all other cells, the model predicts it: one thread cannot merge files of level 0 while it
/// compacts them, so each compaction rewrites the tree for fewer of them.
#[test]
fn the_slowest_load_is_no_outlier() {
    let model = Model::Shapes(shapes());
    let constants = judged(model, Workload::Compaction, |cell| !is_slowest_load(cell)).constants;
    let slowest: Vec<Cell> = cells(Workload::Compaction).into_iter().filter(is_slowest_load).collect();
    assert_eq!(slowest.len(), 1);
    let error = mean_error(&slowest, &constants, |cell| model.terms(Workload::Compaction, cell));
    assert!(error < 0.2, "{error}");
    let amplification = |k| shapes().loaded(Column::SingleLevel, k).unwrap().write_amplification;
    assert!(amplification(1) > 4.0 * amplification(2), "{} and {}", amplification(1), amplification(2));
}

/// Table 5, with constants fitted to Table 3: how much longer queries take on the flash configuration.
#[test]
fn the_flash_configuration_is_predicted_from_the_other_layouts() {
    for (workload, error, ratio_error) in [(Workload::Point, 0.05, 0.06), (Workload::Scan, 0.08, 0.15)] {
        let terms = |cell: &Cell| Model::Shapes(shapes()).terms(workload, cell);
        let constants = held_out(&cells(workload), terms).constants;
        let flash = flash_cells(workload);
        assert_eq!(flash.len(), 12);
        let found = mean_error(&flash, &constants, terms);
        assert!(found < error, "{workload:?}: {found}");
        let seconds = |cell: &Cell| constants.iter().zip(terms(cell)).map(|(c, t)| c * t).sum::<f64>();
        for pair in flash.chunks(2) {
            assert_eq!([pair[0].column, pair[1].column], [Column::SingleLevel, Column::Flash]);
            let (found, measured) =
                (seconds(&pair[1]) / seconds(&pair[0]), pair[1].seconds / pair[0].seconds);
            let k = pair[0].k;
            assert!(
                (found / measured - 1.0).abs() < ratio_error,
                "{workload:?}, k = {k}: {found}, {measured}"
            );
        }
    }
}

#[test]
fn the_equations_are_those_of_the_paper() {
    // Of accesses that cost t = 10, s = 20, and 1 and 2 a page.
    let costs =
        AccessCosts { read_setup_us: 10.0, write_setup_us: 20.0, read_page_us: 1.0, write_page_us: 2.0 };
    let layout = Layout { fanout: 8.0, ..Layout::default() };
    let near = |found: f64, wanted: f64| assert!((found / wanted - 1.0).abs() < 1e-3, "{found}, {wanted}");
    // N / (C T) = 492.1 and log_8 of it 2.981; 32,513.98 pairs and 16,384 pages in a file.
    near(point_us(&DATA, &layout, &costs), 6.981 * 11.0);
    near(insert_us(&DATA, &layout, &costs), (4.0 + 8.0 * 2.981) / 32513.98 * (30.0 + 16384.0 * 3.0));
    near(scan_us(&DATA, &layout, &costs, 262144.0), 6.981 * 11.0 + 10.0 / 256.0 + 64.0);
    let single = layout.single_level(1);
    near(point_us(&DATA, &single, &costs), 11.0);
    near(insert_us(&DATA, &single, &costs), 30.0 + 16384.0 * 3.0);
}

#[test]
fn costs_of_accesses_are_those_of_table_2() {
    let costs = access_costs(1).unwrap();
    assert!((costs.read_setup_us - 56.1).abs() < 0.1 && (costs.write_setup_us - 118.3).abs() < 0.1);
    assert_eq!((costs.read_page_us, costs.write_page_us), (3.53, 2.79));
    assert_eq!(access_costs(3), None);
}
