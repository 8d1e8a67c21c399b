//! The blocks: how many valid units each has, what is in them, and the lists from which victims are chosen.

/// End of a list.
const NONE: u32 = u32::MAX;

/// What may happen to a block next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockState {
    /// Erased, or being erased.
    Free,
    /// Being written.
    Open,
    /// Full.
    Closed,
    /// Full, of the SLC cache: folded in the order in which they were filled.
    Cached,
    /// A victim: its valid units are being moved.
    Victim,
}

/// One block. Small, as there may be a million of them and one is looked at for every unit written.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) valid: u32,
    /// In the list of closed blocks of its lane with as many valid units.
    previous: u32,
    next: u32,
    /// When something in it was last written or became invalid, in units programmed on its lane.
    pub(super) changed: u32,
    pub(super) erases: u32,
    pub(super) reads: u32,
    pub(super) state: BlockState,
    /// Whether what it holds is what it held at the start.
    pub(super) initial: bool,
    /// Whether it waits to be refreshed.
    pub(super) refresh_is_due: bool,
}

/// All blocks and, for each lane, its closed ones by valid units: those that changed last are last in each
/// list.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    pub(super) all: Vec<Block>,
    /// The logical unit of each physical one, for blocks written since the start.
    contents: Vec<Vec<u32>>,
    /// First and last of each list; `block_units + 1` lists per lane.
    lists: Vec<(u32, u32)>,
    /// No list of a lane below this one has a block.
    fewest: Vec<u32>,
    block_units: u32,
    lane_blocks: u32,
}

impl Blocks {
    pub(super) fn new(lanes: u32, lane_blocks: u32, block_units: u32) -> Self {
        let free = Block {
            valid: 0,
            previous: NONE,
            next: NONE,
            changed: 0,
            erases: 0,
            reads: 0,
            state: BlockState::Free,
            initial: false,
            refresh_is_due: false,
        };
        let count = (lanes * lane_blocks) as usize;
        Blocks {
            all: vec![free; count],
            contents: vec![Vec::new(); count],
            lists: vec![(NONE, NONE); lanes as usize * (block_units as usize + 1)],
            fewest: vec![block_units; lanes as usize],
            block_units,
            lane_blocks,
        }
    }

    fn list(&self, block: u32) -> usize {
        let lane = (block / self.lane_blocks) as usize;
        lane * (self.block_units as usize + 1) + self.all[block as usize].valid as usize
    }

    /// The logical unit written to a physical one since the start.
    #[inline]
    pub(super) fn content(&self, block: u32, offset: u32) -> u32 {
        self.contents[block as usize][offset as usize]
    }

    /// Records what is written to a block that is open.
    #[inline]
    pub(super) fn write(&mut self, block: u32, offset: u32, unit: u32) {
        debug_assert_eq!(self.all[block as usize].state, BlockState::Open, "block {block} is programmed");
        debug_assert_ne!(unit, NONE, "that is what stands where there is nothing");
        self.contents[block as usize][offset as usize] = unit;
        self.all[block as usize].valid += 1;
    }

    /// Leaves a physical unit of an open block without content.
    pub(super) fn pad(&mut self, block: u32, offset: u32) {
        debug_assert_eq!(self.all[block as usize].state, BlockState::Open, "block {block} is programmed");
        self.contents[block as usize][offset as usize] = NONE;
    }

    /// An erased block is written from now on.
    pub(super) fn open(&mut self, block: u32) {
        let entry = &mut self.all[block as usize];
        assert_eq!((entry.state, entry.valid), (BlockState::Free, 0), "block {block} is not erased");
        (entry.state, entry.valid, entry.reads, entry.initial) = (BlockState::Open, 0, 0, false);
        self.contents[block as usize].resize(self.block_units as usize, NONE);
    }

