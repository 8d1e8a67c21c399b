//! How a family of files is written down.
//!
//! ```text
//! == a title | a.txt a.csv | --weights
//! 1 2 0.5
//! ++ a.v
//! 1
//! => read 1 2 0.5
//! ```
//!
//! A block is a file under each of the names, and the options it is read with. Its lines stand as they are
//! but for the escapes `\t`, `\r`, `\0`, `\\`, `\xNN`, `\u{N}`, and `\` at a line's end for no end of a line;
//! `\repeat N TEXT` is a line N times. `++ NAME` begins another file in the folder. What follows `=>` is
//! right; with several, each of them is:
//!
//! - `read EDGES; VERTICES`: numbers, directed; the vertices are those without edges, and `read nothing` is a
//!   graph without any. In front of the edges may stand `undirected`; `names` for ids that are strings and
//!   `any` where both kinds are right.
//! - `changes + 1 2, -v 3`: what an update makes of it. Such a block is read by an update, and not imported.
//! - `refuse line 3 says "--skip"`: the message names the line and has the text; both may be left out.
//!
//! A word with `@` among the options is not one of Leadline: `@once` for a file that is not tried with other
//! line ends, `@lines` for one whose last line must end, `@update` for a file of changes (known by its
//! meaning where it is not refused), `@names` and `@weighted` for the graph that is changed.

use std::fmt;

/// A file, how it is read, and what is right.
#[derive(Debug, Clone)]
pub struct Case {
    /// Family and line.
    pub place: String,
    pub title: String,
    /// The file that is named.
    pub name: String,
    pub options: Vec<String>,
    /// By name: the file itself first.
    pub files: Vec<(String, Vec<u8>)>,
    pub meanings: Vec<Meaning>,
}

impl Case {
    /// Whether a word stands among the options.
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|given| given == option)
    }

    /// Whether it is a file of changes.
    pub fn is_update(&self) -> bool {
        self.meanings.iter().any(|meaning| matches!(meaning, Meaning::Changes(_))) || self.has("@update")
    }
}

/// What a file may be taken for.
#[derive(Debug, Clone)]
pub enum Meaning {
    Reading(Reading),
    /// Changes as lines, `+ 1 2 0.5`.
    Changes(Vec<String>),
    Refusal(Refusal),
}

/// A graph, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    pub undirected: bool,
    pub ids: Ids,
    /// Source, target and the weight where there is one; of an undirected edge the lesser end first.
    pub edges: Vec<(String, String, Option<f64>)>,
    /// Vertices without edges.
    pub alone: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Ids {
    #[default]
    Numbers,
    Names,
    Any,
}

impl Reading {
    /// Puts edges and vertices in order.
    pub fn sort(&mut self) {
        if self.undirected {
            for (source, target, _) in self.edges.iter_mut().filter(|edge| edge.0 > edge.1) {
                std::mem::swap(source, target);
            }
        }
        self.edges.sort_by(|a, b| {
            (&a.0, &a.1).cmp(&(&b.0, &b.1)).then(a.2.unwrap_or(0.0).total_cmp(&b.2.unwrap_or(0.0)))
        });
        self.alone.sort();
    }

    /// Whether what was read is what should be. Without edges there is no direction, and without vertices
    /// no kind of ids.
    pub fn fits(&self, found: &Reading) -> bool {
        let ids =
            self.ids == Ids::Any || self.ids == found.ids || found.edges.is_empty() && found.alone.is_empty();
        let direction = self.undirected == found.undirected || found.edges.is_empty();
        ids && direction && self.edges == found.edges && self.alone == found.alone
    }
}

#[derive(Debug, Clone, Default)]
pub struct Refusal {
    pub line: Option<u64>,
    pub says: Vec<String>,
}

impl Refusal {
    /// Whether the message is as it should be.
    pub fn fits(&self, message: &str) -> bool {
        let line = self.line.is_none_or(|line| message.contains(&format!(": line {line}: ")));
        line && self.says.iter().all(|text| message.contains(text))
    }
}

