//! The lists of a sweep, as single values: one pool is replayed at a time.

use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;

use crate::pool::lists::{self, Batch, List};

/// Of a list's parser, one value.
fn one<T>(list: Result<List<T>, String>) -> Result<T, String> {
    let List(mut values) = list?;
    match values.pop() {
        Some(value) if values.is_empty() => Ok(value),
        _ => Err("one at a time is replayed".into()),
    }
}

pub(super) fn policy(text: &str) -> Result<PolicyKind, String> {
    one(lists::policies(text))
}

pub(super) fn ace(text: &str) -> Result<Ace, String> {
    one(lists::aces(text))
}

pub(super) fn batch(text: &str) -> Result<Batch, String> {
    one(lists::batches(text))
}

pub(super) fn cleaner(text: &str) -> Result<Cleaner, String> {
    one(lists::cleaners(text))
}

pub(super) fn clients(text: &str) -> Result<u32, String> {
    one(lists::clients(text))
}

pub(super) fn frames(text: &str) -> Result<u32, String> {
    one(lists::frames(text))
}
