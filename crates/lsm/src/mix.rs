//! What a workload asks of a tree: the shares of its operations.

use std::fmt;
use std::str::FromStr;

/// One kind of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// A query for a key that is there.
    Point,
    /// A query for a key that is not.
    Absent,
    /// A number of pairs in the order of keys, from a random one on.
    Scan,
    /// A pair with a new key.
    Insert,
    /// A new value for a key that is there.
    Update,
    /// The removal of a key. A tree keeps it as a small pair until it meets the last level, so it is taken
    /// for an update.
    Delete,
}

impl Operation {
    /// All of them.
    pub const ALL: [Operation; 6] = [
        Operation::Point,
        Operation::Absent,
        Operation::Scan,
        Operation::Insert,
        Operation::Update,
        Operation::Delete,
    ];

    /// Its name in a mix.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Point => "point",
            Operation::Absent => "absent",
            Operation::Scan => "scan",
            Operation::Insert => "insert",
            Operation::Update => "update",
            Operation::Delete => "delete",
        }
    }

    /// Whether it writes.
    pub fn writes(self) -> bool {
        matches!(self, Operation::Insert | Operation::Update | Operation::Delete)
    }
}

/// Shares of the operations, which add up to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mix([f64; 6]);

/// What is wrong with a mix.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MixError {
    /// Not `name=percent`.
    #[error("{0}: must be an operation and its percentage, such as point=60")]
    Malformed(String),
    /// No such operation.
    #[error(
        "{0}: there is no such operation; there are point, absent, scan, insert, update and delete, and \
         mixgraph's get, put and seek"
    )]
    Unknown(String),
    /// The same operation twice.
    #[error("{0} is given twice")]
    Twice(&'static str),
    /// Not a percentage.
    #[error("{0}: must be from 0 to 100 %")]
    Percent(String),
    /// The shares do not add up.
    #[error("the shares add up to {0} %; they must add up to 100 %")]
    Sum(f64),
}

impl Mix {
    /// Point queries for keys that are there, and nothing else.
    pub const POINTS: Mix = Mix([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);

    /// The mix of RocksDB's benchmark `mixgraph` as its documentation sets it for ZippyDB-like loads: 83 %
    /// get, 14 % put, 3 % seek (Cao et al., FAST 2020).
    pub const MIXGRAPH: &'static str = "get=83,put=14,seek=3";

    /// The share of an operation, 0 to 1.
    pub fn share(&self, operation: Operation) -> f64 {
        self.0[operation as usize]
    }

    /// The share of all that write.
    pub fn writes(&self) -> f64 {
        Operation::ALL.into_iter().filter(|o| o.writes()).map(|o| self.share(o)).sum()
    }

    /// Share of the writing operations that replace or remove a key; 0 where nothing writes.
    pub fn replacing(&self) -> f64 {
        let writes = self.writes();
        if writes > 0.0 { 1.0 - self.share(Operation::Insert) / writes } else { 0.0 }
    }
}

impl FromStr for Mix {
    type Err = MixError;

    /// `point=60,scan=10,insert=30`, in percent; `get`, `put` and `seek` are `point`, `update` and `scan`, as
    /// `mixgraph` names them (`mix_get_ratio=0.83` is 83 %), and `mixgraph` is the mix that its documentation
    /// sets.
    fn from_str(text: &str) -> Result<Self, MixError> {
        let text = if text.trim() == "mixgraph" { Mix::MIXGRAPH } else { text };
        let mut shares = [None; 6];
        for item in text.split(',').map(str::trim) {
            let malformed = || MixError::Malformed(item.to_owned());
            let (name, value) = item.split_once('=').ok_or_else(malformed)?;
            let ratio = name.strip_prefix("mix_").and_then(|name| name.strip_suffix("_ratio"));
            let scale = if ratio.is_some() { 100.0 } else { 1.0 };
            let name = ratio.unwrap_or(name);
            let operation = match name {
                "get" => Operation::Point,
                "put" => Operation::Update,
                "seek" => Operation::Scan,
                _ => Operation::ALL
                    .into_iter()
                    .find(|o| o.name() == name)
                    .ok_or_else(|| MixError::Unknown(name.to_owned()))?,
            };
            let value: f64 = value.trim_end_matches('%').trim().parse().map_err(|_| malformed())?;
            let percent = value * scale;
            if !(0.0..=100.0).contains(&percent) {
                return Err(MixError::Percent(item.to_owned()));
            }
            if shares[operation as usize].replace(percent).is_some() {
                return Err(MixError::Twice(operation.name()));
            }
        }
        let sum: f64 = shares.iter().flatten().sum();
        if (sum - 100.0).abs() > 0.01 {
            return Err(MixError::Sum((sum * 100.0).round() / 100.0));
        }
        Ok(Mix(shares.map(|share| share.unwrap_or(0.0) / sum)))
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut comma = "";
        for operation in Operation::ALL.into_iter().filter(|&o| self.share(o) > 0.0) {
            let percent = (self.share(operation) * 1e4).round() / 100.0;
            write!(f, "{comma}{}={percent}", operation.name())?;
            comma = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_is_read_and_written() {
        let mix: Mix = "point=60, scan=10%,insert=30".parse().unwrap();
        assert_eq!(mix.share(Operation::Point), 0.6);
        assert_eq!((mix.writes(), mix.replacing()), (0.3, 0.0));
        assert_eq!(mix.to_string(), "point=60,scan=10,insert=30");
        let again: Mix = mix.to_string().parse().unwrap();
        assert_eq!(again, mix);
    }

    #[test]
    fn mixes_of_mixgraph_are_read() {
        let mix: Mix = "mix_get_ratio=0.83,mix_put_ratio=0.14,mix_seek_ratio=0.03".parse().unwrap();
        assert_eq!(mix.to_string(), "point=83,scan=3,update=14");
        assert_eq!("mixgraph".parse(), Ok(mix));
        assert_eq!(mix.replacing(), 1.0);
    }

    #[test]
    fn what_is_not_a_mix_is_refused() {
        let error = |text: &str| text.parse::<Mix>().unwrap_err().to_string();
        assert!(error("point=60,scan=10").contains("add up to 70 %"));
        assert!(error("poit=100").contains("poit"));
        assert!(error("point").contains("point=60"));
        assert!(error("point=50,point=50").contains("twice"));
        assert!(error("point=-5,scan=105").contains("0 to 100"));
        assert!(error("point=nan").contains("0 to 100"));
        assert!(error("").contains("percentage"));
    }
}
