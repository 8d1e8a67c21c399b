//! Placement against caching: for a terminal, and for a page.

use leadline_device::format_size;
use leadline_figures::chart::{Choice as Chosen, Panel, Scale, Series, Symbol};
use leadline_figures::number::{bytes, known, micros};
use leadline_figures::{Axis, Block, Chart, Colour, Page, Table, Text};

use super::{Choice, Migration, QueryTimes, Scope, SizeStudy, Study, labels};

impl Study {
    /// What to take at each size in words, and the tables of sizes and of queries, for a terminal.
    pub fn text(&self) -> Text {
        let mut text = Text::new();
        text.say(format!(
            "{} for what is on {}: placement or caching? Cached blocks of {}; {}",
            self.fast,
            self.slow,
            format_size(self.block_bytes.into()),
            migration(self)
        ));
        text.gap();
        text.say_all(self.all.sizes.iter().map(|size| &*size.words));
        text.gap();
        let title = "All queries together".to_owned();
        text.table(Table { title, ..self.sizes("") });
        if self.queries.len() > 1 {
            text.gap();
            let title = "Each query alone: the best at each size".to_owned();
            text.table(Table { title, ..self.by_query("") });
        }
        text.say_all(self.notes.iter().map(String::as_str));
        text
    }

    /// A page: which to take at each size, the times over the size of the fast device (as figure 16 of Yang,
    /// Li and Lilja, 2020), and by the files that are placed (as figure 15).
    pub fn page(&self) -> Page {
        let many = self.queries.len() > 1;
        let queries = format!(
            "{} {} · cached blocks of {} · {}",
            self.queries.len(),
            if many { "queries" } else { "query" },
            format_size(self.block_bytes.into()),
            migration(self)
        );
        let mut page = Page {
            brand: "leadline place",
            title: format!("{} next to {}: placement or caching", self.fast, self.slow),
            heading: "Placement or caching?".to_owned(),
            sub: vec![format!("{} for what is on {}", self.fast, self.slow), queries],
            ..Page::default()
        };
        let mut means = vec![Block::heading("Which to take")];
        let words = self.all.sizes.iter().map(|size| size.words.clone());
        means.extend(words.map(|words| Block::Words { tone: "", words }));
        means.push(Block::tiles([
            (seconds(self.all.slow_seconds), "all on the slow device"),
            (seconds(self.all.fast_seconds), "all on the fast device"),
        ]));
        means.extend(self.notes.iter().map(Block::quiet));
        page.section("means", means);
        page.section("curves", self.charts(many));
        let titled = |title: &str, table| Block::table(Table { title: title.to_owned(), ..table });
        let mut numbers =
            vec![Block::heading("Numbers"), titled("All queries together", self.sizes("fast size"))];
        if many {
            let title = "Each query alone, one run: the best at each size";
            numbers.push(titled(title, self.by_query("query")));
        }
        let files = labels(&self.files).into_iter().zip(&self.files);
        let files = files.map(|(label, file)| [label, file.name.clone(), format_size(file.bytes)]);
        numbers.push(titled("Files", Table::new(["name here", "file", "size"]).words(1).rows(files)));
        numbers.push(Block::quiet("Method and limits: leadline docs place."));
        page.section("numbers", numbers);
        page
    }

    /// A line for each size, for all queries together.
    fn sizes(&self, first: &str) -> Table {
        let labels = labels(&self.files);
        let line = |size: &SizeStudy| {
            let (placed, cached) = size.best_seconds();
            [
                format_size(size.fast_bytes),
                choice(size.choice).to_owned(),
                placed_files(size, &labels),
                known(placed.map(seconds)),
                known(size.placed.first().map(|best| seconds(best.migration_seconds))),
                known(size.cached.first().map(|best| format!("{}, {}", best.policy, best.admission))),
                known(cached.map(seconds)),
                seconds(self.all.slow_seconds),
            ]
        };
        let columns =
            [first, "take", "files placed", "placed", "of it copying", "cache", "cached", "neither"];
        Table::new(columns).words(1).words(2).words(5).rows(self.all.sizes.iter().map(line))
    }

