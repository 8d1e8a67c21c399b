//! How commands fail: one line on stderr, exit code 2 for what the user gave us, 1 for what went wrong doing
//! it.
//!
//! The libraries say what is wrong and know nothing of a command line; the files of this directory turn their
//! errors into failures and add the remedy with the flag that has it.

mod btree;
mod calibrate;
mod capture;
mod device;
mod emulate;
mod graph;
mod index;
mod lsm;
mod measure;
mod placement;
mod process;
mod prove;
mod remedy;
mod trace;

pub(crate) use btree::no_advice;
pub(crate) use calibrate::no_calibration;
pub(crate) use lsm::{no_layout, no_tree, no_tree_of};
pub(crate) use measure::why_stopped;
pub(crate) use remedy::remedies_for;

use std::fmt::Display;

use leadline_advise::AdviseError;
use leadline_catalogue::CatalogueError;
use leadline_files::FileError;
use leadline_profile::{OpenError, ProfileError, PublishedError};
use leadline_report::ReportError;

use crate::printable;

/// A command that failed, in a line for the user.
#[derive(Debug)]
pub enum Failure {
    /// Bad usage or bad input: exit code 2.
    Input(String),
    /// The operation failed: exit code 1.
    Operation(String),
    /// It was done, and what was judged does not fit, as was printed: exit code 1.
    Misfit(String),
    /// It was done, and says nothing of what was asked: exit code 3.
    Nothing(String),
}

impl Failure {
    /// Bad input, and what to do about it where the error does not say so itself and the command has the
    /// option that helps.
    fn input(error: &impl Display, remedy: Option<String>) -> Self {
        Failure::Input(match remedy.filter(|remedy| remedy::can_be_given(remedy)) {
            Some(remedy) => format!("{error}; {remedy}"),
            None => error.to_string(),
        })
    }

    /// With what it is about before the line.
    pub(crate) fn about(self, what: &str) -> Self {
        let about = |text: String| format!("{what}: {text}");
        match self {
            Failure::Input(text) => Failure::Input(about(text)),
            Failure::Operation(text) => Failure::Operation(about(text)),
            Failure::Misfit(text) => Failure::Misfit(about(text)),
            Failure::Nothing(text) => Failure::Nothing(about(text)),
        }
    }

    /// What the user is told: one line, in which nothing drives a terminal.
    pub fn line(&self) -> String {
        let (Failure::Input(text)
        | Failure::Operation(text)
        | Failure::Misfit(text)
        | Failure::Nothing(text)) = self;
        printable::line(&printable::without_number(text))
    }

    /// 2 for bad input, 1 for an operation that failed and for what does not fit, 3 for one that found
    /// nothing to say.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Input(_) => 2,
            Failure::Operation(_) | Failure::Misfit(_) => 1,
            Failure::Nothing(_) => 3,
        }
    }
}

impl From<AdviseError> for Failure {
    fn from(error: AdviseError) -> Self {
        if error.is_input() {
            Failure::Input(error.to_string())
        } else {
            Failure::Operation(error.to_string())
        }
    }
}

impl From<CatalogueError> for Failure {
    fn from(error: CatalogueError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<PublishedError> for Failure {
    fn from(error: PublishedError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        if error.is_bad_place() {
            Failure::Input(error.to_string())
        } else {
            Failure::Operation(error.to_string())
        }
    }
}

impl From<ProfileError> for Failure {
    fn from(error: ProfileError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Simulated { .. } | ReportError::Published { .. } | ReportError::Exists { .. } => {
                Failure::Input(error.to_string())
            }
            _ => Failure::Operation(error.to_string()),
        }
    }
}
