//! The words of a shell's line, and what becomes of them.

use std::collections::HashMap;

/// Alternatives of one word at most: more are not worth to be followed.
const MOST: usize = 64;

/// A word as it is there, with its quotes, or what is between words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Word(String),
    Operator(String),
}

const OPERATORS: [&str; 14] = ["<<<", "&&", "||", ";;", ">>", ">|", "<<", "&>", ";", "|", "&", "(", ")", "<"];

/// The words and operators of a line, up to a comment.
pub(super) fn pieces(line: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut word = String::new();
    let mut rest = line;
    let end = |word: &mut String, pieces: &mut Vec<Piece>| {
        if !word.is_empty() {
            pieces.push(Piece::Word(std::mem::take(word)));
        }
    };
    while let Some(c) = rest.chars().next() {
        let quoted = unit(rest);
        if quoted > c.len_utf8() {
            word.push_str(&rest[..quoted]);
            rest = &rest[quoted..];
            continue;
        }
        if c == '#' && word.is_empty() {
            break;
        }
        if c.is_whitespace() {
            end(&mut word, &mut pieces);
        } else if c == '>' || OPERATORS.iter().any(|operator| rest.starts_with(operator)) {
            // 2> is one.
            let number = if matches!(c, '>' | '<') && word.bytes().all(|byte| byte.is_ascii_digit()) {
                std::mem::take(&mut word)
            } else {
                String::new()
            };
            end(&mut word, &mut pieces);
            let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator)).unwrap_or(&">");
            pieces.push(Piece::Operator(format!("{number}{operator}")));
            rest = &rest[operator.len()..];
            continue;
        } else {
            word.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    end(&mut word, &mut pieces);
    pieces
}

/// Length of what stands together at the beginning of `text`: a quoted part, an expansion, an escape, or one
/// character.
fn unit(text: &str) -> usize {
    let mut chars = text.chars();
    let first = chars.next().map_or(0, char::len_utf8);
    match text.as_bytes() {
        [b'\\', ..] => first + chars.next().map_or(0, char::len_utf8),
        [b'\'', ..] => text[1..].find('\'').map_or(text.len(), |at| at + 2),
        [b'`', ..] => text[1..].find('`').map_or(text.len(), |at| at + 2),
        [b'"', ..] => {
            let mut at = 1;
            while at < text.len() && !text[at..].starts_with('"') {
                at += unit_in_quotes(&text[at..]);
            }
            (at + 1).min(text.len())
        }
        [b'$', b'(', ..] => balanced(text, 1, '(', ')'),
        [b'$', b'{', ..] => balanced(text, 1, '{', '}'),
        _ => first,
    }
}

/// The same within double quotes, where single ones mean nothing.
fn unit_in_quotes(text: &str) -> usize {
    if text.starts_with('\'') { 1 } else { unit(text) }
}

/// Up to the bracket that closes the one at `at`.
fn balanced(text: &str, at: usize, open: char, close: char) -> usize {
    let mut depth = 0;
    for (place, c) in text[at..].char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return at + place + 1;
            }
        }
    }
    text.len()
}

/// Variables, each with the values that it may have.
#[derive(Debug, Default, Clone)]
pub(super) struct Variables(HashMap<String, Vec<String>>);

impl Variables {
    pub(super) fn set(&mut self, name: &str, values: Vec<String>) {
        self.0.insert(name.to_owned(), values);
    }

