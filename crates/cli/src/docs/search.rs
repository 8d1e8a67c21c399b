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
    /// Lines that have all words; where there are none, lines that have one of them.
    lines: Vec<String>,
    /// Whether the lines have all words.
    together: bool,
}

/// Words, each of which is to be there, in any order.
struct Wanted(Vec<String>);

impl Wanted {
    fn new(words: &[String]) -> Wanted {
        Wanted(words.iter().flat_map(|text| text.split_whitespace()).map(str::to_lowercase).collect())
    }

    fn all_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.0.iter().all(|word| at_a_beginning(&text, word).is_some())
    }

    fn any_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.0.iter().any(|word| at_a_beginning(&text, word).is_some())
    }
}

/// Where `word` begins a word of `text`, in bytes: `stall` is found in "stalls", `t3` not in "fusermount3".
fn at_a_beginning(text: &str, word: &str) -> Option<usize> {
    let mut places = text.match_indices(word).map(|(at, _)| at);
    places.find(|&at| !text[..at].ends_with(char::is_alphanumeric))
}

/// The pages that have all `words`: first those with all of them in the title, then in one line or paragraph.
pub(super) fn found(pages: &Pages, words: &[String]) -> Result<String, Failure> {
    let wanted = Wanted::new(words);
    if wanted.0.is_empty() {
        return Err(Failure::Input("--search: no word is given".to_owned()));
    }
    let has_all = |page: &&Page| wanted.all_in(&format!("{} {}", page.title, page.text));
    let mut found: Vec<Found> =
        pages.listed().filter(has_all).map(|page| Found::of(page, pages, &wanted)).collect();
    if found.is_empty() {
        let words = words.join(" ");
        return Err(Failure::Operation(format!("no page has \"{words}\"; leadline docs lists all pages")));
    }
    found.sort_by_key(|found| (!found.in_title, !found.together, std::cmp::Reverse(found.lines.len())));
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
    fn of<'a>(page: &'a Page, pages: &Pages, wanted: &Wanted) -> Found<'a> {
        let text = shown(page, pages, IN_ONE_LINE);
        // The heading says what the title does.
        let lines = text.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        let some: Vec<String> = lines.filter(|line| wanted.any_in(line)).collect();
        let all: Vec<String> = some.iter().filter(|line| wanted.all_in(line)).cloned().collect();
        let together = !all.is_empty();
        let lines = if together { all } else { some };
        Found { page, in_title: wanted.all_in(&page.title), lines, together }
    }
}

/// What stands around the first of the words in a line, at most `width` columns of it.
fn around(line: &str, wanted: &Wanted, width: usize) -> String {
    let characters: Vec<char> = line.chars().collect();
    if characters.len() <= width {
        return line.to_owned();
    }
    // Of the same length in characters as the line.
    let lower: String = characters.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let first = wanted.0.iter().filter_map(|word| Some((at_a_beginning(&lower, word)?, word))).min();
    let (at, length) = first.map_or((0, 0), |(at, word)| (lower[..at].chars().count(), word.chars().count()));
    let room = width - 2 * CUT.chars().count();
    let mut start = at.saturating_sub(room.saturating_sub(length) / 2).min(characters.len() - room);
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

    fn wanted(words: &str) -> Wanted {
        Wanted::new(&[words.to_owned()])
    }

    #[test]
    fn what_is_shown_of_a_long_line_has_the_first_word_and_fits() {
        let words: Vec<String> = (0..60).map(|n| format!("w{n}x")).collect();
        let line = words.join(" ");
        for word in ["w0x", "w1x", "w30x", "w59x"] {
            let shown = around(&line, &wanted(word), 40);
            assert!(shown.contains(word) && shown.chars().count() <= 40, "{word}: {shown}");
            assert_eq!(shown.starts_with(CUT), !["w0x", "w1x"].contains(&word), "{shown}");
            assert_eq!(shown.ends_with(CUT), word != "w59x", "{shown}");
        }
        assert_eq!(around("short", &wanted("short"), 40), "short");
    }

    #[test]
    fn words_are_found_in_any_order_and_case_at_the_beginning_of_words() {
        let pages = Pages::load().unwrap();
        let search =
            |words: &[&str]| found(&pages, &words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        for words in [&["Burst  CREDIT"][..], &["credit", "burst"], &["stall"], &["cloud"]] {
            let text = search(words).unwrap();
            assert!(text.lines().any(|line| line.starts_with("burst: ")), "{words:?}: {text}");
        }
        let text = search(&["slow", "after"]).unwrap();
        assert!(text.lines().next().unwrap().starts_with("how-to-cloud-volume: "), "{text}");
        assert_eq!(at_a_beginning("ctrl-c fusermount3", "t3"), None);
        assert!(matches!(search(&["zebra"]), Err(Failure::Operation(_))));
        assert!(matches!(search(&[" "]), Err(Failure::Input(_))));
    }
}
