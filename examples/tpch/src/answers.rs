//! What a query answered, in short: enough to see that two answers are the same up to rounding.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::queries::Query;
use crate::server::Row;

/// Relative difference of sums that rounding may make: averages have six decimals, shares eight.
const TOLERANCE: f64 = 1e-5;

/// The answers at some scales, derived by SQLite from the same rows: see `answers/derive.py`.
const EXPECTED: [(f64, &str); 2] =
    [(0.01, include_str!("../answers/0.01.json")), (0.25, include_str!("../answers/0.25.json"))];

/// An answer in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// How many rows.
    pub rows: u64,
    /// CRC-32 of all columns that are no numbers, in order.
    pub text_crc32: String,
    /// For each column of numbers, the sum over the rows of row number times value.
    pub sums: Vec<f64>,
}

impl Answer {
    /// In short. A column is one of numbers where all of its values are, and none has an exponent.
    pub fn of(rows: &[Row]) -> Answer {
        let columns = rows.first().map_or(0, Vec::len);
        let (mut crc, mut sums) = (crc32fast::Hasher::new(), Vec::new());
        for column in 0..columns {
            let values = || rows.iter().map(move |row| row.get(column).map_or("", String::as_str));
            let numbers: Option<Vec<f64>> = values().map(number).collect();
            match numbers {
                Some(numbers) => {
                    sums.push(numbers.iter().zip(1_u32..).map(|(value, row)| value * f64::from(row)).sum());
                }
                None => values().for_each(|value| {
                    crc.update(value.as_bytes());
                    crc.update(b"\n");
                }),
            }
        }
        Answer { rows: rows.len() as u64, text_crc32: format!("{:08x}", crc.finalize()), sums }
    }

    /// What a query must answer at a scale, where that is known.
    pub fn expected(query: Query, scale: f64) -> Option<Answer> {
        let (_, text) = EXPECTED.iter().find(|(known, _)| *known == scale)?;
        serde_json::from_str::<BTreeMap<Query, Answer>>(text).ok()?.remove(&query)
    }

    /// How the other one differs by more than rounding.
    pub fn difference(&self, other: &Answer) -> Option<String> {
        if self.rows != other.rows {
            return Some(format!("{} rows instead of {}", other.rows, self.rows));
        }
        if self.text_crc32 != other.text_crc32 {
            return Some("other text".to_owned());
        }
        let near = |(mine, theirs): (&f64, &f64)| (mine - theirs).abs() <= TOLERANCE * mine.abs().max(1e-3);
        let same = self.sums.len() == other.sums.len() && self.sums.iter().zip(&other.sums).all(near);
        (!same).then(|| format!("numbers of {:?} instead of {:?}", other.sums, self.sums))
    }
}

fn number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if plain { text.parse().ok() } else { None }
}
