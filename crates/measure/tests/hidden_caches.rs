//! `sustained` on random flash drives with a write buffer, an SLC cache, or neither.

use std::fmt::Write as _;
use std::sync::Arc;

use leadline_device::Device as _;
use leadline_measure::experiment::{self, ExperimentPlan};
use leadline_profile::{Pattern, SustainedCliff};
use leadline_sim::DeviceSpec;
use leadline_testing::exhaustive;

const MIB: f64 = 1024.0 * 1024.0;

/// What a drive writes to before its flash; the size in bytes.
#[derive(Debug, Clone, Copy)]
enum Cache {
    None,
    /// Emptied while it fills.
    Buffer(f64),
    /// Emptied at rest.
    Slc(f64),
}

/// From `low` to `high`, all orders of magnitude alike.
fn between(low: f64, high: f64, random: &mut fastrand::Rng) -> f64 {
    low * (high / low).powf(random.f64())
}

fn one_of<T: Copy>(of: &[T], random: &mut fastrand::Rng) -> T {
    of[random.usize(..of.len())]
}

/// A random drive that programs 50 to 250 MB/s behind buses and a link that are faster than its cache, and
/// how large the cache is: an SLC cache consists of whole blocks, as many on each die.
fn drive(cache: Cache, seed: u64, random: &mut fastrand::Rng) -> (String, f64) {
    let (channels, dies) = (one_of(&[1, 2, 4], random), one_of(&[1, 2], random));
    let page_kib = one_of(&[4, 8, 16], random);
    let program_us = f64::from(channels * dies * page_kib) * 1024.0 / between(50.0, 250.0, random);
    let pages = one_of(&[64, 128], random);
    let mut text = format!(
        "kind = 'flash'\nseed = {seed}\ncapacity = '{}M'\nover_provisioning = {}\nstate = '{}'\n\
         allocation = '{}'\n[geometry]\nchannels = {channels}\ndies_per_channel = {dies}\n\
         pages_per_block = {pages}\npage_bytes = '{page_kib}K'\n[timing]\nread_us = {}\n\
         program_us = {program_us}\nerase_us = {}\nbus_mb_per_s = {}\ncontroller_us = {}\nsigma = {}\n\
         [link]\nmb_per_s = {}\n",
        random.u32(512..=1024),
        between(0.2, 0.4, random),
        one_of(&["filled", "fresh"], random),
        one_of(&["dynamic", "static"], random),
        between(10.0, 100.0, random),
        between(5.0, 15.0, random) * program_us,
        between(1600.0, 3200.0, random),
        between(1.0, 8.0, random),
        between(0.03, 0.25, random),
        between(1500.0, 3000.0, random),
    );
    let size = match cache {
        Cache::None => 0.0,
        Cache::Buffer(bytes) => {
            let hit_us = between(1.0, 10.0, random);
            let _ = writeln!(text, "[buffer]\nwrite = {bytes}\nhit_us = {hit_us}");
            bytes
        }
        Cache::Slc(bytes) => {
            let program_us = program_us / between(2.5, 5.0, random);
            let _ = writeln!(text, "[slc]\nbytes = {bytes}\nread_us = 10\nprogram_us = {program_us}");
            let blocks = f64::from(channels * dies * pages * page_kib) * 1024.0;
            (bytes / blocks).ceil() * blocks
        }
    };
    (text, size)
}

/// Where the bandwidth of sequential writes falls.
fn cliffs(text: &str) -> Vec<SustainedCliff> {
    let device = DeviceSpec::parse(text, "hidden.toml").unwrap_or_else(|e| panic!("{e}\n{text}")).device();
    let mut plan = ExperimentPlan::new(experiment::SUSTAINED, device.geometry(), device.clock());
    (plan.seconds, plan.max_bytes, plan.max_ops_per_slice) = (40.0, 384 << 20, 200);
    let ran = experiment::run(&device, &plan, &Arc::default(), &mut |_| ()).unwrap();
    assert!(ran.stopped_by.is_none(), "{:?}", ran.stopped_by);
    ran.found.sustained.unwrap().load(Pattern::Sequential).unwrap().cliffs.clone()
}

#[test]
fn of_twenty_hidden_write_caches_nineteen_are_found_with_their_size() {
    let drives = if exhaustive() { 200 } else { 20 };
    let mut wrong = [const { Vec::new() }; 3];
    for seed in 1..=drives {
        let random = &mut fastrand::Rng::with_seed(seed);
        let size = (between(16.0, 64.0, random) * MIB / 4096.0).floor() * 4096.0;
        for (i, cache) in [Cache::None, Cache::Buffer(size), Cache::Slc(size)].into_iter().enumerate() {
            let (drive, size) = drive(cache, seed, random);
            let found = cliffs(&drive);
            let is_near = |bytes: f64| (bytes / size - 1.0).abs() <= 0.1;
            let right = match cache {
                Cache::None => found.is_empty(),
                Cache::Buffer(_) => found.iter().any(|cliff| is_near(cliff.beyond_bytes)),
                Cache::Slc(_) => found.iter().any(|cliff| is_near(cliff.at_bytes)),
            };
            if !right {
                wrong[i].push(format!("{seed}: {cache:?}, {size}: {found:?}"));
            }
        }
    }
    for (what, wrong) in ["caches imagined", "buffers missed", "SLC caches missed"].iter().zip(wrong) {
        println!("{what}: {} of {drives}", wrong.len());
        assert!(
            20 * wrong.len() as u64 <= drives,
            "{what}: {} of {drives}:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
    }
}
