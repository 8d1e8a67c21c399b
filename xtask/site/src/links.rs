//! Links between files of the repository, turned into links of the site.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, bail};
use mdbook_driver::book::Book;
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

/// The place of each page of the book in the repository, and its place in the site: `docs/lint.md` is
/// `lint.md`, of which mdBook makes `lint.html`, and a README is the index of its directory.
pub(crate) fn places(book: &Book) -> Result<BTreeMap<PathBuf, PathBuf>> {
    let mut places = BTreeMap::new();
    for chapter in book.chapters() {
        let Some(source) = &chapter.source_path else { continue };
        let file = plain(&Path::new("docs").join(source));
        let mut place = file.strip_prefix("docs").unwrap_or(&file).to_owned();
        if place.ends_with("README.md") {
            place.set_file_name("index.md");
        }
        if let Some((other, _)) = places.iter().find(|(_, taken)| **taken == place) {
            let other: &PathBuf = other;
            bail!("docs/SUMMARY.md: {} and {} would be one page", other.display(), file.display());
        }
        places.insert(file, place);
    }
    Ok(places)
}

/// Puts every page in its place and lets its links lead there.
pub(crate) fn follow(
    book: &mut Book,
    places: &BTreeMap<PathBuf, PathBuf>,
    root: &Path,
    repository: Option<&str>,
) -> Result<()> {
    let mut problems = Vec::new();
    book.for_each_chapter_mut(|chapter| {
        let Some(source) = &chapter.source_path else { return };
        let file = plain(&Path::new("docs").join(source));
        let page = Page { file: &file, places, root, repository };
        chapter.content = page.followed(&chapter.content, &mut problems);
        chapter.path = places.get(&file).cloned();
    });
    if problems.is_empty() { Ok(()) } else { bail!("{}", problems.join("\n")) }
}

/// A page in the repository, and all that its links may lead to.
struct Page<'a> {
    file: &'a Path,
    places: &'a BTreeMap<PathBuf, PathBuf>,
    root: &'a Path,
    repository: Option<&'a str>,
}

impl Page<'_> {
    /// The text with links for the site; what is wrong with it is added to `problems`.
    fn followed(&self, text: &str, problems: &mut Vec<String>) -> String {
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            let line = text[..range.start].matches('\n').count() + 1;
            let mut problem = |what: String| problems.push(format!("{}:{line}: {what}", self.file.display()));
            match event {
                Event::Start(
                    Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. },
                ) => match self.followed_link(link_type, &dest_url) {
                    Ok(Leads::AsWritten) => {}
                    Ok(leads) => match text[range.clone()].rfind(&format!("]({dest_url}")) {
                        Some(at) => {
                            let words = range.start + text[range.clone()].find('[').unwrap_or(0) + 1;
                            let end = range.start + at;
                            changes.extend(leads.changes(
                                words..end,
                                end + 2 + dest_url.len(),
                                range.clone(),
                            ));
                        }
                        None => problem(format!("the link to {dest_url} is not written as [text](file)")),
                    },
                    Err(what) => problem(what),
                },
                // A browser would hide it.
                Event::Html(html) | Event::InlineHtml(html) if !html.trim_start().starts_with("<!--") => {
                    problem(format!("`{}` is HTML: put it between backquotes", html.trim()));
                }
                _ => {}
            }
        }
        let mut text = text.to_owned();
        changes.sort_by_key(|(range, _)| range.start);
        changes.into_iter().rev().for_each(|(range, to)| text.replace_range(range, &to));
        text
    }

    fn followed_link(&self, kind: LinkType, to: &str) -> Result<Leads, String> {
        let has_scheme = to.split_once(':').is_some_and(|(scheme, _)| !scheme.contains(['/', '#']));
        if has_scheme || to.starts_with('#') || matches!(kind, LinkType::Autolink | LinkType::Email) {
            return Ok(Leads::AsWritten);
        }
        let (path, anchor) = to.split_once('#').map_or((to, None), |(path, anchor)| (path, Some(anchor)));
        let directory = self.file.parent().unwrap_or(Path::new(""));
        let target = plain(&directory.join(path));
        if !self.root.join(&target).exists() {
            return Err(format!("a link leads to {to}, which does not exist"));
        }
        let readme = target.join("README.md");
        let place = self.places.get(&target).or_else(|| self.places.get(&readme));
        let anchor = anchor.map_or(String::new(), |anchor| format!("#{anchor}"));
        // Pictures are copied with the pages.
        let is_copied = self.root.join(&target).is_file() && target.extension().is_none_or(|end| end != "md");
        let copied = target.strip_prefix("docs").ok().filter(|_| is_copied);
        let own = self.places.get(self.file).and_then(|own| own.parent()).unwrap_or(Path::new(""));
        Ok(match (place.map(PathBuf::as_path).or(copied), self.repository) {
            (Some(place), _) => Leads::To(format!("{}{anchor}", relative(own, place).display())),
            (None, Some(repository)) => {
                let kind = if self.root.join(&target).is_dir() { "tree" } else { "blob" };
                Leads::To(format!("{repository}/{kind}/main/{}{anchor}", target.display()))
            }
            (None, None) => Leads::Nowhere,
        })
    }
}

