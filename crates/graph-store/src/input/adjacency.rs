//! Lists of neighbours, one vertex per line: networkx's adjacency lists, and GraphChi's, which count them.
//!
//! A line may be longer than memory: it is read word by word, where blanks stand between words.

use leadline_text::{Comment, Delimiter, could_be_a_name};
use memchr::memchr;

use super::chunks::{CHUNK, Chunks, Cut, Failure, Wrong};
use super::number::{shown, whole};
use super::records::{Ids, Out, RecordReader, Records};
use super::summary::InputSummary;
use super::{Declared, EdgeReader, InputOptions};
use crate::{GraphError, InputOption};

struct Adjacency {
    chunks: Chunks,
    chunk: Vec<u8>,
    lists: Lists,
}

/// Where in the lists the next word stands.
struct Lists {
    /// The second word of a line says how many follow.
    counted: bool,
    /// What stands between words, where it is no blank.
    delimiter: Option<u8>,
    comment: Option<Comment>,
    /// Lines that ended.
    lines: u64,
    /// Whose line it is.
    source: Option<u64>,
    /// How many neighbours it should have.
    expected: Option<u64>,
    found: u64,
    in_comment: bool,
    blank: u64,
    comments: u64,
}

/// Opens lists of neighbours; `counted` where each says how many it has.
pub(super) fn open(
    chunks: Chunks,
    counted: bool,
    options: &InputOptions,
    summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let delimiter = match options.text.delimiter {
        Some(Delimiter::Byte(byte)) => Some(byte),
        _ => None,
    };
    // Names may have blanks where something else stands between them.
    let mut chunks = chunks.cut(if delimiter.is_none() { Cut::Words } else { Cut::Lines });
    let meter = chunks.meter();
    let mut out = Out::new(options, false);
    if counted {
        out.ids = Ids::numbers();
    }
    let lists = Lists {
        counted,
        delimiter,
        comment: options.text.comment,
        lines: 0,
        source: None,
        expected: None,
        found: 0,
        in_comment: has_networkx_header(chunks.peek()?.0),
        blank: 0,
        comments: 0,
    };
    let records = Adjacency { chunks, chunk: Vec::new(), lists };
    Ok(Box::new(RecordReader::new(records, out, Declared::default(), meter, summary)))
}

/// networkx begins with the program's arguments behind `#`, which may look like a name, and the time.
pub(super) fn has_networkx_header(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let first = lines.next().is_some_and(|line| line.starts_with(b"#"));
    first && lines.next().is_some_and(|line| line.starts_with(b"# GMT "))
}

impl Lists {
    fn parse(&mut self, text: &[u8], out: &mut Out) -> Result<(), Wrong> {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            if self.in_comment {
                let Some(length) = memchr(b'\n', &text[at..]) else { return Ok(()) };
                at += length;
                self.in_comment = false;
                self.comments += u64::from(self.source.is_none());
                self.end_line(out, true)?;
                at += 1;
                continue;
            }
            match byte {
                b'\n' => self.end_line(out, false)?,
                _ if byte.is_ascii_whitespace() || Some(byte) == self.delimiter => {}
                _ => {
                    let rest = &text[at..];
                    let ends = |byte: &u8| match self.delimiter {
                        Some(delimiter) => *byte == delimiter || *byte == b'\n',
                        None => byte.is_ascii_whitespace(),
                    };
                    let length = rest.iter().position(ends).unwrap_or(rest.len());
                    self.word(rest[..length].trim_ascii_end(), out)?;
                    at += length;
                    continue;
                }
            }
            at += 1;
        }
        Ok(())
    }

    fn word(&mut self, word: &[u8], out: &mut Out) -> Result<(), Wrong> {
        if self.begins_comment(word, &out.ids)? {
            self.in_comment = true;
            return Ok(());
        }
        let Some(source) = self.source else {
            self.source = Some(out.ids.number(word, "a vertex id")?);
            return Ok(());
        };
        if self.counted && self.expected.is_none() {
            self.expected = Some(whole(word, "the number of neighbours")?);
            return Ok(());
        }
        self.found += 1;
        if let Some(expected) = self.expected.filter(|expected| self.found > *expected) {
            let found = shown(word);
            return Err(format!(
                "expected the end of the line after {expected} neighbours, as it says, found {found}"
            )
            .into());
        }
        let target = out.ids.number(word, "a neighbour's id")?;
        out.edge(source, target, 0.0);
        Ok(())
    }

    /// Whether a comment begins with a word.
    fn begins_comment(&self, word: &[u8], ids: &Ids) -> Result<bool, Wrong> {
        match self.comment {
            Some(Comment::None) => return Ok(false),
            Some(Comment::Byte(byte)) => return Ok(word[0] == byte),
            None if !Comment::USUAL.contains(&word[0]) => return Ok(false),
            None => {}
        }
        if could_be_a_name(word) && !matches!(ids, Ids::Numbers { .. }) {
            let first = char::from(word[0]);
            let text = format!("{} may be a comment, or a name that begins with {first}", shown(word));
            return Err(Wrong { text, option: Some(InputOption::Comment) });
        }
        Ok(true)
    }

    fn end_line(&mut self, out: &mut Out, comment: bool) -> Result<(), Wrong> {
        if let Some(source) = self.source {
            match self.expected {
                None if self.counted => {
                    let text =
                        "expected the number of neighbours after the vertex, found the end of the line";
                    return Err(text.to_owned().into());
                }
                Some(expected) if expected != self.found => {
                    let text = format!("expected {expected} neighbours, as it says, found {}", self.found);
                    return Err(text.into());
                }
                _ => {}
            }
            if self.found == 0 {
                out.batch.vertices.push(source);
            }
        } else if !comment {
            self.blank += 1;
        }
        (self.source, self.expected, self.found) = (None, None, 0);
        self.lines += 1;
        Ok(())
    }
}

impl Records for Adjacency {
    fn more(&mut self, out: &mut Out) -> Result<bool, GraphError> {
        let lists = &mut self.lists;
        let more = self.chunks.next(&mut self.chunk);
        let more = more.map_err(|failure| failure.at(self.chunks.name(), lists.lines))?;
        lists
            .parse(&self.chunk[..if more { self.chunk.len() } else { 0 }], out)
            .map_err(|what| Failure::Line { before: 0, what }.at(self.chunks.name(), lists.lines))?;
        Ok(more)
    }

    fn tell(&self, summary: &mut InputSummary) {
        summary.lines_skipped.blank += self.lists.blank;
        summary.lines_skipped.comments += self.lists.comments;
    }

    fn memory_bytes(&self) -> u64 {
        2 * CHUNK as u64
    }
}
