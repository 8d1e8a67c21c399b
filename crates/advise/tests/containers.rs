//! Files that hold settings among other things, and what tells them apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use leadline_advise::{
    AdviseError, Config, Inputs, Place, Reading, System, Verdict, lint, looks_like, parse, recognise,
};
use proptest::prelude::*;

use crate::common::FAST;

/// Per file and system: what the file is, the version that it tells, and `KEY=VALUE@LINE` of what is judged.
const EXPECTED: &str = include_str!("containers.txt");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/containers")
}

/// All files, by name.
fn files() -> BTreeMap<String, String> {
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap())
    };
    fs::read_dir(folder()).unwrap().map(read).collect()
}

struct Expected {
    file: &'static str,
    system: System,
    container: &'static str,
    version: &'static str,
    settings: Vec<&'static str>,
}

fn expected() -> Vec<Expected> {
    let row = |line: &'static str| {
        let [file, system, container, version, settings] =
            line.split('|').map(str::trim).collect::<Vec<_>>()[..]
        else {
            panic!("five columns: {line}")
        };
        let system = System::from_name(system).unwrap();
        let settings = settings.split(';').filter(|one| !one.is_empty()).collect();
        Expected { file, system, container, version, settings }
    };
    EXPECTED.lines().map(row).collect()
}

fn line(place: &Place) -> usize {
    match place {
        Place::Line { line, .. } => *line,
        Place::Server(name) => panic!("{name} in a file"),
    }
}

#[test]
fn every_file_is_recognised_as_what_it_is_and_as_nothing_else() {
    let (files, expected) = (files(), expected());
    assert!(files.len() >= 45, "{}", files.len());
    for (file, text) in &files {
        let path = Path::new(file);
        let all = recognise(text, path).unwrap_or_else(|error| panic!("{error}"));
        let wanted: Vec<&Expected> = expected.iter().filter(|one| one.file == file).collect();
        assert_eq!(all.len(), wanted.len(), "{file}: {all:?}");
        for (one, wanted) in all.iter().zip(wanted) {
            assert_eq!((one.system, one.container), (wanted.system, wanted.container), "{file}");
            assert!(!one.evidence.is_empty(), "{file}");
            let config = one.config(text, path, &Reading::default()).unwrap();
            assert_eq!(config.version.as_deref().unwrap_or_default(), wanted.version, "{file}");
            for setting in &wanted.settings {
                let found = config
                    .entries
                    .iter()
                    .any(|entry| format!("{}={}@{}", entry.key, entry.value, line(&entry.place)) == *setting);
                assert!(found, "{file}: {setting} is not among {:#?}", config.entries);
            }
        }
    }
}

#[test]
fn a_line_of_the_evidence_is_in_the_file() {
    for (file, text) in files() {
        for one in recognise(&text, Path::new(&file)).unwrap() {
            let (_, after) = one.evidence.rsplit_once("line ").unwrap_or(("", "1"));
            let number: usize = after.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
            assert!((1..=text.lines().count()).contains(&number), "{file}: {}", one.evidence);
        }
    }
}

/// What the issue calls silence that looks like praise: nothing of a file is judged as another system's, and
/// whoever asks is told what it looks like.
#[test]
fn nothing_is_judged_as_a_system_that_the_file_is_not_of() {
    let profile = FAST.profile();
    for (file, text) in files() {
        let path = Path::new(&file);
        let own: BTreeSet<System> =
            recognise(&text, path).unwrap().into_iter().map(|one| one.system).collect();
        for system in System::ALL {
            let looks = looks_like(system, &text, path);
            assert_eq!(looks.is_none(), own.contains(&system), "{file} as {system}: {looks:?}");
            if let (false, Ok(config)) = (own.contains(&system), parse(system, &text, path)) {
                let lint = lint(system, &config, &profile, &Inputs::default()).unwrap();
                assert_eq!(lint.judged(), 0, "{file} as {system}: {:#?}", lint.findings);
            }
        }
    }
    let looks = |system, file: &str| looks_like(system, &files()[file], Path::new(file)).unwrap();
    assert!(looks(System::Etcd, "my.cnf").starts_with("my.cnf: 4 of 4 keys are InnoDB's, e.g. line 2"));
    assert!(
        looks(System::Kafka, "postgresql.conf").starts_with("postgresql.conf: 5 of 5 keys are PostgreSQL's")
    );
}

#[test]
fn what_can_be_read_in_two_ways_is_refused_with_both() {
    let said = recognise("port 5432\n", Path::new("x.conf")).unwrap_err().to_string();
    for part in ["x.conf: can be read as", "postgresql.conf (1 of 1 key", "redis.conf (1 of 1 key", " or "] {
        assert!(said.contains(part), "{said}");
    }
    assert!(said.contains("postgresql or redis"), "{said}");
    // Its name decides.
    let named = recognise("port 5432\n", Path::new("/etc/redis/redis.conf")).unwrap();
    assert_eq!(named[0].system, System::Redis);
}

