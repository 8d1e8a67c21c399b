//! How far a study is, and how long it still takes.

use std::collections::HashMap;
use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use super::runs::{Cell, Run};

/// Between two lines where stderr is no terminal.
const PAUSE: Duration = Duration::from_secs(15);

/// Characters of the bar.
const WIDTH: usize = 24;

/// The bar on stderr.
pub struct Progress {
    started: Instant,
    shown: Option<Instant>,
    terminal: bool,
}

impl Progress {
    /// Begins now.
    pub fn new() -> Self {
        Progress { started: Instant::now(), shown: None, terminal: std::io::stderr().is_terminal() }
    }

    /// Shows that so many of all runs are done, and the last of them.
    pub fn show(&mut self, done: usize, all: usize, left_seconds: Option<f64>, last: &Run) {
        let often = self.terminal || done == all;
        if !often && self.shown.is_some_and(|shown| shown.elapsed() < PAUSE) {
            return;
        }
        self.shown = Some(Instant::now());
        let Cell { device, graph, algorithm, cache, depth } = &last.cell;
        let left = left_seconds.map_or("?".to_owned(), duration);
        let line = format!(
            "[{}] {done} of {all} runs, {}, about {left} left; {device} {graph} {algorithm} {cache} % \
             depth {depth}: {:.3} s",
            bar(done, all),
            duration(self.started.elapsed().as_secs_f64()),
            last.seconds,
        );
        let mut stderr = std::io::stderr();
        // A bar that cannot be shown is no reason to stop.
        let _ = match self.terminal {
            true => write!(stderr, "\r\x1b[2K{line}{}", if done == all { "\n" } else { "" }),
            false => writeln!(stderr, "{line}"),
        };
    }
}

fn bar(done: usize, all: usize) -> String {
    let full = WIDTH * done / all.max(1);
    "#".repeat(full) + &".".repeat(WIDTH - full)
}

/// Seconds that runs will take: each as long as those of its cell took, or where there were none, as those of
/// its algorithm on its graph and device.
///
/// `None` where nothing like a run was run yet.
pub fn left_seconds<'a>(left: impl Iterator<Item = &'a Cell>, runs: &[Run]) -> Option<f64> {
    let mut own: HashMap<&Cell, Mean> = HashMap::new();
    let mut like: HashMap<[&str; 3], Mean> = HashMap::new();
    for run in runs {
        own.entry(&run.cell).or_default().add(run.wall_seconds);
        like.entry(kind(&run.cell)).or_default().add(run.wall_seconds);
    }
    left.map(|cell| own.get(cell).or_else(|| like.get(&kind(cell))).map(Mean::value)).sum()
}

fn kind(cell: &Cell) -> [&str; 3] {
    [&cell.device, &cell.graph, &cell.algorithm]
}

#[derive(Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    fn value(&self) -> f64 {
        self.sum / self.count
    }
}

/// `45 s`, `12 min` or `3.5 h`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 90.0 * 60.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::runs::tests::run;

    #[test]
    fn what_is_left_takes_as_long_as_what_is_like_it() {
        let runs = [run(1, 1, 0, 3.75), run(5, 1, 1, 0.75), run(5, 1, 2, 1.75)];
        let left = |cells: &[Cell]| left_seconds(cells.iter(), &runs);
        // Runs of a second and two of the same cell; all three of the same algorithm.
        assert_eq!(left(&[runs[1].cell.clone()]), Some(1.5));
        assert_eq!(left(&[runs[0].cell.clone(), run(25, 4, 1, 0.0).cell]), Some(4.0 + 7.0 / 3.0));
        assert_eq!(left(&[]), Some(0.0));
        assert_eq!(left(&[Cell { graph: "other".into(), ..runs[0].cell.clone() }]), None);
    }

    #[test]
    fn a_bar_is_full_at_the_end_and_only_then() {
        assert_eq!((bar(0, 0), bar(0, 9)), (".".repeat(24), ".".repeat(24)));
        assert_eq!((bar(999, 1000), bar(1000, 1000)), ("#".repeat(23) + ".", "#".repeat(24)));
    }

    #[test]
    fn durations_have_two_digits() {
        assert_eq!([9.4, 89.0, 1000.0, 9000.0].map(duration), ["9 s", "89 s", "17 min", "2.5 h"]);
    }
}
