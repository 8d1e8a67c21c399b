//! How a writer divides its memory.

/// Shares of the cap, in sixteenths. Half stays for what comes and goes: a sixteenth for an index of ids,
/// two for the edges of a file that is read, three for reading lists, and two for rows that are put together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shares {
    sixteenth: u64,
}

impl Shares {
    pub(super) fn of(memory: u64) -> Shares {
        Shares { sixteenth: memory / 16 }
    }

    /// Numbers of the base that are kept in memory.
    pub(super) fn index(self) -> u64 {
        self.sixteenth
    }

    /// Ids that were added or removed since the base was written; with more it is written again.
    pub(super) fn ids(self) -> u64 {
        4 * self.sixteenth
    }

    /// Rows that are in no run; more are written to one.
    pub(super) fn rows(self) -> u64 {
        2 * self.sixteenth
    }

    /// Pending changes, and what they become.
    pub(super) fn pending(self) -> u64 {
        4 * self.sixteenth
    }

    /// What a single change may become: where nothing else is pending.
    pub(super) fn alone(self) -> u64 {
        self.pending() + self.lists()
    }

    /// The cap with which a single change may become that much.
    pub(super) fn cap_for_alone(bytes: u64) -> u64 {
        bytes.div_ceil(7) * 16
    }

    /// Reading the lists of what is deleted.
    pub(super) fn lists(self) -> u64 {
        3 * self.sixteenth
    }

    /// The cap with which reading lists has that much.
    pub(super) fn cap_for_lists(lists: u64) -> u64 {
        lists.div_ceil(3) * 16
    }
}
