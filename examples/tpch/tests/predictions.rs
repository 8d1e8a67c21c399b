//! How predictions are held against what was measured.

use leadline_tpch::predict::{Agreement, Compared, OnDrive, agreement, lines};
use leadline_tpch::queries::{Plans, Query};

fn compared(query: &str, on: [([f64; 3], f64); 2]) -> Compared {
    let drive = |(seconds, predicted): ([f64; 3], f64)| OnDrive {
        seconds: seconds.to_vec(),
        predicted: vec![predicted],
        computing: 0.1,
    };
    Compared { query: Query::parse(query).unwrap(), plans: Plans::Default, on: on.map(drive) }
}

#[test]
fn only_pairs_that_differ_by_more_than_their_runs_have_an_order() {
    // Speed-ups of 4.5 to 5.5, 2.8 to 3.2, and 2 to 4.
    let fast = compared("q3", [([9.0, 10.0, 11.0], 10.0), ([2.0, 2.0, 2.0], 2.0)]);
    let slow = compared("q10", [([5.6, 6.0, 6.4], 6.0), ([2.0, 2.0, 2.0], 2.0)]);
    let unsure = compared("q6", [([4.0, 6.0, 8.0], 9.0), ([2.0, 2.0, 2.0], 1.0)]);
    let all = [fast.clone(), slow.clone(), unsure.clone()];
    // q6 is predicted wrongly against q3 alone, and its runs are apart from those of q3, not of q10.
    assert_eq!(agreement(&all), Agreement { pairs: 2, right: 1 });
    assert_eq!(agreement(&[fast]), Agreement { pairs: 0, right: 0 });

    let text = lines(&all, ["slow", "fast"]).join("\n");
    assert!(text.contains("Drive 1: predictions are off by 0.0 % in the median, 50.0 % at most."), "{text}");
    assert!(text.contains("Of 2 pairs") && text.contains("1 are predicted in order"), "{text}");
    assert!(text.contains("6.00 (4.00 to 8.00)"), "{text}");
}

#[test]
fn medians_are_compared() {
    let of = compared("q1", [([1.0, 2.0, 9.0], 3.0), ([1.0, 1.0, 1.0], 0.5)]);
    assert_eq!((of.on[0].measured(), of.on[0].error(), of.on[1].error()), (2.0, 0.5, -0.5));
    assert_eq!((of.speedup(), of.predicted_speedup(), of.speedup_range()), (2.0, 6.0, [1.0, 9.0]));
}
