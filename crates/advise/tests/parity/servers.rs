//! Servers that are started on a file and asked for their settings.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use leadline_advise::System;

use super::{assert_parity, latin1};
use crate::asked::advised;
use crate::common::DISK;
use crate::corpus::{Case, Pairs, cases, escaped, refused};
use crate::programs::{ran, skipped};

/// The user and the group nobody, as whom PostgreSQL is started by root.
const NOBODY: u32 = 65534;

/// Ends a server with its test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn postgres_reads_the_same() {
    let found = postgres();
    assert_parity(System::Postgresql, |case| found.as_ref()?.get(&case.name).cloned());
}

/// Keys of version 15 with texts, and how many of our units one of the server's is.
const TEXTS: [(&str, f64, &[&str]); 6] = [
    (
        "effective_io_concurrency",
        1.0,
        &["0x80", "010", "1.5", "2.5", "1e2", " 7 ", "09", "1kB", "", "x", "0"],
    ),
    (
        "checkpoint_flush_after",
        8192.0,
        &["16", "100kB", "1 MB", "1KB", "0x10", "0.1MB", "8192B", "1mb", "1 M"],
    ),
    ("max_wal_size", 1048576.0, &["1GB", "1.5GB", "30.1GB", "1024", "2 GB ", "0x10GB", "1TB", "3000000kB"]),
    ("checkpoint_timeout", 1.0, &["5min", "0.5d", "1h", "900", "90s", "30000ms", "5 m", "1.5min", "0x100"]),
    ("random_page_cost", 1.0, &["1.1", "010", "1e-1", "nan", "0x10", "4", "1 page", ".5", "5."]),
    ("commit_delay", 1.0, &["100", "0x64", "1e3", "1.4"]),
];

/// What the text of a value means is what the server makes of it.
#[test]
fn postgres_makes_the_same_of_values() {
    let advice = advised(System::Postgresql, &DISK.profile(), "15");
    let Some(program) = programs().map(|programs| programs.join("postgres")) else {
        skipped(&Command::new("postgres"), "it is not here: cargo xtask setup installs it");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("postgresql.conf"), "").unwrap();
    for (key, unit, texts) in TEXTS {
        let setting = advice.setting(key).expect(key);
        for text in texts {
            let mut command = Command::new(&program);
            command.args(["-C", key, "-D"]).arg(folder.path()).args(["-c", &format!("{key}={text}")]);
            let output = command.output().unwrap();
            let theirs =
                output.status.success().then(|| latin1(&output.stdout).trim().parse::<f64>().unwrap());
            let ours = System::Postgresql.value(setting, text).and_then(|value| value.number());
            assert_eq!(ours.map(|value| value / unit), theirs, "{key} = {text:?}: ours and the server's");
        }
    }
}

/// Where the newest PostgreSQL has its programs.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let folders = versions.map(|entry| entry.unwrap().path().join("bin"));
    folders.filter(|path| path.join("postgres").exists()).max()
}

