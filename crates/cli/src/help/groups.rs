//! Which commands are listed together: clap lists all of them under one heading.

use clap::Command;

/// Commands that are listed under one heading.
pub(super) struct Group {
    pub(super) title: &'static str,
    pub(super) commands: &'static [&'static str],
}

/// All commands but `help`, in the order of the first screen. A new command gets its place here.
pub(super) const COMMANDS: [Group; 7] = [
    Group { title: "Measure", commands: &["profile", "experiment", "report", "devices"] },
    Group {
        title: "Decide",
        commands: &["advise", "lint", "prove", "predict", "models", "btree", "lsm", "place"],
    },
    Group { title: "Simulate and emulate", commands: &["emulate", "calibrate", "pool"] },
    Group { title: "Graphs", commands: &["graph"] },
    Group { title: "Keys and values", commands: &["index"] },
    Group { title: "Files", commands: &["trace"] },
    Group { title: "More", commands: &["docs", "completions", "man"] },
];

/// All commands of `leadline graph` but `help`.
pub(super) const OF_GRAPHS: [Group; 4] = [
    Group { title: "Stores", commands: &["import", "export", "update", "compact", "info", "verify"] },
    Group { title: "Queries", commands: &["neighbors", "ego", "subgraph"] },
    Group {
        title: "Algorithms",
        commands: &[
            "bfs",
            "wcc",
            "scc",
            "pagerank",
            "sssp",
            "cdlp",
            "lcc",
            "louvain",
            "leiden",
            "triangles",
            "kcore",
            "similarity",
            "dfs",
            "walk",
        ],
    },
    Group { title: "Checks", commands: &["validate"] },
];

/// `command` with its commands listed in these groups instead of under one heading, in `width` columns.
pub(super) fn listed(command: Command, groups: &[Group], width: usize) -> Command {
    let heading = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let names = groups.iter().flat_map(|group| group.commands);
    let widest = names.map(|name| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Group { title, commands } in groups {
        text += &format!("{heading}{title}:{heading:#}\n");
        for name in *commands {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let gap = " ".repeat(widest - name.len() + 2);
            text += &format!("  {literal}{name}{literal:#}{gap}{}\n", wrapped(&about, widest + 4, width));
        }
        text.push('\n');
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}{heading}Options:{heading:#}\n\
         {{options}}{{after-help}}"
    ))
}

/// `text`, which begins at column `indent`, broken at spaces.
fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let (mut lines, mut at) = (String::new(), indent);
    for word in text.split(' ') {
        let length = word.chars().count();
        if at > indent && at + 1 + length > width {
            lines += &format!("\n{}", " ".repeat(indent));
            at = indent;
        } else if at > indent {
            lines.push(' ');
            at += 1;
        }
        lines += word;
        at += length;
    }
    lines
}
