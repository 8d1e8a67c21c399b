//! RocksDB itself loads what is written: db_bench of RocksDB 7.8 in every run, six releases of rocksdbjni
//! from Maven Central in exhaustive ones.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use leadline_advise::{Advice, Inputs, System, advise};
use leadline_lsm::Layout;
use leadline_lsm::options::{self, DEFAULT_FAMILY, OptionsFile, RocksVersion};
use leadline_profile::DeviceProfile;
use serde_json::json;

use crate::options_written::unusual;

const TABLE: &str = include_str!("../data/rocksdb-options.csv");

/// Section and name of an option, and its value.
type Settings = BTreeMap<(String, String), String>;

/// The settings of a file, by a reader that knows nothing about them.
fn settings(text: &str) -> Settings {
    let mut section = "";
    let mut settings = Settings::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(title) = line.strip_prefix('[') {
            section = title.trim_end_matches(']').split(" \"").next().unwrap();
        } else if let Some((name, value)) = line.split_once('=') {
            settings.insert((section.to_owned(), name.to_owned()), value.to_owned());
        }
    }
    settings
}

/// What the newest OPTIONS file in a database's folder says.
fn options_of(folder: &Path) -> String {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_options = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("OPTIONS-");
    fs::read_to_string(files.filter(is_options).max().expect("RocksDB leaves an OPTIONS file")).unwrap()
}

fn same(one: &str, other: &str) -> bool {
    one == other || matches!((one.parse::<f64>(), other.parse::<f64>()), (Ok(one), Ok(other)) if one == other)
}

/// The table's column of a release: what is known about every option.
fn known(release: &str) -> Settings {
    let mut lines = TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(','));
    let at = lines.next().unwrap().position(|column| column == release).expect("the table has the release");
    let cells = lines.map(|fields| fields.collect::<Vec<_>>());
    cells.map(|fields| ((fields[0].to_owned(), fields[1].to_owned()), fields[at].to_owned())).collect()
}

/// That RocksDB has taken everything: the database in `folder` was opened with the file `text` for `layout`.
fn assert_taken(text: &str, layout: &Layout, folder: &Path, release: &str) {
    let rocksdb = options_of(folder);
    let taken = settings(&rocksdb);
    let known = known(release);
    let mut compared = 0;
    for (option, value) in settings(text).into_iter().filter(|(option, _)| option.0 != "Version") {
        let name = &option.1;
        match taken.get(&option) {
            Some(other) => assert!(same(&value, other), "RocksDB {release}: {name}={value} became {other}"),
            None => assert_eq!(known[&option], "(read)", "RocksDB {release} does not write {name}"),
        }
        compared += 1;
    }
    assert!(compared > 30, "only {compared} options were compared");

    // RocksDB does not write the size of its cache into OPTIONS files, but into its log.
    let log = fs::read_to_string(folder.join("LOG")).unwrap();
    let capacity = format!("capacity : {}\n", layout.cache_bytes);
    assert!(log.contains(&capacity), "RocksDB {release} has no cache with {capacity}");

    let read = OptionsFile::parse(&rocksdb, folder, DEFAULT_FAMILY).unwrap();
    assert_eq!(
        Layout { cache_bytes: layout.cache_bytes, ..*read.layout() },
        Layout { compressed_share: 1.0, ..*layout }
    );
}

/// Trees in which every option has another value than in the others.
fn layouts() -> [Layout; 3] {
    let compressed =
        Layout { compressed_share: 0.5, compaction_readahead_bytes: 1 << 20, ..Layout::default() };
    let single = Layout { compaction_readahead_bytes: 1 << 18, ..Layout::default() }.single_level(4);
    [compressed, unusual(), single]
}

/// Of a drive that writes 200 MB/s for long.
fn device_keys() -> Advice {
    let load = json!({
        "pattern": "sequential", "block_bytes": 1 << 20, "concurrency": 8, "rest_seconds": 1.0,
        "written_bytes": 1 << 30, "seconds": 5.0, "burst_bytes_per_second": 2e8,
        "sustained_bytes_per_second": 2e8, "ratio": 1.0, "settled": true, "cliffs": [], "samples": [],
    });
    let document = json!({
        "schema": leadline_profile::SCHEMA, "device": {}, "method": {}, "validity": {},
        "points": [], "parameters": [], "experiments": {"sustained": {"loads": [load]}},
    });
    let profile = DeviceProfile::parse(&document.to_string(), Path::new("drive.json")).unwrap();
    advise(System::Rocksdb, &profile, &Inputs::default()).unwrap()
}

/// In the build folder, whose file system has direct I/O, unlike that of some temporary folders.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    if output.status.success() { Ok(()) } else { Err(text) }
}

