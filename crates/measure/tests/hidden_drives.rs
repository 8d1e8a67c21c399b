//! `buffer` and `read-disturb` on random flash drives whose inside is known, but not to them.

use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::sync::Arc;

use leadline_device::Device as _;
use leadline_measure::experiment::{self, Experiment, ExperimentPlan};
use leadline_profile::{Buffer, Experiments, ReadDisturb};
use leadline_sim::{DeviceSpec, Simulated};
use leadline_testing::exhaustive;

const MIB: u64 = 1 << 20;

/// So many drives with and without what is to be found.
fn seeds() -> RangeInclusive<u64> {
    1..=if exhaustive() { 200 } else { 20 }
}

/// What a drive has inside; 0: not that.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Inside {
    read_buffer: u64,
    write_buffer: u64,
    slc: u64,
    /// Reads of a block after which it is refreshed.
    refresh: u64,
}

/// A drive with a read buffer, and one that is refreshed; what else either has, the other has not.
///
/// A read buffer would answer the reads that are to show refreshes. And those drives are filled, with pages
/// that are all alike and reads that wait for programs: refreshes then are what they seem. Elsewhere they set
/// off collection, whose own times stand out, and a page that moves from a fast place to a slow one and back
/// has twice the period.
struct Pair {
    drives: [(Inside, String); 2],
}

/// From `low` to `high`, all orders of magnitude alike.
fn between(low: f64, high: f64, random: &mut fastrand::Rng) -> f64 {
    low * (high / low).powf(random.f64())
}

fn one_of<T: Clone>(of: &[T], random: &mut fastrand::Rng) -> T {
    of[random.usize(..of.len())].clone()
}

impl Pair {
    fn new(seed: u64) -> Pair {
        let random = &mut fastrand::Rng::with_seed(seed);
        let pages = |bytes: f64| bytes as u64 / 4096 * 4096;
        let (read_buffer, refresh) = (pages(between(1e6, 16e6, random)), between(60.0, 300.0, random) as u64);
        let (write_buffer, slc) = (pages(between(1e6, 16e6, random)), random.u64(8..32) * MIB);
        let (buffered, cached) = (random.bool(), random.bool());
        let has = |it: bool, bytes: u64| if it { bytes } else { 0 };
        let insides = [
            Inside {
                read_buffer,
                refresh: 0,
                write_buffer: has(buffered, write_buffer),
                slc: has(cached, slc),
            },
            Inside {
                read_buffer: 0,
                refresh,
                write_buffer: has(!buffered, write_buffer),
                slc: has(!cached, slc),
            },
        ];
        Pair { drives: insides.map(|inside| (inside, description(seed, inside, random))) }
    }
}

fn description(seed: u64, inside: Inside, random: &mut fastrand::Rng) -> String {
    let capacity = random.u64(256..=1024) * MIB;
    let read_us = between(10.0, 100.0, random);
    let program_us = read_us * between(4.0, 12.0, random);
    let (mut state, mut reads) = ("filled", read_us.to_string());
    if inside.refresh == 0 {
        state = one_of(&["steady", "filled"], random);
        reads = one_of(&[reads, format!("[{read_us}, {}]", 1.4 * read_us)], random);
    }
    let mut text = format!(
        "kind = 'flash'\nseed = {seed}\ncapacity = {capacity}\nover_provisioning = {}\nstate = '{state}'\n\
         allocation = '{}'\n[geometry]\nchannels = {}\ndies_per_channel = {}\npages_per_block = {}\n\
         page_bytes = '{}K'\n[timing]\nread_us = {reads}\nprogram_us = {program_us}\nerase_us = {}\n\
         bus_mb_per_s = {}\ncontroller_us = {}\nsigma = {}\n",
        between(0.2, 0.4, random),
        one_of(&["dynamic", "static"], random),
        one_of(&[1, 2, 4], random),
        one_of(&[1, 2], random),
        one_of(&[32, 64], random),
        one_of(&[4, 8, 16], random),
        between(1000.0, 5000.0, random),
        between(400.0, 1600.0, random),
        between(1.0, 8.0, random),
        between(0.03, 0.25, random),
    );
    if inside.refresh == 0 && random.bool() {
        text += "suspend_us = 10\n";
    }
    if random.bool() {
        text += "[read_ahead]\nbytes = '256K'\n";
    }
    if random.bool() {
        let _ = writeln!(text, "[mapping]\ncache = {}", capacity / 4096);
    }
    let (read, write) = (inside.read_buffer, inside.write_buffer);
    let hit_us = read_us * between(0.02, 0.3, random);
    let _ = writeln!(text, "[buffer]\nread = {read}\nwrite = {write}\nhit_us = {hit_us}");
    if inside.slc > 0 {
        let (read_us, program_us) = (read_us / 2.0, program_us / 3.0);
        let bytes = inside.slc;
        let _ = writeln!(text, "[slc]\nbytes = {bytes}\nread_us = {read_us}\nprogram_us = {program_us}");
    }
    if inside.refresh > 0 {
        let _ = writeln!(text, "[disturb]\nreads = {}\npages = {}", inside.refresh, random.u32(1..=2));
    }
    text
}

