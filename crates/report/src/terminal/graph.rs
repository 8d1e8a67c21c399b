//! A graph store in the terminal.

use super::table::{finish, new_table};
use super::{NARROWEST, trace, wrap};
use crate::graph::{self, GraphInfo};

/// Columns of the longest bar.
const BAR: f64 = 24.0;

/// What a graph store holds, for a terminal `width` columns wide (60 at least). Ends with a newline.
pub fn render_graph(info: &GraphInfo, width: usize) -> String {
    let width = width.max(NARROWEST);
    let mut out = vec![wrap(&format!("{}, a graph store", info.store), width, "  "), String::new()];
    out.push(trace::rows(&graph::rows(info), width));
    let degrees = graph::degrees(info);
    let most = degrees.iter().map(|line| line.part).fold(0.0, f64::max);
    if !degrees.is_empty() {
        let mut table = new_table(width);
        table.set_header(["degree", "", "vertices", "share"]);
        for line in degrees {
            let bar = "#".repeat((line.part / most * BAR).round() as usize);
            table.add_row([line.range, bar, line.vertices, line.share]);
        }
        out.extend([String::new(), finish(table, 1)]);
    }
    out.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::graphs::{empty_graph, sample_graph};

    #[test]
    fn it_fits_the_width_it_is_given_and_shows_every_power() {
        for width in [60, 80, 120] {
            for info in [sample_graph(), empty_graph()] {
                let text = render_graph(&info, width);
                assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            }
        }
        let text = render_graph(&sample_graph(), 100);
        for part in
            ["61,728,394, directed", "2.00 bytes per edge", "98.7 % full", "524,288-1,048,575", "12.5 s"]
        {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
        assert!(!render_graph(&empty_graph(), 100).contains('#'));
    }
}
