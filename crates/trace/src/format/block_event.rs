//! What blktrace saw of a request on its way, in the words of blkparse and in its own records alike.
//!
//! A request is traced several times. Taken is its queueing (action `Q`): what programs asked for, before the
//! block layer merges and splits it. Where a trace has no `Q`, because it was recorded or filtered so, taken
//! is what was sent to the driver (`D`), and where that is missing, too, what was completed (`C`).

use super::reader::Holds;

/// Which of a request's events stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Action {
    Queue,
    Issue,
    Complete,
}

impl Action {
    /// The one of this letter.
    pub(super) fn of_letter(letter: &[u8]) -> Option<Action> {
        match letter {
            b"Q" => Some(Action::Queue),
            b"D" => Some(Action::Issue),
            b"C" => Some(Action::Complete),
            _ => None,
        }
    }

    /// The first in a request's life of those that are there.
    pub(super) fn chosen(found: impl Iterator<Item = Action>) -> Action {
        found.min().unwrap_or(Action::Queue)
    }

    /// What the other events are called.
    pub(super) fn others(self) -> Holds {
        Holds::Other(match self {
            Action::Queue => "events other than Q (queued)",
            Action::Issue => "events other than D (sent to the driver)",
            Action::Complete => "events other than C (completed)",
        })
    }

    /// Which requests these are.
    pub(super) fn told(self) -> &'static str {
        match self {
            Action::Queue => "requests as they were queued (Q)",
            Action::Issue => "no event is a Q: requests as they were sent to the driver (D), after merging",
            Action::Complete => "no event is a Q or D: requests as they were completed (C), at that time",
        }
    }

    /// Of a zone append: it writes, but only its completion says where.
    pub(super) fn zone_append(self) -> Result<bool, &'static str> {
        match self {
            Action::Complete => Ok(true),
            _ => Err("zone appends, whose place is known when they complete (C)"),
        }
    }
}

/// What is said of requests that neither read nor write.
pub(super) const DISCARDS: &str = "discards";
pub(super) const FLUSHES: &str = "flushes without data";
pub(super) const ZONES: &str = "zone management";
pub(super) const NO_DATA: &str = "requests that move no data";
