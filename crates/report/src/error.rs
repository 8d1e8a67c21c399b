//! What can go wrong while a report is made.

use std::path::PathBuf;

/// A report that could not be made. Every message names what stood in the way and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// [`render_page`](crate::render_page) was given no profile.
    #[error("no profile to report on; name at least one")]
    NoProfiles,
    /// The page is larger than a page may be, even with the least detail in its histograms and timeline.
    #[error(
        "the page would be {bytes} bytes, more than the {limit} it may be; report on fewer profiles at once"
    )]
    TooLarge {
        /// Size of the page with the least detail.
        bytes: usize,
        /// The most it may be.
        limit: usize,
    },
    /// A template could not be filled: a bug in Leadline.
    #[error("the page template failed: {0}; this is a bug in leadline, please report it")]
    Template(#[from] minijinja::Error),
    /// fio cannot run on what was measured.
    #[error("{target} is a simulated device: there is no fio job that reproduces it")]
    Simulated {
        /// The profile's target.
        target: String,
    },
    /// Published numbers were not measured here.
    #[error("{target} has published numbers, not measured here: there is no fio job that reproduces them")]
    Published {
        /// The profile's target.
        target: String,
    },
    /// A file of that name exists and holds something else.
    #[error(
        "{path} exists and differs from the job that would be written; remove it or choose another directory"
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refused to read or create.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] leadline_files::FileError),
}
