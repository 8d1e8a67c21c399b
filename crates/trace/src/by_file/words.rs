//! What a trace asked of each of its files, in words: for a terminal, and for a page.

use leadline_figures::chart::{Panel, Scale, Series};
use leadline_figures::number::{block, bytes, exact, known, micros, seconds, share};
use leadline_figures::{Axis, Block, Chart, Colour, Column, Page, Table, Text};

use super::{ByFile, Class, FileUsage, Usage};
use crate::info::warning;

/// Files that a terminal shows one by one.
const MOST_LINES: usize = 30;

/// A name has at most that many characters in a terminal, its last ones.
const LONGEST_NAME: usize = 36;

/// Files that a page shows one by one; a line takes about 500 bytes.
const MOST_ROWS: usize = 2000;

/// Files that the chart shows.
const MOST_BARS: usize = 24;

/// A name below a bar has at most that many characters.
const LONGEST_BAR: usize = 28;

impl ByFile {
    /// What was asked of each file, for a terminal.
    pub fn text(&self) -> Text {
        let mut text = Text::new();
        text.say(format!("{}, by file", self.trace));
        text.say_all(self.unnamed());
        text.gap();
        text.table(Table::of_facts(self.facts()));
        if !self.files.is_empty() {
            text.gap();
            text.table(self.table(MOST_LINES, |name| ending(name, LONGEST_NAME)));
        }
        if let Some(more @ 1..) = self.files.len().checked_sub(MOST_LINES) {
            text.say(format!("and {more} more files; --json has all of them"));
        }
        text
    }

    /// A page: what was asked of each file, in sequence or at random, how often again, and for how long.
    pub fn page(&self) -> Page {
        let (pages, extents) = (block(self.page_bytes), bytes(self.extent_bytes));
        let mut page = Page {
            brand: "leadline trace info --by file",
            title: format!("{}, by file", self.trace),
            heading: self.trace.clone(),
            sub: vec![format!("in pages of {pages} and extents of {extents}")],
            ..Page::default()
        };
        let unnamed = self.unnamed().map(|words| Block::Warning { words: words.to_owned(), bad: false });
        page.section("", warning(&self.bad_lines).into_iter().chain(unnamed).collect());
        page.section(
            "means",
            vec![Block::heading("What it means"), self.tiles(), Block::facts(self.facts())],
        );
        if let Some(chart) = self.chart() {
            let hint = "The files with the most bytes. Sequential: in runs of whole extents.";
            let chart = Block::chart("Accesses to pages by file", hint, chart);
            page.section("curves", vec![Block::heading("Files"), Block::Charts { choices: false }, chart]);
        }
        let mut numbers = vec![Block::heading("Numbers"), Block::table(self.table(MOST_ROWS, str::to_owned))];
        if let Some(more @ 1..) = self.files.len().checked_sub(MOST_ROWS) {
            numbers.push(Block::quiet(format!("And {more} more files; --json has all of them.")));
        }
        numbers.push(Block::quiet("Definitions: leadline docs traces."));
        page.section("numbers", numbers);
        page
    }

    /// A line for each of the first files, and one for all.
    fn table(&self, most: usize, name: impl Fn(&str) -> String) -> Table {
        // Where there is little room, what is left out first is what the other columns nearly say.
        let columns = [
            ("file", "File", 0),
            ("requests", "Requests", 90),
            ("read", "Read", 0),
            ("random", "of it at random", 0),
            ("written", "Written", 90),
            ("random", "of it at random", 116),
            ("footprint", "Footprint", 0),
            ("rate", "Accesses per page", 0),
            ("I/O time", "I/O time", 90),
            ("class", "Class", 116),
        ];
        let column = |(short, long, from)| Column::numbers(short).long(long).from_width(from);
        let mut table = Table { columns: columns.map(column).to_vec(), ..Table::default() }.words(0);
        for file in self.files.iter().take(most) {
            table.row(cells(name(&file.name), &file.usage));
        }
        table.row(cells("all".to_owned(), &self.all));
        table
    }

    fn tiles(&self) -> Block {
        let all = &self.all;
        Block::tiles([
            (known(all.class.map(|class| class.name().to_owned())), "how it reads"),
            (known(all.random_read_share.map(share)), "of the pages read at random"),
            (known(all.repeat_access_rate.map(|rate| format!("{rate:.2}"))), "accesses per page"),
            (bytes(all.footprint_bytes), "footprint: distinct pages"),
            (known(all.io_seconds.map(time)), "with requests in flight"),
            (known(self.computing_seconds.map(time)), "computing"),
        ])
    }

