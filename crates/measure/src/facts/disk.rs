//! One whole disk in sysfs.

use std::fs;
use std::path::{Path, PathBuf};

use leadline_device::target::DeviceNumber;

use super::read_text;

/// Device mapper may be on MD, and MD on device mapper; deeper than this nobody builds.
const MAX_LAYERS: u32 = 8;

/// A whole disk: never a partition.
#[derive(Debug, Clone)]
pub(super) struct Disk {
    /// The kernel's name: `nvme0n1`.
    pub(super) name: String,
    /// Its directory, free of symbolic links.
    pub(super) dir: PathBuf,
}

impl Disk {
    /// The disk that is `number` or has it as a partition.
    pub(super) fn find(sys: &Path, number: DeviceNumber) -> Option<Disk> {
        Disk::at(&sys.join("dev/block").join(number.to_string()))
    }

    fn at(entry: &Path) -> Option<Disk> {
        let mut dir = fs::canonicalize(entry).ok()?;
        if dir.join("partition").exists() {
            dir.pop();
        }
        let name = dir.file_name()?.to_string_lossy().into_owned();
        Some(Disk { name, dir })
    }

    /// The drive under layers of device mapper and MD, while each is on one alone; else the last such
    /// layer.
    pub(super) fn physical(&self) -> Disk {
        let mut disk = self.clone();
        for _ in 0..MAX_LAYERS {
            match disk.only_slave() {
                Some(slave) => disk = slave,
                None => break,
            }
        }
        disk
    }

    fn only_slave(&self) -> Option<Disk> {
        match directories(&self.dir.join("slaves"), "").as_slice() {
            [slave] => Disk::at(slave),
            _ => None,
        }
    }

    /// Reads a file of the disk's directory.
    pub(super) fn read(&self, file: &str) -> Option<String> {
        read_text(&self.dir.join(file))
    }

    /// A file of its queue. The head of a drive with native multipath has no scheduler and no queue of its
    /// own: then what all of its paths say, if they agree.
    pub(super) fn queue(&self, file: &str) -> Option<String> {
        self.read(&format!("queue/{file}")).or_else(|| {
            let mut said = self.paths().into_iter().map(|path| read_text(&path.join("queue").join(file)));
            let first = said.next()??;
            said.all(|other| other.as_deref() == Some(&first)).then_some(first)
        })
    }

    /// The directories of the paths to this disk, which the kernel hides from users: of `nvme0n1` they are
    /// `nvme0c0n1`, `nvme0c1n1` and so on, each at its controller.
    fn paths(&self) -> Vec<PathBuf> {
        let Some((subsystem, namespace)) = self.name.rsplit_once('n') else {
            return Vec::new();
        };
        let is_path = |dir: &PathBuf| {
            let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let middle = name.strip_prefix(subsystem).and_then(|rest| rest.strip_prefix('c'));
            let number = middle.and_then(|rest| rest.strip_suffix(&format!("n{namespace}")));
            number
                .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        self.controllers().iter().flat_map(|dir| directories(dir, subsystem)).filter(is_path).collect()
    }

    /// NVMe and SCSI say `model`, MMC says `name`.
    pub(super) fn model(&self) -> Option<String> {
        self.read("device/model")
            .or_else(|| self.name.starts_with("mmcblk").then(|| self.read("device/name"))?)
    }

    pub(super) fn firmware(&self) -> Option<String> {
        ["device/firmware_rev", "device/rev", "device/fwrev"].iter().find_map(|file| self.read(file))
    }

    pub(super) fn serial(&self) -> Option<String> {
        // virtio has it at the disk, NVMe and MMC at the device, SCSI only in its vital product data.
        self.read("serial").or_else(|| self.read("device/serial")).or_else(|| {
            let page = fs::read(self.dir.join("device/vpd_pg80")).ok()?;
            let serial = String::from_utf8_lossy(page.get(4..)?).trim_matches([' ', '\0', '\n']).to_owned();
            (!serial.is_empty()).then_some(serial)
        })
    }

    /// The directory of the device that the disk belongs to, free of symbolic links.
    pub(super) fn device(&self) -> Option<PathBuf> {
        fs::canonicalize(self.dir.join("device")).ok()
    }

    /// Where drivers hang what belongs to the drive: its device, and for NVMe with native multipath, whose
    /// device is a subsystem, the controllers in it.
    pub(super) fn controllers(&self) -> Vec<PathBuf> {
        let Some(device) = self.device() else { return Vec::new() };
        let mut controllers = vec![device.clone()];
        controllers.extend(
            directories(&device, "nvme").into_iter().filter(|dir| dir.join("device").exists()).filter_map(
                // A namespace has a device too: the one we came from.
                |dir| fs::canonicalize(dir).ok().filter(|dir| !self.dir.starts_with(dir)),
            ),
        );
        controllers
    }
}

/// Subdirectories (and links to such) whose names begin with `prefix`, sorted.
pub(super) fn directories(dir: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}
