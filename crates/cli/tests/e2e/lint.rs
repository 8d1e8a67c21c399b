//! `leadline lint auto`, `--connect`, and files that hold settings among other things.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::ran::{folder, run};

/// A profile that has all that the keys of these tests need.
fn profile(dir: &Path) {
    let measured = ["profile", "sim:flash", "--quick", "--for", "postgresql", "-o", "flash.json"];
    crate::simulated::profiled(dir, "flash.json", &[&measured]);
}

const COMPOSE: &str = "services:
  db:
    image: postgres:16.2
    command: postgres -c effective_io_concurrency=1
  store:
    image: quay.io/coreos/etcd:v3.5.12
    environment:
      ETCD_HEARTBEAT_INTERVAL: 100
";

#[test]
fn auto_judges_every_system_of_which_a_file_has_settings() {
    let dir = folder();
    profile(dir.path());
    fs::write(dir.path().join("compose.yaml"), COMPOSE).unwrap();
    let ran = run(dir.path(), &["lint", "auto", "compose.yaml", "flash.json"]);
    ran.failed(1, &["compose.yaml: 1 of 2 keys do not fit this device"]);
    for said in [
        "compose.yaml is read as a compose file: service db runs postgres, line 3\nPostgreSQL 16 on ",
        "compose.yaml, line 4: effective_io_concurrency = 1: too low by",
        "compose.yaml is read as a compose file: service store runs quay.io/coreos/etcd:v3.5.12, line 6\netcd 3.5",
    ] {
        let shown = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(&said.replace('\n', " ")), "{said} is not in {shown}");
    }
    let ran = run(dir.path(), &["lint", "auto", "compose.yaml", "flash.json", "--json"]);
    ran.failed(1, &[]);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    let systems = found["systems"].as_array().unwrap();
    let named: Vec<&str> = systems.iter().map(|one| one["system"].as_str().unwrap()).collect();
    assert_eq!(named, ["postgresql", "etcd"]);
    assert_eq!(systems[0]["container"], "a compose file");
    assert_eq!(systems[0]["instance"], "service db");
    assert_eq!(systems[0]["findings"][0]["verdict"], "too-low");
    // Its own system alone.
    run(dir.path(), &["lint", "etcd", "compose.yaml", "flash.json"]).succeeded();
    let both = ["lint", "auto", "compose.yaml", "flash.json", "--version", "16"];
    run(dir.path(), &both)
        .refused(&["--version: compose.yaml has settings of postgresql and etcd", "name one"]);
}

#[test]
fn a_file_of_another_system_is_named_and_ends_with_3() {
    let dir = folder();
    profile(dir.path());
    let files = [
        ("my.cnf", "[mysqld]\ninnodb_io_capacity = 200\n", "my.cnf: 1 of 1 key is InnoDB's, e.g. line 2"),
        (
            "p.conf",
            "work_mem = 4MB\nfsync = on\n",
            "postgresql.conf: 2 of 2 keys are PostgreSQL's, e.g. line 1",
        ),
        ("c.yaml", COMPOSE, "a compose file: service db runs postgres, line 3"),
    ];
    for (file, text, looks) in files {
        fs::write(dir.path().join(file), text).unwrap();
        for system in ["kafka", "redis", "seastar"] {
            let ran = run(dir.path(), &["lint", system, file, "flash.json"]);
            ran.failed(3, &[&format!("{file}: nothing was judged: it looks like {looks}")]);
        }
    }
}

#[test]
fn auto_refuses_what_it_cannot_tell() {
    let dir = folder();
    profile(dir.path());
    let auto = |file: &str, text: &str| {
        fs::write(dir.path().join(file), text).unwrap();
        run(dir.path(), &["lint", "auto", file, "flash.json"])
    };
    auto("x.conf", "port 5432\n").refused(&[
        "x.conf: can be read as",
        "postgresql.conf",
        "redis.conf",
        "name the",
    ]);
    auto("y.conf", "hello\n").refused(&["y.conf: its keys are of no system that is known"]);
    auto("nginx.yaml", "services:\n  web:\n    image: nginx\n")
        .refused(&["looks like a compose file, but has no"]);
    // Known, and nothing in it depends on the device.
    auto("z.conf", "shared_buffers = 1GB\nwork_mem = 4MB\n").failed(3, &["z.conf: nothing was judged"]);
}

#[test]
fn a_server_takes_the_place_of_the_file() {
    let dir = folder();
    profile(dir.path());
    let lint = |arguments: &[&str]| run(dir.path(), &[&["lint"], arguments].concat());
    let server = "host=/nonexistent dbname=postgres";
    lint(&["postgresql", "--connect", server, "flash.json"])
        .refused(&["host=/nonexistent dbname=postgres: "]);
    lint(&["postgresql", "--connect", server, "x.conf", "flash.json"]).refused(&["leave x.conf out"]);
    lint(&["auto", "--connect", server, "flash.json"]).refused(&["of a server name the system"]);
    lint(&["innodb", "--connect", "dbname=x", "flash.json"])
        .refused(&["dbname: is none of host, port, user"]);
    let secret = lint(&["postgresql", "--connect", "host=db password=geheim", "flash.json"]);
    secret.refused(&["has a password", "PGPASSWORD"]);
    assert!(!secret.stderr.contains("geheim"), "{}", secret.stderr);
    lint(&["postgresql", "flash.json"]).refused(&["a configuration and a profile are needed"]);
}
