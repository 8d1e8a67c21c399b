//! Sets of places and pages as a bit for each number, and the places that only a checkpoint releases.

/// Numbers, as bits up to the highest that was ever in it.
#[derive(Debug, Default)]
pub(super) struct Bits {
    words: Vec<u64>,
    len: u64,
}

impl Bits {
    pub(super) fn contains(&self, number: u32) -> bool {
        self.words.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Whether it was not in it before.
    pub(super) fn insert(&mut self, number: u32) -> bool {
        let at = number as usize / 64;
        if self.words.len() <= at {
            self.words.resize(at + 1, 0);
        }
        let is_new = !self.contains(number);
        self.words[at] |= 1 << (number % 64);
        self.len += u64::from(is_new);
        is_new
    }

    /// Whether it was in it.
    pub(super) fn remove(&mut self, number: u32) -> bool {
        let was_there = self.contains(number);
        if was_there {
            self.words[number as usize / 64] &= !(1 << (number % 64));
            self.len -= 1;
        }
        was_there
    }

    pub(super) fn clear(&mut self) {
        if self.len > 0 {
            self.words.fill(0);
            self.len = 0;
        }
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        let words = self.words.iter().enumerate().filter(|(_, word)| **word != 0);
        words.flat_map(|(at, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at as u32 * 64 + bit)
        })
    }
}

/// Which checkpoint releases a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Release {
    /// The one that is under way, or if none is, the last one that failed: so the next as well.
    Begun,
    Next,
}

/// Places that only a checkpoint releases.
#[derive(Debug, Default)]
pub(super) struct Kept {
    begun: Bits,
    next: Bits,
}

impl Kept {
    pub(super) fn len(&self) -> u64 {
        self.begun.len + self.next.len
    }

    pub(super) fn contains(&self, place: u32) -> bool {
        self.begun.contains(place) || self.next.contains(place)
    }

    /// Whether it was not kept before: a damaged page map may say of two pages that they are at one place.
    pub(super) fn insert(&mut self, place: u32, release: Release) -> bool {
        !self.contains(place)
            && match release {
                Release::Begun => self.begun.insert(place),
                Release::Next => self.next.insert(place),
            }
    }

    /// A place that is not kept any longer; what was to release it, if it was.
    pub(super) fn remove(&mut self, place: u32) -> Option<Release> {
        match () {
            () if self.begun.remove(place) => Some(Release::Begun),
            () if self.next.remove(place) => Some(Release::Next),
            () => None,
        }
    }

    /// A checkpoint begins, and is to release all that are kept now.
    pub(super) fn begin(&mut self) {
        if self.begun.len == 0 {
            std::mem::swap(&mut self.begun, &mut self.next);
        } else {
            self.next.iter().for_each(|place| _ = self.begun.insert(place));
            self.next.clear();
        }
    }

    /// That checkpoint is complete: what it releases.
    pub(super) fn end(&mut self) -> Vec<u32> {
        let released = self.begun.iter().collect();
        self.begun.clear();
        released
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_releases_what_was_kept_before_it_began_or_before_one_that_failed() {
        let mut kept = Kept::default();
        kept.insert(70, Release::Next);
        kept.begin();
        kept.insert(3, Release::Next);
        // It failed.
        kept.begin();
        kept.insert(900, Release::Next);
        assert_eq!(kept.remove(70), Some(Release::Begun));
        kept.insert(71, Release::Begun);
        assert_eq!((kept.len(), kept.contains(70), kept.contains(900)), (3, false, true));
        assert_eq!(kept.end(), [3, 71]);
        kept.begin();
        assert_eq!((kept.end(), kept.len(), kept.remove(900)), (vec![900], 0, None));
    }
}
