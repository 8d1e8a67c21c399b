//! The smallest drive that collects garbage: pages mapped one by one, one open block, the fullest of invalid
//! pages collected first.

use leadline_device::{Nanos, Op, Request, Wear};

use super::{Inside, PAGE};

/// A page that holds nothing.
const NONE: u32 = u32::MAX;

pub struct Greedy {
    pages_per_block: usize,
    /// Where each logical page is.
    map: Vec<u32>,
    /// What each physical page holds.
    holds: Vec<u32>,
    /// Valid pages of each block.
    valid: Vec<u32>,
    /// Blocks by how many valid pages they have, and where each stands there.
    by_valid: Vec<Vec<u32>>,
    place: Vec<usize>,
    free: Vec<u32>,
    /// The next page to be written.
    next: usize,
    host_pages: u64,
    media_pages: u64,
    erases: u64,
    free_at: Nanos,
}

impl Greedy {
    /// A drive of so many logical pages, with this share of spare ones, empty.
    pub fn fresh(pages: usize, spare: f64, pages_per_block: usize) -> Self {
        // One block is open, one is kept free: neither is spare.
        let blocks = ((pages as f64 * (1.0 + spare)) / pages_per_block as f64).round() as usize + 2;
        Greedy {
            pages_per_block,
            map: vec![NONE; pages],
            holds: vec![NONE; blocks * pages_per_block],
            valid: vec![0; blocks],
            by_valid: vec![Vec::new(); pages_per_block + 1],
            place: vec![0; blocks],
            free: (1..blocks as u32).collect(),
            next: 0,
            host_pages: 0,
            media_pages: 0,
            erases: 0,
            free_at: 0,
        }
    }

    /// The same, written in sequence and then at random for long.
    pub fn steady(pages: usize, spare: f64, pages_per_block: usize) -> Self {
        let mut drive = Self::fresh(pages, spare, pages_per_block);
        (0..pages as u32).for_each(|page| drive.write(page));
        drive.overwrite(8 * pages, &uniform(pages));
        drive
    }

    /// What it amplifies once it was written by `pattern` for long.
    pub fn amplification(mut self, pattern: impl Fn(&mut fastrand::Rng) -> u32) -> f64 {
        let pages = self.map.len();
        (0..pages as u32).for_each(|page| self.write(page));
        self.overwrite(16 * pages, &pattern);
        let before = (self.host_pages, self.media_pages);
        self.overwrite(4 * pages, &pattern);
        (self.media_pages - before.1) as f64 / (self.host_pages - before.0) as f64
    }

    fn overwrite(&mut self, times: usize, pattern: &impl Fn(&mut fastrand::Rng) -> u32) {
        let mut random = fastrand::Rng::with_seed(99);
        (0..times).for_each(|_| self.write(pattern(&mut random)));
    }

    fn write(&mut self, page: u32) {
        self.host_pages += 1;
        self.append(page);
        while self.free.len() < 2 {
            self.collect();
        }
    }

    /// Puts a page where the next one goes, and forgets where it was.
    fn append(&mut self, page: u32) {
        let before = self.map[page as usize];
        if before != NONE {
            self.holds[before as usize] = NONE;
            let block = before as usize / self.pages_per_block;
            self.set_valid(block, self.valid[block] - 1);
        }
        let at = self.next;
        self.holds[at] = page;
        self.map[page as usize] = at as u32;
        self.valid[at / self.pages_per_block] += 1;
        self.media_pages += 1;
        self.next += 1;
        if self.next.is_multiple_of(self.pages_per_block) {
            self.close(at / self.pages_per_block);
            let block = self.free.pop().expect("collected in time");
            self.next = block as usize * self.pages_per_block;
        }
    }

    /// The block is full: it may be collected from now on.
    fn close(&mut self, block: usize) {
        let list = &mut self.by_valid[self.valid[block] as usize];
        self.place[block] = list.len();
        list.push(block as u32);
    }

    /// Moves a block among those that may be collected; the open one is not among them.
    fn set_valid(&mut self, block: usize, valid: u32) {
        if block != self.next / self.pages_per_block {
            self.take_out(block);
            self.valid[block] = valid;
            self.close(block);
        } else {
            self.valid[block] = valid;
        }
    }

    fn take_out(&mut self, block: usize) {
        let list = &mut self.by_valid[self.valid[block] as usize];
        let place = self.place[block];
        list.swap_remove(place);
        if let Some(&moved) = list.get(place) {
            self.place[moved as usize] = place;
        }
    }

    fn collect(&mut self) {
        let fewest = self.by_valid.iter().position(|list| !list.is_empty()).expect("closed blocks");
        let victim = self.by_valid[fewest][0] as usize;
        self.take_out(victim);
        let pages = victim * self.pages_per_block..(victim + 1) * self.pages_per_block;
        for at in pages {
            let page = std::mem::replace(&mut self.holds[at], NONE);
            if page != NONE {
                self.map[page as usize] = NONE;
                self.append(page);
            }
        }
        self.valid[victim] = 0;
        self.erases += 1;
        self.free.push(victim as u32);
    }
}

/// All pages alike.
pub fn uniform(pages: usize) -> impl Fn(&mut fastrand::Rng) -> u32 {
    move |random| random.u32(..pages as u32)
}

impl Inside for Greedy {
    fn done(&mut self, request: &Request, at: Nanos) -> Nanos {
        let before = self.media_pages;
        if request.op == Op::Write {
            let first = request.offset / PAGE;
            (first..first + u64::from(request.len) / PAGE).for_each(|page| self.write(page as u32));
        }
        self.free_at = self.free_at.max(at) + 1000 * (1 + self.media_pages - before);
        self.free_at
    }

    fn wear(&self) -> Option<Wear> {
        Some(Wear {
            host_bytes: self.host_pages * PAGE,
            media_bytes: self.media_pages * PAGE,
            erases: self.erases,
            blocks: self.valid.len() as u64,
            ..Wear::default()
        })
    }
}
