//! Ids in arrays: numbers of several types, or strings.

use std::ops::Range;
use std::sync::Arc;

use super::Array;

/// What ids may be.
pub(super) const NUMBERS: &str = "numbers";
pub(super) const STRINGS: &str = "strings";

/// Ids in memory.
#[derive(Clone)]
#[non_exhaustive]
pub enum ArrayIds {
    /// Numbers from 0 to 2^32 - 1.
    U32(Array<u32>),
    /// Numbers from 0 to 2^64 - 1.
    U64(Array<u64>),
    /// Numbers with a sign; a negative one is refused when it is read.
    I32(Array<i32>),
    /// As [`ArrayIds::I32`].
    I64(Array<i64>),
    /// Strings.
    Strings(Arc<dyn StringArray>),
}

/// Strings in memory, however their owner keeps them.
pub trait StringArray: Send + Sync {
    /// How many there are; the same whenever it is asked.
    fn count(&self) -> usize;

    /// Calls `each` with the string at each of some places, which are below [`StringArray::count`]; with
    /// what is wrong instead where there is none.
    fn read(&self, places: Range<usize>, each: &mut dyn FnMut(Result<&str, &str>));
}

impl StringArray for Vec<String> {
    fn count(&self) -> usize {
        self.len()
    }

    fn read(&self, places: Range<usize>, each: &mut dyn FnMut(Result<&str, &str>)) {
        self[places].iter().for_each(|text| each(Ok(text)));
    }
}

impl From<Vec<String>> for ArrayIds {
    fn from(strings: Vec<String>) -> ArrayIds {
        ArrayIds::Strings(Arc::new(strings))
    }
}

macro_rules! from_vector {
    ($($number:ty => $ids:ident),*) => {$(
        impl From<Vec<$number>> for ArrayIds {
            fn from(numbers: Vec<$number>) -> ArrayIds {
                ArrayIds::$ids(Arc::new(numbers))
            }
        }
    )*};
}

from_vector!(u32 => U32, u64 => U64, i32 => I32, i64 => I64);

impl ArrayIds {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        match self {
            ArrayIds::U32(ids) => (**ids).as_ref().len(),
            ArrayIds::U64(ids) => (**ids).as_ref().len(),
            ArrayIds::I32(ids) => (**ids).as_ref().len(),
            ArrayIds::I64(ids) => (**ids).as_ref().len(),
            ArrayIds::Strings(ids) => ids.count(),
        }
    }

    /// [`NUMBERS`] or [`STRINGS`].
    pub(super) fn kind(&self) -> &'static str {
        if self.are_strings() { STRINGS } else { NUMBERS }
    }

    pub(crate) fn are_strings(&self) -> bool {
        matches!(self, ArrayIds::Strings(_))
    }

    /// Bytes of an id; of strings, of the number that stands for it.
    pub(super) fn width(&self) -> usize {
        match self {
            ArrayIds::U32(_) | ArrayIds::I32(_) => 4,
            ArrayIds::U64(_) | ArrayIds::I64(_) | ArrayIds::Strings(_) => 8,
        }
    }

    /// Copies the numbers from the place `first` on to as many places. Nothing is copied of strings.
    ///
    /// # Errors
    /// The place of the first negative number, and the number.
    pub(crate) fn copy<'a>(
        &self,
        first: usize,
        places: impl Iterator<Item = &'a mut u64>,
    ) -> Result<(), (usize, i64)> {
        match self {
            ArrayIds::U32(ids) => copy((**ids).as_ref(), first, places),
            ArrayIds::U64(ids) => copy((**ids).as_ref(), first, places),
            ArrayIds::I32(ids) => copy((**ids).as_ref(), first, places),
            ArrayIds::I64(ids) => copy((**ids).as_ref(), first, places),
            ArrayIds::Strings(_) => Ok(()),
        }
    }
}

/// A number that may be an id.
trait Id: Copy {
    /// The number, if it has no sign.
    fn id(self) -> u64;

    /// The number, if it is below 0.
    fn negative(self) -> Option<i64>;
}

impl Id for u32 {
    #[inline]
    fn id(self) -> u64 {
        self.into()
    }

    #[inline]
    fn negative(self) -> Option<i64> {
        None
    }
}

impl Id for u64 {
    #[inline]
    fn id(self) -> u64 {
        self
    }

    #[inline]
    fn negative(self) -> Option<i64> {
        None
    }
}

impl Id for i32 {
    #[inline]
    fn id(self) -> u64 {
        self as u64
    }

    #[inline]
    fn negative(self) -> Option<i64> {
        (self < 0).then_some(self.into())
    }
}

impl Id for i64 {
    #[inline]
    fn id(self) -> u64 {
        self as u64
    }

    #[inline]
    fn negative(self) -> Option<i64> {
        (self < 0).then_some(self)
    }
}

#[inline]
fn copy<'a, T: Id>(
    ids: &[T],
    first: usize,
    places: impl Iterator<Item = &'a mut u64>,
) -> Result<(), (usize, i64)> {
    let ids = &ids[first..];
    // All are looked at before one is looked for: without a branch in the loop.
    let mut negative = false;
    let mut count = 0;
    for (id, place) in ids.iter().zip(places) {
        negative |= id.negative().is_some();
        *place = id.id();
        count += 1;
    }
    if !negative {
        return Ok(());
    }
    let found = ids[..count].iter().enumerate().find_map(|(at, id)| Some((first + at, id.negative()?)));
    found.map_or(Ok(()), Err)
}
