//! A file that may be a container, read once as YAML.

use std::cell::OnceCell;
use std::path::Path;

use crate::AdviseError;
use crate::syntax::yaml::{self, Dialect, Node, Wrong};

pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) path: &'a Path,
    yaml: OnceCell<Result<Vec<Node>, Wrong>>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str, path: &'a Path) -> Self {
        Source { text, path, yaml: OnceCell::new() }
    }

    /// The documents that are maps or lists, of YAML and of JSON; none of a text that is neither.
    pub(crate) fn documents(&self) -> &[Node] {
        match self.yaml.get_or_init(|| documents(self.text)) {
            Ok(documents) => documents,
            Err(_) => &[],
        }
    }

    /// Why the text is not YAML, although its name, or how it begins, says that it is.
    pub(crate) fn wrong(&self) -> Option<AdviseError> {
        let is_named =
            self.path.extension().is_some_and(|end| end == "yaml" || end == "yml" || end == "json");
        match self.yaml.get_or_init(|| documents(self.text)) {
            Err((line, reason)) if is_named => Some(AdviseError::syntax(self.path, *line, reason.clone())),
            _ => None,
        }
    }

    /// Name of the file without its directories.
    pub(crate) fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

fn documents(text: &str) -> Result<Vec<Node>, Wrong> {
    let documents = match text.contains("{{") || text.contains("{%") {
        true => yaml::documents(&without_templates(text), Dialect::Tools),
        false => yaml::documents(text, Dialect::Tools),
    };
    Ok(documents?.into_iter().filter(|node| node.map().is_some() || node.list().is_some()).collect())
}

/// Templates of Helm and Jinja, which are no YAML: lines that only control are left empty, values that begin
/// with one are put into quotes.
fn without_templates(text: &str) -> String {
    let mut yaml = String::with_capacity(text.len() + 64);
    for line in text.lines() {
        let trimmed = line.trim();
        let is_control = trimmed.starts_with("{{") && trimmed.ends_with("}}") || trimmed.starts_with("{%");
        if !is_control {
            let value = line.find(": {{").map(|at| at + 2).or_else(|| line.find("- {{").map(|at| at + 2));
            match value {
                Some(at) => {
                    let (before, value) = line.split_at(at);
                    yaml.push_str(&format!("{before}'{}'", value.trim_end().replace('\'', "''")));
                }
                None => yaml.push_str(line),
            }
        }
        yaml.push('\n');
    }
    yaml
}
