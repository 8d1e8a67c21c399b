//! What the runs of a study say: speed-ups over one read in flight, and their table.

use leadline_benches::median;

use super::runs::{Cell, Run};

/// So much of the best speed-up is as good.
const ENOUGH: f64 = 0.95;

/// An algorithm on a graph on a device with one size of cache, at all depths.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// At the first depth: median, lowest and highest.
    pub seconds: [f64; 3],
    /// At the other depths, in their order.
    pub faster: Vec<Faster>,
}

/// What a depth brings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Faster {
    /// Reads in flight, at most.
    pub depth: u32,
    /// Seconds at the first depth over those at this one, round by round: median, lowest and highest.
    pub speedup: [f64; 3],
    /// Reads in flight on average, the median.
    pub mean_depth: f64,
}

impl Faster {
    /// Whether all rounds agree on which of the two depths is faster.
    pub fn is_certain(&self) -> bool {
        self.speedup[1] > 1.0 || self.speedup[2] < 1.0
    }
}

impl Line {
    /// From the runs of the cell, whose own depth is the first one, and of the same with other depths.
    /// `None` where the first or another depth has no round in common with it.
    pub fn of(runs: &[Run], first: &Cell, others: &[u32]) -> Option<Line> {
        let at = |depth: u32| {
            let cell = Cell { depth, ..first.clone() };
            runs.iter().filter(move |run| run.cell == cell)
        };
        let seconds: Vec<f64> = at(first.depth).map(|run| run.seconds).collect();
        let faster = others.iter().map(|&depth| {
            let pairs: Vec<(&Run, &Run)> = at(depth)
                .filter_map(|run| at(first.depth).find(|one| one.round == run.round).map(|one| (one, run)))
                .collect();
            let of =
                |number: &dyn Fn(&(&Run, &Run)) -> f64| median(&pairs.iter().map(number).collect::<Vec<_>>());
            (!pairs.is_empty()).then(|| Faster {
                depth,
                speedup: of(&|(one, run)| one.seconds / run.seconds),
                mean_depth: of(&|(_, run)| run.mean_depth)[0],
            })
        });
        let faster = faster.collect::<Option<Vec<_>>>()?;
        (!seconds.is_empty()).then(|| Line { seconds: median(&seconds), faster })
    }

    /// The fewest reads in flight that are as good as the best depth, as far as the rounds agree. `None`: the
    /// first depth is.
    pub fn enough(&self) -> Option<&Faster> {
        let faster = || self.faster.iter().filter(|faster| faster.is_certain());
        let best = faster().map(|faster| faster.speedup[0]).fold(1.0, f64::max);
        let enough = best * ENOUGH;
        faster().find(|faster| enough > 1.0 && faster.speedup[0] >= enough)
    }

    /// For a table: `2.10 (2.05–2.30) s; 3.9 (3.7–4.0) with 16, 12.1 on average`.
    fn text(&self) -> String {
        let [middle, low, high] = self.seconds;
        let seconds = format!("{middle:.3} ({low:.3}–{high:.3}) s");
        match self.enough() {
            None => format!("{seconds}; 1"),
            Some(Faster { depth, speedup: [middle, low, high], mean_depth }) => format!(
                "{seconds}; {middle:.1} ({low:.1}–{high:.1}) with {depth}, {mean_depth:.1} on average"
            ),
        }
    }
}

/// The table: a row for each device, graph and algorithm, a column for each size of cache.
pub fn table(caches: &[u32], rows: &[(String, Vec<Option<Line>>)]) -> String {
    let mut text = "| device, graph, algorithm |".to_owned();
    caches.iter().for_each(|cache| text += &format!(" {cache} % |"));
    text += "\n| --- |";
    caches.iter().for_each(|_| text += " --- |");
    text += "\n";
    for (name, lines) in rows {
        text += &format!("| {name} |");
        for line in lines {
            text += &line.as_ref().map_or(" not run |".to_owned(), |line| format!(" {} |", line.text()));
        }
        text += "\n";
    }
    text
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::study::runs::tests::run;

    /// A line whose medians are these; nothing is certain where `spread` reaches over 1.
    pub fn line(seconds: f64, speedups: &[(u32, f64)], spread: f64) -> Line {
        let faster = speedups.iter().map(|&(depth, speedup)| Faster {
            depth,
            speedup: [speedup, speedup / spread, speedup * spread],
            mean_depth: f64::from(depth) * 0.8,
        });
        Line { seconds: [seconds, seconds / spread, seconds * spread], faster: faster.collect() }
    }

    #[test]
    fn speedups_are_those_of_pairs_in_one_round() {
        let mut runs = Vec::new();
        // The machine is twice as slow in the second round, which changes no ratio.
        for (round, slow) in [(1, 1.0), (2, 2.0), (3, 1.0)] {
            runs.push(run(5, 1, round, 4.0 * slow));
            runs.push(run(5, 16, round, slow));
            runs.push(run(25, 16, round, 99.0));
        }
        // A round that has no partner does not count.
        runs.push(run(5, 16, 4, 1e-3));
        let line = Line::of(&runs, &runs[0].cell.clone(), &[16]).unwrap();
        assert_eq!(line.seconds, [4.0, 4.0, 8.0]);
        assert_eq!(line.faster, [Faster { depth: 16, speedup: [4.0, 4.0, 4.0], mean_depth: 8.0 }]);
        assert!(Line::of(&runs, &runs[0].cell.clone(), &[16, 64]).is_none(), "64 was not run");
    }

    #[test]
    fn the_fewest_reads_that_are_as_good_as_the_best_are_enough() {
        let enough = |speedups: &[(u32, f64)]| line(1.0, speedups, 1.1).enough().map(|faster| faster.depth);
        assert_eq!(enough(&[(4, 3.0), (16, 7.8), (64, 8.0)]), Some(16));
        assert_eq!(enough(&[(4, 3.0), (16, 7.0), (64, 8.0)]), Some(64));
        assert_eq!(enough(&[(4, 1.02), (16, 0.5), (64, 0.1)]), None, "4 is not certain");
        assert_eq!(enough(&[(4, 0.97), (16, 0.5)]), None);
        assert_eq!(enough(&[(4, 1.02), (16, 1.5)]), Some(16));
        let little = line(1.0, &[(4, 1.03), (16, 1.04)], 1.001);
        assert_eq!(little.enough(), None, "the first depth is within 5 % too");
    }

    #[test]
    fn a_speedup_is_certain_if_no_round_contradicts_it() {
        let certain = |speedup| line(1.0, &[(4, speedup)], 1.25).faster[0].is_certain();
        assert!(certain(1.3) && certain(0.7));
        assert!(!certain(1.2) && !certain(0.9));
    }

    #[test]
    fn the_table_has_seconds_speedups_and_depths() {
        let lines =
            vec![Some(line(2.0, &[(4, 3.0), (16, 3.1)], 2.0)), Some(line(1.0, &[(4, 1.0)], 1.0)), None];
        assert_eq!(
            table(&[1, 25, 100], &[("d, g, bfs".to_owned(), lines)]),
            "| device, graph, algorithm | 1 % | 25 % | 100 % |\n| --- | --- | --- | --- |\n\
             | d, g, bfs | 2.000 (1.000–4.000) s; 3.0 (1.5–6.0) with 4, 3.2 on average \
             | 1.000 (1.000–1.000) s; 1 | not run |\n"
        );
    }
}
