//! What outlives a power cut, and what does not: the rules of docs/emulate.md.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use leadline_emulate::{Answer, Command, send};

use crate::drive::{Drive, O_DIRECT, can_mount};

fn synced(path: impl AsRef<Path>, bytes: &str) {
    let mut file = File::create(path).unwrap();
    file.write_all(bytes.as_bytes()).unwrap();
    file.sync_all().unwrap();
}

fn sync_directory(path: impl AsRef<Path>) {
    File::open(path).unwrap().sync_all().unwrap();
}

fn names(path: impl AsRef<Path>) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_was_synced_survives_and_nothing_else() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    fs::create_dir(drive.path("dir")).unwrap();
    synced(drive.path("dir/kept"), "kept");
    fs::write(drive.path("dir/lost"), "lost").unwrap();
    OpenOptions::new().append(true).open(drive.path("dir/kept")).unwrap().write_all(b" and more").unwrap();
    assert_eq!(fs::read_to_string(drive.path("dir/kept")).unwrap(), "kept and more");
    drive.power_cut(None);
    assert_eq!(names(drive.path("dir")), ["kept"]);
    assert_eq!(fs::read_to_string(drive.path("dir/kept")).unwrap(), "kept");
}

#[test]
fn everything_survives_an_unmount_with_its_attributes() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    if !can_mount() {
        return;
    }
    let mut drive = Drive::new();
    fs::create_dir(drive.path("d")).unwrap();
    fs::write(drive.path("d/a"), "a").unwrap();
    fs::hard_link(drive.path("d/a"), drive.path("b")).unwrap();
    std::os::unix::fs::symlink("d/a", drive.path("link")).unwrap();
    fs::set_permissions(drive.path("d/a"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::rename(drive.path("d"), drive.path("e")).unwrap();
    fs::write(drive.path("gone"), "gone").unwrap();
    let open = File::open(drive.path("gone")).unwrap();
    fs::remove_file(drive.path("gone")).unwrap();
    drop(open);
    drive.unmount();
    let backing = drive.backing();
    assert_eq!(names(&backing), ["b", "e", "link"]);
    assert_eq!(names(backing.join("e")), ["a"]);
    let metadata = fs::metadata(backing.join("e/a")).unwrap();
    assert_eq!((metadata.nlink(), metadata.mode() & 0o7777), (2, 0o640));
    assert_eq!(fs::read_link(backing.join("link")).unwrap(), Path::new("d/a"));
}

/// The class of bugs that ext4's delayed allocation made famous in 2009: write a new file, rename it over the
/// old one, and trust in the order.
#[test]
fn a_rename_without_a_sync_loses_the_file_by_the_strict_rules_only() {
    if !can_mount() {
        return;
    }
    let update = |drive: &Drive, sync: bool| {
        synced(drive.path("config"), "old");
        sync_directory(drive.path(""));
        fs::write(drive.path("config.new"), "new").unwrap();
        if sync {
            File::open(drive.path("config.new")).unwrap().sync_all().unwrap();
        }
        fs::rename(drive.path("config.new"), drive.path("config")).unwrap();
        // Another program syncs the directory.
        sync_directory(drive.path(""));
        drive.power_cut(None);
        fs::read_to_string(drive.path("config")).unwrap()
    };
    assert_eq!(update(&Drive::strict(), false), "");
    assert_eq!(update(&Drive::strict(), true), "new");
    assert_eq!(update(&Drive::new(), false), "new");
}

#[test]
fn strictly_a_new_name_needs_a_sync_of_its_directory() {
    if !can_mount() {
        return;
    }
    let drive = Drive::strict();
    fs::create_dir(drive.path("d")).unwrap();
    sync_directory(drive.path(""));
    synced(drive.path("d/a"), "a");
    synced(drive.path("d/b"), "b");
    drive.power_cut(None);
    assert_eq!(names(drive.path("d")), [""; 0]);
    synced(drive.path("d/a"), "a");
    fs::write(drive.path("d/c"), "c").unwrap();
    sync_directory(drive.path("d"));
    fs::remove_file(drive.path("d/a")).unwrap();
    drive.power_cut(None);
    assert_eq!(names(drive.path("d")), ["a", "c"]);
    // Its name was made durable, its bytes were not.
    assert_eq!(fs::read_to_string(drive.path("d/c")).unwrap(), "");
    assert_eq!(fs::read_to_string(drive.path("d/a")).unwrap(), "a");
}

/// The kernel keeps names and attributes of its own; it had forgotten them only some time after the answer.
#[test]
fn what_is_lost_is_gone_once_the_cut_is_answered() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    for _ in 0..200 {
        fs::write(drive.path("lost"), "lost").unwrap();
        fs::create_dir(drive.path("folder")).unwrap();
        fs::write(drive.path("folder/lost"), "lost").unwrap();
        drive.power_cut(None);
        assert!(!drive.path("lost").exists() && !drive.path("folder/lost").exists());
    }
}

