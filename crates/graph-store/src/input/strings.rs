//! Ids that are strings, numbered in the order they first occur.

use leadline_text::{BYTE_ORDER_MARK, Delimiter};
use xxhash_rust::xxh3::xxh3_64;

use super::InputOptions;
use super::chunks::Wrong;
use crate::InputOption;

/// Longest id, bytes: what a store takes.
const LONGEST: usize = 1 << 20;

/// Whether a store takes an id of this length.
///
/// # Errors
/// Says how long it may be.
pub(crate) fn check_length(id: &[u8]) -> Result<(), String> {
    match id.len() {
        0..=LONGEST => Ok(()),
        found => Err(format!("expected an id of at most {LONGEST} bytes, found one of {found}")),
    }
}

/// A free place of the table.
const FREE: u64 = u64::MAX;

/// Strings looked up side by side, so that no one waits for the memory that another wants.
const TOGETHER: usize = 16;

/// What strings are found by.
fn hash(id: &[u8]) -> u32 {
    xxh3_64(id) as u32
}

/// Ids that a thread found in a piece of text, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Names {
    bytes: Vec<u8>,
    /// Where each ends; a piece of text has few bytes.
    ends: Vec<u32>,
    hashes: Vec<u32>,
}

impl Names {
    /// Adds one, and says how many were there before.
    #[inline]
    pub(super) fn push(&mut self, id: &[u8]) -> usize {
        self.bytes.extend_from_slice(id);
        self.ends.push(self.bytes.len() as u32);
        self.hashes.push(hash(id));
        self.hashes.len() - 1
    }

    #[inline]
    fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.bytes[start..self.ends[at] as usize]
    }
}

/// The strings so far: all bytes one behind the other, where each ends, and a hash table of their numbers.
#[derive(Debug)]
pub(super) struct Strings {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// By hash, a power of two of places, at most half of them taken: a string's hash above its number.
    table: Vec<u64>,
    /// Bytes of memory they may take.
    most_memory: u64,
    /// A delimiter at an id's end may be meant as one: `ann, bob` between blanks.
    blanks_were_told: bool,
}

impl Strings {
    pub(super) fn new(most_memory: u64) -> Strings {
        Strings {
            bytes: Vec::new(),
            ends: Vec::new(),
            table: vec![FREE; 1024],
            most_memory,
            blanks_were_told: false,
        }
    }

    /// Of a text that this separates, as it was told from its first lines unless an option says so.
    pub(super) fn between(self, delimiter: Delimiter, options: &InputOptions) -> Strings {
        let blanks_were_told = delimiter == Delimiter::Blanks && options.text.delimiter.is_none();
        Strings { blanks_were_told, ..self }
    }

    /// The same with so much less memory.
    pub(super) fn beside(self, bytes: u64) -> Strings {
        Strings { most_memory: self.most_memory.saturating_sub(bytes), ..self }
    }

    /// The number of a string; a new one gets the next.
    ///
    /// # Errors
    /// Says what is wrong with it, or that memory is used up.
    pub(super) fn number(&mut self, id: &[u8]) -> Result<u64, Wrong> {
        self.number_hashed(id, hash(id))
    }

