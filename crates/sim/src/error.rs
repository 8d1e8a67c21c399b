//! What can go wrong with a device description.

use leadline_catalogue::CatalogueError;

use crate::place::line_of;

/// A description that makes no device. The message names the file, the place in it, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// No built-in device has this name.
    #[error("sim:{name}: no such device; built in are {known}, or name a file: sim:./device.toml")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The description has nothing to simulate.
    #[error("sim:{name}: has published numbers only, nothing to simulate; simulated are {known}")]
    PublishedOnly {
        /// The name or file asked for.
        name: String,
        /// The names of the devices that can be simulated.
        known: String,
    },
    /// The description is wrong.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The file could not be read.
    #[error("sim:{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The operating system's reason.
        source: std::io::Error,
    },
}

/// A field that cannot be, such as `read.servers`, and what is allowed there.
pub type Flaw = (&'static str, String);

impl SimError {
    /// A flaw of a description, whose text tells the line.
    pub fn value((field, reason): Flaw, text: &str, path: &str) -> Self {
        let (path, line) = (path.to_owned(), Some(line_of(text, field)));
        CatalogueError::Value { path, line, field, reason }.into()
    }

    /// The parser's error, in one line.
    pub fn syntax(error: &toml::de::Error, text: &str, path: &str) -> Self {
        CatalogueError::syntax(error, text, path).into()
    }
}
