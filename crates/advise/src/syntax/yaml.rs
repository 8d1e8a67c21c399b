//! YAML as a tree of text, with the line of everything in it.
//!
//! Systems read numbers from it by rules of their own, so scalars stay text. Anchors and aliases are refused:
//! no configuration that is read here needs them, and a few lines of them can stand for gigabytes.

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

/// How deep lists and maps may lie in each other.
const DEEPEST: usize = 32;

/// A part of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Line it begins at, from 1.
    pub(crate) line: usize,
    /// What it is.
    pub(crate) value: Value,
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
        let Value::Map(entries) = &self.value else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
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
pub(crate) fn parse(text: &str) -> Result<Node, Wrong> {
    let mut reader = Reader { events: Parser::new_from_str(text) };
    loop {
        match reader.next()? {
            (Event::StreamEnd, line) => return Ok(Node { line, value: Value::Null }),
            (Event::StreamStart | Event::DocumentStart(_), _) => {}
            (event, line) => return reader.node(event, line, 0),
        }
    }
}

struct Reader<'a> {
    events: Parser<'a, saphyr_parser::StrInput<'a>>,
}

impl<'a> Reader<'a> {
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
        let value = match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) if matches!(&*text, "" | "~" | "null") => Value::Null,
            Event::Scalar(text, ..) => Value::Text(text.into_owned()),
            Event::SequenceStart(..) => self.list(depth)?,
            Event::MappingStart(..) => self.map(depth)?,
            Event::Alias(_) => {
                return Err((line, "an alias (*name); write out what it stands for".to_owned()));
            }
            _ => return Err((line, "the document ends too early".to_owned())),
        };
        Ok(Node { line, value })
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
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, _) => return Ok(Value::Map(entries)),
                (Event::Scalar(key, ..), line) => {
                    if entries.iter().any(|(name, _)| *name == *key) {
                        return Err((line, format!("{key:?} is there twice; leave out one")));
                    }
                    key.into_owned()
                }
                (_, line) => return Err((line, "a key that is not a word".to_owned())),
            };
            let (event, line) = self.next()?;
            let node = self.node(event, line, depth + 1)?;
            entries.push((key, node));
        }
    }
}

fn wrong(error: &ScanError) -> Wrong {
    (error.marker().line(), error.info().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("a: &x 1\nb: *x\n", 2),
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
}
