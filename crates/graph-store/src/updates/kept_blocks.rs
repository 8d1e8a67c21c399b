//! Blocks in memory, of which the one that was put first makes room for the next.

use std::collections::HashMap;

/// Blocks of one size by their numbers.
#[derive(Debug)]
pub(super) struct KeptBlocks {
    /// Bytes of a block.
    size: usize,
    /// Most blocks.
    most: usize,
    blocks: Vec<Box<[u8]>>,
    /// By place in these, the number of the block that is there.
    numbers: Vec<u32>,
    places: HashMap<u32, usize>,
    /// The place of the next block where all are taken.
    next: usize,
}

/// Bytes of a block's number and place, about.
const OF_PLACE: usize = 64;

impl KeptBlocks {
    /// None yet, and no room.
    pub(super) fn new(size: usize) -> KeptBlocks {
        let (blocks, numbers, places) = (Vec::new(), Vec::new(), HashMap::new());
        KeptBlocks { size, most: 0, blocks, numbers, places, next: 0 }
    }

    /// Keeps at most that many bytes from now on; forgets all blocks where there are more.
    pub(super) fn limit(&mut self, bytes: u64) {
        self.most = (bytes / (self.size + OF_PLACE) as u64) as usize;
        if self.numbers.len() > self.most {
            *self = KeptBlocks { most: self.most, ..KeptBlocks::new(self.size) };
        }
    }

    pub(super) fn get(&self, number: u32) -> Option<&[u8]> {
        self.places.get(&number).map(|place| &*self.blocks[*place])
    }

    /// Keeps a block that is not there.
    pub(super) fn put(&mut self, number: u32, block: &[u8]) {
        if self.numbers.len() < self.most {
            self.places.insert(number, self.numbers.len());
            self.numbers.push(number);
            self.blocks.push(block.into());
        } else if self.most > 0 {
            let place = self.next % self.most;
            self.places.remove(&self.numbers[place]);
            self.places.insert(number, place);
            self.numbers[place] = number;
            self.blocks[place].copy_from_slice(block);
            self.next = place + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_blocks_that_there_is_room_for_are_kept() {
        let mut kept = KeptBlocks::new(4);
        kept.put(1, &[1; 4]);
        assert_eq!(kept.get(1), None);
        kept.limit(3 * 68);
        for number in 1..=5 {
            kept.put(number, &[number as u8; 4]);
        }
        let found = [1, 2, 3, 4, 5].map(|number| kept.get(number).map(|bytes| bytes[0]));
        assert_eq!(found, [None, None, Some(3), Some(4), Some(5)]);
        kept.limit(2 * 68);
        kept.put(6, &[6; 4]);
        assert_eq!((kept.get(5), kept.get(6)), (None, Some(&[6; 4][..])));
    }
}
