//! `leadline index verify`: whether an index is whole.

use leadline_graph::output::grouped;
use leadline_measure::Progress;
use serde::Serialize;

use super::opening::WholeArgs;
use crate::failure::Failure;
use crate::graph::rows;
use crate::output;
use crate::progress::Display;

/// Check every page of an index, and name what is damaged
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline index verify words.index && echo sound

Names each damaged page and the keys that cannot be read because of it; the rest can be read. The exit code \
is 1 if anything is damaged.")]
pub(super) struct Args {
    #[command(flatten)]
    whole: WholeArgs,
}

#[derive(Serialize)]
struct Found {
    index: String,
    sound: bool,
    pages: u64,
    entries: u64,
    problems: Vec<Problem>,
}

#[derive(Serialize)]
struct Problem {
    page: u64,
    what: String,
}

pub(super) fn run(Args { whole: args }: &Args) -> Result<(), Failure> {
    let index = args.open.read(&args.folder)?;
    let mut display = Display::new();
    let verified = index.verify(|done, total| {
        let detail = format!("{} of {} pages", grouped(done), grouped(total));
        display.show(&Progress { phase: "verify", done: done as f64 / total.max(1) as f64, detail });
    });
    display.finish();
    let sound = verified.problems.is_empty();
    let problems = verified.problems.into_iter().map(|one| Problem { page: one.page, what: one.what });
    let found = Found {
        index: args.folder.display().to_string(),
        sound,
        pages: verified.pages,
        entries: verified.entries,
        problems: problems.collect(),
    };
    match args.json {
        true => output::print_json(&found)?,
        false => print(&found)?,
    }
    match found.problems.len() as u64 {
        0 => Ok(()),
        count => Err(Failure::Misfit(format!(
            "{}: is damaged in {}; what is not named can be read (leadline index scan --from --to)",
            found.index,
            places(count)
        ))),
    }
}

fn places(count: u64) -> String {
    if count == 1 { "1 place".to_owned() } else { format!("{} places", grouped(count)) }
}

fn print(found: &Found) -> Result<(), Failure> {
    let lines: String =
        found.problems.iter().map(|one| format!("page {}: {}\n", one.page, one.what)).collect();
    output::print(&lines)?;
    let state = if found.problems.is_empty() { "is sound" } else { "is damaged" };
    output::print_text(&rows(&[
        ("index", format!("{} {state}", found.index)),
        ("pages", grouped(found.pages)),
        ("entries", grouped(found.entries)),
    ]))
}
