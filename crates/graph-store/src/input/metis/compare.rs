//! Whether both ends of each edge list it, once each and with one weight; in memory that does not grow with
//! the edges.

use super::lists::{Entries, Entry};

/// Parts into which edges are divided, so that a second look need keep only one part of them.
const PARTS: usize = 1 << 12;

/// For each part of the edges a sum over all entries: those in the list of the lesser end add a hash of the
/// edge, those in the list of the greater end take it away. Nothing is left where both list the same, except
/// for a chance of 2^-64.
#[derive(Debug)]
pub(super) struct Sides {
    sums: Vec<u64>,
    weights: bool,
}

impl Sides {
    /// `weights`: those of both ends must be equal.
    pub(super) fn new(weights: bool) -> Sides {
        Sides { sums: vec![0; PARTS], weights }
    }

    pub(super) fn add(&mut self, entry: &Entry) {
        let pair = hash_of_pair(entry);
        let hash = if self.weights { mixed(pair ^ bits(entry.weight)) } else { mixed(pair) };
        let sum = &mut self.sums[part_of(pair)];
        *sum = if entry.source < entry.target { sum.wrapping_add(hash) } else { sum.wrapping_sub(hash) };
    }

    /// A part whose two sides differ.
    pub(super) fn unequal(&self) -> Option<usize> {
        self.sums.iter().position(|sum| *sum != 0)
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        (self.sums.len() * 8) as u64
    }
}

/// Zeros of both signs are one weight.
fn bits(weight: f64) -> u64 {
    (weight + 0.0).to_bits()
}

fn hash_of_pair(entry: &Entry) -> u64 {
    let (least, most) = (entry.source.min(entry.target), entry.source.max(entry.target));
    mixed(mixed(least) ^ most)
}

fn part_of(hash: u64) -> usize {
    (hash >> 52) as usize % PARTS
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// All entries of one part, for a second look at the file.
#[derive(Debug)]
pub(super) struct Part {
    part: usize,
    weights: bool,
    most: usize,
    entries: Vec<Entry>,
}

impl Part {
    pub(super) fn new(part: usize, sides: &Sides, most_memory: u64) -> Part {
        let most = most_memory as usize / size_of::<Entry>();
        Part { part, weights: sides.weights, most, entries: Vec::new() }
    }

    /// The first edge that its ends do not list alike, and what is wrong with it.
    pub(super) fn first_wrong(mut self) -> Option<(u64, String)> {
        let ends = |entry: &Entry| (entry.source.min(entry.target), entry.source.max(entry.target));
        self.entries.sort_by_key(ends);
        let wrong = self.entries.chunk_by(|a, b| ends(a) == ends(b)).filter_map(|edge| match *edge {
            [one] => Some((one.line, one_sided(&one))),
            [first, second] if self.weights && bits(first.weight) != bits(second.weight) => {
                Some((second.line.max(first.line), unequal(first, second)))
            }
            _ => None,
        });
        wrong.min()
    }
}

impl Entries for Part {
    fn entry(&mut self, entry: Entry) -> Result<(), String> {
        let wanted = entry.source != entry.target && part_of(hash_of_pair(&entry)) == self.part;
        if wanted && self.entries.len() == self.most {
            return Err(DISAGREE.to_owned());
        }
        self.entries.extend(wanted.then_some(entry));
        Ok(())
    }
}

fn one_sided(entry: &Entry) -> String {
    let Entry { source, target, .. } = entry;
    format!(
        "vertex {source} lists {target} as its neighbour, and vertex {target} does not list {source}; where \
         each list has the edges that leave its vertex, read them as directed"
    )
}

fn unequal(one: Entry, other: Entry) -> String {
    let (first, second) = if one.line <= other.line { (one, other) } else { (other, one) };
    let (source, target) = (second.source, second.target);
    format!(
        "the edge between {source} and {target} weighs {} here and {} in line {}; where each list has the \
         edges that leave its vertex, read them as directed",
        second.weight, first.weight, first.line
    )
}

/// What is known without a second look.
pub(super) const DISAGREE: &str = "the lists of some vertices do not agree: an edge is in one of its two \
     lists only, or with another weight; where each list has the edges that leave its vertex, read them as \
     directed";

/// The neighbours of one list, to find those that are there twice.
#[derive(Debug)]
pub(super) struct Seen {
    /// A bit for each vertex; nothing where memory does not take it, and lists must ascend.
    bits: Option<Vec<u64>>,
    vertices: u64,
    /// Words of it that have bits, or too many to note.
    touched: Vec<u32>,
    last: u64,
}

/// Whether a neighbour was seen in its list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Before {
    No,
    Yes,
    /// Memory did not suffice to tell.
    Unknown,
}

impl Seen {
    pub(super) fn new(vertices: u64, most_memory: u64) -> Seen {
        let fits = vertices / 8 + 16 <= most_memory && vertices <= 1 << 37;
        let bits = fits.then(|| vec![0; (vertices / 64 + 1) as usize]);
        Seen { bits, vertices, touched: Vec::new(), last: 0 }
    }

    pub(super) fn add(&mut self, neighbour: u64) -> Before {
        let last = std::mem::replace(&mut self.last, neighbour);
        let Some(bits) = &mut self.bits else {
            return match neighbour.cmp(&last) {
                std::cmp::Ordering::Less => Before::Unknown,
                std::cmp::Ordering::Equal => Before::Yes,
                std::cmp::Ordering::Greater => Before::No,
            };
        };
        let (word, bit) = ((neighbour / 64) as usize, 1 << (neighbour % 64));
        if bits[word] & bit != 0 {
            return Before::Yes;
        }
        // All words are cleared where that is no more work than was done.
        if bits[word] == 0 && self.touched.len() <= bits.len() / 16 {
            self.touched.push(word as u32);
        }
        bits[word] |= bit;
        Before::No
    }

    /// Another list begins.
    pub(super) fn clear(&mut self) {
        self.last = 0;
        let Some(bits) = &mut self.bits else { return };
        if self.touched.len() > bits.len() / 16 {
            bits.fill(0);
        } else {
            self.touched.iter().for_each(|word| bits[*word as usize] = 0);
        }
        self.touched.clear();
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        self.bits.as_ref().map_or(0, |_| self.vertices / 8 + 8) + (self.touched.capacity() * 4) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_neighbour_is_seen_once_in_each_list_whatever_the_lists_are_like() {
        for (vertices, memory) in [(1000, 1 << 20), (100_000, 1 << 20), (70, 1 << 20)] {
            let mut seen = Seen::new(vertices, memory);
            for list in [vec![5, 3, 69, 64], (1..=vertices).collect(), vec![69, 1, 2]] {
                assert!(list.iter().all(|at| seen.add(*at) == Before::No), "{vertices}");
                assert_eq!(seen.add(list[0]), Before::Yes);
                seen.clear();
            }
        }
        let mut small = Seen::new(1 << 30, 1 << 20);
        assert_eq!([small.add(3), small.add(9), small.add(9)], [Before::No, Before::No, Before::Yes]);
        assert_eq!(small.add(4), Before::Unknown);
    }
}
