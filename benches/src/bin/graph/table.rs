//! The table of a comparison: medians with their spread, and how far behind the fastest peer.

use leadline_benches::median;

use crate::measure::{Measured, Outcome};

/// What an engine came to in a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    engine: String,
    /// Median, lowest and highest of wall seconds, bytes read and peak resident bytes; or why there are none.
    result: Result<[[f64; 3]; 3], String>,
}

impl Row {
    /// From its runs: of the first that did not end well only that it did not.
    pub fn of(engine: &str, runs: &[Measured]) -> Self {
        let ill = runs.iter().find(|run| run.outcome != Outcome::Done);
        let result = match ill {
            Some(run) => Err(match &run.outcome {
                Outcome::TimedOut => format!("more than {:.0} s", run.seconds),
                Outcome::Killed => "killed: out of memory".to_owned(),
                Outcome::Failed(why) => format!("failed: {}", why.replace('|', "/")),
                Outcome::Done => String::new(),
            }),
            None if runs.is_empty() => Err("not run".to_owned()),
            None => {
                let of =
                    |number: &dyn Fn(&Measured) -> f64| median(&runs.iter().map(number).collect::<Vec<_>>());
                Ok([
                    of(&|run| run.seconds),
                    of(&|run| run.read_bytes as f64),
                    of(&|run| run.peak_rss_bytes as f64),
                ])
            }
        };
        Row { engine: engine.to_owned(), result }
    }

    fn seconds(&self) -> Option<f64> {
        self.result.as_ref().ok().map(|result| result[0][0])
    }
}

/// The head of [`rows`]' table.
pub const HEAD: &str = "\
| cell | engine | seconds | / fastest peer | read, MiB | peak resident, MiB |\n\
| --- | --- | --- | --- | --- | --- |";

/// A cell's lines. The first row is ours; the others are the peers.
pub fn rows(cell: &str, all: &[Row]) -> String {
    let fastest = all.iter().skip(1).filter_map(Row::seconds).min_by(f64::total_cmp);
    let mut lines = String::new();
    for (i, row) in all.iter().enumerate() {
        let cell = if i == 0 { cell } else { "" };
        let engine = &row.engine;
        lines += &match &row.result {
            Ok([seconds, read, peak]) => {
                let ratio = fastest.map_or("".to_owned(), |fastest| format!("{:.2}", seconds[0] / fastest));
                let mib = |[median, ..]: &[f64; 3]| format!("{:.1}", median / 1048576.0);
                format!(
                    "| {cell} | {engine} | {} | {ratio} | {} | {} |\n",
                    spread(seconds),
                    mib(read),
                    mib(peak)
                )
            }
            Err(why) => format!("| {cell} | {engine} | {why} | | | |\n"),
        };
    }
    lines
}

/// `0.123 (0.100–0.150)`.
pub fn spread([median, low, high]: &[f64; 3]) -> String {
    format!("{median:.3} ({low:.3}–{high:.3})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seconds: f64, outcome: Outcome) -> Measured {
        Measured {
            seconds,
            cpu_seconds: seconds,
            read_bytes: 3 << 20,
            peak_rss_bytes: 5 << 20,
            outcome,
            stdout: String::new(),
        }
    }

    #[test]
    fn ratios_are_to_the_fastest_peer_that_ended_well() {
        let ours = Row::of("Leadline", &[1.0, 2.0, 3.0].map(|s| run(s, Outcome::Done)));
        let fast = Row::of("fast", &[run(4.0, Outcome::Done)]);
        let slow = Row::of("slow", &[run(8.0, Outcome::Done)]);
        let dead = Row::of("dead", &[run(0.5, Outcome::Done), run(0.1, Outcome::Killed)]);
        let text = rows("c", &[ours, slow, fast, dead]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "| c | Leadline | 2.000 (1.000–3.000) | 0.50 | 3.0 | 5.0 |");
        assert_eq!(lines[1], "|  | slow | 8.000 (8.000–8.000) | 2.00 | 3.0 | 5.0 |");
        assert_eq!(lines[3], "|  | dead | killed: out of memory | | | |");
    }

    #[test]
    fn without_a_peer_there_is_no_ratio() {
        let text = rows("c", &[Row::of("Leadline", &[run(1.0, Outcome::Done)])]);
        assert_eq!(text, "| c | Leadline | 1.000 (1.000–1.000) |  | 3.0 | 5.0 |\n");
    }
}
