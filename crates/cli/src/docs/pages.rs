//! The pages that the program carries, in the order of `docs/SUMMARY.md`.

use std::collections::BTreeMap;
use std::io::Read as _;

use leadline_files::Decompressor;

use crate::failure::Failure;
use crate::usage::closest;

/// All pages of `docs/`, packed by `build.rs`.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/pages.gz"));

/// The table of contents.
const SUMMARY: &str = "SUMMARY.md";

/// The pages by part.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// What a site begins with, an index itself.
    landing: Option<Page>,
    /// Tutorials, how-to guides, and so on.
    pub(super) parts: Vec<Part>,
}

/// A part of the documentation.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) title: String,
    pub(super) pages: Vec<Page>,
}

/// A page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Page {
    /// Its file in `docs/`, without the ending: `advise/linux`.
    pub(super) name: String,
    /// What the table of contents calls it.
    pub(super) title: String,
    /// Markdown.
    pub(super) text: String,
}

impl Pages {
    /// Unpacks them.
    pub(super) fn load() -> Result<Pages, Failure> {
        let mut texts = unpacked().map_err(|error| Failure::Operation(format!("the pages: {error}")))?;
        let summary = texts.remove(SUMMARY).unwrap_or_default();
        let mut pages = Pages::default();
        for line in summary.lines() {
            if let Some(title) = line.strip_prefix("# ").filter(|title| *title != "Summary") {
                pages.parts.push(Part { title: title.to_owned(), pages: Vec::new() });
            } else if let Some((title, file)) = entry(line)
                && let Some(text) = texts.remove(file)
            {
                let name = file.trim_end_matches(".md").to_owned();
                let page = Page { name, title: title.replace('`', ""), text };
                match pages.parts.last_mut() {
                    Some(part) => part.pages.push(page),
                    None => pages.landing = Some(page),
                }
            }
        }
        Ok(pages)
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Page> {
        self.landing.iter().chain(self.listed())
    }

    /// Those of the parts.
    pub(super) fn listed(&self) -> impl Iterator<Item = &Page> {
        self.parts.iter().flat_map(|part| &part.pages)
    }

    /// The page of this name; `linux` is `advise/linux` and `cloud-volume` is `how-to-cloud-volume` if no
    /// other page ends so.
    pub(super) fn named(&self, name: &str) -> Result<&Page, Failure> {
        let wanted = name.strip_prefix("docs/").unwrap_or(name).trim_end_matches(".md").to_lowercase();
        if let Some(page) = self.all().find(|page| page.name.to_lowercase() == wanted) {
            return Ok(page);
        }
        match self.ending(&wanted)[..] {
            [page] => Ok(page),
            [] => Err(Failure::Input(self.unknown(name))),
            ref several => Err(Failure::Input(format!("{name}: is {}; name one of them", one_of(several)))),
        }
    }

    /// The pages whose names end so, behind a slash or a hyphen.
    fn ending(&self, end: &str) -> Vec<&Page> {
        let has = |page: &&Page| page.name.strip_suffix(end).is_some_and(|rest| rest.ends_with(['/', '-']));
        self.listed().filter(has).collect()
    }

    /// What is wrong with a name, and what may be meant.
    fn unknown(&self, name: &str) -> String {
        // A page is called by its whole name or by its end: `postgresql` is `advise/postgresql`.
        let names = self.listed().flat_map(|page| [Some(&*page.name), page.end()]).flatten();
        let close = closest(name, names).map(|close| match self.ending(close)[..] {
            [] => close.to_owned(),
            ref pages => one_of(pages),
        });
        let has = |page: &&Page| page.text.to_lowercase().contains(&name.to_lowercase());
        let search = match self.listed().filter(has).count() {
            0 => None,
            1 => Some(format!("one page has this word: leadline docs --search {name}")),
            n => Some(format!("{n} pages have this word: leadline docs --search {name}")),
        };
        let meant = match (close, search) {
            (Some(close), Some(search)) => format!("did you mean {close}? {search}"),
            (Some(close), None) => format!("did you mean {close}?"),
            (None, Some(search)) => search,
            (None, None) => "leadline docs lists all pages".to_owned(),
        };
        format!("{name}: there is no such page; {meant}")
    }
}

impl Page {
    /// What its name has behind a slash.
    fn end(&self) -> Option<&str> {
        self.name.rsplit_once('/').map(|(_, end)| end)
    }
}

/// `advise/linux or prove/linux`.
fn one_of(pages: &[&Page]) -> String {
    pages.iter().map(|page| &*page.name).collect::<Vec<_>>().join(" or ")
}

/// Title and file of a line of the table of contents; none of a heading, and of a file outside `docs/`.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once('[')?;
    let (title, rest) = rest.split_once("](")?;
    Some((title, rest.strip_suffix(')').filter(|file| file.ends_with(".md"))?))
}

/// Every page by its file in `docs/`.
fn unpacked() -> std::io::Result<BTreeMap<String, String>> {
    let mut text = String::new();
    Decompressor::new(PACKED)?.read_to_string(&mut text)?;
    let mut parts = text.split_terminator('\0').map(str::to_owned);
    Ok(std::iter::from_fn(|| Some((parts.next()?, parts.next()?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_in_the_table_of_contents_once() {
        let files: Vec<String> = unpacked().unwrap().into_keys().filter(|file| file != SUMMARY).collect();
        let mut listed: Vec<String> =
            Pages::load().unwrap().all().map(|page| format!("{}.md", page.name)).collect();
        listed.sort();
        assert!(files.len() > 90, "{} pages", files.len());
        for file in &files {
            assert!(listed.contains(file), "docs/{file} is not in docs/SUMMARY.md: add it to its part");
        }
        let summary = &unpacked().unwrap()[SUMMARY];
        let entries: Vec<&str> = summary.lines().filter_map(entry).map(|(_, file)| file).collect();
        for file in entries.iter().filter(|file| !file.starts_with("../")) {
            assert!(files.contains(&(*file).to_owned()), "docs/SUMMARY.md: {file} does not exist");
            assert_eq!(entries.iter().filter(|other| other == &file).count(), 1, "docs/SUMMARY.md: {file}");
        }
    }

    #[test]
    fn a_page_is_found_by_its_name_and_by_the_end_of_it_if_no_other_ends_so() {
        let pages = Pages::load().unwrap();
        for (name, found) in [
            ("burst", "burst"),
            ("docs/burst.md", "burst"),
            ("advise/linux", "advise/linux"),
            ("linux", "advise/linux"),
            ("readme", "README"),
        ] {
            assert_eq!(pages.named(name).unwrap().name, found);
        }
        for (name, said) in [
            (
                "postgresql",
                "postgresql: is how-to-tune-postgresql or advise/postgresql or prove/postgresql; name one",
            ),
            ("brust", "did you mean burst"),
            ("emulat", "did you mean emulate"),
            ("mariabd", "did you mean prove/mariadb?"),
            ("qqqqqq", "qqqqqq: there is no such page; leadline docs lists all pages"),
            ("stall", "pages have this word: leadline docs --search stall"),
        ] {
            let Err(Failure::Input(line)) = pages.named(name) else { panic!("{name}") };
            assert!(line.contains(said), "{line}");
        }
    }
}
