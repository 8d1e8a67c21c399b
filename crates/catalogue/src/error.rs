//! What can go wrong with a description.

/// A description that cannot be used. The message names the file, the place in it, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// No device of the catalogue has this name.
    #[error(
        "{name}: no such device; the catalogue has {known}; or name a file with a / or .toml in it: ./{name}.toml"
    )]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The file could not be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The file is not TOML of the right shape.
    #[error("{path}: line {line}: {reason}")]
    Syntax {
        /// The file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// The parser's reason.
        reason: String,
    },
    /// A value makes no sense.
    #[error("{path}: {}{field}: {reason}", line_words(*.line))]
    Value {
        /// The file.
        path: String,
        /// Line of the value, or of its table where it is left out, from 1. `None` where there is no text.
        line: Option<usize>,
        /// The field, such as `published.k_r`.
        field: &'static str,
        /// What is wrong and what is allowed.
        reason: String,
    },
}

fn line_words(line: Option<usize>) -> String {
    line.map_or(String::new(), |line| format!("line {line}: "))
}

/// The line of an offset in a text, from 1.
pub(crate) fn line_at(text: &str, at: usize) -> usize {
    1 + text[..at.min(text.len())].matches('\n').count()
}

impl CatalogueError {
    /// The parser's error, in one line.
    pub fn syntax(error: &toml::de::Error, text: &str, path: &str) -> Self {
        CatalogueError::Syntax {
            path: path.to_owned(),
            line: error.span().map_or(1, |span| line_at(text, span.start)),
            reason: leadline_files::plainly_of_toml(text, error.message()),
        }
    }
}