/// The cases of a family.
pub fn parse(family: &str, text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut block: Option<Block> = None;
    for (line, number) in text.lines().zip(1..) {
        if let Some(head) = line.strip_prefix("== ") {
            cases.extend(block.take().into_iter().flat_map(|block| block.cases(family)));
            block = Some(Block::new(head, number));
        } else if let Some(block) = &mut block {
            block.line(line);
        }
    }
    cases.extend(block.into_iter().flat_map(|block| block.cases(family)));
    cases
}

struct Block {
    line: u64,
    title: String,
    names: Vec<String>,
    options: Vec<String>,
    /// The second file and those behind it have names of their own.
    files: Vec<(String, Vec<u8>)>,
    meanings: Vec<Meaning>,
}

impl Block {
    fn new(head: &str, line: u64) -> Block {
        let mut parts = head.split(" | ");
        let words = |what: Option<&str>| -> Vec<String> {
            what.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
        };
        let title = parts.next().unwrap_or_default().to_owned();
        let (names, options) = (words(parts.next()), words(parts.next()));
        let options = options.iter().map(|option| String::from_utf8(unescaped(option)).unwrap()).collect();
        assert!(!names.is_empty(), "line {line}: a block names its file: {head}");
        Block { line, title, names, options, files: vec![(String::new(), Vec::new())], meanings: Vec::new() }
    }

    fn line(&mut self, line: &str) {
        if let Some(meaning) = line.strip_prefix("=> ") {
            self.meanings.push(meaning_of(meaning).unwrap_or_else(|| panic!("line {}: {line}", self.line)));
        } else if !self.meanings.is_empty() {
            assert!(line.is_empty(), "line {}: behind what is right stands {line:?}", self.line);
        } else if let Some(name) = line.strip_prefix("++ ") {
            self.files.push((name.to_owned(), Vec::new()));
        } else {
            let content = &mut self.files.last_mut().unwrap().1;
            let (times, line) = match line.strip_prefix("\\repeat ").and_then(|rest| rest.split_once(' ')) {
                Some((times, line)) => (times.parse().unwrap(), line),
                None => (1, line),
            };
            for _ in 0..times {
                content.extend(unescaped(line.strip_suffix('\\').unwrap_or(line)));
                if !line.ends_with('\\') {
                    content.push(b'\n');
                }
            }
        }
    }

    fn cases(self, family: &str) -> Vec<Case> {
        assert!(!self.meanings.is_empty(), "{family}: line {}: nothing is right", self.line);
        let case = |name: &String| {
            let mut files = self.files.clone();
            files[0].0.clone_from(name);
            Case {
                place: format!("{family}.txt:{}", self.line),
                title: self.title.clone(),
                name: name.clone(),
                options: self.options.clone(),
                files,
                meanings: self.meanings.clone(),
            }
        };
        self.names.iter().map(case).collect()
    }
}

fn meaning_of(text: &str) -> Option<Meaning> {
    let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
    let tokens = tokens(rest);
    Some(match kind {
        "read" => Meaning::Reading(reading_of(&tokens)?),
        "changes" => Meaning::Changes(
            tokens
                .split(|token| *token == Token::Between(','))
                .filter(|change| !change.is_empty())
                .map(|change| words(change).join(" "))
                .collect(),
        ),
        "refuse" => {
            let words = words(&tokens);
            let mut refusal = Refusal::default();
            let mut left = &words[..];
            if let [line, number, rest @ ..] = left
                && line == "line"
            {
                (refusal.line, left) = (Some(number.parse().ok()?), rest);
            }
            if let [says, rest @ ..] = left {
                (says == "says").then_some(())?;
                refusal.says = rest.to_vec();
            }
            Meaning::Refusal(refusal)
        }
        _ => return None,
    })
}

