//! SCSI commands that move data (SBC-4 and SPC-4, T10).

use super::reader::Holds;

/// What is said of a command that neither reads nor writes blocks.
pub(super) const OTHER_COMMAND: Holds = Holds::Other("SCSI commands that neither read nor write");

/// Whether the command writes; `None` for one that neither reads nor writes blocks.
pub(super) fn writes(command: u64) -> Option<bool> {
    match command {
        // READ (6), (10), (12), (16).
        0x08 | 0x28 | 0xa8 | 0x88 => Some(false),
        // WRITE (6), (10), (12), (16); WRITE AND VERIFY (10), (12), (16).
        0x0a | 0x2a | 0xaa | 0x8a | 0x2e | 0xae | 0x8e => Some(true),
        _ => None,
    }
}
