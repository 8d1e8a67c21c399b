//! `leadline profile` of simulated devices: outputs, places, descriptions.

use std::fs;
use std::process::Command;

use leadline_profile::{DeviceKind, DeviceProfile};

use crate::ran::{folder, made_folder, names, outcome, run};

const DEVICE: &str = r#"
kind = "parametric"
capacity = "1G"
jitter = "none"
placement = "any-free"
cap_iops = 0
seed = 1
[read]
service_us = 60.0
per_kib_us = 5.0
servers = 6
[write]
service_us = 100.0
per_kib_us = 10.0
servers = 5
"#;

#[test]
fn json_is_one_document_the_same_every_time_and_no_file() {
    let dir = folder();
    let arguments = ["profile", "sim:flash", "--quick", "--json"];
    let first = run(dir.path(), &arguments).succeeded();
    let profile = first.profile();
    assert_eq!((&profile.device.kind, profile.device.name.as_str()), (&DeviceKind::Simulated, "sim-flash"));
    assert!(profile.validity.complete && profile.validity.bytes_written > 0);
    assert_eq!(profile.method.budget.as_str(), "quick");
    assert_eq!(profile.created, None);
    assert!(profile.to_json() == first.stdout, "read and written again it is the same");
    assert!(run(dir.path(), &arguments).succeeded().stdout == first.stdout, "measured again it is the same");
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_folder_of_its_own_holds_the_profile_and_the_page() {
    let dir = folder();
    let ran = run(dir.path(), &["profile", "sim:sata", "--quick"]).succeeded();
    for part in ["Reads in flight for 90 %", "Writes in flight for 90 %", "One write is worth"] {
        assert!(ran.stdout.contains(part), "{}", ran.stdout);
    }
    assert!(ran.stdout.lines().count() <= 20 && !ran.stdout.contains("alpha"), "{}", ran.stdout);
    let made = made_folder(dir.path());
    assert!(made.file_name().unwrap().to_str().unwrap().starts_with("leadline-sim-sata-"), "{made:?}");
    assert_eq!(names(&made), ["profile.json", "report.html"]);
    assert!(DeviceProfile::load(made.join("profile.json")).unwrap().validity.complete);
    assert!(fs::read_to_string(made.join("report.html")).unwrap().starts_with("<!doctype html>"));
    let name = &names(dir.path())[0];
    let next = format!("Next: leadline advise postgresql {name}/profile.json");
    for line in [next, format!("Page: {name}/report.html")] {
        assert!(ran.stdout.lines().any(|said| said == line), "no {line:?} in {}", ran.stdout);
    }

    // Again, at once and with the same name: beside it, not over it.
    let before = fs::read(made.join("profile.json")).unwrap();
    let again = ["profile", "sim:sata", "--budget-seconds", "1", "--block-size", "4K"];
    for _ in 0..2 {
        run(dir.path(), &again).succeeded();
    }
    assert_eq!(names(dir.path()).len(), 3);
    assert_eq!(fs::read(made.join("profile.json")).unwrap(), before);
}

#[test]
fn named_places_are_replaced_whole_and_nothing_else_is_made() {
    let dir = folder();
    let (profile, page) = (dir.path().join("p.json"), dir.path().join("page.html"));
    fs::write(&profile, "an earlier one").unwrap();
    let earlier = fs::File::open(&profile).unwrap();
    let quick = ["profile", "sim:optane", "--budget-seconds", "1", "--block-size", "4K"];
    let places = ["-o", "p.json", "--report", "page.html"];
    run(dir.path(), &[&quick[..], &places].concat()).succeeded();
    assert_eq!(names(dir.path()), ["p.json", "page.html"]);
    assert_eq!(DeviceProfile::load(&profile).unwrap().method.budget.as_str(), "custom");
    assert!(fs::metadata(&page).unwrap().len() > 10_000);
    // Replaced by rename: who had it open still has the earlier one.
    assert_eq!(std::io::read_to_string(earlier).unwrap(), "an earlier one");

    // With --json both: the document on stdout is the file.
    let ran = run(dir.path(), &[&quick[..], &["-o", "p.json", "--json"]].concat()).succeeded();
    assert_eq!(fs::read_to_string(&profile).unwrap(), ran.stdout);
    assert_eq!(names(dir.path()), ["p.json", "page.html"]);
}

#[test]
fn a_link_named_with_o_stays_a_link() {
    let dir = folder();
    fs::create_dir(dir.path().join("real")).unwrap();
    fs::write(dir.path().join("real/p.json"), "").unwrap();
    std::os::unix::fs::symlink("real/p.json", dir.path().join("link")).unwrap();
    run(
        dir.path(),
        &["profile", "sim:flash", "--budget-seconds", "1", "--block-size", "4K", "--json", "-o", "link"],
    )
    .succeeded();
    assert!(dir.path().join("link").is_symlink());
    assert!(DeviceProfile::load(dir.path().join("real/p.json")).is_ok());
}

#[test]
fn a_description_in_a_file_is_measured_as_it_says() {
    let dir = folder();
    fs::write(dir.path().join("mine.toml"), DEVICE).unwrap();
    let ran =
        run(dir.path(), &["profile", "sim:./mine.toml", "--quick", "--json", "--seed", "7"]).succeeded();
    let profile = ran.profile();
    assert_eq!(profile.device.name, "sim-mine");
    assert_eq!(profile.method.seed, 7);
    let four = profile.parameters.iter().find(|p| p.block_bytes == 4096).unwrap();
    // Servers / time: 6 / 80 us to 5 / 140 us.
    let alpha = (6.0 / 80.0) / (5.0 / 140.0);
    assert!((four.alpha.unwrap() / alpha - 1.0).abs() < 0.02, "{four:?}");
    assert_eq!((four.k_r, four.k_w), (Some(6), Some(5)));
}

#[test]
fn a_wrong_description_is_refused_in_one_line_with_file_place_and_remedy() {
    let dir = folder();
    let cases: [(&str, &str, &[&str]); 10] = [
        ("jitter =", "jiter =", &["line 4", "jiter"]),
        ("service_us = 100.0\n", "", &["line ", "service_us"]),
        ("servers = 5", "servers = -5", &["line 15", "-5"]),
        ("servers = 5", "servers = 0", &["write.servers", "must be"]),
        ("\"1G\"", "\"much\"", &["line 3", "size"]),
        ("\"parametric\"", "\"quantum\"", &["kind", "parametric"]),
        ("\"none\"", "\"normal\"", &["line 4", "normal", "lognormal"]),
        ("service_us = 60.0", "service_us = nan", &["read.service_us"]),
        ("[write]", "[write", &["line 12"]),
        ("capacity = \"1G\"", "", &["capacity"]),
    ];
    for (from, to, said) in cases {
        let text = DEVICE.replace(from, to);
        assert_ne!(text, DEVICE);
        fs::write(dir.path().join("d.toml"), text).unwrap();
        let ran = run(dir.path(), &["profile", "sim:./d.toml"]);
        ran.refused(&[&["d.toml: "], said].concat());
    }
    run(dir.path(), &["profile", "sim:./none.toml"]).refused(&["sim:./none.toml", "No such file"]);
    run(dir.path(), &["profile", "sim:flahs"]).refused(&["sim:flahs", "flash, optane", "sim:./device.toml"]);
    run(dir.path(), &["profile", "sim:"]).refused(&["sim:", "flash"]);
    assert_eq!(names(dir.path()), ["d.toml"]);
}

#[test]
fn a_simulated_device_has_one_queue_pair() {
    let dir = folder();
    run(dir.path(), &["profile", "sim:flash", "--budget-seconds", "1", "--cpus", "0"]).succeeded();
    let before = names(dir.path());
    if std::thread::available_parallelism().unwrap().get() > 1 {
        run(dir.path(), &["profile", "sim:flash", "--cpus", "0-1"]).failed(2, &["one thread"]);
        assert_eq!(names(dir.path()), before, "the directory made for it is gone again");
    }
}

#[test]
fn interrupted_readers_of_the_output_do_not_make_it_panic() {
    let dir = folder();
    let shell = format!(
        "{} profile sim:flash --budget-seconds 1 --block-size 4K --json 2>&1 | head -c 10",
        crate::ran::text(crate::ran::program())
    );
    let mut command = Command::new("bash");
    outcome(command.current_dir(dir.path()).args(["-c", &format!("set -o pipefail; {shell}")])).succeeded();
}
