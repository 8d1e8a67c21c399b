//! What a store holds, in words: for a terminal and for a page.

use leadline_figures::chart::{Panel, Series, Symbol};
use leadline_figures::number::{bytes, count, exact, known, seconds, share, significant};
use leadline_figures::{Axis, Block, Chart, Colour, Page, Table, Text};
use serde::Serialize;

use super::{DegreeDistribution, Summary};
use crate::format::Header;
use crate::updates::Leftovers;

/// What a graph store holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphInfo {
    /// The file, or the directory of a store that was changed.
    pub store: String,
    /// Changes since the store was imported.
    pub version: u64,
    /// Size of the file, or of all files, bytes.
    pub file_bytes: u64,
    /// What of it is changes; nothing for a store that was never changed.
    pub space: Option<GraphSpace>,
    /// What an update or a compaction that did not end has left next to it; nothing where there is nothing.
    pub leftovers: Option<Leftovers>,
    /// Vertices.
    pub vertices: u64,
    /// Edges; an undirected one counts once.
    pub edges: u64,
    /// Edges from a vertex to itself.
    pub self_loops: u64,
    /// Whether edges are directed.
    pub directed: bool,
    /// Whether lists of incoming edges can be read.
    pub reverse: bool,
    /// Whether lists are compressed.
    pub compressed: bool,
    /// How weights are kept: `none`, `f32` or `f64`.
    pub weights: &'static str,
    /// What ids are: `dense` (0 to vertices - 1), `numbers` or `strings`.
    pub ids: &'static str,
    /// Whether vertices are numbered by falling degree.
    pub renumbered: bool,
    /// Whether an update leaves out edges that are there already.
    pub dedupe: bool,
    /// Whether an update leaves out edges from a vertex to itself.
    pub drop_self_loops: bool,
    /// Size of a block, bytes.
    pub block_bytes: u32,
    /// Blocks of lists.
    pub blocks: u64,
    /// Share of the blocks' bytes that is used, 0 to 1; `None` where there are no blocks.
    pub block_fill: Option<f64>,
    /// Bytes of the file for each edge; `None` where there are no edges.
    pub bytes_per_edge: Option<f64>,
    /// Median number of outgoing edges.
    pub median_degree: u64,
    /// The longest list of outgoing edges.
    pub max_degree: u64,
    /// How long the import took; nothing where the store does not hold it.
    pub import_seconds: Option<f64>,
    /// Vertices by the number of their outgoing edges, ascending, none of them empty.
    pub degrees: Vec<DegreeBin>,
}

/// What a store that was changed takes on the device.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphSpace {
    /// Lists as they were imported or last compacted, bytes.
    pub base_bytes: u64,
    /// Sorted runs of changes.
    pub runs: u64,
    /// Of these, bytes.
    pub run_bytes: u64,
    /// Of the log of commits that are in no run, bytes.
    pub log_bytes: u64,
    /// How many times the bytes of the base all of it is.
    pub amplification: f64,
}

/// Vertices whose degrees lie close together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DegreeBin {
    /// The smallest degree of the bin.
    pub from: u64,
    /// The largest.
    pub to: u64,
    /// Vertices with a degree from `from` to `to`.
    pub vertices: u64,
}

/// Columns of the longest bar.
const BAR: f64 = 24.0;

impl GraphInfo {
    /// What `store` holds, by its summary and its degrees.
    pub fn new(store: String, summary: &Summary, degrees: &DegreeDistribution) -> GraphInfo {
        let Header {
            vertices, self_loops, directed, compressed, renumbered, block_bytes, max_degree, ..
        } = summary.header;
        let isolated = DegreeBin { from: 0, to: 0, vertices: degrees.isolated };
        let bins = degrees.buckets.iter().map(|bucket| DegreeBin {
            from: bucket.least,
            to: bucket.most,
            vertices: bucket.vertices,
        });
        GraphInfo {
            store,
            version: summary.version,
            file_bytes: summary.file_bytes,
            space: summary.space.map(|space| GraphSpace {
                base_bytes: space.base_bytes,
                runs: space.runs,
                run_bytes: space.run_bytes,
                log_bytes: space.log_bytes,
                amplification: space.amplification(),
            }),
            leftovers: summary.leftovers.clone(),
            vertices,
            edges: summary.edges,
            self_loops,
            directed,
            reverse: summary.header.has_reverse(),
            compressed,
            weights: summary.header.weights.name(),
            ids: summary.ids,
            renumbered,
            dedupe: summary.header.rules.dedupe(),
            drop_self_loops: summary.header.rules.drop_self_loops(),
            block_bytes,
            blocks: summary.blocks,
            block_fill: summary.fill,
            bytes_per_edge: (summary.edges > 0).then(|| summary.file_bytes as f64 / summary.edges as f64),
            median_degree: degrees.median,
            max_degree,
            import_seconds: summary.header.import_time().map(|time| time.as_secs_f64()),
            degrees: [isolated].into_iter().chain(bins).filter(|bin| bin.vertices > 0).collect(),
        }
    }

