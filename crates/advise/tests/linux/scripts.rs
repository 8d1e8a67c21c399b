//! Scripts and lines of tmpfiles.d: what is written for the drive counts.

use leadline_advise::Verdict;

use super::machine::{MACHINES, corpus};
use super::{found, linted_for};
use crate::common::{DISK, FAST};

#[test]
fn the_same_values_are_written_as_by_the_shell() {
    let scripts = corpus("scripts");
    let mut compared = 0;
    for machine in MACHINES {
        let Some(number) = machine.compared("bash", &scripts) else { return };
        compared += number;
    }
    assert!(compared >= 25, "only {compared} keys were compared");
}

#[test]
fn the_same_values_are_written_as_by_systemd_tmpfiles() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("queue.conf");
    let text = "# Type Path Mode User Group Age Argument\nd /run/x 0755 root root -\n\
                w /sys/block/sd*/queue/scheduler - - - - bfq\n\
                w!- /sys/block/nvme0n1/queue/read_ahead_kb - - - - 256\n\
                w /sys/block/nvme0n1/queue/nr_requests - - - - 32\\n\n\
                w /sys/block/sda/queue/nr_requests - - - - 64\n\
                w /sys/class/block/sdb/queue/read_ahead_kb - - - - 4096\n";
    std::fs::write(&file, text).unwrap();
    let mut compared = 0;
    for machine in MACHINES {
        let Some(number) = machine.compared("tmpfiles", std::slice::from_ref(&file)) else { return };
        compared += number;
    }
    assert!(compared >= 5, "only {compared} keys were compared");
}

#[test]
fn a_script_that_writes_to_two_disks_is_judged_for_the_one() {
    let script = "#!/bin/sh\necho none > /sys/block/nvme0n1/queue/scheduler\necho bfq > /sys/block/sda/queue/scheduler\n\
                  sudo blockdev --setra 8192 /dev/sda1 /dev/sdb\nhdparm -a256 /dev/nvme0n1\n";
    let lint = linted_for(FAST, "nvme0n1", script);
    assert_eq!(
        found(&lint),
        [("queue/scheduler", "none", Verdict::Fits), ("queue/read_ahead_kb", "128", Verdict::TooLow)]
    );
    assert_eq!(lint.notes, ["lines for other drives than nvme0n1 were not judged: sda, sdb"]);
    assert_eq!(
        found(&linted_for(DISK, "sda", script)),
        [("queue/scheduler", "bfq", Verdict::Fits), ("queue/read_ahead_kb", "4096", Verdict::TooHigh)]
    );
}

#[test]
fn what_cannot_be_followed_is_not_judged() {
    for (script, reason) in [
        ("echo none > /sys/block/$1/queue/scheduler\n", "it cannot be known whether the line is for nvme0n1"),
        ("echo $1 > /sys/block/nvme0n1/queue/scheduler\n", "$1 cannot be followed"),
        (
            "echo ${SCHED:-none} > /sys/block/nvme0n1/queue/scheduler\n",
            "it depends on SCHED, whose default is none",
        ),
        (
            "for d in $(ls /sys/block); do echo none > /sys/block/$d/queue/scheduler; done\n",
            "it cannot be known",
        ),
        (
            "if [ \"$1\" = slow ]; then\n  echo bfq > /sys/block/nvme0n1/queue/scheduler\nfi\n",
            "it cannot be known whether the line is run: only if [ \"$1\" = slow ]",
        ),
        (
            "[ \"$1\" = slow ] || exit 0\necho bfq > /sys/block/nvme0n1/queue/scheduler\n",
            "it cannot be known whether the line is run: only if [ \"$1\" = slow ]",
        ),
        (
            "grep -q slow /etc/x && echo bfq > /sys/block/nvme0n1/queue/scheduler\n",
            "it cannot be known whether the line is run: only if grep -q slow /etc/x",
        ),
        ("blockdev --setra 256 /dev/disk/by-id/x\n", "it cannot be known whether the line is for nvme0n1"),
    ] {
        let lint = linted_for(FAST, "nvme0n1", script);
        let verdicts: Vec<Verdict> = lint.findings.iter().map(|finding| finding.verdict).collect();
        assert_eq!(verdicts, [Verdict::NotJudged], "{script}");
        assert!(lint.findings[0].reason.starts_with(reason), "{script}: {}", lint.findings[0].reason);
    }
}

#[test]
fn numbers_of_devices_tell_disks_apart() {
    let text = "8:0 rbps=1\n8:16 rbps=200000000\n";
    assert_eq!(found(&linted_for(DISK, "sdb", text)), [("io.cost.model rbps", "200000000", Verdict::Fits)]);
    assert_eq!(found(&linted_for(DISK, "sda", text)), [("io.cost.model rbps", "1", Verdict::TooLow)]);
    assert_eq!(linted_for(FAST, "nvme0n1", text).findings, []);
    // Numbers that are given as drives appear tell nothing; a single one is taken for the drive.
    let one = "259:1 rbps=5000000000\n";
    assert_eq!(found(&linted_for(FAST, "nvme0n1", one))[0].2, Verdict::Fits);
    let two = format!("{one}259:2 rbps=1\n");
    let verdicts: Vec<Verdict> = found(&linted_for(FAST, "nvme0n1", &two)).iter().map(|one| one.2).collect();
    assert_eq!(verdicts, [Verdict::NotJudged, Verdict::NotJudged]);
}

#[test]
fn sysctl_is_read_in_scripts_and_rules() {
    for text in [
        "sudo sysctl -w vm.dirty_ratio=80 vm.swappiness=1\n",
        "echo 80 > /proc/sys/vm/dirty_ratio\n",
        "KERNEL==\"sda\", SYSCTL{vm/dirty_ratio}=\"80\"\n",
    ] {
        let lint = linted_for(DISK, "sda", text);
        assert_eq!(found(&lint), [("vm.dirty_ratio", "80", Verdict::TooHigh)], "{text}");
    }
}
