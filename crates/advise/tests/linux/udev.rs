//! Rules of udev: those that match the drive count, as udev takes them.

use leadline_advise::Verdict;

use super::machine::{MACHINES, corpus};
use super::{LINUX, found, linted_for};
use crate::common::{DISK, FAST};

/// Where udevadm is missing, that is said and nothing is compared.
#[test]
fn the_same_values_are_in_force_as_with_udevadm() {
    let rules = corpus("rules");
    assert_eq!(rules.len(), 15);
    let mut compared = 0;
    for machine in MACHINES {
        let Some(number) = machine.compared("udev", &rules) else { return };
        compared += number;
    }
    assert!(compared >= 70, "only {compared} keys were compared");
}

#[test]
fn bfq_is_wrong_on_flash_only_where_the_rule_is_for_it() {
    let rules =
        "KERNEL==\"sd*\", ATTR{queue/scheduler}=\"bfq\"\nKERNEL==\"nvme*\", ATTR{queue/scheduler}=\"none\"\n";
    for text in [rules.to_owned(), rules.lines().rev().collect::<Vec<_>>().join("\n")] {
        let lint = linted_for(FAST, "nvme0n1", &text);
        assert_eq!(found(&lint), [("queue/scheduler", "none", Verdict::Fits)], "{text}");
        assert_eq!(lint.notes, ["1 rule of udev is not for nvme0n1: sd*"]);
        let lint = linted_for(DISK, "sda", &text);
        assert_eq!(found(&lint), [("queue/scheduler", "bfq", Verdict::Fits)], "{text}");
    }
    let lint = linted_for(FAST, "sda", rules);
    assert_eq!(found(&lint), [("queue/scheduler", "bfq", Verdict::Wrong)]);
}

#[test]
fn what_the_profile_does_not_tell_is_never_judged() {
    for rule in [
        "ENV{ID_SERIAL}==\"WD-1\", ATTR{queue/scheduler}=\"bfq\"",
        "PROGRAM==\"/bin/is-fast %k\", ATTR{queue/scheduler}=\"bfq\"",
        "IMPORT{program}=\"/bin/is-fast\", ATTR{queue/scheduler}=\"bfq\"",
        "ENV{ID_VENDOR}==\"ATA\", ATTR{queue/scheduler}=\"bfq\"",
        "KERNELS==\"0000:01:00.0\", ATTR{queue/scheduler}=\"bfq\"",
        "ENV{ID_SERIAL}==\"WD-1\", GOTO=\"a\"\nATTR{queue/scheduler}=\"bfq\"\nLABEL=\"a\"",
    ] {
        let lint = linted_for(FAST, "nvme0n1", rule);
        assert_eq!(found(&lint), [("queue/scheduler", "bfq", Verdict::NotJudged)], "{rule}");
        let reason = &lint.findings[0].reason;
        assert!(reason.starts_with("it cannot be known whether the rule matches: "), "{reason}");
    }
    // A rule that matches in any case is judged all the same.
    let rules = "ENV{ID_SERIAL}==\"WD-1\", ATTR{queue/scheduler}=\"bfq\"\nKERNEL==\"nvme*\", ATTR{queue/scheduler}=\"none\"\n";
    let lint = linted_for(FAST, "nvme0n1", rules);
    assert!(found(&lint).contains(&("queue/scheduler", "none", Verdict::Fits)), "{:?}", lint.findings);
}

#[test]
fn rules_for_others_are_counted_and_named() {
    let rules = "KERNEL==\"sda\", ATTR{queue/scheduler}=\"bfq\"\nKERNEL==\"sdb\", ATTR{queue/scheduler}=\"bfq\"\n\
                 ATTR{queue/rotational}==\"1\", ATTR{queue/scheduler}=\"bfq\"\nKERNEL==\"eth0\", NAME=\"lan\"\n";
    let lint = linted_for(FAST, "nvme0n1", rules);
    assert_eq!(lint.findings, []);
    assert_eq!(lint.notes, ["3 rules of udev are not for nvme0n1: sda, sdb, queue/rotational 1"]);
}

#[test]
fn a_line_that_udev_ignores_is_told_and_has_no_effect() {
    let lint =
        linted_for(FAST, "nvme0n1", "KERNEL=\"nvme0n1\", ATTR{queue/scheduler}=\"bfq\"\nKERNEL==\"sd*\"\n");
    assert_eq!(lint.findings, []);
    assert!(
        lint.notes[0]
            .ends_with("line 1: udev ignores the whole line: KERNEL: can only be compared, with == or !="),
        "{:?}",
        lint.notes
    );
}