    /// What there is to say, for a terminal.
    pub fn text(&self) -> Text {
        let mut text = Text::new();
        text.say(format!("{}, a graph store", self.store));
        text.gap();
        text.table(Table::of_facts(self.facts()));
        let degrees = self.by_powers();
        let most = degrees.iter().map(|(.., part)| *part).fold(0.0, f64::max);
        if !degrees.is_empty() {
            let rows = degrees.into_iter().map(|(range, vertices, part)| {
                [range, "#".repeat((part / most * BAR).round() as usize), exact(vertices as f64), share(part)]
            });
            text.gap();
            text.table(Table::new(["degree", "", "vertices", "share"]).words(1).rows(rows));
        }
        text
    }

    /// A page: what it holds, and the distribution of degrees.
    pub fn page(&self) -> Page {
        let mut page = Page {
            brand: "leadline graph info",
            title: self.store.clone(),
            heading: self.store.clone(),
            sub: vec!["a graph store".to_owned()],
            ..Page::default()
        };
        page.section("means", vec![Block::tiles(self.tiles())]);
        let mut numbers = vec![Block::heading("Numbers"), Block::facts(self.facts())];
        if !self.degrees.is_empty() {
            let hint = "Both axes logarithmic. A point that stands for several degrees shows the vertices per \
                        degree. A straight line is a power law.";
            let chart = Block::chart("Vertices over outgoing edges", hint, self.chart());
            page.section(
                "curves",
                vec![Block::heading("Degrees"), Block::Charts { choices: false }, chart, Block::Zoom],
            );
            let rows = self.by_powers().into_iter();
            let rows = rows.map(|(range, vertices, part)| [range, exact(vertices as f64), share(part)]);
            let table = Table::new(["Outgoing edges", "Vertices", "Share"]).rows(rows);
            let title = "Degrees by powers of two".to_owned();
            numbers.push(Block::table(Table { title, ..table }));
        }
        numbers.push(Block::quiet(
            "What counts as a vertex, and what each option keeps: leadline docs graph-import.",
        ));
        page.section("numbers", numbers);
        page
    }