fn device(text: &str) -> Simulated {
    DeviceSpec::parse(text, "hidden.toml").unwrap_or_else(|e| panic!("{e}\n{text}")).device()
}

fn run(text: &str, experiment: &'static dyn Experiment, change: impl Fn(&mut ExperimentPlan)) -> Experiments {
    let device = device(text);
    let mut plan = ExperimentPlan::new(experiment, device.geometry(), device.clock());
    plan.layout = false;
    change(&mut plan);
    let ran = experiment::run(&device, &plan, &Arc::default(), &mut |_| ()).unwrap();
    assert!(ran.stopped_by.is_none(), "{:?}", ran.stopped_by);
    ran.found
}

fn buffer(text: &str) -> Buffer {
    run(text, experiment::BUFFER, |plan| plan.max_ops_per_slice = 60_000).buffer.unwrap()
}

fn disturb(text: &str, buffer: u64) -> ReadDisturb {
    run(text, experiment::READ_DISTURB, |plan| {
        (plan.max_ops_per_slice, plan.buffer_bytes) = (5_000, Some(buffer));
    })
    .read_disturb
    .unwrap()
}

/// Which drives were not told right; of `drives` one in twenty may be.
#[track_caller]
fn at_most_one_in_twenty(wrong: &[String], drives: usize, what: &str) {
    println!("{what}: {} of {drives}", wrong.len());
    assert!(20 * wrong.len() <= drives, "{what}: {} of {drives}:\n{}", wrong.len(), wrong.join("\n"));
}

fn is_near(found: f64, truth: u64) -> bool {
    (found / truth as f64 - 1.0).abs() <= 0.1
}

#[test]
fn of_twenty_hidden_read_buffers_nineteen_are_found_with_their_size() {
    let (mut missed, mut imagined) = (Vec::new(), Vec::new());
    for seed in seeds() {
        for (inside, text) in Pair::new(seed).drives {
            let found = buffer(&text);
            let told = format!("{seed}: {inside:?}: {:?}, {:?}", found.buffer_bytes, found.at_least_bytes);
            match inside.read_buffer {
                0 if found.detected => imagined.push(told),
                size if size > 0 && !found.buffer_bytes.is_some_and(|found| is_near(found, size)) => {
                    missed.push(told);
                }
                _ => (),
            }
        }
    }
    at_most_one_in_twenty(&missed, seeds().count(), "buffers missed or more than 10 % off");
    at_most_one_in_twenty(&imagined, seeds().count(), "buffers imagined");
}

#[test]
fn of_twenty_hidden_refreshes_nineteen_are_found_with_their_period() {
    let (mut missed, mut imagined) = (Vec::new(), Vec::new());
    for seed in seeds() {
        for (inside, text) in Pair::new(seed).drives {
            let found = disturb(&text, inside.read_buffer);
            let period = found.found().and_then(|series| series.period_reads);
            let told = format!("{seed}: {inside:?}: {period:?} {:?}", found.procedure.notes);
            match inside.refresh {
                0 if period.is_some() => imagined.push(told),
                reads if reads > 0 && !period.is_some_and(|found| is_near(found, reads)) => missed.push(told),
                _ => (),
            }
        }
    }
    at_most_one_in_twenty(&missed, seeds().count(), "refreshes missed or more than 10 % off");
    at_most_one_in_twenty(&imagined, seeds().count(), "refreshes imagined");
}
