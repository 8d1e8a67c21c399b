//! Wall time and processor time, in nanoseconds.

use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};

use crate::{NEVER, Nanos};

/// Wall time since some fixed moment (CLOCK_MONOTONIC): a read of the vDSO, no system call.
#[inline]
pub fn now() -> Nanos {
    nanos(clock_gettime(ClockId::Monotonic))
}

/// Processor time this thread has used, user and system (CLOCK_THREAD_CPUTIME_ID).
pub fn thread_cpu_time() -> Nanos {
    nanos(clock_gettime(ClockId::ThreadCPUTime))
}

/// Processor time all threads of this process have used, user and system (CLOCK_PROCESS_CPUTIME_ID).
pub fn process_cpu_time() -> Nanos {
    nanos(clock_gettime(ClockId::ProcessCPUTime))
}

/// Sleeps until a moment of [`now`], or until a signal arrives. A moment that never comes is not waited for.
pub(crate) fn sleep_until(deadline: Nanos) {
    if deadline != NEVER && now() < deadline {
        // An interrupted sleep ends early, which is what the callers promise; no other error can happen here.
        let _ = clock_nanosleep_absolute(ClockId::Monotonic, &timespec(deadline));
    }
}

/// As the kernel wants it.
pub(crate) fn timespec(nanos: Nanos) -> Timespec {
    Timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as i64 }
}

#[inline]
fn nanos(time: Timespec) -> Nanos {
    // The clocks used here start at zero: neither field is negative, and 584 years fit.
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_uses_wall_time_but_no_processor_time() {
        let (wall, thread) = (now(), thread_cpu_time());
        sleep_until(wall + 30_000_000);
        let (wall, thread) = (now() - wall, thread_cpu_time() - thread);
        assert!(wall >= 30_000_000, "slept {wall} ns");
        assert!(thread < 10_000_000, "used {thread} ns of processor time");
    }

    #[test]
    fn working_uses_processor_time_of_thread_and_process() {
        // The process first: what passes between the two reads then counts for it alone.
        let (process, thread) = (process_cpu_time(), thread_cpu_time());
        let mut sum = 0u64;
        while thread_cpu_time() - thread < 5_000_000 {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(process_cpu_time() - process >= 5_000_000);
    }

    #[test]
    fn a_moment_that_is_past_or_never_comes_is_not_waited_for() {
        let start = now();
        sleep_until(0);
        sleep_until(NEVER);
        assert!(now() - start < 1_000_000_000);
    }

    #[test]
    fn timespec_carries_into_seconds() {
        let time = timespec(3_000_000_007);
        assert_eq!((time.tv_sec, time.tv_nsec), (3, 7));
        assert_eq!(nanos(time), 3_000_000_007);
    }
}
