//! Pajek (Batagelj and Mrvar): `*Vertices n` with labels, then `*Arcs` (directed), `*Edges` (undirected), and
//! both as lists.

use super::chunks::{Chunks, Wrong};
use super::node_names::{Names, NodeNames};
use super::number::{self, shown, whole};
use super::records::{LineRecords, Lines, Out, RecordReader, number_in, words};
use super::summary::InputSummary;
use super::{Declared, EdgeReader, InputOptions};
use crate::{GraphError, InputOption};

/// Most that is said of sections that are not read.
const MOST_NOTES: usize = 8;

/// What lines are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Start,
    Vertices,
    Arcs,
    Edges,
    ArcLists,
    EdgeLists,
    /// Partitions and vectors, which follow a network in some files.
    Other,
}

impl Section {
    fn of(word: &[u8]) -> Option<Section> {
        Some(match word.to_ascii_lowercase().as_slice() {
            b"*vertices" => Section::Vertices,
            b"*arcs" => Section::Arcs,
            b"*edges" => Section::Edges,
            b"*arcslist" => Section::ArcLists,
            b"*edgeslist" => Section::EdgeLists,
            b"*network" => Section::Start,
            _ => return None,
        })
    }

    fn directed(self) -> Option<bool> {
        match self {
            Section::Arcs | Section::ArcLists => Some(true),
            Section::Edges | Section::EdgeLists => Some(false),
            _ => None,
        }
    }
}

/// Whether a text begins as this format does.
pub(super) fn is_pajek(line: &[u8]) -> bool {
    let first = words(line).next().unwrap_or_default();
    matches!(Section::of(first), Some(Section::Vertices)) || first.eq_ignore_ascii_case(b"*network")
}

struct Pajek {
    directed_anyway: bool,
    weighted: bool,
    section: Section,
    vertices: u64,
    /// Until the vertices are read.
    labels: Option<NodeNames>,
    names: Names,
    /// Whether edges lead one way, as the first of them says.
    directed: Option<bool>,
    /// The first of several relations between the same vertices.
    relation: Option<Vec<u8>>,
    comments: u64,
    /// Edges with a weight that is not wanted, and edges without one.
    weights_left: u64,
    without: u64,
    notes: Vec<String>,
}

pub(super) fn open(
    chunks: Chunks,
    options: &InputOptions,
    summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let name = chunks.name().to_owned();
    let parser = Pajek {
        directed_anyway: options.directed,
        weighted: options.weights,
        section: Section::Start,
        vertices: 0,
        labels: Some(NodeNames::new(options.ids, options.memory)),
        names: Names::Own,
        directed: None,
        relation: None,
        comments: 0,
        weights_left: 0,
        without: 0,
        notes: Vec::new(),
    };
    let mut records = LineRecords::new(chunks, parser);
    let meter = records.meter();
    let mut out = Out::new(options, options.weights);
    // The first edge tells the direction of all.
    if !records.ahead(&mut out, |pajek, _| pajek.directed.is_some())? {
        records.parser.end_vertices(&mut out).map_err(|wrong| wrong.at(&name))?;
    }
    let pajek = &records.parser;
    let undirected = pajek.directed == Some(false) && !options.directed;
    // Those that have names were given by their names.
    let numbered = pajek.names == Names::Own && out.ids.strings().is_none();
    let vertices = numbered.then_some(pajek.vertices);
    let declared = Declared { vertices, first: 1, undirected, ..Declared::default() };
    Ok(Box::new(RecordReader::new(records, out, declared, meter, summary)))
}

impl Pajek {
    fn begin(&mut self, section: Section, line: &[u8], out: &mut Out) -> Result<(), Wrong> {
        let mut behind = words(line).skip(1);
        match section {
            Section::Vertices if self.section == Section::Start => {
                self.vertices = whole(behind.next().unwrap_or_default(), "the number of vertices")?;
                if let Some(first) = behind.next() {
                    let first = whole(first, "the number of vertices of the first kind")?;
                    self.notes.push(format!("vertices are of two kinds; the first are 1 to {first}"));
                }
            }
            // A partition of the vertices has this line, too.
            Section::Vertices if self.section == Section::Other => return Ok(()),
            Section::Start if self.section == Section::Start => {}
            Section::Vertices | Section::Start => {
                return Err("found a second network, and a store has one".to_owned().into());
            }
            Section::Other => {}
            _ if self.section == Section::Start => {
                return Err("expected *Vertices in front of edges".to_owned().into());
            }
            _ => {
                self.end_vertices(out)?;
                self.check_relation(behind.next())?;
            }
        }
        self.section = section;
        Ok(())
    }

    /// `*Arcs :2 "is a friend of"` begins another relation.
    fn check_relation(&mut self, word: Option<&[u8]>) -> Result<(), Wrong> {
        let Some(relation) = word.filter(|word| word.starts_with(b":")) else { return Ok(()) };
        match &self.relation {
            Some(first) if first != relation => {
                let (first, relation) = (shown(first), shown(relation));
                Err(format!("found edges of relation {relation} after edges of {first}, and a store has one")
                    .into())
            }
            _ => {
                self.relation = Some(relation.to_vec());
                Ok(())
            }
        }
    }

