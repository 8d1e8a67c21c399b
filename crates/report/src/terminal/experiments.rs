//! What an experiment found, as a table.

use std::collections::BTreeSet;

use leadline_model::speedup::speedup;
use leadline_model::{Model as _, ModelComparison, Observations, Pio};
use leadline_profile::{DeviceProfile, Ladder, PAGE_BYTES, PioClass, PioClasses, PioPoint, Work, WorkPoint};

use super::burst::burst;
use super::channels::channels;
use super::device_experiments::{interleaving, latency, pressure, tail, unaligned};
use super::durability::{fsync, sync_methods};
use super::for_settings::{durable_writes, io_cost, mix_line};
use super::inside::{buffer, read_disturb};
use super::table::{Line, titled};
use super::written::{gc, sustained, write_amplification};
use super::{NARROWEST, wrap};
use crate::batching::predicted_speedup;
use crate::format::{block, count, micros, significant, with_interval};

/// One experiment of a profile for a terminal `width` columns wide (60 at least), by its name, as on
/// the command line. Ends with a newline; `None` where there is no such experiment in the
/// profile.
pub fn render_experiment(profile: &DeviceProfile, name: &str, width: usize) -> Option<String> {
    let width = width.max(NARROWEST);
    let found = &profile.experiments;
    let (parts, procedure) = match name {
        "r-by-k" => found.r_by_k.as_ref().map(|work| (r_by_k(work, width), &work.procedure)),
        "mixed" => found.mixed.as_ref().map(|work| (mixed(work, width), &work.procedure)),
        "ladder" => found.ladder.as_ref().map(|l| (ladder(l, width), &l.procedure)),
        "pio-classes" => found.pio_classes.as_ref().map(|c| (pio_classes(profile, c, width), &c.procedure)),
        "latency" => found.latency.as_ref().map(|l| (latency(l, width), &l.procedure)),
        "interleaving" => found.interleaving.as_ref().map(|i| (interleaving(i, width), &i.procedure)),
        "pressure" => found.pressure.as_ref().map(|p| (pressure(p, width), &p.procedure)),
        "tail" => found.tail.as_ref().map(|t| (tail(t, width), &t.procedure)),
        "unaligned" => found.unaligned.as_ref().map(|u| (unaligned(u, width), &u.procedure)),
        "buffer" => found.buffer.as_ref().map(|b| (buffer(b, width), &b.procedure)),
        "read-disturb" => found.read_disturb.as_ref().map(|d| (read_disturb(d, width), &d.procedure)),
        "burst" => found.burst.as_ref().map(|b| (burst(b, width), &b.procedure)),
        "fsync" => found.fsync.as_ref().map(|f| (fsync(f, width), &f.procedure)),
        "sync-methods" => found.sync_methods.as_ref().map(|m| (sync_methods(m, width), &m.procedure)),
        "write-amplification" => {
            found.write_amplification.as_ref().map(|w| (write_amplification(w, width), &w.procedure))
        }
        "gc" => found.gc.as_ref().map(|g| (gc(g, width), &g.procedure)),
        "sustained" => found.sustained.as_ref().map(|s| (sustained(s, width), &s.procedure)),
        "channels" => found.channels.as_ref().map(|c| (channels(c, width), &c.procedure)),
        "mix-line" => found.mix_line.as_ref().map(|work| (mix_line(work, width), &work.procedure)),
        "durable-writes" => found.durable_writes.as_ref().map(|d| (durable_writes(d, width), &d.procedure)),
        "io-cost" => found.io_cost.as_ref().map(|i| (io_cost(i, width), &i.procedure)),
        _ => None,
    }?;
    let mut out = parts;
    if let Some(reason) = &procedure.stopped_by {
        out.push(wrap(
            &format!("PARTIAL: cut short after {} rounds by: {reason}", procedure.epochs),
            width,
            "  ",
        ));
    }
    out.extend(procedure.notes.iter().map(|note| wrap(note, width, "  ")));
    Some(out.join("\n\n") + "\n")
}

pub(super) fn r_by_k(work: &Work, width: usize) -> Vec<String> {
    let of = |reads: bool| work.points.iter().filter(move |p| (p.reads > 0) == reads);
    let mut out = Vec::new();
    for (name, reads) in [("Random reads", true), ("Random writes", false)] {
        let sizes: BTreeSet<u32> = of(reads).map(|p| p.block_bytes).collect();
        if sizes.is_empty() {
            continue;
        }
        let head = sizes.iter().map(|&bytes| block(bytes)).collect();
        let r = sizes.iter().map(|&bytes| share_of_random(bytes)).collect();
        let mut rows = vec![("r".to_owned(), r)];
        rows.extend(over_concurrencies(&work.points, |k| {
            sizes
                .iter()
                .map(|&bytes| {
                    let point = of(reads).find(|p| p.block_bytes == bytes && p.concurrency == k);
                    point.map(|p| significant(rate(p) * f64::from(p.block_bytes) / 1e6))
                })
                .collect()
        }));
        out.push(titled(&format!("{name}, MB/s by access and requests in flight"), head, rows, width));
    }
    out
}

