//! The limit that a cgroup sets on a loop device is found, and called a cap.
//!
//! A test of its own, so that no other one runs beside it: it measures a real device on real time.

// What the end-to-end tests have; not all of it is needed here.
#[path = "e2e/advised.rs"]
mod advised;
#[allow(dead_code)]
#[path = "e2e/ran.rs"]
mod ran;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use leadline_profile::{Capped, DeviceProfile, Parameters};
use leadline_testing::exhaustive;
use leadline_testing::machine::{Undo, needs_root, run as tool, skipped};

use crate::ran::{PATIENCE, folder, program, text};

const READ_IOPS: f64 = 4000.0;
const WRITE_IOPS: f64 = 2000.0;

/// Measurements made before an exhaustive run fails.
const ATTEMPTS: u32 = 3;

/// A cgroup with limits on one block device; removed when dropped.
struct Throttle {
    dir: PathBuf,
}

impl Throttle {
    /// `None`, with a line that says so, where the machine has no controller for it.
    fn new(device: &str) -> Option<Throttle> {
        let number = fs::read_to_string(format!("/sys/block/{}/dev", device.strip_prefix("/dev/")?)).ok()?;
        let number = number.trim();
        let first = Path::new("/sys/fs/cgroup/blkio");
        let second = Path::new("/sys/fs/cgroup");
        let name = format!("leadline-test-{}", std::process::id());
        let limited = if first.join("blkio.throttle.read_iops_device").exists() {
            let throttle = Throttle::make(first.join(name))?;
            throttle.set("blkio.throttle.read_iops_device", &format!("{number} {READ_IOPS}"))?;
            throttle.set("blkio.throttle.write_iops_device", &format!("{number} {WRITE_IOPS}"))?;
            Some(throttle)
        } else if fs::read_to_string(second.join("cgroup.controllers")).is_ok_and(|c| c.contains("io")) {
            let _ = fs::write(second.join("cgroup.subtree_control"), "+io");
            let throttle = Throttle::make(second.join(name))?;
            throttle.set("io.max", &format!("{number} riops={READ_IOPS} wiops={WRITE_IOPS}"))?;
            Some(throttle)
        } else {
            None
        };
        if limited.is_none() {
            skipped("no block I/O controller to throttle with");
        }
        limited
    }

    fn make(dir: PathBuf) -> Option<Throttle> {
        fs::create_dir(&dir).ok()?;
        Some(Throttle { dir })
    }

    fn set(&self, file: &str, limit: &str) -> Option<()> {
        let set = fs::write(self.dir.join(file), limit);
        if let Err(error) = &set {
            skipped(&format!("{file} {limit:?}: {error}"));
        }
        set.ok()
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        for _ in 0..40 {
            if fs::remove_dir(&self.dir).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn a_throttled_device_is_found_and_called_capped() {
    needs_root!();
    // In memory where it can be: what is measured is the limit, not the disk and what else it has to do.
    let dir = tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| folder());
    let image = dir.path().join("image");
    fs::write(&image, vec![0x5a; 64 << 20]).unwrap();
    let Some(device) = tool("losetup", &["-f", "--show", text(&image)]) else {
        return skipped("no loop device to be had");
    };
    let device = device.trim();
    let _undo = Undo::by("losetup", &["-d", device]);
    let Some(throttle) = Throttle::new(device) else { return };

    // Another program on the machine can spoil what is measured in its time, which then says "unknown", or
    // less than the limit. It cannot make a cap of nothing, or much more than the limit of it. That each
    // entry is right holds only on a machine that is not busy all the time, so it is left to an exhaustive
    // run.
    let mut right = [false; 2];
    for _ in 0..if exhaustive() { ATTEMPTS } else { 1 } {
        let profile = measure(device, &throttle);
        assert_eq!(profile.parameters.len(), right.len());
        for (right, found) in right.iter_mut().zip(&profile.parameters) {
            assert!(!exceeds_the_limit(found), "{found:?}");
            *right |= says_the_limit(found);
        }
        if right == [true; 2] {
            return;
        }
    }
    assert!(!exhaustive(), "after {ATTEMPTS} measurements, found: {right:?}");
}

fn measure(device: &str, throttle: &Throttle) -> DeviceProfile {
    let join = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", text(&throttle.dir));
    let profile = [text(program()), "profile", device, "--destructive", "--json", "--budget-seconds", "12"];
    // What is capped shows with few curves and points; each takes long, since a throttle lets requests go in
    // bursts.
    let few = ["--block-size", "4K", "--max-concurrency", "64"];
    let mut command = assert_cmd::Command::new("sh");
    let output =
        command.args(["-c", &join, "sh"]).args(profile).args(few).timeout(PATIENCE).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let stdout = String::from_utf8(output.stdout).unwrap();
    DeviceProfile::parse(&stdout, Path::new("stdout")).unwrap()
}

fn exceeds_the_limit(found: &Parameters) -> bool {
    found.max_read_iops.unwrap() > 1.2 * READ_IOPS || found.max_write_iops.unwrap() > 1.2 * WRITE_IOPS
}

/// Called capped, at the limits that were set, within 5 % or the interval that it gives itself.
fn says_the_limit(found: &Parameters) -> bool {
    let near = |value: Option<f64>, interval: Option<[f64; 2]>, truth: f64| {
        let within = interval.is_some_and(|[low, high]| (low..=high).contains(&truth));
        within || (value.unwrap() / truth - 1.0).abs() < 0.05
    };
    near(found.max_read_iops, found.max_read_iops_ci, READ_IOPS)
        && near(found.max_write_iops, found.max_write_iops_ci, WRITE_IOPS)
        && found.capped == Capped::Yes
}
