//! What is refused, and that nothing stays mounted.

use std::fs;
use std::path::Path;

use leadline_emulate::{Command, EmulateError, EmulateOptions, EmulatedDevice, Emulator, send, wait};

use crate::drive::{Drive, can_mount};

fn refused(backing: impl AsRef<Path>, mount: impl AsRef<Path>) -> EmulateError {
    let device = EmulatedDevice::open("sim:flash", None).unwrap();
    Emulator::mount(device, EmulateOptions::new(backing, mount)).unwrap_err()
}

#[test]
fn folders_that_cannot_be_used_are_named() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    let folder = tempfile::tempdir().unwrap();
    let (free, full) = (folder.path().join("free"), folder.path().join("full"));
    fs::create_dir(&free).unwrap();
    fs::create_dir_all(full.join("inside")).unwrap();
    assert!(matches!(refused(&free, &full), EmulateError::NotEmpty { .. }));
    assert!(matches!(refused(&full, full.join("inside")), EmulateError::Nested { .. }));
    assert!(matches!(refused(&free, drive.path("")), EmulateError::InUse { .. }));
    assert!(matches!(refused(drive.backing(), &free), EmulateError::BackingInUse { .. }));
    assert!(matches!(refused(folder.path().join("nowhere"), &free), EmulateError::NotADirectory { .. }));
    assert!(matches!(refused(&full, folder.path().join("nowhere")), EmulateError::NotADirectory { .. }));
    assert_eq!(fs::read_dir(&free).unwrap().count(), 0);
    // It was not disturbed.
    fs::write(drive.path("file"), "x").unwrap();
}

#[test]
fn a_folder_larger_than_the_device_is_refused() {
    if !can_mount() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (backing, mount) = (folder.path().join("backing"), folder.path().join("mount"));
    fs::create_dir(&backing).unwrap();
    fs::create_dir(&mount).unwrap();
    fs::write(backing.join("file"), vec![1; 2 << 20]).unwrap();
    let text = "kind = \"parametric\"\ncapacity = \"1M\"\n[read]\nservice_us = 1\nservers = 1\n[write]\n\
                service_us = 1\nservers = 1\n";
    fs::write(folder.path().join("small.toml"), text).unwrap();
    let device = format!("sim:{}", folder.path().join("small.toml").display());
    let device = EmulatedDevice::open(&device, None).unwrap();
    let error = Emulator::mount(device, EmulateOptions::new(&backing, &mount)).unwrap_err();
    assert!(matches!(error, EmulateError::TooLarge { capacity_bytes: 1_048_576, .. }), "{error}");
    assert_eq!(fs::read_dir(&mount).unwrap().count(), 0);
}

#[test]
fn a_slowdown_that_cannot_be_is_refused() {
    for slowdown in [0.0, 0.99, f64::NAN, f64::INFINITY] {
        let device = EmulatedDevice::open("sim:flash", None).unwrap();
        let mut options = EmulateOptions::new("backing", "mount");
        options.slowdown = slowdown;
        let error = Emulator::mount(device, options).unwrap_err();
        assert!(matches!(error, EmulateError::Slowdown { .. }), "{slowdown}: {error}");
    }
}

#[test]
fn devices_that_are_not_modelled_are_refused() {
    let open = |name: &str| EmulatedDevice::open(name, None).unwrap_err().to_string();
    assert!(open("flash").contains("name one as sim:NAME"));
    assert!(open("sim:meteor").contains("meteor"));
    assert!(open("device:meteor").contains("meteor"));
}

#[test]
fn a_full_device_says_so_and_space_comes_back() {
    if !can_mount() {
        return;
    }
    let text = "kind = \"parametric\"\ncapacity = \"4M\"\n[read]\nservice_us = 1\nservers = 1\n[write]\n\
                service_us = 1\nservers = 1\n";
    let drive = Drive::with(text, |_| {});
    let space = || rustix::fs::statvfs(drive.path("")).unwrap();
    assert_eq!(space().f_blocks * space().f_frsize, 4 << 20);
    fs::write(drive.path("a"), vec![1; 3 << 20]).unwrap();
    fs::File::open(drive.path("a")).unwrap().sync_all().unwrap();
    let file = fs::File::create(drive.path("b")).unwrap();
    let allocated = rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, 2 << 20);
    assert_eq!(allocated.unwrap_err(), rustix::io::Errno::NOSPC);
    fs::remove_file(drive.path("a")).unwrap();
    rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, 2 << 20).unwrap();
}

#[test]
fn commands_go_to_a_mounted_drive_only() {
    let folder = tempfile::tempdir().unwrap();
    let error = send(folder.path(), &Command::Counters).unwrap_err();
    assert!(matches!(error, EmulateError::NotMounted { .. }), "{error}");
}

#[test]
fn who_sees_the_mount_can_command_it() {
    if !can_mount() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (backing, mount) = (folder.path().join("backing"), folder.path().join("mount"));
    fs::create_dir(&backing).unwrap();
    fs::create_dir(&mount).unwrap();
    let emulator = std::thread::scope(|scope| {
        let mounting = scope.spawn(|| {
            let device = EmulatedDevice::open("sim:flash", None).unwrap();
            Emulator::mount(device, EmulateOptions::new(&backing, &mount))
        });
        let is_there = || {
            let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
            mounts.contains(mount.to_str().unwrap())
        };
        while !is_there() && !mounting.is_finished() {
            std::thread::yield_now();
        }
        send(&mount, &Command::Counters).unwrap();
        wait(&mount, std::time::Duration::from_secs(60)).unwrap();
        mounting.join().unwrap().unwrap()
    });
    emulator.unmount().unwrap();
    let error = wait(&mount, std::time::Duration::ZERO).unwrap_err();
    assert!(matches!(error, EmulateError::NotMounted { .. }), "{error}");
}

#[test]
fn the_device_can_be_exchanged_and_files_have_a_place() {
    use leadline_emulate::Answer;
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    fs::write(drive.path("file"), vec![1; 10_000]).unwrap();
    fs::File::open(drive.path("file")).unwrap().sync_all().unwrap();
    let Answer::Map(extents) = drive.command(&Command::Map { file: "file".into() }) else {
        panic!("a map was asked for")
    };
    assert_eq!(extents.iter().map(|[_, _, len]| len).sum::<u64>(), 12_288);
    assert_eq!(drive.command(&Command::Device { name: "sim:optane".into() }), Answer::Done);
    assert_eq!(drive.report().device, "sim:optane");
    let refused = send(drive.path(""), &Command::Device { name: "sim:meteor".into() }).unwrap_err();
    assert!(refused.to_string().contains("meteor"));
    assert_eq!(fs::read(drive.path("file")).unwrap(), vec![1; 10_000]);
}

/// It waited for an answer for ever, and could not be killed.
#[test]
fn a_program_that_outlives_the_drive_is_answered() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    if !can_mount() {
        return;
    }
    let mut drive = Drive::new();
    // A process of its own, so that the end of this one would free it. It has the file open once it is there,
    // and waits for what it is to write.
    let mut program = Command::new("dd");
    program.args(["bs=8", "count=1", "conv=fsync", "status=none"]);
    program.arg(format!("of={}", drive.path("file").display())).stdin(Stdio::piped());
    let mut program = program.spawn().unwrap();
    while !drive.path("file").exists() {
        std::thread::yield_now();
    }
    drive.unmount();
    program.stdin.take().unwrap().write_all(b"too late").unwrap();
    let began = Instant::now();
    // Whether it succeeds is not the question.
    while program.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(60), "the program has no answer");
        std::thread::sleep(Duration::from_millis(5));
    }
}
