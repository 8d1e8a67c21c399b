//! Drives in a made-up sysfs.

use std::os::unix::fs::symlink;

use leadline_profile::{DeviceKind, WriteCache, Zones};

use super::*;

struct Sysfs(tempfile::TempDir);

const NUMBER: DeviceNumber = DeviceNumber { major: 259, minor: 0 };
const SECOND: DeviceNumber = DeviceNumber { major: 259, minor: 1 };

impl Sysfs {
    fn new() -> Self {
        Sysfs(tempfile::tempdir().unwrap())
    }

    fn write(&self, file: &str, text: &str) -> &Self {
        let path = self.0.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn link(&self, from: &str, to: &str) -> &Self {
        let path = self.0.path().join(from);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(self.0.path().join(to), path).unwrap();
        self
    }

    fn number(&self, number: DeviceNumber, dir: &str) -> &Self {
        self.link(&format!("dev/block/{number}"), dir)
    }

    fn facts(&self, number: DeviceNumber) -> DeviceFacts {
        facts_of(&Disk::find(self.0.path(), number).unwrap(), true)
    }
}

/// As Linux 6.x shows a drive behind a root port.
fn nvme() -> Sysfs {
    let sysfs = Sysfs::new();
    let pci = "devices/pci0000:00/0000:00:1d.0/0000:01:00.0";
    let disk = format!("{pci}/nvme/nvme0/nvme0n1");
    sysfs
        .write(&format!("{pci}/current_link_speed"), "8.0 GT/s PCIe\n")
        .write(&format!("{pci}/current_link_width"), "4\n")
        .write("devices/pci0000:00/0000:00:1d.0/current_link_speed", "2.5 GT/s PCIe\n")
        .write("devices/pci0000:00/0000:00:1d.0/current_link_width", "16\n")
        .write(&format!("{pci}/nvme/nvme0/model"), "Samsung SSD 970 EVO 1TB                 \n")
        .write(&format!("{pci}/nvme/nvme0/firmware_rev"), "2B2QEXE7\n")
        .write(&format!("{pci}/nvme/nvme0/serial"), "S467NX0K800000 \n")
        .write(&format!("{disk}/size"), "1953525168\n")
        .write(&format!("{disk}/queue/logical_block_size"), "512\n")
        .write(&format!("{disk}/queue/physical_block_size"), "4096\n")
        .write(&format!("{disk}/queue/rotational"), "0\n")
        .write(&format!("{disk}/queue/scheduler"), "[none] mq-deadline kyber\n")
        .write(&format!("{disk}/queue/nr_requests"), "1023\n")
        .write(&format!("{disk}/queue/write_cache"), "write back\n")
        .link(&format!("{disk}/device"), &format!("{pci}/nvme/nvme0"))
        .link(&format!("{pci}/nvme/nvme0/device"), pci)
        .write(&format!("{disk}/nvme0n1p2/partition"), "2\n")
        .write(&format!("{disk}/nvme0n1p2/size"), "2048\n")
        .number(NUMBER, &disk)
        .number(SECOND, &format!("{disk}/nvme0n1p2"));
    sysfs
}

#[test]
fn nvme_drive() {
    let facts = nvme().facts(NUMBER);
    assert_eq!(facts.name, "nvme0n1");
    assert_eq!(facts.model.as_deref(), Some("Samsung SSD 970 EVO 1TB"));
    assert_eq!(facts.firmware.as_deref(), Some("2B2QEXE7"));
    assert_eq!(facts.serial.as_deref(), Some("S467NX0K800000"));
    assert_eq!(facts.link.unwrap().name, "PCIe 8.0 GT/s x4");
    assert_eq!(facts.capacity_bytes, Some(1_000_204_886_016));
    assert_eq!((facts.logical_block_bytes, facts.physical_block_bytes), (Some(512), Some(4096)));
    assert_eq!(facts.rotational, Some(false));
    assert_eq!(facts.scheduler.as_deref(), Some("none"));
    assert_eq!(facts.queue_requests, Some(1023));
    assert_eq!(facts.write_cache.as_ref(), Some(&WriteCache::WriteBack));
}

#[test]
fn a_partition_has_the_facts_of_its_disk() {
    let sysfs = nvme();
    assert_eq!(sysfs.facts(SECOND), sysfs.facts(NUMBER));
}

#[test]
fn the_serial_number_is_told_only_on_request() {
    let sysfs = nvme();
    assert_eq!(facts_of(&Disk::find(sysfs.0.path(), NUMBER).unwrap(), false).serial, None);
}

#[test]
fn nvme_with_native_multipath_has_its_controllers_link() {
    let sysfs = Sysfs::new();
    let (subsystem, pci) = ("devices/virtual/nvme-subsystem/nvme-subsys0", "devices/pci0000:00/0000:01:00.0");
    sysfs
        .write(&format!("{subsystem}/model"), "Drive\n")
        .write(&format!("{subsystem}/nvme0n1/size"), "8\n")
        .link(&format!("{subsystem}/nvme0n1/device"), subsystem)
        .write(&format!("{pci}/current_link_speed"), "16.0 GT/s PCIe\n")
        .write(&format!("{pci}/current_link_width"), "4\n")
        .write(&format!("{pci}/nvme/nvme0/cntlid"), "1\n")
        .link(&format!("{pci}/nvme/nvme0/device"), pci)
        .link(&format!("{subsystem}/nvme0"), &format!("{pci}/nvme/nvme0"))
        .number(NUMBER, &format!("{subsystem}/nvme0n1"));
    let facts = sysfs.facts(NUMBER);
    assert_eq!(facts.model.as_deref(), Some("Drive"));
    assert_eq!(facts.link.unwrap().name, "PCIe 16.0 GT/s x4");
    assert_eq!((facts.scheduler, facts.queue_requests), (None, None));
    // The queues are those of the paths, which the kernel hides.
    let path = format!("{pci}/nvme/nvme0/nvme0c0n1/queue");
    sysfs
        .write(&format!("{path}/scheduler"), "[none] mq-deadline\n")
        .write(&format!("{path}/nr_requests"), "1023\n")
        .write(&format!("{pci}/nvme/nvme0/nvme0c0n2/queue/nr_requests"), "7\n");
    let facts = sysfs.facts(NUMBER);
    assert_eq!((facts.scheduler.as_deref(), facts.queue_requests), (Some("none"), Some(1023)));
    // Another path of which another number is true.
    sysfs.write(&format!("{pci}/nvme/nvme0/nvme0c1n1/queue/nr_requests"), "63\n");
    let facts = sysfs.facts(NUMBER);
    assert_eq!((facts.scheduler, facts.queue_requests), (None, None), "paths that disagree say nothing");
}

#[test]
fn a_zoned_device_has_its_zones() {
    let sysfs = nvme();
    let queue = "devices/pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0/nvme0n1/queue";
    sysfs.write(&format!("{queue}/zoned"), "none\n");
    assert_eq!(sysfs.facts(NUMBER).zones, None);
    sysfs
        .write(&format!("{queue}/zoned"), "host-managed\n")
        .write(&format!("{queue}/chunk_sectors"), "524288\n")
        .write(&format!("{queue}/max_open_zones"), "14\n");
    let zones = Zones { model: "host-managed".into(), zone_bytes: Some(256 << 20), max_open_zones: Some(14) };
    assert_eq!(sysfs.facts(NUMBER).zones, Some(zones));
    sysfs.write(&format!("{queue}/max_open_zones"), "0\n");
    assert_eq!(sysfs.facts(NUMBER).zones.unwrap().max_open_zones, None, "no limit");
}

#[test]
fn sata_drive() {
    let sysfs = Sysfs::new();
    let ata = "devices/pci0000:00/0000:00:17.0/ata2";
    let device = format!("{ata}/host1/target1:0:0/1:0:0:0");
    sysfs
        .write(&format!("{ata}/link2/ata_link/link2/sata_spd"), "6.0 Gbps\n")
        .write("devices/pci0000:00/0000:00:17.0/current_link_speed", "Unknown\n")
        .write(&format!("{device}/model"), "ST4000DM004-2CV1\n")
        .write(&format!("{device}/rev"), "0001\n")
        .write(&format!("{device}/vpd_pg80"), "\0\u{80}\0\u{8}    ZFN00000")
        .write(&format!("{device}/block/sda/queue/rotational"), "1\n")
        .write(&format!("{device}/block/sda/queue/scheduler"), "mq-deadline kyber [bfq] none\n")
        .link(&format!("{device}/block/sda/device"), &device)
        .number(NUMBER, &format!("{device}/block/sda"));
    let facts = sysfs.facts(NUMBER);
    assert_eq!((facts.name.as_str(), facts.model.as_deref()), ("sda", Some("ST4000DM004-2CV1")));
    assert_eq!(facts.firmware.as_deref(), Some("0001"));
    assert_eq!((facts.spins(), facts.scheduler.as_deref()), (Some(true), Some("bfq")));
    assert!(facts.serial.unwrap().ends_with("ZFN00000"));
    assert_eq!(facts.link.unwrap().bandwidth_bytes, Some(600e6));
}

#[test]
fn virtio_disk() {
    let sysfs = Sysfs::new();
    let device = "devices/pci0000:00/0000:00:02.0/virtio1";
    sysfs
        .write("devices/pci0000:00/0000:00:02.0/current_link_speed", "2.5 GT/s PCIe\n")
        .write(&format!("{device}/block/vda/serial"), "rootfs\n")
        .link(&format!("{device}/block/vda/device"), device)
        .number(NUMBER, &format!("{device}/block/vda"));
    let facts = sysfs.facts(NUMBER);
    assert_eq!((facts.name.as_str(), facts.model), ("vda", None));
    assert_eq!(facts.serial.as_deref(), Some("rootfs"));
    let link = facts.link.unwrap();
    assert_eq!((link.name.as_str(), link.bandwidth_bytes), ("virtio", None));
}

#[test]
fn nothing_says_whether_a_virtual_disk_spins() {
    let disks = [
        ("devices/pci0000:00/0000:00:02.0/virtio1", "vda", "", Some("virtio")),
        (
            "devices/pci0000:00/0000:00:03.0/virtio2/host0/target0:0:1/0:0:1:0",
            "sda",
            "PersistentDisk",
            Some("virtio"),
        ),
        ("devices/vbd-51712", "xvda", "", Some("Xen")),
        (
            "devices/LNXSYSTM:00/VMBUS:01/f8b3781a/host0/target0:0:0/0:0:0:0",
            "sdb",
            "Virtual Disk",
            Some("Hyper-V"),
        ),
        ("devices/pci0000:00/0000:00:1f.2/host1/target1:0:0/1:0:0:0", "sdc", "QEMU HARDDISK", None),
        ("devices/pci0000:00/0000:00:04.0/nvme/nvme0", "nvme0n1", "Amazon Elastic Block Store", None),
    ];
    for (device, name, model, link) in disks {
        let sysfs = Sysfs::new();
        let disk = format!("{device}/block/{name}");
        sysfs
            .write(&format!("{device}/model"), model)
            .write(&format!("{disk}/queue/rotational"), "1\n")
            .link(&format!("{disk}/device"), device)
            .number(NUMBER, &disk);
        let facts = sysfs.facts(NUMBER);
        assert_eq!(facts.link.as_ref().map(|link| link.name.as_str()), link, "{name}");
        assert_eq!((facts.rotational, facts.spins()), (Some(true), None), "{name}");
        let said = facts.named().into_iter().find(|(what, _)| *what == "Spinning").unwrap().1;
        assert_eq!(said, "not known: the disk is virtual", "{name}");
    }
    // A drive that was passed through to a virtual machine is real.
    assert_eq!(nvme().facts(NUMBER).spins(), Some(false));
}

#[test]
fn device_mapper_on_one_drive_has_its_model_and_on_two_none() {
    let sysfs = nvme();
    let mapped = DeviceNumber { major: 252, minor: 0 };
    let disk = "devices/pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0/nvme0n1";
    sysfs
        .write("devices/virtual/block/dm-0/size", "16\n")
        .link("devices/virtual/block/dm-0/slaves/nvme0n1p2", &format!("{disk}/nvme0n1p2"))
        .number(mapped, "devices/virtual/block/dm-0");
    let facts = sysfs.facts(mapped);
    assert_eq!((facts.name.as_str(), facts.capacity_bytes), ("dm-0", Some(8192)));
    assert_eq!(facts.model.as_deref(), Some("Samsung SSD 970 EVO 1TB"));
    assert_eq!(facts.link.unwrap().name, "PCIe 8.0 GT/s x4");
    sysfs.write("devices/virtual/block/sdb/size", "16\n");
    sysfs.link("devices/virtual/block/dm-0/slaves/sdb", "devices/virtual/block/sdb");
    let facts = sysfs.facts(mapped);
    assert_eq!((facts.model, facts.link), (None, None));
}

#[test]
fn garbage_is_absent() {
    let sysfs = Sysfs::new();
    sysfs
        .write("devices/x/size", "18446744073709551615\n")
        .write("devices/x/queue/rotational", "2\n")
        .write("devices/x/queue/nr_requests", "-5\n")
        .write("devices/x/queue/logical_block_size", "lots\n")
        .write("devices/x/queue/scheduler", "[]\n")
        .write("devices/x/device/model", "   \n")
        .number(NUMBER, "devices/x");
    assert_eq!(sysfs.facts(NUMBER), DeviceFacts { name: "x".into(), ..DeviceFacts::default() });
    assert!(Disk::find(sysfs.0.path(), SECOND).is_none());
}

#[test]
fn schedulers() {
    assert_eq!(parse_scheduler("none").as_deref(), Some("none"));
    for garbage in ["", "a b", "[", "]", "a]b[", "[]"] {
        assert_eq!(parse_scheduler(garbage), None, "{garbage:?}");
    }
}

#[test]
fn this_machine_has_a_kernel_and_processors() {
    let dir = tempfile::tempdir().unwrap();
    let facts = device_facts(dir.path(), TargetKind::Directory, false);
    assert_eq!((&facts.kind, facts.target.as_str()), (&DeviceKind::Directory, dir.path().to_str().unwrap()));
    assert!(facts.kernel.is_some() && facts.cpus.is_some() && facts.filesystem.is_some());
    assert!(!facts.name.is_empty() && facts.serial.is_none());
    println!("{facts:#?}");
    let nowhere = device_facts(Path::new("/no/such/thing"), TargetKind::File, true);
    assert_eq!((nowhere.name.as_str(), nowhere.filesystem), ("unknown", None));
}
