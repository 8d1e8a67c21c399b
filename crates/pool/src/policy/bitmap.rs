//! A set of small numbers that finds its next member at once: bits, and above every 64 words a word that says
//! which of them are not empty. A bit and a sixty-third a number; every operation takes log64 of the size
//! steps: 3 for 262,144.

/// Numbers from 0 to a limit.
#[derive(Debug, Clone)]
pub(crate) struct Bitmap {
    /// The members; then, level above level, which words of the level below have any, up to a single word.
    levels: Vec<Vec<u64>>,
}

impl Bitmap {
    /// Empty, for numbers 0 to `limit` - 1.
    pub(crate) fn new(limit: u32) -> Self {
        let mut words = (limit as usize).div_ceil(64).max(1);
        let mut levels = vec![vec![0; words]];
        while words > 1 {
            words = words.div_ceil(64);
            levels.push(vec![0; words]);
        }
        Bitmap { levels }
    }

    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.levels[0][number as usize / 64] >> (number % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn insert(&mut self, number: u32) {
        let mut index = number as usize;
        for level in &mut self.levels {
            let word = &mut level[index / 64];
            let was_empty = *word == 0;
            *word |= 1 << (index % 64);
            if !was_empty {
                return;
            }
            index /= 64;
        }
    }

    #[inline]
    pub(crate) fn remove(&mut self, number: u32) {
        let mut index = number as usize;
        for level in &mut self.levels {
            let word = &mut level[index / 64];
            *word &= !(1 << (index % 64));
            if *word != 0 {
                return;
            }
            index /= 64;
        }
    }

    /// The smallest member that is at least `from`.
    #[inline]
    pub(crate) fn next(&self, from: u32) -> Option<u32> {
        #[cfg(test)]
        super::steps::count();
        let mut index = from as usize;
        let mut level = 0;
        // Up, until a word has a member at or after the place; then down to it.
        loop {
            let word = self.levels.get(level)?.get(index / 64)?;
            let rest = word & (u64::MAX << (index % 64));
            if rest != 0 {
                index = index / 64 * 64 + rest.trailing_zeros() as usize;
                break;
            }
            index = index / 64 + 1;
            level += 1;
        }
        for words in self.levels[..level].iter().rev() {
            index = index * 64 + words[index].trailing_zeros() as usize;
        }
        Some(index as u32)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Bitmap;

    #[test]
    fn agrees_with_an_ordered_set_at_every_size() {
        for limit in [1, 2, 63, 64, 65, 4096, 4097, 300_000] {
            let mut random = fastrand::Rng::with_seed(u64::from(limit));
            let (mut bitmap, mut set) = (Bitmap::new(limit), BTreeSet::new());
            for _ in 0..4000 {
                let number = random.u32(..limit);
                if random.bool() {
                    bitmap.insert(number);
                    set.insert(number);
                } else {
                    bitmap.remove(number);
                    set.remove(&number);
                }
                let from = random.u32(..limit);
                assert_eq!(bitmap.contains(from), set.contains(&from));
                assert_eq!(bitmap.next(from), set.range(from..).next().copied());
            }
            assert_eq!(bitmap.next(limit), None);
        }
    }
}
