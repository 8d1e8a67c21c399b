//! Files that are not what a command reads: one line in plain words, without those of a parser.

use std::fs;

use crate::ran::{folder, names, run};

/// Words of parsers and of the system's numbers, which mean nothing to a user.
const RAW: [&str; 12] = [
    "EOF while",
    "missing field",
    "unknown field",
    "invalid type",
    "expected value",
    "expected ident",
    "a sequence",
    "struct ",
    "f64",
    "u32",
    " at line ",
    "(os error",
];

#[test]
fn what_is_no_profile_is_told_in_one_plain_line() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    run(dir.path(), &["profile", "sim:flash", "--budget-seconds", "0.5", "-o", "p.json"]).succeeded();
    let whole = fs::read_to_string(at("p.json")).unwrap();
    let text = whole.replacen("\"iops\": ", "\"iops\": \"fast\", \"was\": ", 1);
    for (name, bytes, said) in [
        ("empty", b"".as_slice(), "is empty; name a profile that `leadline profile` wrote"),
        ("cut", &whole.as_bytes()[..whole.len() / 2], "it was cut off"),
        ("page.html", b"<!DOCTYPE html>\n<html></html>\n", "is HTML or XML, not JSON"),
        ("binary", &[0x7f, b'E', b'L', b'F', 0xff, 0xfe, 0], "is not a text file"),
        ("words", b"no profile\n", "is not JSON: it begins with \"no profile\""),
        ("other", b"{\"a\": 1}", "is not a profile: it has no `schema`"),
        ("newer", b"{\"schema\": \"leadline.profile/2\"}", "use the Leadline that wrote it"),
        ("proof", b"{\"schema\": \"leadline.proof/1\"}", "name a profile that `leadline profile` wrote"),
        ("text", text.as_bytes(), "points[0].iops: must be a number, found the text \"fast\""),
    ] {
        fs::write(at(name), bytes).unwrap();
        for command in [&["report"][..], &["models"], &["predict"], &["advise", "all"], &["calibrate"]] {
            let file = format!("./{name}");
            let arguments = [command, &[&*file]].concat();
            let ran = run(dir.path(), &arguments);
            // A table of costs may be anything that is no JSON.
            if command == ["models"] && !bytes.starts_with(b"{") {
                assert_eq!(
                    (ran.code, ran.stderr.lines().count()),
                    (Some(2), 1),
                    "{arguments:?}: {}",
                    ran.stderr
                );
            } else {
                ran.refused(&[&format!("./{name}: "), said]);
            }
            assert!(!RAW.iter().any(|raw| ran.stderr.contains(raw)), "{arguments:?}: {}", ran.stderr);
        }
    }
    run(dir.path(), &["report", "."]).refused(&[".: is a directory; name a file"]);
    run(dir.path(), &["report", "none.json"]).refused(&["none.json: No such file or directory"]);
}

#[test]
fn other_files_are_told_in_plain_words_too() {
    let dir = folder();
    run(dir.path(), &["profile", "sim:flash", "--budget-seconds", "0.5", "-o", "p.json"]).succeeded();
    for name in ["data", "mnt"] {
        fs::create_dir(dir.path().join(name)).unwrap();
    }
    let lsm = [
        "lsm",
        "advise",
        "p.json",
        "--data",
        "1G",
        "--key",
        "16",
        "--value",
        "100",
        "--mix",
        "mixgraph",
        "--processor",
    ];
    for (name, text) in [
        ("empty", ""),
        ("object", "{}"),
        ("list", "[1, 2]"),
        ("cut", "{\"processor\": {\"get\""),
        ("page", "<html>"),
        ("key.toml", "clas = \"x\"\n"),
        ("type.toml", "kind = 1\nclass = 2\n"),
    ] {
        fs::write(dir.path().join(name), text).unwrap();
        let file = format!("./{name}");
        let sim = format!("sim:./{name}");
        for arguments in [
            &[&lsm[..], &[&*file]].concat()[..],
            &["devices", &file],
            &["profile", &sim, "--quick"],
            &["profile", "import", &file],
            &["emulate", "sim:flash", "--backing", "data", "--mount", "mnt", "--faults", &file, "--dry-run"],
            &["graph", "info", &file],
            &["trace", "info", &file],
        ] {
            let ran = run(dir.path(), arguments);
            // A schedule without faults is one.
            if ran.code == Some(0) {
                continue;
            }
            assert_eq!(ran.stderr.lines().count(), 1, "{arguments:?}: {}", ran.stderr);
            assert!(!RAW.iter().any(|raw| ran.stderr.contains(raw)), "{arguments:?}: {}", ran.stderr);
            assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
            assert!(ran.stderr.contains(name), "{arguments:?}: {}", ran.stderr);
        }
    }
    run(dir.path(), &["devices", "./object"]).refused(&["./object: line 1: is JSON, not TOML"]);
    assert_eq!(names(dir.path()).len(), 3 + 7, "nothing was written");
}
