//! A processor for the timing of answers alone.

use std::fs;

use leadline_emulate::{EmulateError, EmulateOptions, EmulatedDevice, Emulator};
use rustix::thread::{CpuSet, sched_getaffinity};

use crate::drive::{Drive, can_mount};

/// Processors that threads of this program may use whose name is this one.
fn of_threads(name: &str) -> Vec<Vec<usize>> {
    let threads = fs::read_dir("/proc/self/task").unwrap().flatten();
    let named = threads.filter(|thread| {
        fs::read_to_string(thread.path().join("comm")).is_ok_and(|comm| comm.trim_end() == name)
    });
    let tid = |thread: fs::DirEntry| thread.file_name().to_str()?.parse().ok();
    let pids = named.filter_map(tid).filter_map(rustix::process::Pid::from_raw);
    pids.filter_map(|pid| sched_getaffinity(Some(pid)).ok()).map(|set| processors(&set)).collect()
}

fn processors(set: &CpuSet) -> Vec<usize> {
    (0..CpuSet::MAX_CPU).filter(|processor| set.is_set(*processor)).collect()
}

#[test]
fn answers_are_timed_on_a_processor_of_their_own() {
    let own = processors(&sched_getaffinity(None).unwrap());
    if !can_mount() || own.len() < 2 {
        return;
    }
    let device = "kind = \"parametric\"\ncapacity = \"1G\"\n[read]\nservice_us = 1\nservers = 4\n\
                  [write]\nservice_us = 1\nservers = 4\n";
    let drive = Drive::with(device, |options| {
        options.timing_processor = own.last().copied();
    });
    fs::write(drive.path("a"), "a").unwrap();
    assert_eq!(fs::read(drive.path("a")).unwrap(), b"a");
    assert!(of_threads("pace").contains(&vec![own[own.len() - 1]]), "{:?}", of_threads("pace"));
    assert_eq!(processors(&sched_getaffinity(None).unwrap()), own, "the caller may run where it could");
}

#[test]
fn a_processor_that_is_not_there_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let device = EmulatedDevice::open("sim:flash", None).unwrap();
    let mut options = EmulateOptions::new(folder.path(), folder.path());
    options.timing_processor = Some(1 << 20);
    let error = Emulator::mount(device, options).unwrap_err();
    assert!(matches!(error, EmulateError::Processor { .. }) && error.is_bad_input(), "{error}");
    assert!(error.to_string().contains("processor 1048576"), "{error}");
}