/// What waits when the backing folder refuses it must not be forgotten.
#[test]
fn a_sync_that_failed_can_be_repeated() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    fs::write(drive.path("file"), "bytes").unwrap();
    let in_the_way = drive.backing().join("file");
    fs::create_dir(&in_the_way).unwrap();
    let file = File::open(drive.path("file")).unwrap();
    file.sync_all().unwrap_err();
    fs::remove_dir(&in_the_way).unwrap();
    file.sync_all().unwrap();
    drive.power_cut(None);
    assert_eq!(fs::read_to_string(drive.path("file")).unwrap(), "bytes");
}

/// A file whose bytes go to the drive one write at a time, in the order in which they are written.
fn direct(drive: &Drive) -> File {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).custom_flags(O_DIRECT);
    options.open(drive.path("file")).unwrap()
}

/// A page that lies as direct I/O wants it.
#[repr(C, align(4096))]
struct Page([u8; 4096]);

fn write_page(file: &File, page: u64, byte: u8) {
    file.write_all_at(&Page([byte; 4096]).0, page * 4096).unwrap();
}

#[test]
fn all_states_of_a_moment_are_gone_through() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    let file = direct(&drive);
    (0..2).for_each(|page| write_page(&file, page, b'.'));
    file.sync_all().unwrap();
    write_page(&file, 0, b'A');
    write_page(&file, 1, b'B');
    let into = drive.folder.path().join("states");
    assert_eq!(drive.command(&Command::Enumerate { into: into.clone(), most: 64 }), Answer::Enumerated(4));
    let state = |name: &String| {
        let bytes = fs::read(into.join(name).join("file")).unwrap();
        format!("{}{}", bytes[0] as char, bytes[4096] as char)
    };
    let mut found: Vec<String> = names(&into).iter().map(state).collect();
    found.sort();
    assert_eq!(found, ["..", ".B", "A.", "AB"]);
    // Nothing was cut.
    assert_eq!(fs::read(drive.path("file")).unwrap()[0], b'A');
    drive.power_cut(None);
    assert_eq!(fs::read(drive.path("file")).unwrap(), [b'.'; 8192]);
}

/// It waited for its own answer for ever, and so did everybody on the mount.
#[test]
fn states_are_not_written_to_the_drive_itself() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    fs::write(drive.path("file"), "not durable").unwrap();
    fs::create_dir(drive.path("empty")).unwrap();
    for into in [drive.path("empty"), drive.path("new/states")] {
        let refused = send(drive.path(""), &Command::Enumerate { into, most: 4 }).unwrap_err().to_string();
        assert!(refused.contains("is on the drive itself"), "{refused}");
    }
    assert_eq!(names(drive.path("")), ["empty", "file"]);
}

#[test]
fn more_than_the_cache_holds_becomes_durable_oldest_first() {
    if !can_mount() {
        return;
    }
    let device = "kind = \"parametric\"\ncapacity = \"1G\"\n[read]\nservice_us = 1\nservers = 8\n[write]\n\
                  service_us = 1\nservers = 8\n";
    let drive = Drive::with(device, |options| options.cache_bytes = 1 << 20);
    let file = direct(&drive);
    (0..1024).for_each(|page| write_page(&file, page, page as u8));
    let now = fs::read(drive.path("file")).unwrap();
    assert!(now.chunks(4096).enumerate().all(|(page, bytes)| bytes == [page as u8; 4096]));
    // What was moved out of the cache waits for its name.
    File::open(drive.path("")).unwrap().sync_all().unwrap();
    drive.power_cut(None);
    let left = fs::read(drive.path("file")).unwrap();
    // Of 4 MiB all but one.
    assert_eq!(left.len(), 3 << 20);
    assert!(left[..] == now[..left.len()]);
}
