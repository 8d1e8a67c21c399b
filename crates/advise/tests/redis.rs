//! Redis: what is advised follows the device, and what is wrong is named.

use std::os::unix::process::CommandExt;
use std::process::Command;

use leadline_advise::{System, Value, Verdict};
use serde_json::json;

use crate::asked::{
    advised, assert_fits_what_is_written, assert_names_what_is_missing, linted, value, wrong,
};
use crate::common::{DISK, FAST, Known, parsed};
use crate::programs::{ran, text};

const REDIS: System = System::Redis;

/// A card on which 4 MiB take two seconds.
const CARD: Known = Known { sustained: 2e6, ..DISK };

#[test]
fn only_a_device_that_flushes_fast_may_flush_always() {
    let always = "appendfsync always\n";
    assert_eq!(wrong(REDIS, &FAST.profile(), always), []);
    assert_eq!(wrong(REDIS, &DISK.profile(), always), [("appendfsync".into(), Verdict::Wrong)]);
    for known in [FAST, DISK] {
        assert_eq!(value(REDIS, &known.profile(), "appendfsync"), Value::word("everysec"));
        assert_eq!(wrong(REDIS, &known.profile(), "AppendFsync \"EverySec\"\n"), []);
    }
}

#[test]
fn flushes_are_left_out_only_where_they_would_take_a_second() {
    let key = "no-appendfsync-on-rewrite";
    assert_eq!(value(REDIS, &DISK.profile(), key), Value::word("no"));
    assert_eq!(value(REDIS, &CARD.profile(), key), Value::word("yes"));
    assert_eq!(wrong(REDIS, &FAST.profile(), &format!("{key} yes\n")), [(key.into(), Verdict::Wrong)]);
}

#[test]
fn what_was_not_measured_is_named_with_its_experiment() {
    let mut document = FAST.document();
    document["experiments"] = json!({});
    let missing = [
        ("appendfsync", "fsync"),
        ("no-appendfsync-on-rewrite", "fsync"),
        ("aof-rewrite-incremental-fsync", "sustained"),
    ];
    assert_names_what_is_missing(REDIS, &parsed(&document), &missing);
}

#[test]
fn every_value_that_is_written_is_read_as_fitting() {
    for known in [FAST, DISK, CARD] {
        assert_fits_what_is_written(REDIS, &known.profile());
    }
}

#[test]
fn other_words_are_invalid_and_defaults_are_sane() {
    let found = wrong(REDIS, &DISK.profile(), "appendfsync evrysec\naof-rewrite-incremental-fsync off\n");
    let want = ["appendfsync", "aof-rewrite-incremental-fsync"].map(|key| (key.to_owned(), Verdict::Invalid));
    assert_eq!(found, want);
    let slow = wrong(REDIS, &FAST.profile(), "aof-rewrite-incremental-fsync no\n");
    assert_eq!(slow, [("aof-rewrite-incremental-fsync".into(), Verdict::Wrong)]);
    let defaults = "appendonly yes\nappendfsync everysec\nno-appendfsync-on-rewrite no\nsave 3600 1\n\
                    aof-rewrite-incremental-fsync yes\nrdb-save-incremental-fsync yes\n";
    assert_eq!(wrong(REDIS, &DISK.profile(), defaults), []);
    assert_eq!(wrong(REDIS, &DISK.profile(), "appendfsync no\n"), []);
}

#[test]
fn what_another_key_takes_the_effect_of_is_moot() {
    let verdicts = |text: &str| -> Vec<(String, Verdict)> {
        let lint = linted(REDIS, &DISK.profile(), "7.0", text);
        lint.findings.into_iter().map(|one| (one.key, one.verdict)).collect()
    };
    let of = |key: &str, verdict| (key.to_owned(), verdict);
    let moot = of("appendfsync", Verdict::Moot);
    assert_eq!(verdicts("appendonly no\nappendfsync always\n"), [moot]);
    assert_eq!(verdicts("appendonly yes\nappendfsync always\n"), [of("appendfsync", Verdict::Wrong)]);
    // An included file, or a server that is told by its command line.
    assert_eq!(verdicts("appendfsync always\n"), [of("appendfsync", Verdict::Wrong)]);
    let rewrite = "no-appendfsync-on-rewrite";
    let found = verdicts(&format!("appendonly yes\nappendfsync no\n{rewrite} yes\n"));
    assert_eq!(found, [of("appendfsync", Verdict::Fits), of(rewrite, Verdict::Moot)]);
}

/// The server reads its file before it does anything else, and stops at the first line that it does not know:
/// at one behind all that was written, if it takes that. The same program checks dumps, by another name.
#[test]
fn the_server_takes_every_line() {
    for known in [FAST, CARD] {
        let advice = advised(REDIS, &known.profile(), "7.0");
        let file = &advice.files()[0];
        let lines = file.text.lines().count();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file.name);
        std::fs::write(&path, format!("{}the-end yes\n", file.text)).unwrap();
        let mut command = Command::new("redis-check-rdb");
        command.arg0("redis-server").arg(&path).current_dir(folder.path());
        let Some(ran) = ran(&mut command) else { return };
        let said = text(&ran.stderr);
        let at = format!("at line {}\n>>> 'the-end yes'", lines + 1);
        assert!(!ran.status.success() && said.contains(&at), "{said}\n{}", text(&ran.stdout));
    }
}
