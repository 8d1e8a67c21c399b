//! Reading a configuration in a system's own syntax.

use std::io::Read as _;
use std::path::Path;

use crate::{AdviseError, Config, System};

/// The largest configuration that is read: a wrong file should not fill the memory.
const MOST_BYTES: u64 = 4 << 20;

/// Reads a configuration of `system` from a file.
///
/// # Errors
/// [`AdviseError::Io`], or [`AdviseError::Syntax`] where it is not in the system's syntax.
pub fn read(system: System, path: &Path) -> Result<Config, AdviseError> {
    let io = |source| AdviseError::Io { path: path.into(), source };
    let file = std::fs::File::open(path).map_err(io)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(AdviseError::syntax(path, None, "is larger than 4 MiB; name a configuration file"));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| AdviseError::syntax(path, None, "is not text; name a configuration file"))?;
    parse(system, &text, path)
}

/// Reads a configuration of `system` from the text of a file; `path` is what messages call it.
///
/// # Errors
/// [`AdviseError::Syntax`] where it is not in the system's syntax.
pub fn parse(system: System, text: &str, path: &Path) -> Result<Config, AdviseError> {
    system.rules().read(text.strip_prefix('\u{feff}').unwrap_or(text), path)
}
