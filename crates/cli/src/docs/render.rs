//! A page of Markdown as text for a terminal.

use std::mem;

use leadline_figures::{Column, Row, Table, Text};
use pulldown_cmark::{Alignment, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::pages::{Page, Pages};

/// Tables that are wider have an empty line between rows, since cells take several lines.
const WIDE_TABLE: usize = 100;

/// The text of a page. The name of the page follows a link to a page; a number follows any other link, and
/// the end of the text has its address.
pub(super) fn text(page: &Page, pages: &Pages) -> Text {
    let mut writer = Writer::new(page, pages);
    for event in Parser::new_ext(&page.text, Options::ENABLE_TABLES) {
        writer.event(event);
    }
    writer.flush();
    if writer.names_pages || !writer.addresses.is_empty() {
        writer.text.gap();
    }
    if writer.names_pages {
        writer.text.say("[NAME] is another page: leadline docs NAME");
    }
    for (number, address) in (1..).zip(mem::take(&mut writer.addresses)) {
        let line = format!("[{number}] {address}");
        writer.text.line(line);
    }
    writer.text
}

struct Writer<'a> {
    page: &'a Page,
    pages: &'a Pages,
    text: Text,
    /// Words of the paragraph, heading or cell that is being read.
    words: String,
    /// Blanks before the lines of each list that is being read.
    indents: Vec<usize>,
    /// Number of the next item of each list that has numbers.
    numbers: Vec<Option<u64>>,
    /// What stands before the first line of an item.
    marker: Option<String>,
    /// Where each link that is being read leads.
    links: Vec<String>,
    /// Code is kept as it is.
    in_code: bool,
    table: Table,
    names_pages: bool,
    /// Where links lead that do not lead to pages.
    addresses: Vec<String>,
}

impl<'a> Writer<'a> {
    fn new(page: &'a Page, pages: &'a Pages) -> Writer<'a> {
        Writer {
            page,
            pages,
            text: Text::new(),
            words: String::new(),
            indents: Vec::new(),
            numbers: Vec::new(),
            marker: None,
            links: Vec::new(),
            in_code: false,
            table: Table::default(),
            names_pages: false,
            addresses: Vec::new(),
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_code => {
                let indent = " ".repeat(self.indent());
                text.lines().for_each(|line| self.text.line(format!("{indent}{line}")));
            }
            Event::Text(text) => self.words.push_str(&text),
            Event::Code(code) => self.words.push_str(&format!("`{code}`")),
            Event::SoftBreak => self.words.push(' '),
            Event::HardBreak => self.flush(),
            Event::Rule => self.gap(),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Paragraph | Tag::Heading { .. } => self.gap(),
            Tag::CodeBlock(_) => {
                self.flush();
                self.gap();
                self.in_code = true;
            }
            Tag::List(first) => {
                self.flush();
                if self.indents.is_empty() {
                    self.gap();
                }
                self.numbers.push(first);
                let marker = if first.is_some() { 3 } else { 2 };
                self.indents.push(self.indent() + marker);
            }
            Tag::Item => {
                self.flush();
                self.marker = Some(match self.numbers.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                });
            }
            Tag::Table(alignments) => {
                self.gap();
                let column = |alignment: &Alignment| match alignment {
                    Alignment::Right => Column::numbers(""),
                    _ => Column::words(""),
                };
                self.table = Table { columns: alignments.iter().map(column).collect(), ..Table::default() };
            }
            Tag::TableHead | Tag::TableRow => self.table.rows.push(Row::default()),
            Tag::Link { dest_url, .. } => self.links.push(dest_url.into_string()),
            Tag::Image { .. } => self.words.push_str("(picture: "),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::Heading(level) => self.heading(level),
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::List(_) => {
                self.flush();
                self.indents.pop();
                self.numbers.pop();
            }
            TagEnd::TableCell => {
                let cell = mem::take(&mut self.words);
                if let Some(row) = self.table.rows.last_mut() {
                    row.cells.push(cell);
                }
            }
            TagEnd::TableHead => {
                let head = self.table.rows.pop().unwrap_or_default();
                for (column, name) in self.table.columns.iter_mut().zip(head.cells) {
                    column.name = name;
                }
            }
            TagEnd::Table => {
                let table = mem::take(&mut self.table);
                self.text.table(apart(table));
            }
            TagEnd::Link => {
                let to = self.links.pop().unwrap_or_default();
                self.leads_to(&to);
            }
            TagEnd::Image => self.words.push(')'),
            _ => {}
        }
    }

    /// Blanks before the lines of the list that is being read.
    fn indent(&self) -> usize {
        self.indents.last().copied().unwrap_or(0)
    }

    /// An empty line, except before the first block of the page or of an item.
    fn gap(&mut self) {
        if self.marker.is_none() && !self.text.parts.is_empty() {
            self.text.gap();
        }
    }

    /// Ends a paragraph.
    fn flush(&mut self) {
        let words = mem::take(&mut self.words);
        if words.trim().is_empty() {
            return;
        }
        let marker = self.marker.take().unwrap_or_default();
        let indent = self.indent();
        let first = indent.saturating_sub(marker.chars().count());
        self.text.set(format!("{marker}{}", words.trim()), [first, indent]);
    }

    fn heading(&mut self, level: HeadingLevel) {
        let words = mem::take(&mut self.words);
        let below = match level {
            HeadingLevel::H1 => "=",
            HeadingLevel::H2 => "-",
            _ => "",
        };
        let below = below.repeat(words.chars().count());
        self.text.line(words);
        if !below.is_empty() {
            self.text.line(below);
        }
    }

    /// What stands for an address: its number.
    fn numbered(&mut self, address: String) -> String {
        let known = self.addresses.iter().position(|known| *known == address);
        let at = known.unwrap_or_else(|| {
            self.addresses.push(address);
            self.addresses.len() - 1
        });
        format!("[{}]", at + 1)
    }

    /// Says where a link leads whose words were read.
    fn leads_to(&mut self, to: &str) {
        let path = to.split('#').next().unwrap_or_default();
        let said = if path.is_empty() || self.words.ends_with(to) {
            return;
        } else if path.contains("://") || path.starts_with("mailto:") {
            self.numbered(to.to_owned())
        } else {
            let file = from_docs(&self.page.name, path);
            let name = file.strip_suffix(".md").unwrap_or(&file);
            if self.pages.all().any(|page| page.name == name) {
                self.names_pages = true;
                format!("[{name}]")
            } else {
                self.numbered(source(env!("CARGO_PKG_REPOSITORY"), &in_repository(&file)))
            }
        };
        // The words of the link are the name of the page.
        let shown = format!("[{}]", self.words.rsplit([' ', '(']).next().unwrap_or_default());
        if said == shown.replace(".md]", "]") {
            let start = self.words.len() - (shown.len() - 2);
            self.words.truncate(start);
            self.words.push_str(&said);
        } else {
            self.words.push(' ');
            self.words.push_str(&said);
        }
    }
}

