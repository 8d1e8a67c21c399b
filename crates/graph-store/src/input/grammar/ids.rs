//! How the text of an id becomes a number.

use crate::InputOption;
use crate::input::chunks::Wrong;
use crate::input::number::{is_integer, whole};
use crate::input::strings::{Names, Strings};

/// Turns the text of an id into its number.
pub(super) trait ToNumber {
    /// Whether ids are numbers in decimal, so that lines of the usual shape may be read by the short way.
    const DECIMAL: bool;
    fn number(&mut self, field: &[u8], what: &str) -> Result<u64, Wrong>;
}

pub(super) struct Decimal {
    pub(super) numbers_only: bool,
}

impl ToNumber for Decimal {
    const DECIMAL: bool = true;

    fn number(&mut self, field: &[u8], what: &str) -> Result<u64, Wrong> {
        whole(field, what).map_err(|wrong| {
            if is_integer(field) || self.numbers_only {
                return wrong.into();
            }
            let text = format!("{wrong}; where ids are names, read them as strings");
            Wrong { text, option: Some(InputOption::Ids) }
        })
    }
}

impl ToNumber for &mut Strings {
    const DECIMAL: bool = false;

    fn number(&mut self, field: &[u8], _: &str) -> Result<u64, Wrong> {
        Strings::number(self, field)
    }
}

impl ToNumber for &mut Names {
    const DECIMAL: bool = false;

    #[inline]
    fn number(&mut self, field: &[u8], _: &str) -> Result<u64, Wrong> {
        Ok(self.push(field) as u64)
    }
}

pub(super) fn is_decimal<T: ToNumber>(_: &T) -> bool {
    T::DECIMAL
}
