//! Configurations of hosts that run etcd for Kubernetes: Talos, RKE.

use super::found::Found;
use super::operators::etcd_arguments;
use super::source::Source;
use crate::{AdviseError, System};

/// Where each has arguments of etcd.
const PLACES: [(&str, &str); 3] =
    [("cluster.etcd.extraArgs", "Talos"), ("services.etcd.extra_args", "RKE"), ("etcd.extraArgs", "a host")];

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let place = source.documents().iter().find_map(|document| {
        PLACES.iter().find_map(|(keys, whose)| Some((document.at(keys)?, *keys, *whose)))
    });
    let Some((node, keys, whose)) = place else { return Ok(None) };
    let mut found = Found::new(System::Etcd, source.path, format!("{keys} of {whose}, line {}", node.line));
    etcd_arguments(node, &mut found);
    Ok(Some(vec![found]))
}
