//! Configurations of the kinds that people have (`tests/corpus/SYSTEM/CASE/`), and what the programs
//! themselves read in them (`CASE.tsv`, which `parity` makes and compares with the programs).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use leadline_advise::{AdviseError, Config, Entry, Place, Reading, System, read_as};

/// Keys with values; `refused` with the place, or nothing, where the program does not take the file.
pub(crate) type Pairs = Vec<(String, String)>;

/// The version of MariaDB that is compared: Debian 12 has it.
pub(crate) const MARIADB: &str = "mariadb-10.11";

/// OSDs whose options are compared.
pub(crate) const OSDS: [&str; 2] = ["osd.0", "osd.3"];

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
}

/// All cases of a system, by name.
pub(crate) fn cases(system: System) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(system.to_string());
    let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    let name = |folder: &Path| folder.file_name().unwrap().to_str().unwrap().to_owned();
    folders.into_iter().map(|folder| Case { name: name(&folder), folder }).collect()
}

impl Case {
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn expected_file(&self) -> PathBuf {
        self.folder.with_extension("tsv")
    }

    /// What the program reads, from the checked-in file.
    pub(crate) fn expected(&self) -> Pairs {
        let path = self.expected_file();
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let pair = |line: &str| line.split_once('\t').map(|(key, value)| (key.to_owned(), value.to_owned()));
        text.lines().map(|line| pair(line).unwrap_or_else(|| panic!("{}: {line}", path.display()))).collect()
    }

    /// The place without the folder of the case.
    fn place(&self, place: &Place) -> String {
        let Place::Line { path, line } = place else { panic!("not in a file") };
        format!("{}:{line}", path.strip_prefix(&self.folder).unwrap_or(path).display())
    }

    fn read(&self, system: System, file: &str) -> Result<Config, AdviseError> {
        let version = (system == System::Innodb).then(|| MARIADB.to_owned());
        read_as(system, &self.file(file), &Reading { version, ..Reading::default() })
    }

    /// What is read here, in the form of the expectation.
    pub(crate) fn ours(&self, system: System) -> Pairs {
        match system {
            System::Postgresql => self.postgresql(),
            System::Innodb => self.or_refused(self.read(system, "my.cnf"), in_order),
            System::Redis => self.or_refused(self.read(system, "redis.conf"), in_force),
            System::Ceph => self.or_refused(self.read(system, "ceph.conf"), of_osds),
            System::Rocksdb => self.or_refused(self.read(system, "OPTIONS"), of_sections),
            System::Etcd => self.or_refused(self.read(system, "etcd.conf.yml"), timeouts),
            System::Kafka => self.or_refused(self.read(system, "server.properties"), in_force),
            System::Zfs => self.parameters(),
            _ => panic!("{system} has no cases"),
        }
    }

    fn or_refused(&self, config: Result<Config, AdviseError>, pairs: fn(&Config) -> Pairs) -> Pairs {
        match config {
            Ok(config) => pairs(&config),
            Err(AdviseError::Syntax { .. }) => refused(""),
            Err(error) => panic!("{}: {error}", self.name),
        }
    }

    fn postgresql(&self) -> Pairs {
        match self.read(System::Postgresql, "postgresql.conf") {
            Ok(config) => {
                let key = |entry: &Entry| format!("{} {}", self.place(&entry.place), entry.key);
                config.entries.iter().map(|entry| (key(entry), escaped(&entry.value))).collect()
            }
            Err(AdviseError::Syntax { path, line, .. }) => {
                let place = Place::Line { path, line: line.unwrap_or_default() };
                refused(&self.place(&place))
            }
            Err(error) => panic!("{}: {error}", self.name),
        }
    }

    /// The files of a folder of modprobe.d, by name.
    fn parameters(&self) -> Pairs {
        let mut files: Vec<PathBuf> =
            fs::read_dir(&self.folder).unwrap().map(|e| e.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "conf"));
        files.sort();
        let read = |path: PathBuf| in_order(&read_as(System::Zfs, &path, &Reading::default()).unwrap());
        files.into_iter().flat_map(read).collect()
    }
}

pub(crate) fn refused(place: &str) -> Pairs {
    vec![("refused".to_owned(), place.to_owned())]
}

/// On one line.
pub(crate) fn escaped(value: &str) -> String {
    value.escape_default().to_string()
}

/// All, in order.
fn in_order(config: &Config) -> Pairs {
    config.entries.iter().map(|entry| (entry.key.clone(), escaped(&entry.value))).collect()
}

/// The last of each key.
fn in_force(config: &Config) -> Pairs {
    let last = config.entries.iter().chain(&config.undecided);
    let last: BTreeMap<String, String> =
        last.map(|entry| (entry.key.clone(), escaped(&entry.value))).collect();
    last.into_iter().collect()
}

