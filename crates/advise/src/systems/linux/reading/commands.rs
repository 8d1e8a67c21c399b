//! The commands of scripts that write into files of the kernel.

use super::costs;
use super::paths::{Target, drive, target};
use super::words::{Piece, Variables, pieces};
use crate::Place;

/// What a command writes, and for which drives.
pub(super) struct Written {
    pub(super) drives: Vec<String>,
    pub(super) key: String,
    pub(super) value: String,
}

/// The words without what runs them as somebody else or in another way.
fn bare(words: &[String]) -> &[String] {
    let is_prefix = |word: &str| {
        ["sudo", "doas", "env", "nohup", "command", "busybox", "exec", "-"]
            .contains(&word.trim_start_matches('@'))
    };
    let mut rest = words;
    while let Some(first) = rest.first() {
        let is_flag = rest.len() < words.len() && first.starts_with('-');
        if !is_prefix(base(first)) && !is_flag {
            break;
        }
        rest = &rest[1..];
    }
    rest
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Takes note of variables, if that is what the command does.
pub(super) fn assigns(words: &[String], variables: &mut Variables) -> bool {
    let keywords = ["export", "local", "readonly", "declare", "typeset"];
    let is_keyword = words.first().is_some_and(|word| keywords.contains(&word.as_str()));
    let rest = if is_keyword { &words[1..] } else { words };
    let assigned = |word: &String| {
        let (name, value) = word.split_once('=')?;
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name.then(|| (name.to_owned(), value.to_owned()))
    };
    let pairs: Vec<Option<(String, String)>> = rest.iter().map(assigned).collect();
    if !is_keyword && pairs.iter().any(Option::is_none) {
        return false;
    }
    for (name, value) in pairs.into_iter().flatten() {
        let values = variables.expand(&value);
        variables.set(&name, values);
    }
    true
}

/// The script of `sh -c SCRIPT`.
pub(super) fn inner_script(words: &[String], variables: &Variables) -> Option<String> {
    let words = bare(words);
    let is_shell = ["sh", "bash", "dash", "ash", "zsh", "eval"].contains(&base(words.first()?));
    let script = match words {
        [shell, script] if shell == "eval" => script,
        [_, flag, script, ..] if flag.starts_with('-') && flag.ends_with('c') => script,
        _ => return None,
    };
    let script = match script.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        Some(text) => text.to_owned(),
        None => variables.text(script),
    };
    is_shell.then_some(script)
}

/// What `echo` and `printf` print.
pub(super) fn printed(words: &[String], variables: &Variables) -> Option<String> {
    let words = bare(words);
    let (first, rest) = words.split_first()?;
    match base(first) {
        "echo" => {
            let flags = ["-n", "-e", "-ne", "-en"];
            let rest = rest.iter().skip_while(|word| flags.contains(&word.as_str()));
            Some(rest.map(|word| variables.text(word)).collect::<Vec<_>>().join(" "))
        }
        "printf" => {
            let (form, values) = rest.split_first()?;
            let form = variables.text(form);
            let form = form.trim_end_matches("\\n");
            match (form, values) {
                ("%s" | "%d" | "%i" | "%u", [value]) => Some(variables.text(value)),
                (form, []) if !form.contains('%') => Some(form.to_owned()),
                _ => Some(format!("$(printf {})", rest.join(" "))),
            }
        }
        _ => None,
    }
}

/// What a command writes into files of the kernel.
pub(super) fn written(
    words: &[String],
    redirects: &[(String, String)],
    input: Option<&str>,
    variables: &Variables,
    notes: &mut Vec<String>,
    place: &Place,
) -> Vec<Written> {
    let words = bare(words);
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    let mut written = Vec::new();
    if let Some(value) = printed(words, variables) {
        let files = redirects.iter().filter(|(operator, _)| operator.starts_with('>') || *operator == "1>");
        let files: Vec<String> = files.map(|(_, file)| file.clone()).collect();
        written.extend(into_files(&files, &value, variables));
    }
    let arguments = |rest: &[String]| variables.list(rest);
    match base(first) {
        "tee" => {
            let files: Vec<String> = rest.iter().filter(|word| !word.starts_with('-')).cloned().collect();
            written.extend(into_files(&files, input.unwrap_or("$(input)"), variables));
        }
        "blockdev" => written.extend(read_ahead(&arguments(rest), "--setra")),
        "hdparm" => written.extend(read_ahead(&arguments(rest), "-a")),
        "sysctl" => {
            for word in arguments(rest) {
                match word.split_once('=') {
                    Some((key, value)) => written.push(Written {
                        drives: Vec::new(),
                        key: key.trim().replace('/', "."),
                        value: value.trim().trim_matches(['"', '\'']).to_owned(),
                    }),
                    None if word.starts_with('/') => {
                        notes.push(format!("{place}: {word} was not read; name that file instead"));
                    }
                    None => {}
                }
            }
        }
        _ => {}
    }
    written
}

/// `--setra SECTORS DRIVE...`: sectors of 512 bytes.
fn read_ahead(arguments: &[String], flag: &str) -> Option<Written> {
    let at = arguments.iter().position(|word| word.starts_with(flag))?;
    let (sectors, after) = match arguments[at][flag.len()..].trim_start_matches('=') {
        "" => (arguments.get(at + 1)?.as_str(), at + 2),
        number => (number, at + 1),
    };
    let drives: Vec<String> = arguments
        .get(after..)?
        .iter()
        .filter(|word| !word.starts_with('-'))
        .map(|path| drive(path))
        .collect();
    let value = match sectors.parse::<u64>() {
        Ok(sectors) => (sectors / 2).to_string(),
        Err(_) => sectors.to_owned(),
    };
    (!drives.is_empty()).then(|| Written { drives, key: "queue/read_ahead_kb".to_owned(), value })
}

/// A text that goes into files, which may be patterns.
fn into_files(files: &[String], value: &str, variables: &Variables) -> Vec<Written> {
    let mut written: Vec<Written> = Vec::new();
    for target in variables.list(files).iter().filter_map(|file| target(file)) {
        match target {
            // One entry for all drives of one command.
            Target::Queue { drive, key } => match written.iter_mut().find(|one| one.key == key) {
                Some(one) => one.drives.push(drive),
                None => written.push(Written { drives: vec![drive], key, value: value.trim().to_owned() }),
            },
            Target::Sysctl(key) => {
                written.push(Written { drives: Vec::new(), key, value: value.trim().to_owned() });
            }
            Target::Cost => written.extend(cost(value)),
        }
    }
    written
}

/// `8:0 rbps=...`, where the number of the drive may come from its file `dev`.
fn cost(text: &str) -> Vec<Written> {
    let named = |piece: Piece| match piece {
        Piece::Word(word) => Some(word.strip_suffix("/dev")?.rsplit('/').next()?.to_owned()),
        Piece::Operator(_) => None,
    };
    let name = pieces(text).into_iter().find_map(named);
    let drive = name.or_else(|| costs::number(text).map(str::to_owned)).unwrap_or_else(|| "$".to_owned());
    let one =
        |(key, value): (String, &str)| Written { drives: vec![drive.clone()], key, value: value.into() };
    costs::costs(text).into_iter().map(one).collect()
}
