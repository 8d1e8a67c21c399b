//! GML (Himsolt 1996): `graph [ node [ id 1 label "ann" ] edge [ source 1 target 2 ] ]`.

mod tokens;

use std::borrow::Cow;
use std::collections::HashMap;

use self::tokens::{Token, Tokens};
use super::attributes::WeightOf;
use super::chunks::{CHUNK, Chunks, Cut, Failure, Wrong};
use super::node_names::{Names, NodeNames};
use super::number::{self, shown};
use super::records::{Out, RecordReader, Records};
use super::summary::InputSummary;
use super::{Declared, EdgeReader, InputOptions};
use crate::{GraphError, InputOption};

/// Bytes of memory that a node's number takes in a table, about.
const NODE_BYTES: u64 = 32;

struct Gml {
    chunks: Chunks,
    chunk: Vec<u8>,
    tokens: Tokens,
    graph: Graph,
}

/// Which list a key is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    File,
    Graph,
    Node,
    Edge,
}

/// What is known of the graph.
struct Graph {
    within: Within,
    /// Lists that are not read, one within the other.
    passed: u64,
    key: Option<Vec<u8>>,
    graphs: u64,
    directed: bool,
    weight: WeightOf,
    node: Node,
    edge: Edge,
    /// Until the first edge.
    labels: Option<NodeNames>,
    names: Names,
    /// The place of a node, by its id.
    places: HashMap<i64, u32>,
    memory: u64,
    edges: u64,
    note: Option<String>,
}

#[derive(Debug, Default)]
struct Node {
    id: Option<i64>,
    label: Option<Vec<u8>>,
    name: Option<Vec<u8>>,
}

#[derive(Debug, Default)]
struct Edge {
    source: Option<i64>,
    target: Option<i64>,
    weight: Option<f64>,
}

pub(super) fn open(
    chunks: Chunks,
    options: &InputOptions,
    summary: InputSummary,
) -> Result<Box<dyn EdgeReader>, GraphError> {
    let name = chunks.name().to_owned();
    let meter = chunks.meter();
    let graph = Graph {
        within: Within::File,
        passed: 0,
        key: None,
        graphs: 0,
        directed: false,
        weight: WeightOf::new(options).map_err(|wrong| wrong.at(&name))?,
        node: Node::default(),
        edge: Edge::default(),
        labels: Some(NodeNames::new(options.ids, options.memory)),
        names: Names::Own,
        places: HashMap::new(),
        memory: options.memory,
        edges: 0,
        note: None,
    };
    let mut gml = Gml { chunks: chunks.cut(Cut::Words), chunk: Vec::new(), tokens: Tokens::new(), graph };
    let mut out = Out::new(options, options.weights);
    // Whether the graph is directed stands in front of its edges.
    while gml.graph.edges == 0 && gml.more(&mut out)? {}
    let undirected = !gml.graph.directed && !options.directed;
    let declared = Declared { undirected, ..Declared::default() };
    Ok(Box::new(RecordReader::new(gml, out, declared, meter, summary)))
}

/// Whether a text begins as this format does.
pub(super) fn is_gml<'l>(mut lines: impl Iterator<Item = &'l [u8]>) -> bool {
    const HEADS: [&[u8]; 3] = [b"creator ", b"version ", b"comment "];
    let begins =
        |line: &[u8], word: &[u8]| line.len() >= word.len() && line[..word.len()].eq_ignore_ascii_case(word);
    let head =
        |line: &[u8]| line.is_empty() || line[0] == b'#' || HEADS.iter().any(|word| begins(line, word));
    let Some(line) = lines.find(|line| !head(line)).filter(|line| begins(line, b"graph")) else {
        return false;
    };
    let mut rest = std::iter::once(line[5..].trim_ascii()).chain(lines);
    rest.find(|line| !line.is_empty()).is_some_and(|line| line[0] == b'[')
}

