//! Manifests of Kubernetes: pods wherever they stand, ConfigMaps, resources of operators.

use super::found::Found;
use super::source::Source;
use super::workload::Workload;
use super::{embedded, helm, operators};
use crate::AdviseError;
use crate::syntax::yaml::{Node, Value};

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let is_resource =
        |document: &&Node| document.get("apiVersion").is_some() && document.get("kind").is_some();
    let mut resources: Vec<&Node> = source.documents().iter().filter(is_resource).collect();
    if resources.is_empty() {
        return Ok(None);
    }
    // Those of a list, and of a list of `kubectl get`.
    let inner: Vec<&Node> = resources.iter().filter_map(|list| list.get("items")?.list()).flatten().collect();
    resources.extend(inner);
    let mut found = Vec::new();
    for resource in resources {
        read(resource, source, &mut found)?;
    }
    Ok(Some(found))
}

fn read(resource: &Node, source: &Source, found: &mut Vec<Found>) -> Result<(), AdviseError> {
    if let Some(one) = operators::read(resource, source.path)? {
        found.push(one);
        return Ok(());
    }
    let text = |keys: &str| resource.at(keys).and_then(Node::text).unwrap_or_default();
    let name = format!("{} {}", text("kind"), text("metadata.name"));
    match text("kind") {
        "ConfigMap" | "Secret" => {
            for (key, node) in
                ["data", "stringData"].iter().filter_map(|key| resource.get(key)?.map()).flatten()
            {
                // Rook's has ceph.conf under this key.
                let key = if text("metadata.name") == "rook-config-override" { "ceph.conf" } else { key };
                if let Some(mut one) = embedded::read(key, node, source.path)? {
                    one.instance = format!("{name}, {key}");
                    found.push(one);
                }
            }
        }
        "HelmRelease" => {
            if let Some(values) = resource.at("spec.values") {
                found.extend(helm::values(values, source.path)?);
            }
        }
        _ => {
            let mut workloads = Vec::new();
            pods(resource, &name, &mut workloads);
            found.extend(super::workload::all(workloads, source.path)?);
        }
    }
    Ok(())
}

/// All containers below `node`.
fn pods(node: &Node, owner: &str, workloads: &mut Vec<Workload>) {
    match &node.value {
        Value::Map(entries) => {
            for (key, value) in entries {
                match value.list() {
                    Some(list) if key == "containers" || key == "initContainers" => {
                        workloads.extend(list.iter().filter_map(|one| container(one, owner)));
                    }
                    _ => pods(value, owner, workloads),
                }
            }
        }
        Value::List(list) => list.iter().for_each(|one| pods(one, owner, workloads)),
        _ => {}
    }
}

fn container(node: &Node, owner: &str) -> Option<Workload> {
    let image = node.get("image").and_then(Node::text).map(str::to_owned);
    let name = node.get("name").and_then(Node::text).unwrap_or_default();
    node.map()?;
    let mut workload = Workload {
        name: format!("container {name} of {owner}"),
        image,
        line: node.line,
        ..Workload::default()
    };
    for key in ["command", "args"] {
        if let Some(command) = node.get(key) {
            workload.add_command(command);
        }
    }
    if let Some(environment) = node.get("env") {
        workload.add_environment(environment);
    }
    Some(workload)
}
