//! What a profile tells of its drive's properties, in udev's words.

use super::super::subject::{Kind, Subject};
use super::answer::{Answer, Known};

/// Files of the queue that each drive has.
const QUEUE: [&str; 8] = [
    "queue/scheduler",
    "queue/rotational",
    "queue/nr_requests",
    "queue/read_ahead_kb",
    "queue/max_sectors_kb",
    "queue/logical_block_size",
    "queue/rq_affinity",
    "queue/nomerges",
];

/// Subsystems that no parent of such a drive is of.
const NOT_OF_NVME: &[&str] = &["scsi", "usb", "virtio", "mmc", "ata_port", "ide", "memstick", "xen"];
const NOT_OF_SCSI: &[&str] = &["nvme", "nvme-subsystem", "mmc", "block", "xen"];
const NOT_OF_OTHERS: &[&str] = &["nvme", "nvme-subsystem", "scsi", "usb", "block"];

/// Names that only drives have.
const DRIVES: [&str; 14] =
    ["sd", "nvme", "vd", "xvd", "hd", "mmcblk", "dm-", "md", "loop", "sr", "zram", "nbd", "rbd", "bcache"];

/// What the kernel calls it. Of a drive that the profile does not name as the kernel does, only that name is
/// known.
pub(super) fn name(subject: &Subject, patterns: &str) -> Answer {
    let found = Known::is(&*subject.name).matches(patterns);
    if subject.kind == Kind::Unknown && found == Answer::No { Answer::Unknown } else { found }
}

/// Property of the environment when the first rule is read.
pub(super) fn property(subject: &Subject, key: &str, action: &str) -> Known {
    let is_named = subject.kind != Kind::Unknown;
    match key {
        "ACTION" => Known::is(action),
        "DEVTYPE" => Known::is("disk"),
        "SUBSYSTEM" => Known::is("block"),
        "DEVNAME" if is_named => Known::is(format!("/dev/{}", subject.name)),
        "ID_MODEL" => model(subject),
        "ID_REVISION" => subject.firmware().map_or(Known::Unknown, Known::OneOf),
        "ID_SERIAL_SHORT" => Known::maybe(subject.facts.serial.clone()),
        "ID_BUS" if subject.kind == Kind::Nvme => Known::OneOf(vec![String::new(), "nvme".into()]),
        _ => {
            let is_of_ata =
                key.starts_with("ID_ATA") || key.starts_with("ID_USB") || key.starts_with("ID_SCSI");
            let is_of_dm = key.starts_with("DM_");
            let has_none = is_of_ata && subject.kind == Kind::Nvme
                || key.starts_with("ID_CDROM")
                || is_of_dm && !matches!(subject.kind, Kind::Software | Kind::Unknown);
            if has_none { Known::is("") } else { Known::Unknown }
        }
    }
}

fn model(subject: &Subject) -> Known {
    match subject.models() {
        Some(models) if subject.is_model_cut() => Known::Begins(models),
        Some(models) => Known::OneOf(models),
        None => Known::Unknown,
    }
}

/// A file of the drive's directory in sysfs.
pub(super) fn attribute(subject: &Subject, name: &str) -> Known {
    let facts = subject.facts;
    let number = |number: Option<u64>| Known::maybe(number.map(|number| number.to_string()));
    match name {
        "queue/rotational" => {
            let is_flash = matches!(subject.kind, Kind::Nvme | Kind::Card);
            number(facts.rotational.or(is_flash.then_some(false)).map(u64::from))
        }
        "queue/nr_requests" => number(facts.queue_requests.map(u64::from)),
        "queue/logical_block_size" => number(facts.logical_block_bytes.map(u64::from)),
        "queue/physical_block_size" => number(facts.physical_block_bytes.map(u64::from)),
        "queue/zoned" => match (&facts.zones, facts.rotational) {
            (Some(zones), _) => Known::is(&*zones.model),
            (None, Some(_)) => Known::is("none"),
            (None, None) => Known::Unknown,
        },
        "size" => number(facts.capacity_bytes.map(|bytes| bytes / 512)),
        "removable" if matches!(subject.kind, Kind::Nvme | Kind::Virtual) => Known::is("0"),
        "partition" => Known::Absent,
        _ => name.strip_prefix("device/").map_or(Known::Unknown, |name| of_device(subject, name)),
    }
}