impl Graph {
    fn token(&mut self, token: Token<'_>, out: &mut Out) -> Result<(), Wrong> {
        if self.passed > 0 {
            match token {
                Token::Open => self.passed += 1,
                Token::Close => self.passed -= 1,
                _ => {}
            }
            return Ok(());
        }
        match (self.key.take(), token) {
            (None, Token::Word(key)) => {
                self.key = Some(key.to_owned());
                Ok(())
            }
            (None, Token::Close) => self.close(out),
            (None, Token::Text(text)) => Err(format!("expected a key, found {}", shown(text)).into()),
            (None, Token::Open) => Err("expected a key before [, found none".to_owned().into()),
            (Some(key), Token::Open) => self.open(&key),
            (Some(key), Token::Close) => Err(format!("expected a value of {}, found ]", shown(&key)).into()),
            (Some(key), Token::Word(value)) => self.value(&key, value),
            (Some(key), Token::Text(text)) => self.text(&key, text),
        }
    }

    fn open(&mut self, key: &[u8]) -> Result<(), Wrong> {
        self.within = match (self.within, key.to_ascii_lowercase().as_slice()) {
            (Within::File, b"graph") => {
                self.graphs += 1;
                if self.graphs > 1 {
                    return Err("found a second graph, and a store has one".to_owned().into());
                }
                Within::Graph
            }
            (Within::Graph, b"node") => {
                self.node = Node::default();
                Within::Node
            }
            (Within::Graph, b"edge") => {
                self.edge = Edge::default();
                Within::Edge
            }
            (within, _) => {
                self.passed = 1;
                within
            }
        };
        Ok(())
    }

    fn close(&mut self, out: &mut Out) -> Result<(), Wrong> {
        match self.within {
            Within::File => return Err("found ] without [".to_owned().into()),
            Within::Graph => {
                self.end_nodes(out)?;
                self.within = Within::File;
                return Ok(());
            }
            Within::Node => self.end_node()?,
            Within::Edge => self.end_edge(out)?,
        }
        self.within = Within::Graph;
        Ok(())
    }