fn mixed(work: &Work, width: usize) -> Vec<String> {
    let share = |p: &WorkPoint| (20.0 * p.reads as f64 / (p.reads + p.writes) as f64).round() as u32 * 5;
    let shares: BTreeSet<u32> = work.points.iter().map(share).collect();
    let head = shares.iter().map(|share| format!("{share} % reads")).collect();
    let rows = over_concurrencies(&work.points, |k| {
        let at = |wanted| work.points.iter().find(|p| share(p) == wanted && p.concurrency == k);
        shares.iter().map(|&share| at(share).map(|p| count(rate(p)))).collect()
    });
    vec![titled("4K random, IOPS by share of reads and requests in flight", head, rows, width)]
}

fn ladder(ladder: &Ladder, width: usize) -> Vec<String> {
    let of = |mix: &leadline_profile::LadderMix| {
        let title = format!(
            "{:.0} % reads: {} IOPS with {} in flight; latency from the intended start",
            mix.read_share * 100.0,
            with_interval(mix.capacity_iops, mix.capacity_ci, count),
            mix.capacity_concurrency
        );
        let head = ["offered", "done", "mean", "p50", "p90", "p99", "p99.9"].map(str::to_owned).to_vec();
        let rows = mix.rungs.iter().map(|rung| {
            let l = &rung.latency_us;
            let cells = [l.mean, l.p50, l.p90, l.p99, l.p99_9].map(|us| Some(micros(us)));
            let rates = [rung.offered_iops, rung.iops].map(|iops| Some(count(iops)));
            let load = format!("{:.0} % load", rung.offered_iops / mix.capacity_iops * 100.0);
            (load, rates.into_iter().chain(cells).collect())
        });
        titled(&title, head, rows.collect(), width)
    };
    ladder.mixes.iter().map(of).collect()
}

/// Measured speed-ups, each with what is predicted from the profile's other measurements: by the PIO
/// formulas, and by the model that describes the device.
fn pio_classes(profile: &DeviceProfile, classes: &PioClasses, width: usize) -> Vec<String> {
    let points = &classes.points;
    let observations = Observations::from_profile(profile);
    let numbers =
        Pio::fit(&observations.of_random_requests(classes.block_bytes)).ok().and_then(|pio| pio.numbers());
    let comparison = ModelComparison::with_resamples(observations, 0);
    let model = comparison.best().filter(|_| numbers.is_some());
    let head = ["measured", "PIO", model.map_or("model", |m| m.name())].map(str::to_owned).to_vec();
    let share = points.first().map_or(0.0, |p| p.read_share * 100.0);
    let mut out = vec![wrap(
        &format!(
            "Speed-up over one request at a time, {share:.0} % reads (95 % interval), and what was predicted"
        ),
        width,
        "  ",
    )];
    for class in [PioClass::BatchedWrites, PioClass::BatchedReads, PioClass::BatchedBoth] {
        let row = |p: &PioPoint| {
            let pio = numbers.map(|n| speedup(class, p.read_share, &n.with_batch(p.batch)));
            let predicted = model.and_then(|model| {
                predicted_speedup(model, class, p.read_share, p.batch, classes.block_bytes)
            });
            let measured = with_interval(p.speedup, p.speedup_ci, significant);
            (
                format!("batch {}", p.batch),
                vec![Some(measured), pio.map(significant), predicted.map(significant)],
            )
        };
        let rows: Vec<Line> = points.iter().filter(|p| p.class == class).map(row).collect();
        if !rows.is_empty() {
            let words = class.words();
            out.push(titled(
                &format!("{}{}", words[..1].to_uppercase(), &words[1..]),
                head.clone(),
                rows,
                width,
            ));
        }
    }
    if let Some(same) = points.iter().find(|p| p.class == PioClass::Unbatched) {
        let speedup = with_interval(same.speedup, same.speedup_ci, significant);
        let us = micros(same.unbatched_seconds * 1e6);
        out.push(wrap(
            &format!("One at a time takes {us} per request; against itself: {speedup}"),
            width,
            "  ",
        ));
    }
    if numbers.is_none() {
        out.push(wrap(
            "No prediction: that needs points of reads and writes in the same profile (leadline profile, or the \
             experiment r-by-k).",
            width,
            "  ",
        ));
    }
    out
}

/// Requests per second.
fn rate(point: &WorkPoint) -> f64 {
    (point.reads + point.writes) as f64 / point.seconds
}

/// `6.3 %`: random accesses per page.
fn share_of_random(bytes: u32) -> Option<String> {
    let percent = 100.0 * f64::from(PAGE_BYTES) / f64::from(bytes);
    Some(if percent >= 9.95 { format!("{percent:.0} %") } else { format!("{percent:.1} %") })
}

/// One line for each concurrency there is.
pub(super) fn over_concurrencies<'a>(
    points: impl IntoIterator<Item = &'a WorkPoint>,
    cells: impl Fn(u32) -> Vec<Option<String>>,
) -> Vec<Line> {
    let concurrencies: BTreeSet<u32> = points.into_iter().map(|p| p.concurrency).collect();
    concurrencies.into_iter().map(|k| (format!("k = {k}"), cells(k))).collect()
}

