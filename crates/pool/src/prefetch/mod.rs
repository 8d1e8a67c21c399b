//! Read-ahead: which pages are read together with one that is not in the pool. One idea per file, behind one
//! small trait.
//!
//! ACE leaves the choice to whatever prefetcher an engine has (Papon and Athanassoulis, ICDE 2023, section
//! IV); here are three that need nothing but the page numbers, and [`Prefetching`], which runs them all and
//! silences each one for as long as it does not pay.

mod history;
mod judge;
mod sequential;
mod stride;
mod unused_reads;

pub use history::History;
pub use sequential::Sequential;
pub use stride::Stride;

use judge::Judge;
use unused_reads::UnusedReads;

use std::fmt;

use crate::policy::Page;

/// Guesses what will be asked for. Memory is bounded whatever is asked for; `accessed` takes constant time.
pub trait Prefetcher: Send {
    /// `page` was asked for. `missed`: it was not in the pool, or was there only because it had been read
    /// ahead and is asked for the first time. (Were those no misses, a prefetcher would unlearn what it is
    /// right about.)
    fn accessed(&mut self, page: Page, missed: bool);

    /// Appends up to `most` pages worth reading together with `page`, which was
    /// [`accessed`](Prefetcher::accessed) just now and missed: the best first, none twice, never `page`.
    /// Takes O(`most`) time. Whether the pages exist or are in the pool already is for the caller to check.
    fn propose(&mut self, page: Page, most: usize, out: &mut Vec<Page>);
}

/// What a prefetcher has done since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefetcherStats {
    /// Which.
    pub name: &'static str,
    /// Pages read ahead on its word.
    pub issued: u64,
    /// Of them, asked for soon afterwards: before the pool had read an eighth of its frames again.
    pub used_soon: u64,
    /// Whether it is listened to at present; else it only probes.
    pub on: bool,
}

/// All prefetchers, each with a judge that silences it while it does not pay.
///
/// The pool tells every access ([`accessed`](Prefetching::accessed)), which proposals it follows
/// ([`issued`](Prefetching::issued)), and what became of those: [`used`](Prefetching::used) or
/// [`evicted_unused`](Prefetching::evicted_unused).
pub struct Prefetching {
    sources: [Source; 3],
    /// The last proposal, and whose each page is.
    proposed: Vec<(Page, u8)>,
    unused_reads: UnusedReads,
    /// Pages read so far, asked for or ahead: the pool's age, in which "soon" is counted.
    reads: u64,
    /// The prefetchers know of this access already.
    told: Option<Page>,
    scratch: Vec<Page>,
}

impl fmt::Debug for Prefetching {
    /// What each prefetcher has done.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prefetching").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

struct Source {
    name: &'static str,
    prefetcher: Box<dyn Prefetcher>,
    judge: Judge,
}

impl Prefetching {
    /// For a pool of `frames` frames. Takes some 200 to 400 bytes per frame, 14 MB at most.
    pub fn new(frames: u32) -> Self {
        let source = |name, prefetcher| Source { name, prefetcher, judge: Judge::default() };
        Prefetching {
            // Where two propose the same page, the first is asked: the surer and cheaper guess comes first.
            sources: [
                source("sequential", Box::<Sequential>::default()),
                source("stride", Box::<Stride>::default()),
                source("history", Box::new(History::new(frames))),
            ],
            proposed: Vec::new(),
            unused_reads: UnusedReads::new(frames),
            reads: 0,
            told: None,
            scratch: Vec::new(),
        }
    }

    /// `page` was asked for. `missed`: it is not in the pool.
    #[inline]
    pub fn accessed(&mut self, page: Page, missed: bool) {
        self.reads += u64::from(missed);
        if self.told.take() != Some(page) {
            self.tell(page, missed);
        }
    }

    /// `page` was asked for and is in the pool because it was read ahead; this is its first use. Called
    /// before [`accessed`](Prefetching::accessed), or instead of it.
    pub fn used(&mut self, page: Page) {
        if let Some(read) = self.unused_reads.take(page)
            && self.reads - read.at <= self.unused_reads.soon()
        {
            self.sources[usize::from(read.source)].judge.used();
        }
        self.tell(page, true);
        self.told = Some(page);
    }

    /// `page` was read ahead and leaves the pool without having been used.
    pub fn evicted_unused(&mut self, page: Page) {
        self.unused_reads.take(page);
    }

    /// Appends up to `most` pages to read together with `page`, of which [`accessed`](Prefetching::accessed)
    /// told just now that it missed: the best first, none twice, never `page`. Whether they exist or are in
    /// the pool already is for the caller to check.
    pub fn propose(&mut self, page: Page, most: usize, out: &mut Vec<Page>) {
        self.proposed.clear();
        for (number, source) in self.sources.iter_mut().enumerate() {
            let room = most - self.proposed.len();
            if room == 0 {
                break;
            }
            self.scratch.clear();
            source.prefetcher.propose(page, source.judge.most(room), &mut self.scratch);
            self.scratch.retain(|&p| self.proposed.iter().all(|&(known, _)| known != p));
            if !self.scratch.is_empty() && source.judge.allows() {
                self.proposed.extend(self.scratch.iter().map(|&p| (p, number as u8)));
            }
        }
        out.extend(self.proposed.iter().map(|&(page, _)| page));
    }

    /// `page`, of the last proposal, is being read. The ones that are read are reported in the proposal's
    /// order.
    pub fn issued(&mut self, page: Page) {
        let Some(at) = self.proposed.iter().position(|&(known, _)| known == page) else { return };
        let source = self.proposed[at].1;
        // Mostly the first: what is before it was not read.
        self.proposed.drain(..=at);
        self.reads += 1;
        self.sources[usize::from(source)].judge.issued();
        self.unused_reads.insert(page, source, self.reads);
    }

    /// What each has done.
    pub fn stats(&self) -> [PrefetcherStats; 3] {
        self.sources.each_ref().map(|source| source.judge.stats(source.name))
    }

    #[inline]
    fn tell(&mut self, page: Page, missed: bool) {
        for source in &mut self.sources {
            source.prefetcher.accessed(page, missed);
        }
    }
}

/// Page numbers, spread over all of 64 bits (Fibonacci hashing, Knuth, TAOCP vol. 3, section 6.4); the upper
/// bits are the better ones.
fn spread(page: Page) -> u64 {
    page.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A place in a table of `1 << bits`.
fn place(page: Page, bits: u32) -> usize {
    (spread(page) >> (64 - bits)) as usize
}

#[cfg(test)]
mod tests;
