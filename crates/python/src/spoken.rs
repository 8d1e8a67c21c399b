//! Lines of the command line in the words of Python: `memory=1K:` for `--memory 1K:`.

/// Options whose names are words of Python's own; their arguments have an underscore behind the name.
const KEYWORDS: [&str; 6] = ["as", "for", "from", "in", "is", "with"];

/// The line with the arguments of functions where it names options: `n=` for `--n`, `quick=True` for those of
/// `flags`, which have no value. Other commands that it names are left as they are, and what is only for a
/// terminal is left out.
pub(crate) fn in_python(line: &str, flags: &[String]) -> String {
    let help = line.rfind("; see leadline ").or_else(|| Some(line.rfind("? See leadline ")? + 1));
    let line = match help {
        Some(at) if line.ends_with("--help") => &line[..at],
        _ => line,
    };
    let line = refused_value(line).unwrap_or_else(|| line.to_owned());
    let line = long_named(&line);
    let mut text = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some((at, is_command)) = next(rest) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = if is_command { command(rest, &mut text) } else { option(rest, flags, &mut text) };
        rest = &rest[taken..];
    }
    text.push_str(rest);
    text
}

/// The line with `--output` where it says `-o`, the only option that has a letter.
fn long_named(line: &str) -> String {
    let line = line.replace(" -o ", " --output ");
    line.strip_prefix("-o ").map_or(line.clone(), |rest| format!("--output {rest}"))
}

/// Where the next option or command of a terminal begins, and whether it is a command.
fn next(rest: &str) -> Option<(usize, bool)> {
    let command = rest.match_indices("leadline ").map(|(at, _)| at).find(|&at| names_a_command(&rest[at..]));
    let stands_alone = |at: usize| {
        rest[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '-')
            && rest[at + 2..].starts_with(|c: char| c.is_ascii_lowercase())
    };
    let option = rest.match_indices("--").map(|(at, _)| at).find(|&at| stands_alone(at));
    match (option, command) {
        (Some(option), Some(command)) if option > command => Some((command, true)),
        (Some(option), _) => Some((option, false)),
        (None, command) => command.map(|at| (at, true)),
    }
}

/// Whether a word in lower case, a command, is behind the program's name.
fn names_a_command(text: &str) -> bool {
    text["leadline ".len()..].starts_with(|c: char| c.is_ascii_lowercase())
}

/// A command is for a terminal, and stays as it is; returns its length.
fn command(rest: &str, text: &mut String) -> usize {
    let end = rest.find([';', ',', ')']).unwrap_or(rest.len());
    text.push_str(&rest[..end]);
    end
}

/// Writes the argument for the option at the beginning; returns how much of the text it was.
fn option(rest: &str, flags: &[String], text: &mut String) -> usize {
    let flag = &rest[2..];
    let length = flag.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(flag.len());
    let name = &flag[..length];
    let mut taken = 2 + length;
    // In quotes, with its value's name: '--size <SIZE>'.
    let is_quoted = text.ends_with('\'');
    if let Some(end) = flag[length..].find('\'').filter(|_| is_quoted) {
        text.pop();
        taken += end + 1;
    } else if let Some(value) = flag[length..].strip_prefix(" <") {
        taken += value.find('>').map_or(0, |end| 2 + end + 1);
    }
    text.push_str(&argument(name));
    if flags.iter().any(|flag| flag == name) {
        text.push_str("True");
    } else if let Some(value) = rest[taken..].strip_prefix(' ')
        && value.split(' ').next().is_some_and(|word| word.ends_with(':'))
    {
        // A value that is being complained about follows its option and ends with a colon.
        taken += 1;
    }
    taken
}

/// `block_sizes=` for `block-sizes`.
fn argument(name: &str) -> String {
    let underscore = if KEYWORDS.contains(&name) { "_" } else { "" };
    format!("{}{underscore}=", name.replace('-', "_"))
}

/// What clap says of a value that its parser refuses: `invalid value '3K5' for '--size <SIZE>': REASON`, as
/// `size='3K5': REASON`.
fn refused_value(line: &str) -> Option<String> {
    let (value, rest) = line.strip_prefix("invalid value '")?.split_once("' for '")?;
    let (given, reason) = rest.split_once('\'')?;
    let name = match given.strip_prefix("--") {
        Some(option) => argument(option.split([' ', '[', '=']).next()?),
        // A positional argument, in brackets.
        None => argument(&given.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase()),
    };
    Some(format!("{name}'{value}'{reason}"))
}
