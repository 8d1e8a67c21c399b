//! What clap has to say of a command line.

use clap::error::ErrorKind;

use crate::failure::Failure;
use crate::{console, output};

/// What clap has to say: help and version are printed as they are, an error becomes one line.
pub(crate) fn usage(error: &clap::Error) -> Result<(), Failure> {
    if !error.use_stderr() {
        if console::call().is_some() {
            return output::print(&error.to_string());
        }
        return match error.print() {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Failure::Operation(format!("stdout: {error}")))
            }
            // A closed pipe (`--help | head`) is not a failure.
            _ => Ok(()),
        };
    }
    let text = error.to_string();
    let command = command(&text).unwrap_or("leadline");
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Err(Failure::Input(format!("a command is missing; see {command} --help")));
    }
    let said: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty())
        .collect();
    let said = said.join("; ").replace("error: ", "").replace(":;", ":");
    Err(Failure::Input(format!("{said}; see {command} --help")))
}

/// The command in clap's line of usage: `leadline trace` of `Usage: leadline trace <COMMAND>`.
fn command(text: &str) -> Option<&str> {
    let usage = text.lines().find_map(|line| line.strip_prefix("Usage: "))?;
    let words = usage.split(' ').take_while(|word| word.chars().all(|c| c.is_ascii_lowercase())).count();
    let end = usage.match_indices(' ').nth(words.checked_sub(1)?).map_or(usage.len(), |(at, _)| at);
    Some(&usage[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_found_in_the_line_of_usage() {
        for (usage, expected) in [
            ("Usage: leadline <COMMAND>", Some("leadline")),
            ("error: no\n\nUsage: leadline trace info [OPTIONS] <TRACE>\n", Some("leadline trace info")),
            ("Usage: leadline pool simulate --frames <N,..> <TRACE>", Some("leadline pool simulate")),
            ("Usage: leadline", Some("leadline")),
            ("error: no", None),
        ] {
            assert_eq!(command(usage), expected);
        }
    }
}
