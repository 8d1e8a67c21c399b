//! The programs on the mount, and how much of a processor they use: a slowed device is honest about ratios
//! only while that is little.

use std::collections::HashMap;
use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Threads that are looked up per look; those of the last moments.
const REMEMBERED: usize = 64;

/// The programs that have sent requests.
#[derive(Debug)]
pub(crate) struct Programs {
    /// Threads that sent the last requests, wherever there was room.
    seen: [AtomicU32; REMEMBERED],
    used: Mutex<Usage>,
}

#[derive(Debug, Default)]
struct Usage {
    /// Clock ticks of each process at the first look and at the last.
    ticks: HashMap<u32, (u64, u64)>,
    began: Option<Instant>,
    looked: Option<Instant>,
}

impl Default for Programs {
    fn default() -> Self {
        Programs { seen: std::array::from_fn(|_| AtomicU32::new(0)), used: Mutex::default() }
    }
}

impl Programs {
    /// A thread sent a request.
    pub(crate) fn saw(&self, thread: u32) {
        let place = &self.seen[thread as usize % REMEMBERED];
        if place.load(Ordering::Relaxed) != thread {
            place.store(thread, Ordering::Relaxed);
        }
    }

    /// Looks at how much processor time they have used. To be called every second or so.
    pub(crate) fn look(&self) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        for thread in &self.seen {
            let thread = thread.swap(0, Ordering::Relaxed);
            if thread != 0
                && let Some(process) = process_of(thread)
                && process != std::process::id()
                && let Some(ticks) = ticks_of(process)
            {
                used.ticks.entry(process).or_insert((ticks, ticks));
            }
        }
        if !used.ticks.is_empty() {
            used.began.get_or_insert(now);
        }
        for (process, (_, last)) in &mut used.ticks {
            *last = ticks_of(*process).unwrap_or(*last);
        }
        used.looked = Some(now);
    }

    /// Processors that they kept busy since the first request, 1 being one processor all of the time; `None`
    /// before the second look.
    pub(crate) fn share(&self) -> Option<f64> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = used.looked?.duration_since(used.began?).as_secs_f64();
        let ticks: u64 = used.ticks.values().map(|(first, last)| last.saturating_sub(*first)).sum();
        let per_second = rustix::param::clock_ticks_per_second() as f64;
        (seconds > 0.0).then(|| ticks as f64 / per_second / seconds)
    }
}

/// The process of a thread.
fn process_of(thread: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

/// Clock ticks that a process has used, in user mode and in the kernel.
fn ticks_of(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may hold anything; 14 and 15 of all fields are the 12th and 13th after it.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let user: u64 = fields.nth(11)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_process_is_read() {
        assert_eq!(process_of(std::process::id()), Some(std::process::id()));
        assert!(ticks_of(std::process::id()).is_some());
        assert_eq!((process_of(0), ticks_of(0)), (None, None));
    }
}
