//! How a speed-up is shown: its colour, and its digits.

/// Colours of a speed-up of 1, 2, 4, 8 and 16, and of the slow-downs by as much. Blue and orange are told
/// apart by all eyes; the lightness alone says how much.
const FASTER: [[u8; 3]; 5] =
    [[255, 255, 255], [198, 219, 239], [107, 174, 214], [33, 113, 181], [8, 48, 107]];
const SLOWER: [[u8; 3]; 5] = [[255, 255, 255], [253, 208, 162], [253, 141, 60], [217, 72, 1], [127, 39, 4]];

/// Two digits, or three before the point.
pub fn digits(value: f64) -> String {
    match value {
        v if v < 0.0995 => format!("{v:.3}"),
        v if v < 0.995 => format!("{v:.2}"),
        v if v < 9.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

/// Whether white letters are read better than black ones.
pub fn is_dark([r, g, b]: [u8; 3]) -> bool {
    // Luma as in ITU-R BT.601.
    0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b) < 140.0
}

/// Of a speed-up; what is beyond the scale has its last colour.
pub fn colour(speedup: f64) -> [u8; 3] {
    let place = speedup.log2().clamp(-4.0, 4.0);
    let scale = if place < 0.0 { SLOWER } else { FASTER };
    let place = place.abs();
    let low = (place as usize).min(3);
    let mix = |i: usize| {
        let [from, to] = [scale[low][i], scale[low + 1][i]].map(f64::from);
        (from + (to - from) * (place - low as f64)).round() as u8
    };
    [mix(0), mix(1), mix(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_white_where_nothing_changes_and_do_not_end() {
        assert_eq!(colour(1.0), [255, 255, 255]);
        assert_eq!([colour(4.0), colour(0.25)], [FASTER[2], SLOWER[2]]);
        assert!(is_dark(FASTER[3]) && is_dark(SLOWER[3]) && !is_dark(FASTER[2]) && !is_dark(SLOWER[1]));
        assert_eq!([colour(100.0), colour(0.001)], [FASTER[4], SLOWER[4]]);
    }

    #[test]
    fn numbers_fit_a_cell() {
        assert_eq!(
            [0.0123, 0.4, 0.999, 3.96, 12.3, 120.4].map(digits),
            ["0.012", "0.40", "1.0", "4.0", "12", "120"]
        );
    }
}