/// A file in the directory of the device behind the drive.
fn of_device(subject: &Subject, name: &str) -> Known {
    match name {
        "model" => Known::maybe(subject.model.clone()),
        "rev" | "firmware_rev" => Known::maybe(subject.facts.firmware.clone()),
        "serial" => Known::maybe(subject.facts.serial.clone()),
        _ => Known::Unknown,
    }
}

/// Whether a file or directory is there.
pub(super) fn exists(subject: &Subject, path: &str) -> Answer {
    let path = path.trim_start_matches("./");
    if QUEUE.contains(&path) || path == "queue" {
        Answer::Yes
    } else if path == "partition" {
        Answer::No
    } else {
        match attribute(subject, path) {
            Known::Absent => Answer::No,
            Known::OneOf(_) => Answer::Yes,
            _ => Answer::Unknown,
        }
    }
}

/// A device that the drive hangs on, or the drive itself.
pub(super) struct Parent {
    pub(super) kernel: Known,
    pub(super) subsystem: Known,
    pub(super) driver: Known,
    is_drive: bool,
    is_device: bool,
}

impl Parent {
    /// A file in its directory.
    pub(super) fn attribute(&self, subject: &Subject, name: &str) -> Known {
        match (self.is_drive, self.is_device) {
            (true, _) => attribute(subject, name),
            // The queue is the drive's.
            (false, _) if name.starts_with("queue/") => Known::Absent,
            (false, true) => of_device(subject, name),
            // Only the drive's device has a model, or such a thing comes from the bus and has another form.
            (false, false) if ["model", "firmware_rev", "rev"].contains(&name) => Known::Absent,
            (false, false) => Known::Unknown,
        }
    }

    /// Whether its name is one of these.
    pub(super) fn is_called(&self, patterns: &str) -> Answer {
        let is_of_drives = |pattern: &str| DRIVES.iter().any(|name| pattern.starts_with(name));
        if !self.is_drive && !self.is_device && patterns.split('|').all(is_of_drives) {
            return Answer::No;
        }
        self.kernel.matches(patterns)
    }
}

/// The drive and what it hangs on.
pub(super) fn parents(subject: &Subject) -> Vec<Parent> {
    let is = |text: &str| Known::is(text);
    let kernel = if subject.kind == Kind::Unknown { Known::Unknown } else { Known::is(&*subject.name) };
    let drive = Parent { kernel, subsystem: is("block"), driver: is(""), is_drive: true, is_device: false };
    let device = |subsystem: Known, driver: Known, kernel: Known| Parent {
        kernel,
        subsystem,
        driver,
        is_drive: false,
        is_device: true,
    };
    let rest = |subsystem: Known| Parent {
        kernel: Known::Unknown,
        subsystem,
        driver: Known::Unknown,
        is_drive: false,
        is_device: false,
    };
    match subject.kind {
        Kind::Nvme => {
            let controller = Known::Begins(vec!["nvme".to_owned()]);
            let subsystem = Known::OneOf(vec!["nvme".into(), "nvme-subsystem".into()]);
            vec![drive, device(subsystem, is(""), controller), rest(Known::Not(NOT_OF_NVME))]
        }
        Kind::Scsi => {
            vec![drive, device(is("scsi"), is("sd"), Known::Unknown), rest(Known::Not(NOT_OF_SCSI))]
        }
        Kind::Virtual => {
            let virtual_disk = Known::OneOf(vec!["virtio".into(), "xen".into()]);
            let driver = Known::OneOf(vec!["virtio_blk".into(), "vbd".into()]);
            vec![drive, device(virtual_disk, driver, Known::Unknown), rest(Known::Not(NOT_OF_OTHERS))]
        }
        Kind::Card => {
            vec![drive, device(is("mmc"), is("mmcblk"), Known::Unknown), rest(Known::Not(NOT_OF_OTHERS))]
        }
        Kind::Software => vec![drive],
        Kind::Unknown => vec![drive, rest(Known::Unknown)],
    }
}
