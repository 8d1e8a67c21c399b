//! What becomes of parallel edges that are merged into one.

use std::fmt;
use std::str::FromStr;

/// Which weight an edge has that was merged of parallel ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Merge {
    /// The least.
    #[default]
    Min,
    /// The greatest.
    Max,
    /// Their sum; where they are not whole numbers, it depends on the order of adding in its last digits.
    Sum,
    /// The weight of the edge that the input lists first.
    First,
}

impl Merge {
    /// All of them.
    pub const ALL: [Merge; 4] = [Merge::Min, Merge::Max, Merge::Sum, Merge::First];
}

impl fmt::Display for Merge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Merge::Min => "min",
            Merge::Max => "max",
            Merge::Sum => "sum",
            Merge::First => "first",
        })
    }
}

impl FromStr for Merge {
    type Err = String;

    fn from_str(text: &str) -> Result<Merge, String> {
        let found = Merge::ALL.into_iter().find(|merge| merge.to_string() == text);
        found.ok_or_else(|| "must be one of min, max, sum, first".to_owned())
    }
}
