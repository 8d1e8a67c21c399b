//! XML, element by element, in bounded memory: nothing is expanded but the five entities that XML has and
//! characters by number, and no element nests without end.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use memchr::memchr_iter;
use quick_xml::XmlVersion;
use quick_xml::errors::Error as XmlError;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use crate::GraphError;
use crate::input::chunks::{CHUNK, Chunks, Wrong};
use crate::input::records::Out;

/// Most bytes of a tag, a text between tags or a document type.
const LONGEST: u64 = 4 << 20;

/// Deepest elements within elements.
const DEEPEST: usize = 256;

/// What is done with elements.
pub(super) trait Elements: Send {
    /// An element begins.
    fn open(&mut self, element: &Element<'_>, out: &mut Out) -> Result<(), Wrong>;

    /// An element of this name ends.
    fn close(&mut self, name: &str, out: &mut Out) -> Result<(), Wrong>;

    /// Some of the text in an element.
    fn text(&mut self, text: &str) -> Result<(), Wrong>;
}

/// The beginning of an element.
pub(super) struct Element<'e> {
    start: &'e BytesStart<'e>,
    pub(super) line: u64,
}

impl Element<'_> {
    /// Its name, without a prefix.
    pub(super) fn name(&self) -> &str {
        local(self.start.name().0)
    }

    /// The value of an attribute, if it has this one.
    pub(super) fn attribute(&self, name: &str) -> Result<Option<String>, Wrong> {
        let wrong =
            |error: &dyn std::fmt::Display| Wrong::from(format!("found an attribute of no form: {error}"));
        let Some(found) = self.start.try_get_attribute(name).map_err(|error| wrong(&error))? else {
            return Ok(None);
        };
        let value = found.normalized_value(XmlVersion::default()).map_err(|error| wrong(&error))?;
        Ok(Some(value.into_owned()))
    }

    /// The value of an attribute that must be there.
    pub(super) fn needed(&self, name: &str) -> Result<String, Wrong> {
        let value = self.attribute(name)?;
        value.ok_or_else(|| {
            format!("expected an attribute \"{name}\" of <{}>, found none", self.name()).into()
        })
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// A document that is read.
pub(super) struct Xml {
    reader: Reader<Counted>,
    buffer: Vec<u8>,
    name: String,
    depth: usize,
    /// An element was there.
    begun: bool,
}

impl Xml {
    pub(super) fn new(chunks: Chunks) -> Xml {
        let name = chunks.name().to_owned();
        let inner = BufReader::with_capacity(CHUNK, chunks.into_reader());
        let mut reader = Reader::from_reader(Counted { inner, since: 0, line: 1 });
        reader.config_mut().check_end_names = true;
        Xml { reader, buffer: Vec::new(), name, depth: 0, begun: false }
    }

    /// The line that is read.
    fn line(&self) -> u64 {
        self.reader.get_ref().line
    }

    /// Reads the next tag or text; false at the end.
    pub(super) fn next(&mut self, elements: &mut impl Elements, out: &mut Out) -> Result<bool, GraphError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.reader.get_mut().since = 0;
        let line = self.line();
        let more = match self.reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) if self.depth > 0 => {
                Err(self.at(line, "found the end within an element; it was cut off".to_owned().into()))
            }
            Ok(Event::Eof) => Ok(false),
            Ok(event) => {
                let depth = &mut self.depth;
                let taken = take(event, line, depth, elements, out);
                taken.map(|()| true).map_err(|wrong| self.at(line, wrong))
            }
            Err(error) => Err(self.failed(error)),
        };
        self.begun = true;
        self.buffer = buffer;
        more
    }

    fn at(&self, line: u64, wrong: Wrong) -> GraphError {
        wrong.at(&format!("{}: line {line}", self.name))
    }

    fn failed(&self, error: XmlError) -> GraphError {
        match error {
            XmlError::Io(error) => match Arc::try_unwrap(error) {
                Ok(error) if error.get_ref().is_some_and(|inner| inner.is::<TooLong>()) => {
                    self.at(self.line(), error.to_string().into())
                }
                Ok(error) => GraphError::read(&self.name, error),
                Err(error) => GraphError::read(&self.name, io::Error::new(error.kind(), error.to_string())),
            },
            error => self.at(self.line(), format!("is not well-formed XML: {error}").into()),
        }
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        2 * CHUNK as u64 + self.buffer.capacity() as u64
    }
}

fn take(
    event: Event<'_>,
    line: u64,
    depth: &mut usize,
    elements: &mut impl Elements,
    out: &mut Out,
) -> Result<(), Wrong> {
    match event {
        Event::Start(start) => {
            *depth += 1;
            if *depth > DEEPEST {
                return Err(format!("found elements that nest more than {DEEPEST} deep").into());
            }
            elements.open(&Element { start: &start, line }, out)
        }
        Event::Empty(start) => {
            let element = Element { start: &start, line };
            elements.open(&element, out)?;
            elements.close(element.name(), out)
        }
        Event::End(end) => {
            *depth = depth.saturating_sub(1);
            elements.close(local(end.name().0), out)
        }
        Event::Text(text) => elements.text(&text.xml10_content()),
        Event::CData(text) => elements.text(&text.xml10_content()),
        Event::GeneralRef(reference) => {
            let name = reference.xml10_content();
            let character = reference.resolve_char_ref().map_err(|error| error.to_string())?;
            match (character, quick_xml::escape::resolve_predefined_entity(&name)) {
                (Some(character), _) => elements.text(character.encode_utf8(&mut [0; 4])),
                (None, Some(text)) => elements.text(text),
                // Entities that a document defines itself may grow without end.
                (None, None) => Err(format!("found the entity &{name};, which is not read").into()),
            }
        }
        Event::Decl(declared) => match declared.encoding() {
            Some(Ok(encoding)) if !is_utf_8(&encoding) => Err(format!(
                "found text in {encoding}, expected UTF-8; convert it: iconv -f {encoding} -t UTF-8 < OLD > \
                 NEW, and change its first line"
            )
            .into()),
            _ => Ok(()),
        },
        Event::Comment(_) | Event::PI(_) | Event::DocType(_) | Event::Eof => Ok(()),
    }
}

fn is_utf_8(encoding: &str) -> bool {
    ["utf-8", "utf8", "us-ascii", "ascii"].contains(&encoding.to_lowercase().as_str())
}

/// A tag or a text is longer than any should be.
#[derive(Debug, thiserror::Error)]
#[error("found a tag or a text of more than {LONGEST} bytes")]
struct TooLong;

/// Counts lines, and bytes since the last event.
struct Counted {
    inner: BufReader<Box<dyn Read + Send>>,
    since: u64,
    line: u64,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.fill_buf()?.read(buffer)?;
        self.consume(got);
        Ok(got)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.since > LONGEST {
            return Err(io::Error::other(TooLong));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.since += bytes as u64;
        let buffer = self.inner.buffer();
        self.line += memchr_iter(b'\n', &buffer[..bytes.min(buffer.len())]).count() as u64;
        self.inner.consume(bytes);
    }
}
