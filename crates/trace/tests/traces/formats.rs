//! Every format: its sample, told by its content alone, is the requests that were written into it.

use leadline_trace::{Format, Unit, open, open_as};

use crate::{all, in_memory, sample, short};

#[track_caller]
fn holds(name: &str, format: Format, unit: Unit, timed: bool, expected: &[&str]) {
    assert_eq!(Format::of_ending(&sample(name)), None, "the content is to tell the format of {name}");
    for trace in [open(&sample(name)), open_as(&sample(name), format)] {
        let trace = trace.unwrap();
        assert_eq!((trace.unit(), trace.timed()), (unit, timed));
        assert_eq!(trace.progress(), Some(1.0), "so small a file is read at once");
        assert_eq!(all(trace).iter().map(short).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn pages() {
    let expected = ["R 0 15 1", "W 0 17 1", "R 0 18446744073709551615 1", "W 0 100 4"];
    holds("pages.txt", Format::Pages, Unit::Page, false, &expected);
}

#[test]
fn msr() {
    // A tick is 100 ns; the third line's time goes back.
    let expected = [
        "R 0 4096 8192",
        "W 0 512 1024 @10000100",
        "R 1 0 4096 @10000100",
        "R 2 1048576 65536 @1000000000000",
    ];
    holds("web_0.csv", Format::Msr, Unit::Byte, true, &expected);
}

#[test]
fn cloudphysics() {
    let expected = ["W 0 20480000512 512", "R 0 8192 8192 @1250000000", "R 0 12288 4096 @1250000000"];
    holds("machine.csv", Format::CloudPhysics, Unit::Byte, true, &expected);
    let expected = ["W 0 4096 4096", "R 0 8192 512 @3000"];
    holds("esx.csv", Format::CloudPhysics, Unit::Byte, true, &expected);
}

#[test]
fn spc() {
    let expected = [
        "W 0 15360065536 8192",
        "W 0 15359541248 8192 @2335000",
        "R 1 2560098304 15872 @500000000",
        "R 2 4096 512 @1150000000",
    ];
    holds("financial.csv", Format::Spc, Unit::Byte, true, &expected);
}

#[test]
fn arc() {
    holds("oltp.txt", Format::Arc, Unit::Page, false, &["R 0 1 1", "R 0 27 5", "R 0 1 1"]);
}

#[test]
fn fio() {
    // Version 2 has times where something waits.
    holds("v2.log", Format::Fio, Unit::Byte, true, &["R 0 0 4096", "W 1 8192 512 @500000"]);
    holds("v3.log", Format::Fio, Unit::Byte, true, &["W 0 4096 16384", "R 0 0 4096 @100000"]);
}

#[test]
fn blkparse() {
    let expected = ["W 0 153608192 4096", "R 1 32768 131072 @500000", "W 0 409600 512 @3000000"];
    holds("sda.out", Format::Blkparse, Unit::Byte, true, &expected);
}

/// A record of vscsiStats, version 1.
fn v1(command: u16, bytes: u32, sector: u64, us: u64) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend(0x8000_00f4u32.to_le_bytes());
    record.extend(bytes.to_le_bytes());
    record.extend(1u32.to_le_bytes());
    record.extend(command.to_le_bytes());
    record.extend(0x0100u16.to_le_bytes());
    record.extend(sector.to_le_bytes());
    record.extend(us.to_le_bytes());
    record
}

/// A record of vscsiStats, version 2.
fn v2(command: u16, bytes: u32, sector: u64, us: u64) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend(command.to_le_bytes());
    record.extend(0x0200u16.to_le_bytes());
    record.extend(7u32.to_le_bytes());
    record.extend(bytes.to_le_bytes());
    record.extend(1u32.to_le_bytes());
    record.extend(sector.to_le_bytes());
    record.extend(us.to_le_bytes());
    record.extend(250u64.to_le_bytes());
    record
}

#[test]
fn vscsi_of_both_versions() {
    for record in [v1, v2] {
        let file = [
            record(0x2a, 512, 40_000_001, 5_000_000_860_322),
            record(0x28, 8192, 16, 5_000_000_860_332),
            record(0x35, 0, 0, 5_000_000_860_333),
            record(0x88, 4096, 1 << 40, 5_000_000_860_342),
        ]
        .concat();
        let trace = in_memory(file, None).unwrap();
        assert_eq!((trace.unit(), trace.timed()), (Unit::Byte, true));
        let requests: Vec<String> = all(trace).iter().map(short).collect();
        assert_eq!(
            requests,
            ["W 0 20480000512 512", "R 0 8192 8192 @10000", "R 0 562949953421312 4096 @20000"]
        );
    }
}

/// A record of oracleGeneral.
fn oracle(seconds: u32, object: u64, next: i64) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend(seconds.to_le_bytes());
    record.extend(object.to_le_bytes());
    record.extend(100u32.to_le_bytes());
    record.extend(next.to_le_bytes());
    record
}