#[cfg(test)]
mod tests {
    use leadline_profile::{Experiments, LadderMix, Latency, PioPoint, Procedure, Rung};

    use super::*;

    fn sample() -> DeviceProfile {
        let point = |reads: u64, writes: u64, block_bytes, concurrency| WorkPoint {
            reads,
            writes,
            block_bytes,
            random_fraction: 1.0,
            concurrency,
            seconds: 0.5,
            ..WorkPoint::default()
        };
        let rung = Rung {
            offered_iops: 9000.0,
            iops: 8990.0,
            ops: 4000,
            latency_us: Latency { p50: 90.0, p99: 1500.0, ..Latency::default() },
        };
        let class = |class, batch, speedup| PioPoint {
            class,
            read_share: 0.5,
            batch,
            ops: 1000,
            unbatched_seconds: 152e-6,
            seconds: 152e-6 / speedup,
            speedup,
            speedup_ci: Some([speedup * 0.9, speedup * 1.1]),
        };
        let work = |points| Some(Work { points, ..Work::default() });
        let mut mixed = work(vec![point(6990, 3010, 4096, 16), point(500, 4500, 4096, 16)]);
        mixed.as_mut().unwrap().procedure = Procedure {
            stopped_by: Some("interrupted".into()),
            notes: vec!["left out, too slow for the time allowed: 4M writes, k = 128".into()],
            ..Procedure::default()
        };
        let experiments = Experiments {
            r_by_k: work(vec![point(5000, 0, 4096, 1), point(100, 0, 4 << 20, 1), point(0, 2500, 4096, 8)]),
            mixed,
            ladder: Some(Ladder {
                block_bytes: 4096,
                mixes: vec![LadderMix {
                    read_share: 0.7,
                    capacity_iops: 10_000.0,
                    capacity_ci: Some([9_000.0, 11_000.0]),
                    capacity_concurrency: 64,
                    rungs: vec![rung],
                }],
                ..Ladder::default()
            }),
            pio_classes: Some(PioClasses {
                block_bytes: 4096,
                points: vec![class(PioClass::Unbatched, 1, 1.0), class(PioClass::BatchedWrites, 8, 2.71)],
                ..PioClasses::default()
            }),
            ..Experiments::default()
        };
        DeviceProfile { experiments, ..DeviceProfile::default() }
    }

    #[test]
    fn the_numbers_are_there_and_fit_the_width() {
        let expected: [(&str, &[&str]); 4] = [
            ("r-by-k", &["MB/s", "4M", "100 %", "0.1 %", "41.0", "839", "20.5", "–", "writes"]),
            ("mixed", &["IOPS", "70 % reads", "10 % reads", "20.0k", "10.0k", "interrupted", "4M writes"]),
            ("ladder", &["70 % reads", "10.0k (9.00k–11.0k) IOPS", "90 % load", "90 µs", "1.50 ms"]),
            ("pio-classes", &["50 % reads", "Batched writes", "batch 8", "2.71 (2.44–2.98)", "152 µs"]),
        ];
        for (name, said) in expected {
            for width in [60, 80, 120] {
                let text = render_experiment(&sample(), name, width).unwrap();
                let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(widest <= width, "{widest} > {width}:\n{text}");
            }
            let text = render_experiment(&sample(), name, 120).unwrap();
            for word in said {
                assert!(text.contains(word), "no {word:?} in\n{text}");
            }
        }
    }

    #[test]
    fn bursts_and_durable_writes_are_told_in_any_width() {
        let profile = crate::sample::studied_profile();
        let expected: [(&str, &[&str]); 3] = [
            ("burst", &["54.0k", "3.00k", "after 1 min 30 s of rest", "20.0 s", "fell after"]),
            ("fsync", &["16 writers", "p99.9", "commits/s", "fast enough", "too slow"]),
            ("sync-methods", &["O_DSYNC", "RWF_DSYNC", "file that grows", "the fastest", "writes/s"]),
        ];
        for (name, said) in expected {
            for width in [60, 80, 120] {
                let text = render_experiment(&profile, name, width).unwrap();
                let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(widest <= width, "{widest} > {width}:\n{text}");
            }
            let text = render_experiment(&profile, name, 120).unwrap();
            for word in said {
                assert!(text.contains(word), "no {word:?} in\n{text}");
            }
        }
    }

    #[test]
    fn what_was_not_run_has_no_table() {
        let models = ["r-by-k", "mixed", "ladder", "pio-classes"];
        let devices = [
            "latency",
            "interleaving",
            "pressure",
            "tail",
            "unaligned",
            "buffer",
            "read-disturb",
            "channels",
        ];
        let databases = ["burst", "fsync", "sync-methods"];
        let writes = ["write-amplification", "gc", "sustained"];
        let settings = ["mix-line", "durable-writes", "io-cost"];
        let all = models.into_iter().chain(devices).chain(databases).chain(writes).chain(settings);
        for name in all {
            assert_eq!(render_experiment(&DeviceProfile::default(), name, 80), None);
        }
        assert_eq!(render_experiment(&sample(), "other", 80), None);
    }
}
