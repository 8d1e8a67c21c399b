//! What files do not say of themselves.

use leadline_profile::Pattern;

use crate::Format;

/// What the user says of the files; each `None` where they are to tell it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    /// What wrote them; `None` to tell it by their content.
    pub format: Option<Format>,
    /// Where ioping read: its output does not tell `-L` from its default.
    pub pattern: Option<Pattern>,
    /// Which disk of an `io_properties.yaml` that has several, by its mount point.
    pub mountpoint: Option<String>,
    /// What to call the device.
    pub name: Option<String>,
}
