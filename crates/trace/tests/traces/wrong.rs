//! Lines that are wrong: said where and what, and the rest can be read.

use leadline_trace::{Format, TraceError, open, open_as};

use crate::in_memory;

/// Reads `bad` between lines that are good, and gives what is said of it.
#[track_caller]
fn said(format: Format, good: &str, bad: &str) -> String {
    let mut trace = in_memory(format!("{good}\n{bad}\n{good}\n"), Some(format)).unwrap();
    let before = trace.next().unwrap().unwrap();
    let error = trace.next().unwrap_err();
    let line = 1 + good.lines().count() as u64;
    assert!(matches!(&error, TraceError::Syntax { line: at, .. } if *at == line), "{error}");
    // The good lines of fio end in its first request again.
    let after = if format == Format::Fio {
        let header = trace.next().unwrap_err().to_string();
        assert!(header.contains("timestamp"), "{header}");
        trace.next().unwrap().unwrap()
    } else {
        trace.next().unwrap().unwrap()
    };
    assert_eq!((before.address, before.length), (after.address, after.length), "it is read on");
    assert_eq!(trace.next().unwrap(), None);
    let text = error.to_string();
    assert!(!text.contains('\n') && text.len() < 250, "{text}");
    text
}

#[track_caller]
fn each(format: Format, good: &str, cases: &[(&str, &[&str])]) {
    for (bad, parts) in cases {
        let text = said(format, good, bad);
        for part in *parts {
            assert!(text.contains(part), "{bad:?}: {text}");
        }
    }
}

const FULL: &str = "18446744073709551615";
const OVER: &str = "18446744073709551616";

#[test]
fn pages() {
    each(
        Format::Pages,
        "R 15",
        &[
            ("X 15", &["t:2: found \"X\", expected R or W"]),
            ("R", &["t:2: page: found the end of the line", "whole number"]),
            ("R -1", &["page: found \"-1\""]),
            ("R 1.5", &["page: found \"1.5\""]),
            (&format!("R {OVER}"), &[OVER]),
            ("R 1 0", &["size: found 0"]),
            ("R 1 4294967296", &["at most 4294967295"]),
            (&format!("R {FULL} 2"), &["end below 2^64"]),
            ("R 1 2 3", &["found \"3\""]),
            ("R15", &["found \"R15\""]),
            ("\u{0}\u{1b}[2J", &["\\x00\\x1b[2J"]),
        ],
    );
}

#[test]
fn msr() {
    each(
        Format::Msr,
        "1000,web,0,Read,0,4096,1",
        &[
            ("1000,web,0,Trim,0,4096,1", &["type: found \"Trim\", expected Read or Write"]),
            ("1000,web,0,Read,-8,4096,1", &["offset: found \"-8\""]),
            ("1000,web,0,Read,0,0,1", &["size: found 0"]),
            ("1000,web,0,Read,0", &["size: found the end of the line"]),
            ("NaN,web,0,Read,0,1,1", &["timestamp: found \"NaN\""]),
            ("1000,web,0,Read,0,4096,1,9", &["behind the response time"]),
            (&format!("{FULL},web,0,Read,0,4096,1"), &["584 years"]),
            (&format!("1000,web,0,Read,{FULL},2,1"), &["end below 2^64"]),
            (&format!("1000,{},0,Read,0,1,1", "x".repeat(300)), &["volume", "256 bytes"]),
        ],
    );
}

#[test]
fn cloudphysics() {
    each(
        Format::CloudPhysics,
        "1,10,2a,512,8",
        &[
            ("1,10,zz,512,8", &["command: found \"zz\""]),
            ("1,10,+8,512,8", &["command: found \"+8\""]),
            ("1,10,,512,8", &["command: found \"\""]),
            ("1,inf,2a,512,8", &["time: found \"inf\""]),
            ("1,10,2a,512,36028797018963968", &["2^64 bytes"]),
            ("1,10,2a,512,8,9", &["behind the last field"]),
            ("1,10,2a,0,8", &["size: found 0"]),
        ],
    );
}

#[test]
fn spc() {
    each(
        Format::Spc,
        "0,8,512,R,0.5",
        &[
            ("0,8,512,T,0.5", &["opcode: found \"T\", expected R or W"]),
            ("0,8,512,R,nan", &["timestamp: found \"nan\""]),
            ("0,8,512,R,-0.5", &["timestamp: found \"-0.5\""]),
            ("0,8,512,R,1e400", &["timestamp: found \"1e400\""]),
            ("0,8,512,R", &["timestamp: found the end"]),
            ("a,8,512,R,1", &["ASU: found \"a\""]),
            (&format!("0,{FULL},512,R,1"), &["LBA", "2^55"]),
        ],
    );
}

#[test]
fn arc() {
    each(
        Format::Arc,
        "5 1 0 0",
        &[
            ("5 1 0", &["number of the request: found the end"]),
            ("5 0 0 0", &["size: found 0"]),
            ("5 1 0 0 0", &["found \"0\", expected the end"]),
            (&format!("{FULL} 2 0 0"), &["end below 2^64"]),
        ],
    );
}

