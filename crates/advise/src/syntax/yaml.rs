//! YAML as a tree of text, with the line of everything in it.
//!
//! Systems read numbers from it by rules of their own, so scalars stay text. What an alias stands for is
//! copied, up to a limit: a few lines of aliases can stand for gigabytes.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

/// How deep lists and maps may be in each other.
const DEEPEST: usize = 32;

/// How many parts a document may have, with those that aliases stand for.
const MOST_NODES: usize = 100_000;

/// Whose parser reads the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// yaml-cpp: `<<` is a key like others, and a key that is there twice is refused here.
    Cpp,
    /// go-yaml: what is at `<<` is put in its place, and the last of equal keys counts.
    Go,
    /// PyYAML and go-yaml 3, with which tools read their files: keys of a map are above those at its `<<`,
    /// and the last of equal keys counts.
    Tools,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Line it begins at, from 1.
    pub(crate) line: usize,
    /// What it is.
    pub(crate) value: Value,
    /// Whether it is a scalar in quotes or a block, and so a text whatever is in it.
    pub(crate) is_quoted: bool,
    /// Whether it is a text after `|`, each of whose lines is a line of the file; the first is `line`.
    pub(crate) is_literal: bool,
}

/// What a part of a document is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// Nothing: a key without a value.
    Null,
    /// A number, a word, a text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Keys with values, in order.
    Map(Vec<(String, Node)>),
}

/// Why a text is not YAML that can be read: its line, and the reason.
pub(crate) type Wrong = (usize, String);

impl Node {
    /// The value of a key, if this is a map that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.map()?.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value at the end of keys one below the other, written with dots between them: `spec.replicas`.
    pub(crate) fn at(&self, keys: &str) -> Option<&Node> {
        keys.split('.').try_fold(self, |node, key| node.get(key))
    }

    /// The keys with their values, if it is a map.
    pub(crate) fn map(&self) -> Option<&[(String, Node)]> {
        match &self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// How many parts it has, itself and all below.
    fn nodes(&self) -> usize {
        1 + match &self.value {
            Value::List(entries) => entries.iter().map(Node::nodes).sum(),
            Value::Map(entries) => entries.iter().map(|(_, node)| node.nodes()).sum(),
            Value::Null | Value::Text(_) => 0,
        }
    }

    /// How deep lists and maps are in it.
    fn depth(&self) -> usize {
        let below = match &self.value {
            Value::List(entries) => entries.iter().map(Node::depth).max(),
            Value::Map(entries) => entries.iter().map(|(_, node)| node.depth()).max(),
            Value::Null | Value::Text(_) => return 0,
        };
        1 + below.unwrap_or(0)
    }

    /// The entries, if it is a list.
    pub(crate) fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(entries) => Some(entries),
            _ => None,
        }
    }
}

/// The first document of a text; an empty text is [`Value::Null`].
pub(crate) fn parse(text: &str, dialect: Dialect) -> Result<Node, Wrong> {
    let first = Reader::new(text, dialect).document()?;
    Ok(first.unwrap_or(Node { line: 1, value: Value::Null, is_quoted: false, is_literal: false }))
}

/// All documents of a text, between which lines of `---` stand.
pub(crate) fn documents(text: &str, dialect: Dialect) -> Result<Vec<Node>, Wrong> {
    let mut reader = Reader::new(text, dialect);
    let mut documents = Vec::new();
    while let Some(document) = reader.document()? {
        documents.push(document);
    }
    Ok(documents)
}

