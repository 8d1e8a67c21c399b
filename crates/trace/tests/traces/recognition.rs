//! A format is told by evidence: lines that fit, and fields within its ranges. Where that is thin, the trace
//! is refused, and said is what would decide.

use leadline_trace::{Format, RecognizedBy, Request, Trace, TraceError, open};

use crate::{all, in_memory, sample, short};

/// What is said where the format of `text` is not told.
#[track_caller]
fn refused(text: &str) -> String {
    match in_memory(text, None) {
        Err(error) => error.to_string(),
        Ok(trace) => panic!("read as {:?}", trace.recognition()),
    }
}

/// The format that `text` is taken for.
#[track_caller]
fn told(text: &str) -> &'static str {
    in_memory(text, None).unwrap().recognition().unwrap().format
}

#[test]
fn four_numbers_are_not_yet_an_arc_trace() {
    // Time, object, size and next request of a cache: three requests, not three thousand.
    let said = refused("1 1001 120 7\n2 1002 64 9\n3 1001 120 -1\n");
    assert!(said.contains("closest is arc, but line 1: third field: found \"120\", expected 0"), "{said}");
    assert!(refused("27 5 0 1\n30 5 0 1\n").contains("one more than on the line above"));
    assert_eq!(told("27 5 0 1\n30 5 0 2\n"), "arc");
}

#[test]
fn tencents_five_numbers_are_not_those_of_cloudphysics() {
    let text = "1538323200,6338688,8,1,1627\n1538323201,0,16,0,1628\n";
    assert_eq!(told(text), "tencent");
    let requests: Vec<String> = all(in_memory(text, None).unwrap()).iter().map(short).collect();
    assert_eq!(requests, ["W 0 3245408256 4096", "R 1 0 8192 @1000000000"]);
    assert!(refused("3,5.0,2a,512,8\n").contains("version: found \"3\", expected a number from 1 to 2"));
    assert!(refused("100,6338688,8,1,1627\n").contains("tencent"));
}

#[test]
fn what_fits_two_formats_is_refused_with_both() {
    let error = in_memory("4851300 1 524288 16 0\n4864300 1 524304 16 1\n", None).err().unwrap();
    assert!(error.to_string().contains("can be read as disksim and as mqsim"), "{error}");
    assert!(matches!(error, TraceError::AmbiguousFormat { formats, .. } if formats == ["disksim", "mqsim"]));
    // Decimals are DiskSim's.
    assert_eq!(told("4851.3 1 524288 16 0\n4864.25 1 524304 16 1\n"), "disksim");
}

#[test]
fn fewer_than_a_hundred_lines_count_only_where_they_are_all() {
    let good = "0,8,512,R,0.5\n".repeat(60);
    assert_eq!(told(&good), "spc");
    let comments = format!("{good}{}", "\n".repeat(70_000));
    assert!(refused(&comments).contains("only 60 lines are requests"), "{}", refused(&comments));
    // Numbers alone may be anything.
    assert!(refused("5\n7\n5\n").contains("closest is lirs, but only 3 lines"));
    assert_eq!(told(&"5\n7\n".repeat(50)), "lirs");
}

#[test]
fn a_time_that_goes_far_back_and_an_offset_within_a_sector_are_evidence_against() {
    let line = |time: u64, offset| format!("{time},web,0,Read,{offset},4096,9\n");
    let (minute, tick) = (600_000_000, 130_000_000_000_000_000);
    assert_eq!(told(&(line(tick + minute, 0) + &line(tick, 512))), "msr");
    assert!(refused(&(line(tick + minute + 1000, 0) + &line(tick, 512))).contains("at most a minute before"));
    assert!(refused(&line(tick, 100)).contains("offset: found \"100\", expected a multiple of 512"));
}

#[test]
fn the_evidence_is_told() {
    let text = format!("{}nonsense\n", "0,8,512,R,0.5\n".repeat(200));
    let trace = in_memory(text, None).unwrap();
    let told = trace.recognition().unwrap();
    assert_eq!((told.format, told.by), ("spc", RecognizedBy::Content));
    assert_eq!((told.looked_at, told.fitting), (201, 200));
    assert_eq!(told.evidence, "200 of the first 201 lines fit, all within the format's ranges, 1 wrong");
    let trace = in_memory("R 1\n", Some(Format::Pages)).unwrap();
    assert_eq!(trace.recognition().unwrap().words(), "pages: as it was named");
    assert!(open("gen:paper-ms").unwrap().recognition().is_none());
}

