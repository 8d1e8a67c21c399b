//! A graph's `.properties` file: which way its edges lead, and the parameters of each algorithm.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::str::FromStr;

use crate::GraphError;

/// Most bytes of a file of properties; those of the benchmark have one or two thousand.
pub(crate) const MOST_BYTES: u64 = 1 << 20;

/// What a `.properties` file says of a graph and of the runs on it; what it does not say is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Properties {
    /// The file, for messages.
    name: String,
    directed: Option<Entry<bool>>,
    bfs_source: Option<Entry<u64>>,
    sssp_source: Option<Entry<u64>>,
    damping: Option<Entry<f64>>,
    pagerank_iterations: Option<Entry<u32>>,
    cdlp_iterations: Option<Entry<u32>>,
}

/// A value, and the line that gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry<T> {
    value: T,
    line: usize,
}

/// The entries whose keys begin with `graph.`: the number of the line, the key and the value.
pub(crate) fn entries(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    // A byte order mark, which some editors put in front.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines()).filter_map(|(line, entry)| {
        let (key, value) = entry.split_once('=')?;
        let key = key.trim();
        key.starts_with("graph.").then(|| (line, key, value.trim()))
    })
}

impl Properties {
    /// Reads a file. Keys that are not of this benchmark, or of none of its algorithms, do not matter.
    ///
    /// # Errors
    /// [`GraphError::Path`] where it cannot be opened or is too large, [`GraphError::Malformed`] with the
    /// line whose value is not of its kind, or that gives another value than a line before it.
    pub fn read(path: &Path) -> Result<Properties, GraphError> {
        let bytes = leadline_files::read_document(path, MOST_BYTES).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge | io::ErrorKind::IsADirectory => {
                GraphError::path(path, "is no file of properties; name the .properties of the graph")
            }
            _ => GraphError::opening(path, error),
        })?;
        Properties::parse(&path.display().to_string(), &String::from_utf8_lossy(&bytes))
    }

    /// As [`Properties::read`], of the text of a file that messages call `name`.
    ///
    /// # Errors
    /// As there.
    pub fn parse(name: &str, text: &str) -> Result<Properties, GraphError> {
        let mut found = Properties { name: name.to_owned(), ..Properties::default() };
        for (line, key, value) in entries(text) {
            let given = Given { name, line, key, value };
            let ends = |ending: &str| key.ends_with(ending);
            match () {
                () if ends(".bfs.source-vertex") => given.put(&mut found.bfs_source, "a vertex id")?,
                () if ends(".sssp.source-vertex") => given.put(&mut found.sssp_source, "a vertex id")?,
                () if ends(".pr.damping-factor") => given.put(&mut found.damping, "a number from 0 to 1")?,
                () if ends(".pr.num-iterations") => {
                    given.put(&mut found.pagerank_iterations, "a number of iterations")?;
                }
                () if ends(".cdlp.max-iterations") => {
                    given.put(&mut found.cdlp_iterations, "a number of iterations")?;
                }
                () if ends(".directed") => given.put(&mut found.directed, "true or false")?,
                () => {}
            }
        }
        Ok(found)
    }

    /// The vertex that breadth-first search starts from.
    ///
    /// # Errors
    /// [`GraphError::Malformed`] where the file does not say.
    pub fn bfs_source(&self) -> Result<u64, GraphError> {
        self.said(self.bfs_source, "graph.NAME.bfs.source-vertex")
    }

    /// The vertex that shortest paths start from.
    ///
    /// # Errors
    /// [`GraphError::Malformed`] where the file does not say.
    pub fn sssp_source(&self) -> Result<u64, GraphError> {
        self.said(self.sssp_source, "graph.NAME.sssp.source-vertex")
    }

    /// PageRank's damping factor, as the file has it; a run takes 0 to 1.
    pub fn damping(&self) -> Option<f64> {
        self.damping.map(|entry| entry.value)
    }

    /// Iterations of PageRank.
    pub fn pagerank_iterations(&self) -> Option<u32> {
        self.pagerank_iterations.map(|entry| entry.value)
    }

    /// Iterations of label propagation.
    pub fn cdlp_iterations(&self) -> Option<u32> {
        self.cdlp_iterations.map(|entry| entry.value)
    }

    /// Whether the edges of a store, called `store` in errors, lead the way that the file says: one way where
    /// `stored` is true. Where the file says nothing, any way will do.
    ///
    /// # Errors
    /// [`GraphError::Malformed`].
    pub fn check_direction(&self, store: &str, stored: bool) -> Result<(), GraphError> {
        let Some(Entry { line, .. }) = self.directed.filter(|entry| entry.value != stored) else {
            return Ok(());
        };
        let word = |directed| if directed { "directed" } else { "undirected" };
        let (said, found) = (word(!stored), word(stored));
        let what = format!("says that the graph is {said}, but {store} is {found}; import it as {said}");
        Err(GraphError::malformed(format_args!("{}: line {line}", self.name), what))
    }

    fn said<T>(&self, entry: Option<Entry<T>>, key: &str) -> Result<T, GraphError> {
        let missing = || GraphError::malformed(&self.name, format!("has no {key}; give the vertex itself"));
        entry.map(|entry| entry.value).ok_or_else(missing)
    }
}

