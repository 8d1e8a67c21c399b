//! What the kernel says of a device: sysfs and procfs, read. Whatever is absent there is absent here.

mod counters;
mod disk;
mod link;

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use leadline_device::guard::{Mount, mount_of, parse_mounts};
use leadline_device::target::{DeviceNumber, TargetKind};
use leadline_profile::{DeviceFacts, Zones};

pub use counters::BlockCounters;
use disk::Disk;

/// Bytes of a sector in sysfs, whatever the device's block.
const SECTOR_BYTES: u64 = 512;

/// What is known of the device at `path` or under the file or directory there. The serial number is left out
/// unless asked for: profiles are shown to others.
pub fn device_facts(path: &Path, kind: TargetKind, want_serial: bool) -> DeviceFacts {
    let kernel = Kernel::running();
    let mut facts = match kernel.disk(path) {
        Some(disk) => facts_of(&disk, want_serial),
        None => DeviceFacts::default(),
    };
    facts.target = path.display().to_string();
    facts.kind = kind.as_str().into();
    if kind != TargetKind::Block {
        facts.filesystem = kernel.filesystem(path);
    }
    if facts.name.is_empty() {
        facts.name = kernel.name_without_disk(path);
    }
    facts.kernel = read_text(&kernel.proc.join("sys/kernel/osrelease"));
    facts.cpus = std::thread::available_parallelism().ok().and_then(|cpus| u32::try_from(cpus.get()).ok());
    facts
}

/// The directory in sysfs of the whole disk at or under `path`; `None` where no single one is known.
pub fn disk_directory(path: &Path) -> Option<PathBuf> {
    Kernel::running().disk(path).map(|disk| disk.physical().dir)
}

/// The kernel's views; tests build their own.
struct Kernel {
    sys: PathBuf,
    proc: PathBuf,
}

impl Kernel {
    fn running() -> Self {
        Kernel { sys: "/sys".into(), proc: "/proc".into() }
    }

    /// The whole disk at or under `path`.
    fn disk(&self, path: &Path) -> Option<Disk> {
        let metadata = fs::metadata(path).ok()?;
        if metadata.file_type().is_block_device() {
            return Disk::find(&self.sys, DeviceNumber::from_raw(metadata.rdev()));
        }
        let number = DeviceNumber::from_raw(metadata.dev());
        let number = if number.is_anonymous() { self.behind_anonymous(path)? } else { number };
        Disk::find(&self.sys, number)
    }

    /// btrfs and its like have numbers of their own; the mount's source is the device (one of them, for
    /// several). An overlay writes to its upper directory.
    fn behind_anonymous(&self, path: &Path) -> Option<DeviceNumber> {
        let mount = self.mount(path)?;
        let upper = || {
            let upper = mount.options.split(',').find_map(|option| option.strip_prefix("upperdir="))?;
            let number = DeviceNumber::from_raw(fs::metadata(upper).ok()?.dev());
            (!number.is_anonymous()).then_some(number)
        };
        DeviceNumber::of_block(&mount.source).or_else(upper)
    }

    fn mount(&self, path: &Path) -> Option<Mount> {
        let mounts = parse_mounts(&fs::read(self.proc.join("self/mountinfo")).ok()?);
        mount_of(&mounts, &fs::canonicalize(path).ok()?).cloned()
    }

    /// `ext4 (rw,relatime,discard)`.
    fn filesystem(&self, path: &Path) -> Option<String> {
        self.mount(path).map(|mount| format!("{} ({})", mount.fs_type, mount.options))
    }

    /// A name for people where no disk is known: the file system's type, `tmpfs`.
    fn name_without_disk(&self, path: &Path) -> String {
        self.mount(path).map_or_else(|| "unknown".to_owned(), |mount| mount.fs_type)
    }
}

fn facts_of(disk: &Disk, want_serial: bool) -> DeviceFacts {
    let queue = |file: &str| disk.queue(file);
    // Device mapper and MD have no model; the one drive under them, if it is one, has.
    let physical = disk.physical();
    DeviceFacts {
        name: disk.name.clone(),
        model: physical.model(),
        firmware: physical.firmware(),
        serial: if want_serial { physical.serial() } else { None },
        link: link::link(&physical),
        capacity_bytes: disk
            .read("size")
            .and_then(|sectors| sectors.parse::<u64>().ok()?.checked_mul(SECTOR_BYTES)),
        logical_block_bytes: queue("logical_block_size").and_then(|bytes| bytes.parse().ok()),
        physical_block_bytes: queue("physical_block_size").and_then(|bytes| bytes.parse().ok()),
        rotational: queue("rotational").and_then(|flag| parse_flag(&flag)),
        scheduler: queue("scheduler").and_then(|line| parse_scheduler(&line)),
        queue_requests: queue("nr_requests").and_then(|count| count.parse().ok()),
        zones: zones(queue),
        write_cache: queue("write_cache").map(Into::into),
        ..DeviceFacts::default()
    }
}

/// Where the device has any. The kernel writes 0 for no limit of open zones.
fn zones(queue: impl Fn(&str) -> Option<String>) -> Option<Zones> {
    let model = queue("zoned").filter(|model| model != "none")?;
    let sectors: Option<u64> = queue("chunk_sectors").and_then(|sectors| sectors.parse().ok());
    let open: Option<u32> = queue("max_open_zones").and_then(|most| most.parse().ok());
    Some(Zones {
        model,
        zone_bytes: sectors.filter(|&sectors| sectors > 0).and_then(|s| s.checked_mul(SECTOR_BYTES)),
        max_open_zones: open.filter(|&most| most > 0),
    })
}

/// The one in force: `[mq-deadline] kyber none`.
fn parse_scheduler(line: &str) -> Option<String> {
    let bracketed = line.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(name, _)| name);
    let only = || (line.split_whitespace().count() == 1 && !line.contains(['[', ']'])).then(|| line.trim());
    bracketed.or_else(only).filter(|name| !name.is_empty()).map(str::to_owned)
}

fn parse_flag(flag: &str) -> Option<bool> {
    match flag {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// A file's text without the space around it; `None` where it is missing, empty or not text.
fn read_text(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
