//! Throughput over concurrency in characters: braille, two by four dots per cell, or plain ASCII.

use leadline_profile::{DeviceProfile, Parameters, Point};

use super::kind;
use crate::format::{self, count};

/// How [`render_plot`] draws.
#[derive(Debug, Clone, Copy)]
pub struct PlotOptions {
    width: usize,
    height: usize,
    ascii: bool,
    color: bool,
}

impl PlotOptions {
    /// A plot in braille without colour, `width` columns wide, labels included, and 12 rows high, without the
    /// axis.
    pub fn new(width: usize) -> Self {
        PlotOptions { width, height: 12, ascii: false, color: false }
    }

    /// Rows of the plot itself.
    pub fn height(self, height: usize) -> Self {
        PlotOptions { height, ..self }
    }

    /// Whether to use only ASCII: `r` and `w`, and `*` where they meet.
    pub fn ascii(self, ascii: bool) -> Self {
        PlotOptions { ascii, ..self }
    }

    /// Whether to draw reads blue and writes yellow (ANSI).
    pub fn color(self, color: bool) -> Self {
        PlotOptions { color, ..self }
    }
}

const LABEL: usize = 8;
const CURVES: [(&str, &str, char); 2] = [("read", "\x1b[34m", 'r'), ("write", "\x1b[33m", 'w')];