    /// Accesses to pages, one bar a file; nothing without one.
    fn chart(&self) -> Option<Chart> {
        let files: Vec<&FileUsage> =
            self.files.iter().take(MOST_BARS).filter(|file| file.usage.page_accesses > 0).collect();
        let part = |label, colour, of: fn(&Usage) -> u64| {
            let rows = files.iter().enumerate();
            let rows = rows.map(|(i, file)| (i, of(&file.usage), file.name.clone()));
            let series = Series::line(label, Colour::Named(colour), 0.0, rows);
            Series { bars: true, ..series }.tip("{1|whole}").in_legend()
        };
        let names = files.iter().map(|file| (0.0, ending(&file.name, LONGEST_BAR))).collect();
        let panel = Panel {
            x: Axis { scale: Scale::Bars, name: "file".to_owned(), ticks: names, ..Axis::default() },
            y: Axis::from_zero("", 0, "count"),
            series: vec![
                part("sequential reads", "alpha", |usage| usage.sequential_page_reads),
                part("random reads", "read", |usage| usage.random_page_reads),
                part("writes", "write", |usage| usage.page_writes),
            ],
            along: true,
            head: "{2}".to_owned(),
            ..Panel::default()
        };
        (!files.is_empty()).then(|| Chart::new("f-pages", panel.with_legend()))
    }

    /// What there is to say of all files together, in order.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let all = &self.all;
        let (reads, writes) = (exact(all.reads as f64), exact(all.writes as f64));
        let syncs = match all.syncs {
            0 => String::new(),
            syncs => format!(", {} syncs", exact(syncs as f64)),
        };
        let told = self.format.iter().map(|told| ("format", told.words()));
        let mut facts: Vec<(&'static str, String)> = told.collect();
        facts.extend([
            ("files", exact(self.files.len() as f64)),
            ("requests", format!("{reads} reads, {writes} writes{syncs}")),
            ("moved", format!("{} read, {} written", bytes(all.read_bytes), bytes(all.written_bytes))),
        ]);
        let sides = [
            ("reads", all.sequential_read_share, all.random_read_share),
            ("writes", all.sequential_write_share, all.random_write_share),
        ];
        for (name, sequential, random) in sides {
            if let (Some(sequential), Some(random)) = (sequential, random) {
                let of = format!("{} sequential, {} random", share(sequential), share(random));
                facts.push((name, format!("{of}, in pages of {}", block(self.page_bytes))));
            }
        }
        let about = if self.exact { "" } else { "about " };
        let pages = exact(all.distinct_pages as f64);
        facts.push(("footprint", format!("{about}{pages} pages, {}", bytes(all.footprint_bytes))));
        if let Some(rate) = all.repeat_access_rate {
            let accesses = exact(all.page_accesses as f64);
            facts.push(("repeat access rate", format!("{about}{rate:.2} ({accesses} accesses to pages)")));
        }
        facts.push(("time", self.time()));
        facts.extend(all.class.map(|class| ("class", class.name().to_owned())));
        if self.bad_lines.count > 0 {
            facts.push(("bad lines", format!("{}, skipped", exact(self.bad_lines.count as f64))));
        }
        facts
    }

    fn time(&self) -> String {
        match (self.seconds, self.all.io_seconds, self.computing_seconds) {
            (Some(all), Some(io), Some(computing)) => {
                format!("{}: {} I/O, {} computing", time(all), time(io), time(computing))
            }
            (Some(all), ..) => format!("{}; the trace does not say when requests were completed", time(all)),
            _ => "not in the trace".to_owned(),
        }
    }

    /// Stand-ins for names that the trace does not have.
    fn unnamed(&self) -> Option<&'static str> {
        (!self.named).then_some("The trace has no names of files: each volume stands for a file.")
    }
}

fn cells(name: String, usage: &Usage) -> [String; 10] {
    let amount = |amount: u64| known((amount > 0).then(|| bytes(amount)));
    [
        name,
        exact(usage.requests as f64),
        amount(usage.read_bytes),
        known(usage.random_read_share.map(share)),
        amount(usage.written_bytes),
        known(usage.random_write_share.map(share)),
        bytes(usage.footprint_bytes),
        known(usage.repeat_access_rate.map(|rate| format!("{rate:.2}"))),
        known(usage.io_seconds.map(time)),
        usage.class.map_or("–", Class::name).to_owned(),
    ]
}

/// The end of a long name tells more than its beginning.
fn ending(name: &str, longest: usize) -> String {
    match name.chars().count().checked_sub(longest) {
        Some(long @ 1..) => format!("…{}", name.chars().skip(long + 1).collect::<String>()),
        _ => name.to_owned(),
    }
}

/// A time of any length.
fn time(of: f64) -> String {
    if of < 1.0 { micros(of * 1e6) } else { seconds(of) }
}