/// What the view pg_file_settings has of every case: one server reads all of them, each through one link.
fn postgres() -> Option<BTreeMap<String, Pairs>> {
    let Some(programs) = programs() else {
        skipped(&Command::new("postgres"), "it is not here: cargo xtask setup installs it");
        return None;
    };
    let base = tempfile::tempdir().unwrap();
    let cases = cases(System::Postgresql);
    prepare(base.path(), &cases);
    let data = base.path().join("data");
    let as_nobody = |program: &str| {
        let mut command = Command::new(programs.join(program));
        if base_owner(base.path()) == NOBODY {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.current_dir(base.path());
        command
    };
    let made = as_nobody("initdb")
        .args([
            "--no-sync",
            "--no-instructions",
            "-A",
            "trust",
            "-E",
            "SQL_ASCII",
            "--locale=C",
            "-U",
            "x",
            "-D",
        ])
        .arg(&data)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", latin1(&made.stderr));
    let mut server = as_nobody("postgres")
        .args(["--single", "-j", "-D"])
        .arg(&data)
        .args(["-c", &format!("config_file={}/current/postgresql.conf", base.path().display()), "postgres"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    for case in &cases {
        input.write_all(queries(base.path(), &case.name).as_bytes()).unwrap();
    }
    drop(input);
    let output = server.wait_with_output().unwrap();
    Some(rows(&latin1(&output.stdout), base.path()))
}

fn base_owner(base: &Path) -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(base).unwrap().uid()
}

/// A folder that nobody may use, with the cases and a link to an empty one.
fn prepare(base: &Path, cases: &[Case]) {
    let copied = base.join("cases");
    fs::create_dir_all(copied.join("empty")).unwrap();
    fs::write(copied.join("empty/postgresql.conf"), "").unwrap();
    for case in cases {
        let status = Command::new("cp").arg("-R").arg(&case.folder).arg(&copied).status().unwrap();
        assert!(status.success());
    }
    assert!(Command::new("chmod").args(["-R", "a+rX"]).arg(&copied).status().unwrap().success());
    std::os::unix::fs::symlink(copied.join("empty"), base.join("current")).unwrap();
    if base_owner(base) == 0 {
        fs::set_permissions(base, fs::Permissions::from_mode(0o755)).unwrap();
        chown(base, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

/// Points the link at a case, takes its postgresql.auto.conf, and reads the files: with -j a query ends with
/// an empty line.
fn queries(base: &Path, case: &str) -> String {
    let base = base.display();
    format!(
        "COPY (SELECT 1) TO PROGRAM 'cat > /dev/null; ln -sfn {base}/cases/{case} {base}/current; \
         cp {base}/current/postgresql.auto.conf {base}/data/ 2> /dev/null || : > {base}/data/postgresql.auto.conf';\n\n\
         SELECT encode(convert_to('{case}', 'SQL_ASCII'), 'hex') AS case;\n\n\
         SELECT encode(convert_to(concat_ws(chr(1), sourcefile || ':' || sourceline, coalesce(lower(name), ''), \
         coalesce(setting, ''), coalesce(error, '')), 'SQL_ASCII'), 'hex') AS row FROM pg_file_settings;\n\n"
    )
}

/// The rows of each case; a row without a name is what stopped the server.
fn rows(output: &str, base: &Path) -> BTreeMap<String, Pairs> {
    let mut found: BTreeMap<String, Pairs> = BTreeMap::new();
    let mut case = String::new();
    for line in output.lines() {
        let value = |column: &str| line.split_once(&format!("1: {column} = \""))?.1.split('"').next();
        if let Some(name) = value("case") {
            case = latin1(&bytes(name));
            found.insert(case.clone(), Vec::new());
        } else if let Some(row) = value("row") {
            let row = latin1(&bytes(row));
            let fields: Vec<&str> = row.split('\u{1}').collect();
            let place = fields[0].replace(&format!("{}/", base.display()), "");
            let place = place.trim_start_matches("current/").trim_start_matches("data/").to_owned();
            let pairs = found.get_mut(&case).unwrap();
            if pairs.first().is_some_and(|(key, _)| key == "refused") {
                continue;
            }
            match fields[1] {
                "" => *pairs = refused(&place),
                name => pairs.push((format!("{place} {name}"), escaped(fields[2]))),
            }
        }
    }
    found
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
}

/// The server by another name, as the package redis-tools has it.
#[test]
fn redis_server_reads_the_same() {
    assert_parity(System::Redis, |case| {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("redis.sock");
        let arguments = ["--port", "0", "--unixsocket", socket.to_str().unwrap(), "--logfile", ""];
        let mut command = Command::new("redis-check-rdb");
        command.arg0("redis-server").arg(case.file("redis.conf")).args(arguments).current_dir(&case.folder);
        command
            .args(["--dir", folder.path().to_str().unwrap()])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let Ok(child) = command.spawn() else {
            skipped(&command, "it is not here: cargo xtask setup installs it");
            return None;
        };
        let mut server = Server(child);
        let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
        let is_up = lines.any(|line| line.is_ok_and(|line| line.contains("eady to accept connections")));
        if !is_up {
            return Some(refused(""));
        }
        let keys: BTreeMap<String, String> = case.ours(System::Redis).into_iter().collect();
        let mut pairs = Pairs::new();
        for key in keys.into_keys() {
            let mut client = Command::new("redis-cli");
            client.arg("-s").arg(&socket).args(["--json", "CONFIG", "GET", &key]);
            let said = latin1(&ran(&mut client)?.stdout);
            let found: BTreeMap<String, String> = serde_json::from_str(&said).expect(&said);
            pairs.push((key.clone(), escaped(found.get(&key).unwrap_or_else(|| panic!("{key}: {said}")))));
        }
        Some(pairs)
    });
}

/// etcd says both timeouts when it has begun to listen, on sockets in a folder of its own.
#[test]
fn etcd_reads_the_same() {
    assert_parity(System::Etcd, |case| {
        let folder = tempfile::tempdir().unwrap();
        let own = "data-dir: data\nlisten-client-urls: unix://c:1\nadvertise-client-urls: unix://c:1\n\
                   listen-peer-urls: unix://p:1\ninitial-advertise-peer-urls: unix://p:1\n\
                   initial-cluster: default=unix://p:1\n";
        let text = fs::read_to_string(case.file("etcd.conf.yml")).unwrap();
        let file: PathBuf = folder.path().join("etcd.yml");
        // Before a second document, which is not read.
        let text = text.replacen("---\n", &format!("{own}---\n"), 1);
        let text = if text.contains(own) { text } else { format!("{text}{own}") };
        fs::write(&file, text).unwrap();
        let mut command = Command::new("etcd");
        command.arg("--config-file").arg(&file).current_dir(folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let Ok(child) = command.spawn() else {
            skipped(&command, "it is not here: cargo xtask setup installs it");
            return None;
        };
        let mut server = Server(child);
        let mut found = Pairs::new();
        for line in BufReader::new(server.0.stderr.take().unwrap()).lines() {
            let line = line.unwrap();
            for (said, key) in [("heartbeat = ", "heartbeat-interval"), ("election = ", "election-timeout")] {
                if let Some((_, value)) = line.split_once(said) {
                    found.push((key.to_owned(), value.trim_end_matches("ms").to_owned()));
                }
            }
            if found.len() == 2 {
                return Some(found);
            }
        }
        Some(refused(""))
    });
}
