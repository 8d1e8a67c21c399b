//! Patroni's file, and what `patronictl show-config` prints.
//!
//! By "Patroni configuration" in its documentation: what a member's own file sets under
//! `postgresql.parameters` is above what the whole cluster has, except for a few parameters that only the
//! cluster may set. `bootstrap.dcs` becomes the cluster's configuration when the cluster is made, and never
//! again.

use std::path::Path;

use super::found::Found;
use super::source::Source;
use crate::syntax::yaml::Node;
use crate::{AdviseError, System};

/// Parameters that all members must have alike.
const OF_CLUSTER: [&str; 9] = [
    "max_connections",
    "max_locks_per_transaction",
    "max_worker_processes",
    "max_prepared_transactions",
    "wal_level",
    "track_commit_timestamp",
    "max_wal_senders",
    "max_replication_slots",
    "wal_keep_segments",
];

/// Keys that only Patroni's files have.
const MARKS: [&str; 6] = ["scope", "namespace", "restapi", "loop_wait", "maximum_lag_on_failover", "ttl"];

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let is_patronis = |document: &&Node| {
        document.at("bootstrap.dcs").is_some()
            || document.get("postgresql").and_then(Node::map).is_some()
                && MARKS.iter().any(|mark| document.get(mark).is_some())
                && document.get("apiVersion").is_none()
    };
    let Some(document) = source.documents().iter().find(is_patronis) else { return Ok(None) };
    let cluster = document.at("bootstrap.dcs.postgresql.parameters");
    let local = document.at("postgresql.parameters");
    let [cluster_name, local_name] = ["bootstrap.dcs.postgresql.parameters", "postgresql.parameters"];
    let evidence = match (cluster, local) {
        (Some(node), _) => format!("{cluster_name}, line {}", node.line),
        (None, Some(node)) => format!("{local_name}, line {}", node.line),
        (None, None) => format!("keys of Patroni, from line {}", document.line),
    };
    Ok(Some(vec![parameters(source.path, cluster, local, evidence)]))
}

/// The parameters in force, those of the cluster first.
fn parameters(path: &Path, cluster: Option<&Node>, local: Option<&Node>, evidence: String) -> Found {
    let mut found = Found::new(System::Postgresql, path, evidence);
    let own = |key: &str| local.and_then(|local| local.get(key));
    for (key, node) in cluster.and_then(Node::map).unwrap_or_default() {
        match own(key) {
            Some(above) if !OF_CLUSTER.contains(&key.as_str()) => {
                let what = format!(
                    "{key} of bootstrap.dcs is overridden by postgresql.parameters, line {}",
                    above.line
                );
                found.note(node.line, &what);
            }
            _ => found.put_node(key, node),
        }
    }
    for (key, node) in local.and_then(Node::map).unwrap_or_default() {
        if OF_CLUSTER.contains(&key.as_str()) {
            found.note(
                node.line,
                &format!("{key} has no effect there: Patroni takes it from the cluster's configuration"),
            );
        } else {
            found.put_node(key, node);
        }
    }
    if let Some(cluster) = cluster {
        let what = "bootstrap.dcs counts only when the cluster is made; `patronictl show-config` tells what \
                    is in force";
        found.note(cluster.line, what);
    }
    found
}
