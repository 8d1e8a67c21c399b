//! The figure of a study: a block of cells for each device, graph and algorithm, coloured by the speed-up.
//!
//! In a block the size of the cache goes down and the reads in flight go right, so that one looks for colour:
//! where a block is white, more reads in flight change nothing.

use std::fmt::Write as _;

use super::scale::{colour, digits, is_dark};
use super::speedups::{Faster, Line};

const WIDTH: f64 = 1200.0;
/// Left of the cells: the names of algorithms, and the sizes of the cache.
const LEFT: f64 = 156.0;
const RIGHT: f64 = 16.0;
/// Above the cells: titles, legend, and the names of devices, graphs and depths.
const TOP: f64 = 196.0;
const BOTTOM: f64 = 62.0;
const CELL_HEIGHT: f64 = 25.0;
/// Between two graphs of a device, two devices, two algorithms.
const GAPS: [f64; 3] = [10.0, 26.0, 14.0];

/// What is drawn.
pub struct Figure<'a> {
    /// Their labels.
    pub devices: &'a [String],
    /// Their names.
    pub graphs: &'a [String],
    /// Their names.
    pub algorithms: &'a [String],
    /// Sizes of the cache, percent of the blocks.
    pub caches: &'a [u32],
    /// Reads in flight; the first is what the others are compared with.
    pub depths: &'a [u32],
    /// Device by device, graph by graph, algorithm by algorithm, cache by cache.
    pub lines: &'a [Option<Line>],
}

