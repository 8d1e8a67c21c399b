//! Files of a trace that belong on another part of the target, as far as there is room.

use std::collections::HashMap;

use glob::Pattern;
use leadline_trace::Trace;

use crate::load::Region;

/// Files get that much at a time: what lies together in a file mostly does so on the target.
pub(super) const EXTENT_BYTES: u64 = 1 << 20;

/// A part of the target, and the files of a trace that go there while there is room, in the order in which
/// they are touched.
#[derive(Debug, Clone, PartialEq)]
pub struct FastPart {
    /// Where it is; next to the region of the other threads.
    pub region: Region,
    /// Globs of their names; `*` stands for slashes too.
    pub files: Vec<Pattern>,
}

/// What of which file is where on it.
#[derive(Debug, Clone)]
pub(super) struct FastExtents {
    part: FastPart,
    /// Whether each volume belongs there, once that was asked for.
    belongs: HashMap<u32, bool>,
    /// Where each extent of a volume begins; `None` where there was no room.
    extents: HashMap<(u32, u64), Option<u64>>,
    used: u64,
}

impl FastExtents {
    pub(super) fn new(part: FastPart) -> Self {
        FastExtents { part, belongs: HashMap::new(), extents: HashMap::new(), used: 0 }
    }

    /// Whether a volume of a trace belongs there, by the name it has now; of a volume without a name, not.
    pub(super) fn is_for(&mut self, volume: u32, trace: &dyn Trace) -> bool {
        let files = &self.part.files;
        *self.belongs.entry(volume).or_insert_with(|| {
            let name = trace.volume_name(volume);
            name.is_some_and(|name| files.iter().any(|pattern| pattern.matches(name)))
        })
    }

    /// Where an address of a volume is on the target; `None` where there is no room.
    pub(super) fn locate(&mut self, volume: u32, address: u64) -> Option<u64> {
        let extent = address / EXTENT_BYTES;
        let start = *self.extents.entry((volume, extent)).or_insert_with(|| {
            let fits = self.used + EXTENT_BYTES <= self.part.region.len;
            fits.then(|| {
                self.used += EXTENT_BYTES;
                self.part.region.start + self.used - EXTENT_BYTES
            })
        });
        start.map(|start| start + address % EXTENT_BYTES)
    }
}
