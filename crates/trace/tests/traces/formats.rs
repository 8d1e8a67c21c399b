//! Every format: its sample, told by its content alone, is the requests that were written into it.

use leadline_trace::{Format, Trace, Unit, open, open_as};

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

#[test]
fn alibaba() {
    let expected = [
        "W 0 8792731648 16384",
        "R 1 59110326272 360448 @46000",
        "R 2 350868463616 8192 @85000",
        "R 1 59110686720 466944 @124000",
        "W 0 8792748032 4096 @253000",
    ];
    holds("ali.csv", Format::Alibaba, Unit::Byte, true, &expected);
}

#[test]
fn tencent() {
    let expected = [
        "W 0 3245408256 4096",
        "R 1 6607163392 151552",
        "W 0 3245412352 4096",
        "W 2 11810435072 65536 @1000000000",
        "R 1 0 8192 @3000000000",
    ];
    holds("cbs.csv", Format::Tencent, Unit::Byte, true, &expected);
}

#[test]
fn systor() {
    let expected = ["R 0 899056122368 131072", "W 1 4096 512 @924000", "W 0 899056122368 65536 @1000000000"];
    holds("lun.csv", Format::Systor, Unit::Byte, true, &expected);
}

#[test]
fn fiu() {
    let expected =
        ["W 0 462983966720 4096", "W 1 474551640064 8192 @10000", "R 0 462983966720 4096 @1000000000"];
    holds("fiu.blk", Format::Fiu, Unit::Byte, true, &expected);
}

#[test]
fn disksim_and_mqsim() {
    let expected = ["R 0 30720 4096", "W 1 2097152 8192 @1250000", "R 0 34816 4096 @2500001"];
    holds("disksim.trace", Format::Disksim, Unit::Byte, true, &expected);
    let requests: Vec<String> =
        all(open_as(&sample("mqsim.trace"), Format::Mqsim).unwrap()).iter().map(short).collect();
    assert_eq!(requests, ["W 0 268435456 8192", "W 0 268443648 8192 @13000", "R 1 4096 32768 @20000"]);
}

#[test]
fn biosnoop() {
    let expected = ["W 0 6703390720 4096", "R 1 32768 131072 @174000", "W 0 6703394816 512 @1022396000"];
    holds("bio.txt", Format::Biosnoop, Unit::Byte, true, &expected);
}

/// Of each request whether it writes, its object as a number from 0, the object's bytes and the time.
fn sized(mut trace: Box<dyn Trace>) -> Vec<(bool, usize, Option<u32>, u64)> {
    let mut objects = Vec::new();
    let mut found = Vec::new();
    while let Some(request) = trace.next().unwrap() {
        assert_eq!(request.length, 1);
        let known = objects.iter().position(|&object| object == request.address);
        let object = known.unwrap_or_else(|| {
            objects.push(request.address);
            objects.len() - 1
        });
        found.push((request.write, object, trace.object_bytes(), request.at_ns));
    }
    found
}

#[test]
fn twitter() {
    let trace = open(&sample("cluster.csv")).unwrap();
    assert_eq!((trace.unit(), trace.timed()), (Unit::Page, true));
    assert_eq!(trace.recognition().unwrap().format, "twitter");
    let second = 1_000_000_000;
    let expected = [
        (false, 0, Some(221), 0),
        (false, 1, Some(17), 0),
        (true, 0, Some(227), second),
        (true, 2, Some(32), second),
    ];
    assert_eq!(sized(trace), expected);
}

#[test]
fn cachelib_of_both_years() {
    let trace = open(&sample("kv2022.csv")).unwrap();
    assert_eq!((trace.unit(), trace.timed()), (Unit::Page, false));
    let expected = [
        (false, 0, Some(4096), 0),
        (false, 0, Some(4096), 0),
        (true, 1, Some(120), 0),
        (false, 0, Some(18), 0),
    ];
    assert_eq!(sized(trace), expected);
    let trace = open(&sample("kv2024.csv")).unwrap();
    assert!(trace.timed());
    let set = (true, 1, Some(912), 2_000_000_000);
    assert_eq!(sized(trace), [(false, 0, Some(512), 0), set, set, set]);
}

#[test]
fn lists_of_numbers_and_names() {
    let requests = |name: &str, format| -> Vec<String> {
        all(open_as(&sample(name), format).unwrap()).iter().map(short).collect()
    };
    assert_eq!(
        requests("loop.trc", Format::Lirs),
        ["R 0 0 1", "R 0 1 1", "R 0 2 1", "R 0 1 1", "R 0 1009 1"]
    );
    let names = requests("names.list", Format::Objects);
    assert_eq!((names[0] == names[2], names[0] == names[1], &*names[3]), (true, false, "R 0 42 1"));
}

