//! `leadline experiment`: into a new profile and into one that is there, and what leaves it as it was.

use std::fs;

use leadline_profile::{DeviceProfile, EngineKind, OpKind, PioClass, PressurePoint};
use rustix::process::Signal;

use crate::ran::{folder, made_folder, names, run, small, start};
use crate::simulated::profiled;

const NAMES: [&str; 12] = [
    "r-by-k",
    "mixed",
    "ladder",
    "pio-classes",
    "latency",
    "interleaving",
    "pressure",
    "tail",
    "unaligned",
    "buffer",
    "read-disturb",
    "channels",
];

/// A small budget, on a simulated device.
fn brief(name: &str) -> [&str; 5] {
    ["experiment", name, "sim:flash", "--budget-seconds", "5"]
}

fn has(profile: &DeviceProfile) -> [bool; NAMES.len()] {
    let found = &profile.experiments;
    [
        found.r_by_k.is_some(),
        found.mixed.is_some(),
        found.ladder.is_some(),
        found.pio_classes.is_some(),
        found.latency.is_some(),
        found.interleaving.is_some(),
        found.pressure.is_some(),
        found.tail.is_some(),
        found.unaligned.is_some(),
        found.buffer.is_some(),
        found.read_disturb.is_some(),
        found.channels.is_some(),
    ]
}

/// Only the experiment of this name.
fn only(name: &str) -> [bool; NAMES.len()] {
    NAMES.map(|one| one == name)
}