#[test]
fn programs_that_udev_runs_are_read_as_commands_of_a_shell() {
    let rule = |program: &str| format!("KERNEL==\"sd*|nvme*\", RUN+=\"{program}\"\n");
    let sh = rule("/bin/sh -c 'echo bfq > /sys/block/%k/queue/scheduler'");
    assert_eq!(found(&linted_for(FAST, "nvme0n1", &sh)), [("queue/scheduler", "bfq", Verdict::Wrong)]);
    let devpath = rule("/bin/sh -c 'echo bfq > /sys$devpath/queue/scheduler'");
    assert_eq!(found(&linted_for(FAST, "nvme0n1", &devpath)), [("queue/scheduler", "bfq", Verdict::Wrong)]);
    let blockdev = rule("/sbin/blockdev --setra 256 /dev/%k");
    assert_eq!(found(&linted_for(DISK, "sda", &blockdev)), [("queue/read_ahead_kb", "128", Verdict::Fits)]);
    // Without a shell nothing is redirected.
    let lint = linted_for(FAST, "nvme0n1", &rule("echo bfq > /sys/block/%k/queue/scheduler"));
    assert_eq!(lint.findings, []);
    assert!(lint.notes[0].contains("udev runs no shell"), "{:?}", lint.notes);
}

#[test]
fn a_drive_is_named_where_the_profile_does_not_tell() {
    let rule = "KERNEL==\"nvme*\", ATTR{queue/scheduler}=\"bfq\"\n";
    assert_eq!(found(&linted_for(FAST, "sim-ssd", rule)), [("queue/scheduler", "bfq", Verdict::NotJudged)]);
    let named = |drive: &str| {
        let config = super::config(rule);
        let inputs =
            leadline_advise::Inputs { drive: Some(drive.parse().unwrap()), ..crate::asked::inputs("6") };
        let profile = super::profile_of(FAST, "sim-ssd", "");
        leadline_advise::lint(LINUX, &config, &profile, &inputs).unwrap()
    };
    assert_eq!(found(&named("nvme1n1")), [("queue/scheduler", "bfq", Verdict::Wrong)]);
    assert_eq!(named("sdc").findings, []);
}

/// Of a device that was simulated or described, the name tells what the profile does not.
#[test]
fn a_drive_of_nvme_does_not_spin() {
    let mut profile = super::profile_of(FAST, "nvme0n1", "");
    profile.device.rotational = None;
    let rules = "ATTR{queue/rotational}==\"1\", ATTR{queue/scheduler}=\"bfq\"\n\
                 ATTR{queue/rotational}==\"0\", ATTR{queue/scheduler}=\"none\"\n";
    let lint = |name: &str| {
        let inputs =
            leadline_advise::Inputs { drive: Some(name.parse().unwrap()), ..crate::asked::inputs("6") };
        leadline_advise::lint(LINUX, &super::config(rules), &profile, &inputs).unwrap()
    };
    assert_eq!(found(&lint("nvme0n1")), [("queue/scheduler", "none", Verdict::Fits)]);
    let verdicts: Vec<Verdict> = lint("sda").findings.iter().map(|finding| finding.verdict).collect();
    assert_eq!(verdicts, [Verdict::NotJudged, Verdict::NotJudged]);
}

#[test]
fn files_of_a_folder_are_read_in_the_order_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let rule = |word: &str| format!("KERNEL==\"nvme*\", ATTR{{queue/scheduler}}=\"{word}\"\n");
    write("60-b.rules", &rule("bfq"));
    write("90-a.rules", &rule("none"));
    write("95-c.rules.bak", &rule("bfq"));
    // A label is looked for in its own file.
    write("10-x.rules", "GOTO=\"end\"\n");
    write("99-x.rules", "LABEL=\"end\"\n");
    let profile = super::profile_of(FAST, "nvme0n1", "");
    let config = leadline_advise::read(LINUX, folder.path()).unwrap();
    let lint = leadline_advise::lint(LINUX, &config, &profile, &crate::asked::inputs("6")).unwrap();
    assert_eq!(found(&lint), [("queue/scheduler", "none", Verdict::Fits)]);
    assert!(lint.findings[0].place.ends_with("90-a.rules, line 1"), "{}", lint.findings[0].place);
    // As udev does, with all of them.
    let Some(written) = MACHINES[0].written("udev", folder.path()) else { return };
    assert_eq!(written["queue/scheduler"], "none");
}
