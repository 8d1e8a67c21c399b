//! ACE: what is written back, and how much is evicted, when a victim is dirty (Papon and Athanassoulis, ICDE
//! 2023).
//!
//! Nothing happens as long as victims are clean. When the victim is dirty, up to `n` dirty pages are written
//! at once, so that their cost is shared; they stay in the pool, clean.

/// How dirty pages are written back when the victim is dirty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ace {
    /// The victim alone: one read is exchanged for one write.
    Off,
    /// COW(n): the dirty ones among the victim and the n - 1 pages after it in the virtual order.
    Cow,
    /// COW-X(n): n dirty ones along the virtual order, the victim first; fewer where no more are left but
    /// such as go later than pages still to come.
    CowX,
    /// COW(n), then n pages are evicted and n - 1 read ahead in addition to the page asked for.
    CowE,
    /// COW-X(n), then n pages are evicted and n - 1 read ahead in addition to the page asked for.
    CowXE,
}

impl Ace {
    /// All, in the order of the docs.
    pub const ALL: [Ace; 5] = [Ace::Off, Ace::Cow, Ace::CowX, Ace::CowE, Ace::CowXE];

    /// Its name, as the command line and JSON spell it.
    pub fn name(self) -> &'static str {
        match self {
            Ace::Off => "off",
            Ace::Cow => "cow",
            Ace::CowX => "cow-x",
            Ace::CowE => "cow-e",
            Ace::CowXE => "cow-x-e",
        }
    }

    /// Whether a write-back is followed by evicting and reading ahead several pages.
    pub fn reads_ahead(self) -> bool {
        matches!(self, Ace::CowE | Ace::CowXE)
    }

    /// The variant of this name.
    pub fn parse(name: &str) -> Option<Ace> {
        Self::ALL.into_iter().find(|ace| ace.name() == name)
    }
}

/// Who else writes dirty pages back, before they become victims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cleaner {
    /// No background cleaner: dirty pages are written by the clients that find them.
    Off,
    /// A background cleaner with at most that many writes in flight; 1 is what a classic page cleaner does.
    /// Clients that find a dirty victim all the same write it themselves.
    Depth(u32),
    /// A background cleaner that keeps as many writes in flight as the device does at once, watching it;
    /// clients wait for its writes rather than add to them.
    Auto,
}
