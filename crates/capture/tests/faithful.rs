//! Programs see in the captured folder what they would see in the folder itself.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, FallocateFlags, FlockOperation, Mode, OFlags, RenameFlags, XattrFlags};

use crate::{Captured, can_mount};

#[test]
fn what_was_there_is_read_and_what_is_written_is_there_afterwards() {
    if !can_mount() {
        return;
    }
    let mut captured = Captured::with(&[("old", b"before")]);
    assert_eq!(fs::read(captured.path("old")).unwrap(), b"before");
    fs::create_dir(captured.path("t")).unwrap();
    fs::write(captured.path("t/new"), vec![7; 300_000]).unwrap();
    OpenOptions::new().append(true).open(captured.path("old")).unwrap().write_all(b" and after").unwrap();
    assert_eq!(fs::read(captured.path("t/new")).unwrap(), vec![7; 300_000]);
    captured.end();
    assert_eq!(fs::read(captured.path("old")).unwrap(), b"before and after");
    assert_eq!(fs::read(captured.path("t/new")).unwrap(), vec![7; 300_000]);
}

#[test]
fn direct_io_goes_past_the_cache_with_the_rules_of_the_folder() {
    if !can_mount() {
        return;
    }
    let mut captured = Captured::with(&[("t", &[3; 16384])]);
    let flags = OFlags::DIRECT.bits() as i32;
    let file =
        OpenOptions::new().read(true).write(true).custom_flags(flags).open(captured.path("t")).unwrap();
    let mut memory = vec![0u8; 3 * 16384];
    let start = memory.as_ptr().align_offset(16384);
    let block = &mut memory[start..start + 16384];
    assert_eq!(file.read_at(block, 0).unwrap(), 16384);
    assert_eq!(block, [3; 16384]);
    block.fill(9);
    assert_eq!(file.write_at(block, 16384).unwrap(), 16384);
    assert_eq!(file.read_at(block, 32768).unwrap(), 0);
    drop(file);
    captured.end();
    let content = fs::read(captured.path("t")).unwrap();
    assert_eq!((&content[..16384], &content[16384..]), (&[3; 16384][..], &[9; 16384][..]));
}

#[test]
fn names_are_made_linked_renamed_and_removed() {
    if !can_mount() {
        return;
    }
    let captured = Captured::new();
    let path = |name| captured.path(name);
    fs::write(path("a"), "a").unwrap();
    fs::hard_link(path("a"), path("b")).unwrap();
    assert_eq!(fs::metadata(path("a")).unwrap().nlink(), 2);
    assert_eq!(fs::metadata(path("a")).unwrap().ino(), fs::metadata(path("b")).unwrap().ino());
    symlink("a", path("s")).unwrap();
    assert_eq!(fs::read_link(path("s")).unwrap().to_str(), Some("a"));
    assert_eq!(fs::read_to_string(path("s")).unwrap(), "a");
    fs::create_dir_all(path("d/e")).unwrap();
    fs::write(path("d/e/c"), "c").unwrap();
    fs::rename(path("d"), path("f")).unwrap();
    assert_eq!(fs::read_to_string(path("f/e/c")).unwrap(), "c");
    let exchanged = rustix::fs::renameat_with(CWD, path("a"), CWD, path("f/e/c"), RenameFlags::EXCHANGE);
    assert_eq!((exchanged, fs::read_to_string(path("a")).unwrap()), (Ok(()), "c".to_owned()));
    let refused = rustix::fs::renameat_with(CWD, path("a"), CWD, path("b"), RenameFlags::NOREPLACE);
    assert_eq!(refused, Err(rustix::io::Errno::EXIST));
    assert_eq!(fs::remove_dir(path("f")).unwrap_err().kind(), ErrorKind::DirectoryNotEmpty);
    fs::remove_file(path("b")).unwrap();
    assert_eq!(fs::read(path("b")).unwrap_err().kind(), ErrorKind::NotFound);
    let mut names: Vec<_> =
        fs::read_dir(path("")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["a", "f", "s"]);
}

#[test]
fn a_folder_of_many_files_is_listed_in_full() {
    if !can_mount() {
        return;
    }
    let captured = Captured::new();
    for i in 0..1000 {
        File::create(captured.path(&format!("a-rather-long-name-{i}"))).unwrap();
    }
    assert_eq!(fs::read_dir(captured.path("")).unwrap().count(), 1000);
}

#[test]
fn modes_owners_and_times_are_those_below() {
    if !can_mount() {
        return;
    }
    let mut captured = Captured::with(&[("a", b"a")]);
    let path = captured.path("a");
    let file = File::options().write(true).open(&path).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_millis(1_234_567);
    file.set_times(fs::FileTimes::new().set_accessed(long_ago).set_modified(long_ago)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4751)).unwrap();
    drop(file);
    let new = OpenOptions::new().write(true).create_new(true).mode(0o640).open(captured.path("b")).unwrap();
    assert_eq!(new.metadata().unwrap().mode() & 0o7777, 0o640);
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(captured.path("b"), Some(123), Some(456)).unwrap();
    }
    drop(new);
    captured.end();
    let below = fs::metadata(&path).unwrap();
    assert_eq!((below.mode() & 0o7777, below.modified().unwrap()), (0o4751, long_ago));
    if rustix::process::geteuid().is_root() {
        let below = fs::metadata(captured.path("b")).unwrap();
        assert_eq!((below.uid(), below.gid()), (123, 456));
    }
}

