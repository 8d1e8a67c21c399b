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
const FREE: u32 = u32::MAX;

/// The strings so far: all bytes one behind the other, where each ends, and a hash table of their numbers.
#[derive(Debug)]
pub(super) struct Strings {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Numbers of strings by hash, a power of two of places, at most half of them taken.
    table: Vec<u32>,
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

    /// The number of a string; a new one gets the next.
    ///
    /// # Errors
    /// Says what is wrong with it, or that memory is used up.
    pub(super) fn number(&mut self, id: &[u8]) -> Result<u64, Wrong> {
        let mask = self.table.len() - 1;
        let mut place = xxh3_64(id) as usize & mask;
        loop {
            match self.table[place] {
                FREE => break,
                number if self.get(number as usize) == id => return Ok(u64::from(number)),
                _ => place = (place + 1) & mask,
            }
        }
        self.check(id)?;
        let number = self.ends.len();
        self.table[place] = number as u32;
        self.bytes.extend_from_slice(id);
        self.ends.push(self.bytes.len());
        if self.ends.len() * 2 > self.table.len() {
            self.grow();
        }
        Ok(number as u64)
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
        if self.ends.len() as u64 + 1 >= u64::from(FREE) {
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
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.bytes[start..self.ends[number]]
    }

    /// The string of a number, if there is one.
    pub(super) fn string(&self, number: u64) -> Option<&str> {
        let number = usize::try_from(number).ok().filter(|number| *number < self.ends.len())?;
        std::str::from_utf8(self.get(number)).ok()
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        self.table = vec![FREE; mask + 1];
        for number in 0..self.ends.len() {
            let mut place = xxh3_64(self.get(number)) as usize & mask;
            while self.table[place] != FREE {
                place = (place + 1) & mask;
            }
            self.table[place] = number as u32;
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
        (kept + (table * 4).max(handed_over)) as u64
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
    fn memory_is_bounded_and_the_message_names_the_remedy() {
        let mut strings = Strings::new(1 << 20);
        let error = (0..1_000_000).find_map(|i| strings.number(format!("vertex-{i}").as_bytes()).err());
        assert_eq!(error.unwrap().option, Some(InputOption::Memory));
        assert!(strings.memory_bytes() <= 1 << 20, "{}", strings.memory_bytes());
    }
}
