//! How far a run is.

use super::plan::{Plan, Unit};

/// What a fill is taken to write per second before one was seen, for the first guess of how long all takes.
const GUESSED_BYTES_PER_SECOND: f64 = 20e6;
/// Opening and closing a database, and waiting until its compactions have surely ended, seconds.
const GUESSED_MORE_SECONDS: f64 = 6.0;

/// How far a run is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// `calibrate` or `measure`.
    pub phase: &'static str,
    /// The share of the phase that is done, 0 to 1, by expected time.
    pub done: f64,
    /// What is done now, in words.
    pub detail: String,
}

/// How far the grid is, by the time that its parts take.
pub(super) struct Pace {
    fill_seconds: f64,
    query_seconds: f64,
    /// Fills that were timed.
    timed: f64,
    fills: [f64; 2],
    queries: [f64; 2],
}

impl Pace {
    pub(super) fn new(plan: &Plan, units: &[Unit]) -> Pace {
        let queries: usize = units.iter().map(|unit| unit.queries.len()).sum();
        Pace {
            fill_seconds: plan.data.bytes() / GUESSED_BYTES_PER_SECOND + GUESSED_MORE_SECONDS,
            query_seconds: 2.0 * f64::from(plan.seconds) + 1.0,
            timed: 0.0,
            fills: [0.0, units.len() as f64],
            queries: [0.0, queries as f64],
        }
    }

    /// What the journal has needs no time.
    pub(super) fn skip(&mut self, queries: usize, filled: bool) {
        self.queries[1] -= queries as f64;
        self.fills[1] -= f64::from(u8::from(filled));
    }

    pub(super) fn filled(&mut self, seconds: f64) {
        // The guess goes with the first that is known.
        self.fill_seconds = (self.fill_seconds * self.timed + seconds) / (self.timed + 1.0);
        self.timed += 1.0;
        self.fills[0] += 1.0;
    }

    pub(super) fn queried(&mut self) {
        self.queries[0] += 1.0;
    }

    /// With the share `part` of the fill that is under way.
    pub(super) fn progress(&self, part: f64, detail: String) -> Progress {
        let seconds = |fills: f64, queries: f64| fills * self.fill_seconds + queries * self.query_seconds;
        let done = seconds(self.fills[0] + part, self.queries[0]) / seconds(self.fills[1], self.queries[1]);
        Progress { phase: "measure", done: done.clamp(0.0, 1.0), detail }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scale::LayoutName;
    use super::*;
    use crate::Data;

    #[test]
    fn progress_is_by_the_time_that_fills_were_seen_to_take_and_ends_at_one() {
        let plan = Plan {
            data: Data::of_bytes(1e9, 16, 2048),
            layouts: LayoutName::parse_list("F=2,8").unwrap(),
            files: Vec::new(),
            jobs: vec![1],
            clients: vec![1],
            repeats: 1,
            seconds: 2,
            seed: 1,
        };
        let units = plan.units();
        let mut pace = Pace::new(&plan, &units);
        let done = |pace: &Pace, part| pace.progress(part, String::new()).done;
        assert_eq!(done(&pace, 0.0), 0.0);
        // Two fills of 40 s, and four cells of queries of 5 s.
        pace.filled(40.0);
        assert!((done(&pace, 0.0) - 0.4).abs() < 1e-9);
        assert!((done(&pace, 0.5) - 0.6).abs() < 1e-9);
        pace.queried();
        pace.queried();
        assert!((done(&pace, 0.0) - 0.5).abs() < 1e-9);
        pace.filled(40.0);
        pace.queried();
        pace.queried();
        assert_eq!(done(&pace, 0.0), 1.0);
        // A resumed run has only the rest to do.
        let mut rest = Pace::new(&plan, &units);
        rest.skip(2, true);
        assert_eq!(done(&rest, 0.0), 0.0);
    }
}
