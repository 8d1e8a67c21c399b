//! Rules of udev, as `udev_rules_parse_file` in systemd's src/udev/udev-rules.c reads them: each line is a
//! list of keys, operators and values in quotes, and a line with one mistake is ignored as a whole.

use crate::{Config, Entry, Place};

/// Section of the entries: each is one comparison or assignment, and its key ends with the operator.
pub(in super::super) const RULE: &str = "udev rule";

const OPERATORS: [&str; 6] = ["==", "!=", "+=", "-=", ":=", "="];

/// Keys that are only compared.
const COMPARED: [&str; 13] = [
    "ACTION",
    "DEVPATH",
    "KERNEL",
    "SUBSYSTEM",
    "DRIVER",
    "CONST",
    "RESULT",
    "TEST",
    "KERNELS",
    "SUBSYSTEMS",
    "DRIVERS",
    "ATTRS",
    "TAGS",
];
/// Keys that are only assigned.
const ASSIGNED: [&str; 8] = ["OPTIONS", "OWNER", "GROUP", "MODE", "SECLABEL", "RUN", "GOTO", "LABEL"];
/// Keys that are either.
const EITHER: [&str; 8] = ["NAME", "SYMLINK", "ENV", "TAG", "ATTR", "SYSCTL", "PROGRAM", "IMPORT"];
/// Keys with something in braces.
const BRACED: [&str; 5] = ["ATTR", "ATTRS", "ENV", "SYSCTL", "IMPORT"];

/// One comparison or assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Token {
    /// `ATTR`
    pub(in super::super) key: String,
    /// `queue/scheduler`; empty without braces.
    pub(in super::super) attribute: String,
    pub(in super::super) operator: &'static str,
    pub(in super::super) value: String,
    /// Whether upper and lower case are the same.
    pub(in super::super) any_case: bool,
}

impl Token {
    pub(in super::super) fn is_match(&self) -> bool {
        matches!(self.operator, "==" | "!=")
    }

    /// `ATTR{queue/scheduler}`.
    fn name(&self) -> String {
        if self.attribute.is_empty() {
            self.key.clone()
        } else {
            format!("{}{{{}}}", self.key, self.attribute)
        }
    }

    /// The token of an entry that [`read`] made.
    pub(in super::super) fn of(entry: &Entry) -> Option<Token> {
        let operator = OPERATORS.into_iter().find(|operator| entry.key.ends_with(operator))?;
        let name = &entry.key[..entry.key.len() - operator.len()];
        let (key, attribute) = match name.split_once('{') {
            Some((key, attribute)) => (key, attribute.strip_suffix('}')?),
            None => (name, ""),
        };
        let (value, any_case) = match entry.value.strip_prefix("i\"").and_then(|text| text.strip_suffix('"'))
        {
            Some(text) => (text, true),
            None => (entry.value.as_str(), false),
        };
        let (key, attribute, value) = (key.to_owned(), attribute.to_owned(), value.to_owned());
        Some(Token { key, attribute, operator, value, any_case })
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}\"{}\"", self.name(), self.operator, self.value)
    }
}

/// Whether a line begins as a rule does: with a key of udev and an operator. A single assignment of a plain
/// word may be a line of a script as well, and counts where there are no others.
pub(super) fn is_rule(line: &str) -> bool {
    let Ok((first, rest)) = token(line) else { return is_broken_rule(line) };
    let is_known = [&COMPARED[..], &ASSIGNED, &EITHER].iter().any(|keys| keys.contains(&first.key.as_str()));
    let is_alone = rest.trim_matches([' ', '\t', ',']).is_empty();
    let is_plain = first.operator == "=" && first.attribute.is_empty() && is_alone;
    is_known && (!is_plain || ["LABEL", "GOTO"].contains(&first.key.as_str()))
}

/// A rule with a mistake in its first token.
fn is_broken_rule(line: &str) -> bool {
    let end = line.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(line.len());
    let (key, rest) = line.split_at(end);
    let is_known = [&COMPARED[..], &ASSIGNED, &EITHER].iter().any(|keys| keys.contains(&key));
    is_known && (rest.starts_with("==") || rest.starts_with("!=") || rest.starts_with('{'))
}

/// Adds the tokens of a rule, or what is wrong with it.
pub(super) fn read(line: &str, place: &Place, config: &mut Config) {
    match tokens(line) {
        Ok(tokens) => {
            let entry = |token: Token| {
                let key = format!("{}{}", token.name(), token.operator);
                let value = if token.any_case { format!("i\"{}\"", token.value) } else { token.value };
                Entry { section: RULE.to_owned(), key, value, place: place.clone() }
            };
            config.entries.extend(tokens.into_iter().map(entry));
        }
        Err(reason) => config.notes.push(format!("{place}: udev ignores the whole line: {reason}")),
    }
}

/// All tokens of a line.
fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut rest = line.trim_start_matches([' ', '\t', ',']);
    let mut tokens = Vec::new();
    while !rest.is_empty() {
        let (token, after) = token(rest)?;
        tokens.push(checked(token)?);
        rest = after.trim_start_matches([' ', '\t', ',']);
    }
    Ok(tokens)
}