/// Where a link leads in the site.
enum Leads {
    AsWritten,
    To(String),
    /// To a file that the site does not have: only the words stay.
    Nowhere,
}

impl Leads {
    /// What changes in the text of the link `all`, with its words and the end of its address.
    fn changes(
        self,
        words: Range<usize>,
        address_end: usize,
        all: Range<usize>,
    ) -> Vec<(Range<usize>, String)> {
        match self {
            Leads::AsWritten => Vec::new(),
            Leads::To(to) => vec![(words.end + 2..address_end, to)],
            Leads::Nowhere => {
                vec![(all.start..words.start, String::new()), (words.end..all.end, String::new())]
            }
        }
    }
}

/// A path without `.` and `..`, except `..` that leads above its beginning.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// The way from a directory to a file, both seen from the same place.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let common = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    up.chain(to.components().skip(common)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(text: &str) -> (String, Vec<String>) {
        followed_with(text, Some("https://example.org/r"))
    }

    fn followed_with(text: &str, repository: Option<&str>) -> (String, Vec<String>) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let places = [
            ("docs/advise/linux.md", "advise/linux.md"),
            ("docs/lint.md", "lint.md"),
            ("crates/pool/README.md", "crates/pool/index.md"),
        ];
        let places = places.map(|(file, place)| (file.into(), place.into())).into();
        let page = Page { file: Path::new("docs/advise/linux.md"), places: &places, root: &root, repository };
        let mut problems = Vec::new();
        (page.followed(text, &mut problems), problems)
    }

    #[test]
    fn links_lead_to_pages_or_else_to_the_repository() {
        for (link, to) in [
            ("../lint.md#auto", "../lint.md#auto"),
            ("linux.md", "linux.md"),
            ("#lint", "#lint"),
            ("https://example.com/a.md", "https://example.com/a.md"),
            ("../img/report.png", "../img/report.png"),
            ("../../crates/pool/README.md#x", "../crates/pool/index.md#x"),
            ("../../crates/pool", "../crates/pool/index.md"),
            ("../../crates/pool/src", "https://example.org/r/tree/main/crates/pool/src"),
            ("../../Cargo.toml", "https://example.org/r/blob/main/Cargo.toml"),
        ] {
            let text = |link| format!("A\n[link\nof two lines]({link}), `[code]({link})`\n");
            let expected = text(to).replace(&format!("`[code]({to})`"), &format!("`[code]({link})`"));
            assert_eq!(followed(&text(link)), (expected, Vec::new()));
        }
    }

    #[test]
    fn without_a_repository_the_words_of_a_link_to_its_files_stay() {
        let text =
            "[the `pool`](../../crates/pool/src), [rules](../lint.md), [of\ncargo](../../Cargo.toml).\n";
        let expected = "the `pool`, [rules](../lint.md), of\ncargo.\n";
        assert_eq!(followed_with(text, None), (expected.to_owned(), Vec::new()));
    }

    #[test]
    fn what_would_be_dead_or_hidden_is_told_with_its_line() {
        for (text, told) in [
            ("\n[a](../none.md)", "docs/advise/linux.md:2: a link leads to ../none.md, which does not exist"),
            ("[a][b]\n\n[b]: ../lint.md", "is not written as [text](file)"),
            ("a list<n> of", "`<n>` is HTML"),
        ] {
            let (_, problems) = followed(text);
            let [problem] = &problems[..] else { panic!("{text}: {problems:?}") };
            assert!(problem.contains(told), "{problem}");
        }
        assert_eq!(followed("<!-- a mark -->\n\ntext").1, Vec::<String>::new());
    }
}
