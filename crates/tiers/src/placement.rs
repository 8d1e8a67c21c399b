//! Which files are to be on the fast part of a placed device.

use glob::Pattern;

/// Where the fast part of a placed device lies, and which files belong there.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// Bytes of the slow part; addresses from here on are fast.
    pub border_bytes: u64,
    /// Bytes of the fast part.
    pub fast_bytes: u64,
    /// Globs of their paths, from the root of the mount or as a trace names its volumes. `*` stands for
    /// slashes too.
    pub fast_files: Vec<Pattern>,
}

impl Placement {
    /// Whether the file of this path is to be on the fast part.
    pub fn is_fast(&self, path: &str) -> bool {
        self.fast_files.iter().any(|pattern| pattern.matches(path))
    }
}