    /// A block is full.
    pub(super) fn close(&mut self, block: u32, now: u32) {
        let entry = &mut self.all[block as usize];
        assert!(entry.state == BlockState::Open || entry.initial, "block {block} was not written");
        assert!(entry.valid <= self.block_units, "block {block} holds {} units", entry.valid);
        (entry.state, entry.changed) = (BlockState::Closed, now);
        self.append(block);
    }

    /// A block of the SLC cache is full.
    pub(super) fn close_cached(&mut self, block: u32) {
        let entry = &mut self.all[block as usize];
        assert_eq!(entry.state, BlockState::Open, "block {block} was not written");
        entry.state = BlockState::Cached;
    }

    /// A full block becomes a victim.
    pub(super) fn choose(&mut self, block: u32) {
        match self.all[block as usize].state {
            BlockState::Closed => self.unlink(block),
            BlockState::Cached => {}
            state => unreachable!("block {block} is not full: {state:?}"),
        }
        self.all[block as usize].state = BlockState::Victim;
    }

    /// A victim is erased.
    pub(super) fn erase(&mut self, block: u32) {
        let entry = &mut self.all[block as usize];
        assert_eq!(entry.state, BlockState::Victim, "block {block} was not chosen");
        assert_eq!(entry.valid, 0, "what is valid would be lost");
        (entry.state, entry.reads, entry.initial) = (BlockState::Free, 0, false);
        entry.erases += 1;
    }

    /// One of its units has been superseded.
    #[inline]
    pub(super) fn invalidate(&mut self, block: u32, now: u32) {
        let entry = &self.all[block as usize];
        debug_assert!(entry.state != BlockState::Free && entry.valid > 0, "block {block}: {entry:?}");
        if self.all[block as usize].state == BlockState::Closed {
            self.unlink(block);
            let entry = &mut self.all[block as usize];
            (entry.valid, entry.changed) = (entry.valid - 1, now);
            self.append(block);
        } else {
            self.all[block as usize].valid -= 1;
        }
    }

    fn append(&mut self, block: u32) {
        let list = self.list(block);
        let last = self.lists[list].1;
        let entry = &mut self.all[block as usize];
        (entry.previous, entry.next) = (last, NONE);
        let valid = entry.valid;
        match last {
            NONE => self.lists[list].0 = block,
            last => self.all[last as usize].next = block,
        }
        self.lists[list].1 = block;
        let fewest = &mut self.fewest[(block / self.lane_blocks) as usize];
        *fewest = valid.min(*fewest);
    }

    fn unlink(&mut self, block: u32) {
        let list = self.list(block);
        let &Block { previous, next, .. } = &self.all[block as usize];
        match previous {
            NONE => self.lists[list].0 = next,
            previous => self.all[previous as usize].next = next,
        }
        match next {
            NONE => self.lists[list].1 = previous,
            next => self.all[next as usize].previous = previous,
        }
    }

    /// The closed blocks of a lane that have been unchanged for the longest, one for each number of valid
    /// units, fewest first.
    pub(super) fn longest_unchanged(&self, lane: u32) -> impl Iterator<Item = u32> + '_ {
        let first = lane as usize * (self.block_units as usize + 1);
        let lists =
            &self.lists[first + self.fewest[lane as usize] as usize..=first + self.block_units as usize];
        lists.iter().map(|&(block, _)| block).filter(|&block| block != NONE)
    }

    /// The closed block of a lane with the fewest valid units; of several, the one unchanged for the longest.
    pub(super) fn fewest_valid(&mut self, lane: u32) -> Option<u32> {
        let first = lane as usize * (self.block_units as usize + 1);
        let fewest = &mut self.fewest[lane as usize];
        while self.lists[first + *fewest as usize].0 == NONE {
            if *fewest == self.block_units {
                return None;
            }
            *fewest += 1;
        }
        Some(self.lists[first + *fewest as usize].0)
    }

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let contents: usize = self.contents.iter().map(|units| units.capacity() * size_of::<u32>()).sum();
        self.all.len() * (size_of::<Block>() + size_of::<Vec<u32>>()) + self.lists.len() * 8 + contents
    }
}
