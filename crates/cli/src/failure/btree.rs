//! B-trees: what is wrong with the profile names it, what is wrong with a number names the flag.

use leadline_lsm::btree::BTreeError;

use super::Failure;

/// Why there is no advice from `profile`.
pub(crate) fn no_advice(profile: &str, error: &BTreeError) -> Failure {
    let more = "measure more with leadline experiment r-by-k TARGET --into PROFILE";
    Failure::Input(match error {
        // The flags' own ranges leave only the number of pairs.
        BTreeError::OutOfRange(_) => format!("{error} (--data)"),
        BTreeError::NodeTooSmall { .. } => format!("{error}; give a smaller --key-size or --value-size"),
        BTreeError::NothingMeasuredFits { .. } | BTreeError::OneRequestSize { .. } => {
            format!("{profile}: {error}; {more}")
        }
        _ => format!("{profile}: {error}"),
    })
}