/// Where to find a file of the repository, whose address is empty until it has one.
fn source(repository: &str, file: &str) -> String {
    match repository {
        "" => format!("{file} of the source"),
        repository => format!("{repository}/blob/main/{file}"),
    }
}

/// Where a path of the page `name` leads, seen from `docs/`.
fn from_docs(name: &str, path: &str) -> String {
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The same, seen from the top of the repository.
fn in_repository(file: &str) -> String {
    file.strip_prefix("../").map_or_else(|| format!("docs/{file}"), str::to_owned)
}

/// With an empty line after each row where cells take several lines.
fn apart(mut table: Table) -> Table {
    let widest = |column: usize| {
        let cells = table.rows.iter().filter_map(|row| row.cells.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    if (0..table.columns.len()).map(widest).sum::<usize>() > WIDE_TABLE {
        let empty = Row { cells: vec![String::new(); table.columns.len()], ..Row::default() };
        table.rows = table.rows.into_iter().flat_map(|row| [row, empty.clone()]).collect();
        table.rows.pop();
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, markdown: &str) -> String {
        let pages = Pages::load().unwrap();
        let page = Page { name: name.to_owned(), title: String::new(), text: markdown.to_owned() };
        leadline_report::render_text(&text(&page, &pages), 60)
    }

    #[test]
    fn paragraphs_lists_code_and_headings_are_laid_out() {
        let page = "# A page\n\nSome *words* and **more** of them, in lines that are longer than the\n\
            terminal is wide.\n\n- an item\n  of two lines\n- another\n\n1. one\n2. two\n\n```\nls   -l\n```\n\n\
            ## Next\n<!-- a mark -->\n";
        let expected = "A page\n======\n\n\
            Some words and more of them, in lines that are longer than\nthe terminal is wide.\n\n\
            - an item of two lines\n- another\n\n1. one\n2. two\n\nls   -l\n\nNext\n----\n";
        assert_eq!(shown("burst", page), expected);
    }

    #[test]
    fn links_name_pages_and_addresses() {
        let page = "See [credit](../burst.md#limits), [lint.md](../lint.md), [here](#b), \
            [fio](https://example.com), [code](../../crates/pool), again [fio](https://example.com).\n";
        let expected = format!(
            "See credit [burst], [lint], here, fio [1], code [2], again\nfio [1].\n\n\
             [NAME] is another page: leadline docs NAME\n[1] https://example.com\n\
             [2] {}\n",
            source(env!("CARGO_PKG_REPOSITORY"), "crates/pool")
        );
        assert_eq!(shown("advise/linux", page), expected);
        assert_eq!(source("", "crates/pool"), "crates/pool of the source");
        assert_eq!(source("https://example.com", "Cargo.toml"), "https://example.com/blob/main/Cargo.toml");
    }

    #[test]
    fn a_table_fits_the_width() {
        let page = "| key | rule |\n| --- | --- |\n| `a` | short |\n| `b` | a rule that takes more than one \
            line of a terminal that is sixty columns wide |\n";
        let text = shown("burst", page);
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        let rows: Vec<&str> = text.lines().map(str::trim).collect();
        assert!(rows[0].starts_with("key") && rows[0].contains("rule"), "{text}");
        assert!(rows.iter().any(|row| row.starts_with("`a`") && row.ends_with("short")), "{text}");
    }

    #[test]
    fn every_page_is_shown_and_no_link_is_left_as_it_is_written() {
        let pages = Pages::load().unwrap();
        for page in pages.all() {
            let text = leadline_report::render_text(&text(page, &pages), 100);
            assert!(text.len() > 200, "{}", page.name);
            assert!(!text.contains("](") || page.text.contains("`[text]("), "{}: {text}", page.name);
        }
    }
}
