//! What is known of a file, as the kernel wants it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{FileAttr, FileType, INodeNo};
use rustix::fs::Stat;

/// The bits of a mode that give a program another user's or group's rights.
pub const SET_IDS: u32 = 0o6000;

/// That of the group alone.
const SET_GROUP_ID: u32 = 0o2000;

/// The mode of a file that has been changed by someone who may not keep those bits, or given to another
/// owner. `keeps_group` says that they belong to the file's group: a set-group-ID bit without the right to
/// execute means something else then, and stays.
pub fn without_set_ids(mode: u32, keeps_group: bool) -> u32 {
    let is_mark = mode & 0o010 == 0 && keeps_group;
    mode & !(if is_mark { SET_IDS & !SET_GROUP_ID } else { SET_IDS })
}

/// The attributes of a file that this system has, under the number `number`.
pub fn attributes(number: u64, stat: &Stat) -> FileAttr {
    let changed = time(stat.st_ctime, stat.st_ctime_nsec);
    FileAttr {
        ino: INodeNo(number),
        size: stat.st_size as u64,
        blocks: stat.st_blocks as u64,
        atime: time(stat.st_atime, stat.st_atime_nsec),
        mtime: time(stat.st_mtime, stat.st_mtime_nsec),
        ctime: changed,
        crtime: changed,
        kind: kind_of(rustix::fs::FileType::from_raw_mode(stat.st_mode)),
        perm: (stat.st_mode & 0o7777) as u16,
        nlink: stat.st_nlink as u32,
        uid: stat.st_uid,
        gid: stat.st_gid,
        // The lower half has the form that the kernel wants.
        rdev: stat.st_rdev as u32,
        blksize: stat.st_blksize as u32,
        flags: 0,
    }
}

/// A kind of file as the kernel wants it.
pub fn kind_of(found: rustix::fs::FileType) -> FileType {
    use rustix::fs::FileType as Found;
    match found {
        Found::Directory => FileType::Directory,
        Found::Symlink => FileType::Symlink,
        Found::Fifo => FileType::NamedPipe,
        Found::Socket => FileType::Socket,
        Found::CharacterDevice => FileType::CharDevice,
        Found::BlockDevice => FileType::BlockDevice,
        Found::RegularFile | Found::Unknown => FileType::RegularFile,
    }
}

fn time(seconds: i64, nanoseconds: u64) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let at = if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
    at.and_then(|at| at.checked_add(Duration::from_nanos(nanoseconds))).unwrap_or(UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_group_id_bit_without_the_right_to_execute_stays_for_the_group() {
        assert_eq!([6755, 4755, 2755, 755].map(|mode| without_set_ids(octal(mode), true)), [0o755; 4]);
        assert_eq!(without_set_ids(0o6644, true), 0o2644);
        assert_eq!(without_set_ids(0o6644, false), 0o644);
    }

    fn octal(digits: u32) -> u32 {
        u32::from_str_radix(&digits.to_string(), 8).unwrap()
    }

    #[test]
    fn times_before_and_after_1970_are_those_of_the_standard_library() {
        let folder = tempfile::tempdir().unwrap();
        let file = std::fs::File::create(folder.path().join("a")).unwrap();
        for (seconds, nanoseconds) in [(0, 0), (5, 7), (-1, 0), (-1, 999_999_999), (-3, 1)] {
            let spec = rustix::fs::Timespec { tv_sec: seconds, tv_nsec: nanoseconds };
            let times = rustix::fs::Timestamps { last_access: spec, last_modification: spec };
            rustix::fs::futimens(&file, &times).unwrap();
            let found = attributes(7, &rustix::fs::fstat(&file).unwrap());
            let expected = file.metadata().unwrap();
            assert_eq!((found.ino, found.mtime), (INodeNo(7), expected.modified().unwrap()));
            assert_eq!(found.atime, expected.accessed().unwrap());
        }
    }
}