impl Figure<'_> {
    /// The whole document.
    pub fn svg(&self) -> String {
        let height = TOP + self.rows_height() + BOTTOM;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" font-family=\"'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif\" \
             font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        self.titles(&mut svg);
        legend(&mut svg, WIDTH - RIGHT - 430.0, 40.0);
        for device in 0..self.devices.len() {
            for graph in 0..self.graphs.len() {
                self.column(&mut svg, device, graph);
            }
        }
        for algorithm in 0..self.algorithms.len() {
            self.row_names(&mut svg, algorithm);
        }
        let y = TOP + self.rows_height() + 24.0;
        let how = format!(
            "First number of a row: seconds with {}. The others: speed-up over it, the median of the rounds;",
            self.first_depth()
        );
        label(&mut svg, LEFT, y, "start", "", &how);
        let marks = "framed: the fewest reads in flight within 5 % of the best; grey and in italics: rounds do \
                     not agree that it is faster, or slower.";
        label(&mut svg, LEFT, y + 17.0, "start", "", marks);
        svg + "</svg>\n"
    }

    fn titles(&self, svg: &mut String) {
        let title = "font-size=\"18\" font-weight=\"bold\"";
        label(svg, 16.0, 32.0, "start", title, "Where more reads in flight pay");
        let first = format!("Time of graph algorithms with {},", self.first_depth());
        label(svg, 16.0, 54.0, "start", "", &first);
        let others: Vec<String> = self.depths[1..].iter().map(u32::to_string).collect();
        let others = format!("divided by the time with {}", others.join(", "));
        label(svg, 16.0, 71.0, "start", "", &others);
    }

    fn first_depth(&self) -> String {
        let depth = self.depths[0];
        format!("{depth} read{} in flight", if depth == 1 { "" } else { "s" })
    }

    fn rows_height(&self) -> f64 {
        let rows = (self.algorithms.len() * self.caches.len()) as f64;
        rows * CELL_HEIGHT + (self.algorithms.len() as f64 - 1.0) * GAPS[2]
    }

    /// So that all blocks fill the width.
    fn cell_width(&self) -> f64 {
        let [graphs, devices] = [self.graphs.len(), self.devices.len()].map(|count| count as f64);
        let gaps = devices * (graphs - 1.0) * GAPS[0] + (devices - 1.0) * GAPS[1];
        (WIDTH - LEFT - RIGHT - gaps) / (devices * graphs * self.depths.len() as f64)
    }

    /// Left edge of a block.
    fn x(&self, device: usize, graph: usize) -> f64 {
        let blocks = (device * self.graphs.len() + graph) as f64;
        let gaps = (device * (self.graphs.len() - 1) + graph) as f64 * GAPS[0] + device as f64 * GAPS[1];
        LEFT + blocks * self.depths.len() as f64 * self.cell_width() + gaps
    }

    /// Top edge of a block.
    fn y(&self, algorithm: usize) -> f64 {
        TOP + algorithm as f64 * (self.caches.len() as f64 * CELL_HEIGHT + GAPS[2])
    }

    fn column(&self, svg: &mut String, device: usize, graph: usize) {
        let (x, width) = (self.x(device, graph), self.cell_width());
        let block = width * self.depths.len() as f64;
        if graph == 0 {
            let right = self.x(device, self.graphs.len() - 1) + block;
            let bold = "font-size=\"15\" font-weight=\"bold\"";
            label(svg, (x + right) / 2.0, TOP - 76.0, "middle", bold, &self.devices[device]);
            let y = TOP - 66.0;
            let _ = writeln!(svg, "<path d=\"M{x:.1} {y}H{right:.1}\" stroke=\"#333\"/>");
        }
        label(svg, x + block / 2.0, TOP - 46.0, "middle", "", &graph_label(&self.graphs[graph]));
        label(svg, x + block / 2.0, TOP - 27.0, "middle", "fill=\"#555\"", "reads in flight");
        for (i, depth) in self.depths.iter().enumerate() {
            let text = if i == 0 { format!("{depth} (s)") } else { depth.to_string() };
            label(svg, x + (i as f64 + 0.5) * width, TOP - 9.0, "middle", "", &text);
        }
        for algorithm in 0..self.algorithms.len() {
            let y = self.y(algorithm);
            for cache in 0..self.caches.len() {
                let graphs = device * self.graphs.len() + graph;
                let line = (graphs * self.algorithms.len() + algorithm) * self.caches.len() + cache;
                if let Some(Some(line)) = self.lines.get(line) {
                    row(svg, x, y + cache as f64 * CELL_HEIGHT, width, line);
                }
            }
            let height = self.caches.len() as f64 * CELL_HEIGHT;
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{block:.1}\" height=\"{height}\" fill=\"none\" \
                 stroke=\"#999\"/>"
            );
        }
    }

    fn row_names(&self, svg: &mut String, algorithm: usize) {
        let y = self.y(algorithm);
        let middle = y + self.caches.len() as f64 * CELL_HEIGHT / 2.0;
        let bold = "font-size=\"14\" font-weight=\"bold\"";
        label(svg, 16.0, middle + 5.0, "start", bold, algorithm_label(&self.algorithms[algorithm]));
        for (i, cache) in self.caches.iter().enumerate() {
            let y = y + (i as f64 + 0.5) * CELL_HEIGHT + 4.0;
            label(svg, LEFT - 8.0, y, "end", "", &format!("{cache} %"));
        }
        if algorithm == 0 {
            label(svg, LEFT - 8.0, TOP - 27.0, "end", "fill=\"#555\"", "cache, %");
            label(svg, LEFT - 8.0, TOP - 9.0, "end", "fill=\"#555\"", "of the graph");
        }
    }
}

/// The cells of one size of the cache.
fn row(svg: &mut String, x: f64, y: f64, width: f64, line: &Line) {
    let text_y = y + CELL_HEIGHT / 2.0 + 4.0;
    let _ = writeln!(
        svg,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{CELL_HEIGHT}\" fill=\"#f2f2f2\"/>"
    );
    label(svg, x + width / 2.0, text_y, "middle", "font-size=\"11\"", &digits(line.seconds[0]));
    for (i, faster) in line.faster.iter().enumerate() {
        let x = x + (i + 1) as f64 * width;
        let [r, g, b] = colour(faster.speedup[0]);
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{CELL_HEIGHT}\" \
             fill=\"rgb({r},{g},{b})\"/>"
        );
        let style = match (faster.is_certain(), is_dark([r, g, b])) {
            (false, _) => "fill=\"#777\" font-style=\"italic\"",
            (true, true) => "fill=\"#fff\"",
            (true, false) => "",
        };
        label(svg, x + width / 2.0, text_y, "middle", style, &digits(faster.speedup[0]));
    }
    let is = |faster: &Faster| line.enough().is_some_and(|enough| enough.depth == faster.depth);
    if let Some(i) = line.faster.iter().position(is) {
        let x = x + (i + 1) as f64 * width + 1.5;
        let (y, width, height) = (y + 1.5, width - 3.0, CELL_HEIGHT - 3.0);
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height}\" fill=\"none\" \
             stroke=\"#000\" stroke-width=\"1.5\"/>"
        );
    }
}