    /// A line such as `1 "ann" 0.5 0.5 ellipse`.
    fn vertex(&mut self, line: &[u8]) -> Result<(), Wrong> {
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let number = whole(&line[..end], "the number of a vertex")?;
        if !(1..=self.vertices).contains(&number) {
            return Err(format!("expected a vertex from 1 to {}, found {number}", self.vertices).into());
        }
        let rest = line[end..].trim_ascii_start();
        let label = label_of(rest)?;
        let Some(labels) = &mut self.labels else { return Ok(()) };
        // Labels out of order would need another table; nobody writes them.
        let label = label.filter(|_| number == labels.count() + 1);
        labels.add(label)
    }

    /// All descriptions were read.
    fn end_vertices(&mut self, out: &mut Out) -> Result<(), Wrong> {
        let Some(mut labels) = self.labels.take() else { return Ok(()) };
        if labels.count() > 0 && labels.count() != self.vertices {
            labels.add(None)?;
        }
        let (names, ids, note) = labels.decide()?;
        (self.names, out.ids) = (names, ids);
        self.notes.extend(note);
        if self.names == Names::Own && out.ids.strings().is_none() {
            return Ok(());
        }
        for number in 1..=self.vertices {
            let vertex = self.id(number, out)?;
            out.batch.vertices.push(vertex);
        }
        Ok(())
    }

    /// The id of a vertex by its number.
    fn id(&self, number: u64, out: &mut Out) -> Result<u64, Wrong> {
        if !(1..=self.vertices).contains(&number) {
            return Err(format!("expected a vertex from 1 to {}, found {number}", self.vertices).into());
        }
        match &self.names {
            Names::Labels => Ok(number - 1),
            Names::Numbers(numbers) => Ok(numbers[number as usize - 1]),
            Names::Own => out.ids.number(number.to_string().as_bytes(), "a vertex"),
        }
    }

    fn edges(&mut self, line: &[u8], out: &mut Out) -> Result<(), Wrong> {
        let directed = self.section.directed().unwrap_or_default();
        if self.directed.is_some_and(|first| first != directed) && !self.directed_anyway {
            let text = "found both *Arcs, which lead one way, and *Edges, which lead both ways, and a store \
                        has one kind only; to read each edge one way, as written, say so";
            return Err(Wrong { text: text.to_owned(), option: Some(InputOption::Directed) });
        }
        self.directed.get_or_insert(directed);
        let mut words = words(line);
        let source = self.id(number_in(&mut words, "a vertex")?, out)?;
        let target = self.id(number_in(&mut words, "a vertex behind it")?, out)?;
        if matches!(self.section, Section::Arcs | Section::Edges) {
            let weight = words.next().map(number::weight).transpose()?;
            if weight.is_some() && !out.weights {
                self.weights_left += 1;
            }
            self.without += u64::from(weight.is_none());
            out.edge(source, target, weight.unwrap_or(1.0));
            return Ok(());
        }
        self.without += 1;
        out.edge(source, target, 1.0);
        for word in words {
            self.without += 1;
            let target = self.id(whole(word, "a vertex")?, out)?;
            out.edge(source, target, 1.0);
        }
        Ok(())
    }
}

/// The label at the beginning of a description: in quotes, or a word.
fn label_of(text: &[u8]) -> Result<Option<&[u8]>, String> {
    let word = words(text).next();
    let Some(quoted) = text.strip_prefix(b"\"") else { return Ok(word) };
    let end = quoted.iter().position(|byte| *byte == b'"');
    let end = end.ok_or_else(|| "expected a quote's end on its line".to_owned())?;
    // networkx quotes labels with blanks only, so others may begin with a quote of their own.
    let is_end = quoted.get(end + 1).is_none_or(u8::is_ascii_whitespace);
    Ok(if is_end { Some(&quoted[..end]) } else { word })
}

impl Lines for Pajek {
    fn line(&mut self, line: &[u8], out: &mut Out) -> Result<(), Wrong> {
        if line[0] == b'%' {
            self.comments += 1;
            return Ok(());
        }
        if line[0] == b'*' {
            let word = words(line).next().unwrap_or_default();
            return match Section::of(word) {
                Some(section) => self.begin(section, line, out),
                None if word.eq_ignore_ascii_case(b"*matrix") => {
                    Err("found *Matrix, which is not read; write its entries as *Arcs".to_owned().into())
                }
                None => {
                    let note = format!("the section {} was not read", shown(word));
                    if !self.notes.contains(&note) && self.notes.len() < MOST_NOTES {
                        self.notes.push(note);
                    }
                    self.begin(Section::Other, line, out)
                }
            };
        }
        match self.section {
            Section::Start => {
                Err(format!("expected *Vertices and their number, found {}", shown(line)).into())
            }
            Section::Vertices => self.vertex(line),
            Section::Other => Ok(()),
            _ => self.edges(line, out),
        }
    }

    fn end(&mut self, out: &mut Out) -> Result<(), Wrong> {
        self.end_vertices(out)
    }

    fn tell(&self, summary: &mut InputSummary) {
        summary.lines_skipped.comments += self.comments;
        summary.notes.extend(self.notes.iter().cloned());
        if self.weights_left > 0 {
            summary.notes.push("its weights were not kept".to_owned());
        }
        if self.weighted && self.without > 0 {
            summary.notes.push(format!("{} edges without a weight weigh 1, as Pajek has it", self.without));
        }
    }

    fn memory_bytes(&self) -> u64 {
        let numbers = if let Names::Numbers(numbers) = &self.names { numbers.capacity() * 8 } else { 0 };
        numbers as u64 + self.labels.as_ref().map_or(0, NodeNames::memory_bytes)
    }
}
