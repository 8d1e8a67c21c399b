//! Saving is whole or not at all; loading names what it could not read.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use leadline_profile::{DeviceProfile, ProfileError, SCHEMA};

fn profile(name: &str) -> DeviceProfile {
    let mut profile = DeviceProfile { schema: SCHEMA.to_owned(), ..DeviceProfile::default() };
    profile.device.name = name.to_owned();
    profile
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_saved_profile_is_an_ordinary_document_alone_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.json");
    profile("one").save(&file).unwrap();
    assert_eq!(DeviceProfile::load(&file).unwrap(), profile("one"));
    profile("two").save(&file).unwrap();
    assert_eq!(DeviceProfile::load(&file).unwrap().device.name, "two");
    assert_eq!(names(folder.path()), ["profile.json"]);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o644);
    assert!(fs::read_to_string(&file).unwrap().ends_with("}\n"));
}

#[test]
fn a_reader_sees_the_old_file_or_the_new_one_and_nothing_between() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.json");
    let long = "x".repeat(1 << 20);
    profile(&long).save(&file).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for i in 0..30 {
                profile(if i % 2 == 0 { "short" } else { &long }).save(&file).unwrap();
            }
        });
        while !writer.is_finished() {
            let name = DeviceProfile::load(&file).unwrap().device.name;
            assert!(name == "short" || name == long);
        }
    });
    // A name of the old file still leads to the old bytes: it was replaced, not overwritten.
    let link = folder.path().join("hard");
    fs::hard_link(&file, &link).unwrap();
    let old = fs::read(&link).unwrap();
    profile("other").save(&file).unwrap();
    assert_eq!(fs::read(&link).unwrap(), old);
}

#[test]
fn a_symbolic_link_stays_and_what_is_no_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
    profile("one").save(&file).unwrap();
    symlink("real.json", &link).unwrap();
    profile("two").save(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(DeviceProfile::load(&file).unwrap().device.name, "two");
    let error = profile("three").save(folder.path()).unwrap_err();
    assert!(error.to_string().starts_with(&folder.path().display().to_string()), "{error}");
    // As root a rename over /dev/null would succeed, and the machine would miss it: tried on a pipe of our
    // own.
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(profile("three").save(&pipe).is_err());
    use std::os::unix::fs::FileTypeExt as _;
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(names(folder.path()), ["link.json", "pipe", "real.json"]);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("no/such/profile.json");
    let error = profile("one").save(&file).unwrap_err().to_string();
    assert!(error.contains("no/such/profile.json") && error.contains("No such file"), "{error}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn what_cannot_be_loaded_is_named_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.json");
    let message = |path: &Path| {
        let error = DeviceProfile::load(path).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with(&path.display().to_string()), "{message}");
        (matches!(error, ProfileError::Io { .. }), message)
    };
    let (io, missing) = message(&file);
    assert!(io && missing.contains("No such file"), "{missing}");
    let (io, directory) = message(folder.path());
    assert!(io && directory.contains("directory"), "{directory}");
    fs::write(&file, b"").unwrap();
    let (io, empty) = message(&file);
    assert!(
        !io && empty.contains("is empty; name a profile") && empty.contains("leadline profile"),
        "{empty}"
    );
    fs::write(&file, b"{\"schema\": \"\xff\xfe\"}").unwrap();
    let (io, binary) = message(&file);
    assert!(io && binary.contains("UTF-8"), "{binary}");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    fs::write(&file, format!("{{\"schema\": {SCHEMA:?}, \"x\": {deep}}}")).unwrap();
    assert!(message(&file).1.contains("nested too deeply"), "too deep is refused, not a stack overflow");
}

/// Set for this test's own process started again where the folder is on a disk of its own.
const INSIDE: &str = "LEADLINE_TEST_DISK";

/// A file system that is full, and one that is read-only: root may write anywhere else. The mounts are in a
/// name space of a child process and go with it.
#[test]
fn a_full_or_read_only_disk_leaves_the_file_as_it_was() {
    if let Ok(disk) = std::env::var(INSIDE) {
        return inside(Path::new(&disk));
    }
    let folder = tempfile::tempdir().unwrap();
    let test = "files::a_full_or_read_only_disk_leaves_the_file_as_it_was";
    let script = "mount -t tmpfs -o size=256k none \"$1\" && exec \"$0\" --exact \"$2\" --nocapture";
    let unshare = |user: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(user).args(["--mount", "sh", "-c", script]);
        command.arg(std::env::current_exe().unwrap()).arg(folder.path()).arg(test).env(INSIDE, folder.path());
        command.output()
    };
    let able = |user: &[&str]| {
        let probe = Command::new("unshare")
            .args(user)
            .args(["--mount", "mount", "-t", "tmpfs", "none", "/mnt"])
            .output();
        probe.is_ok_and(|output| output.status.success())
    };
    let Some(user) = [&[][..], &["--user", "--map-root-user"]].into_iter().find(|user| able(user)) else {
        eprintln!("skipped: this user may not mount a file system, not even in a name space of its own");
        return;
    };
    let output = unshare(user).unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("was inside"), "{text}");
    assert!(names(folder.path()).is_empty(), "the mount is gone");
}

fn inside(disk: &Path) {
    let file = disk.join("profile.json");
    profile("before").save(&file).unwrap();
    let before = fs::read(&file).unwrap();
    // Full: the new one needs more than there is.
    let error = profile(&"x".repeat(1 << 20)).save(&file).unwrap_err().to_string();
    assert!(error.contains("profile.json") && error.contains("No space left"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(names(disk), ["profile.json"], "nothing is left of the attempt");
    profile("after").save(&file).unwrap();
    // Read-only.
    assert!(Command::new("mount").args(["-o", "remount,ro"]).arg(disk).status().unwrap().success());
    let error = profile("again").save(&file).unwrap_err().to_string();
    assert!(error.contains("profile.json") && error.contains("Read-only"), "{error}");
    assert_eq!(DeviceProfile::load(&file).unwrap().device.name, "after");
    println!("was inside");
}
