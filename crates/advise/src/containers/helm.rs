//! Values of Helm charts: texts in a system's own syntax, extra environment variables, flags and arguments.

use std::path::Path;

use super::embedded;
use super::found::Found;
use super::source::Source;
use super::workload::Workload;
use crate::AdviseError;
use crate::syntax::yaml::{Node, Value};

/// Names of values that are variables.
const ENVIRONMENT: [&str; 4] = ["extraEnvVars", "extraEnv", "extraEnvironment", "env"];

/// Names of values that are options of the server.
const OPTIONS: [&str; 4] = ["args", "extraArgs", "extraFlags", "command"];

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let mut found = Vec::new();
    for document in source.documents().iter().filter(|document| document.map().is_some()) {
        found.extend(values(document, source.path)?);
    }
    Ok((!found.is_empty()).then_some(found))
}

/// What the values of a chart set.
pub(super) fn values(values: &Node, path: &Path) -> Result<Vec<Found>, AdviseError> {
    let mut found = Vec::new();
    walk(values, "", None, path, &mut found)?;
    Ok(found)
}

/// `chart` is the image of the map above.
fn walk(
    node: &Node,
    name: &str,
    chart: Option<&str>,
    path: &Path,
    found: &mut Vec<Found>,
) -> Result<(), AdviseError> {
    let Some(entries) = node.map() else { return Ok(()) };
    let own = image(node);
    let chart = own
        .as_deref()
        .or_else(|| [name.rsplit('.').next()?].into_iter().find(|name| is_chart(name)))
        .or(chart);
    let mut workload = Workload {
        name: if name.is_empty() { "the chart".to_owned() } else { name.to_owned() },
        image: chart.map(str::to_owned),
        line: node.line,
        ..Workload::default()
    };
    for (key, value) in entries {
        let below = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
        match &value.value {
            Value::Text(text) if OPTIONS.contains(&key.as_str()) && text.contains('-') => {
                workload.add_command(value)
            }
            Value::List(_) if OPTIONS.contains(&key.as_str()) => workload.add_command(value),
            Value::List(_) if ENVIRONMENT.contains(&key.as_str()) => workload.add_environment(value),
            Value::Map(_) if ENVIRONMENT.contains(&key.as_str()) => workload.add_environment(value),
            Value::Text(text) if value.is_literal || text.contains('\n') => {
                if let Some(mut one) = embedded::read(key, value, path)? {
                    one.instance = below;
                    let runs = chart.filter(|image| super::image::system(image) == Some(one.system));
                    one.config.version = one.config.version.or(runs.and_then(super::image::version));
                    found.push(one);
                }
            }
            Value::Map(_) => walk(value, &below, chart, path, found)?,
            _ => {}
        }
    }
    let has_any = !workload.command.is_empty() || !workload.environment.is_empty();
    // The image of a chart alone sets nothing.
    found.extend(
        workload
            .read(path)?
            .filter(|one| has_any && !one.config.entries.is_empty() || !one.config.notes.is_empty()),
    );
    Ok(())
}

/// `repository:tag` of a map with an image.
fn image(node: &Node) -> Option<String> {
    let image = node.get("image")?;
    if let Some(text) = image.text() {
        return Some(text.to_owned());
    }
    let text = |key| image.get(key).and_then(Node::text);
    Some(match text("tag") {
        Some(tag) => format!("{}:{tag}", text("repository")?),
        None => text("repository")?.to_owned(),
    })
}

/// Whether values under this name are those of a chart that is called like an image.
fn is_chart(name: &str) -> bool {
    super::image::system(name).is_some()
}
