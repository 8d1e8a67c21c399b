//! Compose files: services with their images, commands and environments, and the texts of `configs`.

use super::embedded;
use super::found::Found;
use super::source::Source;
use super::workload::Workload;
use crate::AdviseError;
use crate::syntax::yaml::Node;

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let is_service = |service: &Node| {
        ["image", "build", "command", "extends"].iter().any(|key| service.get(key).is_some())
    };
    let services = source.documents().iter().find_map(|document| {
        let services = document.get("services")?;
        services.map()?.iter().any(|(_, service)| is_service(service)).then_some((document, services))
    });
    let Some((document, services)) = services else { return Ok(None) };
    let mut found = Vec::new();
    for (name, service) in services.map().unwrap_or_default() {
        if let Some(mut one) = workload(name, service).read(source.path)? {
            if let Some(file) = service.get("env_file") {
                one.unread(file.line, "env_file was not read; name its variables");
            }
            found.push(one);
        }
    }
    for (name, config) in document.get("configs").and_then(Node::map).unwrap_or_default() {
        if let Some(content) = config.get("content")
            && let Some(mut one) = embedded::read(name, content, source.path)?
        {
            one.instance = format!("config {name}");
            found.push(one);
        }
    }
    Ok(Some(found))
}

fn workload(name: &str, service: &Node) -> Workload {
    let image = service.get("image").and_then(Node::text).map(str::to_owned);
    let mut workload =
        Workload { name: format!("service {name}"), image, line: service.line, ..Workload::default() };
    for key in ["entrypoint", "command"] {
        if let Some(command) = service.get(key) {
            workload.add_command(command);
        }
    }
    if let Some(environment) = service.get("environment") {
        workload.add_environment(environment);
    }
    workload
}
