//! `leadline` at a terminal of some width, as a shell starts it: COLUMNS is not exported.

use std::fs::File;
use std::io::Read as _;
use std::process::{Command, Stdio};

use leadline_testing::machine::skipped;
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::ran::{folder, program, run};

/// What `leadline` writes to a terminal of this width, with these variables in its environment.
///
/// `None` where the system has no pseudo-terminals.
pub(crate) fn written_at(columns: u16, arguments: &[&str], said: &[(&str, &str)]) -> Option<String> {
    let mut command = Command::new(program());
    command.args(arguments).env_remove("COLUMNS").env("NO_COLOR", "1");
    command.envs(said.iter().copied());
    let (written, code) = at_terminal(columns, command, Stream::Out)?;
    assert_eq!(code, Some(0), "{written}");
    Some(written)
}

/// Which of its outputs leads to the terminal; the other one leads nowhere.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Stream {
    Out,
    Errors,
}

/// What a command writes to a terminal of this width, and its exit code.
///
/// `None` where the system has no pseudo-terminals.
pub(crate) fn at_terminal(
    columns: u16,
    mut command: Command,
    stream: Stream,
) -> Option<(String, Option<i32>)> {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).ok()?;
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let shell = open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    tcsetwinsize(&shell, Winsize { ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match stream {
        Stream::Out => command.stdout(Stdio::from(shell)),
        Stream::Errors => command.stderr(Stdio::from(shell)),
    };
    let mut child = command.spawn().unwrap();
    // The last descriptor of the other side is the child's: what is read ends with it.
    drop(command);
    let mut written = Vec::new();
    let mut terminal = File::from(terminal);
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = terminal.read(&mut piece) {
        written.extend_from_slice(&piece[..count]);
    }
    Some((String::from_utf8(written).unwrap(), child.wait().unwrap().code()))
}

/// Of the widest line; commands to paste are not broken.
fn widest(text: &str) -> usize {
    let is_pasted = |line: &&str| ["Next: ", "More: ", "Page: "].iter().any(|start| line.starts_with(start));
    text.lines()
        .filter(|line| !is_pasted(line))
        .map(|line| line.trim_end().chars().count())
        .max()
        .unwrap_or(0)
}

#[test]
fn a_summary_is_as_wide_as_the_terminal_unless_columns_says_otherwise() {
    let dir = folder();
    let file = dir.path().join("p.json");
    let profile = ["profile", "sim:flash", "--budget-seconds", "0.5", "-o", file.to_str().unwrap()];
    let Some(narrow) = written_at(70, &profile, &[]) else {
        return skipped("no pseudo-terminals");
    };
    assert!(widest(&narrow) <= 70, "{narrow}");
    let details = [&profile[..], &["--details"]].concat();
    let wide = written_at(150, &details, &[]).unwrap();
    assert!((81..=150).contains(&widest(&wide)), "{}\n{wide}", widest(&wide));
    assert!(
        widest(&written_at(150, &details, &[("COLUMNS", "80")]).unwrap()) <= 80,
        "COLUMNS is heard first"
    );
}

#[test]
fn help_is_as_wide_as_the_terminal_up_to_a_hundred_columns() {
    for command in [&["--help"][..], &["profile", "--help"], &["graph", "--help"]] {
        let Some(narrow) = written_at(70, command, &[]) else {
            return skipped("no pseudo-terminals");
        };
        // Examples have lines of their own, and 80 columns at most.
        let text = narrow.split("Examples:").next().unwrap();
        assert!(widest(text) <= 70, "{narrow}");
        let wide = written_at(150, command, &[]).unwrap();
        assert!(widest(&wide) <= 100, "{wide}");
        let piped = run(folder().path(), command).succeeded().stdout;
        assert!(widest(&piped) <= 80, "{piped}");
    }
    let wide = written_at(150, &["profile", "--help"], &[]).unwrap();
    assert!(widest(&wide) > 80, "{wide}");
}
