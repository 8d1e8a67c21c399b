//! networkx's multiline adjacency lists: a line with a vertex and the number of its neighbours, then a line
//! for each, with its attributes behind it.

use leadline_text::{Comment, could_be_a_name};

use super::adjacency::has_networkx_header;
use super::chunks::{Chunks, Wrong};
use super::grammar::attribute;
use super::number::{self, shown};
use super::records::{Ids, LineRecords, Lines, Out, RecordReader, nothing_behind, number_in, words};
use super::summary::InputSummary;
use super::{Declared, EdgeReader, InputOptions};
use crate::{GraphError, InputOption};

struct Multiline {
    comment: Option<Comment>,
    source: u64,
    /// Neighbours of it that are still to come.
    left: u64,
    comments: u64,
    /// The next line is networkx's first.
    header: bool,
    /// There were weights, which were not wanted.
    weights_left: bool,
}

pub(super) fn open(
    mut chunks: Chunks,
    options: &InputOptions,
    summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let header = has_networkx_header(chunks.peek()?.0);
    let comment = options.text.comment;
    let parser = Multiline { comment, source: 0, left: 0, comments: 0, header, weights_left: false };
    let records = LineRecords::new(chunks, parser);
    let (meter, out) = (records.meter(), Out::new(options, options.weights));
    Ok(Box::new(RecordReader::new(records, out, Declared::default(), meter, summary)))
}

impl Multiline {
    fn is_comment(&self, line: &[u8], ids: &Ids) -> Result<bool, Wrong> {
        match self.comment {
            Some(Comment::None) => return Ok(false),
            Some(Comment::Byte(byte)) => return Ok(line[0] == byte),
            None if !Comment::USUAL.contains(&line[0]) => return Ok(false),
            None => {}
        }
        if could_be_a_name(line) && !matches!(ids, Ids::Numbers { .. }) {
            let first = char::from(line[0]);
            let text = format!("{} may be a comment, or a name that begins with {first}", shown(line));
            return Err(Wrong { text, option: Some(InputOption::Comment) });
        }
        Ok(true)
    }

    fn neighbour(&mut self, line: &[u8], out: &mut Out) -> Result<(), Wrong> {
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (name, data) = (&line[..end], line[end..].trim_ascii_start());
        if !(data.is_empty() || data.starts_with(b"{") && data.ends_with(b"}")) {
            let text = format!("expected attributes {{...}} after {}, found {}", shown(name), shown(data));
            return Err(text.into());
        }
        let weight = match attribute(data) {
            Some(weight) if out.weights => number::weight(weight)?,
            None if out.weights => {
                return Err("expected a 'weight' among its attributes, found none".to_owned().into());
            }
            there => {
                self.weights_left |= there.is_some();
                0.0
            }
        };
        let target = out.ids.number(name, "a neighbour's id")?;
        out.edge(self.source, target, weight);
        self.left -= 1;
        Ok(())
    }
}

impl Lines for Multiline {
    fn line(&mut self, line: &[u8], out: &mut Out) -> Result<(), Wrong> {
        if std::mem::take(&mut self.header) || self.is_comment(line, &out.ids)? {
            self.comments += 1;
            return Ok(());
        }
        if self.left > 0 {
            return self.neighbour(line, out);
        }
        let mut words = words(line);
        let source = words.next().unwrap_or_default();
        self.left = number_in(&mut words, "the number of neighbours")?;
        nothing_behind(words, "a vertex and the number of its neighbours")?;
        self.source = out.ids.number(source, "a vertex id")?;
        if self.left == 0 {
            out.batch.vertices.push(self.source);
        }
        Ok(())
    }

    fn end(&mut self, _: &mut Out) -> Result<(), Wrong> {
        match self.left {
            0 => Ok(()),
            left => Err(format!("expected {left} more neighbours of its last vertex, found the end").into()),
        }
    }

    fn tell(&self, summary: &mut InputSummary) {
        summary.lines_skipped.comments += self.comments;
        if self.weights_left {
            summary.notes.push("its weights were not kept".to_owned());
        }
    }
}
