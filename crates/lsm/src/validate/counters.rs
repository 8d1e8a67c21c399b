//! What the kernel counts of a running process: processor time, and I/O.

use std::collections::BTreeMap;
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

/// Processor time of each thread that was seen alive, as it was last seen.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Threads {
    /// Name and seconds by the thread's id.
    seen: BTreeMap<u32, (String, f64)>,
}

impl Threads {
    /// Looks again at the threads of a process.
    pub(super) fn look(&mut self, pid: u32) {
        for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let read = |file: &str| fs::read_to_string(task.path().join(file)).ok();
            let id = task.file_name().to_str().and_then(|name| name.parse().ok());
            let nanoseconds: Option<f64> =
                read("schedstat").and_then(|text| text.split(' ').next()?.parse().ok());
            if let (Some(id), Some(name), Some(nanoseconds)) = (id, read("comm"), nanoseconds) {
                self.seen.insert(id, (name.trim_end().to_owned(), nanoseconds / 1e9));
            }
        }
    }

    /// Seconds of all threads.
    pub(super) fn seconds(&self) -> f64 {
        self.seen.values().map(|(_, seconds)| seconds).sum()
    }

    /// Seconds of all threads of this name; `None` where none was seen.
    pub(super) fn seconds_of(&self, name: &str) -> Option<f64> {
        let seconds: Vec<f64> =
            self.seen.values().filter(|(own, _)| own == name).map(|(_, seconds)| *seconds).collect();
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
        let mut threads = Threads::default();
        std::thread::Builder::new()
            .name("named:low".into())
            .spawn(move || {
                threads.look(std::process::id());
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
