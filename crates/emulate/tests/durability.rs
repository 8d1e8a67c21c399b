//! What outlives a power cut, and what does not: the rules of docs/emulate.md.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use leadline_emulate::{Answer, Command};

use crate::drive::{Drive, can_mount};

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

#[test]
fn all_states_of_a_moment_are_gone_through() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    synced(drive.path("log"), "....");
    let mut log = OpenOptions::new().write(true).open(drive.path("log")).unwrap();
    log.write_all(b"AA").unwrap();
    // To the drive, but not to its medium: a change of its own.
    push_out(&drive);
    log.write_all(b"BB").unwrap();
    push_out(&drive);
    let into = drive.folder.path().join("states");
    let Answer::Enumerated(states) = drive.command(&Command::Enumerate { into: into.clone(), most: 64 })
    else {
        panic!("states are what was asked for");
    };
    let mut found: Vec<String> =
        names(&into).iter().map(|name| fs::read_to_string(into.join(name).join("log")).unwrap()).collect();
    found.sort();
    found.dedup();
    assert_eq!(names(&into).len(), states);
    // The second write went out with the first one's page, as pages do.
    assert!(found.contains(&"....".to_owned()) && found.contains(&"AABB".to_owned()), "{found:?}");
    assert!(found.contains(&"AA..".to_owned()), "{found:?}");
    // Nothing was cut.
    assert_eq!(fs::read_to_string(drive.path("log")).unwrap(), "AABB");
    drive.power_cut(None);
    assert_eq!(fs::read_to_string(drive.path("log")).unwrap(), "....");
}

/// Has the kernel write its pages, and makes nothing durable: syncfs, which FUSE is not told of.
fn push_out(drive: &Drive) {
    rustix::fs::syncfs(File::open(drive.path("")).unwrap()).unwrap();
}

#[test]
fn more_than_the_cache_holds_becomes_durable_oldest_first() {
    if !can_mount() {
        return;
    }
    let device = "kind = \"parametric\"\ncapacity = \"1G\"\n[read]\nservice_us = 1\nservers = 8\n[write]\n\
                  service_us = 1\nservers = 8\n";
    let drive = Drive::with(device, |options| options.cache_bytes = 1 << 20);
    let bytes: Vec<u8> = (0..4 << 20).map(|i| (i >> 12) as u8).collect();
    fs::write(drive.path("file"), &bytes).unwrap();
    push_out(&drive);
    assert_eq!(fs::read(drive.path("file")).unwrap(), bytes);
    // Its name is not durable, but what was moved out of the cache waits for it.
    File::open(drive.path("")).unwrap().sync_all().unwrap();
    drive.power_cut(None);
    let left = fs::read(drive.path("file")).unwrap();
    assert!((2 << 20..4 << 20).contains(&left.len()), "{}", left.len());
    assert!(left[..] == bytes[..left.len()]);
}
