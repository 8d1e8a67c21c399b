//! What reaches a mounted drive is in its trace.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};

use leadline_emulate::{Answer, Command, send};
use leadline_trace::capture::{Event, Operation, Reader};

use crate::drive::{Drive, O_DIRECT, can_mount};

/// What `work` had recorded.
fn captured(drive: &Drive, work: impl FnOnce()) -> (Vec<Event>, Reader) {
    let path = drive.folder.path().join("run.capture");
    let trace = |command| send(drive.path(""), &command).unwrap();
    assert_eq!(trace(Command::StartTrace { into: path.clone() }), Answer::Done);
    work();
    assert!(!path.exists());
    let Answer::Captured(summary) = trace(Command::StopTrace) else { panic!("not an answer to that") };
    let mut reader = Reader::open(path.to_str().unwrap()).unwrap();
    let events: Vec<Event> = std::iter::from_fn(|| reader.next_event().unwrap()).collect();
    assert_eq!(events.len() as u64, summary.events);
    (events, reader)
}

#[test]
fn each_operation_is_recorded_with_its_file_and_thread() {
    if !can_mount() {
        return;
    }
    let drive = Drive::new();
    fs::write(drive.path("before"), [1; 10_000]).unwrap();
    let (events, reader) = captured(&drive, || {
        let file = File::create(drive.path("a")).unwrap();
        file.write_all_at(&[7; 5000], 4096).unwrap();
        file.sync_all().unwrap();
        file.set_len(100).unwrap();
        fs::create_dir(drive.path("folder")).unwrap();
        assert!(fs::rename(drive.path("a"), drive.path("folder")).is_err());
        fs::rename(drive.path("a"), drive.path("b")).unwrap();
        fs::remove_file(drive.path("b")).unwrap();
        drop(file);
        fs::remove_file(drive.path("before")).unwrap();
    });
    let named: Vec<(&str, Operation, u64, u64)> = events
        .iter()
        .map(|e| (reader.files()[e.file as usize].as_str(), e.operation, e.offset, e.length))
        .collect();
    let of = |operation| named.iter().filter(move |(_, o, ..)| *o == operation).collect::<Vec<_>>();
    let written: u64 = of(Operation::Write).iter().map(|(.., length)| length).sum();
    // Whole pages where the kernel writes back; what was before the write is a hole.
    assert!((5000..=12_288).contains(&written), "{named:?}");
    assert_eq!(of(Operation::Sync), [&("b", Operation::Sync, 0, 0)]);
    assert!(of(Operation::Truncate).contains(&&("b", Operation::Truncate, 100, 0)), "{named:?}");
    assert_eq!(of(Operation::Rename), [&("b", Operation::Rename, 0, 0)]);
    assert_eq!(
        of(Operation::Remove),
        [&("b", Operation::Remove, 0, 0), &("before", Operation::Remove, 0, 0)]
    );
    let own: Vec<u32> =
        reader.threads().iter().filter(|t| t.pid == std::process::id()).map(|t| t.tid).collect();
    assert_eq!(own.len(), 1, "{:?}", reader.threads());
    assert!(events.iter().all(|event| event.completed_ns >= event.issued_ns));
}

#[test]
fn times_are_those_that_the_program_sees() {
    if !can_mount() {
        return;
    }
    let slow = "kind = \"parametric\"\ncapacity = \"1G\"\n[read]\nservice_us = 20000\nservers = 1\n\
                [write]\nservice_us = 1\nservers = 1\n";
    let drive = Drive::with(slow, |_| {});
    fs::write(drive.path("a"), [1; 8192]).unwrap();
    let (events, _) = captured(&drive, || {
        let file = File::options().read(true).custom_flags(O_DIRECT).open(drive.path("a")).unwrap();
        file.read_exact_at(&mut [0; 8192], 0).unwrap();
    });
    let reads: Vec<&Event> = events.iter().filter(|event| event.operation == Operation::Read).collect();
    assert_eq!(reads.iter().map(|read| read.length).sum::<u64>(), 8192);
    // Never less than the device takes; how much more is the machine's affair.
    assert!(reads.iter().all(|read| read.completed_ns - read.issued_ns >= 20_000_000), "{reads:?}");
}

#[test]
fn one_trace_at_a_time_and_in_a_place_that_is_there() {
    if !can_mount() {
        return;
    }
    let mut drive = Drive::new();
    let into = drive.folder.path().join("a.capture");
    let start = |into: &std::path::Path| send(drive.path(""), &Command::StartTrace { into: into.into() });
    let nowhere = start(&drive.folder.path().join("missing/a.capture")).unwrap_err().to_string();
    assert!(nowhere.contains("missing"), "{nowhere}");
    let itself = start(&drive.path("a.capture")).unwrap_err().to_string();
    assert!(itself.contains("is on the drive"), "{itself}");
    assert!(send(drive.path(""), &Command::StopTrace).unwrap_err().to_string().contains("no trace is being"));
    start(&into).unwrap();
    assert!(start(&into).unwrap_err().to_string().contains("already"));
    drive.unmount();
    assert!(into.exists(), "unmounting ends the trace");
}
