//! GraphML (Brandes et al., GD 2001): vertices are called as their attributes `id` say.

use super::direction::Direction;
use super::xml::{Element, Elements};
use crate::InputOption;
use crate::input::attributes::WeightOf;
use crate::input::chunks::Wrong;
use crate::input::number;
use crate::input::records::Out;
use crate::input::summary::InputSummary;

/// Reads the elements.
pub(super) struct GraphMl {
    pub(super) direction: Direction,
    weight: WeightOf,
    /// The attribute that is the weight, the ids of its keys, and its default.
    name: Option<String>,
    keys: Vec<String>,
    default: Option<f64>,
    /// The key that is read is the one of weights.
    in_weight_key: bool,
    /// Graphs so far, and whether one is open.
    graphs: u64,
    in_graph: bool,
    edge: Option<Edge>,
    /// A text that is wanted, of a weight or a default.
    text: Option<String>,
    /// Nodes have names besides their ids.
    other_names: Option<String>,
}

#[derive(Debug)]
struct Edge {
    source: u64,
    target: u64,
    weight: Option<f64>,
}

impl GraphMl {
    pub(super) fn new(direction: Direction, weight: WeightOf) -> GraphMl {
        GraphMl {
            direction,
            weight,
            name: None,
            keys: Vec::new(),
            default: None,
            in_weight_key: false,
            graphs: 0,
            in_graph: false,
            edge: None,
            text: None,
            other_names: None,
        }
    }

    pub(super) fn tell(&self, summary: &mut InputSummary) {
        if let Some(name) = &self.other_names {
            summary
                .notes
                .push(format!("vertices are called by their id; their data \"{name}\" was not read"));
        }
        self.weight.tell(summary);
    }

    fn key(&mut self, element: &Element<'_>) -> Result<(), Wrong> {
        let id = element.needed("id")?;
        let name = element.attribute("attr.name")?.unwrap_or_else(|| id.clone());
        let of = element.attribute("for")?.unwrap_or_else(|| "all".to_owned());
        let is_name = ["name", "label", "v_name"].contains(&name.to_lowercase().as_str());
        if of == "node" && is_name {
            self.other_names = Some(name.clone());
        }
        if !matches!(of.as_str(), "edge" | "all") || !(self.weight.is(&name) || self.weight.is(&id)) {
            return Ok(());
        }
        // networkx has a key for each type of one attribute.
        match &self.name {
            Some(before) if *before != name => {
                let text = format!("both \"{before}\" and \"{name}\" may be the weight of edges; name one");
                return Err(Wrong { text, option: Some(InputOption::WeightColumn) });
            }
            _ => self.name = Some(name),
        }
        self.keys.push(id);
        self.in_weight_key = true;
        Ok(())
    }

    fn graph(&mut self, element: &Element<'_>) -> Result<(), Wrong> {
        self.graphs += 1;
        if self.in_graph || self.graphs > 1 {
            return Err("found a second graph, and a store has one".to_owned().into());
        }
        self.in_graph = true;
        self.direction.default_directed = match element.needed("edgedefault")?.as_str() {
            "directed" => true,
            "undirected" => false,
            other => {
                return Err(format!("expected edgedefault directed or undirected, found \"{other}\"").into());
            }
        };
        Ok(())
    }

    fn edge(&mut self, element: &Element<'_>, out: &mut Out) -> Result<(), Wrong> {
        let directed = match element.attribute("directed")?.as_deref() {
            None => None,
            Some("true" | "1") => Some(true),
            Some("false" | "0") => Some(false),
            Some(other) => return Err(format!("expected directed true or false, found \"{other}\"").into()),
        };
        self.direction.add(directed, element.line)?;
        let source = out.ids.number(element.needed("source")?.as_bytes(), "a source id")?;
        let target = out.ids.number(element.needed("target")?.as_bytes(), "a target id")?;
        self.edge = Some(Edge { source, target, weight: None });
        Ok(())
    }

    /// The end of an edge, or of what is in it.
    fn end_edge(&mut self, out: &mut Out) -> Result<(), Wrong> {
        let Some(edge) = self.edge.take() else { return Ok(()) };
        let weight = match edge.weight.or(self.default) {
            Some(weight) => {
                if !self.weight.wanted {
                    self.weight.leave_out();
                }
                weight
            }
            None if self.weight.wanted => return Err(self.weight.missing()),
            None => 0.0,
        };
        out.edge(edge.source, edge.target, weight);
        Ok(())
    }
}

impl Elements for GraphMl {
    fn open(&mut self, element: &Element<'_>, out: &mut Out) -> Result<(), Wrong> {
        match element.name() {
            "key" => self.key(element),
            "default" if self.in_weight_key => {
                self.text = Some(String::new());
                Ok(())
            }
            "graph" => self.graph(element),
            "node" if self.in_graph => {
                let node = out.ids.number(element.needed("id")?.as_bytes(), "an id")?;
                out.batch.vertices.push(node);
                Ok(())
            }
            "edge" if self.in_graph => self.edge(element, out),
            "hyperedge" => Err("found a hyperedge, and edges of a store have two ends".to_owned().into()),
            "data" if self.edge.is_some() => {
                let key = element.attribute("key")?;
                if key.is_some_and(|key| self.keys.contains(&key)) {
                    self.text = Some(String::new());
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn close(&mut self, name: &str, out: &mut Out) -> Result<(), Wrong> {
        match name {
            "key" => self.in_weight_key = false,
            "graph" => self.in_graph = false,
            "edge" => return self.end_edge(out),
            "data" | "default" => {
                let Some(text) = self.text.take() else { return Ok(()) };
                let weight = number::weight(text.trim().as_bytes())?;
                match &mut self.edge {
                    Some(edge) if edge.weight.is_some() => {
                        return Err("found a second weight of an edge".to_owned().into());
                    }
                    Some(edge) => edge.weight = Some(weight),
                    None => self.default = Some(weight),
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Wrong> {
        if let Some(wanted) = &mut self.text {
            wanted.push_str(text);
            if wanted.len() > 1000 {
                return Err("expected a number as weight, found a longer text".to_owned().into());
            }
        }
        Ok(())
    }
}
