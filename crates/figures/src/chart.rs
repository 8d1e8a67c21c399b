//! Charts: series of rows over two axes, and what a reader can choose.

mod axis;
mod series;

use serde::Serialize;

pub use axis::{Axis, Scale};
pub use series::{Datum, IntoRow, Series, Symbol};

/// Whether a value is what it is by default, which a page need not carry.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A chart of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Chart {
    /// The place on the page that it is drawn in.
    pub id: String,
    /// What a reader chooses one of.
    #[serde(skip_serializing_if = "is_default")]
    pub choices: Vec<Choice>,
    /// What is drawn, one for each combination of choices that there is.
    pub panels: Vec<Panel>,
}

/// One of several.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Choice {
    /// What is chosen.
    pub name: String,
    /// From what.
    pub options: Vec<String>,
    /// Whether charts of the page with a choice of this name follow it together.
    #[serde(skip_serializing_if = "is_default")]
    pub shared: bool,
    /// Whether it is in the page's bar of choices instead of above the chart.
    #[serde(skip_serializing_if = "is_default")]
    pub in_bar: bool,
}

/// What is drawn at one combination of choices.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Panel {
    /// The option of each of the chart's choices at which it is drawn.
    #[serde(skip_serializing_if = "is_default")]
    pub when: Vec<usize>,
    /// From left to right.
    pub x: Axis,
    /// Upward.
    pub y: Axis,
    /// Whether both axes have the same ends.
    #[serde(skip_serializing_if = "is_default")]
    pub square: bool,
    /// What is drawn, each over those before it.
    pub series: Vec<Series>,
    /// What a reader can hide: any of several in each group.
    #[serde(skip_serializing_if = "is_default")]
    pub legends: Vec<Vec<Key>>,
    /// Lines from end to end, and their words.
    #[serde(skip_serializing_if = "is_default")]
    pub marks: Vec<Mark>,
    /// Words in the upper left corner.
    #[serde(skip_serializing_if = "is_default")]
    pub title: String,
    /// Room above the plot, pixels.
    #[serde(skip_serializing_if = "is_default")]
    pub top: Option<u32>,
    /// Whether a tooltip tells of all series at the pointer, at the row that is nearest; otherwise it tells
    /// of one point.
    #[serde(skip_serializing_if = "is_default")]
    pub along: bool,
    /// The head of such a tooltip, of a row of the first series: see [`Series::tip`].
    #[serde(skip_serializing_if = "is_default")]
    pub head: String,
    /// How far series that are to stand apart do, by their names, so that whiskers do not cover one another:
    /// a difference of places along x.
    #[serde(skip_serializing_if = "is_default")]
    pub apart: f64,
    /// What is written where nothing is drawn.
    #[serde(skip_serializing_if = "is_default")]
    pub nothing: String,
}

/// An entry of a legend.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Key {
    /// It hides the series that have it among their keys.
    pub label: String,
    /// Of its sign.
    pub colour: Colour,
    /// `solid`, `dashed`, `dotted`, or `area` for a patch.
    #[serde(skip_serializing_if = "is_default")]
    pub style: &'static str,
    /// Whether it is hidden at first.
    #[serde(skip_serializing_if = "is_default")]
    pub hidden: bool,
    /// Whether it only names a colour and hides nothing.
    #[serde(skip_serializing_if = "is_default")]
    pub fixed: bool,
}

/// A line from one end of the plot to the other, or the area between two.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Mark {
    /// The place along x that it stands upright at.
    #[serde(skip_serializing_if = "is_default")]
    pub x: Option<f64>,
    /// The place along y that it is at.
    #[serde(skip_serializing_if = "is_default")]
    pub y: Option<f64>,
    /// Where it ends, if it is an area.
    #[serde(skip_serializing_if = "is_default")]
    pub to: Option<f64>,
    /// What is written along it.
    #[serde(skip_serializing_if = "is_default")]
    pub label: String,
    /// Where that stands, as ECharts names it.
    #[serde(skip_serializing_if = "is_default")]
    pub place: &'static str,
    /// Of the line and the words.
    pub colour: Colour,
    /// `solid`, `dashed` or `dotted`.
    #[serde(skip_serializing_if = "is_default")]
    pub style: &'static str,
    /// Of the line, pixels; of an area, its opacity.
    #[serde(skip_serializing_if = "is_default")]
    pub width: f64,
    /// It is drawn while none of these entries of legends is hidden.
    #[serde(skip_serializing_if = "is_default")]
    pub keys: Vec<String>,
}

/// Settings that were tried in all combinations and what each came to, of which charts show slices: a row for
/// each combination.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Sweep {
    /// Names of the cells of rows, as `sweep.js` knows them.
    pub columns: Vec<&'static str>,
    /// In the order of the sweep.
    pub rows: Vec<Vec<Datum>>,
    /// A speed-up below which nothing is gained.
    pub gains_nothing: f64,
}

/// A colour of the page, in light and in the dark.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Colour {
    /// By its name: `ink`, `soft`, `read`, `write`, `durable`, `p0` to `p5`.
    Named(&'static str),
    /// Of an ordered set: which, and of how many.
    Ramp(usize, usize),
}

impl Default for Colour {
    fn default() -> Colour {
        Colour::Named("ink")
    }
}

impl Chart {
    /// A chart without choices.
    pub fn new(id: impl Into<String>, panel: Panel) -> Chart {
        Chart { id: id.into(), choices: Vec::new(), panels: vec![panel] }
    }

    /// A chart that has one panel for each option of one choice.
    pub fn by_choice(
        id: impl Into<String>,
        choice: impl Into<String>,
        panels: impl IntoIterator<Item = (String, Panel)>,
    ) -> Chart {
        let (options, panels): (Vec<String>, Vec<Panel>) = panels.into_iter().unzip();
        let at = |(i, panel)| Panel { when: vec![i], ..panel };
        let panels = panels.into_iter().enumerate().map(at).collect();
        let choice = Choice { name: choice.into(), options, ..Choice::default() };
        Chart { id: id.into(), choices: vec![choice], panels }
    }
}

impl Panel {
    /// With a legend of the series that have a name, each name once.
    #[must_use]
    pub fn with_legend(mut self) -> Panel {
        let mut legend: Vec<Key> = Vec::new();
        for series in &self.series {
            if !series.label.is_empty() && legend.iter().all(|key| key.label != series.label) {
                legend.push(Key {
                    label: series.label.clone(),
                    colour: series.colour,
                    style: series.style,
                    ..Key::default()
                });
            }
        }
        self.legends.push(legend);
        self
    }
}

/// What a chart can draw: both numbers finite, the second positive (and rounded).
pub fn point(x: f64, y: f64) -> Option<(f64, f64)> {
    (x.is_finite() && y.is_finite() && y > 0.0).then(|| (x, round(y)))
}

/// Five significant digits: a chart shows no more, and a page should not carry them.
pub fn round(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(4 - value.abs().log10().floor() as i32);
    if scale.is_finite() && scale > 0.0 { (value * scale).round() / scale } else { value }
}
