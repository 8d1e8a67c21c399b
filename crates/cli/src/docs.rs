//! `leadline docs`: the pages of the documentation, which the program carries.

mod browser;
mod pager;
mod pages;
mod render;
mod search;

use std::fmt::Write as _;

use crate::failure::Failure;
use crate::output;
use pages::{Page, Pages};

/// Widest lines of text; tables take the whole terminal.
const WIDEST: usize = 100;

/// Read the documentation: list, show or search its pages
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline docs
  leadline docs burst
  leadline docs advise/postgresql > rules.txt
  # Pages that have all these words
  leadline docs --search burst credit

Without PAGE it lists the pages, and opens them in a browser where they are installed as a site: in \
../share/doc/leadline/html, seen from the program, or where LEADLINE_DOCS says. At a terminal a page is shown \
by $PAGER, or less.")]
pub(crate) struct Args {
    /// A page of the list, such as burst or advise/postgresql
    #[arg(value_name = "PAGE")]
    page: Option<String>,
    /// List the pages that have all these words, in any order, in upper or lower case
    #[arg(long, value_name = "WORDS", num_args = 1.., conflicts_with = "page")]
    search: Vec<String>,
    /// Print the page as it is written, in Markdown
    #[arg(long, requires = "page")]
    markdown: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let pages = Pages::load()?;
    match (&args.page, args.search.as_slice()) {
        (Some(name), _) => {
            let page = pages.named(name)?;
            if args.markdown {
                return output::print(&page.text);
            }
            pager::show(&shown(page, &pages, output::width().min(WIDEST)))
        }
        (None, words @ [_, ..]) => output::print(&search::found(&pages, words)?),
        (None, []) => {
            let site = browser::installed()?;
            let opens = site.is_some() && browser::can_be_opened();
            let list = list(&pages, site.as_deref().map(|site| site.display().to_string()), opens);
            match site.filter(|_| opens) {
                None => pager::show(&list),
                // No pager in front of the browser.
                Some(site) => output::print(&list).and_then(|()| browser::open(&site)),
            }
        }
    }
}

/// A page as text, `width` columns wide.
fn shown(page: &Page, pages: &Pages, width: usize) -> String {
    leadline_report::render_text(&render::text(page, pages), width)
}

/// All pages, by part.
fn list(pages: &Pages, site: Option<String>, opens: bool) -> String {
    let widest = pages.listed().map(|page| page.name.chars().count()).max().unwrap_or(0);
    let mut out = "leadline docs PAGE shows a page, leadline docs --search WORDS finds words\n".to_owned();
    for part in &pages.parts {
        // Writing to a string does not fail.
        let _ = writeln!(out, "\n{}", part.title);
        for page in &part.pages {
            let _ = writeln!(out, "  {:widest$}  {}", page.name, page.title);
        }
    }
    if let Some(site) = site {
        let how = if opens { ", opened now" } else { "" };
        let _ = writeln!(out, "\nThe same in HTML, with search{how}: {site}");
    }
    out
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _};

    use super::*;

    /// The help of all commands, one line each.
    fn screens(command: &Command, all: &mut Vec<(String, String)>) {
        let text = command.clone().render_long_help().to_string();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        all.push((command.get_name().to_owned(), text));
        command.get_subcommands().for_each(|inner| screens(inner, all));
    }

    #[test]
    fn help_names_pages_that_there_are_and_no_files_of_the_repository() {
        let pages = Pages::load().unwrap();
        let mut all = Vec::new();
        screens(&crate::Cli::command(), &mut all);
        let mut named = 0;
        for (command, text) in all.iter().filter(|(command, _)| command != "docs") {
            assert!(!text.contains("docs/"), "{command}: {text}");
            for (at, before) in text.match_indices("`leadline docs ") {
                let rest = &text[at + before.len()..];
                let name = &rest[..rest.find('`').unwrap_or(rest.len())];
                assert!(pages.all().any(|page| page.name == name), "{command}: leadline docs {name}");
                named += 1;
            }
        }
        assert!(named > 15, "{named} pages are named");
    }
}