#[test]
fn db_bench_loads_what_is_written() {
    if Command::new("db_bench").arg("--version").output().is_err() {
        let reason = "db_bench is not here; it is in the Debian package rocksdb-tools";
        let _ = writeln!(std::io::stderr(), "SKIPPED db_bench_loads_what_is_written: {reason}");
        return;
    }
    for layout in layouts() {
        let folder = folder();
        let (file, database) = (folder.path().join("options.ini"), folder.path().join("db"));
        let text = OptionsFile::new(&layout, RocksVersion::V7_8).with_device_keys(&device_keys()).to_string();
        assert!(text.contains("  bytes_per_sync=2097152\n  wal_bytes_per_sync=2097152\n"), "{text}");
        fs::write(&file, &text).unwrap();
        let mut command = Command::new("db_bench");
        command.arg(format!("--options_file={}", file.display())).arg(format!("--db={}", database.display()));
        command.arg(format!("--cache_size={}", layout.cache_bytes));
        run(command.args(["--benchmarks=fillrandom,compact,readrandom", "--num=3000"])).unwrap();
        assert_taken(&text, &layout, &database, "7.8.3");
    }
}

/// rocksdbjni from Maven Central, copied into `folder`.
fn rocksdbjni(release: &str, folder: &Path) -> PathBuf {
    for (program, package) in [("java", "default-jdk-headless"), ("mvn", "maven")] {
        let is_here = Command::new(program).arg("-version").output().is_ok();
        assert!(is_here, "this test needs {program}, of the Debian package {package}, and Maven Central");
    }
    let mut mvn = Command::new("mvn");
    mvn.args(["-q", "-B", "dependency:copy"]).current_dir(folder);
    mvn.arg(format!("-Dartifact=org.rocksdb:rocksdbjni:{release}"));
    mvn.arg(format!("-DoutputDirectory={}", folder.display()));
    run(&mut mvn).unwrap_or_else(|text| panic!("Maven did not get rocksdbjni {release}: {text}"));
    folder.join(format!("rocksdbjni-{release}.jar"))
}

fn load(jar: &Path, folder: &Path, pairs: &[(PathBuf, PathBuf)]) -> Result<(), String> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rocksdbjni/Load.java");
    let mut java = Command::new("java");
    // The native library is unpacked into the temporary folder.
    java.arg(format!("-Djava.io.tmpdir={}", folder.display())).arg("-cp").arg(jar).arg(program);
    run(java.args(pairs.iter().flat_map(|(file, database)| [file, database])))
}

/// The releases in the table. Each loads the files for all versions, not only for its own: they differ in
/// nothing but rocksdb_version.
#[test]
fn every_release_loads_what_is_written() {
    if !leadline_testing::exhaustive() {
        let reason = "only exhaustive runs get six releases of RocksDB from Maven Central";
        let _ = writeln!(std::io::stderr(), "SKIPPED every_release_loads_what_is_written: {reason}");
        return;
    }
    let header = TABLE.lines().find(|line| !line.starts_with('#')).unwrap();
    for release in header.split(',').skip(2) {
        let folder = folder();
        let jar = rocksdbjni(release, folder.path());
        let mut written = Vec::new();
        for (version, layout) in RocksVersion::ALL.iter().flat_map(|v| layouts().map(|layout| (v, layout))) {
            let name = format!("{}-{version}", written.len());
            let (file, database) = (folder.path().join(format!("{name}.ini")), folder.path().join(name));
            let text = options::write(&layout, *version);
            fs::write(&file, &text).unwrap();
            written.push((text, layout, file, database));
        }
        let pairs: Vec<_> = written.iter().map(|(_, _, file, db)| (file.clone(), db.clone())).collect();
        load(&jar, folder.path(), &pairs).unwrap();
        for (text, layout, _, database) in &written {
            assert_taken(text, layout, database, release);
        }

        let database = folder.path().join("defaults");
        load(&jar, folder.path(), &[("defaults".into(), database.clone())]).unwrap();
        assert_known(release, &settings(&options_of(&database)));

        // That an unknown option is refused, or all of this would prove nothing.
        let wrong = folder.path().join("wrong.ini");
        fs::write(&wrong, written[0].0.replace("block_size=", "blok_size=")).unwrap();
        let refusal = load(&jar, folder.path(), &[(wrong, folder.path().join("wrong"))]).unwrap_err();
        assert!(refusal.contains("blok_size"), "RocksDB {release}: {refusal}");
    }
}

/// That the table has all options that `release` writes, with their defaults, and no others.
fn assert_known(release: &str, defaults: &Settings) {
    let mut known = known(release);
    known.retain(|_, cell| cell != "-" && cell != "(read)");
    let mut defaults = defaults.clone();
    defaults.retain(|option, _| option.0 != "Version");
    for settings in [&mut known, &mut defaults] {
        settings.values_mut().for_each(sort_fields);
    }
    assert_eq!(known, defaults, "RocksDB {release}");
}

/// The fields of a value in braces have no fixed order.
fn sort_fields(value: &mut String) {
    if let Some(inner) = value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        let mut fields: Vec<&str> = inner.split(';').collect();
        fields.sort_unstable();
        *value = fields.join(";");
    }
}
