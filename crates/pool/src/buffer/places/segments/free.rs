//! Free segments: some were given back, and all from one on were never used. So a device that is much larger
//! than what it holds takes no memory for the rest.

use std::collections::BTreeSet;

/// The numbers of the segments that are free.
#[derive(Debug)]
pub(super) struct FreeSegments {
    returned: BTreeSet<u32>,
    /// The first of the segments that were never used.
    unused: u32,
    segments: u32,
}

impl FreeSegments {
    pub(super) fn new(segments: u32) -> FreeSegments {
        FreeSegments { returned: BTreeSet::new(), unused: 0, segments }
    }

    pub(super) fn len(&self) -> u32 {
        self.returned.len() as u32 + self.segments - self.unused
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        number >= self.unused && number < self.segments || self.returned.contains(&number)
    }

    /// From the lowest on.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        self.returned.iter().copied().chain(self.unused..self.segments)
    }

    /// Whether it was free; it is not any more.
    pub(super) fn take(&mut self, number: u32) -> bool {
        if number < self.unused {
            return self.returned.remove(&number);
        }
        assert!(number < self.segments, "there is no segment {number}");
        self.returned.extend(self.unused..number);
        self.unused = number + 1;
        true
    }

    pub(super) fn put(&mut self, number: u32) {
        assert!(number < self.unused && self.returned.insert(number), "segment {number} is free already");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_not_free_until_it_is_put_back() {
        let mut free = FreeSegments::new(6);
        assert!(free.take(3) && !free.take(3));
        assert_eq!(free.iter().collect::<Vec<_>>(), [0, 1, 2, 4, 5]);
        assert!(free.take(0) && free.take(5));
        free.put(3);
        assert_eq!(free.iter().collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(
            (free.len(), free.contains(3), free.contains(5), free.contains(6)),
            (4, true, false, false)
        );
    }
}
