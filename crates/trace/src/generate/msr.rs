//! `msr-prn-1`, `msr-proj-0`, `msr-usr-2`, `msr-web-2`: block traces with the counts and the bytes of four
//! traces of servers at Microsoft Research Cambridge, as table 2 of Yang, Li and Lilja (ACM TOMPECS 5(1),
//! 2020) has them.
//!
//! Reads and writes come in the table's proportion, with its mean sizes. The table says nothing about places:
//! a request either begins where the last one of its kind ended, or at a page drawn by Zipf's law.

use super::options::{GeneratorInfo, Options, options};
use super::skewed::{PAGES_MAX, PageSampler};
use super::{GeneratedTrace, Generator, pages};
use crate::{Request, Trace};

pub(super) const PRN_1: GeneratorInfo = GeneratorInfo {
    name: "msr-prn-1",
    about: "requests as a print server's: 75 % reads of 21K on average, writes of 11K",
    options: OPTIONS,
};

pub(super) const PROJ_0: GeneratorInfo = GeneratorInfo {
    name: "msr-proj-0",
    about: "requests as a project server's: 13 % reads of 17K on average, writes of 38K",
    options: OPTIONS,
};

pub(super) const USR_2: GeneratorInfo = GeneratorInfo {
    name: "msr-usr-2",
    about: "requests as a home server's: 81 % reads of 47K on average, writes of 13K",
    options: OPTIONS,
};

pub(super) const WEB_2: GeneratorInfo = GeneratorInfo {
    name: "msr-web-2",
    about: "requests as a web server's: 99 % reads of 50K on average, writes of 19K",
    options: OPTIONS,
};

const OPTIONS: &[super::OptionInfo] = options! {
    "pages" = "4194304", "ops" = "2000000", "seed" = "1", "theta" = "0.9", "sequential" = "30", "scrambled" = "1",
};

/// A row of table 2: millions of requests, and 10^9 bytes that they moved.
struct Row {
    name: &'static str,
    writes: f64,
    reads: f64,
    written_gb: f64,
    read_gb: f64,
}

const TABLE_2: [Row; 4] = [
    Row { name: PRN_1.name, writes: 2.77, reads: 8.46, written_gb: 30.78, read_gb: 181.35 },
    Row { name: PROJ_0.name, writes: 3.70, reads: 0.53, written_gb: 144.27, read_gb: 8.97 },
    Row { name: USR_2.name, writes: 1.99, reads: 8.58, written_gb: 26.47, read_gb: 415.28 },
    Row { name: WEB_2.name, writes: 0.04, reads: 5.14, written_gb: 0.78, read_gb: 262.82 },
];

const PAGE_BYTES: f64 = 4096.0;

/// Pages of the largest request: 1 MiB. With the table's means, one of 10^9 would be larger.
const MOST_PAGES: u32 = 256;

struct Msr {
    /// Share of the requests that write.
    writes: f64,
    /// Mean pages of a read, of a write.
    mean_pages: [f64; 2],
    /// Share of the requests that begin where the last one of their kind ended.
    sequential: f64,
    pages: u64,
    places: PageSampler,
    /// Where the last read ended, and the last write.
    ends: [u64; 2],
    random: fastrand::Rng,
}

pub(super) fn make(name: &'static str, options: &Options) -> Result<Box<dyn Trace>, String> {
    let row = TABLE_2.iter().find(|row| row.name == name).ok_or("is not in the table")?;
    let msr = Msr {
        writes: row.writes / (row.writes + row.reads),
        mean_pages: [row.read_gb / row.reads, row.written_gb / row.writes].map(|kb| kb * 1e3 / PAGE_BYTES),
        sequential: options.number("sequential", 0.0..=100.0)? / 100.0,
        pages: options.count("pages", u64::from(MOST_PAGES)..=PAGES_MAX)?,
        places: PageSampler::new(options)?,
        ends: [0; 2],
        random: fastrand::Rng::with_seed(options.count("seed", 0..=u64::MAX)?),
    };
    Ok(GeneratedTrace::boxed(msr, options.ops()?))
}

impl Msr {
    /// Pages of a request, geometrically distributed from 1 on.
    fn length(&mut self, mean: f64) -> u32 {
        let further = (1.0 - self.random.f64()).ln() / (1.0 - 1.0 / mean).ln();
        (1.0 + further).min(f64::from(MOST_PAGES)) as u32
    }
}

impl Generator for Msr {
    fn request(&mut self) -> Request {
        let write = self.random.f64() < self.writes;
        let kind = usize::from(write);
        let length = self.length(self.mean_pages[kind]);
        let last = self.pages - u64::from(length);
        let follows = self.random.f64() < self.sequential && self.ends[kind] <= last;
        let begin = if follows { self.ends[kind] } else { self.places.page(&mut self.random).min(last) };
        self.ends[kind] = begin + u64::from(length);
        pages(write, begin, length)
    }
}

#[cfg(test)]
mod tests {
    use crate::generate::open;

    #[test]
    fn proportions_and_sizes_are_those_of_the_table() {
        // Millions of writes and reads, 10^9 bytes written and read.
        for (name, row) in [
            ("prn-1", [2.77, 8.46, 30.78, 181.35]),
            ("proj-0", [3.70, 0.53, 144.27, 8.97]),
            ("usr-2", [1.99, 8.58, 26.47, 415.28]),
            ("web-2", [0.04, 5.14, 0.78, 262.82]),
        ] {
            let ops = 400_000;
            let mut trace = open(&format!("msr-{name}?ops={ops}&pages=100000")).unwrap();
            let (mut count, mut pages, mut sequential, mut ends) = ([0u64; 2], [0u64; 2], 0, [0; 2]);
            while let Some(request) = trace.next().unwrap() {
                let kind = usize::from(!request.write);
                count[kind] += 1;
                pages[kind] += u64::from(request.length);
                sequential += u64::from(ends[kind] == request.address);
                ends[kind] = request.address + u64::from(request.length);
                assert!((1..=256).contains(&request.length) && ends[kind] <= 100_000);
            }
            assert!((count[0] as f64 / ops as f64 - row[0] / (row[0] + row[1])).abs() < 0.003, "{name}");
            assert!((sequential as f64 / ops as f64 - 0.3).abs() < 0.01, "{name}: {sequential}");
            for kind in 0..2 {
                let mean = pages[kind] as f64 * 4.096 / count[kind] as f64;
                let table = row[2 + kind] / row[kind];
                // Of web-2 there are about 3000 writes.
                assert!((mean / table - 1.0).abs() < 0.06, "{name}: {mean} and not {table} KB");
            }
        }
    }

    #[test]
    fn the_smallest_footprint_holds_the_largest_request() {
        let mut trace = open("msr-web-2?pages=256&ops=100000&sequential=100").unwrap();
        while let Some(request) = trace.next().unwrap() {
            assert!(request.address + u64::from(request.length) <= 256);
        }
        let error = open("msr-web-2?pages=255").err().unwrap().to_string();
        assert!(error.contains("pages=255: expected a whole number from 256 to"), "{error}");
    }
}
