//! Which edges of a vertex are asked for.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use crate::format::Direction;
use crate::{Graph, GraphError};

/// Which edges of a vertex are requested. In an undirected graph all are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// Edges that lead from it.
    #[default]
    Out,
    /// Edges that lead to it.
    In,
    /// Edges that lead from it, then edges that lead to it.
    Both,
}

impl Side {
    /// The directions whose lists are read, in order.
    ///
    /// # Errors
    /// [`GraphError::NeedsReverse`].
    pub(super) fn directions(self, graph: &Graph, what: &str) -> Result<&'static [Direction], GraphError> {
        if self == Side::Out || !graph.header().directed {
            return Ok(&[Direction::Forward]);
        }
        graph.need_reverse(what)?;
        Ok(match self {
            Side::In => &[Direction::Reverse],
            _ => &[Direction::Forward, Direction::Reverse],
        })
    }
}

impl Display for Side {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Out => "out",
            Side::In => "in",
            Side::Both => "both",
        })
    }
}

impl FromStr for Side {
    type Err = String;

    fn from_str(text: &str) -> Result<Side, String> {
        match text {
            "out" => Ok(Side::Out),
            "in" => Ok(Side::In),
            "both" => Ok(Side::Both),
            other => Err(format!("{other:?} is none of out, in and both")),
        }
    }
}
