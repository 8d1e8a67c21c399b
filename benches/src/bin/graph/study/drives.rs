//! The drives of a study: emulated, each with the stores of all graphs on it.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use leadline_emulate::{EmulateOptions, EmulatedDevice, Emulator, Report};
use rustix::thread::{sched_getaffinity, sched_setaffinity};
use tempfile::TempDir;

use crate::engine::store;
use crate::graph::Graph;

/// Where the drives' answers are timed. On a processor shared with the programs many are late.
const TIMING_PROCESSOR: usize = 0;

/// A device and what it is called in the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    /// For people.
    pub label: String,
    /// For `leadline emulate`.
    pub name: String,
}

impl Device {
    /// From `LABEL=DEVICE`.
    ///
    /// # Errors
    /// Where either side is missing, or the device would not be one column of a CSV file.
    pub fn parse(text: &str) -> Result<Device, String> {
        match text.split_once('=') {
            Some((label, name)) if !label.is_empty() && !name.is_empty() && !name.contains([',', '\n']) => {
                Ok(Device { label: label.to_owned(), name: name.to_owned() })
            }
            _ => Err(format!("{text:?} is not LABEL=DEVICE, with a device without commas")),
        }
    }
}

/// All drives, mounted at the same time: one that nobody asks anything costs nothing. They are unmounted and
/// their folders removed when this is dropped, in the order of the fields.
pub struct Drives {
    emulators: Vec<Emulator>,
    _folder: TempDir,
}

impl Drives {
    /// Mounts them in a temporary folder of `dir`, which has the stores, and keeps this thread and what it
    /// starts off the processor that times their answers.
    ///
    /// # Errors
    /// Where one is not known or cannot be mounted; then none stays mounted.
    pub fn mount(dir: &Path, devices: &[Device], graphs: &[Graph]) -> Result<Drives> {
        let folder = tempfile::Builder::new().prefix("study-").tempdir_in(dir);
        let folder = folder.with_context(|| dir.display().to_string())?;
        let mut drives = Drives { emulators: Vec::new(), _folder: folder };
        for (i, device) in devices.iter().enumerate() {
            let [backing, mount] =
                ["backing", "mount"].map(|kind| drives._folder.path().join(format!("{i}-{kind}")));
            for folder in [&backing, &mount] {
                std::fs::create_dir(folder).with_context(|| folder.display().to_string())?;
            }
            // Put there before the drive is mounted, as if the stores had always been on it.
            for graph in graphs {
                let from = store(dir, &graph.name);
                std::fs::copy(&from, store(&backing, &graph.name))
                    .with_context(|| format!("{}: cannot be copied", from.display()))?;
            }
            let drive = EmulatedDevice::open(&device.name, None)?;
            let mut options = EmulateOptions::new(&backing, &mount);
            options.timing_processor = Some(TIMING_PROCESSOR);
            drives.emulators.push(Emulator::mount(drive, options)?);
        }
        let mut ours = sched_getaffinity(None)?;
        ours.unset(TIMING_PROCESSOR);
        sched_setaffinity(None, &ours)?;
        Ok(drives)
    }

    /// Where the stores are on a device.
    pub fn dir(&self, device: usize) -> &Path {
        self.emulators[device].mount_point()
    }

    /// What a device has answered so far.
    pub fn report(&self, device: usize) -> Report {
        self.emulators[device].report()
    }

    /// Answers and late ones between two reports.
    ///
    /// # Errors
    /// Where less was read from the device than the run says it has read: the rest came from a page cache,
    /// and the run was not cold.
    pub fn answers(before: &Report, after: &Report, bytes_read: u64) -> Result<(u64, u64)> {
        let reached = after.traffic.read_bytes - before.traffic.read_bytes;
        ensure!(reached >= bytes_read, "of {bytes_read} bytes read only {reached} came from the device");
        Ok((after.requests - before.requests, after.late - before.late))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_has_a_label_and_a_name() {
        let device = Device::parse("hard disk=sim:hdd-disk").unwrap();
        assert_eq!((&*device.label, &*device.name), ("hard disk", "sim:hdd-disk"));
        assert!(["sim:gp3", "=sim:gp3", "gp3=", "a=b,c"].iter().all(|text| Device::parse(text).is_err()));
    }
}
