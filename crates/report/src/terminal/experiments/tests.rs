//! Tables and sentences of every experiment, in any width.

use leadline_measure::experiment;
use leadline_profile::{
    ChannelPlacement, DeviceProfile, Experiments, Ladder, LadderMix, Latency, PioClass, PioClasses, PioPoint,
    Procedure, Rung, Work, WorkPoint, WritePattern,
};

use super::render_experiment;
use crate::sample::{sample_profile, studied_profile, tried_profile, written_profile};

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

/// Each experiment fits the width of the terminal, and its text has all of these words.
fn assert_shown(profile: &DeviceProfile, expected: &[(&str, &[&str])]) {
    for (name, said) in expected {
        for width in [60, 80, 120] {
            let text = render_experiment(profile, name, width).unwrap();
            // A line for io.cost.model is pasted, and so not broken.
            let broken = text.lines().filter(|line| !line.starts_with("ctrl="));
            let widest = broken.map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} > {width}:\n{text}");
        }
        let text = render_experiment(profile, name, 120).unwrap();
        for word in *said {
            assert!(text.contains(word), "no {word:?} in\n{text}");
        }
    }
}

#[test]
fn the_numbers_are_there_and_fit_the_width() {
    let expected: [(&str, &[&str]); 4] = [
        ("r-by-k", &["MB/s", "4M", "100 %", "0.1 %", "41.0", "839", "20.5", "–", "writes"]),
        ("mixed", &["IOPS", "70 % reads", "10 % reads", "20.0k", "10.0k", "interrupted", "4M writes"]),
        ("ladder", &["70 % reads", "10.0k (9.00k–11.0k) IOPS", "90 % load", "90 µs", "1.50 ms"]),
        ("pio-classes", &["50 % reads", "Batched writes", "batch 8", "2.71 (2.44–2.98)", "152 µs"]),
    ];
    assert_shown(&sample(), &expected);
}

#[test]
fn bursts_and_durable_writes_are_told_in_any_width() {
    let profile = crate::sample::studied_profile();
    let expected: [(&str, &[&str]); 3] = [
        ("burst", &["54.0k", "3.00k", "after 1 min 30 s of rest", "20.0 s", "fell after"]),
        ("fsync", &["16 writers", "p99.9", "commits/s", "fast enough", "too slow"]),
        ("sync-methods", &["O_DSYNC", "RWF_DSYNC", "file that grows", "the fastest", "writes/s"]),
    ];
    assert_shown(&profile, &expected);
}

#[test]
fn what_was_not_run_has_no_table() {
    let models = ["r-by-k", "mixed", "ladder", "pio-classes"];
    let devices =
        ["latency", "interleaving", "pressure", "tail", "unaligned", "buffer", "read-disturb", "channels"];
    let databases = ["burst", "fsync", "sync-methods"];
    let writes = ["write-amplification", "gc", "sustained"];
    let settings = ["mix-line", "durable-writes", "io-cost"];
    let all = models.into_iter().chain(devices).chain(databases).chain(writes).chain(settings);
    for name in all {
        assert_eq!(render_experiment(&DeviceProfile::default(), name, 80), None);
    }
    assert_eq!(render_experiment(&sample(), "other", 80), None);
}

/// What the one experiment of these says.
fn sentences_of(experiments: Experiments) -> Vec<String> {
    let profile = DeviceProfile { experiments, ..DeviceProfile::default() };
    let sentences = experiment::ALL.iter().find_map(|one| one.sentences(&profile));
    sentences.expect("one that says something")
}

fn has(said: &[String], parts: &[&str]) {
    let said = said.join(" ");
    for part in parts {
        assert!(said.contains(part), "no {part:?} in {said:?}");
    }
}

#[test]
fn both_curves_stand_beside_their_laws_and_fit_the_width() {
    for width in [60, 80, 120] {
        let text = render_experiment(&tried_profile(), "channels", width).expect("measured");
        for part in ["16 channels", "busy at once", "stream", "law", "256"] {
            assert!(text.contains(part), "{width}: no {part:?} in\n{text}");
        }
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest.is_some_and(|widest| widest <= width), "{width}: {widest:?}\n{text}");
    }
}