/// What is in force for each OSD.
fn of_osds(config: &Config) -> Pairs {
    let of = |osd: &'static str| {
        let is_its = move |entry: &&Entry| !entry.section.starts_with("osd.") || entry.section == osd;
        let entries = config.entries.iter().filter(is_its);
        let last: BTreeMap<&str, &str> =
            entries.map(|entry| (entry.key.as_str(), entry.value.as_str())).collect();
        last.into_iter().map(move |(key, value)| (format!("{osd} {key}"), escaped(value)))
    };
    OSDS.into_iter().flat_map(of).collect()
}

/// Options of the database, its column family and its table.
fn of_sections(config: &Config) -> Pairs {
    let is_option = |entry: &&Entry| !entry.section.contains(':') && entry.section != "Version";
    let pair = |entry: &Entry| {
        let section = entry.section.split('"').next().unwrap_or_default().trim_end();
        (format!("{section} {}", entry.key), escaped(&entry.value))
    };
    config.entries.iter().filter(is_option).map(pair).collect()
}

/// Both timeouts in force, milliseconds; etcd counts elections in whole heartbeats.
fn timeouts(config: &Config) -> Pairs {
    let of = |key: &str, default: u64| match config.last(key) {
        _ if config.undecided.iter().any(|entry| entry.key == key) => None,
        None => Some(default),
        Some(entry) => go_number(&entry.value),
    };
    match (of("heartbeat-interval", 100), of("election-timeout", 1000)) {
        (Some(heartbeat), Some(election)) => vec![
            ("heartbeat-interval".to_owned(), heartbeat.to_string()),
            ("election-timeout".to_owned(), (election / heartbeat * heartbeat).to_string()),
        ],
        _ => refused(""),
    }
}

fn go_number(text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    match (text.strip_prefix("0x"), text.strip_prefix('0')) {
        (Some(hex), _) => u64::from_str_radix(hex, 16).ok(),
        (_, Some(octal)) if !octal.is_empty() => u64::from_str_radix(octal, 8).ok(),
        _ => text.parse::<f64>().ok().filter(|number| *number >= 0.0).map(|number| number as u64),
    }
}

/// Whether two texts are one value: as texts, as yes or no, or as numbers with a unit of 1024.
fn is_same(system: System, one: &str, other: &str) -> bool {
    let flags = (system.flag(one), system.flag(other));
    let number = |text: &str| {
        let text = text.to_ascii_lowercase();
        let text = text.strip_suffix('b').unwrap_or(&text);
        let power = "kmgt".find(text.chars().last()?);
        let digits = if power.is_some() { &text[..text.len() - 1] } else { text };
        Some(digits.parse::<f64>().ok()? * 1024_f64.powi(power.map_or(0, |power| 1 + power as i32)))
    };
    one.eq_ignore_ascii_case(other)
        || flags.0.is_some() && flags.0 == flags.1
        || number(one).is_some() && number(one) == number(other)
}

/// That each key has the value that the program reads; how many they are.
pub(crate) fn assert_same(system: System, case: &Case, ours: &Pairs, theirs: &Pairs) -> usize {
    let keys = |pairs: &Pairs| pairs.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    assert_eq!(
        keys(ours),
        keys(theirs),
        "{system} {}: ours and the program's\n{ours:#?}\n{theirs:#?}",
        case.name
    );
    for ((key, ours), (_, theirs)) in ours.iter().zip(theirs) {
        let is_same =
            if system == System::Postgresql { ours == theirs } else { is_same(system, ours, theirs) };
        assert!(is_same, "{system} {}: {key}: {ours:?} here, {theirs:?} in the program", case.name);
    }
    ours.len()
}

fn assert_as_expected(system: System) {
    let cases = cases(system);
    assert!(!cases.is_empty());
    for case in cases {
        assert_same(system, &case, &case.ours(system), &case.expected());
    }
}

#[test]
fn postgresql_is_read_as_by_postgres() {
    assert_as_expected(System::Postgresql);
}

#[test]
fn innodb_is_read_as_by_my_print_defaults() {
    assert_as_expected(System::Innodb);
}

#[test]
fn redis_is_read_as_by_its_server() {
    assert_as_expected(System::Redis);
}

#[test]
fn ceph_is_read_as_by_ceph_conf() {
    assert_as_expected(System::Ceph);
}

#[test]
fn rocksdb_is_read_as_by_itself() {
    assert_as_expected(System::Rocksdb);
}

#[test]
fn etcd_is_read_as_by_itself() {
    assert_as_expected(System::Etcd);
}

#[test]
fn kafka_is_read_as_by_java() {
    assert_as_expected(System::Kafka);
}

#[test]
fn zfs_is_read_as_by_modprobe() {
    assert_as_expected(System::Zfs);
}
