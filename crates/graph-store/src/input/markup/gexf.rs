//! GEXF (Gephi, 1.1 to 1.3): vertices are called as their attributes `id` say.

use super::direction::Direction;
use super::xml::{Element, Elements};
use crate::input::attributes::WeightOf;
use crate::input::chunks::Wrong;
use crate::input::number;
use crate::input::records::Out;
use crate::input::summary::InputSummary;

/// Reads the elements.
pub(super) struct Gexf {
    pub(super) direction: Direction,
    weight: WeightOf,
    /// Declarations of attributes are those of edges.
    in_edge_attributes: bool,
    /// The attribute that is the weight, where it is one of those that are declared.
    attribute: Option<String>,
    graphs: u64,
    edge: Option<Edge>,
    /// Edges without a weight.
    without: u64,
    labels: bool,
}

#[derive(Debug)]
struct Edge {
    source: u64,
    target: u64,
    weight: Option<f64>,
    /// It leads both ways in a graph that is directed.
    mutual: bool,
}

impl Gexf {
    pub(super) fn new(direction: Direction, weight: WeightOf) -> Gexf {
        Gexf {
            direction,
            weight,
            in_edge_attributes: false,
            attribute: None,
            graphs: 0,
            edge: None,
            without: 0,
            labels: false,
        }
    }

    pub(super) fn tell(&self, summary: &mut InputSummary) {
        if self.labels {
            summary.notes.push("vertices are called by their id; their labels were not read".to_owned());
        }
        if self.weight.wanted && self.without > 0 {
            summary.notes.push(format!("{} edges without a weight weigh 1, as GEXF says", self.without));
        }
        self.weight.tell(summary);
    }

    fn directed(kind: &str) -> Result<(bool, bool), Wrong> {
        match kind {
            "directed" => Ok((true, false)),
            "mutual" => Ok((true, true)),
            "undirected" => Ok((false, false)),
            other => {
                Err(format!("expected an edge that is directed, undirected or mutual, found \"{other}\"")
                    .into())
            }
        }
    }

    fn edge(&mut self, element: &Element<'_>, out: &mut Out) -> Result<(), Wrong> {
        let kind = element.attribute("type")?;
        let (directed, mutual) = match kind.as_deref() {
            Some(kind) => {
                let (directed, mutual) = Gexf::directed(kind)?;
                (Some(directed), mutual)
            }
            None => (None, false),
        };
        self.direction.add(directed, element.line)?;
        let source = out.ids.number(element.needed("source")?.as_bytes(), "a source id")?;
        let target = out.ids.number(element.needed("target")?.as_bytes(), "a target id")?;
        let weight = match element.attribute("weight")? {
            Some(weight) if self.weight.is("weight") => Some(number::weight(weight.trim().as_bytes())?),
            _ => None,
        };
        self.edge = Some(Edge { source, target, weight, mutual });
        Ok(())
    }

    fn end_edge(&mut self, out: &mut Out) {
        let Some(Edge { source, target, weight, mutual }) = self.edge.take() else { return };
        match weight {
            Some(_) if !self.weight.wanted => self.weight.leave_out(),
            Some(_) => {}
            None => self.without += 1,
        }
        out.edge(source, target, weight.unwrap_or(1.0));
        if mutual && source != target {
            out.edge(target, source, weight.unwrap_or(1.0));
        }
    }
}

impl Elements for Gexf {
    fn open(&mut self, element: &Element<'_>, out: &mut Out) -> Result<(), Wrong> {
        match element.name() {
            "graph" => {
                self.graphs += 1;
                if self.graphs > 1 {
                    return Err("found a second graph, and a store has one".to_owned().into());
                }
                let kind = element.attribute("defaultedgetype")?;
                self.direction.default_directed = Gexf::directed(kind.as_deref().unwrap_or("undirected"))?.0;
            }
            "attributes" => {
                self.in_edge_attributes = element.attribute("class")?.as_deref() == Some("edge");
            }
            "attribute" if self.in_edge_attributes => {
                let id = element.needed("id")?;
                let title = element.attribute("title")?.unwrap_or_default();
                if self.weight.is(&title) {
                    self.attribute = Some(id);
                }
            }
            "node" => {
                let id = element.needed("id")?;
                self.labels |= element.attribute("label")?.is_some_and(|label| label != id);
                let node = out.ids.number(id.as_bytes(), "an id")?;
                out.batch.vertices.push(node);
            }
            "edge" => self.edge(element, out)?,
            "attvalue" if self.edge.is_some() && self.attribute.is_some() => {
                let name = element.attribute("for")?.or(element.attribute("id")?);
                if name == self.attribute {
                    let weight = number::weight(element.needed("value")?.trim().as_bytes())?;
                    if let Some(edge) = &mut self.edge {
                        edge.weight = Some(weight);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, out: &mut Out) -> Result<(), Wrong> {
        match name {
            "attributes" => self.in_edge_attributes = false,
            "edge" => self.end_edge(out),
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, _: &str) -> Result<(), Wrong> {
        Ok(())
    }
}