#[test]
fn of_devices_as_such() {
    let expected: [(&str, &[&str]); 5] = [
        ("latency", &["durable random writes", "82 µs (81.2 µs–82.8 µs)", "20 %", "3 %", "–"]),
        ("interleaving", &["Random writes, MB/s", "k = 256", "256K", "2500", "220"]),
        ("pressure", &["beside random reads of 16K", "1.00 GB/s", "at rest", "400 MB/s", "82 µs / 164"]),
        ("tail", &["reads at 300 MB/s (30 % of capacity)", "writes at 700 MB/s (88 %", "p99.99", "400k"]),
        ("unaligned", &["direct", "60K", "+4K", "46.5 µs", "48 µs"]),
    ];
    for (name, said) in expected {
        for width in [60, 80, 120] {
            let text = render_experiment(&tried_profile(), name, width).unwrap();
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} > {width}:\n{text}");
        }
        let text = render_experiment(&tried_profile(), name, 160).unwrap();
        for word in said {
            assert!(text.contains(word), "no {word:?} in\n{text}");
        }
        assert_eq!(render_experiment(&sample_profile(), name, 80), None);
    }
}

#[test]
fn the_path_of_unaligned_writes_is_said() {
    let mut profile = tried_profile();
    let unaligned = profile.experiments.unaligned.as_mut().unwrap();
    (unaligned.procedure.direct, unaligned.durable) = (false, true);
    let text = render_experiment(&profile, "unaligned", 120).unwrap();
    assert!(text.contains("through the page cache, each durable"), "{text}");
}

#[test]
fn of_what_settings_are_derived_from() {
    let expected: [(&str, &[&str]); 3] = [
        ("mix-line", &["256K random, IOPS", "25 % reads", "k = 128", "best / line", "100 %", "16K", "1M"]),
        ("durable-writes", &["2.00k (1.96k–2.04k)", "during durable writes", "90 %", "p99.9", " of 1.80k"]),
        ("io-cost", &["rrandiops", "2.80 GB/s", "sequential reads of 128M", "wbps fell from", "=linear"]),
    ];
    assert_shown(&studied_profile(), &expected);
}

#[test]
fn of_the_inside_of_a_drive() {
    let expected: [(&str, &[&str]); 2] = [
        ("buffer", &["buffer of 13.4 MiB", "256 KiB", "first pass", "64.0 MiB", "82 µs", "100 %", "0 %"]),
        ("read-disturb", &["every 30.0", "20.0 MiB", "p-value", "100k", "2 % at most"]),
    ];
    for (name, said) in expected {
        for width in [60, 80, 120] {
            let text = render_experiment(&tried_profile(), name, width).unwrap();
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} > {width}:\n{text}");
        }
        let text = render_experiment(&tried_profile(), name, 160).unwrap();
        for word in said {
            assert!(text.contains(word), "no {word:?} in\n{text}");
        }
        assert_eq!(render_experiment(&sample_profile(), name, 80), None);
    }
}

#[test]
fn of_writes() {
    let expected: [(&str, &[&str]); 3] = [
        ("write-amplification", &["3.19 (3.16–3.22)", "zones:10/90", "70 %", "no", "12.0 GiB"]),
        ("sustained", &["Sequential writes", "1.00 GiB", "90 %", "NOT settled", "p99.9", "80 µs"]),
        ("gc", &["same order", "1.62 GB/s", "19 %", "15 % (13–17 %)", "1.30", "after a rest"]),
    ];
    assert_shown(&written_profile(), &expected);
}

#[test]
fn channels_are_told_with_what_keeps_them_busy() {
    let mut found = tried_profile().experiments.channels.expect("measured");
    let said =
        sentences_of(Experiments { channels: Some(found.clone()), ..Experiments::default() }).join(" ");
    for part in [
        "like 16 channels (15–17), to which reads go by their address: that is within 3 %",
        "31 % if any free one",
        "takes 47 (2.94 n) reads thrown at once",
        "takes about 148 (9.25 n) at the channels all the time",
        "90 % is work of a channel",
    ] {
        assert!(said.contains(part), "no {part:?} in {said:?}");
    }
    let fit = found.fit.as_mut().expect("a fit");
    (fit.placement, fit.service_share) = (ChannelPlacement::Any, 1.0);
    let said =
        sentences_of(Experiments { channels: Some(found.clone()), ..Experiments::default() }).join(" ");
    assert!(said.contains("any free one of which") && said.contains("16 reads in flight keep all"), "{said}");
    let fit = found.fit.as_mut().expect("a fit");
    fit.lower_bound = true;
    assert!(
        sentences_of(Experiments { channels: Some(found.clone()), ..Experiments::default() })
            .join(" ")
            .contains("16 channels or more"),
        "{found:?}"
    );
    found.fit.as_mut().expect("a fit").error = 0.28;
    assert!(
        sentences_of(Experiments { channels: Some(found.clone()), ..Experiments::default() })
            .join(" ")
            .contains("misses them by 28 %"),
        "{found:?}"
    );
    found.fit = None;
    assert!(
        sentences_of(Experiments { channels: Some(found.clone()), ..Experiments::default() })[0]
            .contains("Too little")
    );
}