/// An entry of a file.
struct Given<'a> {
    name: &'a str,
    line: usize,
    key: &'a str,
    value: &'a str,
}

impl Given<'_> {
    fn put<T: FromStr + PartialEq + Display>(
        &self,
        place: &mut Option<Entry<T>>,
        kind: &str,
    ) -> Result<(), GraphError> {
        let Given { name, line, key, value } = self;
        let failed = |what: String| GraphError::malformed(format_args!("{name}: line {line}"), what);
        let Ok(parsed) = value.parse::<T>() else {
            return Err(failed(format!("{key} must be {kind}, found {value:?}")));
        };
        if let Some(before) = place.as_ref().filter(|before| before.value != parsed) {
            let Entry { value: other, line: first } = before;
            return Err(failed(format!(
                "{key} is {parsed} here and {other} in line {first}; name one graph"
            )));
        }
        *place = Some(Entry { value: parsed, line: *line });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = "# Example\ngraph.a-7_5.b.directed = true\ngraph.a-7_5.b.bfs.source-vertex=18446744073709551615\n\
                           graph.a-7_5.b.pr.damping-factor = 0.5\ngraph.a-7_5.b.pr.num-iterations = 3\n\
                           other.directed = false\n";

    #[test]
    fn what_is_there_is_read_and_what_is_not_is_said() {
        let found = Properties::parse("p", EXAMPLE).unwrap();
        assert_eq!(found.bfs_source().unwrap(), u64::MAX);
        assert_eq!((found.damping(), found.pagerank_iterations()), (Some(0.5), Some(3)));
        assert_eq!((found.directed.map(|entry| entry.value), found.cdlp_iterations()), (Some(true), None));
        let missing = found.sssp_source().unwrap_err().to_string();
        assert!(missing.starts_with("p: has no graph.NAME.sssp.source-vertex"), "{missing}");
    }

    #[test]
    fn a_value_of_another_kind_is_named_by_its_line() {
        for (line, said) in [
            ("graph.x.directed = maybe", "true or false"),
            ("graph.x.bfs.source-vertex = -1", "a vertex id"),
            ("graph.x.cdlp.max-iterations = 1e3", "a number of iterations"),
            ("graph.y.pr.damping-factor = 0.85", "0.85 here and 0.5 in line 4"),
        ] {
            let error = Properties::parse("p", &format!("{EXAMPLE}{line}\n")).unwrap_err().to_string();
            assert!(error.starts_with("p: line 7: ") && error.contains(said), "{error}");
        }
    }
}
