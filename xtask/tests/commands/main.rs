//! The commands, run in a made-up system.

mod setup;
mod system;
mod test;

use std::fs;
use std::path::Path;

use system::{System, assert_one_line, outcome};

#[test]
fn bad_usage_is_one_line_and_exit_code_2() {
    let system = System::new().with_programs();
    for (words, names) in [
        (&[][..], "no command"),
        (&["tset"], "`tset`"),
        (&["--tset"], "`--tset`"),
        (&["setup", "now"], "`now`"),
        (&["test", "device"], "`device`"),
        (&["bench", "no-such"], "`no-such`"),
        (&["site", "--open"], "`--open`"),
        (&["site", "one", "two"], "`two`"),
        (&["prose", "no-such.md"], "`no-such.md`"),
        (&["prose", "Cargo.lock"], "`Cargo.lock`"),
    ] {
        let outcome = system.run(words);
        assert_eq!(outcome.code, Some(2), "{words:?}");
        assert_eq!(outcome.stdout, "", "{words:?}");
        assert_one_line(&outcome.stderr, &["xtask: ", names]);
    }
    assert_eq!(system.calls(), [""; 0]);
}

#[test]
fn help_names_every_command() {
    let system = System::new();
    for words in [&["--help"][..], &["-h"], &["help"], &["test", "--help"], &["bench", "--help"]] {
        let outcome = system.run(words);
        assert_eq!(outcome.code, Some(0), "{words:?}");
        for command in ["setup", "test", "prose", "fuzz", "site", "bench", "Examples:"] {
            assert!(outcome.stdout.contains(command), "{words:?}: no {command}");
        }
    }
}

#[test]
fn the_site_is_built_into_the_target_directory_or_the_one_that_is_named() {
    let system = System::new();
    let named = system.folder.path().join("html");
    let arguments = format!("--quiet --locked -p leadline-site {} --", system.examples());
    for (words, into) in
        [(vec![], system.target().join("site")), (vec![named.to_str().unwrap()], named.clone())]
    {
        let outcome = system.run(&[&["site"], &words[..]].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(system.calls().last(), Some(&format!("cargo run {arguments} {}", into.display())));
    }
}

#[test]
fn fuzz_hands_its_arguments_to_the_fuzzer() {
    let system = System::new();
    system.script("cargo", "[ \"$FAIL\" != 2 ] || exit 2; [ \"$FAIL\" != 1 ] || exit 1");
    for (fails, code) in [("", 0), ("1", 1), ("2", 2)] {
        let mut command = system.command(&["fuzz", "profile", "--seconds", "3"]);
        assert_eq!(outcome(command.env("FAIL", fails)).code, Some(code));
    }
    let call = system.calls().pop().unwrap();
    assert!(call.starts_with("cargo run --quiet --locked -p leadline-fuzz "), "{call}");
    assert!(call.ends_with(" -- profile --seconds 3"), "{call}");
}

#[test]
fn bench_lists_the_sources_and_hands_the_rest_to_the_one_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/src/bin");
    let system = System::new();
    let listed = system.run(&["bench"]);
    assert_eq!((listed.code, listed.stderr.as_str()), (Some(0), ""));
    assert_eq!(system.calls(), [""; 0]);

    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    for source in entries.filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let name = source.file_stem().unwrap().to_str().unwrap();
        assert!(
            listed.stdout.lines().any(|line| line.split(' ').next() == Some(name)),
            "no {name}: {}",
            listed.stdout
        );

        let outcome = system.run(&["bench", name, "--help", "4K"]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let call = system.calls().pop().unwrap();
        assert!(call.starts_with("cargo run --release "), "{call}");
        assert!(call.contains(" -p leadline-benches "), "{call}");
        assert!(call.ends_with(&format!(" --bin {name} -- --help 4K")), "{call}");
    }
}
