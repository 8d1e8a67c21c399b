//! Graph stores, edge lists and the algorithms on them.

use leadline_device::format_size;
use leadline_graph::{GraphError, InputOption};

use super::Failure;

impl From<GraphError> for Failure {
    fn from(error: GraphError) -> Self {
        // The library knows no flags; these are the ones that help.
        let text = match &error {
            GraphError::NeedsWeights { .. } => format!("{error} (--weights)"),
            GraphError::NeedsReverse { .. } => format!("{error} (--reverse)"),
            GraphError::Option { option, .. } => format!("{error} ({})", flag(*option)),
            GraphError::WalkBias { .. } => format!("--{error}"),
            GraphError::Damping { given } => format!("--damping {given}: must be from 0 to 1"),
            GraphError::Memory { given, .. } => format!("--memory {}: {error}", format_size(*given)),
            _ => error.to_string(),
        };
        if error.is_input() { Failure::Input(text) } else { Failure::Operation(text) }
    }
}

fn flag(option: InputOption) -> &'static str {
    match option {
        InputOption::Format => "--format",
        InputOption::Directed => "--directed",
        InputOption::Ids => "--ids strings",
        InputOption::Weights => "--weights",
        InputOption::Memory => "--memory",
        InputOption::Undirected => "--undirected",
        _ => "see --help",
    }
}
