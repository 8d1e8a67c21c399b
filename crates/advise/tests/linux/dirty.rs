//! Dirty memory: which of size and ratio is in force, and that nothing is said of a memory that is not known.

use std::process::Command;

use leadline_advise::{Inputs, Verdict, advise, lint};

use super::{LINUX, config, found, linted_for, profile_of};
use crate::common::{DISK, FAST};
use crate::programs::{ran, text};

#[test]
fn zero_stands_for_the_ratio() {
    // The kernel's own state. 20 % of 8 GiB are more than the disk writes in seconds.
    let lint = linted_for(DISK, "sda", "vm.dirty_bytes = 0\nvm.dirty_ratio = 20\n");
    assert_eq!(
        found(&lint),
        [("vm.dirty_bytes", "0", Verdict::Fits), ("vm.dirty_ratio", "20", Verdict::TooHigh)]
    );
    let lint = linted_for(FAST, "nvme0n1", "vm.dirty_ratio = 20\nvm.dirty_bytes = 0\n");
    assert!(lint.findings.iter().all(|finding| finding.verdict == Verdict::Fits), "{:?}", lint.findings);
}

#[test]
fn whichever_is_written_last_is_in_force() {
    let size = "vm.dirty_bytes = 268435456\n";
    let ratio = "vm.dirty_ratio = 80\n";
    let lint = linted_for(DISK, "sda", &format!("{ratio}{size}"));
    assert_eq!(
        found(&lint),
        [("vm.dirty_bytes", "268435456", Verdict::Fits), ("vm.dirty_ratio", "80", Verdict::Moot)]
    );
    let lint = linted_for(DISK, "sda", &format!("{size}{ratio}"));
    assert_eq!(
        found(&lint),
        [("vm.dirty_bytes", "268435456", Verdict::Moot), ("vm.dirty_ratio", "80", Verdict::TooHigh)]
    );
}

#[test]
fn what_the_kernel_refuses_is_invalid() {
    for (line, verdict, least) in [
        ("vm.dirty_bytes = 4096", Verdict::OutOfRange, "8192"),
        ("vm.dirty_bytes = -1", Verdict::Invalid, "no number"),
        ("vm.dirty_ratio = 101", Verdict::OutOfRange, "0 to 100"),
        ("vm.dirty_background_bytes = 64M", Verdict::Invalid, "no number"),
        ("vm.dirty_background_ratio = 5.5", Verdict::Invalid, "0 to 100"),
    ] {
        let lint = linted_for(DISK, "sda", line);
        assert_eq!(lint.findings[0].verdict, verdict, "{line}");
        assert!(lint.findings[0].reason.contains(least), "{line}: {}", lint.findings[0].reason);
    }
    // What was there before stays.
    let lint = linted_for(DISK, "sda", "vm.dirty_bytes = 268435456\nvm.dirty_bytes = 100\n");
    assert!(found(&lint).contains(&("vm.dirty_bytes", "268435456", Verdict::Fits)), "{:?}", lint.findings);
}

#[test]
fn without_the_memory_nothing_is_advised_or_judged() {
    let profile = profile_of(FAST, "nvme0n1", "");
    let advice = advise(LINUX, &profile, &Inputs::default()).unwrap();
    assert!(advice.settings.iter().all(|setting| !setting.key.starts_with("vm.")));
    assert!(advice.notes.iter().any(|note| note.contains("give --memory")), "{:?}", advice.notes);
    assert!(advice.files().iter().all(|file| file.name != "99-leadline-dirty.conf"));
    for line in ["vm.dirty_bytes = 14186184704", "vm.dirty_ratio = 80", "vm.dirty_background_ratio = 5"] {
        let lint = lint(LINUX, &config(line), &profile, &Inputs::default()).unwrap();
        let verdicts: Vec<Verdict> = lint.findings.iter().map(|finding| finding.verdict).collect();
        assert_eq!(verdicts, [Verdict::NotJudged], "{line}");
        assert!(lint.findings[0].reason.contains("--memory"), "{}", lint.findings[0].reason);
    }
}

#[test]
fn no_more_is_advised_than_the_kernel_would_let_be_dirty() {
    for memory in [1 << 28, 1 << 30, 1_u64 << 36] {
        let inputs = Inputs { memory_bytes: Some(memory), ..Inputs::default() };
        let advice = advise(LINUX, &profile_of(FAST, "nvme0n1", ""), &inputs).unwrap();
        for (key, share) in [("vm.dirty_background_bytes", 0.1), ("vm.dirty_bytes", 0.2)] {
            let bytes = advice.setting(key).unwrap().value.number().unwrap();
            assert!(bytes <= share * memory as f64, "{key}: {bytes} of {memory}");
        }
    }
}

/// `sysctl` reads the same keys and values, in the same order.
#[test]
fn sysctl_reads_the_same() {
    let files = [
        "# a remark\n; another\nvm.dirty_bytes = 268435456\nvm.dirty_background_bytes=67108864\n",
        "vm/dirty_ratio=40\n  vm.dirty_background_ratio =   5  \n\n-vm.swappiness = 10\n",
        "vm.dirty_ratio = 10\nvm.dirty_bytes = 100000000\nvm.dirty_ratio = 30\nnet.core.somaxconn=4096\n",
    ];
    let folder = tempfile::tempdir().unwrap();
    for (at, file) in files.into_iter().enumerate() {
        let path = folder.path().join(format!("{at}.conf"));
        std::fs::write(&path, file).unwrap();
        let Some(said) = ran(Command::new("sysctl").arg("--dry-run").arg("-p").arg(&path)) else { return };
        let read = leadline_advise::read(LINUX, &path).unwrap();
        let pairs: Vec<String> =
            read.entries.iter().map(|entry| format!("{} = {}", entry.key, entry.value)).collect();
        let said: Vec<String> = text(&said.stdout).lines().map(str::to_owned).collect();
        assert_eq!(pairs, said, "{file}: {:?}", read.notes);
    }
}