/// The scale of colours.
fn legend(svg: &mut String, x: f64, y: f64) {
    const STEPS: i32 = 4;
    let width = 430.0 / f64::from(2 * STEPS + 1);
    for step in -STEPS..=STEPS {
        let x = x + f64::from(step + STEPS) * width;
        let [r, g, b] = colour(f64::from(step).exp2());
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"16\" fill=\"rgb({r},{g},{b})\" \
             stroke=\"#999\" stroke-width=\"0.5\"/>"
        );
        let text = if step < 0 { format!("1/{}", 1 << -step) } else { (1 << step).to_string() };
        label(svg, x + width / 2.0, y + 32.0, "middle", "", &text);
    }
    label(svg, x, y - 8.0, "start", "", "they cost time");
    label(svg, x + 215.0, y - 8.0, "middle", "", "speed-up, times");
    label(svg, x + 430.0, y - 8.0, "end", "", "they pay");
}

fn label(svg: &mut String, x: f64, y: f64, anchor: &str, style: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {style}>{text}</text>");
}

fn graph_label(name: &str) -> String {
    match name {
        name if name.starts_with("rmat") => format!("{name}, social-like"),
        name if name.starts_with("grid") => format!("{name}, road-like"),
        name => name.to_owned(),
    }
}

fn algorithm_label(name: &str) -> &str {
    match name {
        "bfs" => "BFS",
        "wcc" => "WCC",
        "pagerank" => "PageRank",
        "walk" => "walks",
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::speedups::tests::line;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn blocks_lie_side_by_side_within_the_width() {
        let [devices, graphs] = [&["a", "b", "c"][..], &["rmat18", "grid500"]].map(names);
        let algorithms = names(&["bfs", "wcc", "pagerank", "walk"]);
        let (caches, depths) = ([1, 5, 25, 100], [1, 4, 16, 64]);
        let (algorithms, lines) = (&algorithms, &[]);
        let figure = Figure {
            devices: &devices,
            graphs: &graphs,
            algorithms,
            caches: &caches,
            depths: &depths,
            lines,
        };
        let block = 4.0 * figure.cell_width();
        assert!(figure.cell_width() > 38.0, "room for 0.012 in 11 pixels: {}", figure.cell_width());
        assert!((figure.x(2, 1) + block - (WIDTH - RIGHT)).abs() < 1e-6);
        assert!((figure.x(0, 1) - figure.x(0, 0) - block - GAPS[0]).abs() < 1e-6);
        assert!((figure.x(1, 0) - figure.x(0, 1) - block - GAPS[1]).abs() < 1e-6);
        assert_eq!(figure.y(3) + 4.0 * CELL_HEIGHT, TOP + figure.rows_height());
    }

    #[test]
    fn each_cell_is_where_its_device_graph_algorithm_and_cache_are() {
        let devices = names(&["disk", "a <b> & c"]);
        let (graphs, algorithms) = (names(&["g"]), names(&["bfs"]));
        let lines = [
            Some(line(8.0, &[(64, 3.0)], 1.1)),
            None,
            Some(line(7.0, &[(64, 0.4)], 1.1)),
            Some(line(6.0, &[(64, 1.0)], 1.1)),
        ];
        let (graphs, algorithms, lines) = (&graphs, &algorithms, &lines);
        let figure =
            Figure { devices: &devices, graphs, algorithms, caches: &[1, 100], depths: &[1, 64], lines };
        let svg = figure.svg();
        let at = |text: &str| {
            let line = svg.lines().find(|line| line.ends_with(&format!(">{text}</text>")));
            let words: Vec<&str> = line.unwrap_or_else(|| panic!("no {text}: {svg}")).split('"').collect();
            (words[1].parse::<f64>().unwrap(), words[3].parse::<f64>().unwrap())
        };
        let [(faster, first), (slower, same_row), (_, below)] = [at("3.0"), at("0.40"), at("1.0")];
        assert!(faster < figure.x(1, 0) && slower > figure.x(1, 0));
        assert!(first == same_row && below == first + CELL_HEIGHT);
        assert!(svg.contains("a &lt;b> &amp; c") && svg.contains("font-style=\"italic\">1.0<"), "{svg}");
    }
}
