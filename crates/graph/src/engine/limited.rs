//! Whether the device limits operations, found out while it is read: a cloud volume that lets in a
//! certain number of requests per second, however large they are.
//!
//! Such a device answers as often with four reads in flight as with sixty-four, so fewer and larger ones
//! bring more bytes in the same memory. What tells it from others: requests far from its bandwidth, each
//! answered soon when it is alone, come back slowly and evenly although many are in flight and the thread
//! does nothing but wait. A flash drive answers more often; a disk that seeks answers late and unevenly.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use leadline_device::Nanos;

/// Completions that are judged together; two times in a row they must say the same.
const WINDOW: u32 = 50;

/// More answers per second than a limit allows are not one worth looking for, and fewer are a disk's.
const RATES: std::ops::RangeInclusive<f64> = 500.0..=20_000.0;

/// Larger requests may meet the limit on bytes.
const LARGEST: f64 = (32 << 10) as f64;

/// The longest that such a device takes for a read that is alone.
const SOON: Nanos = 2_000_000;

/// The least share of the time that the thread waits.
const WAITS: f64 = 0.8;

/// Reads in flight of a thread that are kept in any case: one is visited while another is on its way.
const FEWEST: u32 = 2;

/// Reads in flight that are kept for each that the device needs: answers and visits do not take turns.
const SPARE: f64 = 3.0;

/// Requests grow to this: the providers count no more than this as one operation.
const MOST_REQUEST_BYTES: u32 = 256 << 10;

/// What is known of the device; for all threads, and for the next run.
#[derive(Debug, Default)]
pub(crate) struct Limited {
    /// The shortest time that a read took; 0: none was made.
    least: AtomicU64,
    /// Reads in flight of a thread that are enough; 0: as many as there are. Relaxed, as the other: each is
    /// all that it says.
    enough: AtomicU32,
}

impl Limited {
    /// Fewer and larger reads in the memory that `slots` of `request_bytes` take, where the device limits
    /// operations and there is room for larger ones.
    #[inline]
    pub(crate) fn fewer(&self, slots: u32, request_bytes: u32) -> Option<(u32, u32)> {
        let enough = self.enough.load(Ordering::Relaxed);
        if enough == 0 || enough >= slots {
            return None;
        }
        let most = u64::from(slots) * u64::from(request_bytes) / u64::from(enough);
        let mut larger = request_bytes;
        while larger < MOST_REQUEST_BYTES && 2 * u64::from(larger) <= most {
            larger *= 2;
        }
        (larger > request_bytes).then_some((enough, larger))
    }
}

/// What one thread sees of its reads.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// When the last answers came; 0: nothing is being watched.
    last: Nanos,
    answers: u32,
    bytes: u64,
    elapsed: Nanos,
    waited: Nanos,
    /// Of the times between answers.
    squares: f64,
    /// Windows in a row that said that operations are limited.
    agree: u32,
}

impl Watch {
    /// A read took that long.
    #[inline]
    pub(crate) fn took(&self, limited: &Limited, latency: Nanos) {
        let least = limited.least.load(Ordering::Relaxed);
        if least == 0 || latency < least {
            limited.least.store(latency.max(1), Ordering::Relaxed);
        }
    }

    /// The thread waited from `from` to `to` with many reads in flight, and got `answers` answers with
    /// `bytes` bytes in all.
    pub(crate) fn waited(&mut self, from: Nanos, to: Nanos, answers: u32, bytes: u64) {
        if self.last > 0 {
            let gap = to.saturating_sub(self.last);
            self.answers += answers;
            self.bytes += bytes;
            self.elapsed += gap;
            self.waited += to.saturating_sub(from.max(self.last));
            self.squares += (gap as f64).powi(2);
        }
        self.last = to;
    }

    /// Few reads are in flight, or the thread does not wait: the time until the next answer is not counted.
    pub(crate) fn pause(&mut self) {
        self.last = 0;
    }

