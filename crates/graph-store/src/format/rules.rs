//! Which edges an update leaves out, because the import left them out too.

/// The rules of a store for edges that an update adds. The import's options make them; a store has none
/// otherwise. They say nothing of the edges that are there: an update that is told to may add copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChangeRules(u32);

/// An edge that is there is not added again.
const DEDUPE: u32 = 1;
/// No edge leads to where it comes from.
const DROP_SELF_LOOPS: u32 = 2;

impl ChangeRules {
    /// Of an import that merged parallel edges, or left self-loops out.
    pub fn new(dedupe: bool, drop_self_loops: bool) -> ChangeRules {
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        ChangeRules(bit(dedupe, DEDUPE) | bit(drop_self_loops, DROP_SELF_LOOPS))
    }

    /// Whether an edge that is there is not added again.
    pub fn dedupe(self) -> bool {
        self.0 & DEDUPE != 0
    }

    /// Whether edges from a vertex to itself are left out.
    pub fn drop_self_loops(self) -> bool {
        self.0 & DROP_SELF_LOOPS != 0
    }

    /// Whether there is none that this version does not know.
    pub(crate) fn are_known(self) -> bool {
        self.0 & !(DEDUPE | DROP_SELF_LOOPS) == 0
    }

    pub(super) fn to_bits(self) -> u32 {
        self.0
    }

    pub(super) fn from_bits(bits: u32) -> ChangeRules {
        ChangeRules(bits)
    }
}