    pub(super) fn forget(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// What the word may be. What is not known stays as it is written, with its `$`.
    pub(super) fn expand(&self, word: &str) -> Vec<String> {
        let mut all = vec![String::new()];
        for braced in braces(word) {
            let mut some = vec![String::new()];
            self.append(&braced, false, &mut some);
            all.extend(some);
        }
        all.remove(0);
        all.truncate(MOST);
        all
    }

    /// The words that a list stands for: without quotes, a variable may hold several.
    pub(super) fn list(&self, words: &[String]) -> Vec<String> {
        let one = |word: &String| {
            let is_split = word.starts_with('$') && !word.starts_with("$(");
            let many = |text: String| -> Vec<String> {
                if is_split && !text.contains('$') {
                    text.split_whitespace().map(str::to_owned).collect()
                } else {
                    vec![text]
                }
            };
            self.expand(word).into_iter().flat_map(many).collect::<Vec<_>>()
        };
        words.iter().flat_map(one).take(MOST).collect()
    }

    /// The one text that a word is, or the word itself.
    pub(super) fn text(&self, word: &str) -> String {
        let mut found = self.expand(word);
        if found.len() == 1 { found.remove(0) } else { word.trim_matches('"').to_owned() }
    }

    fn append(&self, word: &str, in_quotes: bool, all: &mut Vec<String>) {
        let mut rest = word;
        while !rest.is_empty() {
            let length = if in_quotes { unit_in_quotes(rest) } else { unit(rest) };
            let length =
                if rest.starts_with('$') && length == 1 { 1 + name_length(&rest[1..]) } else { length };
            let (part, after) = rest.split_at(length.max(1).min(rest.len()));
            rest = after;
            match part.as_bytes() {
                [b'\'', .., b'\''] if part.len() >= 2 => push(all, &[part[1..part.len() - 1].to_owned()]),
                [b'"', ..] if !in_quotes => {
                    let inner = part[1..].strip_suffix('"').unwrap_or(&part[1..]);
                    self.append(inner, true, all);
                }
                [b'\\', _, ..] => push(all, &[part[1..].to_owned()]),
                [b'$' | b'`', _, ..] => push(all, &self.value(part)),
                _ => push(all, &[part.to_owned()]),
            }
        }
    }

    /// What an expansion may be.
    fn value(&self, part: &str) -> Vec<String> {
        let known = |name: &str| self.0.get(name).cloned();
        let found = if let Some(command) = part.strip_prefix("$(").and_then(|text| text.strip_suffix(')')) {
            self.output(command)
        } else if let Some(inner) = part.strip_prefix("${").and_then(|text| text.strip_suffix('}')) {
            let end = name_length(inner);
            let (name, change) = inner.split_at(end);
            known(name).and_then(|values| changed(values, change))
        } else if let Some(command) = part.strip_prefix('`') {
            self.output(command.trim_end_matches('`'))
        } else {
            known(&part[1..])
        };
        found.unwrap_or_else(|| vec![part.to_owned()])
    }

    /// What a command prints: of a name without its directory, and of the number of a device, which stands
    /// for itself.
    fn output(&self, command: &str) -> Option<Vec<String>> {
        let words: Vec<String> = pieces(command)
            .into_iter()
            .map(|piece| match piece {
                Piece::Word(word) => Some(word),
                Piece::Operator(_) => None,
            })
            .collect::<Option<_>>()?;
        match words.as_slice() {
            [name, path] if name == "basename" => Some(self.expand(path).iter().map(|it| base(it)).collect()),
            [name, path] if name == "cat" && path.trim_end_matches('"').ends_with("/dev") => {
                Some(self.expand(path))
            }
            [name, words @ ..] if name == "echo" => Some(self.list(words)),
            _ => None,
        }
    }
}

/// `${d##*/}`, `${d%/*}`, `${d[@]}`, `${d:-x}`.
fn changed(values: Vec<String>, change: &str) -> Option<Vec<String>> {
    match change {
        "" | "[@]" | "[*]" => Some(values),
        "##*/" => Some(values.iter().map(|value| base(value)).collect()),
        "%/*" => Some(values.iter().map(|value| folder(value)).collect()),
        other if other.starts_with(":-") || other.starts_with('-') => Some(values),
        _ => None,
    }
}

fn base(path: &str) -> String {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
}

fn folder(path: &str) -> String {
    path.rsplit_once('/').map_or(path, |(before, _)| before).to_owned()
}

/// Length of a variable's name.
fn name_length(text: &str) -> usize {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match text.chars().next() {
        Some(c) if c.is_ascii_digit() || matches!(c, '@' | '*' | '?' | '!' | '$' | '#') => 1,
        _ => text.find(|c| !is_of_name(c)).unwrap_or(text.len()),
    }
}

fn push(all: &mut Vec<String>, values: &[String]) {
    let longer = |start: &String| values.iter().map(|end| format!("{start}{end}")).collect::<Vec<_>>();
    *all = all.iter().flat_map(longer).take(MOST).collect();
}

/// `sd{a,b}` is `sda` and `sdb`.
fn braces(word: &str) -> Vec<String> {
    let is_plain = word.contains(['\'', '"', '\\', '`']);
    let open = word.match_indices('{').find(|(at, _)| !word[..*at].ends_with('$')).map(|(at, _)| at);
    let Some(open) = open.filter(|_| !is_plain) else { return vec![word.to_owned()] };
    let Some((inner, after)) = word[open + 1..].split_once('}') else { return vec![word.to_owned()] };
    let parts: Vec<String> = match inner.split_once("..") {
        Some((first, last)) => match (first.as_bytes(), last.as_bytes()) {
            ([a], [b]) if a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric() && a <= b => {
                (*a..=*b).map(|byte| char::from(byte).to_string()).collect()
            }
            _ => return vec![word.to_owned()],
        },
        None if inner.contains(',') => inner.split(',').map(str::to_owned).collect(),
        None => return vec![word.to_owned()],
    };
    let before = &word[..open];
    let whole = |part: &String| braces(&format!("{before}{part}{after}"));
    parts.iter().take(MOST).flat_map(whole).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        let text = |piece| match piece {
            Piece::Word(text) | Piece::Operator(text) => text,
        };
        pieces(line).into_iter().map(text).collect()
    }

    #[test]
    fn a_line_is_words_and_operators() {
        assert_eq!(
            texts("echo \"a; b\" $(cat /x | y)'c d'>/sys/z 2>&1 && true # end"),
            ["echo", "\"a; b\"", "$(cat /x | y)'c d'", ">", "/sys/z", "2>", "&", "1", "&&", "true"]
        );
        assert_eq!(texts("a|tee b;;"), ["a", "|", "tee", "b", ";;"]);
        assert_eq!(texts("tee b <<< none"), ["tee", "b", "<<<", "none"]);
    }

    #[test]
    fn variables_have_all_the_values_that_they_may_have() {
        let mut variables = Variables::default();
        variables.set("d", vec!["/sys/block/sda".into(), "/sys/block/sdb".into()]);
        variables.set("disks", vec!["vda vdb".into()]);
        let expand = |word: &str| variables.expand(word);
        assert_eq!(expand("\"$d\"/queue"), ["/sys/block/sda/queue", "/sys/block/sdb/queue"]);
        assert_eq!(expand("${d##*/}"), ["sda", "sdb"]);
        assert_eq!(expand("$(basename \"$d\")"), ["sda", "sdb"]);
        assert_eq!(expand("'$d'$x${y:-500}"), ["$d$x${y:-500}"]);
        assert_eq!(expand("sd{a,b}{1..3}").len(), 6);
        assert_eq!(expand("$(cat /sys/block/sda/dev)"), ["/sys/block/sda/dev"]);
        assert_eq!(variables.list(&["$disks".into(), "sd*".into()]), ["vda", "vdb", "sd*"]);
        assert_eq!(variables.text("$d"), "$d");
        for odd in ["$", "${", "$(", "`", "\"", "'", "\\", "é$é", "{", "{a..}", "$(\"é"] {
            variables.expand(odd);
            pieces(odd);
        }
    }
}
