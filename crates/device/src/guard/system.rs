//! Block devices as sysfs and procfs show them. The roots are parameters, so that tests can build their own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::mounts::{Mount, parse_mounts, parse_swaps};
use crate::target::DeviceNumber;

/// Where the kernel's views are mounted.
pub(super) struct System {
    pub(super) sys: PathBuf,
    pub(super) proc: PathBuf,
}

/// One block device.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) number: DeviceNumber,
    /// The kernel's name: `nvme0n1p1`.
    pub(super) name: String,
    /// Its directory in sysfs, free of symbolic links.
    dir: PathBuf,
}

impl System {
    /// The running kernel's.
    pub(super) fn running() -> Self {
        System { sys: "/sys".into(), proc: "/proc".into() }
    }

    pub(super) fn block(&self, number: DeviceNumber) -> io::Result<Block> {
        let dir = fs::canonicalize(self.sys.join("dev/block").join(number.to_string()))?;
        Ok(Block { number, name: file_name(&dir), dir })
    }

    pub(super) fn mounts(&self) -> io::Result<Vec<Mount>> {
        Ok(parse_mounts(&fs::read(self.proc.join("self/mountinfo"))?))
    }

    /// Active swap. A kernel without swap has no such file.
    pub(super) fn swaps(&self) -> io::Result<Vec<PathBuf>> {
        match fs::read(self.proc.join("swaps")) {
            Ok(swaps) => Ok(parse_swaps(&swaps)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Loop devices that are set up, each with the path it is on.
    pub(super) fn loops(&self) -> io::Result<Vec<(Block, PathBuf)>> {
        let mut loops = Vec::new();
        for entry in entries(&self.sys.join("dev/block"))? {
            let Some(number) = DeviceNumber::parse(&file_name(&entry)) else { continue };
            // A loop device may go while we look; one that is gone uses nothing.
            let Ok(block) = self.block(number) else { continue };
            if let Some(backing) = block.backing_file() {
                loops.push((block, backing));
            }
        }
        Ok(loops)
    }
}

impl Block {
    /// The partitions the kernel knows.
    pub(super) fn partitions(&self) -> io::Result<Vec<Block>> {
        let is_partition = |dir: &PathBuf| dir.join("partition").exists();
        let mut partitions: Vec<Block> =
            entries(&self.dir)?.into_iter().filter(is_partition).filter_map(Block::at).collect();
        partitions.sort_by_key(|partition| partition.number);
        Ok(partitions)
    }

    /// The whole disk, for a partition.
    pub(super) fn disk(&self) -> Option<Block> {
        self.dir.join("partition").exists().then(|| Block::at(self.dir.parent()?.to_path_buf())).flatten()
    }

    /// Kernel names of what is on it: `dm-0`, `md127`.
    pub(super) fn holders(&self) -> io::Result<Vec<String>> {
        let mut holders: Vec<String> =
            entries(&self.dir.join("holders"))?.iter().map(|entry| file_name(entry)).collect();
        holders.sort();
        Ok(holders)
    }

    pub(super) fn is_read_only(&self) -> bool {
        fs::read_to_string(self.dir.join("ro")).is_ok_and(|ro| ro.trim() == "1")
    }

    /// The kernel's word for zones that are not written at random: `host-managed`. A drive that is only
    /// `host-aware` takes random writes. A partition has its disk's.
    pub(super) fn sequential_zones(&self) -> Option<String> {
        let of = |dir: &Path| fs::read_to_string(dir.join("queue/zoned")).ok();
        let model = of(&self.dir).or_else(|| of(self.disk()?.dir.as_path()))?.trim().to_owned();
        (!matches!(model.as_str(), "none" | "host-aware")).then_some(model)
    }

    /// What a loop device is on.
    pub(super) fn backing_file(&self) -> Option<PathBuf> {
        let text = fs::read_to_string(self.dir.join("loop/backing_file")).ok()?;
        Some(text.trim_end_matches('\n').into())
    }

    /// What device mapper calls `holder`.
    pub(super) fn mapper_name(&self, holder: &str) -> Option<String> {
        let name = fs::read_to_string(self.dir.join("holders").join(holder).join("dm/name")).ok()?;
        Some(name.trim_end().to_owned())
    }

    fn at(dir: PathBuf) -> Option<Block> {
        let number = DeviceNumber::parse(&fs::read_to_string(dir.join("dev")).ok()?)?;
        Some(Block { number, name: file_name(&dir), dir })
    }
}

/// The entries of a directory; none where there is no such directory.
fn entries(dir: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(dir) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
