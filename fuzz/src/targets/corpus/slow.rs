//! Reads edges as a summary says that they were read, in the most obvious way.

use leadline_graph_store::input::{Comment, InputOptions, InputSummary};

use super::Edge;

/// A text in columns, and how it is read.
pub(super) struct Slow<'a> {
    lines: Vec<&'a [u8]>,
    summary: &'a InputSummary,
    options: &'a InputOptions,
}

impl<'a> Slow<'a> {
    pub(super) fn new(content: &'a [u8], summary: &'a InputSummary, options: &'a InputOptions) -> Slow<'a> {
        let text = summary.text.as_ref().expect("a text");
        let mark = "\u{feff}".as_bytes();
        assert_eq!(content.starts_with(mark), text.byte_order_mark, "a byte order mark is seen");
        let mut content = content;
        while let Some(rest) = content.strip_prefix(mark) {
            content = rest;
        }
        let end = if text.line_ends == "CR" { b'\r' } else { b'\n' };
        let mut lines: Vec<&[u8]> = content.split(|byte| *byte == end).collect();
        if lines.last().is_some_and(|last| last.is_empty()) {
            lines.pop();
        }
        let without_cr = |line: &'a [u8]| line.strip_suffix(b"\r").unwrap_or(line);
        Slow { lines: lines.into_iter().map(without_cr).collect(), summary, options }
    }

    /// Whether these are its edges, and the summary says what became of each line.
    ///
    /// # Panics
    /// Where they are not.
    pub(super) fn check(&self, edges: &[Edge]) {
        let (mut skipped, mut blank, mut comments, mut header) = (0, 0, 0, None);
        let mut values = Vec::new();
        for line in &self.lines {
            if skipped < self.options.text.skip {
                skipped += 1;
            } else if line.iter().all(u8::is_ascii_whitespace) {
                blank += 1;
            } else if self.is_comment(line) {
                comments += 1;
            } else if header.is_none() && self.summary.text.as_ref().is_some_and(|text| text.header) {
                header = Some(*line);
            } else {
                values.push(*line);
            }
        }
        let counted = self.summary.lines_skipped;
        assert_eq!(
            (skipped, blank, comments, u64::from(header.is_some())),
            (counted.skipped, counted.blank, counted.comments, counted.header),
            "lines that hold no edge"
        );
        assert_eq!(values.len(), edges.len(), "each other line is an edge");
        // Dictionaries of attributes are no columns.
        let attributes = |line: &&[u8]| line.contains(&b'{');
        let Some(places) = self.places(header).filter(|_| !values.iter().any(attributes)) else { return };
        let columns = self.summary.columns_read.len() + self.summary.columns_ignored.len();
        for (line, edge) in values.iter().zip(edges) {
            let fields = self.fields(line);
            assert_eq!(fields.len(), columns, "{:?} has all columns", String::from_utf8_lossy(line));
            let id = |at: usize| match self.summary.ids {
                "numbers" => fields[at].parse::<u64>().expect("a number").to_string(),
                _ => fields[at].clone(),
            };
            let weight = places.get(2).map(|at| fields[*at].parse::<f64>().expect("a weight"));
            assert_eq!(&(id(places[0]), id(places[1]), weight), edge, "{:?}", String::from_utf8_lossy(line));
        }
    }

    fn is_comment(&self, line: &[u8]) -> bool {
        match self.options.text.comment {
            Some(Comment::None) => false,
            Some(Comment::Byte(byte)) => line[0] == byte,
            None => b"#%".contains(&line[0]),
        }
    }

    /// Where the columns are that were read; nothing where two have one name.
    fn places(&self, header: Option<&[u8]>) -> Option<Vec<usize>> {
        let names = header.map(|header| self.fields(header));
        let place = |name: &String| match &names {
            None => name.parse::<usize>().ok().map(|number| number - 1),
            Some(names) => {
                let called = |at: usize| match names[at].as_str() {
                    "" => (at + 1).to_string(),
                    known => known.to_owned(),
                };
                let mut places = (0..names.len()).filter(|at| called(*at) == *name);
                places.next().filter(|_| places.next().is_none())
            }
        };
        let places: Option<Vec<usize>> = self.summary.columns_read.iter().map(place).collect();
        places.filter(|places| !places.is_empty())
    }

    /// The fields of a line, without blanks and quotes around them.
    fn fields(&self, line: &[u8]) -> Vec<String> {
        let delimiter = match self.summary.text.as_ref().map_or("", |text| &text.delimiter) {
            "blanks" => return blanks(line),
            "tab" => b'\t',
            "space" => b' ',
            "comma" => b',',
            "semicolon" => b';',
            "bar" => b'|',
            other => other.as_bytes()[0],
        };
        let mut fields = Vec::new();
        let mut at = 0;
        loop {
            let is_blank = |byte: u8| byte.is_ascii_whitespace() && byte != delimiter;
            let begin = at + line[at..].iter().take_while(|byte| is_blank(**byte)).count();
            let field = if line.get(begin) == Some(&b'"') && delimiter != b' ' {
                let (field, end) = quoted(line, begin);
                at = end + line[end..].iter().take_while(|byte| is_blank(**byte)).count();
                field
            } else {
                at += line[at..].iter().take_while(|byte| **byte != delimiter).count();
                line[begin.min(at)..at].trim_ascii().to_vec()
            };
            fields.push(String::from_utf8_lossy(&field).into_owned());
            if at == line.len() {
                return fields;
            }
            assert_eq!(line[at], delimiter, "a delimiter behind a field");
            at += 1;
        }
    }
}

fn blanks(line: &[u8]) -> Vec<String> {
    let mut fields = Vec::new();
    let mut at = 0;
    loop {
        at += line[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let field = match line.get(at) {
            None => return fields,
            Some(b'"') => {
                let (field, end) = quoted(line, at);
                at = end;
                field
            }
            Some(_) => {
                let length = line[at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
                at += length;
                line[at - length..at].to_vec()
            }
        };
        fields.push(String::from_utf8_lossy(&field).into_owned());
    }
}

/// A field in quotes that begins at `at`, and where it ends.
fn quoted(line: &[u8], mut at: usize) -> (Vec<u8>, usize) {
    let mut field = Vec::new();
    loop {
        at += 1;
        match (line.get(at).expect("a quote ends"), line.get(at + 1)) {
            (b'"', Some(b'"')) => {
                field.push(b'"');
                at += 1;
            }
            (b'"', _) => return (field, at + 1),
            (byte, _) => field.push(*byte),
        }
    }
}
