//! `paper-ms`, `paper-wis`, `paper-ris`, `paper-mu`: the synthetic workloads of Papon and Athanassoulis, ICDE
//! 2023, request for request.
//!
//! `hot_access` percent of the requests go to the first `hot_pages` percent of the pages, the rest to the
//! other pages; `reads` percent are reads. Each request draws three numbers from glibc's `rand()`, in
//! this order: whether it writes, whether it is hot, which page.

use super::glibc::GlibcRand;
use super::options::{GeneratorInfo, Options, options};
use super::{GeneratedTrace, Generator, page};
use crate::{Request, Trace};

pub(super) const MS: GeneratorInfo = GeneratorInfo {
    name: "paper-ms",
    about: "mixed skewed: half reads, 90 % on 10 % of the pages",
    options: options! {
        "pages" = "344066", "ops" = "2000000", "seed" = "1", "reads" = "50", "hot_access" = "90", "hot_pages" = "10",
    },
};

pub(super) const WIS: GeneratorInfo = GeneratorInfo {
    name: "paper-wis",
    about: "write-intensive skewed: 10 % reads, 90 % on 10 % of the pages",
    options: options! {
        "pages" = "344066", "ops" = "2000000", "seed" = "1", "reads" = "10", "hot_access" = "90", "hot_pages" = "10",
    },
};

pub(super) const RIS: GeneratorInfo = GeneratorInfo {
    name: "paper-ris",
    about: "read-intensive skewed: 90 % reads, 90 % on 10 % of the pages",
    options: options! {
        "pages" = "344066", "ops" = "2000000", "seed" = "1", "reads" = "90", "hot_access" = "90", "hot_pages" = "10",
    },
};

pub(super) const MU: GeneratorInfo = GeneratorInfo {
    name: "paper-mu",
    about: "mixed uniform: half reads, half on half of the pages",
    options: options! {
        "pages" = "344066", "ops" = "2000000", "seed" = "1", "reads" = "50", "hot_access" = "50", "hot_pages" = "50",
    },
};

/// `rand()` reaches no further.
const PAGES_MAX: u64 = (1 << 31) - 1;

struct Paper {
    random: GlibcRand,
    reads: u32,
    hot_access: u32,
    hot: u32,
    cold: u32,
}

pub(super) fn make(_: &'static str, options: &Options) -> Result<Box<dyn Trace>, String> {
    let pages = options.count("pages", 2..=PAGES_MAX)? as u32;
    let hot_percent = options.count("hot_pages", 1..=99)? as f32;
    // In single precision and cut off, as the authors' program has it.
    let hot = (pages as f32 * (hot_percent / 100.0)) as u32;
    if hot == 0 || hot >= pages {
        return Err(format!(
            "hot_pages={hot_percent}: of {pages} pages that is none, or all; expected some of either"
        ));
    }
    let paper = Paper {
        random: GlibcRand::new(options.count("seed", 0..=u32::MAX.into())? as u32),
        reads: options.count("reads", 0..=100)? as u32,
        hot_access: options.count("hot_access", 0..=100)? as u32,
        hot,
        cold: pages - hot,
    };
    Ok(GeneratedTrace::boxed(paper, options.ops()?))
}

impl Generator for Paper {
    #[inline]
    fn request(&mut self) -> Request {
        let kind = self.random.next() % 100;
        let place = self.random.next() % 100;
        // Chosen before it is divided by, which spares a branch that nobody can predict.
        let (pages, first) = if place < self.hot_access { (self.hot, 0) } else { (self.cold, self.hot) };
        let at = self.random.next() % pages + first;
        page(kind >= self.reads, at.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::generate::open;

    /// A literal translation of the definition, with the sequence of glibc computed the long way.
    fn reference(reads: i32, hot_access: i32, hot_pages: f32, pages: i32, ops: usize) -> Vec<(bool, i32)> {
        let mut r: Vec<i32> = vec![1];
        for i in 1..31 {
            r.push((i64::from(r[i - 1]) * 16807 % 2_147_483_647) as i32);
        }
        for i in 31..34 {
            r.push(r[i - 31]);
        }
        for i in 34..344 + 3 * ops {
            r.push(r[i - 31].wrapping_add(r[i - 3]));
        }
        let mut outputs = r[344..].iter().map(|&word| (word as u32 >> 1) as i32);
        let mut rand = || outputs.next().unwrap();
        let e = (pages as f32 * hot_pages) as i32;
        (0..ops)
            .map(|_| {
                let t = rand() % 100;
                let c = rand() % 100;
                let page = if c < hot_access { rand() % e } else { rand() % (pages - e) + e };
                (t >= reads, page)
            })
            .collect()
    }

    #[test]
    fn requests_are_those_of_the_definition() {
        for (name, reads, hot_access, hot_pages) in [
            ("paper-ms", 50, 90, 0.1f32),
            ("paper-wis", 10, 90, 0.1),
            ("paper-ris", 90, 90, 0.1),
            ("paper-mu", 50, 50, 0.5),
        ] {
            for pages in [344_066, 1_000_000, 99] {
                let mut trace = open(&format!("{name}?pages={pages}&ops=2000")).unwrap();
                assert_eq!(trace.remaining(), Some(2000));
                for (i, (write, page)) in
                    reference(reads, hot_access, hot_pages, pages, 2000).into_iter().enumerate()
                {
                    let request = trace.next().unwrap().unwrap();
                    let got = (request.write, request.address, request.length);
                    assert_eq!(got, (write, page as u64, 1), "{name} {pages} {i}");
                }
                assert_eq!(trace.next().unwrap(), None);
                assert_eq!(trace.remaining(), Some(0));
            }
        }
    }

    #[test]
    fn the_first_requests_of_the_mixed_skewed_workload_are_known() {
        // 1804289383 % 100 = 83: a write; 846930886 % 100 = 86: hot; 1681692777 % 34406 = 10927.
        let first = open("paper-ms").unwrap().next().unwrap().unwrap();
        assert_eq!((first.write, first.address), (true, 1_681_692_777 % 34_406));
    }
}
