//! What `mix-line`, `durable-writes` and `io-cost` say, in words, for the terminal and the page alike.

use std::collections::BTreeSet;

use leadline_profile::{DurableWrites, IoCost, IoCostRate, Work, WorkPoint};

use crate::format::{bandwidth, block, count, micros, percent, with_interval};

/// The p99 of reads may be this many times what it is alone, in the sentence on how many writes that allows.
const SLOWER: f64 = 2.0;

/// Requests of one size at every share of reads that was measured.
pub(crate) struct Mix<'a> {
    /// Bytes per request.
    pub(crate) block: u32,
    /// All of this size.
    pub(crate) points: Vec<&'a WorkPoint>,
    /// Most reads alone and most writes alone per second.
    alone: [f64; 2],
}

impl<'a> Mix<'a> {
    /// Of the sizes at which reads and writes were mixed, ascending.
    pub(crate) fn all(work: &'a Work) -> Vec<Mix<'a>> {
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
    pub(crate) fn line(&self, reads: f64) -> f64 {
        let [most_reads, most_writes] = self.alone;
        1.0 / (reads / most_reads + (1.0 - reads) / most_writes)
    }

    /// Shares of reads in twentieths, ascending.
    pub(crate) fn shares(&self) -> BTreeSet<u32> {
        self.points.iter().map(|p| twentieths(p)).collect()
    }

    /// The best throughput at this share, per second / what the line has there.
    pub(crate) fn of_line(&self, twentieth: u32) -> Option<f64> {
        let here = self.points.iter().filter(|p| twentieths(p) == twentieth);
        here.map(|p| per_second(p) / self.line(read_share(p))).reduce(f64::max)
    }
}

/// The share of reads in twentieths: what was asked for, without the chance in what was sent.
pub(crate) fn twentieths(point: &WorkPoint) -> u32 {
    (20.0 * read_share(point)).round() as u32
}

/// 0 to 1.
pub(crate) fn read_share(point: &WorkPoint) -> f64 {
    point.reads as f64 / (point.reads + point.writes) as f64
}

/// Requests per second.
pub(crate) fn per_second(point: &WorkPoint) -> f64 {
    (point.reads + point.writes) as f64 / point.seconds
}

fn sizes(work: &Work) -> BTreeSet<u32> {
    work.points.iter().map(|p| p.block_bytes).collect()
}

/// How far mixes are from the straight line, a sentence per size.
pub(crate) fn mix_line(work: &Work) -> Vec<String> {
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

/// What the device can do of durable writes, and what reads take beside them.
pub(crate) fn durable_writes(found: &DurableWrites) -> Vec<String> {
    let size = block(found.block_bytes);
    let capacity = with_interval(found.capacity_writes_per_second, found.capacity_ci, count);
    let Some((alone, rest)) = found.points.split_first() else { return Vec::new() };
    let mut said = vec![format!(
        "The device makes {capacity} random writes of {size} per second durable, {} at a time; each takes {} \
         (p99 {}) then.",
        found.capacity_concurrency,
        micros(found.capacity_latency_us.mean),
        micros(found.capacity_latency_us.p99)
    )];
    let limit = SLOWER * alone.latency_us.p99;
    let most = found.most_writes(limit).filter(|point| point.write_share > 0.0);
    let up_to = match most {
        Some(point) => format!(
            "Beside up to {} durable writes per second ({} of that) it stays within twice as long.",
            count(point.writes_per_second),
            percent(point.write_share)
        ),
        None => "Beside a tenth of that it is already more than twice as long.".to_owned(),
    };
    said.push(format!(
        "One random {size} read takes {} alone, p99 {}. {up_to}",
        micros(alone.latency_us.mean),
        micros(alone.latency_us.p99)
    ));
    if let Some(first) = rest.iter().find(|point| point.fell_behind) {
        said.push(format!(
            "Beside reads, {} of the durable writes are more than the device keeps up with.",
            percent(first.write_share)
        ));
    }
    said
}

/// The rates as a line of io.cost.model, and what was not sustained.
pub(crate) fn io_cost(found: &IoCost) -> Vec<String> {
    let rates = found.rates();
    let fell = |(name, rate): &(&str, &IoCostRate)| {
        let before = rate_words(name, rate.before_fall?);
        Some(format!(
            "{name} fell from {before} to {}: only what stayed counts.",
            rate_words(name, rate.per_second)
        ))
    };
    let mut said = vec![format!("As a line of io.cost.model, behind the device's number: {}", model(found))];
    said.extend(rates.iter().filter_map(fell));
    said
}

/// Of each rate its name, the rate with its interval, and what it is of.
pub(crate) fn rate_rows(found: &IoCost) -> Vec<[String; 3]> {
    let row = |(name, rate): (&str, &IoCostRate)| {
        let value = with_interval(rate.per_second, rate.per_second_ci, |value| rate_words(name, value));
        [name.to_owned(), value, load_words(name, found)]
    };
    found.rates().map(row).into()
}

/// `ctrl=user model=linear rbps=633000000 rseqiops=…`
fn model(found: &IoCost) -> String {
    let rates = found.rates().map(|(name, rate)| format!(" {name}={:.0}", rate.per_second.floor()));
    format!("ctrl=user model=linear{}", rates.concat())
}

/// Bytes or requests per second, by the name of the rate.
fn rate_words(name: &str, per_second: f64) -> String {
    if name.ends_with("bps") { bandwidth(per_second) } else { format!("{} IOPS", count(per_second)) }
}

/// What a rate is of, in words.
fn load_words(name: &str, found: &IoCost) -> String {
    let op = if name.starts_with('r') { "reads" } else { "writes" };
    match &name[1..] {
        "bps" => format!("sequential {op} of {}, one at a time", block(found.large_bytes)),
        of => {
            let pattern = if of == "seqiops" { "sequential" } else { "random" };
            format!("{pattern} {op} of {}, {} at a time", block(found.small_bytes), found.small_concurrency)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::studied_profile;

    fn has(said: &[String], parts: &[&str]) {
        let said = said.join(" ");
        for part in parts {
            assert!(said.contains(part), "no {part:?} in {said:?}");
        }
    }

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
        has(
            &mix_line(&work),
            &["Of 4K", "1.00k reads or 500 writes", "90 % of the straight line", "50 % reads"],
        );
        let pure = Work { points: work.points[..3].to_vec(), ..Work::default() };
        assert!(mix_line(&pure).is_empty(), "nothing was mixed");
    }

    #[test]
    fn what_reads_take_beside_durable_writes_is_told() {
        let mut found = studied_profile().experiments.durable_writes.expect("measured");
        has(
            &durable_writes(&found),
            &[
                "2.00k (1.96k–2.04k) random writes of 16K per second",
                "32 at a time",
                "alone, p99",
                "within twice",
            ],
        );
        has(&durable_writes(&found), &["90 % of the durable writes are more than the device keeps up with"]);
        for point in &mut found.points[1..] {
            (point.latency_us.p99, point.fell_behind) = (1e6, false);
        }
        let said = durable_writes(&found);
        assert_eq!(said.len(), 2);
        has(&said, &["already more than twice as long"]);
    }

    #[test]
    fn the_rates_are_a_line_that_the_kernel_reads_and_falls_are_told() {
        let found = studied_profile().experiments.io_cost.expect("measured");
        has(
            &io_cost(&found),
            &[
                "ctrl=user model=linear rbps=2800000000 rseqiops=",
                " wrandiops=",
                "wbps fell from 2.00 GB/s to 500 MB/s",
            ],
        );
        assert_eq!(load_words("rbps", &found), "sequential reads of 128M, one at a time");
        assert_eq!(load_words("wrandiops", &found), "random writes of 4K, 64 at a time");
        assert_eq!(load_words("rseqiops", &found), "sequential reads of 4K, 64 at a time");
    }
}
