//! How work that can wait gives way to others who use the same device.
//!
//! The system counts the reads of a device. Reads that are not ours are somebody's who waits for them: from
//! then on one request of ours is in flight at a time, and the device has as long a rest after it as it took.
//! So at most every second read of theirs meets one of ours, and waits for no more than that one. Where the
//! system counts nothing, as on a network or in memory, it is always so.

use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the counters are read.
const LOOK: Duration = Duration::from_millis(25);

/// Whoever reads has read within this time, and more than now and then.
const RECENT: Duration = Duration::from_secs(1);
const NOW_AND_THEN: u64 = 4;

/// Nobody is known to be there before as long.
const FIRST: Duration = Duration::from_millis(250);

/// Gives way to others on one device.
#[derive(Debug)]
pub(crate) struct Pace {
    counters: Option<File>,
    gentle: AtomicBool,
    /// Held by the request that is in flight, and while the device rests after it.
    one: Mutex<()>,
    /// Reads of ours that began, and that ended.
    begun: AtomicU64,
    ended: AtomicU64,
    seen: Mutex<Seen>,
}

/// What the counters said.
#[derive(Debug)]
struct Seen {
    since: Instant,
    looked: Instant,
    /// At which time others had read how often at least and at most, since the system was started.
    reads: VecDeque<(Instant, u64, u64)>,
    /// When others were last there.
    others: Option<Instant>,
}

impl Pace {
    /// On the device of a file.
    pub(crate) fn of(file: &File) -> Pace {
        let now = Instant::now();
        Pace {
            counters: counters(file),
            gentle: AtomicBool::new(true),
            one: Mutex::default(),
            begun: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            seen: Mutex::new(Seen { since: now, looked: now, reads: VecDeque::new(), others: None }),
        }
    }

    /// Whether others are there: requests then come one after the other, each by [`Pace::alone`].
    pub(crate) fn is_gentle(&self) -> bool {
        self.gentle.load(Ordering::Relaxed)
    }

    /// Does a request while no other of ours is in flight, and lets the device rest.
    pub(crate) fn alone<T>(&self, request: impl FnOnce() -> T) -> T {
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = Instant::now();
        let done = request();
        std::thread::sleep(begun.elapsed());
        done
    }

    /// Some reads of ours begin.
    pub(crate) fn begin(&self, reads: u64) {
        self.begun.fetch_add(reads, Ordering::SeqCst);
    }

    /// As many have ended.
    pub(crate) fn end(&self, reads: u64) {
        self.ended.fetch_add(reads, Ordering::SeqCst);
    }

    /// Of some reads that began only a part came to pass, and have ended.
    pub(crate) fn settle(&self, begun: u64, ended: u64) {
        self.begun.fetch_add(ended, Ordering::SeqCst);
        self.ended.fetch_add(ended, Ordering::SeqCst);
        self.begun.fetch_sub(begun, Ordering::SeqCst);
    }

    /// Looks now and then who else is there.
    pub(crate) fn look(&self) {
        let (Some(counters), Ok(mut seen)) = (&self.counters, self.seen.try_lock()) else { return };
        let now = Instant::now();
        if now < seen.looked + LOOK {
            return;
        }
        seen.looked = now;
        // Read before and after the counters: what is in flight may be counted already, or not.
        let ended = self.ended.load(Ordering::SeqCst);
        let Some(all) = reads(counters) else { return };
        let begun = self.begun.load(Ordering::SeqCst);
        let others = seen.add(now, all.saturating_sub(begun), all.saturating_sub(ended));
        self.gentle.store(others, Ordering::Relaxed);
    }
}

impl Seen {
    /// That many reads of others, at least and at most; whether others are there.
    fn add(&mut self, now: Instant, least: u64, most: u64) -> bool {
        while self.reads.front().is_some_and(|(at, ..)| *at + RECENT < now) {
            self.reads.pop_front();
        }
        let fewest = self.reads.iter().map(|(_, _, most)| *most).min().unwrap_or(most);
        if least > fewest + NOW_AND_THEN {
            self.others = Some(now);
            // Counted once.
            self.reads.clear();
        }
        self.reads.push_back((now, least, most));
        self.others.is_some_and(|at| now < at + RECENT) || now < self.since + FIRST
    }
}

/// What the system counts of the device that a file is on.
fn counters(file: &File) -> Option<File> {
    let device = file.metadata().ok()?.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    File::open(format!("/sys/dev/block/{major}:{minor}/stat")).ok()
}

/// Reads that a device has completed, and such as became part of another.
fn reads(counters: &File) -> Option<u64> {
    let mut text = [0; 512];
    let length = counters.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    let mut fields = text.split_ascii_whitespace().map(|field| field.parse::<u64>().ok());
    Some(fields.next()?? + fields.next()??)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(at: Instant) -> Seen {
        Seen { since: at, looked: at, reads: VecDeque::new(), others: None }
    }

    #[test]
    fn reads_of_others_are_told_from_ours_and_forgotten_after_a_time() {
        let begun = Instant::now();
        let at = |milliseconds| begun + Duration::from_millis(milliseconds);
        let mut seen = seen(begun);
        assert!(seen.add(at(25), 100, 116), "who is there is not known at first");
        // 16 of ours in flight: some of them are counted, or none.
        for (time, least, most) in [(300, 100, 116), (325, 110, 126), (350, 104, 120), (375, 116, 116)] {
            assert!(!seen.add(at(time), least, most), "at {time} ms");
        }
        assert!(seen.add(at(400), 122, 138));
        assert!(seen.add(at(1300), 122, 138));
        assert!(!seen.add(at(1500), 122, 138));
        // Slower than that, nobody waits for much.
        for second in 2..9 {
            assert!(!seen.add(at(1000 * second), 122 + 3 * second, 122 + 3 * second));
        }
    }

    #[test]
    fn what_the_system_does_not_count_is_always_given_way_to() {
        let pace = Pace { counters: None, ..Pace::of(&File::open("/dev/null").unwrap()) };
        pace.look();
        assert!(pace.is_gentle());
        assert_eq!(pace.alone(|| 7), 7);
    }
}