    /// A line for each query by itself.
    fn by_query(&self, first: &str) -> Table {
        let sizes = self.all.sizes.iter().map(|size| format_size(size.fast_bytes));
        let columns = [first, "weight", "slow", "fast"].map(str::to_owned).into_iter().chain(sizes);
        let lines = self.queries.iter().zip(&self.each).map(|(query, scope)| {
            let own = |size: &SizeStudy| {
                let (placed, cached) = size.best_seconds();
                let best = match size.choice {
                    Choice::Placement => placed,
                    Choice::Cache => cached,
                    Choice::Neither => None,
                };
                let time = best.map_or(query.slow_seconds, |best| best / runs(query));
                format!("{} {}", choice(size.choice), seconds(time))
            };
            let times = [query.slow_seconds, query.fast_seconds].map(seconds);
            let first = [query.name.clone(), query.weight.to_string()].into_iter().chain(times);
            first.chain(scope.sizes.iter().map(own)).collect::<Vec<String>>()
        });
        Table::new(columns).rows(lines)
    }

    fn charts(&self, many: bool) -> Vec<Block> {
        let mut blocks = vec![Block::heading("Times"), Block::Charts { choices: false }];
        if many {
            let hint = "Best placement, with copying, and best block cache of each size; times weighted.";
            let chart = Chart::new("p-all", self.over_size(&self.all, 1.0));
            blocks.push(Block::chart("All queries over the size of the fast device", hint, chart));
        }
        let queries = self.queries.iter().zip(&self.each);
        let panels = queries.map(|(query, scope)| self.over_size(scope, runs(query)));
        blocks.push(Block::chart(
            "A query over the size of the fast device",
            "The same for one query alone, one run.",
            self.by_chosen_query("p-query", panels),
        ));
        blocks.push(Block::chart(
            "One query by placement",
            "Without copying. Above the plot: the size of the placed files.",
            self.by_chosen_query("p-sets", self.queries.iter().map(|query| self.by_sets(query))),
        ));
        blocks.push(Block::Zoom);
        blocks
    }

    /// A panel for each query, of which one is chosen for all charts.
    fn by_chosen_query(&self, id: &str, panels: impl Iterator<Item = Panel>) -> Chart {
        let options = self.queries.iter().map(|query| query.name.clone()).collect();
        let panels = panels.enumerate().map(|(i, panel)| Panel { when: vec![i], ..panel });
        let choice = Chosen { name: "Query".to_owned(), options, shared: true, ..Chosen::default() };
        Chart { id: id.to_owned(), choices: vec![choice], panels: panels.collect() }
    }

    /// Time over the size of the fast device; `runs`: by which times are divided.
    fn over_size(&self, scope: &Scope, runs: f64) -> Panel {
        let labels = labels(&self.files);
        let sizes: Vec<f64> = scope.sizes.iter().map(|size| size.fast_bytes as f64).collect();
        let ends = match sizes[..] {
            [] => [1.0, 2.0],
            [only] => [0.9 * only, 1.1 * only],
            [first, .., last] => [first, last],
        };
        let best = |label: &str, colour, of: &dyn Fn(&SizeStudy) -> Option<(f64, String)>| {
            let rows = scope.sizes.iter().map(|size| {
                let (time, words) = of(size).unzip();
                let none = || "nothing fits that saves time".to_owned();
                (size.fast_bytes, time.map(|time| time / runs), words.unwrap_or_else(none))
            });
            let series = Series::line(label, Colour::Named(colour), 2.0, rows).tip("{1|seconds}~{2}");
            Series { symbol: Symbol::circle(7.0), ..series }.in_legend()
        };
        let alone = |label: &str, colour, time: f64| {
            let rows = ends.map(|size| (size, time / runs));
            Series::line(label, Colour::Named(colour), 1.4, rows)
                .style("dashed")
                .tip("{1|seconds}")
                .in_legend()
        };
        let placed = |size: &SizeStudy| {
            let best = size.placed.first()?;
            Some((best.seconds, format!("{}, {}", placed_files(size, &labels), bytes(best.bytes))))
        };
        let cached = |size: &SizeStudy| {
            let best = size.cached.first()?;
            Some((best.seconds, format!("{}, {}", best.policy, best.admission)))
        };
        let panel = Panel {
            x: Axis {
                scale: Scale::Log2,
                name: "size of the fast device".to_owned(),
                gap: 26,
                unit: "bytes",
                min: Some(ends[0] / 1.1),
                max: Some(ends[1] * 1.1),
                ticks: sizes.iter().map(|&size| (size, String::new())).collect(),
                ..Axis::default()
            },
            y: Axis::from_zero("time", 58, "seconds"),
            series: vec![
                best("best placement, with copying", "p0", &placed),
                best("best block cache", "p1", &cached),
                alone("slow device alone", "soft", scope.slow_seconds),
                alone("fast device alone", "p2", scope.fast_seconds),
            ],
            along: true,
            head: "{0|bytes}".to_owned(),
            ..Panel::default()
        };
        panel.with_legend()
    }

