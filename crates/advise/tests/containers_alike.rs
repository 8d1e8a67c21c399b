//! Containers that hold the same keys are judged as the plain file.

use std::collections::BTreeSet;
use std::path::Path;

use leadline_advise::{Config, Inputs, System, lint, parse};
use proptest::prelude::*;

use crate::common::FAST;

/// Keys with values.
type Pairs = Vec<(&'static str, &'static str)>;

/// Writes keys in a container, and the name of the file.
type Write = fn(&Pairs) -> (&'static str, String);

fn each(pairs: &Pairs, form: impl Fn(&str, &str) -> String) -> String {
    pairs.iter().map(|(key, value)| form(key, value)).collect()
}

/// Findings without their places.
fn findings(system: System, config: &Config, version: &str) -> BTreeSet<String> {
    let inputs = Inputs { version: Some(version.to_owned()), ..Inputs::default() };
    let lint = lint(system, config, &FAST.profile(), &inputs).unwrap();
    lint.findings.iter().map(|one| format!("{} = {}: {:?}", one.key, one.found, one.verdict)).collect()
}

fn same_as_plain(system: System, version: &str, plain: &str, containers: &[Write], pairs: &Pairs) {
    let plain = parse(system, plain, Path::new("plain")).unwrap();
    let want = findings(system, &plain, version);
    for write in containers {
        let (name, text) = write(pairs);
        let config = parse(system, &text, Path::new(name)).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(findings(system, &config, version), want, "{name}:\n{text}");
    }
}

const POSTGRESQL: [Write; 15] = [
    |p| {
        (
            "p.yml",
            format!(
                "scope: a\nbootstrap:\n  dcs:\n    postgresql:\n      parameters:\n{}",
                each(p, |k, v| format!("        {k}: {v}\n"))
            ),
        )
    },
    |p| {
        (
            "p.yml",
            format!("scope: a\npostgresql:\n  parameters:\n{}", each(p, |k, v| format!("    {k}: {v}\n"))),
        )
    },
    |p| {
        (
            "c.yaml",
            format!(
                "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nspec:\n  postgresql:\n    \
        parameters:\n{}",
                each(p, |k, v| format!("      {k}: \"{v}\"\n"))
            ),
        )
    },
    |p| {
        (
            "c.yaml",
            format!(
                "services:\n  d:\n    image: postgres\n    command: postgres{}\n",
                each(p, |k, v| format!(" -c {k}={v}"))
            ),
        )
    },
    |p| {
        (
            "c.yaml",
            format!(
                "services:\n  d:\n    image: postgres\n    command:\n{}",
                each(p, |k, v| format!("      - --{k}={v}\n"))
            ),
        )
    },
    |p| {
        (
            "k.yaml",
            format!(
                "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - image: postgres\n    args: \
        [postgres{}]\n",
                each(p, |k, v| format!(", -c, {k}={v}"))
            ),
        )
    },
    |p| {
        (
            "k.yaml",
            format!(
                "apiVersion: v1\nkind: ConfigMap\ndata:\n  postgresql.conf: |\n{}",
                each(p, |k, v| format!("    {k} = {v}\n"))
            ),
        )
    },
    |p| {
        (
            "v.yaml",
            format!("primary:\n  extendedConfiguration: |-\n{}", each(p, |k, v| format!("    {k}={v}\n"))),
        )
    },
    |p| {
        (
            "a.yml",
            format!(
                "postgresql_global_config_options:\n{}",
                each(p, |k, v| format!("  - option: {k}\n    value: {v}\n"))
            ),
        )
    },
    |p| ("a.yml", each(p, |k, v| format!("postgresql_{k}: {v}\n"))),
    |p| {
        (
            "p.service",
            format!(
                "[Service]\nExecStart=/usr/bin/postgres -D /d{}\n",
                each(p, |k, v| format!(" \\\n -c {k}={v}"))
            ),
        )
    },
    |p| ("run", format!("pg_ctl -D /d -o '{}' start\n", each(p, |k, v| format!(" -c {k}={v}")))),
    |p| ("s.csv", format!("name,setting,unit\n{}", each(p, |k, v| format!("{k},{v},\n")))),
    |p| ("s.txt", format!(" name | setting\n-----+----\n{}", each(p, |k, v| format!(" {k} | {v}\n")))),
    |p| ("s.txt", each(p, |k, v| format!("-[ RECORD 1 ]--\nname | {k}\nsetting | {v}\n"))),
];

const INNODB: [Write; 8] = [
    |p| {
        (
            "c.yaml",
            format!(
                "services:\n  d:\n    image: mariadb\n    command:\n{}",
                each(p, |k, v| format!("      - --{}={v}\n", k.replace('_', "-")))
            ),
        )
    },
    |p| {
        (
            "k.yaml",
            format!(
                "apiVersion: v1\nkind: ConfigMap\ndata:\n  my.cnf: |\n    [mysqld]\n{}",
                each(p, |k, v| format!("    {k} = {v}\n"))
            ),
        )
    },
    |p| ("run", format!("mariadbd{}\n", each(p, |k, v| format!(" --{k} {v}")))),
    |p| ("v.txt", format!("Variable_name\tValue\n{}", each(p, |k, v| format!("{k}\t{v}\n")))),
    |p| ("v.txt", each(p, |k, v| format!("{k}\t{v}\n"))),
    |p| {
        (
            "v.txt",
            format!(
                "+---+---+\n| Variable_name | Value |\n+---+---+\n{}",
                each(p, |k, v| format!("| {k} | {v} |\n"))
            ),
        )
    },
    |p| ("v.txt", each(p, |k, v| format!("*** 1. row ***\nVariable_name: {k}\n        Value: {v}\n"))),
    |p| ("a.yml", each(p, |k, v| format!("mysql_{k}: {v}\n"))),
];

const REDIS: [Write; 6] = [
    |p| {
        (
            "c.yaml",
            format!(
                "services:\n  d:\n    image: redis\n    command: redis-server{}\n",
                each(p, |k, v| format!(" --{k} {v}"))
            ),
        )
    },
    |p| {
        (
            "k.yaml",
            format!(
                "apiVersion: v1\nkind: ConfigMap\ndata:\n  redis.conf: |\n{}",
                each(p, |k, v| format!("    {k} {v}\n"))
            ),
        )
    },
    |p| ("v.yaml", format!("commonConfiguration: |-\n{}", each(p, |k, v| format!("  {k} {v}\n")))),
    |p| ("g.txt", each(p, |k, v| format!("{k}\n{v}\n"))),
    |p| ("g.txt", each(p, |k, v| format!("1) \"{k}\"\n2) \"{v}\"\n"))),
    |p| ("a.yml", each(p, |k, v| format!("redis_{}: '{v}'\n", k.replace('-', "_")))),
];

const ETCD: [Write; 7] = [
    |p| {
        (
            "c.yaml",
            format!(
                "services:\n  d:\n    image: etcd\n    command: etcd{}\n",
                each(p, |k, v| format!(" --{k}={v}"))
            ),
        )
    },
    |p| {
        (
            "c.yaml",
            format!(
                "services:\n  d:\n    image: etcd\n    environment:\n{}",
                each(p, |k, v| format!("      ETCD_{}: {v}\n", k.replace('-', "_").to_uppercase()))
            ),
        )
    },
    |p| {
        (
            "e.service",
            format!(
                "[Service]\n{}",
                each(p, |k, v| format!("Environment=ETCD_{}={v}\n", k.replace('-', "_").to_uppercase()))
            ),
        )
    },
    |p| {
        (
            "k.yaml",
            format!(
                "apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\netcd:\n  local:\n    \
        extraArgs:\n{}",
                each(p, |k, v| format!("      {k}: \"{v}\"\n"))
            ),
        )
    },
    |p| {
        (
            "t.yaml",
            format!("cluster:\n  etcd:\n    extraArgs:\n{}", each(p, |k, v| format!("      {k}: {v}\n"))),
        )
    },
    |p| ("a.yml", each(p, |k, v| format!("etcd_{}: {v}\n", k.replace('-', "_")))),
    |p| ("env", each(p, |k, v| format!("export ETCD_{}={v}\n", k.replace('-', "_").to_uppercase()))),
];

/// Any of the pairs with any of their values, at least the first key.
fn any_of(keys: &'static [(&'static str, &'static [&'static str])]) -> impl Strategy<Value = Pairs> {
    let one = |(key, values): &(&'static str, &'static [&'static str])| {
        let key = *key;
        prop::option::weighted(0.8, prop::sample::select(*values).prop_map(move |value| (key, value)))
    };
    let first = prop::sample::select(keys[0].1).prop_map(move |value| (keys[0].0, value));
    (first, keys[1..].iter().map(one).collect::<Vec<_>>())
        .prop_map(|(first, rest)| std::iter::once(first).chain(rest.into_iter().flatten()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_container_is_judged_as_the_plain_file(
        postgresql in any_of(&[
            ("effective_io_concurrency", &["1", "64", "500", "2000", "x"]),
            ("random_page_cost", &["1.1", "4", "40"]),
            ("seq_page_cost", &["1", "0.1"]),
            ("bgwriter_lru_maxpages", &["1", "100"]),
            ("fsync", &["on", "off"]),
        ]),
        innodb in any_of(&[
            ("innodb_io_capacity", &["100", "200", "20000", "-5"]),
            ("innodb_io_capacity_max", &["100", "40000"]),
            ("innodb_flush_neighbors", &["0", "1"]),
            ("innodb_read_io_threads", &["1", "16"]),
        ]),
        redis in any_of(&[
            ("appendfsync", &["always", "everysec", "no", "often"]),
            ("appendonly", &["yes", "no"]),
            ("no-appendfsync-on-rewrite", &["yes", "no"]),
        ]),
        etcd in any_of(&[
            ("heartbeat-interval", &["5", "100", "1000"]),
            ("election-timeout", &["50", "1000", "60000"]),
        ]),
    ) {
        let plain = each(&postgresql, |key, value| format!("{key} = {value}\n"));
        same_as_plain(System::Postgresql, "15", &plain, &POSTGRESQL, &postgresql);
        let plain = format!("[mysqld]\n{}", each(&innodb, |key, value| format!("{key} = {value}\n")));
        same_as_plain(System::Innodb, "mariadb-10.11", &plain, &INNODB, &innodb);
        let plain = each(&redis, |key, value| format!("{key} {value}\n"));
        same_as_plain(System::Redis, "7.2", &plain, &REDIS, &redis);
        let plain = each(&etcd, |key, value| format!("{key}: {value}\n"));
        same_as_plain(System::Etcd, "3.5", &plain, &ETCD, &etcd);
    }
}