/// A record of blktrace, and a byte more where `pdu` says so.
fn blk(order: fn(u64, usize) -> Vec<u8>, ns: u64, action: u32, sector: u64, bytes: u32, pdu: u16) -> Vec<u8> {
    let device = (8 << 20) | 16;
    let mut record = [order(0x6561_7407, 4), order(1, 4), order(ns, 8), order(sector, 8)].concat();
    for number in [bytes, action, 412, device, 3] {
        record.extend(order(number.into(), 4));
    }
    record.extend([order(0, 2), order(pdu.into(), 2), vec![b'x'; pdu.into()]].concat());
    record
}

#[test]
fn blktrace_in_both_byte_orders() {
    const QUEUED: u32 = 1 | 1 << 20;
    const ISSUED: u32 = 7 | 1 << 22;
    const READ: u32 = 1 << 16;
    const WRITE: u32 = 1 << 17;
    let little: fn(u64, usize) -> Vec<u8> = |number, bytes| number.to_le_bytes()[..bytes].to_vec();
    let big: fn(u64, usize) -> Vec<u8> = |number, bytes| number.to_be_bytes()[8 - bytes..].to_vec();
    for order in [little, big] {
        let file = [
            blk(order, 0, 1 << 26, 0, 0, 16), // the name of a process
            blk(order, 1000, QUEUED | WRITE, 8, 4096, 0),
            blk(order, 1500, ISSUED | WRITE, 8, 4096, 0),
            blk(order, 2000, QUEUED | 1 << 8 | READ, 1024, 512, 8), // of a control group
            blk(order, 2500, QUEUED | WRITE | 1 << 29, 0, 1 << 20, 0), // a discard
            blk(order, 2600, QUEUED | WRITE | 1 << 18, 0, 0, 0),    // a flush
        ]
        .concat();
        let trace = in_memory(file.clone(), None).unwrap();
        let told = trace.recognition().unwrap().clone();
        assert_eq!((told.format, told.fitting), ("blktrace", 6));
        let requests: Vec<String> = all(trace).iter().map(short).collect();
        assert_eq!(requests, ["W 0 4096 4096", "R 0 524288 512 @1000"]);

        // Behind damage it goes on with the next record.
        let damaged = [&file[..64], &b"garbage"[..], &file[64..], &file[..40]].concat();
        let mut trace = in_memory(damaged, None).unwrap();
        let error = trace.next().unwrap_err().to_string();
        assert!(error.starts_with("t:2: found no mark of a record"), "{error}");
        assert_eq!([trace.next().unwrap().is_some(), trace.next().unwrap().is_some()], [true; 2]);
        let error = trace.next().unwrap_err().to_string();
        assert!(error.contains("cut off"), "{error}");
        assert_eq!(trace.next().unwrap(), None);
    }
}

#[test]
fn blktrace_of_several_cpus_is_merged_by_time() {
    const ISSUED_READ: u32 = 7 | 1 << 22 | 1 << 16;
    let little: fn(u64, usize) -> Vec<u8> = |number, bytes| number.to_le_bytes()[..bytes].to_vec();
    let folder = tempfile::tempdir().unwrap();
    for cpu in 0..3u64 {
        let record = |i: u64| blk(little, 100 + (i * 3 + cpu) * 10, ISSUED_READ, i * 3 + cpu, 512, 0);
        let file: Vec<u8> = (0..5).flat_map(record).collect();
        std::fs::write(folder.path().join(format!("sda.blktrace.{cpu}")), file).unwrap();
    }
    for name in [folder.path().to_owned(), folder.path().join("sda")] {
        let trace = open(&name).unwrap();
        let told = trace.recognition().unwrap().words();
        assert!(told.contains("the files of 3 CPUs, merged by time; no event is a Q"), "{told}");
        let sectors: Vec<(u64, u64)> = all(trace).iter().map(|r| (r.address / 512, r.at_ns)).collect();
        assert_eq!(sectors, (0..15).map(|i| (i, i * 10)).collect::<Vec<_>>());
    }
    let alone = open(&folder.path().join("sda.blktrace.1")).unwrap();
    assert!(
        alone.recognition().unwrap().evidence.contains("one CPU of several"),
        "{:?}",
        alone.recognition()
    );
    assert_eq!(all(alone).len(), 5);
    std::fs::write(folder.path().join("sdb.blktrace.0"), "").unwrap();
    let error = open(folder.path()).err().unwrap().to_string();
    assert!(error.contains("several devices, sda, sdb; name one"), "{error}");
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
        (lines(|i| format!("{},{},8,{},1627\n", 1_538_323_200 + i / 50, i % 977 * 8, i % 2)), "tencent"),
        (lines(|i| format!("{}\n", i % 977)), "lirs"),
    ] {
        for from in [0, 1] {
            let told = in_memory(&text[from..], None).unwrap();
            let recognition = told.recognition().unwrap();
            assert_eq!(recognition.format, format, "{from}");
            assert!(recognition.looked_at == 1000 && recognition.fitting >= 999, "{recognition:?}");
        }
    }
}
