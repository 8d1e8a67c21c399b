//! `ycsb-a` to `ycsb-f`: the core workloads of YCSB as the pages they touch (Cooper et al., "Benchmarking
//! Cloud Serving Systems with YCSB", SoCC 2010; `workloads/workloada` to `workloadf`).
//!
//! | workload | operations | records by |
//! | --- | --- | --- |
//! | A | 50 % read, 50 % update | Zipf's law |
//! | B | 95 % read, 5 % update | Zipf's law |
//! | C | 100 % read | Zipf's law |
//! | D | 95 % read, 5 % insert | Zipf's law from the latest back |
//! | E | 95 % scan of 1 to 100 records, 5 % insert | Zipf's law |
//! | F | 50 % read, 50 % read-modify-write | Zipf's law |
//!
//! Records are in the pages one after the other, those inserted behind the last; the popular ones are
//! scattered, as YCSB does it by hashing. A read is a read of the record's page, an update or insert a write
//! of it, a scan one read of a run of pages, a read-modify-write a read and then a write. `ops` counts these
//! requests.

use super::options::{GeneratorInfo, OptionInfo, Options, options};
use super::skewed::PAGES_MAX;
use super::{GeneratedTrace, Generator, pages};
use crate::{Request, Scatter, Trace, Zipf};

const OPTIONS: &[OptionInfo] = options! {
    "records" = "1000000", "record_bytes" = "1000", "page_bytes" = "4096", "ops" = "2000000", "theta" = "0.99", "seed" = "1",
};

macro_rules! workload {
    ($id:ident, $name:literal, $about:literal) => {
        pub(super) const $id: GeneratorInfo = GeneratorInfo { name: $name, about: $about, options: OPTIONS };
    };
}
workload!(A, "ycsb-a", "half reads, half updates, by Zipf's law");
workload!(B, "ycsb-b", "95 % reads, 5 % updates, by Zipf's law");
workload!(C, "ycsb-c", "reads, by Zipf's law");
workload!(D, "ycsb-d", "95 % reads of the latest, 5 % inserts");
workload!(E, "ycsb-e", "95 % scans of 1 to 100 records, 5 % inserts");
workload!(F, "ycsb-f", "half reads, half read-modify-writes, by Zipf's law");

/// Longest scan, records.
const SCAN_MAX: u64 = 100;

#[derive(Clone, Copy, PartialEq)]
enum Other {
    Update,
    Insert,
    ReadModifyWrite,
}

struct Ycsb {
    random: fastrand::Rng,
    /// Percent of the operations that are reads (scans); what the others are.
    reads: f64,
    other: Other,
    scans: bool,
    latest: bool,
    zipf: Zipf,
    scatter: Scatter,
    layout: KeyLayout,
    records: u64,
    /// The second half of a read-modify-write.
    pending: Option<Request>,
}

/// Where records lie: several to a page, or several pages to a record.
struct KeyLayout {
    records_a_page: u64,
    pages_a_record: u64,
}

pub(super) fn make(name: &'static str, options: &Options) -> Result<Box<dyn Trace>, String> {
    let (reads, other) = match name {
        "ycsb-a" => (50.0, Other::Update),
        "ycsb-b" => (95.0, Other::Update),
        "ycsb-c" => (100.0, Other::Update),
        "ycsb-d" | "ycsb-e" => (95.0, Other::Insert),
        _ => (50.0, Other::ReadModifyWrite),
    };
    let records = options.count("records", 1..=PAGES_MAX)?;
    let ops = options.ops()?;
    let theta = options.number("theta", 0.0..=2.0)?;
    let latest = name == "ycsb-d";
    // As YCSB does it, records are drawn from all that will come to be, and again while they have not.
    let inserts = if other == Other::Insert && !latest { ops.min(PAGES_MAX) / 10 } else { 0 };
    let drawn = records + inserts;
    let ycsb = Ycsb {
        random: fastrand::Rng::with_seed(options.count("seed", 0..=u64::MAX)?),
        reads,
        other,
        scans: name == "ycsb-e",
        latest,
        zipf: Zipf::new(drawn, theta),
        scatter: Scatter::new(drawn),
        layout: KeyLayout::new(options)?,
        records,
        pending: None,
    };
    Ok(GeneratedTrace::boxed(ycsb, ops))
}

impl KeyLayout {
    fn new(options: &Options) -> Result<KeyLayout, String> {
        let record_bytes = options.count("record_bytes", 1..=1 << 20)?;
        let page_bytes = options.count("page_bytes", 1..=1 << 24)?;
        let records_a_page = (page_bytes / record_bytes).max(1);
        Ok(KeyLayout { records_a_page, pages_a_record: record_bytes.div_ceil(page_bytes) })
    }

    /// The pages of `count` records from `first` on.
    fn request(&self, write: bool, first: u64, count: u64) -> Request {
        let page = |record| record / self.records_a_page * self.pages_a_record;
        let start = page(first);
        let end = page(first + count - 1) + self.pages_a_record;
        pages(write, start, (end - start) as u32)
    }
}

impl Generator for Ycsb {
    fn request(&mut self) -> Request {
        if let Some(write) = self.pending.take() {
            return write;
        }
        if !super::writes(&mut self.random, self.reads) {
            let record = self.record();
            let wanted = if self.scans { self.random.u64(1..=SCAN_MAX) } else { 1 };
            return self.layout.request(false, record, wanted.min(self.records - record));
        }
        match self.other {
            Other::Update => {
                let record = self.record();
                self.layout.request(true, record, 1)
            }
            Other::Insert => {
                self.records += 1;
                if self.latest {
                    self.zipf.resize(self.records);
                }
                self.layout.request(true, self.records - 1, 1)
            }
            Other::ReadModifyWrite => {
                let record = self.record();
                self.pending = Some(self.layout.request(true, record, 1));
                self.layout.request(false, record, 1)
            }
        }
    }
}

impl Ycsb {
    /// The record of an operation.
    fn record(&mut self) -> u64 {
        if self.latest {
            return self.records - 1 - self.zipf.sample(&mut self.random);
        }
        loop {
            let record = self.scatter.place(self.zipf.sample(&mut self.random));
            if record < self.records {
                return record;
            }
        }
    }
}