#[test]
fn a_folder_of_its_own_holds_the_profile_and_the_page() {
    let dir = folder();
    let ran = run(dir.path(), &brief("mixed")).succeeded();
    assert!(ran.stdout.contains("IOPS by share of reads"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("writes nothing: the device is simulated; measures for 5 s"),
        "{}",
        ran.stderr
    );
    let made = made_folder(dir.path());
    assert_eq!(names(&made), ["profile.json", "report.html"]);
    let profile = DeviceProfile::load(made.join("profile.json")).unwrap();
    assert_eq!(has(&profile), only("mixed"));
    assert!(profile.points.is_empty() && profile.parameters.is_empty() && profile.validity.complete);
    assert_eq!((profile.device.name.as_str(), profile.created.as_deref()), ("sim-flash", None));
    let work = profile.experiments.mixed.unwrap();
    assert_eq!((&work.procedure.engine, work.procedure.direct), (&EngineKind::Simulated, true));
    assert!(work.procedure.created.is_none() && work.procedure.epochs >= 3);
}

#[test]
fn all_of_them_go_into_one_profile() {
    let dir = folder();
    let profile = ["profile", "sim:flash", "--budget-seconds", "1", "--block-size", "4K", "-o", "p.json"];
    profiled(dir.path(), "p.json", &[&profile]);
    let measured = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    for (i, name) in NAMES.into_iter().enumerate() {
        let ran = run(dir.path(), &[&brief(name)[..], &["--into", "p.json"]].concat()).succeeded();
        assert!(ran.stdout.lines().count() > 5, "{}", ran.stdout);
        let after = DeviceProfile::load(dir.path().join("p.json")).unwrap();
        assert_eq!(has(&after), std::array::from_fn(|j| j <= i), "{name}");
        let rest = DeviceProfile { experiments: measured.experiments.clone(), ..after };
        assert_eq!(rest, measured, "the rest of the profile stays");
    }
    assert_eq!(names(dir.path()), ["p.json"]);
}

#[test]
fn interleaving_takes_what_the_profile_has() {
    let dir = folder();
    let profile = ["profile", "sim:flash", "--budget-seconds", "1", "--block-size", "4K", "-o", "p.json"];
    profiled(dir.path(), "p.json", &[&profile]);
    run(dir.path(), &[&brief("interleaving")[..], &["--into", "p.json"]].concat()).succeeded();
    let after = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    let points = after.experiments.interleaving.unwrap().points;
    let taken: Vec<_> = points.iter().filter(|p| p.from_profile).collect();
    assert!(!taken.is_empty() && taken.iter().all(|p| p.block_bytes == 4096));
    assert!(points.iter().any(|p| !p.from_profile && p.block_bytes == 65536));
}

#[test]
fn results_that_are_added_at_once_are_all_in_the_profile() {
    let dir = folder();
    let dir = dir.path();
    let names = ["r-by-k", "mixed", "ladder", "latency"];
    let started: Vec<_> =
        names.iter().map(|name| start(dir, &[&brief(name)[..], &["--into", "p.json"]].concat())).collect();
    for running in started {
        running.end().0.succeeded();
    }
    let profile = DeviceProfile::load(dir.join("p.json")).unwrap();
    let found: Vec<&str> = profile.experiments.procedures().map(|(name, _)| name).collect();
    assert!(names.iter().all(|name| found.contains(name)), "{found:?}");
}

#[test]
fn a_profile_that_is_not_there_yet_is_made() {
    let dir = folder();
    run(dir.path(), &[&brief("ladder")[..], &["--into", "new.json"]].concat()).succeeded();
    assert_eq!(names(dir.path()), ["new.json"]);
    let profile = DeviceProfile::load(dir.path().join("new.json")).unwrap();
    assert_eq!(has(&profile), only("ladder"));
    run(dir.path(), &["report", "new.json", "-o", "page.html"]).succeeded();
}

#[test]
fn json_is_one_document_and_the_same_each_time() {
    let dir = folder();
    for name in NAMES {
        let arguments = [&brief(name)[..], &["--json"]].concat();
        let first = run(dir.path(), &arguments).succeeded();
        assert_eq!(first.profile().to_json(), first.stdout);
        assert_eq!(run(dir.path(), &arguments).succeeded().stdout, first.stdout, "{name}");
    }
    assert!(names(dir.path()).is_empty());
    // Both: the document is the file.
    let ran = run(dir.path(), &[&brief("mixed")[..], &["--json", "--into", "p.json"]].concat()).succeeded();
    assert_eq!(fs::read_to_string(dir.path().join("p.json")).unwrap(), ran.stdout);
}

#[test]
fn a_profile_of_another_device_is_refused_and_left_alone() {
    let dir = folder();
    run(dir.path(), &[&brief("mixed")[..], &["--into", "p.json"]].concat()).succeeded();
    let before = fs::read(dir.path().join("p.json")).unwrap();
    for target in ["sim:optane", "."] {
        let ran = run(dir.path(), &["experiment", "ladder", target, "--size", "16M", "--into", "p.json"]);
        ran.refused(&["--into p.json", "sim:flash", target, "a file that does not exist"]);
    }
    fs::write(dir.path().join("broken.json"), "{").unwrap();
    run(dir.path(), &[&brief("ladder")[..], &["--into", "broken.json"]].concat())
        .refused(&["broken.json: ends too early, in line 1"]);
    run(dir.path(), &[&brief("ladder")[..], &["--into", "none/p.json"]].concat()).refused(&["none/p.json"]);
    run(dir.path(), &[&brief("ladder")[..], &["--into", "."]].concat()).refused(&["."]);
    assert_eq!(fs::read(dir.path().join("p.json")).unwrap(), before);
    assert_eq!(names(dir.path()), ["broken.json", "p.json"]);
}

#[test]
fn an_impossible_number_in_a_profile_is_refused_with_its_place() {
    let dir = folder();
    run(dir.path(), &[&brief("mixed")[..], &["--into", "p.json"]].concat()).succeeded();
    let text = fs::read_to_string(dir.path().join("p.json")).unwrap();
    fs::write(dir.path().join("p.json"), text.replacen("\"concurrency\": 4,", "\"concurrency\": 0,", 1))
        .unwrap();
    run(dir.path(), &[&brief("ladder")[..], &["--into", "p.json"]].concat())
        .refused(&["p.json: experiments.mixed.points[1].concurrency"]);
}

#[test]
fn wrong_arguments_are_refused_in_one_line() {
    let dir = folder();
    let cases: [(&[&str], &[&str]); 18] = [
        (&["r-by-q"], &["r-by-q", "did you mean 'r-by-k'?"]),
        (&[], &["<NAME>"]),
        (&["mixed", ".", "--buffered"], &["--buffered"]),
        (&["mixed", ".", "--reads-only"], &["--reads-only", "mixed needs writes", "r-by-k"]),
        (
            &["unaligned", ".", "--reads-only"],
            &["--reads-only", "unaligned needs writes", "tail, buffer, read-disturb, burst"],
        ),
        (&["pio-classes", ".", "--reads-only"], &["--reads-only", "leave it out"]),
        (&["mixed", ".", "--read-share", "50"], &["--read-share", "pio-classes"]),
        (&["pio-classes", ".", "--read-share", "101"], &["--read-share", "0 to 100"]),
        (&["mixed", ".", "--quick", "--budget-seconds", "3"], &["--quick"]),
        (&["mixed", ".", "--size", "64M", "--max-writes", "1M"], &["--max-writes 1M", "--size"]),
        (&["mixed", "./nothing"], &["./nothing", "no such file"]),
        (&["mixed", ".", "--fill", "50"], &["--fill", "write-amplification", "mixed"]),
        (&["mixed", ".", "--pattern", "uniform"], &["--pattern", "write-amplification", "mixed"]),
        (&["write-amplification", "sim:flash", "--fill", "0"], &["--fill", "above 0 and at most 100"]),
        (&["write-amplification", "sim:flash", "--pattern", "zones:0/1"], &["--pattern", "zones:P/W"]),
        (&["write-amplification", "sim:flash", "--reads-only"], &["--reads-only", "needs writes"]),
        (&["write-amplification", "sim:flash"], &["sim:flash", "does not tell", "nothing was written"]),
        (&["write-amplification", "."], &[".: write-amplification", "does not tell", "nothing was written"]),
    ];
    for (arguments, said) in cases {
        run(dir.path(), &[&["experiment"], arguments].concat()).refused(said);
        assert!(names(dir.path()).is_empty(), "{arguments:?}");
    }
    // A file that Leadline did not make is only read.
    fs::write(dir.path().join("theirs"), vec![7u8; 16 << 20]).unwrap();
    run(dir.path(), &["experiment", "mixed", "./theirs"]).refused(&["mixed needs writes", "--destructive"]);
    assert!(fs::read(dir.path().join("theirs")).unwrap().iter().all(|&byte| byte == 7));
}

#[test]
fn what_is_only_read_is_left_as_it_is() {
    let dir = folder();
    fs::write(dir.path().join("theirs"), vec![7u8; 16 << 20]).unwrap();
    for name in ["r-by-k", "ladder", "latency", "interleaving", "pressure", "tail", "buffer", "read-disturb"]
    {
        let arguments = ["experiment", name, "./theirs", "--budget-seconds", "1", "--json"];
        let profile = run(dir.path(), &arguments).succeeded().profile();
        assert_eq!(profile.device.kind.as_str(), "file");
        if let Some(work) = profile.experiments.r_by_k {
            assert!(work.points.iter().all(|p| p.writes == 0) && work.procedure.bytes_written == 0);
        }
        if let Some(ladder) = profile.experiments.ladder {
            assert_eq!(ladder.mixes.len(), 1);
        }
        if let Some(latency) = profile.experiments.latency {
            assert_eq!(latency.workloads.len(), 2);
            assert!(latency.workloads.iter().all(|w| w.op == OpKind::Read && w.system_call_us.is_some()));
        }
        for pressure in [profile.experiments.pressure, profile.experiments.tail].into_iter().flatten() {
            let reads = |p: &PressurePoint| p.op == OpKind::Read && p.background.is_none_or(|b| b.op == p.op);
            assert!(pressure.points.iter().all(reads) && pressure.procedure.bytes_written == 0);
        }
    }
    assert!(fs::read(dir.path().join("theirs")).unwrap().iter().all(|&byte| byte == 7));
}

#[test]
fn a_real_directory_is_measured_and_left_clean() {
    let dir = folder();
    let small = ["--budget-seconds", "1.5", "--size", "32M"];
    for (i, name) in NAMES.into_iter().enumerate() {
        let engine: &[&str] = if i % 2 == 0 { &[] } else { &["--engine", "psync"] };
        let ran =
            run(dir.path(), &[&["experiment", name, ".", "--into", "p.json"], &small[..], engine].concat())
                .succeeded();
        let only_reads = ["buffer", "read-disturb", "channels"].contains(&name);
        let announced =
            if only_reads { "writes 32M to lay out the data that it reads" } else { "writes 32M before" };
        assert!(ran.stderr.contains(announced), "{}", ran.stderr);
        assert_eq!(names(dir.path()), ["p.json"]);
    }
    let profile = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    assert_eq!(has(&profile), [true; NAMES.len()]);
    let found = &profile.experiments;
    let r_by_k = found.r_by_k.as_ref().unwrap();
    assert!(r_by_k.points.iter().any(|p| p.writes > 0) && r_by_k.points.iter().any(|p| p.reads > 0));
    assert_eq!((r_by_k.procedure.engine.as_str(), r_by_k.procedure.direct), ("io_uring", true));
    assert!(r_by_k.procedure.created.is_some() && r_by_k.procedure.bytes_written > 31 << 20);
    assert_eq!(r_by_k.procedure.footprint_bytes, 31 << 20);
    assert_eq!(found.mixed.as_ref().unwrap().procedure.engine, EngineKind::Psync);
    let ladder = found.ladder.as_ref().unwrap();
    assert_eq!(ladder.mixes.len(), 4);
    assert!(ladder.mixes.iter().all(|mix| mix.rungs.len() == 8));
    let classes = found.pio_classes.as_ref().unwrap();
    assert!(classes.points.iter().any(|p| p.class == PioClass::BatchedBoth && p.batch > 1));
    let latency = found.latency.as_ref().unwrap();
    assert_eq!(latency.workloads.len(), 6);
    for w in &latency.workloads {
        let share = w.program_share().expect("the system call is timed on every real device");
        assert!((0.0..1.0).contains(&share) && w.system_call_us.unwrap() <= w.latency_us.mean, "{w:?}");
    }
    let unaligned = found.unaligned.as_ref().unwrap();
    // A slow disk does not manage all 64 sizes in this time; what is left out is named.
    let left_out = |note: &String| note.contains("left out, too slow for the time allowed");
    assert!(unaligned.points.len() == 64 || unaligned.procedure.notes.iter().any(left_out));
    assert!(unaligned.points.iter().all(|point| point.ops > 0));
    assert_eq!(unaligned.durable, !unaligned.procedure.direct);
    assert!(found.pressure.as_ref().unwrap().points.iter().any(|p| p.background.is_none()));
    assert!(!found.interleaving.as_ref().unwrap().points.is_empty());
    let buffer = found.buffer.as_ref().unwrap();
    assert!(buffer.points.iter().all(|point| point.size_bytes <= 31 << 20) && !buffer.points.is_empty());
    let disturb = found.read_disturb.as_ref().unwrap();
    assert_eq!(disturb.buffer_bytes, Some(buffer.held_bytes()), "what `buffer` found is known");
    assert!(disturb.repeating.reads >= 64 && disturb.procedure.bytes_written <= 32 << 20);
}

#[test]
fn read_disturb_pushes_its_page_out_of_the_buffer_that_was_found() {
    let dir = folder();
    let brief = |name: &'static str| [&brief(name)[..], &["--into", "p.json"]].concat();
    run(dir.path(), &brief("read-disturb")).succeeded();
    let load = || DeviceProfile::load(dir.path().join("p.json")).unwrap();
    let before = load().experiments.read_disturb.unwrap();
    assert_eq!((before.buffer_bytes, before.evicted_bytes), (None, 20 << 20), "the paper's 20 MB");
    run(dir.path(), &brief("buffer")).succeeded();
    let mut profile = load();
    let buffer = profile.experiments.buffer.as_mut().unwrap();
    (buffer.buffer_bytes, buffer.buffer_ci) = (Some(3e6), Some([2.9e6, 3.1e6]));
    profile.save(dir.path().join("p.json")).unwrap();
    let ran = run(dir.path(), &brief("read-disturb")).succeeded();
    let words = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("buffer of 2.86 MiB answers those reads"), "{}", ran.stdout);
    let after = load().experiments.read_disturb.unwrap();
    assert_eq!((after.buffer_bytes, after.evicted_bytes / 65536), (Some(3_000_000), 92));
}

