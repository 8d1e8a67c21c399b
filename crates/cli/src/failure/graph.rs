//! Graph stores, edge lists and the algorithms on them.

use leadline_device::format_size;
use leadline_graph_store::{GraphError, InputOption};

use super::Failure;
use super::remedy::can_be_given;

impl From<GraphError> for Failure {
    fn from(error: GraphError) -> Self {
        // The library knows no flags; these are the ones that help.
        let text = match &error {
            GraphError::NeedsWeights { .. } => of_import(&error, "--weights"),
            GraphError::NeedsReverse { .. } => of_import(&error, "--reverse"),
            GraphError::Option { option, .. } => with_flag(&error, flag(*option)),
            GraphError::Undecided { place, undecided } => {
                let decides = undecided.decided_by.as_ref().map(|(option, _)| format!("--{}", option.name()));
                match decides.filter(|flag| !can_be_given(flag)) {
                    Some(_) => format!("{place}: {}", undecided.what),
                    None => {
                        format!("{place}: {}", undecided.text(|option, value| format!("--{option} {value}")))
                    }
                }
            }
            GraphError::Argument { .. } | GraphError::WalkBias { .. } => format!("--{error}"),
            GraphError::Damping { given } => format!("--damping {given}: must be from 0 to 1"),
            GraphError::Memory { given, .. } => format!("--memory {}: {error}", format_size(*given)),
            _ => error.to_string(),
        };
        if error.is_input() { Failure::Input(text) } else { Failure::Operation(text) }
    }
}

/// With the flag that helps, if the command has it.
fn with_flag(error: &GraphError, flag: &str) -> String {
    if can_be_given(flag) { format!("{error} ({flag})") } else { error.to_string() }
}

/// With the flag of the import that helps.
fn of_import(error: &GraphError, flag: &str) -> String {
    let command = if can_be_given(flag) { "" } else { "leadline graph import " };
    format!("{error} ({command}{flag})")
}

fn flag(option: InputOption) -> &'static str {
    match option {
        InputOption::Format => "--format",
        InputOption::Directed => "--directed",
        InputOption::Ids => "--ids strings",
        InputOption::Weights => "--weights",
        InputOption::Memory => "--memory",
        InputOption::Undirected => "--undirected",
        InputOption::Bipartite => "--bipartite",
        InputOption::Delimiter => "--delimiter",
        InputOption::Header => "--header yes or --header no",
        InputOption::Skip => "--skip",
        InputOption::Counts => "--skip 1 or --header no",
        InputOption::Comment => "--comment none or --comment '#'",
        InputOption::SourceColumn => "--source-column and --target-column",
        InputOption::TargetColumn => "--target-column",
        InputOption::WeightColumn => "--weight-column",
        InputOption::IgnoredWeight => "--weights or --ignore-columns",
        InputOption::IgnoredDirection => "--ignore-columns and --undirected",
        _ => "see --help",
    }
}