#[test]
fn what_reads_take_beside_durable_writes_is_told() {
    let mut found = studied_profile().experiments.durable_writes.expect("measured");
    has(
        &sentences_of(Experiments { durable_writes: Some(found.clone()), ..Experiments::default() }),
        &[
            "2.00k (1.96k–2.04k) random writes of 16K per second",
            "32 at a time",
            "alone, p99",
            "within twice",
        ],
    );
    has(
        &sentences_of(Experiments { durable_writes: Some(found.clone()), ..Experiments::default() }),
        &["the device does not keep up with 90 % of the durable writes"],
    );
    for point in &mut found.points[1..] {
        (point.latency_us.p99, point.fell_behind) = (1e6, false);
    }
    let said = sentences_of(Experiments { durable_writes: Some(found.clone()), ..Experiments::default() });
    assert_eq!(said.len(), 2);
    has(&said, &["already more than twice as long"]);
}

#[test]
fn the_rates_are_a_line_that_the_kernel_reads_and_falls_are_told() {
    let found = studied_profile().experiments.io_cost.expect("measured");
    has(
        &sentences_of(Experiments { io_cost: Some(found.clone()), ..Experiments::default() }),
        &[
            "ctrl=user model=linear rbps=2800000000 rseqiops=",
            " wrandiops=",
            "wbps fell from 2.00 GB/s to 500 MB/s",
        ],
    );
}

#[test]
fn a_level_is_told_with_its_interval_and_one_that_has_not_settled_is_named() {
    let mut found = written_profile().experiments.write_amplification.expect("measured");
    let said =
        sentences_of(Experiments { write_amplification: Some(found.clone()), ..Experiments::default() })
            .join(" ");
    for part in [
        "uniform random writes of 4K to 4.00 GiB",
        "3.19 (3.16–3.22) bytes",
        "the last 6 windows of 1.00 GiB agree",
        "20.0 % of spare area",
    ] {
        assert!(said.contains(part), "no {part:?} in {said:?}");
    }
    found.latest.settled = false;
    found.latest.pattern = WritePattern::Zones { pages: 0.1, writes: 0.9 };
    found.latest.fill = 0.5;
    let said =
        sentences_of(Experiments { write_amplification: Some(found.clone()), ..Experiments::default() })
            .join(" ");
    assert!(said.contains("NOT settled") && !said.contains("spare area"), "{said}");
    assert!(said.contains("90 % of them to 10 % of the pages") && said.contains("50.0 %"), "{said}");
}

#[test]
fn drops_and_the_recovery_are_told() {
    let mut found = written_profile().experiments.gc.expect("measured");
    let said = sentences_of(Experiments { gc: Some(found.clone()), ..Experiments::default() }).join(" ");
    for part in [
        "in the random order of the fill, 256 at a time of 16K",
        "falls by 19 % (from 2.00 GB/s to 1.62 GB/s), robustly by 15 % (13–17 %)",
        "another random order",
        "After 15.0 s of rest it writes at 1.90 GB/s, 190 % of the 1.00 GB/s before it",
        "it fell again after 1.00 GiB",
    ] {
        assert!(said.contains(part), "no {part:?} in {said:?}");
    }
    found.recovery = None;
    found.passes.truncate(2);
    assert_eq!(sentences_of(Experiments { gc: Some(found.clone()), ..Experiments::default() }).len(), 1);
}

#[test]
fn falls_and_reads_beside_writes_are_told() {
    let mut found = written_profile().experiments.sustained.expect("measured");
    let said =
        sentences_of(Experiments { sustained: Some(found.clone()), ..Experiments::default() }).join(" ");
    for part in [
        "Sequential writes of 128K run at 2.00 GB/s",
        "sustain 500 MB/s (495 MB/s–505 MB/s), 25 % (24 %–26 %) of that",
        "it falls from 2.00 GB/s to 500 MB/s after 1.00 GiB (1004 MiB–1.02 GiB), of which 768 MiB",
        "Random writes of 4K",
        "no fall was seen within 8.00 GiB. It had NOT settled.",
        "One random 4K read takes 80 µs (p99 120 µs) alone",
        "during 90 % of them",
    ] {
        assert!(said.contains(part), "no {part:?} in {said:?}");
    }
    found.latencies.clear();
    assert_eq!(
        sentences_of(Experiments { sustained: Some(found.clone()), ..Experiments::default() }).len(),
        2
    );
}
