//! What an algorithm is asked for with: a value for each option that was given, and the graph they are of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use leadline_graph_store::format::Vertex;
use leadline_graph_store::graphalytics::Properties;

use super::Destination;
use super::option::AlgorithmOption;
use crate::algorithms::{Continued, GoesOn, Previous, Stamp};
use crate::{Graph, GraphError};

/// The value of an option.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A flag that is given.
    Given,
    /// A whole number.
    Number(u64),
    /// A number with a point.
    Double(f64),
    /// Words.
    Text(String),
    /// Ids.
    Ids(Vec<String>),
    /// The ids of the first and the second vertices of pairs, as many of one as of the other.
    Pairs(Vec<String>, Vec<String>),
    /// A file or directory.
    Path(PathBuf),
}

impl Argument {
    /// As a complaint about it shows it; empty where it is too long for that.
    pub(super) fn shown(&self) -> String {
        match self {
            Argument::Number(number) => number.to_string(),
            Argument::Double(number) => number.to_string(),
            Argument::Text(text) => text.clone(),
            _ => String::new(),
        }
    }
}

/// The values of options, by the options' names.
pub type Arguments = BTreeMap<&'static str, Argument>;

/// What an algorithm is made of.
#[derive(Debug)]
pub struct Call<'a> {
    /// Those of the algorithm.
    options: &'static [AlgorithmOption],
    graph: &'a Graph,
    arguments: &'a Arguments,
    to: &'a Destination,
    notes: Vec<String>,
}

impl<'a> Call<'a> {
    pub(super) fn new(
        options: &'static [AlgorithmOption],
        graph: &'a Graph,
        arguments: &'a Arguments,
        to: &'a Destination,
    ) -> Call<'a> {
        Call { options, graph, arguments, to, notes: Vec::new() }
    }

    pub(super) fn into_notes(self) -> Vec<String> {
        self.notes
    }

    /// The graph.
    pub fn graph(&self) -> &'a Graph {
        self.graph
    }

    /// Where the result goes.
    pub fn to(&self) -> &'a Destination {
        self.to
    }

    /// Whether a flag is given.
    pub fn flag(&self, name: &str) -> bool {
        self.arguments.contains_key(name)
    }

    /// A number, or its default.
    ///
    /// # Panics
    /// Where it is larger than the option's kind.
    pub fn number<T: TryFrom<u64> + FromStr>(&self, name: &str) -> Option<T> {
        match self.arguments.get(name) {
            Some(Argument::Number(number)) => {
                Some(T::try_from(*number).ok().expect("a number of the option's kind"))
            }
            _ => self.default(name),
        }
    }

    /// A number with a point, or its default.
    pub fn double(&self, name: &str) -> Option<f64> {
        match self.arguments.get(name) {
            Some(Argument::Double(number)) => Some(*number),
            _ => self.default(name),
        }
    }

    /// Words as what they mean, or their default.
    ///
    /// # Errors
    /// [`GraphError::Argument`] where they mean nothing.
    pub fn parsed<T: FromStr<Err = String>>(&self, name: &str) -> Result<Option<T>, GraphError> {
        match self.arguments.get(name) {
            Some(Argument::Text(text)) => match text.parse() {
                Ok(value) => Ok(Some(value)),
                Err(what) => Err(GraphError::argument(format!("{name} {text:?}"), what)),
            },
            _ => Ok(self.default(name)),
        }
    }

    /// Ids; none where none are given.
    pub fn ids(&self, name: &str) -> Vec<String> {
        match self.arguments.get(name) {
            Some(Argument::Ids(ids)) => ids.clone(),
            _ => Vec::new(),
        }
    }

    /// The vertices of ids.
    ///
    /// # Errors
    /// [`GraphError::NoVertex`], [`GraphError::Damaged`].
    pub fn vertices(&self, ids: &[String]) -> Result<Vec<Vertex>, GraphError> {
        ids.iter().map(|id| self.graph.vertex(id)).collect()
    }

    /// A file or directory.
    pub fn path(&self, name: &str) -> Option<&'a Path> {
        match self.arguments.get(name) {
            Some(Argument::Path(path)) => Some(path),
            _ => None,
        }
    }

    /// The value of an option.
    pub fn argument(&self, name: &str) -> Option<&'a Argument> {
        self.arguments.get(name)
    }

    /// What `--properties` says of this graph.
    ///
    /// # Errors
    /// [`GraphError::Malformed`], also where the graph is not the one that the file describes.
    pub fn properties(&self) -> Result<Option<Properties>, GraphError> {
        let Some(path) = self.path("properties") else { return Ok(None) };
        let properties = Properties::read(path)?;
        properties.check_direction(self.graph.name(), self.graph.header().directed)?;
        Ok(Some(properties))
    }

    /// The ids of `--source`; without any, the one of the properties.
    ///
    /// # Errors
    /// [`GraphError::Malformed`] where these have none.
    pub fn sources(
        &self,
        properties: Option<&Properties>,
        of_file: impl Fn(&Properties) -> Result<u64, GraphError>,
    ) -> Result<Vec<String>, GraphError> {
        let given = self.ids("source");
        match properties {
            Some(properties) if given.is_empty() => Ok(vec![of_file(properties)?.to_string()]),
            _ => Ok(given),
        }
    }

    /// The result of `--from` that a run with this stamp can go on from, after the changes that it says;
    /// `columns` is how many numbers it has next to each id. Notes why there is none.
    ///
    /// # Errors
    /// As [`Previous::open`].
    pub fn previous(
        &mut self,
        stamp: &Stamp,
        columns: u64,
        goes_on: GoesOn,
    ) -> Result<Option<Previous>, GraphError> {
        let Some(path) = self.path("from") else { return Ok(None) };
        match Previous::open(self.graph, path, stamp, columns, goes_on)? {
            Continued::From(previous) => Ok(Some(previous)),
            Continued::FullRun(why) => {
                self.notes.push(format!("{}: {why}; this is a full run", path.display()));
                Ok(None)
            }
        }
    }

    fn default<T: FromStr>(&self, name: &str) -> Option<T> {
        self.options.iter().find(|option| option.name == name)?.default?.parse().ok()
    }
}
