//! TPC-H's 22 queries with its validation parameters, and the plans they run with.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which plan a query has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Plans {
    /// The one that MariaDB chooses.
    Default,
    /// The order of joins that the paper's access patterns show, by hints, where MariaDB chooses another one.
    Paper,
}

impl Plans {
    /// `default` or `paper`.
    pub fn name(self) -> &'static str {
        match self {
            Plans::Default => "default",
            Plans::Paper => "paper",
        }
    }
}

/// One of the 22.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Query(u8);

macro_rules! texts {
    ($folder:literal, $($number:literal)*) => {
        &[$(($number, include_str!(concat!("../queries/", $folder, "/q", $number, ".sql")))),*]
    };
}

/// As TPC-H has them, in MariaDB's dialect.
const DEFAULT: &[(u8, &str)] = texts!("default", 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22);

/// Those that need hints to run as the paper's did.
const PAPER: &[(u8, &str)] = texts!("paper", 5 8 10 11 14 16 18);

/// Q11's share of the stock depends on the scale.
const FRACTION: &str = "{fraction}";

impl Query {
    /// All of them, in order.
    pub fn all() -> impl Iterator<Item = Query> {
        DEFAULT.iter().map(|(number, _)| Query(*number))
    }

    /// `q1` to `q22`.
    ///
    /// # Errors
    /// Says what it must be.
    pub fn parse(name: &str) -> Result<Query, String> {
        let number = name.strip_prefix(['q', 'Q']).and_then(|number| number.parse().ok());
        Query::all()
            .find(|query| Some(query.0) == number)
            .ok_or_else(|| format!("`{name}` is no query of TPC-H; they are q1 to q22"))
    }

    /// 1 to 22.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Whether its plan must be forced to be the paper's.
    pub fn is_forced(self) -> bool {
        PAPER.iter().any(|(number, _)| *number == self.0)
    }

    /// The statement. Where the default plan is the paper's, both are the same.
    pub fn statement(self, plans: Plans, scale: f64) -> String {
        let of = |texts: &[(u8, &'static str)]| {
            texts.iter().find(|(number, _)| *number == self.0).map_or("", |(_, text)| *text)
        };
        let text = match plans {
            Plans::Paper if self.is_forced() => of(PAPER),
            _ => of(DEFAULT),
        };
        text.trim().replace(FRACTION, &format!("{:.10}", 0.0001 / scale))
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("q{}", self.0))
    }
}

impl From<Query> for String {
    fn from(query: Query) -> String {
        query.to_string()
    }
}

impl TryFrom<String> for Query {
    type Error = String;

    fn try_from(name: String) -> Result<Query, String> {
        Query::parse(&name)
    }
}