/// The first token, and what follows.
fn token(line: &str) -> Result<(Token, &str), String> {
    let end = line.find(|c: char| c.is_whitespace() || "={+-!:".contains(c));
    let end = end.ok_or_else(|| format!("{line}: has no operator"))?;
    let (key, mut rest) = line.split_at(end);
    let mut attribute = "";
    if let Some(inner) = rest.strip_prefix('{') {
        (attribute, rest) = inner.split_once('}').ok_or_else(|| format!("{key}: its }} is missing"))?;
    }
    rest = rest.trim_start();
    let operator = OPERATORS.into_iter().find(|operator| rest.starts_with(operator));
    let operator = operator.ok_or_else(|| format!("{key}: has no operator such as == or ="))?;
    rest = rest[operator.len()..].trim_start();
    let any_case = rest.starts_with("i\"");
    let quoted = rest.trim_start_matches(['e', 'i']);
    let quoted = quoted.strip_prefix('"').ok_or_else(|| format!("{key}: its value is not in quotes"))?;
    let (value, after) = value(quoted).ok_or_else(|| format!("{key}: its quote does not end"))?;
    let (key, attribute) = (key.to_owned(), attribute.to_owned());
    Ok((Token { key, attribute, operator, value, any_case }, after))
}

/// Up to the quote; a backslash is itself but before a quote.
fn value(quoted: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = quoted.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &quoted[at + 1..])),
            '\\' if chars.peek().is_some_and(|(_, next)| *next == '"') => {
                value.push('"');
                chars.next();
            }
            other => value.push(other),
        }
    }
    None
}

/// With the operator that udev takes it for.
fn checked(mut token: Token) -> Result<Token, String> {
    let key = token.key.as_str();
    let is = |keys: &[&str]| keys.contains(&key);
    if !is(&COMPARED) && !is(&ASSIGNED) && !is(&EITHER) {
        return Err(format!("{key}: is no key of udev"));
    }
    if is(&BRACED) && token.attribute.is_empty() {
        return Err(format!("{key}: has no {{...}}"));
    }
    if is(&COMPARED) && !token.is_match() {
        return Err(format!("{key}: can only be compared, with == or !="));
    }
    if is(&ASSIGNED) && token.is_match() {
        return Err(format!("{key}: can only be set, with ="));
    }
    if token.operator == "-=" && !["TAG", "SYMLINK"].contains(&key) {
        return Err(format!("{key}: nothing can be taken from it with -="));
    }
    if ["GOTO", "LABEL"].contains(&key) && token.operator != "=" {
        return Err(format!("{key}: takes ="));
    }
    if ["PROGRAM", "IMPORT"].contains(&key) && !token.is_match() {
        token.operator = "==";
    }
    // None of them is final or grows.
    if ["ATTR", "SYSCTL"].contains(&key) && !token.is_match() || key == "ENV" && token.operator == ":=" {
        token.operator = "=";
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Vec<String> {
        tokens(line).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_rule_is_a_list_of_tokens() {
        let line =
            r#"ACTION=="add|change",KERNEL!="sd*" , ATTR{queue/scheduler} := "none", RUN+="a \"b\" \c""#;
        let want = [
            r#"ACTION=="add|change""#,
            r#"KERNEL!="sd*""#,
            r#"ATTR{queue/scheduler}="none""#,
            r#"RUN+="a "b" \c""#,
        ];
        assert_eq!(shown(line), want);
        let entry = |key: &str, value: &str| {
            let place = Place::Server("x".into());
            Token::of(&Entry { section: RULE.into(), key: key.into(), value: value.into(), place }).unwrap()
        };
        assert_eq!(entry("ATTR{queue/scheduler}=", "none").to_string(), want[2]);
        assert!(entry("ENV{A}==", "i\"b\"").any_case);
    }

    #[test]
    fn a_line_with_a_mistake_says_which() {
        for (line, reason) in [
            (r#"KERNEL="sda", ATTR{queue/scheduler}="none""#, "KERNEL: can only be compared"),
            (r#"KERNEL=="sda", ATTR="1""#, "ATTR: has no {...}"),
            (r#"KERNEL=="sda", ATTR{a=“1”"#, "ATTR: its } is missing"),
            (r#"KERNEL=="sda", ATTR{a}=1"#, "ATTR: its value is not in quotes"),
            (r#"KERNEL=="sda", ATTR{a}="1"#, "ATTR: its quote does not end"),
            (r#"KERNAL=="sda", ATTR{a}="1""#, "KERNAL: is no key"),
            (r#"KERNEL=="sda", RUN=="a""#, "RUN: can only be set"),
        ] {
            assert!(tokens(line).unwrap_err().starts_with(reason), "{line}: {:?}", tokens(line));
        }
    }

    #[test]
    fn rules_are_told_from_commands() {
        for line in ["KERNEL==\"sda\"", "LABEL=\"end\"", "ATTR{a}=\"b\"", "KERNEL==sda", "OPTIONS+=\"a\""] {
            assert!(is_rule(line), "{line}");
        }
        for line in
            ["NAME=\"sda\"", "if [ \"$a\" == \"b\" ]; then", "vm.dirty_ratio = 10", "echo 1 > /a", "{"]
        {
            assert!(!is_rule(line), "{line}");
        }
    }
}
