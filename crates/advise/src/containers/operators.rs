//! Resources of operators that run a database in Kubernetes.

use std::path::Path;

use super::found::Found;
use super::image;
use crate::syntax::yaml::{Node, Value};
use crate::{AdviseError, System};

/// How settings are in a resource.
enum Form {
    /// Keys and values.
    Map,
    /// A text in the system's own syntax.
    Text,
    /// Keys and values of each section.
    Sections,
    /// Keys and values as lines of the system's own file, which is YAML.
    Lines,
}

/// A kind of resource.
struct Kind {
    /// Group of its API.
    group: &'static str,
    kind: &'static str,
    system: System,
    /// Where its settings stand, and the form they have.
    settings: &'static [(&'static str, Form)],
    /// Where its version stands, or its image.
    version: &'static [&'static str],
}

const KINDS: [Kind; 15] = [
    Kind {
        group: "postgresql.cnpg.io",
        kind: "Cluster",
        system: System::Postgresql,
        settings: &[("spec.postgresql.parameters", Form::Map)],
        version: &["spec.imageName", "spec.imageCatalogRef.major"],
    },
    Kind {
        group: "acid.zalan.do",
        kind: "postgresql",
        system: System::Postgresql,
        settings: &[("spec.postgresql.parameters", Form::Map)],
        version: &["spec.postgresql.version"],
    },
    Kind {
        group: "postgres-operator.crunchydata.com",
        kind: "PostgresCluster",
        system: System::Postgresql,
        settings: &[
            ("spec.patroni.dynamicConfiguration.postgresql.parameters", Form::Map),
            ("spec.config.parameters", Form::Map),
        ],
        version: &["spec.postgresVersion", "spec.image"],
    },
    Kind {
        group: "pgv2.percona.com",
        kind: "PerconaPGCluster",
        system: System::Postgresql,
        settings: &[("spec.patroni.dynamicConfiguration.postgresql.parameters", Form::Map)],
        version: &["spec.postgresVersion"],
    },
    Kind {
        group: "stackgres.io",
        kind: "SGPostgresConfig",
        system: System::Postgresql,
        settings: &[("spec.postgresql.conf", Form::Map)],
        version: &["spec.postgresVersion"],
    },
    Kind {
        group: "mysql.oracle.com",
        kind: "InnoDBCluster",
        system: System::Innodb,
        settings: &[("spec.mycnf", Form::Text)],
        version: &["spec.version"],
    },
    Kind {
        group: "k8s.mariadb.com",
        kind: "MariaDB",
        system: System::Innodb,
        settings: &[("spec.myCnf", Form::Text)],
        version: &["spec.image"],
    },
    Kind {
        group: "pxc.percona.com",
        kind: "PerconaXtraDBCluster",
        system: System::Innodb,
        settings: &[("spec.pxc.configuration", Form::Text)],
        version: &["spec.pxc.image"],
    },
    Kind {
        group: "ps.percona.com",
        kind: "PerconaServerMySQL",
        system: System::Innodb,
        settings: &[("spec.mysql.configuration", Form::Text)],
        version: &["spec.mysql.image"],
    },
    Kind {
        group: "kafka.strimzi.io",
        kind: "Kafka",
        system: System::Kafka,
        settings: &[("spec.kafka.config", Form::Map)],
        version: &["spec.kafka.version"],
    },
    Kind {
        group: "ceph.rook.io",
        kind: "CephCluster",
        system: System::Ceph,
        settings: &[("spec.cephConfig", Form::Sections)],
        version: &["spec.cephVersion.image"],
    },
    Kind {
        group: "k8ssandra.io",
        kind: "K8ssandraCluster",
        system: System::Cassandra,
        settings: &[("spec.cassandra.config.cassandraYaml", Form::Lines)],
        version: &["spec.cassandra.serverVersion"],
    },
    Kind {
        group: "cassandra.datastax.com",
        kind: "CassandraDatacenter",
        system: System::Cassandra,
        settings: &[("spec.config.cassandra-yaml", Form::Lines)],
        version: &["spec.serverVersion"],
    },
    Kind {
        group: "k0s.k0sproject.io",
        kind: "ClusterConfig",
        system: System::Etcd,
        settings: &[("spec.storage.etcd.extraArgs", Form::Map)],
        version: &[],
    },
    Kind {
        group: "kubeadm.k8s.io",
        kind: "ClusterConfiguration",
        system: System::Etcd,
        settings: &[("etcd.local.extraArgs", Form::Map)],
        version: &[],
    },
];

/// What a document sets, if it is a resource of an operator.
pub(super) fn read(document: &Node, path: &Path) -> Result<Option<Found>, AdviseError> {
    let text = |keys: &str| document.at(keys).and_then(Node::text);
    let group = text("apiVersion").and_then(|api| api.split('/').next());
    let is_it = |kind: &&Kind| Some(kind.group) == group && Some(kind.kind) == text("kind");
    let Some(kind) = KINDS.iter().find(is_it) else { return Ok(None) };
    let name = text("metadata.name").unwrap_or_default();
    let evidence = format!("{} of {}, line {}", kind.kind, kind.group, document.line);
    let mut found = Found::new(kind.system, path, evidence);
    found.instance = format!("{} {name}", kind.kind).trim_end().to_owned();
    let version = kind.version.iter().find_map(|keys| text(keys));
    found.config.version = version.and_then(|said| match said.contains(':') {
        true => image::version(said),
        false => Some(said.to_owned()),
    });
    for (keys, form) in kind.settings {
        let Some(node) = document.at(keys) else { continue };
        match form {
            Form::Map if kind.system == System::Etcd => etcd_arguments(node, &mut found),
            Form::Map => found.put_map(node),
            Form::Text => found.embed(node)?,
            Form::Sections => sections(node, &mut found),
            Form::Lines => lines(node, &mut found)?,
        }
    }
    Ok(Some(found))
}

/// Arguments of etcd: a map, or a list of `name` and `value`, as kubeadm has them since v1beta4, or of
/// `KEY=VALUE`.
pub(super) fn etcd_arguments(node: &Node, found: &mut Found) {
    use super::command::put_etcds;
    for (key, value) in node.map().unwrap_or_default() {
        put_etcds(key, value.text().unwrap_or_default(), value.line, found);
    }
    for argument in node.list().unwrap_or_default() {
        let text = |key| argument.get(key).and_then(Node::text);
        match (argument.text().and_then(|set| set.split_once('=')), text("name"), text("value")) {
            (Some((key, value)), ..) => put_etcds(key, value, argument.line, found),
            (None, Some(key), Some(value)) => put_etcds(key, value, argument.line, found),
            _ => {}
        }
    }
}

/// Each by the system's own reader, which knows older names.
fn lines(node: &Node, found: &mut Found) -> Result<(), AdviseError> {
    for (key, value) in node.map().unwrap_or_default() {
        if let Some(text) = value.text() {
            let set = Value::Text(format!("{key}: {text}"));
            found.embed(&Node { line: value.line, value: set, is_quoted: true, is_literal: false })?;
        }
    }
    Ok(())
}

/// Ceph's: those that OSDs read.
fn sections(node: &Node, found: &mut Found) {
    for (section, keys) in node.map().unwrap_or_default() {
        let is_osds = section == "global" || section == "osd" || section.starts_with("osd.");
        for (key, value) in keys.map().unwrap_or_default().iter().filter(|_| is_osds) {
            found.put_in(section, key, value.text().unwrap_or_default(), value.line);
        }
    }
}
