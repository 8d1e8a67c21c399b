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
    Err(Failure::Input(format!("{}; see {command} --help", plainly(&said))))
}

/// With what Rust's parsers of numbers and clap's ranges say in the words that all other refusals have.
fn plainly(said: &str) -> String {
    let (about, reason) = said.rsplit_once("': ").map_or(("", said), |(about, reason)| (about, reason));
    let plain = match reason {
        "invalid digit found in string" => "must be a whole number that is not negative",
        "number too large to fit in target type" => "is too large",
        "invalid float literal" => "must be a number",
        _ => match reason.split_once(" is not in ").and_then(|(_, range)| range.split_once("..")) {
            Some((least, "" | "=18446744073709551615")) => &format!("must be {least} or more"),
            Some((least, most)) => &format!("must be from {least} to {}", most.trim_start_matches('=')),
            None => return said.to_owned(),
        },
    };
    format!("{about}': {plain}")
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
    fn refusals_of_numbers_are_in_plain_words() {
        for (said, plain) in [
            (
                "'x' for '--n <N>': invalid digit found in string",
                "must be a whole number that is not negative",
            ),
            ("'0' for '--n <N>': 0 is not in 1..=4096", "must be from 1 to 4096"),
            ("'0' for '--n <N>': 0 is not in 1..", "must be 1 or more"),
            ("'0' for '--n <N>': 0 is not in 1..=18446744073709551615", "must be 1 or more"),
            ("'3K5' for '--n <N>': must be from 512 to 16M", "must be from 512 to 16M"),
        ] {
            let (about, _) = said.split_once(": ").unwrap();
            assert_eq!(plainly(said), format!("{about}: {plain}"));
        }
        assert_eq!(plainly("unexpected argument '-x' found"), "unexpected argument '-x' found");
    }

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
