//! An algorithm as it is asked for by name: what it is called, which options it takes, and how it is made of
//! them. The command line and Python list what is defined.

use super::option::AlgorithmOption;
use super::{Algorithm, Arguments, Call, Destination};
use crate::{Graph, GraphError};

/// An algorithm before it is asked for.
#[derive(Debug)]
pub struct Definition {
    /// The command, and the method in Python.
    pub name: &'static str,
    /// What it computes, for its help.
    pub about: &'static str,
    /// Commands and what they do, for its help.
    pub examples: &'static str,
    /// Its own options, in the order of its help.
    pub options: &'static [AlgorithmOption],
    /// Of these options one must be given, and no two.
    pub one_of: &'static [&'static str],
    /// Makes it of what was asked for.
    pub make: fn(&mut Call<'_>) -> Result<Box<dyn Algorithm>, GraphError>,
}

impl Definition {
    /// The algorithm with these arguments, and what the user should know of it. Its result goes `to` some
    /// place; where it is only to be estimated, some arguments may be missing.
    ///
    /// # Errors
    /// [`GraphError::Argument`], [`GraphError::NoVertex`], what reading files gives that arguments name;
    /// [`GraphError::NeedsWeights`] and [`GraphError::NeedsReverse`] where the graph does not do.
    pub fn algorithm(
        &self,
        graph: &Graph,
        arguments: &Arguments,
        to: &Destination,
        estimate: bool,
    ) -> Result<(Box<dyn Algorithm>, Vec<String>), GraphError> {
        let output = (*to != Destination::Nowhere).then_some("output");
        let beside: Vec<&str> = output.into_iter().chain(estimate.then_some("estimate")).collect();
        self.check(arguments, &beside)?;
        let mut call = Call::new(self.options, graph, arguments, to);
        let algorithm = (self.make)(&mut call)?;
        algorithm.check(graph)?;
        Ok((algorithm, call.into_notes()))
    }

    /// An option of it by its name.
    pub fn option(&self, name: &str) -> Option<&'static AlgorithmOption> {
        self.options.iter().find(|option| option.name == name)
    }
}
