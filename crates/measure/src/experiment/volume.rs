//! How long slices may be, so that a round of very unequal cells fits into its time.
//!
//! A slice at k requests in flight begins with k requests that are not counted and ends with k more (ramp and
//! drain), and its window holds at least 2 k. At 128 requests of 4 MiB that is 2 GiB; at one of 4 KiB it is
//! nothing. So expensive cells get just that, and the rest share what is left.

use super::context::SHORTEST_SLICE;

/// Completions in a window at least, in multiples of k.
pub(super) const WINDOW_WAVES: u64 = 2;

/// A slice is never longer, so that all cells see the same conditions.
const LONGEST_SLICE: f64 = 0.5;

/// What one cell costs, as far as known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    /// Requests in flight.
    pub(super) k: u32,
    /// Requests per second.
    pub(super) rate: f64,
}

impl Cost {
    /// Seconds of a slice whose window lasts `window` seconds or longer.
    pub(super) fn slice(&self, window: f64) -> f64 {
        let wave = f64::from(self.k) / self.rate;
        window.max(WINDOW_WAVES as f64 * wave) + 2.0 * wave
    }

    /// Seconds of the shortest slice.
    pub(super) fn least(&self) -> f64 {
        self.slice(SHORTEST_SLICE)
    }
}

/// The window, the same for all cells, with which one slice of each takes `seconds` together.
pub(super) fn window(costs: &[Cost], seconds: f64) -> f64 {
    let (mut low, mut high) = (SHORTEST_SLICE, LONGEST_SLICE);
    for _ in 0..30 {
        let middle = (low + high) / 2.0;
        if costs.iter().map(|c| c.slice(middle)).sum::<f64>() > seconds {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

/// Which cells, dearest first, must be left out so that one shortest slice of each other fits into `seconds`.
pub(super) fn too_expensive(costs: &[Cost], seconds: f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|&a, &b| costs[b].least().total_cmp(&costs[a].least()));
    let mut sum: f64 = costs.iter().map(Cost::least).sum();
    let mut out = Vec::new();
    for i in order {
        // As long as slices are as short as they get, leaving one out saves no more than the floor.
        if sum <= seconds || costs[i].least() <= 2.0 * SHORTEST_SLICE {
            break;
        }
        sum -= costs[i].least();
        out.push(i);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs() -> Vec<Cost> {
        // 10 ms a wave, 1 s a wave, 0.1 ms a wave.
        [(1, 100.0), (128, 128.0), (1, 10_000.0)].map(|(k, rate)| Cost { k, rate }).to_vec()
    }

    #[test]
    fn a_round_takes_the_time_it_is_given() {
        for seconds in [4.3, 4.6, 4.9] {
            let window = window(&costs(), seconds);
            let sum: f64 = costs().iter().map(|c| c.slice(window)).sum();
            assert!((sum - seconds).abs() < 0.001, "{seconds}: {sum}");
        }
        assert!(window(&costs(), 0.0) < 0.0051 && window(&costs(), 1e9) > 0.499);
    }

    #[test]
    fn the_dearest_is_left_out_and_only_as_far_as_need_be() {
        assert!(too_expensive(&costs(), 5.0).is_empty());
        assert_eq!(too_expensive(&costs(), 1.0), [1]);
        assert_eq!(too_expensive(&costs(), 0.0), [1, 0], "what costs next to nothing stays");
    }
}