    /// Once enough answers have come: what they say, of one of `threads`.
    #[inline]
    pub(crate) fn judge(&mut self, limited: &Limited, threads: u32) {
        if self.answers < WINDOW {
            return;
        }
        let needed = self.needed(limited.least.load(Ordering::Relaxed), threads);
        *self = Watch { agree: needed.map_or(0, |_| self.agree + 1), last: self.last, ..Watch::default() };
        if let (Some(needed), 2..) = (needed, self.agree) {
            let enough = ((SPARE * needed).ceil() as u32).max(FEWEST);
            // What was said first holds: every change waits for all that is in flight.
            let _ = limited.enough.compare_exchange(0, enough, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Reads in flight of this thread that keep the device busy, where operations are limited.
    fn needed(&self, least: Nanos, threads: u32) -> Option<f64> {
        let (answers, elapsed) = (f64::from(self.answers), self.elapsed as f64);
        let per_second = answers / elapsed * 1e9;
        let is_even = self.squares / answers <= 2.0 * (elapsed / answers).powi(2);
        let is_limited = RATES.contains(&(per_second * f64::from(threads)))
            && self.bytes as f64 <= LARGEST * answers
            && (1..=SOON).contains(&least)
            && self.waited as f64 >= WAITS * elapsed
            && is_even;
        is_limited.then_some(per_second * least as f64 / 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: Nanos = 1_000;

    /// What two hundred answers say that come so far apart, in turn, to a thread that needs `busy` of each
    /// gap for itself.
    fn enough(gaps: &[Nanos], least: Nanos, bytes: u64, busy: f64) -> Option<u32> {
        let (limited, mut watch, mut now) = (Limited::default(), Watch::default(), US);
        watch.took(&limited, least);
        for gap in gaps.iter().cycle().take(200) {
            let from = now + (busy * *gap as f64) as Nanos;
            now += gap;
            watch.waited(from, now, 1, bytes);
            watch.judge(&limited, 1);
        }
        Some(limited.enough.load(Ordering::Relaxed)).filter(|enough| *enough > 0)
    }

    #[test]
    fn a_limit_on_operations_is_told_from_other_devices() {
        // 3000 per second, a read alone takes half a millisecond.
        assert_eq!(enough(&[333 * US], 500 * US, 16 << 10, 0.1), Some(5));
        assert_eq!(enough(&[200 * US, 466 * US], 100 * US, 4 << 10, 0.0), Some(2));
        // A flash drive; one at the limit of its bandwidth; a disk that seeks, and now and then has the next
        // block in its memory; a program that computes.
        assert_eq!(enough(&[11 * US], 90 * US, 4 << 10, 0.0), None);
        assert_eq!(enough(&[131 * US], 200 * US, 64 << 10, 0.0), None);
        assert_eq!(enough(&[5_000 * US], 8_000 * US, 4 << 10, 0.0), None);
        assert_eq!(enough(&[50 * US, 50 * US, 50 * US, 3_000 * US], 50 * US, 4 << 10, 0.0), None);
        assert_eq!(enough(&[333 * US], 90 * US, 4 << 10, 0.5), None);
    }

    #[test]
    fn what_comes_in_between_says_nothing() {
        let (limited, mut watch) = (Limited::default(), Watch::default());
        watch.took(&limited, 100 * US);
        for i in 1..1000 {
            watch.waited(i * 333 * US, i * 333 * US, 1, 4096);
            watch.pause();
            watch.judge(&limited, 1);
        }
        assert_eq!(limited.enough.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn fewer_reads_are_larger_in_the_same_memory() {
        let fewer = |enough: u32, slots, request_bytes| {
            let limited = Limited { enough: enough.into(), ..Limited::default() };
            limited.fewer(slots, request_bytes)
        };
        assert_eq!(fewer(4, 64, 64 << 10), Some((4, 256 << 10)));
        assert_eq!(fewer(4, 16, 16 << 10), Some((4, 64 << 10)));
        assert_eq!(fewer(3, 8, 4 << 10), Some((3, 8 << 10)));
        // No room for larger ones; a device that needs as many as there are; one of which nothing is known.
        assert_eq!(fewer(4, 7, 4 << 10), None);
        assert_eq!(fewer(2, 4, 1 << 20), None);
        assert_eq!(fewer(64, 64, 64 << 10), None);
        assert_eq!(fewer(0, 64, 64 << 10), None);
    }
}
