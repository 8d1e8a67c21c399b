//! A block device is written to only while nothing else uses it.
//!
//! The kernel refuses O_EXCL while a file system, swap, device mapper or MD claims the device, a partition of
//! it, or its disk. That is the lock, held until the file is closed; the checks by name come first to say who
//! it is, and see what O_EXCL does not: partitions, loop devices, and what is under a loop device.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;

use super::partition_table::{PROBE_BYTES, partition_table};
use super::system::{Block, System};
use super::{GuardError, io_error};
use crate::target::DeviceNumber;

/// Loop devices may be on loop devices; deeper than this nobody builds on purpose.
const MAX_LOOPS: u32 = 8;

/// Opens a block device for reading and writing, exclusively and with O_DIRECT. As long as the file is open
/// nobody can mount it, swap on it or build on it.
///
/// # Errors
/// [`GuardError`] where the device is not one, is mounted, swapped on, held, partitioned, read-only, under a
/// loop device, open exclusively elsewhere, may not be opened, or where any of that cannot be told.
pub fn open_block_for_writing(path: impl AsRef<Path>) -> Result<File, GuardError> {
    let path = path.as_ref();
    let system = System::running();
    let number = DeviceNumber::of_block(path).ok_or_else(|| match fs::metadata(path) {
        Ok(_) => GuardError::NotBlock { path: path.into() },
        Err(source) => io_error("examining it", path, source),
    })?;
    let check = || Check { system: &system, path }.refuse_if_used(number, None, 0);
    check()?;
    let flags = OFlags::RDWR | OFlags::EXCL | OFlags::DIRECT | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty()).map_err(|errno| refusal(path, errno))?);
    let opened = file.metadata().map_err(|source| io_error("examining it", path, source))?;
    if DeviceNumber::from_raw(opened.rdev()) != number {
        return Err(GuardError::Changed { path: path.into() });
    }
    // Again, now that nobody can claim it any more: something may have come between the check and the open.
    check()?;
    Ok(file)
}

fn refusal(path: &Path, errno: Errno) -> GuardError {
    match errno {
        Errno::BUSY => GuardError::Busy { path: path.into() },
        Errno::INVAL => GuardError::DirectRefused { path: path.into() },
        other => io_error("opening it for writing", path, other),
    }
}

struct Check<'a> {
    system: &'a System,
    /// As the user named it, for the messages.
    path: &'a Path,
}