    /// Time of a query by the files that are placed.
    fn by_sets(&self, query: &QueryTimes) -> Panel {
        let labels = labels(&self.files);
        let names = |files: &[usize]| {
            let names: Vec<&str> = files.iter().map(|&file| labels[file].as_str()).collect();
            names.join(" + ")
        };
        let size = |files: &[usize]| bytes(files.iter().map(|&file| self.files[file].bytes).sum());
        let mut bars = vec![("nothing".to_owned(), size(&[]), query.slow_seconds, "soft")];
        bars.extend(query.sets.iter().map(|(files, time)| (names(files), size(files), *time, "p0")));
        bars.push(("all on the fast device".to_owned(), String::new(), query.fast_seconds, "p2"));
        let names = bars.iter().map(|(name, ..)| (0.0, name.clone())).collect();
        let above = bars.iter().map(|(_, size, ..)| short_size(size)).collect();
        let series = bars.iter().enumerate().map(|(i, (name, _, time, colour))| {
            let row = (i, *time, name.clone(), query.slow_seconds / time);
            let series = Series::line("", Colour::Named(colour), 0.0, [row]);
            let said = "{1|seconds}, {3|short} × as fast as with nothing";
            Series { bars: true, title: "{2}".to_owned(), words: "{1|seconds}".to_owned(), ..series }
                .tip(said)
        });
        Panel {
            x: Axis { scale: Scale::Bars, ticks: names, above, ..Axis::default() },
            y: Axis::from_zero("time", 58, "seconds"),
            series: series.collect(),
            top: Some(44),
            ..Panel::default()
        }
    }
}

/// `64 MiB` rather than `64.0 MiB`.
fn short_size(size: &str) -> String {
    let (number, unit) = size.split_once(' ').unwrap_or((size, ""));
    let whole = number.split_once('.').filter(|(_, rest)| rest.chars().all(|digit| digit == '0'));
    whole.map_or_else(|| size.to_owned(), |(whole, _)| format!("{whole} {unit}"))
}

/// What the times of a query by itself were multiplied by.
fn runs(query: &QueryTimes) -> f64 {
    if query.weight > 0.0 { query.weight } else { 1.0 }
}

/// A time in milliseconds or seconds.
fn seconds(seconds: f64) -> String {
    micros(seconds * 1e6)
}

/// What is placed at a size at its best, by short names.
fn placed_files(size: &SizeStudy, labels: &[String]) -> String {
    let Some(best) = size.placed.first() else { return "–".to_owned() };
    let names: Vec<&str> = best.files.iter().map(|&file| labels[file].as_str()).collect();
    names.join(" + ")
}

/// A choice in a word.
fn choice(choice: Choice) -> &'static str {
    match choice {
        Choice::Placement => "placement",
        Choice::Cache => "cache",
        Choice::Neither => "neither",
    }
}

/// What copying counts for.
fn migration(study: &Study) -> &'static str {
    match study.migration {
        Migration::Once => "files are copied to the fast device once",
        Migration::PerQuery => "files are copied to the fast device before every run",
    }
}
