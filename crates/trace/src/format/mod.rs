//! The formats of traces, one file each, and how they are told apart.

mod alibaba;
mod arc;
mod biosnoop;
mod blkparse;
mod blktrace;
mod blktrace_record;
mod block_event;
mod cachelib;
mod capture;
mod cloudphysics;
mod columns;
mod detect;
mod disksim;
mod evidence;
mod fields;
mod fio;
mod fiu;
mod list;
mod msr;
mod oraclegeneral;
mod pages;
mod reader;
mod roles;
mod scsi;
mod shape;
mod spc;
mod systor;
mod tencent;
mod twitter;
mod vscsi;

use crate::capture::Reader;
use crate::input::Input;
use crate::write::Encode;
use crate::{Trace, TraceError};

pub(crate) use detect::{detect, named};
use reader::{Binary, Text};
pub use roles::{TimeUnit, TraceColumns};

/// A file format of traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// `R 15` and `W 17`, page numbers.
    Pages,
    /// MSR Cambridge block traces, CSV.
    Msr,
    /// CloudPhysics block traces, CSV.
    CloudPhysics,
    /// VMware's vscsiStats records, binary, versions 1 and 2.
    Vscsi,
    /// SPC traces, as in the UMass repository.
    Spc,
    /// libCacheSim's oracleGeneral records, binary.
    OracleGeneral,
    /// The traces of the ARC paper, `.lis`.
    Arc,
    /// fio's iolog, versions 2 and 3; written as version 3.
    Fio,
    /// What blkparse prints by default.
    Blkparse,
    /// What blktrace writes, binary.
    Blktrace,
    /// What biosnoop prints.
    Biosnoop,
    /// Alibaba Cloud's block traces, CSV.
    Alibaba,
    /// Tencent's cloud block storage, CSV.
    Tencent,
    /// SYSTOR '17's virtual desktops, CSV.
    Systor,
    /// Florida International University's block traces.
    Fiu,
    /// DiskSim's ASCII traces.
    Disksim,
    /// MQSim's ASCII traces.
    Mqsim,
    /// Twitter's caches, CSV.
    Twitter,
    /// CacheLib's key-value caches, CSV.
    Cachelib,
    /// A page number per line, and marks.
    Lirs,
    /// A number or name per line.
    Objects,
    /// What reached a mounted file system, by file and thread.
    Capture,
}

impl Format {
    /// All, in the order of the docs.
    pub const ALL: [Format; 22] = [
        Format::Pages,
        Format::Msr,
        Format::CloudPhysics,
        Format::Vscsi,
        Format::Spc,
        Format::OracleGeneral,
        Format::Arc,
        Format::Fio,
        Format::Blkparse,
        Format::Blktrace,
        Format::Biosnoop,
        Format::Alibaba,
        Format::Tencent,
        Format::Systor,
        Format::Fiu,
        Format::Disksim,
        Format::Mqsim,
        Format::Twitter,
        Format::Cachelib,
        Format::Lirs,
        Format::Objects,
        Format::Capture,
    ];

    /// Formats that can be written.
    pub const WRITABLE: [Format; 5] =
        [Format::Pages, Format::Msr, Format::Spc, Format::OracleGeneral, Format::Fio];