#[test]
fn oraclegeneral() {
    let file = [oracle(7, 5, 2), oracle(7, u64::MAX, -1), oracle(9, 5, i64::MAX)].concat();
    let trace = in_memory(file.clone(), None).unwrap();
    assert_eq!((trace.unit(), trace.timed()), (Unit::Page, true));
    let requests: Vec<String> = all(trace).iter().map(short).collect();
    assert_eq!(requests, ["R 0 5 1", "R 0 18446744073709551615 1", "R 0 5 1 @2000000000"]);

    // A file's size says how many there are.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.oracleGeneral.bin");
    std::fs::write(&path, file).unwrap();
    let mut trace = open(path.to_str().unwrap()).unwrap();
    assert_eq!(trace.remaining(), Some(3));
    trace.next().unwrap();
    assert_eq!(trace.remaining(), Some(2));
}

#[test]
fn endings_tell_formats_behind_those_of_compression() {
    for (path, format) in [
        ("a.pages", Some(Format::Pages)),
        ("dir.fio/P1.lis.gz", Some(Format::Arc)),
        ("w01.vscsi.zst", Some(Format::Vscsi)),
        ("w01.oracleGeneral.bin.zst", Some(Format::OracleGeneral)),
        ("w01.OracleGeneral.XZ", Some(Format::OracleGeneral)),
        ("x.iolog", Some(Format::Fio)),
        ("x.spc.txt.gz", Some(Format::Spc)),
        ("x.csv.gz", None),
        ("x", None),
        ("", None),
        ("spc", None),
    ] {
        assert_eq!(Format::of_ending(path), format, "{path}");
    }
}

#[test]
fn names_are_read_back() {
    for format in Format::ALL {
        assert_eq!(Format::parse(format.name()), Some(format));
        assert_eq!(Format::parse(&format.name().to_uppercase()), Some(format));
    }
    assert_eq!(Format::parse("csv"), None);
}

#[test]
fn lines_of_windows_are_lines() {
    let text = "0,8,512,R,0.5\r\n0,16,512,W,0.6\r\n";
    let requests: Vec<String> = all(in_memory(text, None).unwrap()).iter().map(short).collect();
    assert_eq!(requests, ["R 0 4096 512", "W 0 8192 512 @100000000"]);
}

/// Files that fill what is looked at many times over, cut anywhere.
#[test]
fn long_files_are_told_too() {
    let lines = |line: fn(u64) -> String| (0..20_000).map(line).collect::<String>();
    for (text, format) in [
        (lines(|i| format!("13000000000{i:07},web,0,Read,{},4096,9\n", i % 977 * 512)), "msr"),
        (lines(|i| format!("{} 8 0 {i}\n", i % 977 * 8)), "arc"),
        (lines(|i| format!("8,0 3 {i} {}.5 412 Q W {} + 8 [x]\n", i / 10, i % 977)), "blkparse"),
    ] {
        for from in [0, 1] {
            let told = in_memory(&text[from..], None).unwrap();
            let recognition = told.recognition().unwrap();
            assert_eq!(recognition.format, format, "{from}");
            assert!(recognition.looked_at == 1000 && recognition.fitting >= 999, "{recognition:?}");
        }
    }
}
