//! Changes to what is known of a file.

use std::time::UNIX_EPOCH;

use fuser::TimeOrNow;
use leadline_fuse::{SET_IDS, SysResult, without_set_ids};
use rustix::fs::{AtFlags, CWD, Gid, Mode, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, Uid};

use crate::nodes::Below;

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
    pub(crate) fn make(&self, below: &Below) -> SysResult<()> {
        if self.uid.is_some() || self.gid.is_some() {
            let (uid, gid) = (self.uid.map(Uid::from_raw), self.gid.map(Gid::from_raw));
            rustix::fs::chownat(below, "", uid, gid, AtFlags::EMPTY_PATH)?;
        }
        if let Some(mode) = self.mode {
            rustix::fs::chmodat(CWD, below.path(), Mode::from_raw_mode(mode & 0o7777), AtFlags::empty())?;
        }
        if self.accessed.is_some() || self.modified.is_some() {
            let times = Timestamps {
                last_access: timespec(self.accessed),
                last_modification: timespec(self.modified),
            };
            rustix::fs::utimensat(CWD, below.path(), &times, AtFlags::empty())?;
        }
        Ok(())
    }
}

/// Who changes a program must not leave it with the rights of another user.
pub(crate) fn drop_set_ids(below: &Below) -> SysResult<()> {
    let mode = rustix::fs::fstat(below)?.st_mode & 0o7777;
    let kept = without_set_ids(mode, true);
    if mode & SET_IDS == 0 || kept == mode {
        return Ok(());
    }
    rustix::fs::chmodat(CWD, below.path(), Mode::from_raw_mode(kept), AtFlags::empty())
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
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_before_and_after_1970_come_back() {
        for (seconds, nanoseconds) in [(0, 0), (5, 7), (-1, 0), (-1, 999_999_999), (-3, 1)] {
            let whole = Duration::from_secs(i64::unsigned_abs(seconds));
            let at = if seconds < 0 { UNIX_EPOCH - whole } else { UNIX_EPOCH + whole };
            let spec = timespec(Some(TimeOrNow::SpecificTime(at + Duration::from_nanos(nanoseconds as u64))));
            assert_eq!((spec.tv_sec, spec.tv_nsec), (seconds, nanoseconds));
        }
    }
}
