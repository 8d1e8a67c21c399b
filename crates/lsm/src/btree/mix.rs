//! Which operations a tree is used for, and how often.

use std::fmt;
use std::str::FromStr;

/// Parts of a percentage point that count; the rest is rounding of decimal fractions.
const PARTS: f64 = 1e6;

/// One operation on a B-tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Looks up one key that exists.
    Point,
    /// Reads consecutive pairs.
    Range,
    /// Adds a pair at a random place.
    Insert,
    /// Changes the value of a key that exists.
    Update,
}

impl Operation {
    /// All, in the order of [`Mix::shares`].
    pub const ALL: [Operation; 4] =
        [Operation::Point, Operation::Range, Operation::Insert, Operation::Update];

    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Point => "point",
            Operation::Range => "range",
            Operation::Insert => "insert",
            Operation::Update => "update",
        }
    }
}

/// The share of each operation; they add up to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mix {
    shares: [f64; 4],
}

impl Mix {
    /// One operation and nothing else.
    pub fn only(operation: Operation) -> Self {
        Mix { shares: Operation::ALL.map(|o| if o == operation { 1.0 } else { 0.0 }) }
    }

    /// The mix with these shares of [`Operation::ALL`], each from 0 to 1.
    ///
    /// # Errors
    /// [`MixError`] where one is out of its range or they do not add up to 1.
    pub fn new(shares: [f64; 4]) -> Result<Self, MixError> {
        if let Some((operation, share)) =
            Operation::ALL.into_iter().zip(shares).find(|(_, s)| !(0.0..=1.0).contains(s))
        {
            let (name, share) = (operation.name(), format!("{}", 100.0 * share));
            return Err(MixError::Share { name, share });
        }
        let percent = (100.0 * PARTS * shares.iter().sum::<f64>()).round() / PARTS;
        if percent != 100.0 {
            return Err(MixError::Sum { percent });
        }
        Ok(Mix { shares })
    }

    /// Shares of the operations, in the order of [`Operation::ALL`].
    pub fn shares(&self) -> [f64; 4] {
        self.shares
    }

    /// Share of one operation, 0 to 1.
    pub fn share(&self, operation: Operation) -> f64 {
        self.shares[operation as usize]
    }

    /// Share of the operations that change a leaf, 0 to 1.
    pub fn changes(&self) -> f64 {
        self.share(Operation::Insert) + self.share(Operation::Update)
    }
}

impl FromStr for Mix {
    type Err = MixError;

    /// Percentages by name, `point=60,range=10,insert=30`; an operation that is not named has no share.
    fn from_str(text: &str) -> Result<Self, MixError> {
        let mut percents: [Option<f64>; 4] = [None; 4];
        for part in text.split(',') {
            let (name, share) =
                part.split_once('=').ok_or_else(|| MixError::Form { part: part.trim().to_owned() })?;
            let name = name.trim();
            let operation = Operation::ALL
                .into_iter()
                .find(|o| o.name() == name)
                .ok_or_else(|| MixError::Name { name: name.to_owned() })?;
            let percent =
                share.trim().parse().ok().filter(|v| (0.0..=100.0).contains(v)).ok_or_else(|| {
                    MixError::Share { name: operation.name(), share: share.trim().to_owned() }
                })?;
            if percents[operation as usize].replace(percent).is_some() {
                return Err(MixError::Twice { name: operation.name() });
            }
        }
        Mix::new(percents.map(|percent| percent.unwrap_or(0.0) / 100.0))
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = Operation::ALL.into_iter().zip(self.shares).filter(|(_, share)| *share > 0.0);
        let parts: Vec<String> = parts
            .map(|(o, share)| format!("{}={}", o.name(), (100.0 * PARTS * share).round() / PARTS))
            .collect();
        f.write_str(&parts.join(","))
    }
}

/// What is wrong with a mix.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MixError {
    /// A part without a name or a percentage.
    #[error("{part:?} is not an operation and its percentage, such as point=60")]
    Form {
        /// The part.
        part: String,
    },
    /// Not an operation.
    #[error("{name:?} is not an operation of a B-tree; those are point, range, insert and update")]
    Name {
        /// The name.
        name: String,
    },
    /// Not a percentage.
    #[error("{name} has {share:?} %; it must be from 0 to 100 %")]
    Share {
        /// The operation.
        name: &'static str,
        /// What was given.
        share: String,
    },
    /// An operation that is named twice.
    #[error("{name} is named twice; name it once")]
    Twice {
        /// The operation.
        name: &'static str,
    },
    /// The percentages do not add up to 100.
    #[error("the mix adds up to {percent} %; it must be 100 %")]
    Sum {
        /// Their sum.
        percent: f64,
    },
}