    fn tiles(&self) -> [(String, &'static str); 6] {
        let edges = if self.directed { "directed edges" } else { "undirected edges" };
        [
            (count(self.vertices as f64), "vertices"),
            (count(self.edges as f64), edges),
            (self.average(), "outgoing edges of a vertex"),
            (count(self.max_degree as f64), "of the vertex that has most"),
            (known(self.bytes_per_edge.map(significant)), "bytes per edge"),
            (bytes(self.file_bytes), "in the file"),
        ]
    }

    /// Vertices by degree, on two logarithmic axes. Degree 0 has no place on them; the table has it.
    fn chart(&self) -> Chart {
        let rows = self.degrees.iter().filter(|bin| bin.from > 0).map(|bin| {
            let degrees = match bin.from == bin.to {
                true => format!("degree {}", exact(bin.from as f64)),
                false => format!("degrees {}–{}", exact(bin.from as f64), exact(bin.to as f64)),
            };
            let x = (bin.from as f64 * bin.to as f64).sqrt();
            let y = bin.vertices as f64 / (bin.to - bin.from + 1) as f64;
            (x, y, degrees, bin.vertices, bin.vertices as f64 / self.vertices as f64)
        });
        let series = Series::line("vertices", Colour::Named("read"), 0.0, rows);
        let series = Series { symbol: Symbol::circle(6.0), title: "{2}".to_owned(), ..series };
        let panel = Panel {
            x: Axis { grid: false, ..Axis::decades("count").named("outgoing edges", 24) },
            y: Axis::decades("count"),
            series: vec![series.tip("{3|whole} vertices, {4|share}")],
            nothing: "No vertex has an edge.".to_owned(),
            ..Panel::default()
        };
        Chart::new("g-degrees", panel)
    }

    /// What there is to say, in order.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let (edges, loops) = (exact(self.edges as f64), exact(self.self_loops as f64));
        let ways = if self.directed { "directed" } else { "undirected" };
        let incoming = match (self.directed, self.reverse) {
            (true, true) => ", lists of outgoing and of incoming edges",
            (true, false) => ", lists of outgoing edges only",
            _ => "",
        };
        let ids = match self.ids {
            "dense" => "numbers from 0 on without a gap",
            "numbers" => "numbers",
            _ => "strings",
        };
        let order = if self.renumbered { "; vertices are numbered by degree" } else { "" };
        let [median, most] = [self.median_degree, self.max_degree].map(|degree| exact(degree as f64));
        let each = self
            .bytes_per_edge
            .map_or(String::new(), |each| format!(", {} bytes per edge", significant(each)));
        let fill = self.block_fill.map_or(String::new(), |fill| format!(", {} full", share(fill)));
        let kept = if self.compressed { "compressed" } else { "plain" };
        let blocks = exact(self.blocks as f64);
        let mut facts = vec![
            ("vertices", exact(self.vertices as f64)),
            ("edges", format!("{edges}, {ways}{incoming}; {loops} self-loops")),
            ("degree", format!("{} on average, median {median}, {most} at most", self.average())),
            ("ids", format!("{ids}{order}")),
            ("weights", weights(self.weights).to_owned()),
            ("file", format!("{}{each}", bytes(self.file_bytes))),
            ("blocks", format!("{blocks} of {}{fill}, {kept}", bytes(self.block_bytes.into()))),
        ];
        let rule = match (self.dedupe, self.drop_self_loops) {
            (true, true) => Some("leave out edges that are there already, and self-loops"),
            (true, false) => Some("leave out edges that are there already"),
            (false, true) => Some("leave out self-loops"),
            (false, false) => None,
        };
        facts.extend(rule.map(|rule| ("updates", rule.to_owned())));
        if let Some(space) = &self.space {
            let GraphSpace { base_bytes, runs, run_bytes, log_bytes, amplification } = space;
            let (runs, times) = (exact(*runs as f64), significant(*amplification));
            let (base, in_runs, log) = (bytes(*base_bytes), bytes(*run_bytes), bytes(*log_bytes));
            facts.push(("version", format!("{} changes since the import", exact(self.version as f64))));
            let parts =
                format!("{base} of lists, {in_runs} of changes in sorted runs ({runs}), {log} of log");
            facts.push(("space", format!("{parts}; {times} times the lists")));
        }
        facts.extend(self.leftovers.as_ref().map(|left| ("left over", leftover(left))));
        facts.extend(self.import_seconds.map(|took| ("import time", seconds(took))));
        facts
    }

    /// Outgoing edges of a vertex on average; an undirected edge goes out from both its ends.
    fn average(&self) -> String {
        if self.vertices == 0 {
            return "0".to_owned();
        }
        let ends = if self.directed { self.edges } else { 2 * self.edges - self.self_loops };
        significant(ends as f64 / self.vertices as f64)
    }

    /// Vertices by powers of two of their degree, from the first that has one to the last: the degrees, the
    /// vertices, and their share of all.
    fn by_powers(&self) -> Vec<(String, u64, f64)> {
        let power = |degree: u64| if degree == 0 { 0 } else { degree.ilog2() as usize + 1 };
        let Some(last) = self.degrees.last().map(|bin| power(bin.to)) else { return Vec::new() };
        let mut counts = vec![0; last + 1];
        for bin in &self.degrees {
            counts[power(bin.from)] += bin.vertices;
        }
        let line = |(at, &vertices): (usize, &u64)| {
            let range = match at {
                0 | 1 => at.to_string(),
                _ => {
                    let from = 1u64 << (at - 1);
                    format!("{}-{}", exact(from as f64), exact((from - 1 + from) as f64))
                }
            };
            (range, vertices, vertices as f64 / self.vertices.max(1) as f64)
        };
        counts.iter().enumerate().map(line).collect()
    }
}

/// How weights are kept.
pub(super) fn weights(name: &str) -> &'static str {
    match name {
        // What was read, which 64 bits may have rounded.
        "f32" => "32 bits each, the same as in 64",
        "f64" => "64 bits each",
        _ => "none",
    }
}

/// Files that a writer has left, and what becomes of them.
fn leftover(left: &Leftovers) -> String {
    let names = left.files.iter().map(|file| format!("{} ({})", file.name, bytes(file.bytes)));
    let names = names.collect::<Vec<String>>().join(", ");
    let next = match left.resumable {
        true => "of a compaction that was interrupted or is running; `leadline graph compact` continues it",
        false => {
            "of an update or a compaction that was interrupted or is running; the next `leadline graph update` \
             or `compact` removes them"
        }
    };
    format!("{names}: {next}")
}
