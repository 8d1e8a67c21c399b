//! A flash drive as simple as can be, to hold the simulator to: blocks as lists of units, and a look at all
//! of them for the one with the fewest valid units, and of several the one unchanged for the longest.

/// A block that is being written.
#[derive(Clone, Copy)]
struct Open {
    block: usize,
    used: usize,
}

/// The drive. It keeps one block free for what is moved.
pub struct Brute {
    /// What each block holds; a unit is valid where `place` says that it is.
    content: Vec<Vec<usize>>,
    valid: Vec<usize>,
    is_full: Vec<bool>,
    /// When something in each was last written or became invalid, in programs.
    changed: Vec<u64>,
    place: Vec<(usize, usize)>,
    free: Vec<usize>,
    host: Open,
    moved: Open,
    pub programs: u64,
}

impl Brute {
    /// `units` of them, written once in sequence.
    pub fn new(blocks: usize, block_units: usize, units: usize) -> Self {
        let mut free: Vec<usize> = (0..blocks).rev().collect();
        let mut open = || Open { block: free.pop().unwrap(), used: 0 };
        let (host, moved) = (open(), open());
        let mut brute = Brute {
            content: vec![vec![usize::MAX; block_units]; blocks],
            valid: vec![0; blocks],
            is_full: vec![false; blocks],
            changed: vec![0; blocks],
            place: vec![(usize::MAX, 0); units],
            free,
            host,
            moved,
            programs: 0,
        };
        (0..units).for_each(|unit| brute.write(unit));
        brute
    }

    pub fn write(&mut self, unit: usize) {
        let mut open = self.host;
        self.put(unit, &mut open);
        if open.used == self.content[open.block].len() {
            self.is_full[open.block] = true;
            while self.free.len() < 2 {
                self.collect();
            }
            open = Open { block: self.free.pop().unwrap(), used: 0 };
        }
        self.host = open;
    }

    fn put(&mut self, unit: usize, open: &mut Open) {
        let before = self.place[unit].0;
        if before != usize::MAX {
            self.valid[before] -= 1;
            self.changed[before] = self.programs;
        }
        self.place[unit] = (open.block, open.used);
        self.content[open.block][open.used] = unit;
        self.valid[open.block] += 1;
        self.changed[open.block] = self.programs;
        open.used += 1;
        self.programs += 1;
    }

    fn collect(&mut self) {
        let full = (0..self.content.len()).filter(|&block| self.is_full[block]);
        let victim = full.min_by_key(|&block| (self.valid[block], self.changed[block])).unwrap();
        for at in 0..self.content[victim].len() {
            let unit = self.content[victim][at];
            if self.place[unit] == (victim, at) {
                let mut open = self.moved;
                self.put(unit, &mut open);
                if open.used == self.content[open.block].len() {
                    self.is_full[open.block] = true;
                    open = Open { block: self.free.pop().unwrap(), used: 0 };
                }
                self.moved = open;
            }
        }
        (self.is_full[victim], self.valid[victim]) = (false, 0);
        self.free.insert(0, victim);
    }
}
