//! How commands fail: one line on stderr, exit code 2 for what the user gave us, 1 for what went wrong doing it.

use std::process::ExitCode;

use leadline_catalogue::CatalogueError;
use leadline_device::DeviceError;
use leadline_device::guard::GuardError;
use leadline_device::target::TargetError;
use leadline_graph::GraphError;
use leadline_measure::MeasureError;
use leadline_model::{ProfileError, PublishedError};
use leadline_report::ReportError;
use leadline_sim::SimError;
use leadline_trace::TraceError;

use crate::output;

/// A command that failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Bad usage or bad input: exit code 2.
    Input(String),
    /// The operation failed: exit code 1.
    Operation(String),
}

impl Failure {
    /// Prints the one line and gives the exit code.
    pub(crate) fn exit(self) -> ExitCode {
        let (text, code) = match self {
            Failure::Input(text) => (text, 2),
            Failure::Operation(text) => (text, 1),
        };
        output::say(&text.replace('\n', " "));
        ExitCode::from(code)
    }
}

/// What clap has to say: help and version as they are, an error in one line.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A closed pipe (`--help | head`) is no failure.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    let said: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty())
        .collect();
    let said = said.join("; ").replace("error: ", "").replace(":;", ":");
    let said = if said.is_empty() { "nothing to do".to_owned() } else { said };
    output::say(&format!("{said}; see leadline --help"));
    ExitCode::from(2)
}

impl From<GuardError> for Failure {
    fn from(error: GuardError) -> Self {
        Failure::Input(error.to_string())
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

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<SimError> for Failure {
    fn from(error: SimError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<GraphError> for Failure {
    fn from(error: GraphError) -> Self {
        if error.is_input() {
            Failure::Input(error.to_string())
        } else {
            Failure::Operation(error.to_string())
        }
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<MeasureError> for Failure {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::Plan(_)
            | MeasureError::Trace(_)
            | MeasureError::Device(DeviceError::Unsupported(_)) => Failure::Input(error.to_string()),
            _ => Failure::Operation(error.to_string()),
        }
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        MeasureError::from(error).into()
    }
}

impl From<ProfileError> for Failure {
    fn from(error: ProfileError) -> Self {
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
