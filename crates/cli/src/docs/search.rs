//! Words in all pages.

use std::fmt::Write as _;

use super::pages::{Page, Pages};
use super::shown;
use crate::failure::Failure;
use crate::output;

/// Lines of a page that are shown.
const SHOWN: usize = 3;

/// Wider than any paragraph: each is one line, and so is each row of a table.
const IN_ONE_LINE: usize = 60_000;

/// Columns before a line.
const MARGIN: usize = 4;

/// Stands where a line was cut.
const CUT: &str = "...";

/// A page that has the words.
struct Found<'a> {
    page: &'a Page,
    /// The title has them.
    in_title: bool,
    lines: Vec<String>,
}

/// The pages that have `words`, those with most of them first, and some of their lines.
pub(super) fn found(pages: &Pages, words: &str) -> Result<String, Failure> {
    let wanted = words.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let Some(first) = wanted.split(' ').next().filter(|first| !first.is_empty()) else {
        return Err(Failure::Input("--search: no word is given".to_owned()));
    };
    let mut found: Vec<Found> = pages
        .listed()
        .filter(|page| page.text.to_lowercase().contains(first))
        .map(|page| Found::of(page, pages, &wanted))
        .filter(|found| found.in_title || !found.lines.is_empty())
        .collect();
    if found.is_empty() {
        return Err(Failure::Operation(format!("no page has \"{words}\"; leadline docs lists all pages")));
    }
    found.sort_by_key(|found| (!found.in_title, std::cmp::Reverse(found.lines.len())));
    let mut out = String::new();
    for Found { page, lines, .. } in found {
        // Writing to a string does not fail.
        let _ = writeln!(out, "{}: {}", page.name, page.title);
        for line in lines.iter().take(SHOWN) {
            let _ = writeln!(out, "{:MARGIN$}{}", "", around(line, &wanted, output::width() - MARGIN));
        }
        if lines.len() > SHOWN {
            let _ = writeln!(out, "{:MARGIN$}and {} more", "", lines.len() - SHOWN);
        }
    }
    Ok(out)
}

impl Found<'_> {
    fn of<'a>(page: &'a Page, pages: &Pages, wanted: &str) -> Found<'a> {
        let text = shown(page, pages, IN_ONE_LINE);
        let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        // The heading says what the title does.
        let lines = lines.skip(1).filter(|line| line.to_lowercase().contains(wanted)).collect();
        Found { page, in_title: page.title.to_lowercase().contains(wanted), lines }
    }
}

/// What stands around the words in a line, at most `width` columns of it.
fn around(line: &str, wanted: &str, width: usize) -> String {
    let characters: Vec<char> = line.chars().collect();
    if characters.len() <= width {
        return line.to_owned();
    }
    let lower: Vec<char> = characters.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let wanted: Vec<char> = wanted.chars().collect();
    let at = lower.windows(wanted.len()).position(|part| part == wanted).unwrap_or(0);
    let room = width - 2 * CUT.chars().count();
    let mut start = at.saturating_sub(room.saturating_sub(wanted.len()) / 2).min(characters.len() - room);
    let end = start + room;
    // No half word before the words.
    if start > 0 {
        start += characters[start..at].iter().position(|c| *c == ' ').map_or(0, |blank| blank + 1);
    }
    let text: String = characters[start..end].iter().collect();
    let before = if start > 0 { CUT } else { "" };
    let after = if end < characters.len() { CUT } else { "" };
    format!("{before}{}{after}", text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_a_long_line_has_the_words_and_fits() {
        let words: Vec<String> = (0..60).map(|n| format!("w{n}")).collect();
        let line = words.join(" ");
        for wanted in ["w0", "w1 w2", "w30", "w58 w59"] {
            let shown = around(&line, wanted, 40);
            assert!(shown.contains(wanted) && shown.chars().count() <= 40, "{wanted}: {shown}");
            assert_eq!(shown.starts_with(CUT), !["w0", "w1 w2"].contains(&wanted), "{shown}");
            assert_eq!(shown.ends_with(CUT), wanted != "w58 w59", "{shown}");
        }
        assert_eq!(around("short", "short", 40), "short");
    }

    #[test]
    fn words_are_found_across_lines_of_a_paragraph_and_in_any_case() {
        let pages = Pages::load().unwrap();
        let text = found(&pages, "Burst  CREDIT").unwrap();
        assert!(text.starts_with("burst"), "{text}");
        for word in ["stall", "cloud"] {
            let text = found(&pages, word).unwrap();
            assert!(text.lines().any(|line| line.starts_with("burst: ")), "{text}");
        }
        assert!(matches!(found(&pages, "no such words"), Err(Failure::Operation(_))));
        assert!(matches!(found(&pages, " "), Err(Failure::Input(_))));
    }
}