struct Reader<'a> {
    events: Parser<'a, saphyr_parser::StrInput<'a>>,
    dialect: Dialect,
    anchors: HashMap<usize, Node>,
    nodes: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, dialect: Dialect) -> Self {
        Reader { events: Parser::new_from_str(text), dialect, anchors: HashMap::new(), nodes: 0 }
    }

    /// The next document, `None` behind the last.
    fn document(&mut self) -> Result<Option<Node>, Wrong> {
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(None),
                (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd, _) => {}
                (event, line) => return self.node(event, line, 0).map(Some),
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, usize), Wrong> {
        match self.events.next() {
            Some(Ok((event, span))) => Ok((event, span.start.line())),
            Some(Err(error)) => Err(wrong(&error)),
            None => Ok((Event::StreamEnd, 1)),
        }
    }

    fn node(&mut self, event: Event<'a>, line: usize, depth: usize) -> Result<Node, Wrong> {
        if depth > DEEPEST {
            return Err((line, format!("lists and maps lie more than {DEEPEST} deep in each other")));
        }
        self.count(1, line)?;
        let is_literal = matches!(event, Event::Scalar(_, ScalarStyle::Literal, ..));
        let (anchor, is_quoted, value) = match event {
            Event::Scalar(text, ScalarStyle::Plain, anchor, _) if matches!(&*text, "" | "~" | "null") => {
                (anchor, false, Value::Null)
            }
            Event::Scalar(text, style, anchor, _) => {
                (anchor, style != ScalarStyle::Plain, Value::Text(text.into_owned()))
            }
            Event::SequenceStart(anchor, _) => (anchor, false, self.list(depth)?),
            Event::MappingStart(anchor, _) => (anchor, false, self.map(depth)?),
            Event::Alias(anchor) => return self.alias(anchor, line, depth),
            _ => return Err((line, "the document ends too early".to_owned())),
        };
        // The parser has such a text begin at its first line that is not empty.
        let empty = match &value {
            Value::Text(text) if is_literal => text.chars().take_while(|c| *c == '\n').count(),
            _ => 0,
        };
        let node = Node { line: line.saturating_sub(empty).max(1), value, is_quoted, is_literal };
        if anchor > 0 {
            self.count(node.nodes(), line)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    /// A copy of what an alias stands for, with the lines that it has.
    fn alias(&mut self, anchor: usize, line: usize, depth: usize) -> Result<Node, Wrong> {
        let Some(node) = self.anchors.get(&anchor).cloned() else {
            return Err((line, "an alias (*name) of the node that contains it".to_owned()));
        };
        if depth + node.depth() > DEEPEST {
            return Err((line, format!("lists and maps lie more than {DEEPEST} deep in each other")));
        }
        self.count(node.nodes(), line)?;
        Ok(node)
    }

    fn count(&mut self, nodes: usize, line: usize) -> Result<(), Wrong> {
        self.nodes += nodes;
        match self.nodes > MOST_NODES {
            true => Err((line, format!("the document has more than {MOST_NODES} parts, with all aliases"))),
            false => Ok(()),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Wrong> {
        let mut entries = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Value::List(entries)),
                (event, line) => entries.push(self.node(event, line, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, Wrong> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        let mut own: Vec<(String, Node)> = Vec::new();
        loop {
            let (key, line) = match self.next()? {
                (Event::MappingEnd, _) => break,
                (Event::Scalar(key, ..), line) => (key.into_owned(), line),
                (_, line) => return Err((line, "a key that is not a word".to_owned())),
            };
            let (event, at) = self.next()?;
            let node = self.node(event, at, depth + 1)?;
            match (self.dialect, &*key) {
                (Dialect::Go | Dialect::Tools, "<<") => merge(node, &mut entries, at)?,
                (Dialect::Go, _) => set(key, node, &mut entries),
                (Dialect::Tools, _) => set(key, node, &mut own),
                (Dialect::Cpp, _) if entries.iter().any(|(name, _)| *name == key) => {
                    return Err((line, format!("{key:?} is there twice; leave out one")));
                }
                (Dialect::Cpp, _) => entries.push((key, node)),
            }
        }
        // Of Tools: what the map has itself counts, wherever `<<` stands.
        own.into_iter().for_each(|(key, node)| set(key, node, &mut entries));
        Ok(Value::Map(entries))
    }
}

/// Sets a key, or sets it again.
fn set(key: String, node: Node, entries: &mut Vec<(String, Node)>) {
    match entries.iter_mut().find(|(name, _)| *name == key) {
        Some((_, before)) => *before = node,
        None => entries.push((key, node)),
    }
}

/// Puts the keys of a map, or of several, where `<<` stands; of several the first counts.
fn merge(node: Node, entries: &mut Vec<(String, Node)>, line: usize) -> Result<(), Wrong> {
    match node.value {
        Value::Map(merged) => merged.into_iter().for_each(|(key, node)| set(key, node, entries)),
        Value::List(maps) => {
            for map in maps.into_iter().rev() {
                merge(map, entries, line)?;
            }
        }
        _ => return Err((line, "<< without a map".to_owned())),
    }
    Ok(())
}

fn wrong(error: &ScanError) -> Wrong {
    (error.marker().line(), error.info().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Node, Wrong> {
        super::parse(text, Dialect::Cpp)
    }

    #[test]
    fn blocks_and_braces_read_the_same() {
        let block = parse("disks:\n  - mountpoint: /var/lib/scylla\n    read_iops: 95000\n").unwrap();
        let braces = parse("{disks: [{mountpoint: /var/lib/scylla, read_iops: 95000}]}").unwrap();
        for document in [&block, &braces] {
            let disk = &document.get("disks").and_then(Node::list).unwrap()[0];
            assert_eq!(disk.get("mountpoint").and_then(Node::text), Some("/var/lib/scylla"));
            assert_eq!(disk.get("read_iops").and_then(Node::text), Some("95000"));
            assert_eq!(disk.get("write_iops"), None);
        }
        let disk = &block.get("disks").and_then(Node::list).unwrap()[0];
        assert_eq!(disk.get("read_iops").unwrap().line, 3);
    }

    #[test]
    fn nothing_is_null() {
        assert_eq!(parse("").unwrap().value, Value::Null);
        assert_eq!(parse("# only a remark\n").unwrap().value, Value::Null);
        assert_eq!(parse("key:\n").unwrap().get("key").unwrap().value, Value::Null);
        assert_eq!(parse("key: ''\n").unwrap().get("key").unwrap().value, Value::Text(String::new()));
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_line() {
        let cases = [
            ("a: 1\nb: [1, 2\n", 3),
            ("a: &x [*x]\n", 1),
            ("a: 1\nb: *x\n", 2),
            ("a: 1\na: 2\n", 2),
            ("a: 1\n? [1]\n: 2\n", 2),
        ];
        for (text, line) in cases {
            let (at, reason) = parse(text).expect_err(text);
            assert_eq!(at, line, "{text:?}: {reason}");
        }
        let deep = "[".repeat(10_000);
        assert!(parse(&deep).is_err());
    }

    #[test]
    fn aliases_stand_for_what_is_named() {
        let text = "base: &base\n  a: 1\n  b: 2\nnext:\n  a: 3\n  <<: *base\n  c: [*base]\n";
        let go = super::parse(text, Dialect::Go).unwrap();
        let next = go.get("next").unwrap();
        // As go-yaml 2 reads it: what comes later counts.
        assert_eq!(next.get("a").and_then(Node::text), Some("1"));
        assert_eq!(next.get("b").unwrap().line, 3);
        assert_eq!(next.get("c").and_then(Node::list).unwrap()[0].get("b").and_then(Node::text), Some("2"));
        let cpp = parse(text).unwrap();
        assert_eq!(cpp.get("next").and_then(|next| next.get("a")).and_then(Node::text), Some("3"));
        assert_eq!(
            super::parse("a: 1\na: 2\n", Dialect::Go).unwrap().get("a").and_then(Node::text),
            Some("2")
        );
    }

    #[test]
    fn a_few_lines_of_aliases_do_not_fill_the_memory() {
        let mut text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
        for level in 1..10 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            text.push_str(&format!("a{level}: &a{level} [{below}]\n"));
        }
        let (_, reason) = parse(&text).unwrap_err();
        assert!(reason.contains("more than 100000 parts"), "{reason}");
    }

    #[test]
    fn of_tools_a_maps_own_keys_count() {
        let text = "base: &base {a: 1, b: 2}\nnext:\n  a: 3\n  <<: *base\n";
        let next = super::parse(text, Dialect::Tools).unwrap().get("next").cloned().unwrap();
        assert_eq!(["a", "b"].map(|key| next.get(key).and_then(Node::text)), [Some("3"), Some("2")]);
    }

    #[test]
    fn documents_and_literal_texts_know_their_lines() {
        let text = "a: 1\n---\nb: |\n  x\n\n  y\nc: |\n\n  z\n---\n# none\n";
        let all = documents(text, Dialect::Tools).unwrap();
        let text = |key| all[1].get(key).map(|node| (node.line, node.is_literal, node.text().unwrap()));
        assert_eq!(text("b"), Some((4, true, "x\n\ny\n")));
        assert_eq!(text("c"), Some((8, true, "\nz\n")));
        assert_eq!(all[0].at("a").map(|node| (node.line, node.is_literal)), Some((1, false)));
    }

    #[test]
    fn quotes_are_known() {
        let node = parse("a: 1\nb: '1'\nc: \"1\"\n").unwrap();
        assert_eq!(["a", "b", "c"].map(|key| node.get(key).unwrap().is_quoted), [false, true, true]);
    }
}
