//! What the kernel counts of a running process: processor time, and I/O.

use std::fs;

use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

/// What a process has used since its start, all threads together, those that ended included.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Usage {
    /// Processor time, user and system, seconds.
    pub processor_seconds: f64,
    /// System calls that read.
    pub read_calls: u64,
    /// Bytes read from devices.
    pub read_bytes: u64,
    /// Bytes written to devices, or to the page cache on their way there.
    pub written_bytes: u64,
}

impl Usage {
    /// Of the process of this id; `None` where it has ended, or the kernel does not tell.
    pub(super) fn of(pid: u32) -> Option<Usage> {
        let clock = clock_getcpuclockid(Pid::from_raw(pid.try_into().ok()?)).ok()?;
        let time = clock_gettime(clock).ok()?;
        let io = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
        let mut usage = Usage::of_io(&io)?;
        usage.processor_seconds = time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9;
        Some(usage)
    }

    /// From the text of `/proc/PID/io`.
    fn of_io(text: &str) -> Option<Usage> {
        let number = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line?.trim().parse::<u64>().ok()
        };
        Some(Usage {
            processor_seconds: 0.0,
            read_calls: number("syscr")?,
            read_bytes: number("read_bytes")?,
            written_bytes: number("write_bytes")?,
        })
    }

    /// What was used since `earlier`.
    pub(super) fn since(self, earlier: Usage) -> Usage {
        Usage {
            processor_seconds: self.processor_seconds - earlier.processor_seconds,
            read_calls: self.read_calls.saturating_sub(earlier.read_calls),
            read_bytes: self.read_bytes.saturating_sub(earlier.read_bytes),
            written_bytes: self.written_bytes.saturating_sub(earlier.written_bytes),
        }
    }
}

/// Processor time of each thread that is alive.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Threads {
    /// Name and seconds of each.
    seen: Vec<(String, f64)>,
}

impl Threads {
    /// Those of the process of this id, without those of which the kernel does not tell it.
    pub(super) fn of(pid: u32) -> Threads {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let thread = |task: fs::DirEntry| {
            let read = |file: &str| fs::read_to_string(task.path().join(file)).ok();
            let nanoseconds: f64 = read("schedstat")?.split(' ').next()?.parse().ok()?;
            Some((read("comm")?.trim_end().to_owned(), nanoseconds / 1e9))
        };
        Threads { seen: tasks.filter_map(thread).collect() }
    }

    /// Seconds of all threads.
    pub(super) fn seconds(&self) -> f64 {
        self.seen.iter().map(|(_, seconds)| seconds).sum()
    }

    /// Seconds of all threads of this name; `None` where none was seen.
    pub(super) fn seconds_of(&self, name: &str) -> Option<f64> {
        let seconds: Vec<f64> =
            self.seen.iter().filter(|(own, _)| own == name).map(|(_, seconds)| *seconds).collect();
        (!seconds.is_empty()).then(|| seconds.iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_counters_are_found_by_their_names() {
        let text = "rchar: 73332922\nwchar: 108329517\nsyscr: 2167\nsyscw: 11213\nread_bytes: 82881536\n\
                    write_bytes: 116525568\ncancelled_write_bytes: 16986112\n";
        let usage = Usage::of_io(text).unwrap();
        assert_eq!(
            (usage.read_calls, usage.read_bytes, usage.written_bytes),
            (2167, 82_881_536, 116_525_568)
        );
        assert_eq!(Usage::of_io("rchar: 1\n"), None);
    }

    #[test]
    fn this_process_has_used_its_processor_and_has_threads() {
        let before = Usage::of(std::process::id()).unwrap();
        let mut sum = 0_u64;
        while Usage::of(std::process::id()).unwrap().since(before).processor_seconds < 0.01 {
            sum = std::hint::black_box(sum + 1);
        }
        std::thread::Builder::new()
            .name("named:low".into())
            .spawn(|| {
                let threads = Threads::of(std::process::id());
                assert!(threads.seconds_of("named:low").is_some() && threads.seconds_of("none").is_none());
            })
            .unwrap()
            .join()
            .unwrap();
    }

    #[test]
    fn a_process_that_is_gone_has_no_counters() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        assert_eq!(Usage::of(child.id()), None);
    }
}