    /// As the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Pages => "pages",
            Format::Msr => "msr",
            Format::CloudPhysics => "cloudphysics",
            Format::Vscsi => "vscsi",
            Format::Spc => "spc",
            Format::OracleGeneral => "oraclegeneral",
            Format::Arc => "arc",
            Format::Fio => "fio",
            Format::Blkparse => "blkparse",
            Format::Blktrace => "blktrace",
            Format::Biosnoop => "biosnoop",
            Format::Alibaba => "alibaba",
            Format::Tencent => "tencent",
            Format::Systor => "systor",
            Format::Fiu => "fiu",
            Format::Disksim => "disksim",
            Format::Mqsim => "mqsim",
            Format::Twitter => "twitter",
            Format::Cachelib => "cachelib",
            Format::Lirs => "lirs",
            Format::Objects => "objects",
            Format::Capture => "capture",
        }
    }

    /// The format of this name, upper or lower case.
    pub fn parse(name: &str) -> Option<Format> {
        Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// The format that a file's ending tells, behind `.gz`, `.bz2`, `.zst` or `.xz`; of many endings, such
    /// as `.csv`, none does.
    pub fn of_ending(path: &str) -> Option<Format> {
        detect::of_ending(path)
    }

    /// All names, for messages.
    pub fn names() -> String {
        Self::ALL.map(Format::name).join(", ")
    }

    /// What writes this format, `None` where it is only read. `page_bytes` is the size of a page, for the
    /// formats that note it.
    pub(crate) fn encoder(self, page_bytes: u32) -> Option<Box<dyn Encode>> {
        Some(match self {
            Format::Pages => Box::new(pages::Encoder),
            Format::Msr => Box::new(msr::Encoder),
            Format::Spc => Box::new(spc::Encoder),
            Format::OracleGeneral => Box::new(oraclegeneral::Encoder { page_bytes }),
            Format::Fio => Box::new(fio::Encoder::default()),
            _ => return None,
        })
    }
}

/// The requests of blktrace's files of several CPUs, merged by time.
pub(crate) fn blktrace_of_cpus(inputs: Vec<Input>) -> Box<dyn Trace> {
    Box::new(blktrace::Blktrace::open(inputs))
}

/// The reads and writes of a capture.
pub(crate) fn captured(reader: Reader) -> Box<dyn Trace> {
    Box::new(capture::Captured::of(reader))
}

/// The trace that `input` holds in columns that its user named.
pub(crate) fn columns_reader(columns: &TraceColumns, mut input: Input) -> Result<Box<dyn Trace>, TraceError> {
    let parser = columns::Parser::new(columns, &input)?;
    input.recognition = Some(parser.recognition());
    Ok(Text::open(input, parser))
}

/// The trace that `input` holds in `format`; an error where its first bytes say otherwise.
pub(crate) fn reader(format: Format, input: Input) -> Result<Box<dyn Trace>, TraceError> {
    Ok(match format {
        Format::Pages => Text::open(input, pages::Parser),
        Format::Msr => Text::open(input, msr::Parser::default()),
        Format::CloudPhysics => {
            let parser = cloudphysics::Parser::new(&input.head);
            Text::open(input, parser)
        }
        Format::Vscsi => {
            let parser = vscsi::Parser::new(&input.head);
            Binary::open(input, parser)
        }
        Format::Spc => Text::open(input, spc::Parser::default()),
        Format::OracleGeneral => Binary::open(input, oraclegeneral::Parser::default()),
        Format::Arc => Text::open(input, arc::Parser),
        Format::Fio => {
            let parser = fio::Parser::new(&input.head);
            Text::open(input, parser)
        }
        Format::Blkparse => {
            let parser = blkparse::Parser::new(&input.head);
            Text::open(input, parser)
        }
        Format::Blktrace => Box::new(blktrace::Blktrace::open(vec![input])),
        Format::Biosnoop => {
            let parser = biosnoop::Parser::new(&input.head);
            Text::open(input, parser)
        }
        Format::Alibaba => Text::open(input, alibaba::Parser::default()),
        Format::Tencent => Text::open(input, tencent::Parser::default()),
        Format::Systor => Text::open(input, systor::Parser::default()),
        Format::Fiu => Text::open(input, fiu::Parser::default()),
        Format::Disksim => Text::open(input, disksim::Parser::of(disksim::Simulator::DiskSim)),
        Format::Mqsim => Text::open(input, disksim::Parser::of(disksim::Simulator::MqSim)),
        Format::Twitter => Text::open(input, twitter::Parser::default()),
        Format::Cachelib => {
            let parser = cachelib::Parser::new(&input.head);
            Text::open(input, parser)
        }
        Format::Lirs => Text::open(input, list::Lirs),
        Format::Objects => Text::open(input, list::Objects),
        Format::Capture => captured(Reader::new(input)?),
    })
}