#[test]
fn fio() {
    each(
        Format::Fio,
        "fio version 3 iolog\n0 /dev/a read 0 4096",
        &[
            ("0 /dev/a erase 0 4096", &["t:3: action: found \"erase\""]),
            ("x /dev/a read 0 4096", &["timestamp: found \"x\""]),
            ("0 /dev/a read 0", &["length: found the end"]),
            ("0 /dev/a read 0 0", &["size: found 0"]),
            ("0", &["file: found the end"]),
            (&format!("{FULL} /dev/a read 0 1"), &["584 years"]),
        ],
    );
    for text in ["", "\n", "fio version 1 iolog\n", "0 /dev/a read 0 1\n"] {
        let mut trace = in_memory(text, Some(Format::Fio)).unwrap();
        let error = trace.next().unwrap_err().to_string();
        assert!(error.starts_with("t:1: ") && error.contains("fio version 3 iolog"), "{error}");
        assert_eq!(trace.next().unwrap(), None);
    }
}

#[test]
fn blkparse() {
    each(
        Format::Blkparse,
        "8,0 0 1 0.5 1 Q R 8 + 8 [x]",
        &[
            ("8,0 0 1 0.5 1 Q R 8 + 0 [x]", &["size: found 0"]),
            ("8,0 0 1 0.5 1 Q R 8 - 8 [x]", &["found \"-\", expected +"]),
            ("8,0 0 1 0.5 1 Q R", &["sector: found the end"]),
            ("8,0 0 1 0.5 1 Q XYZ 8 + 8", &["RWBS: found \"XYZ\""]),
            ("8,0 0 1 x 1 Q R 8 + 8", &["time: found \"x\""]),
            ("8,0 0 1 0.5 1", &["action: found the end"]),
            ("hello world", &["found \"hello world\", expected an event"]),
            (&format!("8,0 0 1 0.5 1 Q W {FULL} + 8 [x]"), &["sector", "2^55"]),
        ],
    );
}

#[test]
fn a_blkparse_trace_without_queueing_is_not_an_empty_trace() {
    let mut trace = in_memory("8,0 0 1 0.5 1 P N [x]\n", Some(Format::Blkparse)).unwrap();
    let error = trace.next().unwrap_err().to_string();
    assert!(error.contains("none of action Q, D or C"), "{error}");
    assert_eq!(trace.next().unwrap(), None);
}

#[test]
fn records_that_are_cut_off_or_of_another_version() {
    let mut trace = in_memory([0u8; 24 + 13], Some(Format::OracleGeneral)).unwrap();
    trace.next().unwrap().unwrap();
    let error = trace.next().unwrap_err().to_string();
    assert_eq!(error, "t:2: found 13 bytes at the end, expected a record of 24; the file was cut off");
    assert_eq!(trace.next().unwrap(), None);

    let mut trace = in_memory([7u8; 32], Some(Format::Vscsi)).unwrap();
    let error = trace.next().unwrap_err().to_string();
    assert!(error.starts_with("t:1: version: found 7"), "{error}");
    assert_eq!(trace.next().unwrap(), None);
}

#[test]
fn what_is_in_no_known_format_is_told_which_there_are() {
    for (bytes, said) in [
        (&b"hello\nworld\n"[..], "not recognised"),
        (b"", "empty"),
        (b"1,2,3\n4,5,6\n", "not recognised"),
        (&[0xff; 100], "not recognised"),
    ] {
        let text = in_memory(bytes, None).err().unwrap().to_string();
        assert!(text.starts_with("t: ") && text.contains(said), "{text}");
        assert!(Format::ALL.iter().all(|format| text.contains(format.name())), "{text}");
    }
}

#[test]
fn generators_have_no_format_and_strict_options() {
    assert!(open_as("gen:paper-ms", Format::Pages).is_err());
    for (name, parts) in [
        ("gen:nothing", &["gen:nothing: ", "paper-ms", "ycsb-f"][..]),
        ("gen:zipf?page=3", &["no option \"page\"", "pages=1000000", "scrambled=1"]),
        ("gen:zipf?pages", &["\"pages\" is not an option", "key=value"]),
        ("gen:zipf?pages=0", &["pages=0: expected a whole number from 1 to"]),
        ("gen:zipf?pages=+5", &["pages=+5"]),
        ("gen:zipf?pages=1&pages=2", &["given twice"]),
        ("gen:zipf?theta=nan", &["theta=nan: expected a number from 0 to 2"]),
        ("gen:zipf?reads=101", &["reads=101"]),
        ("gen:zipf?&", &["\"\" is not an option"]),
        ("gen:paper-ms?pages=5", &["hot_pages=10", "5 pages"]),
        ("gen:paper-ms?hot_pages=100", &["from 1 to 99"]),
        ("gen:paper-ms?pages=2147483648", &["from 2 to 2147483647"]),
        ("gen:paper-ms?seed=4294967296", &["seed"]),
        ("gen:ycsb-a?records=0", &["records=0"]),
    ] {
        let text = open(name).err().unwrap().to_string();
        for part in parts {
            assert!(text.contains(part), "{name}: {text}");
        }
    }
}
