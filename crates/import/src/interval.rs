//! How far imported numbers may be off.

/// Half-width of any interval, as a share. One run says nothing of the next one, of another day, of a drive
/// in another state; repeated measurements of one drive have been seen to differ by as much.
const LEAST: f64 = 0.10;

/// Half-width where the file does not say how much the numbers scattered.
const UNKNOWN: f64 = 0.25;

/// Standard errors on either side that hold 95 %.
const NORMAL: f64 = 1.96;

/// The interval of a number whose standard error is `spread` of it, or is not known.
pub(crate) fn around(value: f64, spread: Option<f64>) -> [f64; 2] {
    let times = 1.0 + spread.map_or(UNKNOWN, |spread| LEAST.hypot(NORMAL * spread));
    [value / times, value * times]
}

/// `above / below` of two numbers, each somewhere in its interval.
pub(crate) fn ratio(above: [f64; 2], below: [f64; 2]) -> [f64; 2] {
    [above[0] / below[1], above[1] / below[0]]
}

/// Whether a number, and what is made of it, can be in a profile.
pub(crate) fn usable(value: f64) -> bool {
    (1e-9..=1e15).contains(&value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_a_tenth_at_least_and_a_quarter_where_nothing_is_known() {
        let [low, high] = around(100.0, Some(0.0));
        assert!((low - 100.0 / 1.1).abs() < 1e-9 && (high - 110.0).abs() < 1e-9);
        let [low, high] = around(100.0, None);
        assert!((low - 80.0).abs() < 1e-9 && (high - 125.0).abs() < 1e-9);
        let [_, high] = around(100.0, Some(0.2));
        assert!((high - 100.0 * (1.0 + 0.1_f64.hypot(0.392))).abs() < 1e-9);
        assert_eq!(ratio([8.0, 10.0], [2.0, 4.0]), [2.0, 5.0]);
    }
}