#[test]
fn an_interrupted_experiment_leaves_the_profile_as_it_was() {
    let dir = folder();
    small(dir.path(), ".", &["-o", "p.json"]).succeeded();
    let before = fs::read(dir.path().join("p.json")).unwrap();
    let long = ["experiment", "r-by-k", ".", "--size", "32M", "--budget-seconds", "300", "--into", "p.json"];
    let mut running = start(dir.path(), &long);
    running.reaches("r-by-k");
    running.signal(Signal::INT);
    let (ran, ..) = running.end();
    ran.failed(1, &["interrupted before every point was measured once", "nothing is kept"]);
    assert_eq!(ran.stdout, "");
    assert_eq!(fs::read(dir.path().join("p.json")).unwrap(), before);
    // Without a profile to add to, no folder is left either.
    let mut running = start(dir.path(), &long[..7]);
    running.reaches("r-by-k");
    running.signal(Signal::TERM);
    running.end().0.failed(1, &["nothing is kept"]);
    assert_eq!(names(dir.path()), ["p.json"]);
}

#[test]
fn channels_of_a_directory_are_measured_by_reads_alone() {
    let dir = folder();
    let arguments = ["experiment", "channels", ".", "--size", "4M", "--seconds", "0.5", "--into", "p.json"];
    let ran = run(dir.path(), &arguments).succeeded();
    assert!(ran.stderr.contains("writes 4M to lay out the data that it reads"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("time measured"), "{}", ran.stderr);
    let found = DeviceProfile::load(dir.path().join("p.json")).unwrap().experiments.channels.unwrap();
    assert!(found.procedure.bytes_written <= 4 << 20, "the layout only");
    assert_eq!(found.points.len(), 16);
    run(dir.path(), &["report", "p.json", "-o", "page.html"]).succeeded();
    assert!(fs::read_to_string(dir.path().join("page.html")).unwrap().contains("e-channels"));
}
