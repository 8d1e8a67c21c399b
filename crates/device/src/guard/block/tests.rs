//! The checks by name on a made-up machine; crates/device/tests/safety.rs has them on real loop devices.

use std::os::unix::fs::symlink;

use super::*;

/// `/sys` and `/proc` with one disk, `sdx`, and one partition, `sdx1`.
struct Machine {
    dir: tempfile::TempDir,
}

const DISK: DeviceNumber = DeviceNumber { major: 4000, minor: 0 };
const PARTITION: DeviceNumber = DeviceNumber { major: 4000, minor: 1 };

impl Machine {
    fn new() -> Self {
        let machine = Machine { dir: tempfile::tempdir().unwrap() };
        machine.block("devices/pci/sdx", DISK);
        machine.write("proc/self/mountinfo", "27 1 4001:0 / / rw - ext4 /dev/none rw\n");
        machine
    }

    fn block(&self, dir: &str, number: DeviceNumber) {
        self.write(&format!("sys/{dir}/dev"), &format!("{number}\n"));
        fs::create_dir_all(self.dir.path().join("sys/dev/block")).unwrap();
        let link = self.dir.path().join("sys/dev/block").join(number.to_string());
        symlink(Path::new("../..").join(dir), link).unwrap();
    }

    fn partition(&self) {
        self.block("devices/pci/sdx/sdx1", PARTITION);
        self.write("sys/devices/pci/sdx/sdx1/partition", "1\n");
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn refusal(&self, number: DeviceNumber) -> GuardError {
        let root = self.dir.path();
        let system = System { sys: root.join("sys"), proc: root.join("proc") };
        let check = Check { system: &system, path: Path::new("/dev/disk/by-id/x") };
        check.refuse_if_used(number, None, 0).expect_err("must be refused")
    }
}

#[test]
fn a_disk_held_by_device_mapper_is_refused_with_its_name() {
    let machine = Machine::new();
    machine.write("sys/devices/pci/sdx/holders/dm-0/dm/name", "vault\n");
    let line = machine.refusal(DISK).to_string();
    assert!(line.contains("held by dm-0 (device mapper, vault); `dmsetup remove vault` first"), "{line}");
}

#[test]
fn a_disk_in_a_raid_is_refused_with_the_raid() {
    let machine = Machine::new();
    machine.write("sys/devices/pci/sdx/holders/md127/dev", "9:127\n");
    assert!(machine.refusal(DISK).to_string().contains("`mdadm --stop /dev/md127` first"));
}

#[test]
fn a_partition_of_a_held_disk_is_refused_and_the_disk_with_a_held_partition() {
    let machine = Machine::new();
    machine.partition();
    machine.write("sys/devices/pci/sdx/holders/dm-0/dev", "252:0\n");
    assert!(matches!(machine.refusal(PARTITION), GuardError::Held { what, .. } if what == "/dev/sdx"));

    let machine = Machine::new();
    machine.partition();
    machine.write("sys/devices/pci/sdx/sdx1/holders/bcache0/dev", "251:0\n");
    assert!(matches!(machine.refusal(DISK), GuardError::Held { what, .. } if what == "/dev/sdx1"));
}

#[test]
fn a_mounted_partition_refuses_its_disk_and_a_mounted_disk_its_partition() {
    for (mounted, asked) in [(DISK, PARTITION), (PARTITION, DISK), (DISK, DISK), (PARTITION, PARTITION)] {
        let machine = Machine::new();
        machine.partition();
        machine
            .write("proc/self/mountinfo", &format!("27 1 {mounted} / /my\\040data rw - ext4 /dev/gone rw\n"));
        let line = machine.refusal(asked).to_string();
        assert!(line.contains("is mounted on /my data; `umount /my data` first"), "{line}");
    }
}

#[test]
fn zones_that_are_written_in_sequence_only_refuse_the_device_and_what_lies_on_it() {
    let machine = Machine::new();
    machine.partition();
    machine.write("sys/devices/pci/sdx/queue/zoned", "host-managed\n");
    for asked in [DISK, PARTITION] {
        let line = machine.refusal(asked).to_string();
        assert!(line.contains("is a zoned device (host-managed)"), "{line}");
        assert!(line.contains("measure reads only, without --destructive"), "{line}");
    }
    for model in ["none", "host-aware"] {
        machine.write("sys/devices/pci/sdx/queue/zoned", &format!("{model}\n"));
        let system = System { sys: machine.dir.path().join("sys"), proc: machine.dir.path().join("proc") };
        assert_eq!(system.block(DISK).unwrap().sequential_zones(), None, "{model} takes random writes");
    }
}

#[test]
fn swap_on_a_partition_refuses_its_disk() {
    let machine = Machine::new();
    machine.partition();
    machine.write("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/sdx1 partition 8 0 -2\n");
    assert!(matches!(machine.refusal(DISK), GuardError::Swap { .. }));
}

#[test]
fn a_partitioned_disk_and_a_read_only_disk_are_refused() {
    let machine = Machine::new();
    machine.partition();
    assert!(
        matches!(machine.refusal(DISK), GuardError::Partitioned { partitions, .. } if partitions == "sdx1")
    );
    machine.write("sys/devices/pci/sdx/ro", "1\n");
    assert!(matches!(machine.refusal(DISK), GuardError::ReadOnly { .. }));
}

#[test]
fn what_cannot_be_told_is_refused() {
    let machine = Machine::new();
    fs::remove_file(machine.dir.path().join("proc/self/mountinfo")).unwrap();
    assert!(matches!(machine.refusal(DISK), GuardError::CannotTell { .. }));
    let unknown = DeviceNumber { major: 4001, minor: 1 };
    assert!(matches!(machine.refusal(unknown), GuardError::CannotTell { .. }));
    // No node in /dev to read its first blocks from.
    machine.write("proc/self/mountinfo", "");
    assert!(matches!(machine.refusal(DISK), GuardError::CannotTell { .. } | GuardError::Denied { .. }));
}

#[test]
fn a_loop_device_on_an_active_swap_file_is_refused() {
    let machine = Machine::new();
    machine.write("swapfile", "swap");
    machine.write("other", "other");
    let path = |name: &str| machine.dir.path().join(name).display().to_string();
    machine.write("sys/devices/pci/sdx/loop/backing_file", &format!("{}\n", path("swapfile")));
    let header = "Filename Type Size Used Priority\n";
    machine.write("proc/swaps", &format!("{header}{} file 1024 0 -2\n", path("swapfile")));
    let line = machine.refusal(DISK).to_string();
    assert!(line.contains("its backing file is used as swap; `swapoff "), "{line}");
    // It is this file, and not that one is swap.
    machine.write("proc/swaps", &format!("{header}{} file 1024 0 -2\n", path("other")));
    let line = machine.refusal(DISK).to_string();
    assert!(!line.contains("swap;"), "{line}");
}
