//! Words of help: one for each thing, in plain English.

use clap::{ArgAction, Command};

use super::{PLAIN, Screen, built, each, screens};

/// Words and phrases that help does not use.
const NOT_SAID: [&str; 32] = [
    "folder",
    "Folder",
    "FOLDER",
    "docs/",
    "\\\"",
    "that of",
    "those of",
    "those that",
    "those which",
    "so many",
    "the others",
    "it is so",
    "as such",
    "for long",
    " beside ",
    "Measure what",
    "Judge",
    "by a measured device",
    "can befall",
    "from now on\n",
    "whichever is more",
    "what came of",
    "goes into it",
    "stands in",
    "what is asked",
    "of which",
    "is told",
    "told by",
    "said of",
    "what was measured",
    "best used for",
    "what it would",
];

#[test]
fn help_is_in_plain_words() {
    for Screen { call, help } in screens(PLAIN) {
        let text = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for phrase in NOT_SAID {
            assert!(!text.contains(phrase), "{call} says {phrase:?}:\n{help}");
        }
    }
}

#[test]
fn the_page_is_report_the_result_is_output_and_the_document_is_json() {
    each(&built(PLAIN), &mut |call, command| {
        for (long, help) in options(command) {
            let is_page = help.contains("(HTML)");
            match long.as_str() {
                "report" => assert!(is_page, "{call} --report: {help}"),
                // The result of `leadline report` is a page.
                "output" => assert!(!is_page || call == "leadline report", "{call} --output: {help}"),
                "json" => assert!(help.contains("JSON document"), "{call} --json: {help}"),
                _ => assert!(!is_page, "{call} --{long} is a page: {help}"),
            }
        }
        let output = command.get_arguments().find(|arg| arg.get_long() == Some("output"));
        assert!(output.is_none_or(|arg| arg.get_short() == Some('o')), "{call}: -o");
    });
}

#[test]
fn every_option_says_what_it_does_and_what_happens_without_it() {
    each(&built(PLAIN), &mut |call, command| {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let name = arg.get_id();
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!help.is_empty() && !help.ends_with('.'), "{call} {name}: {help}");
            let first = help.chars().next().unwrap();
            let is_name = help.starts_with("gen:") || help.starts_with("p99");
            assert!(first.is_uppercase() || is_name, "{call} {name}: {help}");
        }
    });
}

#[test]
fn names_of_earlier_versions_are_taken_and_not_shown() {
    for line in [
        "predict p --reads 1 --block 4K",
        "place t --fast sim:flash --slow sim:sata --block 4K -o p.html",
        "graph import e s --block 4K",
        "graph bfs s --source 1 --depth 4",
        "profile . --block-sizes 4K",
        "trace info t --page-bytes 4K -o p.html",
        "trace replay t sim:flash --page-bytes 4K --output p.html",
        "trace convert a b --from msr --page-bytes 4K",
        "trace generate gen:zipf --page-bytes 4K",
        "pool simulate t --cache-bytes 1G -o p.html",
        "pool simulate t --frames 1 --page-bytes 4K --output p.html",
        "pool replay t . --frames 1 --page-bytes 4K",
        "models p -o p.html",
        "btree advise p --data 1G --key 8 --value 8 --mix point=100 --range-bytes 4K",
        "lsm advise p --data 1G --key 8 --value 8 --mix point=100",
        "lsm predict p --data 1G --key 8 --value 8 --options o --cache 1G",
        "lsm validate p . --scale 1G --repeats 1 --duration 1 --options o --cache 1G",
        "emulate sim:flash --backing a --mount b --cache 1G --timing-processor 1 --report r.json",
        "emulate ctl m power-cut --enumerate d --most 3",
        "experiment burst . --budget-seconds 3",
    ] {
        let words = std::iter::once("leadline").chain(line.split(' '));
        let matches = built(PLAIN).try_get_matches_from(words);
        assert!(matches.is_ok(), "{line}: {}", matches.unwrap_err());
    }
    for Screen { call, help } in screens(PLAIN) {
        assert!(!help.contains("[alias"), "{call}: {help}");
    }
}

/// Options that are shown, with their help.
fn options(command: &Command) -> Vec<(String, String)> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let shown = shown.filter(|arg| !matches!(arg.get_action(), ArgAction::Help | ArgAction::Version));
    let named = shown.filter_map(|arg| Some((arg.get_long()?.to_owned(), arg.get_help()?.to_string())));
    named.collect()
}
