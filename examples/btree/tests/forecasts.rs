//! The queueing network, the intervals and the verdicts.

use leadline_btree::{Cell, Forecast, Verdict, interval, throughput, verdicts};
use leadline_lsm::btree::{Estimate, Operation};

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
