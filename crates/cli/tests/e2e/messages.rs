//! What is said on stderr: kinds of messages, their colours, and how far a command is.

use std::process::Command;

use leadline_testing::machine::skipped;

use crate::at_terminal::{Stream, at_terminal};
use crate::ran::{folder, outcome, program, run};

/// Variables that decide about colours.
const DECIDING: [&str; 5] = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "CI"];

/// `leadline` with these variables and no others that decide about colours.
fn leadline(arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program());
    for name in DECIDING {
        command.env_remove(name);
    }
    command.args(arguments).envs(variables.iter().copied());
    command
}

const RED: &str = "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m ";

#[test]
fn a_terminal_has_colours_unless_a_variable_says_otherwise() {
    let variables: [(&[(&str, &str)], bool); 7] = [
        (&[("TERM", "xterm")], true),
        (&[("TERM", "xterm"), ("NO_COLOR", "1")], false),
        (&[("TERM", "xterm"), ("NO_COLOR", "")], true),
        (&[("TERM", "dumb")], false),
        (&[], false),
        (&[("TERM", "xterm"), ("CLICOLOR", "0")], false),
        (&[("TERM", "xterm"), ("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], false),
    ];
    for (variables, coloured) in variables {
        let ran = at_terminal(100, leadline(&["report", "none.json"], variables), Stream::Errors);
        let Some((written, code)) = ran else {
            return skipped("no pseudo-terminals");
        };
        assert_eq!((code, written.lines().count()), (Some(2), 1), "{written}");
        let head = if coloured { RED } else { "error: " };
        assert!(written.starts_with(&format!("{head}none.json: ")), "{variables:?}: {written:?}");
    }
}

#[test]
fn what_is_no_terminal_has_none_unless_they_are_forced() {
    let dir = folder();
    let ran = run(dir.path(), &["report", "none.json"]);
    assert!(ran.stderr.starts_with("error: none.json: "), "{}", ran.stderr);
    let forced = outcome(&mut leadline(&["report", "none.json"], &[("CLICOLOR_FORCE", "1")]));
    assert!(forced.stderr.starts_with(&format!("{RED}none.json: ")), "{:?}", forced.stderr);
}

#[test]
fn kinds_of_messages_are_told_apart_and_progress_is_none_of_them() {
    let dir = folder();
    let ran = run(dir.path(), &["profile", "sim:flash", "--budget-seconds", "0.5", "-o", "p.json"]);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert!(lines[0].starts_with("note: sim:flash: "), "{lines:?}");
    assert!(
        ran.stdout.contains("leadline advise postgresql p.json"),
        "the screen names the file: {}",
        ran.stdout
    );
    let phases = &lines[1..];
    assert!(!phases.is_empty() && phases.iter().all(|line| line.ends_with(" ...") && !line.contains(':')));
    std::fs::write(dir.path().join("t.spc"), "0,1,4096,w,0.1\nno request\n0,9,4096,r,0.2\n").unwrap();
    let bad = run(dir.path(), &["trace", "replay", "t.spc", "sim:flash", "--json"]).succeeded();
    assert!(bad.stderr.contains("warning: skipped t.spc"), "{}", bad.stderr);
}

#[test]
fn on_a_terminal_a_bar_shows_how_far_it_is_and_is_gone_at_the_end() {
    let dir = folder();
    let file = dir.path().join("p.json");
    let profile = ["profile", "sim:flash", "--budget-seconds", "0.5", "-o", file.to_str().unwrap()];
    let with = |variables: &[(&str, &str)]| at_terminal(100, leadline(&profile, variables), Stream::Errors);
    let Some((bar, _)) = with(&[("TERM", "xterm"), ("NO_COLOR", "1")]) else {
        return skipped("no pseudo-terminals");
    };
    assert!(bar.contains("%  ETA") && !bar.contains(" ...\r\n"), "{bar:?}");
    let last = bar.trim_end().rsplit(['\n', '\r']).next().unwrap();
    assert!(!last.contains("ETA"), "the bar is gone: {last:?}");
    let (lines, _) = with(&[("TERM", "dumb")]).unwrap();
    assert!(lines.contains("measure ...\r\n") && !lines.contains("ETA"), "{lines:?}");
}

#[test]
fn quiet_leaves_errors_and_the_result_and_verbose_tells_steps() {
    let dir = folder();
    let profile = |more: &[&str]| {
        let base = ["profile", "sim:flash", "--budget-seconds", "0.5", "--seed", "1", "-o", "p.json"];
        run(dir.path(), &[&base[..], more].concat()).succeeded()
    };
    let usual = profile(&[]);
    for quiet in [&["-q"][..], &["--quiet"]] {
        let quiet = profile(quiet);
        assert_eq!((quiet.stderr.as_str(), quiet.stdout.is_empty()), ("", false));
    }
    let before = run(dir.path(), &["-q", "profile", "sim:flash", "--budget-seconds", "0.5", "--json"]);
    assert_eq!(before.succeeded().stderr, "", "before the command too");
    let failed = run(dir.path(), &["report", "none.json", "-q"]);
    assert!(failed.stderr.starts_with("error: none.json: "), "{}", failed.stderr);

    let steps = profile(&["-v"]).stderr;
    for said in [" s] writes -o p.json", " s] opened sim:flash: ", " s] measure: took ", " s] done"] {
        assert!(steps.contains(said), "no {said:?} in {steps}");
    }
    let told = |text: &str| text.lines().filter(|line| !line.starts_with('[')).map(str::to_owned).collect();
    let (with, without): (Vec<String>, Vec<String>) = (told(&steps), told(&usual.stderr));
    assert_eq!(with, without, "all else is said as usual");
    run(dir.path(), &["report", "p.json", "-q", "-v"]).refused(&["--quiet", "--verbose"]);
}
