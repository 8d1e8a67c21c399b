//! The paper's three kinds of queries.

use std::fmt;

/// More random reads than this make a query a random one.
const RANDOM: f64 = 0.5;

/// A higher repeat access rate makes it a repeated one, of rates with one decimal as the paper has them.
const REPEATED: f64 = 1.1;

/// A kind of query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Half of the pages or more are read ahead.
    Sequential,
    /// More than half are not, and hardly one is read twice.
    Random,
    /// More than half are not, and they are read again.
    RandomRepeated,
    /// More than half are not; the requests were not recorded, so nobody knows whether they are read again.
    RandomUnknown,
}

impl Class {
    /// By the share of random reads, 0 to 1, and the repeat access rate where it is known.
    pub fn of(random: f64, repeat: Option<f64>) -> Class {
        match repeat {
            _ if random <= RANDOM => Class::Sequential,
            None => Class::RandomUnknown,
            Some(repeat) if (repeat * 10.0).round() / 10.0 > REPEATED => Class::RandomRepeated,
            Some(_) => Class::Random,
        }
    }

    /// Whether it may be the same as the other, which is known.
    pub fn may_be(self, other: Class) -> bool {
        self == other || (self == Class::RandomUnknown && other != Class::Sequential)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Class::Sequential => "sequential",
            Class::Random => "random",
            Class::RandomRepeated => "random, repeated",
            Class::RandomUnknown => "random, rate not known",
        })
    }
}
