//! What `mix-line` shows: mixes of reads and writes next to the straight line between them.

use std::collections::BTreeSet;

use leadline_figures::Part;
use leadline_figures::chart::round;
use leadline_figures::number::{block, count, percent};
use leadline_profile::{Work, WorkPoint};
use serde::Serialize;

use crate::experiment::figures::{Curve, Measured, said, table};
use crate::experiment::work_figures::{by_size, over_concurrencies, per_second, read_share, twentieths};

/// Points of the straight line.
const LINE_POINTS: u32 = 40;

/// Requests of one size at every share of reads that was measured.
struct Mix<'a> {
    /// Bytes per request.
    block: u32,
    /// All of this size.
    points: Vec<&'a WorkPoint>,
    /// Most reads alone and most writes alone per second.
    alone: [f64; 2],
}

impl<'a> Mix<'a> {
    /// Of the sizes at which reads and writes were mixed, ascending.
    fn all(work: &'a Work) -> Vec<Mix<'a>> {
        let of = |block| {
            let points: Vec<&WorkPoint> = work.points.iter().filter(|p| p.block_bytes == block).collect();
            let most = |share: f64| {
                let pure = points.iter().filter(|p| read_share(p) == share);
                pure.map(|p| per_second(p)).reduce(f64::max)
            };
            let alone = [most(1.0)?, most(0.0)?];
            let mixed = points.iter().any(|p| p.reads > 0 && p.writes > 0);
            mixed.then_some(Mix { block, points, alone })
        };
        sizes(work).into_iter().filter_map(of).collect()
    }

    /// What the straight line from reads alone to writes alone has at this share of reads, per second.
    fn line(&self, reads: f64) -> f64 {
        let [most_reads, most_writes] = self.alone;
        1.0 / (reads / most_reads + (1.0 - reads) / most_writes)
    }

    /// Shares of reads in twentieths, ascending.
    fn shares(&self) -> BTreeSet<u32> {
        self.points.iter().map(|p| twentieths(p)).collect()
    }

    /// The best throughput at this share, per second / what the line has there.
    fn of_line(&self, twentieth: u32) -> Option<f64> {
        let here = self.points.iter().filter(|p| twentieths(p) == twentieth);
        here.map(|p| per_second(p) / self.line(read_share(p))).reduce(f64::max)
    }
}

fn sizes(work: &Work) -> BTreeSet<u32> {
    work.points.iter().map(|p| p.block_bytes).collect()
}

/// How far mixes are from the straight line, a sentence per size.
pub(super) fn sentences(work: &Work) -> Vec<String> {
    let sentence = |mix: &Mix| {
        let [reads, writes] = mix.alone;
        let mixed = mix.shares().into_iter().filter(|share| (1..20).contains(share));
        let (share, worst) =
            mixed.filter_map(|s| Some((s, mix.of_line(s)?))).min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(format!(
            "Of {}, the device does at best {} reads or {} writes per second; mixes reach at least {} of the \
             straight line between them, the least with {} % reads.",
            block(mix.block),
            count(reads),
            count(writes),
            percent(worst),
            5 * share
        ))
    };
    Mix::all(work).iter().filter_map(sentence).collect()
}

pub(super) fn text(work: &Work) -> Vec<Part> {
    let mixes = Mix::all(work);
    let table = |mix: &Mix| {
        let shares = mix.shares();
        let head = shares.iter().map(|share| format!("{} % reads", 5 * share)).collect();
        let mut rows = over_concurrencies(mix.points.iter().copied(), |k| {
            let at = |share: u32| mix.points.iter().find(|p| twentieths(p) == share && p.concurrency == k);
            shares.iter().map(|&share| at(share).map(|p| count(per_second(p)))).collect()
        });
        rows.push(("best / line".to_owned(), shares.iter().map(|&s| mix.of_line(s).map(percent)).collect()));
        let title = format!("{} random, IOPS by share of reads and requests in flight", block(mix.block));
        table(&title, head, rows)
    };
    let mut out: Vec<Part> = mixes.iter().map(table).collect();
    let pure = work.points.iter().filter(|p| p.reads == 0 || p.writes == 0).cloned().collect();
    out.extend(by_size(&Work { points: pure, ..Work::default() }));
    out.extend(sentences(work).into_iter().map(said));
    out
}

/// Throughput over the share of reads, and the straight line between reads alone and writes alone.
#[derive(Debug, Serialize)]
pub(super) struct MixChart {
    block: u32,
    /// `[share of reads, requests per second]`
    line: Curve,
    by_k: Vec<MixPoints>,
}

#[derive(Debug, Serialize)]
struct MixPoints {
    k: u32,
    /// `[share of reads, requests per second, low, high]`, by rising share.
    points: Vec<Measured>,
}

impl MixChart {
    /// One for each size at which reads and writes were mixed.
    pub(super) fn all(work: &Work) -> Vec<MixChart> {
        Mix::all(work).iter().map(MixChart::new).collect()
    }

    fn new(mix: &Mix) -> MixChart {
        let mut ks: Vec<u32> = mix.points.iter().map(|p| p.concurrency).collect();
        ks.sort_unstable();
        ks.dedup();
        let at = |i: u32| f64::from(i) / f64::from(LINE_POINTS);
        MixChart {
            block: mix.block,
            line: (0..=LINE_POINTS).map(|i| (round(at(i)), round(mix.line(at(i))))).collect(),
            by_k: ks.into_iter().map(|k| MixPoints { k, points: mix_points(mix, k) }).collect(),
        }
    }
}

fn mix_points(mix: &Mix, k: u32) -> Vec<Measured> {
    let point = |p: &&WorkPoint| {
        let requests = (p.reads + p.writes) as f64;
        // The longer it may have taken, the slower it may be.
        let ends = p.seconds_ci.map(|[least, most]| (round(requests / most), round(requests / least)));
        let (low, high) = ends.unzip();
        (round(read_share(p)), round(per_second(p)), low, high)
    };
    let mut points: Vec<Measured> = mix.points.iter().filter(|p| p.concurrency == k).map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixes_are_held_against_the_straight_line() {
        let point = |reads: u64, writes: u64, concurrency, seconds| WorkPoint {
            reads,
            writes,
            block_bytes: 4096,
            random_fraction: 1.0,
            concurrency,
            seconds,
            ..WorkPoint::default()
        };
        // 1000 reads a second, 500 writes: a half of each would be 667 on the line, and the better is 600.
        let mut points = vec![point(1000, 0, 64, 1.0), point(900, 0, 16, 1.0), point(0, 500, 16, 1.0)];
        points.extend([point(299, 301, 64, 1.0), point(250, 250, 16, 1.0), point(750, 250, 16, 1.0)]);
        let work = Work { points, ..Work::default() };
        let [mix] = &Mix::all(&work)[..] else { panic!("one size") };
        assert!((mix.line(0.5) - 666.7).abs() < 0.1);
        assert!((mix.of_line(10).unwrap() - 0.9).abs() < 0.01);
        let said = sentences(&work).join(" ");
        for part in ["Of 4K", "1.00k reads or 500 writes", "90 % of the straight line", "50 % reads"] {
            assert!(said.contains(part), "no {part:?} in {said:?}");
        }
        let pure = Work { points: work.points[..3].to_vec(), ..Work::default() };
        assert!(sentences(&pure).is_empty(), "nothing was mixed");
    }
}
