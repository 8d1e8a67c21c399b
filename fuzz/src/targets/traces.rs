//! Traces of every format, and compressed ones.

use std::io::{Cursor, Write as _};

use leadline_files::{Compression, Compressor};
use leadline_trace::capture::{Event, Operation, Thread, Writer};
use leadline_trace::{Format, TextOptions, Trace, TraceColumns, TraceError, read};

use crate::Target;

/// A format of traces, or what tells them and sees through compression.
struct Traces {
    format: Option<Format>,
}

/// A target per format, one for compressed traces whose format is to be told, and one for columns.
pub(super) fn all() -> impl Iterator<Item = Box<dyn Target>> {
    let formats = Format::ALL.into_iter().map(Some).chain([None]);
    let formats = formats.map(|format| Box::new(Traces { format }) as Box<dyn Target>);
    formats.chain([Box::new(NamedColumns) as Box<dyn Target>])
}

/// Text whose columns are named, and whose dialect is to be told.
struct NamedColumns;

impl Target for NamedColumns {
    fn name(&self) -> String {
        "trace-columns".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let quoted = b"when;kind;\"where\";n;disk\n10;R;4096;512;sda\n12.5;W;8192;512;\"sd b\"\n";
        let blanks = b"# made up\n1 r 0 512 0\n2 w 512 512 1\n";
        vec![quoted.to_vec(), blanks.to_vec()]
    }

    fn words(&self) -> &'static [&'static str] {
        &["R", "W", "\"", "\"\"", ",", ";", "|", "\t", " ", "\n", "\r", "#", "%", "\u{feff}", "1e9", "."]
    }

    fn binary(&self) -> bool {
        false
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let columns = "time:us,op,offset:bytes,size:bytes,volume";
        let columns = TraceColumns::parse(columns, None, TextOptions::default()).expect("they are columns");
        let Ok(trace) = read(Box::new(Cursor::new(input.to_vec())), "input", columns) else {
            return false;
        };
        read_all(trace, input.len() + 2, true)
    }
}

macro_rules! samples {
    ($($name:literal),*) => {
        vec![$(include_bytes!(concat!("../../../crates/trace/tests/traces/samples/", $name)).to_vec()),*]
    };
}

impl Target for Traces {
    fn name(&self) -> String {
        format!("trace-{}", self.format.map_or("compressed", Format::name))
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        match self.format {
            Some(Format::Pages) => samples!("pages.txt"),
            Some(Format::Msr) => samples!("web_0.csv"),
            Some(Format::CloudPhysics) => samples!("esx.csv", "machine.csv"),
            Some(Format::Spc) => samples!("financial.csv"),
            Some(Format::Arc) => samples!("oltp.txt"),
            Some(Format::Fio) => samples!("v2.log", "v3.log"),
            Some(Format::Blkparse) => samples!("sda.out"),
            Some(Format::Blktrace) => vec![blktrace(false), blktrace(true)],
            Some(Format::Biosnoop) => samples!("bio.txt"),
            Some(Format::Alibaba) => samples!("ali.csv"),
            Some(Format::Tencent) => samples!("cbs.csv"),
            Some(Format::Systor) => samples!("lun.csv"),
            Some(Format::Fiu) => samples!("fiu.blk"),
            Some(Format::Disksim) => samples!("disksim.trace"),
            Some(Format::Mqsim) => samples!("mqsim.trace"),
            Some(Format::Twitter) => samples!("cluster.csv"),
            Some(Format::Cachelib) => samples!("kv2022.csv", "kv2024.csv"),
            Some(Format::Lirs) => samples!("loop.trc"),
            Some(Format::Objects) => samples!("names.list"),
            Some(Format::Vscsi) => vec![vscsi(1), vscsi(2)],
            Some(Format::OracleGeneral) => vec![oraclegeneral()],
            Some(Format::Capture) => vec![capture()],
            None => compressed(),
        }
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "R",
            "W",
            "read",
            "Write",
            "add",
            "trim",
            "Q",
            "8,0",
            "#",
            ",",
            " ",
            "\n",
            "\r\n",
            "+",
            "fio version 3 iolog\n",
        ]
    }

    fn binary(&self) -> bool {
        matches!(
            self.format,
            Some(Format::Vscsi | Format::OracleGeneral | Format::Blktrace | Format::Capture)
        )
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let Ok(trace) = read(Box::new(Cursor::new(input.to_vec())), "input", self.format) else {
            return false;
        };
        // An error is of one line or record; what follows may be read on. A few compressed bytes may stand
        // for millions of lines: reading some of them shows as much.
        // A line of CacheLib is up to a million requests.
        let all_are_read = self.format.is_some_and(|format| format != Format::Cachelib);
        let most = if all_are_read { input.len() + 2 } else { 1 << 14 };
        read_all(trace, most, all_are_read)
    }
}

