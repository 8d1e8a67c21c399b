//! The screen of every kind of profile.

use leadline_profile::{Capped, CheckStatus, DeviceKind, DeviceProfile, DeviceState, EngineKind};

use super::{SummaryOptions, render_summary};
use crate::sample::{
    Shape, imported_profile, one_point, published_profile, reads_only, sample_profile, studied_profile,
    troubled_profile,
};

const PROFILE: &str = "leadline-nvme0n1-20261121-093000/profile.json";

/// As after a measurement without `-o`.
fn after_measuring(width: usize) -> SummaryOptions {
    let page = PROFILE.replace("profile.json", "report.html");
    SummaryOptions::new(width).profile(PROFILE).page(Some(page))
}

fn screen(profile: &DeviceProfile) -> String {
    render_summary(profile, &after_measuring(80))
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

fn simulated() -> DeviceProfile {
    let mut profile = sample_profile();
    profile.device.kind = DeviceKind::Simulated;
    profile.device.target = "sim:flash".into();
    (profile.method.engine, profile.validity.state) = (EngineKind::Simulated, DeviceState::Simulated);
    profile
}

fn granularity() -> DeviceProfile {
    Shape { blocks: (9..=18).map(|shift| 1 << shift).collect(), ..Shape::default() }.profile()
}

fn capped() -> DeviceProfile {
    let mut profile = sample_profile();
    profile.parameters.iter_mut().for_each(|entry| entry.capped = Capped::Yes);
    profile
}

fn all() -> Vec<DeviceProfile> {
    vec![
        sample_profile(),
        simulated(),
        reads_only(),
        one_point(),
        granularity(),
        capped(),
        troubled_profile(),
        imported_profile(),
        published_profile(),
        studied_profile(),
        DeviceProfile::default(),
    ]
}

#[test]
fn every_profile_has_one_screen() {
    for profile in all() {
        let text = screen(&profile);
        assert!(text.lines().count() <= 20, "{} lines:\n{text}", text.lines().count());
        assert!(widest(&text) <= 80, "{} columns:\n{text}", widest(&text));
        assert!(!text.contains('\x1b'), "colour that was not asked for");
        for part in ["How far to trust these numbers:\n", PROFILE, "report.html"] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
    }
}

#[test]
fn details_follow_the_screen_in_any_width() {
    for profile in all() {
        for width in [60, 80, 120] {
            let text = render_summary(&profile, &after_measuring(width).details(true));
            let wide = text.lines().find(|line| {
                line.chars().count() > width && !line.contains(PROFILE) && !line.starts_with("ctrl=")
            });
            assert_eq!(wide, None, "{width} columns:\n{text}");
            for check in &profile.validity.checks {
                assert!(text.contains(&format!("{}: ", check.name)), "no {} in\n{text}", check.name);
            }
        }
    }
    let profile = studied_profile();
    let text = render_summary(&profile, &after_measuring(80).details(true));
    let parts = ["alpha, durable", "k_r_90", "Kneedle", "IOPS over requests in flight", "Experiment burst"];
    for part in parts {
        assert!(text.contains(part), "no {part:?} in\n{text}");
        assert!(!screen(&profile).contains(part), "{part:?} is a detail");
    }
}

#[test]
fn the_answer_comes_first() {
    let mut profile = Shape { blocks: vec![4096, 8192], ..Shape::default() }.profile();
    let entry = &mut profile.parameters[0];
    (entry.k_r_90, entry.k_r_90_ci) = (Some(35), Some([28, 46]));
    (entry.k_w_90, entry.k_w_90_ci) = (Some(8), Some([8, 8]));
    (entry.alpha, entry.alpha_ci) = (Some(1.5), Some([1.24, 1.81]));
    entry.alpha_1 = Some(0.99);
    (entry.max_read_iops, entry.max_write_iops) = (Some(82_000.0), Some(54_700.0));
    profile.points[0].iops = 9_840.0;
    profile.validity.cliffs.clear();
    profile.validity.checks[3].status = CheckStatus::Violated;
    profile.validity.checks[3].detail =
        "the processor, not the device, limited 16 of 174 points; worst: 4K random read at k = 256".into();
    let expected = "\
Example NVMe 980, 932 GiB (nvme0n1, PCIe 8.0 GT/s x4)
Measured in /mnt/nvme0n1 (ext4) for 2 min: reads and writes of 4K and 8K.

4K random requests (95 % intervals):
 Reads in flight for 90 % of the maximum   35 (28–46)              of 82.0k/s
 Writes in flight for 90 % of the maximum  8                       of 54.7k/s
 One write is worth                        1.50 reads (1.24–1.81)  0.99 alone

Keep about 35 reads in flight: one at a time gets 12 % of the maximum (9.84k of
82.0k IOPS); send 8 writes at a time.

How far to trust these numbers:
  Check cpu failed: the processor, not the device, limited 16 of 174 points.
  Steady-state numbers (SNIA test).
  3 checks hold.

Next: leadline advise postgresql leadline-nvme0n1-20261121-093000/profile.json
More: leadline report leadline-nvme0n1-20261121-093000/profile.json --details
Page: leadline-nvme0n1-20261121-093000/report.html
";
    assert_eq!(screen(&profile), expected);
}

#[test]
fn failed_checks_are_red_and_say_what_was_found() {
    let text = render_summary(&troubled_profile(), &after_measuring(80).color(true));
    let red = |words: &str| {
        let line = text.lines().find(|line| line.contains(words));
        line.unwrap_or_else(|| panic!("no {words:?} in\n{text}")).starts_with("\x1b[31m")
    };
    assert!(red("cut short by SIGINT") && red("page cache"), "{text}");
    assert!(text.contains("≥ 16") && text.contains("still rising"), "{text}");
    assert!(text.contains("more remarks: --details."), "what has no room is counted:\n{text}");
}

#[test]
fn checks_for_whose_findings_there_is_no_room_are_named() {
    let mut profile = sample_profile();
    for check in &mut profile.validity.checks {
        check.status = CheckStatus::Violated;
        check.detail = "something was found that takes a whole line of a terminal to say".into();
    }
    let text = screen(&profile);
    assert!(text.lines().count() <= 20, "{text}");
    for check in &profile.validity.checks {
        assert!(text.contains(check.name.as_str()), "no {} in\n{text}", check.name);
    }
    assert!(text.contains(" failed too"), "{text}");
}

#[test]
fn what_was_not_measured_is_said_in_the_place_of_the_number() {
    let text = screen(&reads_only());
    assert!(text.contains("Writes were not measured: a block device without --destructive."), "{text}");
    let text = screen(&imported_profile());
    assert!(text.contains("Measured by fio 3.33, not by Leadline: reads of 4K."), "{text}");
    let text = screen(&DeviceProfile::default());
    assert!(text.contains("Neither k nor alpha is known: no curve was measured."), "{text}");
}

#[test]
fn a_limit_that_was_set_and_units_of_the_device_are_on_the_screen() {
    let text = screen(&capped()).replace("\n    ", " ");
    assert!(text.contains("is a limit that was set, not the device's own."), "{text}");
    let text = screen(&granularity()).replace('\n', " ");
    assert!(text.contains("reads and writes of 512B to 256K."), "{text}");
    assert!(text.contains("Small writes cost nothing extra, down to 512B."), "{text}");
}

#[test]
fn the_next_command_is_for_the_system_that_was_asked_for() {
    let of = |options: SummaryOptions| render_summary(&sample_profile(), &options);
    let named = SummaryOptions::new(80).profile("'my disk.json'");
    let text = of(named.clone().system(Some("etcd")));
    let next =
        "\n\nNext: leadline advise etcd 'my disk.json'\nMore: leadline report 'my disk.json' --details\n";
    assert!(text.ends_with(next), "{text}");
    assert!(!of(named.system(None)).contains("advise"));
    assert!(!of(SummaryOptions::new(80)).contains("Next"), "without a name there is no command");
}
