//! What is known of a file, as the kernel wants it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{FileAttr, INodeNo, TimeOrNow};
use rustix::fs::{AtFlags, CWD, Gid, Mode, Stat, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, Uid};

use crate::handles::kind;
use crate::nodes::{Node, SysResult};

/// The bits of a mode that give a program another user's or group's rights.
const SET_IDS: u32 = 0o6000;

/// What a program wants to change.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Changes {
    pub(crate) mode: Option<u32>,
    pub(crate) uid: Option<u32>,
    pub(crate) gid: Option<u32>,
    pub(crate) accessed: Option<TimeOrNow>,
    pub(crate) modified: Option<TimeOrNow>,
}

impl Changes {
    /// Changes the file below.
    pub(crate) fn make(&self, node: &Node) -> SysResult<()> {
        if self.uid.is_some() || self.gid.is_some() {
            let (uid, gid) = (self.uid.map(Uid::from_raw), self.gid.map(Gid::from_raw));
            rustix::fs::chownat(&node.fd, "", uid, gid, AtFlags::EMPTY_PATH)?;
        }
        if let Some(mode) = self.mode {
            rustix::fs::chmodat(CWD, node.path(), Mode::from_raw_mode(mode & 0o7777), AtFlags::empty())?;
        }
        if self.accessed.is_some() || self.modified.is_some() {
            let times = Timestamps {
                last_access: timespec(self.accessed),
                last_modification: timespec(self.modified),
            };
            rustix::fs::utimensat(CWD, node.path(), &times, AtFlags::empty())?;
        }
        Ok(())
    }
}

/// Who changes a program must not leave it with the rights of another user.
pub(crate) fn drop_set_ids(node: &Node) -> SysResult<()> {
    let mode = node.stat()?.st_mode;
    if mode & SET_IDS == 0 {
        return Ok(());
    }
    // A set-group-ID bit without the right to execute means something else.
    let dropped = if mode & 0o010 != 0 { SET_IDS } else { SET_IDS & !0o2000 };
    rustix::fs::chmodat(CWD, node.path(), Mode::from_raw_mode(mode & 0o7777 & !dropped), AtFlags::empty())
}

pub(crate) fn attributes(number: u64, stat: &Stat) -> FileAttr {
    let changed = time(stat.st_ctime, stat.st_ctime_nsec);
    FileAttr {
        ino: INodeNo(number),
        size: stat.st_size as u64,
        blocks: stat.st_blocks as u64,
        atime: time(stat.st_atime, stat.st_atime_nsec),
        mtime: time(stat.st_mtime, stat.st_mtime_nsec),
        ctime: changed,
        crtime: changed,
        kind: kind(rustix::fs::FileType::from_raw_mode(stat.st_mode)),
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

fn time(seconds: i64, nanoseconds: u64) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let at = if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
    at.and_then(|at| at.checked_add(Duration::from_nanos(nanoseconds))).unwrap_or(UNIX_EPOCH)
}

fn timespec(time: Option<TimeOrNow>) -> Timespec {
    let special = |tv_nsec| Timespec { tv_sec: 0, tv_nsec };
    match time {
        None => special(UTIME_OMIT),
        Some(TimeOrNow::Now) => special(UTIME_NOW),
        Some(TimeOrNow::SpecificTime(time)) => match time.duration_since(UNIX_EPOCH) {
            Ok(since) => Timespec { tv_sec: since.as_secs() as i64, tv_nsec: since.subsec_nanos().into() },
            Err(before) => {
                // Nanoseconds count forwards even before 1970.
                let before = before.duration();
                match before.subsec_nanos() {
                    0 => Timespec { tv_sec: -(before.as_secs() as i64), tv_nsec: 0 },
                    n => Timespec {
                        tv_sec: -(before.as_secs() as i64) - 1,
                        tv_nsec: i64::from(1_000_000_000 - n),
                    },
                }
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_and_after_1970_come_back() {
        for (seconds, nanoseconds) in [(0, 0), (5, 7), (-1, 0), (-1, 999_999_999), (-3, 1)] {
            let spec = timespec(Some(TimeOrNow::SpecificTime(time(seconds, nanoseconds))));
            assert_eq!((spec.tv_sec, spec.tv_nsec), (seconds, nanoseconds as i64));
        }
    }
}
