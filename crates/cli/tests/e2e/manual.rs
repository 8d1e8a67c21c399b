//! `leadline completions` and `leadline man`.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::ran::{folder, names, outcome, program, run, text};

/// Every command, as its manual page names it, and a flag that the page must explain.
const COMMANDS: [(&str, &str); 30] = [
    ("leadline", "leadline-profile"),
    ("leadline-profile", "--max-concurrency"),
    ("leadline-experiment", "--read-share"),
    ("leadline-report", "--fio-jobs"),
    ("leadline-models", "--setup-per"),
    ("leadline-predict", "--what-if"),
    ("leadline-advise", "--explain"),
    ("leadline-lint", "--cores"),
    ("leadline-prove", "--only"),
    ("leadline-btree-advise", "--range-size"),
    ("leadline-calibrate", "--again"),
    ("leadline-lsm-advise", "--rated-writes"),
    ("leadline-lsm-predict", "--family"),
    ("leadline-devices", "--json"),
    ("leadline-trace", "leadline-trace-info"),
    ("leadline-trace-info", "--sample-pages"),
    ("leadline-trace-capture", "--output"),
    ("leadline-trace-replay", "--pace"),
    ("leadline-trace-predict", "--json"),
    ("leadline-trace-convert", "--skip-bad"),
    ("leadline-trace-generate", "--list"),
    ("leadline-pool", "leadline-pool-replay"),
    ("leadline-pool-simulate", "--alpha-1"),
    ("leadline-pool-replay", "--checksums"),
    ("leadline-graph-import", "--drop-self-loops"),
    ("leadline-graph-export", "--partitions"),
    ("leadline-graph-bfs", "--memory"),
    ("leadline-index", "leadline-index-load"),
    ("leadline-index-load", "--key-type"),
    ("leadline-completions", "SHELL"),
];

#[test]
fn every_command_has_a_page_that_names_its_flags() {
    let dir = folder();
    let ran = run(dir.path(), &["man", "."]).succeeded();
    let pages = names(dir.path());
    assert_eq!(ran.stderr, format!("note: {} manual pages in .\n", pages.len()));
    assert_eq!(ran.stdout, "");
    for (name, flag) in COMMANDS {
        // roff escapes hyphens.
        let page = fs::read_to_string(dir.path().join(format!("{name}.1"))).unwrap().replace('\\', "");
        assert!(page.contains(flag), "{name}: no {flag}");
        assert!(name == "leadline" || !page.contains("budget-seconds"), "a hidden flag stays hidden");
    }
    let all: Value = serde_json::from_str(&leadline_cli::described(false)).unwrap();
    for command in all["commands"].as_array().unwrap() {
        let page = format!("leadline-{}.1", command["path"].as_str().unwrap().replace(' ', "-"));
        assert!(pages.contains(&page), "no {page}: {pages:?}");
        let text = fs::read_to_string(dir.path().join(&page)).unwrap();
        assert!(text.contains("Examples:"), "{page} has the examples of the help, too");
    }
    run(dir.path(), &["man", "."]).succeeded();
    assert_eq!(names(dir.path()), pages, "written again in place");
    run(dir.path(), &["man", "new/pages"]).succeeded();
    assert_eq!(names(&dir.path().join("new/pages")), pages, "the directory is made");
}

#[test]
fn a_place_that_cannot_hold_the_pages_is_refused() {
    let dir = folder();
    fs::write(dir.path().join("file"), "mine").unwrap();
    fs::create_dir_all(dir.path().join("taken/leadline-report.1")).unwrap();
    for (place, said) in [
        ("file/below", "file/below: cannot be made: Not a directory"),
        ("file", "file: is not a directory"),
        ("taken", "taken/leadline-report.1: is a directory"),
        ("/proc", "/proc/leadline.1: its directory cannot be written"),
    ] {
        run(dir.path(), &["man", place]).refused(&[said]);
    }
    run(dir.path(), &["man"]).refused(&["<DIR>"]);
    assert_eq!(names(dir.path()), ["file", "taken"]);
    assert_eq!(names(&dir.path().join("taken")), ["leadline-report.1"], "no page beside it");
}

#[test]
fn bash_takes_the_completion_script_and_completes() {
    let dir = folder();
    let script = dir.path().join("leadline.bash");
    fs::write(&script, run(dir.path(), &["completions", "bash"]).succeeded().stdout).unwrap();
    let complete = "source \"$1\"; COMP_WORDS=(leadline prof); COMP_CWORD=1; _leadline leadline prof leadline; \
                    echo \"${COMPREPLY[@]}\"";
    let ran = outcome(Command::new("bash").args(["-c", complete, "bash", text(&script)]));
    assert_eq!(ran.stdout, "profile\n", "{ran:?}");
    outcome(Command::new("bash").args(["-n", text(&script)])).succeeded();
}

#[test]
fn other_shells_have_their_scripts_and_unknown_ones_are_named() {
    let dir = folder();
    for (shell, said) in
        [("zsh", "#compdef leadline"), ("fish", "complete -c leadline"), ("elvish", "leadline")]
    {
        assert!(run(dir.path(), &["completions", shell]).succeeded().stdout.contains(said), "{shell}");
    }
    run(dir.path(), &["completions", "csh"]).refused(&["csh", "bash", "fish", "zsh"]);
    // A reader that goes away is not a failure.
    let unread = "set -o pipefail; \"$0\" completions zsh | :";
    outcome(Command::new("bash").args(["-c", unread, text(program())])).succeeded();
}
