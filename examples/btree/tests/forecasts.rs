//! The queueing network, the intervals and the verdicts.

use leadline_btree::{
    Cell, Forecast, Forecaster, ProcessorTimes, Verdict, interval, pairs_of, throughput, verdicts,
};
use leadline_lsm::Estimate;
use leadline_lsm::btree::Operation;
use leadline_model::{ModelComparison, Observation, Observations, Workload};
use leadline_profile::OpKind;

#[test]
fn a_network_of_two_stations_has_the_throughputs_of_the_textbook() {
    let close = |found: Option<f64>, expected: f64| {
        let found = found.unwrap();
        assert!((found / expected - 1.0).abs() < 1e-9, "{found}, not {expected}");
    };
    // Alone: the sum of both.
    close(throughput(&[0.001], 0.0005, 1), 1.0 / 0.0015);
    // Two like servers and n clients: n / (n + 1) of one server's rate.
    close(throughput(&[0.001; 5], 0.001, 1), 1000.0 * 5.0 / 6.0);
    // A device that serves all at once, and no processor time: k times one client.
    let parallel: Vec<f64> = (1..=8).map(|there| 0.001 / f64::from(there)).collect();
    close(throughput(&parallel, 0.0, 1), 8000.0);
    // Only processors: as many clients as there are processors work.
    close(throughput(&[0.0; 8], 0.001, 2), 2000.0);
    // Many clients: the slower station sets the pace, and nothing overflows.
    close(throughput(&[1e-9; 64], 1e3, 1), 1e-3);
    close(throughput(&[1e3; 64], 1e-9, 4), 1e-3);
    assert_eq!(throughput(&[], 1.0, 1), None);
    assert_eq!(throughput(&[0.0], 0.0, 1), None);
    assert_eq!(throughput(&[f64::INFINITY], 1.0, 1), None);
}

#[test]
fn a_forecast_is_the_time_of_the_nodes_read_and_of_the_processor() {
    // Reads of 80 us and 2 us per page, as many at once as there are.
    let all = [4096, 16384, 65536].into_iter().flat_map(|block: u32| {
        [1, 2, 4, 8].map(|k| Observation {
            workload: Workload::pure(OpKind::Read, 1000.0, block, 1.0, k),
            seconds: 1000.0 * (80e-6 + 2e-6 * f64::from(block / 4096)) / f64::from(k),
            relative_error: 0.0,
            weight: 1.0,
        })
    });
    let observations = Observations { all: all.collect(), ..Observations::default() };
    let comparison = ModelComparison::with_resamples(observations, 0);
    let forecaster = Forecaster {
        model: comparison.best().unwrap(),
        // Leaves of 1365 pairs at 64K: 1000 of them, and one root.
        data: pairs_of(48 * 1_365_000),
        range_bytes: 48 * 1366,
        memory_bytes: 0,
        processors: 1,
    };
    let (node_bytes, fill) = (65536, 1.0);
    let times = ProcessorTimes { node_bytes, point_visit_us: 1.0, range_visit_us: 10.0, miss_us: 5.0, fill };
    let rate = |operation, clients| {
        let forecast = forecaster.forecast(&times, operation, clients).unwrap();
        (forecast.per_second.value, forecast.reads)
    };
    let close =
        |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 0.01, "{found}, {expected}");
    // A lookup reads two nodes of 112 us, and takes the processor 1 us for each and 5 us for each miss.
    let (point, reads) = rate(Operation::Point, 1);
    assert_eq!(reads, 2.0);
    close(point, 1.0 / (2.0 * 112e-6 + 2.0 * 1e-6 + 2.0 * 5e-6));
    // A range reads one leaf more.
    let (range, reads) = rate(Operation::Range, 1);
    assert_eq!(reads, 3.0);
    close(range, 1.0 / (3.0 * 112e-6 + 3.0 * 10e-6 + 3.0 * 5e-6));
    // Four clients read side by side, and hardly meet at the processor.
    let (four, _) = rate(Operation::Point, 4);
    assert!(four > 3.9 * point * 0.95 && four < 4.0 * point, "{four} and {point}");
}

#[test]
fn intervals_are_students() {
    let three = interval(&[9.0, 10.0, 11.0]);
    assert_eq!(three.value, 10.0);
    // t of 2 degrees of freedom is 4.3027; the standard error is 1 / sqrt(3).
    assert!((three.ci[1] - 10.0 - 4.3027 / 3_f64.sqrt()).abs() < 1e-3, "{:?}", three.ci);
    assert_eq!(interval(&[5.0]).ci, [0.0, f64::INFINITY]);
    assert_eq!(interval(&[0.1, 9.0]).ci[0], 0.0, "a rate is never negative");
}

fn cell(node_bytes: u32, forecast: f64, measured: [f64; 3]) -> Cell {
    let per_second = Estimate { value: forecast, ci: [forecast, forecast] };
    Cell {
        operation: Operation::Point,
        clients: 4,
        node_bytes,
        forecast: Forecast { per_second, reads: 1.0 },
        measured: measured.to_vec(),
        reads: vec![1.0; 3],
    }
}

#[test]
fn only_pairs_that_differ_beyond_doubt_are_judged() {
    let mut cells = vec![
        cell(4096, 100.0, [99.0, 100.0, 101.0]),
        cell(8192, 90.0, [49.0, 50.0, 51.0]),
        // Overlaps with the first; forecast as the slowest, yet faster than the second.
        cell(16384, 80.0, [97.0, 100.0, 104.0]),
    ];
    let verdict = |faster, slower, foretold| Verdict {
        operation: Operation::Point,
        clients: 4,
        faster,
        slower,
        foretold,
    };
    assert_eq!(verdicts(&cells), [verdict(4096, 8192, true), verdict(16384, 8192, false)]);
    // Other clients are another comparison.
    cells[1].clients = 1;
    assert_eq!(verdicts(&cells), []);
}