/// Reads at most so many requests, and says whether there were any; `ends` where there cannot be more.
fn read_all(mut trace: Box<dyn Trace>, most: usize, ends: bool) -> bool {
    let mut past_header = false;
    let mut last = 0;
    for _ in 0..most {
        match trace.next() {
            Ok(Some(request)) => {
                past_header = true;
                assert!(request.length > 0, "a request has a length");
                let end = request.address.checked_add(u64::from(request.length) - 1);
                assert!(end.is_some(), "a request ends below 2^64");
                assert!(request.at_ns >= last, "times do not go back");
                last = request.at_ns;
            }
            Ok(None) => return past_header,
            Err(TraceError::Io { .. }) => return past_header,
            Err(_) => {}
        }
    }
    assert!(!ends, "it does not end");
    past_header
}

/// A trace in each compression, of two members, frames or streams. The first is longer than what telling the
/// format takes, and small when compressed: most mutations break the second, behind requests that were read.
fn compressed() -> Vec<Vec<u8>> {
    let first = "R 1\n".repeat(17_000);
    let second: String = (0..500u32).map(|i| format!("R {}\n", i * i % 977)).collect();
    let kinds = [Compression::Gzip, Compression::Bzip2, Compression::Zstd, Compression::Xz];
    let stream = |kind, text: &str| {
        let mut compressor = Compressor::new(Vec::new(), Some(kind))?;
        compressor.write_all(text.as_bytes())?;
        compressor.finish()
    };
    let both = |kind| Ok([stream(kind, &first)?, stream(kind, &second)?].concat());
    let all: std::io::Result<Vec<Vec<u8>>> = kinds.map(both).into_iter().collect();
    all.expect("memory takes what is compressed")
}

/// A capture with an event of every operation.
fn capture() -> Vec<u8> {
    let whole = || {
        let mut writer = Writer::new(Vec::new());
        writer.file("t/lineitem.ibd")?;
        writer.thread(&Thread { tid: 12, pid: 10, name: "query".to_owned() })?;
        for (i, operation) in (0..).zip(Operation::ALL) {
            let (issued_ns, completed_ns) = (i * 1000, i * 1500);
            let event = Event {
                issued_ns,
                completed_ns,
                thread: 0,
                file: 0,
                operation,
                offset: i * i * 4096,
                length: 16384,
            };
            match operation {
                Operation::Rename => writer.rename(&event, "t/orders.ibd")?,
                _ => writer.event(&event)?,
            }
        }
        writer.finish(1 << 20)
    };
    let bytes: std::io::Result<Vec<u8>> = whole();
    bytes.expect("memory takes what is written")
}

/// Three records of vscsiStats.
fn vscsi(version: u8) -> Vec<u8> {
    let mut all = Vec::new();
    for (command, sector, at) in [(0x28u16, 8u64, 1_000_000u64), (0x2a, 64, 1_000_300), (0x28, 72, 1_000_400)]
    {
        let [id, bytes, entries] = [1u32, 4096, 1];
        let of_version = u16::from(version) << 8;
        if version == 1 {
            [id, bytes, entries].iter().for_each(|n| all.extend(n.to_le_bytes()));
        }
        [command, of_version].iter().for_each(|n| all.extend(n.to_le_bytes()));
        if version == 2 {
            [id, bytes, entries].iter().for_each(|n| all.extend(n.to_le_bytes()));
        }
        [sector, at].iter().for_each(|n| all.extend(n.to_le_bytes()));
        if version == 2 {
            all.extend(90u64.to_le_bytes());
        }
    }
    all
}

/// Records of blktrace: a request in three stages, and the name of a process.
fn blktrace(big_endian: bool) -> Vec<u8> {
    let mut all = Vec::new();
    let mut put = |number: u64, bytes: usize| match big_endian {
        true => all.extend(&number.to_be_bytes()[8 - bytes..]),
        false => all.extend(&number.to_le_bytes()[..bytes]),
    };
    for (sequence, action) in [(0u64, 1u64 << 26), (1, 0x0012_0001), (2, 0x0042_0007), (3, 0x0082_0008)] {
        put(0x6561_7407, 4);
        put(sequence, 4);
        put(sequence * 1000, 8);
        put(2048, 8);
        for number in [4096, action, 412, 8 << 20, 3] {
            put(number, 4);
        }
        put(0, 2);
        put(if sequence == 0 { 16 } else { 0 }, 2);
        if sequence == 0 {
            put(0x6b6a, 8);
            put(0, 8);
        }
    }
    all
}

/// Three records of libCacheSim.
fn oraclegeneral() -> Vec<u8> {
    let mut all = Vec::new();
    for (at, object) in [(1u32, 7u64), (2, 9), (2, 7)] {
        all.extend(at.to_le_bytes());
        all.extend(object.to_le_bytes());
        all.extend(4096u32.to_le_bytes());
        all.extend((-1i64).to_le_bytes());
    }
    all
}