#[test]
fn an_ending_that_the_lines_contradict_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        open(&path).map(|trace| trace.recognition().unwrap().clone()).map_err(|error| error.to_string())
    };
    let error = named("t.arc", "1 1001 120 7\n2 1002 64 9\n").unwrap_err();
    assert!(error.contains("its ending says arc, but line 1: third field") && error.contains("--format arc"));
    let error = named("t.pages", "0,8,512,R,0.5\n").unwrap_err();
    assert!(error.contains("it has lines of spc; --format spc"), "{error}");
    let told = named("t.spc", "0,8,512,R,0.5\nnonsense\n").unwrap();
    assert_eq!((told.by, told.fitting), (RecognizedBy::Ending, 1));
    assert!(named("few.lirs", "5\n7\n").is_ok());
}

#[test]
fn a_byte_order_mark_and_other_line_ends_lose_nothing() {
    let lines = ["0,8,512,R,0.5", "0,16,512,W,0.6", "0,24,512,R,0.7"];
    let expected = ["R 0 4096 512", "W 0 8192 512 @100000000", "R 0 12288 512 @200000000"];
    for end in ["\n", "\r\n", "\r"] {
        for mark in ["", "\u{feff}"] {
            for last in ["", end] {
                let text = format!("{mark}{}{last}", lines.join(end));
                let requests: Vec<String> = all(in_memory(text, None).unwrap()).iter().map(short).collect();
                assert_eq!(requests, expected, "{end:?} {mark:?} {last:?}");
            }
        }
    }
    let marked = "\u{feff}fio version 2 iolog\r/a read 0 512\r";
    assert_eq!(all(in_memory(marked, None).unwrap()).len(), 1);
    let utf16: Vec<u8> =
        std::iter::once(0xfeffu16).chain("R 1\n".encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let error = in_memory(utf16, None).err().unwrap().to_string();
    assert!(error.contains("UTF-16") && error.contains("iconv"), "{error}");
}

#[test]
fn lines_that_hold_no_request_are_counted_by_kind() {
    let text = "version,time,op,size,lbn\n1,5,2a,512,8\n\n1,6,35,512,8\n1,7,0,512,8\n1,8,28,512,8\n";
    let mut trace = in_memory(text, Some(Format::CloudPhysics)).unwrap();
    while trace.next().unwrap().is_some() {}
    let kinds: Vec<_> =
        trace.skipped().unwrap().kinds().iter().map(|k| (&*k.what, k.count, k.first_line)).collect();
    let commands = "SCSI commands that neither read nor write";
    assert_eq!(kinds, [("header", 1, 1), ("empty lines", 1, 3), (commands, 2, 4)]);
}

#[test]
fn blkparse_without_queueing_is_read_by_what_there_is() {
    let line = |i: u64, action: &str, kind: &str| {
        format!("8,0 3 {i} 0.{i:06} 412 {action} {kind} {} + 8 [x]\n", i * 8)
    };
    let text = |actions: &[&str]| -> String {
        (0..300).map(|i| line(i, actions[i as usize % actions.len()], "WS")).collect()
    };
    for (actions, taken, evidence) in [
        (&["Q", "G", "D", "C"][..], 75, "as they were queued (Q)"),
        (&["D", "C"], 150, "no event is a Q: requests as they were sent to the driver (D)"),
        (&["C"], 300, "no event is a Q or D: requests as they were completed (C)"),
    ] {
        let trace = in_memory(text(actions), None).unwrap();
        let told = trace.recognition().unwrap().evidence.clone();
        assert!(told.contains(evidence), "{told}");
        assert_eq!(all(trace).len(), taken, "{actions:?}");
    }
}

#[test]
fn operations_on_zones_are_not_bad_lines() {
    let read = |action: &str| {
        let line = |i: u32, kind| format!("8,0 3 {i} 0.{i:06} 412 {action} {kind} 64 + 8 [x]\n");
        let text: String =
            (0u32..).zip(["ZAS", "ZR", "ZRA", "ZO", "ZC", "ZF", "W", "R"]).map(|(i, k)| line(i, k)).collect();
        let mut trace = in_memory(text, Some(Format::Blkparse)).unwrap();
        let requests: Vec<_> = std::iter::from_fn(|| trace.next().unwrap()).map(|r| r.write).collect();
        (requests, trace.skipped().unwrap().total())
    };
    assert_eq!(read("Q"), (vec![true, false], 6));
    // Where an append went is known when it completes.
    assert_eq!(read("C"), (vec![true, true, false], 5));
}

#[test]
fn waits_of_fio_take_their_time() {
    let text = "fio version 2 iolog\n/a add\n/a wait 700 0\n/a read 0 512\n/a wait 300 0\n/a write 0 512\n\
                /a wait 50 0\n/a wait 50 0\n/a read 512 512\n";
    let trace = in_memory(text, None).unwrap();
    assert!(trace.timed());
    let times: Vec<u64> = all(trace).iter().map(|request| request.at_ns).collect();
    assert_eq!(times, [0, 300_000, 400_000]);
    // Without any there are no times; one that comes late is said and changes nothing.
    let late = format!("fio version 2 iolog\n{}/a wait 9 0\n/a read 0 512\n", "/a read 0 512\n".repeat(9000));
    let mut trace = in_memory(late, None).unwrap();
    assert!(!trace.timed());
    while let Some(request) = trace.next().unwrap() {
        assert_eq!(request.at_ns, 0);
    }
    let kinds = trace.skipped().unwrap().kinds();
    assert_eq!(
        (&*kinds[1].what, kinds[1].first_line),
        ("wait, ignored because the first 64 KiB have none", 9002)
    );
    let third = "fio version 3 iolog\n5 /a read 0 512\n6 /a wait 900\n7 /a read 0 512\n";
    let times: Vec<u64> = all(in_memory(third, None).unwrap()).iter().map(|request| request.at_ns).collect();
    assert_eq!(times, [0, 2000]);
}

/// The requests of a trace whose bad lines are passed over.
fn lenient(mut trace: Box<dyn Trace>) -> Vec<Request> {
    let mut requests = Vec::new();
    loop {
        match trace.next() {
            Ok(Some(request)) => requests.push(request),
            Ok(None) => return requests,
            Err(TraceError::Syntax { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Samples by their formats.
const SAMPLES: [(&str, Format); 18] = [
    ("pages.txt", Format::Pages),
    ("web_0.csv", Format::Msr),
    ("esx.csv", Format::CloudPhysics),
    ("machine.csv", Format::CloudPhysics),
    ("financial.csv", Format::Spc),
    ("oltp.txt", Format::Arc),
    ("v2.log", Format::Fio),
    ("v3.log", Format::Fio),
    ("sda.out", Format::Blkparse),
    ("bio.txt", Format::Biosnoop),
    ("ali.csv", Format::Alibaba),
    ("cbs.csv", Format::Tencent),
    ("lun.csv", Format::Systor),
    ("fiu.blk", Format::Fiu),
    ("disksim.trace", Format::Disksim),
    ("cluster.csv", Format::Twitter),
    ("kv2022.csv", Format::Cachelib),
    ("kv2024.csv", Format::Cachelib),
];

#[test]
fn no_trace_is_read_as_another_because_of_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut tried = 0;
    for (name, format) in SAMPLES {
        for other in Format::ALL.into_iter().filter(|&other| other != format) {
            let path = folder.path().join(format!("trace.{}", other.name()));
            std::fs::copy(sample(name), &path).unwrap();
            // It is refused, or not a line of it is a request: which is an error of every command.
            if let Ok(trace) = open(&path) {
                let told = trace.recognition().unwrap().clone();
                let requests = lenient(trace).len();
                assert!(
                    requests == 0 || told.format == format.name(),
                    "{name} as {}: {told:?}",
                    other.name()
                );
            }
            tried += 1;
        }
    }
    assert!(tried > 350);
}

#[test]
fn requests_stay_the_same_whatever_the_line_ends_and_the_marks() {
    for (name, format) in SAMPLES {
        let text = std::fs::read_to_string(sample(name)).unwrap().replace("\r\n", "\n");
        let expected = lenient(in_memory(text.clone(), None).unwrap());
        for end in ["\n", "\r\n", "\r"] {
            for (mark, last) in [("", ""), ("\u{feff}", ""), ("", end), ("\u{feff}", "\n\n")] {
                let changed = text.trim_end().replace('\n', end);
                let trace = in_memory(format!("{mark}{changed}{}", last.replace('\n', end)), None).unwrap();
                assert_eq!(trace.recognition().unwrap().format, format.name(), "{name} {end:?}");
                assert_eq!(lenient(trace), expected, "{name} {end:?} {mark:?}");
            }
        }
    }
}

#[test]
fn columns_in_another_order_are_refused() {
    // The time of these at the end, the size before the address.
    for text in [
        "6338688,8,1,1627,1538323200\n",
        "4096,8192,web,0,Read,130000000000000000,501\n",
        "8192,W,0.100000,0,30000128\n",
        "W,8792731648,16384,419,1577808144360767\n",
        "get,0,nsq5ZkMLB3aBkSuCc,17,204,11,0\n",
        "key,size,op_count,key_size\n1,2,3,4\n",
        "15 R\n17 W\n",
    ] {
        refused(&text.repeat(150));
    }
}
