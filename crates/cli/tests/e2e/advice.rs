//! What failures and help advise: an option that the command has.
//!
//! The line of every failure that any of these tests brings about is checked so, too.

use std::collections::BTreeSet;
use std::process::Command;

use crate::advised::checked;
use crate::ran::{folder, program, run};

#[test]
fn a_store_is_changed_without_advice_that_the_command_does_not_take() {
    let dir = folder();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("w.wel", "1 2 0.5\n2 3 1\n");
    write("e.el", "1 2\n");
    write("names.el", "a b\n");
    write("numbers.u32", "12345678");
    write("s.csv", "a,b\nc,d\n");
    run(dir.path(), &["graph", "import", "w.wel", "weighted", "--weights"]).succeeded();
    run(dir.path(), &["graph", "import", "s.csv", "strings", "--header", "no"]).succeeded();
    for (words, said) in [
        (["weighted", "e.el"], "e.el: has no weights, and the edges of the store have"),
        (["weighted", "names.el"], "names.el: has no weights"),
        (["strings", "numbers.u32"], "ids must be of the store's kind"),
    ] {
        let ran = run(dir.path(), &["graph", "update", words[0], words[1]]);
        ran.refused(&[said]);
        assert!(!ran.stderr.contains("--weights") && !ran.stderr.contains("--ids"), "{}", ran.stderr);
    }
    run(dir.path(), &["graph", "import", "e.el", "plain"]).succeeded();
    run(dir.path(), &["graph", "update", "plain", "names.el", "--format", "el"])
        .refused(&["expected a source id, found \"a\"", "; ids must be of the store's kind"]);
    run(dir.path(), &["graph", "sssp", "plain", "--source", "1"])
        .refused(&["leadline graph import --weights"]);
    run(dir.path(), &["graph", "scc", "plain"]).refused(&["leadline graph import --reverse"]);
}

#[test]
fn no_command_names_an_option_in_its_help_that_it_does_not_have() {
    let all: serde_json::Value = serde_json::from_str(&leadline_cli::described(false)).unwrap();
    let paths = all["commands"].as_array().unwrap().iter().map(|command| command["path"].as_str().unwrap());
    let words = |path: &str| path.split(' ').map(str::to_owned).collect::<Vec<String>>();
    // With the commands that only have others below them.
    let calls: BTreeSet<Vec<String>> =
        paths.map(words).flat_map(|path| (0..=path.len()).map(move |end| path[..end].to_vec())).collect();
    for words in &calls {
        let shown = Command::new(program()).args(words).arg("--help").output().unwrap();
        let help = String::from_utf8(shown.stdout).unwrap();
        // What stands behind the name of a command is about that one.
        let mut about = words.clone();
        for line in help.lines() {
            let name = line.strip_prefix("  ").filter(|rest| !rest.starts_with([' ', '-']));
            let below = name.and_then(|rest| rest.split_whitespace().next());
            let below = below.map(|name| [&words[..], &[name.to_owned()]].concat());
            match below.filter(|below| calls.contains(below)) {
                Some(below) => about = below,
                None if line.is_empty() => about.clone_from(words),
                None => {}
            }
            // What stands behind -- is another program's.
            checked(&about, line.replace('`', "").split(" -- ").next().unwrap());
        }
    }
    assert!(calls.len() >= 58, "{} screens", calls.len());
}
