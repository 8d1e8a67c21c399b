//! Whether edges lead one way or both, where each may say so itself.

use crate::InputOption;
use crate::input::chunks::Wrong;

/// What the edges so far say.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Direction {
    /// Each edge leads one way, whatever it says.
    pub(super) overruled: bool,
    /// Of edges that do not say it.
    pub(super) default_directed: bool,
    /// The first edge.
    first: Option<(bool, u64)>,
}

impl Direction {
    pub(super) fn new(overruled: bool) -> Direction {
        Direction { overruled, ..Direction::default() }
    }

    /// An edge says that it is directed, or nothing.
    pub(super) fn add(&mut self, directed: Option<bool>, line: u64) -> Result<(), Wrong> {
        let directed = directed.unwrap_or(self.default_directed);
        match self.first {
            None => self.first = Some((directed, line)),
            Some((first, first_line)) if first != directed && !self.overruled => {
                let words = |directed| if directed { "directed" } else { "undirected" };
                let text = format!(
                    "found an edge that is {}, the edge of line {first_line} is {}, and a store has one kind \
                     only; to read each edge one way, as written, say so",
                    words(directed),
                    words(first)
                );
                return Err(Wrong { text, option: Some(InputOption::Directed) });
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Whether there was an edge.
    pub(super) fn is_known(&self) -> bool {
        self.first.is_some()
    }

    pub(super) fn is_directed(&self) -> bool {
        self.overruled || self.first.map_or(self.default_directed, |(directed, _)| directed)
    }
}
