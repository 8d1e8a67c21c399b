//! Commits to a file: one that all writers share, as the connections of a database share its log.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use leadline_device::{Nanos, Payload, clock};
use leadline_profile::{FileState, SyncMethod};

use super::commit_log::{APPEND_BYTES, CommitLog, Committed, SliceEnd};
use super::log_file::{ETCD_SEGMENT_BYTES, LogFile};
use crate::MeasureError;
use crate::load::Recorder;

/// A preallocated log file that is begun again for every slice.
pub(super) struct FileCommits {
    log: LogFile,
    seed: u64,
    written: u64,
}

impl FileCommits {
    /// Makes the file in `dir`.
    ///
    /// # Errors
    /// As [`LogFile::create`].
    pub(super) fn create(dir: &Path, seed: u64) -> Result<Self, MeasureError> {
        Ok(FileCommits { log: LogFile::create(dir, ETCD_SEGMENT_BYTES)?, seed, written: 0 })
    }
}

impl CommitLog for FileCommits {
    /// A slice ends early when the file is full.
    fn commit(
        &mut self,
        writers: u32,
        end: SliceEnd,
        latencies: &mut Recorder,
        cancel: &AtomicBool,
    ) -> Result<Committed, MeasureError> {
        self.log.renew(FileState::Preallocated)?;
        let most = end.most_commits.min(self.log.len() / u64::from(APPEND_BYTES));
        let began = clock::now();
        let shared = Shared {
            log: &self.log,
            next: AtomicU64::new(0),
            most,
            until: began.saturating_add(end.duration),
            failed: AtomicBool::new(false),
            cancel,
        };
        let writers: Vec<Result<Written, MeasureError>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..writers)
                .map(|i| {
                    let seed = self.seed.wrapping_add(u64::from(i));
                    let shared = &shared;
                    scope.spawn(move || shared.write(seed))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("a writer does not panic")).collect()
        });
        let mut committed = Committed::default();
        let mut ended = began;
        for writer in writers {
            let Written { latencies: own, ended: at } = writer?;
            committed.commits += own.count();
            latencies.merge(&own);
            ended = ended.max(at);
        }
        committed.seconds = (ended - began) as f64 / 1e9;
        self.written += committed.commits * u64::from(APPEND_BYTES);
        Ok(committed)
    }

    fn sent_bytes(&self) -> u32 {
        APPEND_BYTES
    }

    fn written(&self) -> u64 {
        self.written
    }

    fn now(&self) -> Nanos {
        clock::now()
    }
}

/// What the writers of a slice share.
struct Shared<'a> {
    log: &'a LogFile,
    /// Number of the next append.
    next: AtomicU64,
    /// Appends in all.
    most: u64,
    until: Nanos,
    failed: AtomicBool,
    cancel: &'a AtomicBool,
}

/// What one writer did.
struct Written {
    latencies: Recorder,
    ended: Nanos,
}

impl Shared<'_> {
    /// One writer: appends at the end of the log and waits for its fdatasync, again and again.
    fn write(&self, seed: u64) -> Result<Written, MeasureError> {
        let mut data = vec![0; APPEND_BYTES as usize];
        let mut payload = Payload::new(seed);
        let mut written = Written { latencies: Recorder::new(), ended: clock::now() };
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.most {
                return Ok(written);
            }
            payload.fill(&mut data);
            let committed = self.append(&data, number * u64::from(APPEND_BYTES));
            self.failed.fetch_or(committed.is_err(), Ordering::Relaxed);
            let (began, ended) = committed?;
            written.latencies.record(ended.saturating_sub(began));
            written.ended = ended;
            let stop = self.cancel.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed);
            if ended >= self.until || stop {
                return Ok(written);
            }
        }
    }

    /// When the append's fdatasync began and when it ended.
    fn append(&self, data: &[u8], offset: u64) -> Result<(Nanos, Nanos), MeasureError> {
        self.log.write(SyncMethod::Fdatasync, data, offset)?;
        let began = clock::now();
        self.log.sync(SyncMethod::Fdatasync)?;
        Ok((began, clock::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_share_out_exactly_the_appends_that_are_allowed() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = FileCommits::create(dir.path(), 1).unwrap();
        for (writers, most_commits) in [(1, 5), (4, 50)] {
            let before = log.written();
            let end = SliceEnd { duration: 3_600_000_000_000, most_commits };
            let mut latencies = Recorder::new();
            let committed = log.commit(writers, end, &mut latencies, &AtomicBool::new(false)).unwrap();
            assert_eq!((committed.commits, latencies.count()), (most_commits, most_commits));
            assert_eq!(log.written() - before, most_commits * u64::from(APPEND_BYTES));
        }
        // A slice that may not last commits once for each writer, or less where it is cancelled.
        let end = SliceEnd { duration: 0, most_commits: u64::MAX };
        let committed = log.commit(3, end, &mut Recorder::new(), &AtomicBool::new(true)).unwrap();
        assert_eq!(committed.commits, 3);
    }
}