    fn value(&mut self, key: &[u8], value: &[u8]) -> Result<(), Wrong> {
        let integer = || {
            let text = std::str::from_utf8(value).ok();
            let number: Option<i64> = text.and_then(|text| text.parse().ok());
            number.ok_or_else(|| {
                Wrong::from(format!("expected a whole number as {}, found {}", shown(key), shown(value)))
            })
        };
        match (self.within, key) {
            (Within::Graph, b"directed") => {
                let directed = match integer()? {
                    0 => false,
                    1 => true,
                    other => return Err(format!("expected directed 0 or 1, found {other}").into()),
                };
                if self.edges > 0 && directed != self.directed {
                    return Err("found directed behind edges; it belongs in front of them".to_owned().into());
                }
                self.directed = directed;
            }
            (Within::Node, b"id") => self.node.id = Some(integer()?),
            (Within::Node, b"label") => self.node.label = Some(value.to_owned()),
            (Within::Node, b"name") => self.node.name = Some(value.to_owned()),
            (Within::Edge, b"source") => self.edge.source = Some(integer()?),
            (Within::Edge, b"target") => self.edge.target = Some(integer()?),
            (Within::Edge, key) => self.attribute(key, value)?,
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, key: &[u8], text: &[u8]) -> Result<(), Wrong> {
        match (self.within, key) {
            (Within::Node, b"label") => self.node.label = Some(unescaped(text)),
            (Within::Node, b"name") => self.node.name = Some(unescaped(text)),
            (Within::Node, b"id") | (Within::Edge, b"source" | b"target") => return self.value(key, text),
            (Within::Edge, key) => self.attribute(key, text)?,
            _ => {}
        }
        Ok(())
    }

    /// An attribute of an edge, which may be its weight.
    fn attribute(&mut self, key: &[u8], value: &[u8]) -> Result<(), Wrong> {
        if !self.weight.is(&String::from_utf8_lossy(key)) {
            return Ok(());
        }
        if self.edge.weight.is_some() && self.weight.wanted {
            let text = format!(
                "found several attributes that may be the weight, {} among them; name one",
                shown(key)
            );
            return Err(Wrong { text, option: Some(InputOption::WeightColumn) });
        }
        self.edge.weight = Some(if self.weight.wanted { number::weight(value)? } else { 0.0 });
        Ok(())
    }

    fn end_node(&mut self) -> Result<(), Wrong> {
        let Node { id, label, name } = std::mem::take(&mut self.node);
        let id = id.ok_or_else(|| "expected an id of the node, found none".to_owned())?;
        let Some(labels) = &mut self.labels else {
            return Err("found a node behind edges; nodes belong in front of them".to_owned().into());
        };
        let place =
            u32::try_from(labels.count()).map_err(|_| "found more nodes than a store holds".to_owned())?;
        if self.places.insert(id, place).is_some() {
            return Err(format!("found a second node with the id {id}").into());
        }
        if self.places.len() as u64 * NODE_BYTES > self.memory {
            let text = format!("the {} nodes up to here take more memory than they may", self.places.len());
            return Err(Wrong { text, option: Some(InputOption::Memory) });
        }
        // igraph has names where others have labels.
        labels.add(label.or(name).as_deref())
    }

    /// All nodes were read.
    fn end_nodes(&mut self, out: &mut Out) -> Result<(), Wrong> {
        let Some(labels) = self.labels.take() else { return Ok(()) };
        let (names, ids, note) = labels.decide()?;
        (self.names, out.ids, self.note) = (names, ids, note);
        let mut nodes: Vec<(u32, i64)> = self.places.iter().map(|(id, place)| (*place, *id)).collect();
        nodes.sort_unstable();
        for (_, id) in nodes {
            let vertex = self.vertex(id, out)?;
            out.batch.vertices.push(vertex);
        }
        Ok(())
    }

    fn vertex(&self, id: i64, out: &mut Out) -> Result<u64, Wrong> {
        let Some(place) = self.places.get(&id) else {
            return Err(format!("expected the id of a node, found {id}").into());
        };
        match &self.names {
            Names::Labels => Ok(u64::from(*place)),
            Names::Numbers(numbers) => Ok(numbers[*place as usize]),
            Names::Own => out.ids.number(id.to_string().as_bytes(), "an id"),
        }
    }

    fn end_edge(&mut self, out: &mut Out) -> Result<(), Wrong> {
        self.end_nodes(out)?;
        let Edge { source, target, weight } = std::mem::take(&mut self.edge);
        let needed = |end: Option<i64>, what: &str| {
            end.ok_or_else(|| Wrong::from(format!("expected a {what} of the edge, found none")))
        };
        let source = self.vertex(needed(source, "source")?, out)?;
        let target = self.vertex(needed(target, "target")?, out)?;
        match weight {
            None if self.weight.wanted => return Err(self.weight.missing()),
            Some(_) if !self.weight.wanted => self.weight.leave_out(),
            _ => {}
        }
        self.edges += 1;
        out.edge(source, target, weight.unwrap_or(0.0));
        Ok(())
    }
}

/// A text without its entities; one that is none stays as it is.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(text) else { return text.to_owned() };
    quick_xml::escape::unescape(text).unwrap_or(Cow::Borrowed(text)).into_owned().into_bytes()
}

impl Records for Gml {
    fn more(&mut self, out: &mut Out) -> Result<bool, GraphError> {
        let Gml { chunks, chunk, tokens, graph } = self;
        let more = chunks.next(chunk).map_err(|failure| failure.at(chunks.name(), tokens.lines))?;
        if more {
            let fed = tokens.feed(chunk, |token| graph.token(token, out));
            fed.map_err(|what| Failure::Line { before: 0, what }.at(chunks.name(), tokens.lines))?;
            return Ok(true);
        }
        let whole =
            graph.within == Within::File && graph.key.is_none() && graph.passed == 0 && tokens.is_between();
        if !whole {
            let what = "found the end within its graph; it was cut off, or a ] is missing";
            return Err(GraphError::malformed(chunks.name(), what));
        }
        Ok(false)
    }

    fn tell(&self, summary: &mut InputSummary) {
        summary.lines_skipped.comments += self.tokens.comments;
        summary.notes.extend(self.graph.note.clone());
        self.graph.weight.tell(summary);
    }

    fn memory_bytes(&self) -> u64 {
        let Graph { labels, names, places, .. } = &self.graph;
        let names = if let Names::Numbers(numbers) = names { numbers.capacity() * 8 } else { 0 };
        let labels = labels.as_ref().map_or(0, NodeNames::memory_bytes);
        2 * CHUNK as u64
            + self.tokens.memory_bytes()
            + labels
            + names as u64
            + places.len() as u64 * NODE_BYTES
    }
}