impl Check<'_> {
    /// `upper` is the loop device through which we came to this one.
    fn refuse_if_used(
        &self,
        number: DeviceNumber,
        upper: Option<DeviceNumber>,
        depth: u32,
    ) -> Result<(), GuardError> {
        let device = self.told("its entry in /sys/dev/block", self.system.block(number))?;
        let partitions = self.told("its partitions", device.partitions())?;
        let disk = device.disk();
        // Whoever uses the disk or a partition uses this device's bytes.
        let family: Vec<&Block> = std::iter::once(&device).chain(&partitions).chain(&disk).collect();
        self.refuse_if_mounted(&family)?;
        self.refuse_if_swap(&family)?;
        self.refuse_if_held(&family)?;
        if device.is_read_only() {
            return Err(GuardError::ReadOnly { path: self.path.into() });
        }
        if let Some(model) = device.sequential_zones() {
            return Err(GuardError::Zoned { path: self.path.into(), what: self.what(&device), model });
        }
        self.refuse_if_partitioned(&device, &partitions)?;
        self.refuse_if_looped(&family, upper)?;
        let loop_device = disk.as_ref().unwrap_or(&device);
        self.refuse_if_backing_is_used(loop_device, depth)
    }

    fn refuse_if_mounted(&self, family: &[&Block]) -> Result<(), GuardError> {
        for mount in self.told("/proc/self/mountinfo", self.system.mounts())? {
            // btrfs shows an anonymous number, but the source is the device.
            let source = DeviceNumber::of_block(&mount.source);
            let mounted = |block: &&&Block| block.number == mount.device || Some(block.number) == source;
            if let Some(block) = family.iter().find(mounted) {
                let what = self.what(block);
                return Err(GuardError::Mounted { path: self.path.into(), what, point: mount.point });
            }
        }
        Ok(())
    }

    fn refuse_if_swap(&self, family: &[&Block]) -> Result<(), GuardError> {
        let backing = |block: &Block| block.backing_file().and_then(|path| inode(&path));
        for swap in self.told("/proc/swaps", self.system.swaps())? {
            let (number, file) = (DeviceNumber::of_block(&swap), inode(&swap));
            let is_it =
                |block: &&&Block| Some(block.number) == number || swap == Path::new("/dev").join(&block.name);
            let is_below = |block: &&Block| file.is_some() && backing(block) == file;
            let what = match family.iter().find(is_it) {
                Some(block) => self.what(block),
                None if family.iter().any(is_below) => "its backing file".to_owned(),
                None => continue,
            };
            return Err(GuardError::Swap { path: self.path.into(), what, swap });
        }
        Ok(())
    }

    fn refuse_if_held(&self, family: &[&Block]) -> Result<(), GuardError> {
        for block in family {
            let holders = self.told("its holders", block.holders())?;
            let Some(holder) = holders.first() else { continue };
            let (holder, remedy) = match block.mapper_name(holder) {
                Some(name) => {
                    (format!("{holder} (device mapper, {name})"), format!("`dmsetup remove {name}`"))
                }
                None if holder.starts_with("md") => {
                    (format!("{holder} (software RAID)"), format!("`mdadm --stop /dev/{holder}`"))
                }
                None => (holder.clone(), format!("take it out of {holder}")),
            };
            return Err(GuardError::Held { path: self.path.into(), what: self.what(block), holder, remedy });
        }
        Ok(())
    }

    fn refuse_if_partitioned(&self, device: &Block, partitions: &[Block]) -> Result<(), GuardError> {
        let names: Vec<&str> = partitions.iter().map(|partition| partition.name.as_str()).collect();
        let partitions = if !names.is_empty() {
            names.join(", ")
        } else if let Some(table) = self.told("its first blocks", self.table_on(device))? {
            table.to_owned()
        } else {
            return Ok(());
        };
        Err(GuardError::Partitioned { path: self.path.into(), partitions, device: dev_path(device) })
    }

    /// The partition table written on the device. A partition cannot hold one.
    fn table_on(&self, device: &Block) -> io::Result<Option<&'static str>> {
        if device.disk().is_some() {
            return Ok(None);
        }
        // By the user's path where that is the device; what lies under a loop device only has the kernel's
        // name.
        let user = DeviceNumber::of_block(self.path) == Some(device.number);
        let path = if user { self.path.to_path_buf() } else { dev_path(device) };
        let file = File::open(path)?;
        let mut start = vec![0; PROBE_BYTES];
        let mut filled = 0;
        while filled < start.len() {
            match file.read_at(&mut start[filled..], filled as u64)? {
                0 => break,
                count => filled += count,
            }
        }
        Ok(partition_table(&start[..filled]))
    }

    fn refuse_if_looped(&self, family: &[&Block], upper: Option<DeviceNumber>) -> Result<(), GuardError> {
        let own_backing = family.iter().find_map(|block| block.backing_file()).and_then(|path| inode(&path));
        for (holder, backing) in self.told("the loop devices", self.system.loops())? {
            if Some(holder.number) == upper || family.iter().any(|block| block.number == holder.number) {
                continue;
            }
            let number = DeviceNumber::of_block(&backing);
            let on_block = family.iter().find(|block| Some(block.number) == number);
            let shared = own_backing.is_some() && inode(&backing) == own_backing;
            let what = match on_block {
                Some(block) => self.what(block),
                None if shared => "its backing file also".to_owned(),
                None => continue,
            };
            return Err(GuardError::BacksLoop { path: self.path.into(), what, holder: holder.name });
        }
        Ok(())
    }

    /// A loop device over a block device: a write goes through to that one.
    fn refuse_if_backing_is_used(&self, device: &Block, depth: u32) -> Result<(), GuardError> {
        let Some(lower) = device.backing_file().and_then(|backing| DeviceNumber::of_block(&backing)) else {
            return Ok(());
        };
        if depth == MAX_LOOPS {
            let source = io::Error::other("loop devices on loop devices without end");
            return self.told("its backing file", Err(source));
        }
        self.refuse_if_used(lower, Some(device.number), depth + 1)
    }

    fn told<T>(&self, what: &str, answer: io::Result<T>) -> Result<T, GuardError> {
        answer.map_err(|source| match source.kind() {
            io::ErrorKind::PermissionDenied => GuardError::Denied { path: self.path.into() },
            _ => GuardError::CannotTell { path: self.path.into(), what: what.into(), source },
        })
    }

    /// `it`, or the name of the partition or disk that is meant.
    fn what(&self, block: &Block) -> String {
        match DeviceNumber::of_block(self.path) {
            Some(number) if number == block.number => "it".to_owned(),
            _ => format!("/dev/{}", block.name),
        }
    }
}

fn dev_path(block: &Block) -> PathBuf {
    Path::new("/dev").join(&block.name)
}

/// Device and inode of the regular file at `path`.
fn inode(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests;