fn reading_of(tokens: &[Token]) -> Option<Reading> {
    let mut reading = Reading::default();
    let mut left = tokens;
    while let [Token::Plain(word), rest @ ..] = left {
        match word.as_str() {
            "nothing" => {}
            "undirected" => reading.undirected = true,
            "names" => reading.ids = Ids::Names,
            "any" => reading.ids = Ids::Any,
            _ => break,
        }
        left = rest;
    }
    let mut parts = left.split(|token| *token == Token::Between(';'));
    for edge in parts.next()?.split(|token| *token == Token::Between(',')).filter(|edge| !edge.is_empty()) {
        match &words(edge)[..] {
            [source, target] => reading.edges.push((source.clone(), target.clone(), None)),
            [source, target, weight] => {
                reading.edges.push((source.clone(), target.clone(), Some(weight.parse().ok()?)));
            }
            _ => return None,
        }
    }
    reading.alone = words(parts.next().unwrap_or_default());
    reading.sort();
    Some(reading)
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Plain(String),
    Quoted(String),
    Between(char),
}

fn words(tokens: &[Token]) -> Vec<String> {
    let word = |token: &Token| match token {
        Token::Plain(word) | Token::Quoted(word) => word.clone(),
        Token::Between(between) => between.to_string(),
    };
    tokens.iter().map(word).collect()
}

/// Words apart by blanks, commas and semicolons; in quotes with any of them, and with escapes.
fn tokens(mut text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    loop {
        text = text.trim_start();
        let Some(first) = text.chars().next() else { return tokens };
        let end = match first {
            '"' => 1 + text[1..].find('"').expect("a quote ends") + 1,
            ',' | ';' => 1,
            _ => text.find([' ', ',', ';']).unwrap_or(text.len()),
        };
        let word = |text: &str| String::from_utf8(unescaped(text)).unwrap();
        tokens.push(match first {
            '"' => Token::Quoted(word(&text[1..end - 1])),
            ',' | ';' => Token::Between(first),
            _ => Token::Plain(word(&text[..end])),
        });
        text = &text[end..];
    }
}

/// A text without its escapes.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        let length = match rest.chars().next().unwrap_or_else(|| panic!("{text:?} ends in its escape")) {
            'x' => {
                bytes.push(u8::from_str_radix(&rest[1..3], 16).unwrap());
                3
            }
            'u' => {
                let end = rest.find('}').unwrap();
                let letter = char::from_u32(u32::from_str_radix(&rest[2..end], 16).unwrap()).unwrap();
                bytes.extend(letter.to_string().bytes());
                end + 1
            }
            one => {
                let known = [('t', b'\t'), ('r', b'\r'), ('0', 0), ('q', b'"'), ('s', b' '), ('\\', b'\\')];
                let found = known.iter().find(|(letter, _)| *letter == one);
                bytes.push(found.unwrap_or_else(|| panic!("{text:?} has an unknown escape")).1);
                1
            }
        };
        rest = &rest[length..];
    }
    bytes.extend(rest.bytes());
    bytes
}

impl fmt::Display for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Meaning::Reading(reading) => write!(f, "{reading}"),
            Meaning::Changes(changes) => write!(f, "changes {}", changes.join(", ")),
            Meaning::Refusal(Refusal { line, says }) => {
                write!(f, "refused")?;
                line.iter().try_for_each(|line| write!(f, " with line {line}"))?;
                says.iter().try_for_each(|text| write!(f, " saying {text:?}"))
            }
        }
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", if self.undirected { "undirected" } else { "directed" }, self.ids)?;
        for (source, target, weight) in &self.edges {
            write!(f, ", {source:?} {target:?}")?;
            weight.iter().try_for_each(|weight| write!(f, " {weight}"))?;
        }
        if !self.alone.is_empty() {
            write!(f, "; alone {:?}", self.alone)?;
        }
        Ok(())
    }
}