/// Reads and writes of one pattern and block size, IOPS from zero up over log2 k. Empty where there is no
/// point; no newline at the end.
pub fn render_plot(profile: &DeviceProfile, of: &Parameters, plot: PlotOptions) -> String {
    let curves = CURVES.map(|(name, ..)| format::curve_points(profile, of, name));
    let all = || curves.iter().flatten();
    let (Some(deepest), Some(most)) =
        (all().map(|p| p.concurrency).max(), all().map(|p| p.iops).reduce(f64::max))
    else {
        return String::new();
    };
    let columns = plot.width.saturating_sub(LABEL + 2).clamp(16, 76);
    let mut canvas = Canvas::new(columns, plot.height.max(3), plot.ascii);
    let span = f64::from(deepest).log2().max(1.0);
    for (curve, points) in curves.iter().enumerate() {
        canvas.line(curve, points, span, most);
    }
    let mut lines = vec![legend(&curves, of, plot)];
    for row in 0..canvas.rows {
        let share = 1.0 - row as f64 / (canvas.rows - 1) as f64;
        let labelled = row == 0 || row == canvas.rows - 1 || row == (canvas.rows - 1) / 2;
        let label = if labelled { count(most * share) } else { String::new() };
        let wall = if plot.ascii { '|' } else { '│' };
        lines.push(format!("{label:>LABEL$} {wall}{}", canvas.row(row, plot.color)));
    }
    lines.push(axis(columns, span, plot.ascii));
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

fn legend(curves: &[Vec<&Point>; 2], of: &Parameters, plot: PlotOptions) -> String {
    let mut names = Vec::new();
    for ((name, ansi, letter), _) in CURVES.iter().zip(curves).filter(|(_, points)| !points.is_empty()) {
        let sign = match (plot.ascii, plot.color, *name) {
            (true, ..) => format!("{letter} {name}s"),
            (_, true, _) => format!("{ansi}{name}s\x1b[0m"),
            // Without colour, writes are drawn with every other dot.
            (_, _, "read") => "⣀ reads".to_owned(),
            _ => "⢀ writes".to_owned(),
        };
        names.push(sign);
    }
    format!("IOPS over requests in flight, {}: {}", kind(of.pattern, of.block_bytes), names.join(", "))
}

fn axis(columns: usize, span: f64, ascii: bool) -> String {
    let mut labels = vec![' '; columns + 4];
    let mut free = 0;
    for power in 0..=(span.floor() as u32) {
        let text = (1u64 << power).to_string();
        let at = (f64::from(power) / span * (columns - 1) as f64).round() as usize;
        let at = at.min(columns - text.len());
        if at >= free {
            labels.splice(at..at + text.len(), text.chars());
            free = at + text.len() + 1;
        }
    }
    let (corner, dash) = if ascii { ('+', "-") } else { ('└', "─") };
    let names: String = labels.into_iter().collect();
    let pad = " ".repeat(LABEL + 1);
    format!("{pad}{corner}{}\n{pad} {}", dash.repeat(columns), names.trim_end())
}

/// Which curves touch which dot.
struct Canvas {
    columns: usize,
    rows: usize,
    ascii: bool,
    /// Dots of each curve, row by row.
    dots: [Vec<bool>; 2],
}

impl Canvas {
    fn new(columns: usize, rows: usize, ascii: bool) -> Canvas {
        let cells = columns * rows * if ascii { 1 } else { 8 };
        Canvas { columns, rows, ascii, dots: [vec![false; cells], vec![false; cells]] }
    }

    /// Dots across and down.
    fn size(&self) -> (usize, usize) {
        if self.ascii { (self.columns, self.rows) } else { (self.columns * 2, self.rows * 4) }
    }

    /// Joins the points by straight lines; a single point is a dot.
    fn line(&mut self, curve: usize, points: &[&Point], span: f64, most: f64) {
        let (wide, high) = self.size();
        let place = |p: &Point| {
            let x = f64::from(p.concurrency).log2() / span * (wide - 1) as f64;
            (x, (1.0 - p.iops / most) * (high - 1) as f64)
        };
        let mut dot = |x: f64, y: f64| {
            let at = (y.round() as usize).min(high - 1) * wide + (x.round() as usize).min(wide - 1);
            self.dots[curve][at] = true;
        };
        if let [only] = points {
            let (x, y) = place(only);
            dot(x, y);
        }
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (place(pair[0]), place(pair[1]));
            let steps = (x1 - x0).abs().max((y1 - y0).abs()).ceil().max(1.0);
            for step in 0..=steps as usize {
                let t = step as f64 / steps;
                dot(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t);
            }
        }
    }

    fn row(&self, row: usize, color: bool) -> String {
        let mut text = String::new();
        for column in 0..self.columns {
            let cell = [0, 1].map(|curve| self.cell(curve, column, row, color));
            let glyph = if self.ascii {
                match cell.map(|bits| bits > 0) {
                    [true, true] => '*',
                    [true, false] => 'r',
                    [false, true] => 'w',
                    [false, false] => ' ',
                }
            } else {
                char::from_u32(0x2800 + u32::from(cell[0] | cell[1]))
                    .filter(|c| *c != '\u{2800}')
                    .unwrap_or(' ')
            };
            match (color && glyph != ' ', cell[0] > 0) {
                (false, _) => text.push(glyph),
                (true, reads) => text += &format!("{}{glyph}\x1b[0m", CURVES[usize::from(!reads)].1),
            }
        }
        text
    }

    /// The braille bits of one curve in one cell (1 or 0 in ASCII).
    fn cell(&self, curve: usize, column: usize, row: usize, color: bool) -> u8 {
        let (wide, _) = self.size();
        if self.ascii {
            return u8::from(self.dots[curve][row * wide + column]);
        }
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let mut bits = 0;
        for (y, pair) in BITS.iter().enumerate() {
            for (x, bit) in pair.iter().enumerate() {
                let thinned = curve == 1 && !color && x == 0;
                if !thinned && self.dots[curve][(row * 4 + y) * wide + column * 2 + x] {
                    bits |= bit;
                }
            }
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{one_point, reads_only, sample_profile};

    const PLAIN: PlotOptions = PlotOptions { width: 60, height: 10, ascii: true, color: false };

    #[test]
    fn the_curve_rises_to_its_plateau_and_stays() {
        let profile = reads_only();
        let text = render_plot(&profile, &profile.parameters[0], PLAIN);
        let rows: Vec<&str> = text.lines().skip(1).take(10).collect();
        let first = |row: &str| row.find('r');
        assert!(first(rows[0]) > first(rows[9]), "high throughput is to the right:\n{text}");
        assert!(rows[0].trim_end().ends_with("rrr"), "the plateau is at the top right:\n{text}");
        assert!(text.is_ascii() && text.contains(" 256"), "{text}");
        assert!(
            rows[0].trim_start().starts_with(&count(profile.parameters[0].max_read_iops.expect("reads")))
        );
    }

    #[test]
    fn braille_colour_and_single_points() {
        let profile = sample_profile();
        let entry = &profile.parameters[0];
        let text = render_plot(&profile, entry, PLAIN.ascii(false));
        assert!(
            text.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c)) && !text.contains('\x1b'),
            "{text}"
        );
        assert!(render_plot(&profile, entry, PLAIN.ascii(false).color(true)).contains("\x1b[33m"));
        let one = one_point();
        let text = render_plot(&one, &one.parameters[0], PLAIN);
        assert_eq!(text.lines().skip(1).map(|row| row.matches('r').count()).sum::<usize>(), 1, "{text}");
        let mut none = reads_only();
        none.points.clear();
        assert_eq!(render_plot(&none, &none.parameters[0], PLAIN), "");
    }
}
