//! Files that hold settings among other things, and what tells them apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::FAST;
use leadline_advise::{
    AdviseError, Inputs, Place, Reading, System, Verdict, lint, looks_like, parse, recognise,
};

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
