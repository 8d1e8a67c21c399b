//! Captures: what was written comes back, and damage is told.

use leadline_trace::capture::{Event, Operation, Reader, Recorder, Thread, Writer};
use leadline_trace::{Format, Request, TraceError};
use proptest::prelude::*;

use crate::{all, in_memory};

/// A capture of three files and two threads; the name of file 1 changes in event `renamed`.
fn written(events: &[Event], renamed: Option<usize>, ended_ns: u64) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new());
    for (i, name) in ["t/a.ibd", "t/b.ibd", "log"].iter().enumerate() {
        assert_eq!(writer.file(name).unwrap(), i as u32);
    }
    for (i, name) in ["query", ""].iter().enumerate() {
        let thread = Thread { tid: u32::MAX - i as u32, pid: 7, name: (*name).to_owned() };
        assert_eq!(writer.thread(&thread).unwrap(), i as u32);
    }
    for (i, event) in events.iter().enumerate() {
        if renamed == Some(i) {
            writer.rename(&Event { file: 1, ..*event }, "t/new.ibd").unwrap();
        } else {
            writer.event(event).unwrap();
        }
    }
    writer.finish(ended_ns).unwrap()
}

fn reader(bytes: &[u8]) -> Result<Reader, TraceError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.capture");
    std::fs::write(&path, bytes).unwrap();
    Reader::open(path.to_str().unwrap())
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let offset = prop_oneof![0u64..1 << 20, any::<u64>().prop_map(|n| n >> 1)];
    let length = prop_oneof![Just(16384u64), 0u64..1 << 20, any::<u64>().prop_map(|n| n >> 1)];
    let operations = Operation::ALL.into_iter().filter(|&operation| operation != Operation::Rename);
    let operation = prop::sample::select(operations.collect::<Vec<_>>());
    let one = (0u64..1 << 40, 0u64..1 << 40, 0u32..2, 0u32..3, operation, offset, length, any::<bool>());
    prop::collection::vec(one, 0..200).prop_map(|drawn| {
        let (mut now, mut end) = (0, 0u64);
        let event = |(gap, took, thread, file, operation, offset, length, next)| {
            now += gap;
            // Runs of requests that follow one another are what captures are made of.
            let offset = if next && end < 1 << 62 { end } else { offset };
            end = offset + length;
            Event { issued_ns: now, completed_ns: now + took, thread, file, operation, offset, length }
        };
        drawn.into_iter().map(event).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn events_come_back(events in events(), ended_ns: u64) {
        let mut reader = reader(&written(&events, None, ended_ns)).unwrap();
        for event in &events {
            prop_assert_eq!(reader.next_event().unwrap(), Some(*event));
        }
        prop_assert_eq!(reader.next_event().unwrap(), None);
        prop_assert_eq!(reader.ended_ns(), Some(ended_ns));
        prop_assert_eq!(reader.files(), ["t/a.ibd", "t/b.ibd", "log"]);
        prop_assert_eq!(reader.threads().iter().map(|t| (t.tid, t.pid)).collect::<Vec<_>>(), [(u32::MAX, 7), (u32::MAX - 1, 7)]);
    }

    /// Cut off anywhere, a capture gives the events before, and says once that it is damaged.
    #[test]
    fn what_is_cut_off_is_told(events in events(), cut in 0.0..1.0) {
        let whole = written(&events, None, 5);
        let kept = (whole.len() as f64 * cut) as usize;
        let Ok(mut reader) = reader(&whole[..kept]) else { return Ok(()) };
        for event in &events {
            match reader.next_event() {
                Ok(found) => prop_assert_eq!(found, Some(*event)),
                Err(error) => {
                    prop_assert!(error.to_string().contains("the capture is damaged"), "{}", error);
                    prop_assert_eq!(reader.next_event().unwrap(), None);
                    return Ok(());
                }
            }
        }
        prop_assert!(reader.next_event().is_err());
    }
}

fn event(operation: Operation, offset: u64, length: u64, at: u64) -> Event {
    Event { issued_ns: at, completed_ns: at + 9, thread: 0, file: 1, operation, offset, length }
}

#[test]
fn as_a_trace_it_has_reads_and_writes_and_the_names_of_files() {
    let events = [
        event(Operation::Sync, 0, 0, 100),
        event(Operation::Read, 4096, 512, 150),
        event(Operation::Read, 8192, 0, 160),
        event(Operation::Truncate, 0, 0, 170),
        event(Operation::DurableWrite, 0, 64, 190),
    ];
    let bytes = written(&events, Some(3), 500);
    let mut trace = in_memory(bytes.clone(), None).unwrap();
    assert!(trace.timed());
    let read = Request { at_ns: 0, volume: 1, write: false, address: 4096, length: 512 };
    assert_eq!(trace.next().unwrap(), Some(read));
    assert_eq!(trace.volume_name(1), Some("t/b.ibd"));
    let write = Request { at_ns: 40, volume: 1, write: true, address: 0, length: 64 };
    assert_eq!(trace.next().unwrap(), Some(write));
    assert_eq!((trace.volume_name(1), trace.volume_name(3)), (Some("t/new.ibd"), None));
    assert_eq!(trace.next().unwrap(), None);
    assert_eq!(all(in_memory(bytes, Some(Format::Capture)).unwrap()).len(), 2);
}

#[test]
fn what_is_no_capture_is_refused() {
    let refused = |bytes: &[u8]| reader(bytes).err().map(|error| error.to_string()).unwrap();
    assert!(refused(b"R 1\n").contains("is not a capture"));
    assert!(refused(b"").contains("is not a capture"));
    assert!(refused(b"leadline capture 2\n").contains("another version"));
}

#[test]
fn an_event_of_a_file_or_thread_that_nobody_announced_is_an_error() {
    let mark = b"leadline capture 1\n";
    for record in [&[0x20u8, 0, 0, 0, 0][..], &[0x10, 0, 0, 0, 0], &[0x30, 0, 0, 0]] {
        let mut reader = reader(&[mark, record].concat()).unwrap();
        let error = reader.next_event().unwrap_err().to_string();
        assert!(error.contains("event 1") && error.contains("not announced"), "{error}");
    }
}

fn recorded(record: impl FnOnce(&Recorder)) -> Reader {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.capture");
    let recorder = Recorder::create(&path).unwrap();
    record(&recorder);
    assert!(!path.exists(), "it appears when it is finished");
    let summary = recorder.finish(1_000_000).unwrap();
    assert_eq!(summary.bytes, std::fs::metadata(&path).unwrap().len());
    assert!(recorder.finish(1_000_000).is_err());
    Reader::open(path.to_str().unwrap()).unwrap()
}

fn events_of(reader: &mut Reader) -> Vec<Event> {
    std::iter::from_fn(|| reader.next_event().unwrap()).collect()
}

#[test]
fn what_is_recorded_is_in_the_order_of_issue_whatever_completes_first() {
    let own = std::process::id();
    let read = |at| Event { thread: own, ..event(Operation::Read, at, 16384, at) };
    let mut reader = recorded(|recorder| {
        let first = recorder.issued(read(100), 77, || "a".to_owned());
        // Its time is that of a thread that came late to the lock.
        let late = Event { thread: 0, ..read(90) };
        let second = recorder.issued(late, 78, || "b".to_owned());
        recorder.completed(second, 200, 4096);
        let to = recorder.renamed(read(150), 77, || unreachable!("known already"), "c".to_owned());
        recorder.completed(to, 160, 0);
        recorder.completed(first, 300, 16384);
        recorder.issued(read(400), 77, || unreachable!("known already"));
    });
    let events = events_of(&mut reader);
    let short: Vec<_> = events.iter().map(|e| (e.issued_ns, e.completed_ns, e.file, e.length)).collect();
    let open_at_the_end = (400, 1_000_000, 0, 0);
    assert_eq!(short, [(100, 300, 0, 16384), (100, 200, 1, 4096), (150, 160, 0, 16384), open_at_the_end]);
    assert_eq!(events[2].operation, Operation::Rename);
    assert_eq!(reader.files(), ["c", "b"]);
    assert_eq!((reader.threads()[0].tid, reader.threads()[0].pid), (own, own));
    assert_eq!(reader.ended_ns(), Some(1_000_000));
}

#[test]
fn a_thread_asks_after_it_was_answered() {
    let of = |thread, at| Event { thread, ..event(Operation::Read, at, 4096, at) };
    let mut reader = recorded(|recorder| {
        let name = || "a".to_owned();
        let first = recorder.issued(of(1, 100), 77, name);
        let other = recorder.issued(of(2, 110), 77, name);
        let ahead = recorder.issued(of(1, 120), 77, name);
        recorder.completed(first, 300, 4096);
        // Estimates of the way there say that it was sent before the answer came.
        let next = recorder.issued(of(1, 295), 77, name);
        recorder.completed(ahead, 310, 4096);
        recorder.completed(other, 320, 4096);
        recorder.completed(next, 500, 4096);
    });
    let times: Vec<_> = events_of(&mut reader).iter().map(|e| (e.issued_ns, e.completed_ns)).collect();
    assert_eq!(times, [(100, 300), (110, 320), (120, 310), (300, 500)]);
}

#[test]
fn many_threads_record_at_once() {
    const EACH: u64 = 20_000;
    let mut reader = recorded(|recorder| {
        std::thread::scope(|scope| {
            for node in 0..4 {
                scope.spawn(move || {
                    for i in 0..EACH {
                        let read = Event { thread: 0, ..event(Operation::Read, i * 4096, 4096, i) };
                        let ticket = recorder.issued(read, node, || format!("file {node}"));
                        recorder.completed(ticket, i + 5, 4096);
                    }
                });
            }
        });
    });
    let events = events_of(&mut reader);
    assert!(events.is_sorted_by_key(|event| event.issued_ns));
    for file in 0..4 {
        let own: Vec<u64> = events.iter().filter(|e| e.file == file).map(|e| e.offset / 4096).collect();
        assert_eq!(own, (0..EACH).collect::<Vec<_>>());
    }
}

#[test]
fn a_recorder_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    drop(Recorder::create(folder.path().join("x.capture")).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(Recorder::create(folder.path().join("missing/x.capture")).is_err());
}