#[test]
fn what_is_nothing_that_is_known_is_refused() {
    let said = |text: &str, name: &str| recognise(text, Path::new(name)).unwrap_err().to_string();
    assert!(said("hello\nworld\n", "x").contains("of no system that is known"));
    assert!(said("# shared_buffers = 1GB\n", "x").contains("nothing is set in it"));
    let web = "services:\n  web:\n    image: nginx\n";
    assert!(said(web, "compose.yaml").contains("looks like a compose file, but has no settings of a system"));
    assert_eq!(looks_like(System::Etcd, web, Path::new("c.yaml")).unwrap(), "a compose file");
    assert!(said("a: [1\n", "x.yaml").starts_with("x.yaml, line"), "the reason why it is no YAML");
}

#[test]
fn two_servers_of_one_system_are_not_mixed() {
    let text = "services:\n  a:\n    image: postgres:15\n    command: -c fsync=off\n  b:\n    image: \
                postgres:16\n    command: -c fsync=on\n";
    let error = parse(System::Postgresql, text, Path::new("c.yaml")).unwrap_err();
    assert!(matches!(error, AdviseError::Syntax { .. }));
    assert!(error.to_string().contains("2 servers of PostgreSQL (service a runs postgres:15, line 3;"));
    let all = recognise(text, Path::new("c.yaml")).unwrap();
    let instances: Vec<&str> = all.iter().map(|one| one.instance.as_str()).collect();
    assert_eq!(instances, ["service a", "service b"]);
}

#[test]
fn templates_are_told_and_never_numbers() {
    let profile = FAST.profile();
    for value in ["${IOPS:-500}", "$IOPS", "{{ iops }}", "$(IOPS)"] {
        let text = format!(
            "services:\n  db:\n    image: mysql:8.0\n    command: ['--innodb-io-capacity={value}']\n"
        );
        let config = parse(System::Innodb, &text, Path::new("c.yaml")).unwrap();
        assert_eq!(config.entries, [], "{value}");
        let undecided: Vec<&str> = config.undecided.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(undecided, ["innodb_io_capacity"], "{value}");
        let lint = lint(System::Innodb, &config, &profile, &Inputs::default()).unwrap();
        assert_eq!(lint.judged(), 0, "{value}");
        let unset: Vec<&str> = lint.unset.iter().map(|one| one.key).collect();
        assert!(!unset.contains(&"innodb_io_capacity"), "it is set, only to what is not known");
    }
}

#[test]
fn patroni_takes_a_members_own_parameters_before_those_of_the_cluster() {
    let text = &files()["patroni.yml"];
    let config = parse(System::Postgresql, text, Path::new("p.yml")).unwrap();
    let keys: Vec<(&str, &str)> =
        config.entries.iter().map(|entry| (entry.key.as_str(), entry.value.as_str())).collect();
    let want = [("max_connections", "200"), ("random_page_cost", "4"), ("effective_io_concurrency", "1")];
    assert_eq!(keys, want);
    let said = config.notes.join("\n");
    assert!(said.contains("line 12: effective_io_concurrency of bootstrap.dcs is overridden by"), "{said}");
    assert!(said.contains("line 20: max_connections has no effect there"), "{said}");
}

#[test]
fn what_etcd_measured_is_compared_with_its_limit_and_with_the_profile() {
    let found = |counts: [u32; 3]| {
        let [one, eight, all] = counts;
        let name = "etcd_disk_wal_fsync_duration_seconds_bucket";
        let text = format!(
            "{name}{{le=\"0.001\"}} {one}\n{name}{{le=\"0.008\"}} {eight}\n{name}{{le=\"0.032\"}} {all}\n\
             {name}{{le=\"+Inf\"}} {all}\n"
        );
        let config = parse(System::Etcd, &text, Path::new("metrics")).unwrap();
        let inputs = Inputs { version: Some("3.5".to_owned()), ..Inputs::default() };
        lint(System::Etcd, &config, &FAST.profile(), &inputs).unwrap().findings.remove(0)
    };
    // The profile has 0.2 ms.
    let slow = found([100, 900, 1000]);
    assert_eq!((slow.found.as_str(), slow.verdict), ("29.600 ms", Verdict::TooHigh));
    assert!(
        slow.reason.contains("predicts 0.20 ms for one writer, 148.0 times less: other programs"),
        "{slow:?}"
    );
    let fine = found([1000, 1000, 1000]);
    assert_eq!((fine.found.as_str(), fine.verdict), ("0.990 ms", Verdict::Fits));
}

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
