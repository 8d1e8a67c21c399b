//! Devices that fail under the measurement.

use std::fs::{self, OpenOptions};
use std::path::Path;

use leadline_profile::DeviceProfile;
use leadline_testing::machine::{Loop, Mounted, needs_root, run as tool, skipped};

use crate::ran::{SMALL, folder, names, run, start, text};

#[test]
fn a_device_that_fails_while_measuring_ends_the_run_and_keeps_what_was_measured() {
    needs_root!();
    let images = folder();
    let image = images.path().join("image");
    fs::write(&image, vec![0x5a; 32 << 20]).unwrap();
    let Some(device) = Loop::over(&image) else { return };
    let dir = folder();
    let arguments =
        ["profile", device.name(), "--budget-seconds", "20", "--block-size", "4K", "-o", "p.json"];
    let mut running = start(dir.path(), &arguments);
    running.reaches("measure");
    // From now on reads fail.
    OpenOptions::new().write(true).open(&image).unwrap().set_len(0).unwrap();
    let (ran, ..) = running.end();
    ran.failed(1, &["read of 4096 bytes", "Input/output error", "--resume p.json"]);
    let profile = DeviceProfile::load(dir.path().join("p.json")).unwrap();
    assert!(!profile.validity.complete && !profile.points.is_empty());
    assert!(profile.validity.stopped_by.as_ref().unwrap().contains("Input/output error"));
    assert!(ran.stdout.contains("The run is partial"), "{}", ran.stdout);
    assert_eq!(names(dir.path()), ["p.json"]);
}

#[test]
fn a_file_system_that_runs_out_while_laying_out_is_named_and_left_empty() {
    needs_root!();
    let Some(store) = Mounted::new("tmpfs", Path::new("none"), "size=48m") else {
        return skipped("no tmpfs to be mounted");
    };
    // It believes that it has 4 GiB; what it stands on has 48 MiB.
    let image = store.path().join("image");
    fs::File::create(&image).unwrap().set_len(4 << 30).unwrap();
    if tool("mkfs.ext4", &["-q", "-F", "-O", "^has_journal", "-m", "0", text(&image)]).is_none() {
        return skipped("no mkfs.ext4");
    }
    let Some(device) = Loop::over(&image) else { return };
    let Some(mounted) = Mounted::new("ext4", &device.device, "rw") else {
        return skipped("no ext4 to be mounted");
    };
    let before = names(mounted.path());
    let dir = folder();
    let mut arguments = [&["profile", text(mounted.path())], &SMALL[..]].concat();
    let size = arguments.iter().position(|a| *a == "--size").unwrap();
    arguments[size + 1] = "256M";
    let ran = run(dir.path(), &arguments);
    ran.failed(1, &["write of 1048576 bytes", "No space left on device"]);
    assert_eq!(ran.stdout, "");
    assert_eq!(names(mounted.path()), before);
    assert!(
        names(dir.path()).is_empty(),
        "the directory made for the results is gone: {:?}",
        names(dir.path())
    );
}