    fn number_hashed(&mut self, id: &[u8], hash: u32) -> Result<u64, Wrong> {
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            match self.table[place] {
                FREE => break,
                entry if (entry >> 32) as u32 == hash && self.get(entry as u32 as usize) == id => {
                    return Ok(u64::from(entry as u32));
                }
                _ => place = (place + 1) & mask,
            }
        }
        self.check(id)?;
        let number = self.ends.len();
        self.table[place] = u64::from(hash) << 32 | number as u64;
        self.bytes.extend_from_slice(id);
        self.ends.push(self.bytes.len());
        if self.ends.len() * 2 > self.table.len() {
            self.grow();
        }
        Ok(number as u64)
    }

    /// The numbers of all names, in their order.
    ///
    /// # Errors
    /// As [`Strings::number`], of the first that something is wrong with; those before it have their numbers.
    pub(super) fn number_all(&mut self, names: &Names) -> Result<Vec<u64>, Wrong> {
        let mut numbers = Vec::with_capacity(names.hashes.len());
        for first in (0..names.hashes.len()).step_by(TOGETHER) {
            let hashes = &names.hashes[first..(first + TOGETHER).min(names.hashes.len())];
            // A loop for each step, so that the memory that it needs is asked for at once.
            let (mut likely, mut spans) = ([FREE; TOGETHER], [(0, 0); TOGETHER]);
            for (likely, hash) in likely.iter_mut().zip(hashes) {
                *likely = self.likely(*hash);
            }
            for (span, entry) in spans.iter_mut().zip(&likely) {
                if *entry != FREE {
                    *span = self.span(*entry as u32 as usize);
                }
            }
            for (i, hash) in hashes.iter().enumerate() {
                let (name, (start, end)) = (names.get(first + i), spans[i]);
                let found = likely[i] != FREE && self.bytes[start..end] == *name;
                let number =
                    if found { u64::from(likely[i] as u32) } else { self.number_hashed(name, *hash)? };
                numbers.push(number);
            }
        }
        Ok(numbers)
    }

    /// The first entry with a hash; a free one where there is none.
    #[inline]
    fn likely(&self, hash: u32) -> u64 {
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        while self.table[place] != FREE && (self.table[place] >> 32) as u32 != hash {
            place = (place + 1) & mask;
        }
        self.table[place]
    }

    fn check(&self, id: &[u8]) -> Result<(), Wrong> {
        if std::str::from_utf8(id).is_err() {
            let found = super::number::shown(id);
            let text = format!(
                "expected an id in UTF-8, found {found}; where the text is in Latin-1, convert it: iconv -f \
                 ISO-8859-1 -t UTF-8 < OLD > NEW"
            );
            return Err(text.into());
        }
        check_length(id)?;
        if id.starts_with(BYTE_ORDER_MARK) {
            let text = "expected an id, found a byte order mark, as where files were put together; remove it";
            return Err(text.to_owned().into());
        }
        if self.blanks_were_told && id.len() > 1 && id.last().is_some_and(|last| b",;".contains(last)) {
            let shown = super::number::shown(id);
            let text = format!("{shown} may be an id, or an id and a delimiter behind it");
            return Err(Wrong { text, option: Some(InputOption::Delimiter) });
        }
        if self.ends.len() as u64 + 1 >= u64::from(u32::MAX) {
            return Err(
                format!("found more than {} ids, which is all that a store holds", self.ends.len()).into()
            );
        }
        if self.memory_with(id.len(), 1) > self.most_memory {
            let text = format!(
                "the {} string ids up to here take more memory than the {} they may; number the ids before \
                 the import, or give more memory",
                self.ends.len(),
                leadline_device::format_size(self.most_memory)
            );
            return Err(Wrong { text, option: Some(InputOption::Memory) });
        }
        Ok(())
    }

    fn get(&self, number: usize) -> &[u8] {
        let (start, end) = self.span(number);
        &self.bytes[start..end]
    }

    #[inline]
    fn span(&self, number: usize) -> (usize, usize) {
        (if number == 0 { 0 } else { self.ends[number - 1] }, self.ends[number])
    }

    /// The string of a number, if there is one.
    pub(super) fn string(&self, number: u64) -> Option<&str> {
        let number = usize::try_from(number).ok().filter(|number| *number < self.ends.len())?;
        std::str::from_utf8(self.get(number)).ok()
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        let smaller = std::mem::replace(&mut self.table, vec![FREE; mask + 1]);
        for entry in smaller.into_iter().filter(|entry| *entry != FREE) {
            let mut place = (entry >> 32) as usize & mask;
            while self.table[place] != FREE {
                place = (place + 1) & mask;
            }
            self.table[place] = entry;
        }
    }

    /// Bytes in memory, now or when [`Strings::into_strings`] hands them over, whichever is more.
    pub(super) fn memory_bytes(&self) -> u64 {
        self.memory_with(0, 0)
    }

    /// The same with that many bytes and ids more: vectors double when they are full, and the table when half
    /// of it is.
    fn memory_with(&self, bytes: usize, ids: usize) -> u64 {
        let grown = |capacity: usize, needed: usize| {
            if needed <= capacity { capacity } else { needed.max(capacity * 2) }
        };
        let (bytes, ids) = (self.bytes.len() + bytes, self.ends.len() + ids);
        let table = if ids * 2 > self.table.len() { self.table.len() * 2 } else { self.table.len() };
        // A string of its own is 24 bytes in the list, and an allocation with 16 bytes of the allocator's.
        let handed_over = bytes + ids * (24 + 16);
        let kept = grown(self.bytes.capacity(), bytes) + grown(self.ends.capacity(), ids) * 8;
        (kept + (table * 8).max(handed_over)) as u64
    }

    /// Begins again.
    pub(super) fn forget(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.table.fill(FREE);
    }

    /// All strings by number.
    pub(super) fn into_strings(mut self) -> Vec<String> {
        self.table = Vec::new();
        // Each was checked to be UTF-8 when it came.
        (0..self.ends.len()).map(|number| String::from_utf8_lossy(self.get(number)).into_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_keep_their_numbers_however_many_there_are() {
        let mut strings = Strings::new(1 << 30);
        for round in 0..2 {
            for i in 0..50_000u64 {
                assert_eq!(strings.number(format!("v{i}").as_bytes()), Ok(i), "round {round}");
            }
        }
        assert_eq!(strings.number(b""), Ok(50_000));
        let all = strings.into_strings();
        assert_eq!((all.len(), all[0].as_str(), all[49_999].as_str()), (50_001, "v0", "v49999"));
    }

    #[test]
    fn many_names_get_the_numbers_that_they_get_one_by_one() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut all, mut each) = (Strings::new(1 << 30), Strings::new(1 << 30));
        for _ in 0..200 {
            let (mut names, mut expected) = (Names::default(), Vec::new());
            for at in 0..random.usize(..200) {
                let name = random.u32(..3000).to_string();
                assert_eq!(names.push(name.as_bytes()), at);
                expected.push(each.number(name.as_bytes()).unwrap());
            }
            assert_eq!(all.number_all(&names), Ok(expected));
        }
        assert_eq!(all.into_strings(), each.into_strings());
    }

    #[test]
    fn memory_is_bounded_and_the_message_names_the_remedy() {
        let mut strings = Strings::new(1 << 20);
        let error = (0..1_000_000).find_map(|i| strings.number(format!("vertex-{i}").as_bytes()).err());
        assert_eq!(error.unwrap().option, Some(InputOption::Memory));
        assert!(strings.memory_bytes() <= 1 << 20, "{}", strings.memory_bytes());
    }
}