#[test]
fn special_files_and_extended_attributes_are_kept() {
    if !can_mount() {
        return;
    }
    let mut captured = Captured::with(&[("a", b"a")]);
    let pipe = captured.path("pipe");
    rustix::fs::mknodat(CWD, &pipe, rustix::fs::FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    let path = captured.path("a");
    rustix::fs::setxattr(&path, "user.color", b"blue", XattrFlags::CREATE).unwrap();
    let mut value = [0; 16];
    assert_eq!(rustix::fs::getxattr(&path, "user.color", &mut value), Ok(4));
    assert_eq!(&value[..4], b"blue");
    let mut names = [0; 64];
    let length = rustix::fs::listxattr(&path, &mut names).unwrap();
    assert!(names[..length].windows(11).any(|name| name == b"user.color\0"));
    captured.end();
    assert_eq!(rustix::fs::getxattr(&path, "user.color", &mut value), Ok(4));
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

#[test]
fn files_are_cut_allocated_punched_and_searched_for_holes() {
    if !can_mount() {
        return;
    }
    let captured = Captured::with(&[("a", &[5; 65536])]);
    let mut file = File::options().read(true).write(true).open(captured.path("a")).unwrap();
    file.set_len(40_000).unwrap();
    assert_eq!(file.metadata().unwrap().len(), 40_000);
    rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, 1 << 20).unwrap();
    assert_eq!(file.metadata().unwrap().len(), 1 << 20);
    let punch = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    rustix::fs::fallocate(&file, punch, 4096, 8192).unwrap();
    let mut around = [1; 12288];
    file.read_exact_at(&mut around, 2048).unwrap();
    assert_eq!((around[2047], around[2048], around[10239], around[10240]), (5, 0, 0, 5));
    assert_eq!(rustix::fs::seek(&file, rustix::fs::SeekFrom::Hole(0)), Ok(4096));
    assert_eq!(rustix::fs::seek(&file, rustix::fs::SeekFrom::Data(4096)), Ok(12288));
    // A file far larger than any disk, of which little is there.
    file.seek(SeekFrom::Start(1 << 40)).unwrap();
    file.write_all(b"far").unwrap();
    assert_eq!(file.metadata().unwrap().len(), (1 << 40) + 3);
}

#[test]
fn an_open_file_lives_on_without_a_name() {
    if !can_mount() {
        return;
    }
    let captured = Captured::new();
    let path = captured.path("temporary");
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
    file.write_all(b"still here").unwrap();
    fs::remove_file(&path).unwrap();
    file.set_len(5).unwrap();
    let mut content = String::new();
    file.rewind().unwrap();
    file.read_to_string(&mut content).unwrap();
    assert_eq!((content.as_str(), path.exists()), ("still", false));
}

#[test]
fn locks_keep_others_out() {
    if !can_mount() {
        return;
    }
    let captured = Captured::with(&[("lock", b"")]);
    let [one, other] = [(); 2].map(|()| File::options().write(true).open(captured.path("lock")).unwrap());
    rustix::fs::flock(&one, FlockOperation::NonBlockingLockExclusive).unwrap();
    let kept_out = rustix::fs::flock(&other, FlockOperation::NonBlockingLockExclusive);
    assert_eq!(kept_out, Err(rustix::io::Errno::WOULDBLOCK));
    drop(one);
    rustix::fs::flock(&other, FlockOperation::NonBlockingLockExclusive).unwrap();
    rustix::fs::fcntl_lock(&other, FlockOperation::NonBlockingLockExclusive).unwrap();
}

#[test]
fn several_threads_write_and_read_at_once() {
    if !can_mount() {
        return;
    }
    let captured = Captured::new();
    std::thread::scope(|scope| {
        for thread in 0..8u8 {
            let path = captured.path(&format!("f{}", thread / 2));
            scope.spawn(move || {
                let mut open = OpenOptions::new();
                let file = open.read(true).write(true).create(true).truncate(false).open(path).unwrap();
                for i in 0..100u64 {
                    let at = (2 * i + u64::from(thread % 2)) * 1000;
                    file.write_all_at(&[thread; 1000], at).unwrap();
                    let mut back = [0; 1000];
                    file.read_exact_at(&mut back, at).unwrap();
                    assert_eq!(back, [thread; 1000]);
                }
            });
        }
    });
    assert_eq!(fs::metadata(captured.path("f3")).unwrap().len(), 200_000);
}

#[test]
fn what_others_change_below_is_seen_when_a_file_is_opened_again() {
    if !can_mount() {
        return;
    }
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = dir.path().join("db");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a"), "one").unwrap();
    // The way to the folder that the mount does not hide.
    let below = File::open(&folder).unwrap();
    let mounted = leadline_capture::PassThrough::mount(&folder, &dir.path().join("x.capture")).unwrap();
    assert_eq!(fs::read_to_string(folder.join("a")).unwrap(), "one");
    let mode = Mode::from_raw_mode(0o644);
    let fd = rustix::fs::openat(&below, "a", OFlags::WRONLY, mode).unwrap();
    rustix::io::pwrite(&fd, b"two", 0).unwrap();
    let fd = rustix::fs::openat(&below, "b", OFlags::WRONLY | OFlags::CREATE, mode).unwrap();
    rustix::io::pwrite(&fd, b"new", 0).unwrap();
    drop(fd);
    assert_eq!(fs::read_to_string(folder.join("a")).unwrap(), "two");
    assert_eq!(fs::read_to_string(folder.join("b")).unwrap(), "new");
    drop(mounted);
}
