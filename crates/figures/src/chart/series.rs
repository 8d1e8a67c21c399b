//! Series of charts.

use serde::Serialize;

use super::{Colour, is_default};

/// Rows of one kind, drawn as a line, as points, with whiskers, or as bars.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Series {
    /// What it is called.
    pub label: String,
    /// It is drawn while none of these entries of legends is hidden; its own name is one of them where it is
    /// in a legend.
    #[serde(skip_serializing_if = "is_default")]
    pub keys: Vec<String>,
    /// Of all of it.
    pub colour: Colour,
    /// `[x, y, ..]` (nothing for y breaks a line), or `[x, y, low, high, ..]` where `whiskers` are drawn; the
    /// rest is for the tooltip.
    pub rows: Vec<Vec<Datum>>,
    /// Width of the line that joins them; 0 for none.
    #[serde(skip_serializing_if = "is_default")]
    pub line: f64,
    /// `solid`, `dashed` or `dotted`.
    #[serde(skip_serializing_if = "is_default")]
    pub style: &'static str,
    /// Opacity of the line, where it is not 1.
    #[serde(skip_serializing_if = "is_default")]
    pub opacity: f64,
    /// Whether the line goes on level up to the next row.
    #[serde(skip_serializing_if = "is_default")]
    pub steps: bool,
    /// Opacity of the area below the line.
    #[serde(skip_serializing_if = "is_default")]
    pub area: f64,
    /// What is at each row.
    #[serde(skip_serializing_if = "is_default")]
    pub symbol: Option<Symbol>,
    /// Whether the third and fourth cells of rows are the ends of an interval.
    #[serde(skip_serializing_if = "is_default")]
    pub whiskers: bool,
    /// Whether it is a bar at each row, on top of the bars of the previous series.
    #[serde(skip_serializing_if = "is_default")]
    pub bars: bool,
    /// What a tooltip says of a row, below the name. `{3|micros}` stands for its fourth cell in that unit,
    /// `{2-3|micros}` for the interval of two cells in parentheses; a line break is one, and what follows `~`
    /// is paler.
    #[serde(skip_serializing_if = "is_default")]
    pub tip: String,
    /// The same instead of the name.
    #[serde(skip_serializing_if = "is_default")]
    pub title: String,
    /// The same next to each symbol.
    #[serde(skip_serializing_if = "is_default")]
    pub words: String,
    /// Where that stands, as ECharts names it.
    #[serde(skip_serializing_if = "is_default")]
    pub words_at: &'static str,
    /// Whether that is in strong letters.
    #[serde(skip_serializing_if = "is_default")]
    pub strong: bool,
    /// Whether it is drawn apart: see [`Panel::apart`](super::Panel::apart).
    #[serde(skip_serializing_if = "is_default")]
    pub apart: bool,
    /// Whether the axes reach for the third and fourth cells of its rows, which are not drawn.
    #[serde(skip_serializing_if = "is_default")]
    pub reach: bool,
    /// Whether the axes do not reach for it.
    #[serde(skip_serializing_if = "is_default")]
    pub loose: bool,
    /// Whether it is a straight line from one end of the axis to the other, through its two rows.
    #[serde(skip_serializing_if = "is_default")]
    pub through: bool,
}

/// What is at a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Symbol {
    /// `circle`, `ring`, `dash`, or as ECharts names it: `diamond` for what was published, ..
    pub shape: &'static str,
    /// Pixels.
    pub size: f64,
    /// The cell that has its size instead.
    #[serde(skip_serializing_if = "is_default")]
    pub size_of: Option<usize>,
    /// The cell that says whether it is hollow.
    #[serde(skip_serializing_if = "is_default")]
    pub hollow: Option<usize>,
    /// Where it is not 1.
    #[serde(skip_serializing_if = "is_default")]
    pub opacity: f64,
}

/// A cell of a row.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Datum {
    /// A number.
    Number(f64),
    /// A number to the last digit.
    Whole(u64),
    /// Words.
    Words(String),
    /// Yes or no.
    Flag(bool),
    /// Nothing is known.
    None,
}

impl Symbol {
    /// A filled circle.
    pub fn circle(size: f64) -> Option<Symbol> {
        Some(Symbol { shape: "circle", size, ..Symbol::default() })
    }

    /// A circle that is hollow where a cell says so.
    pub fn hollow(size: f64, cell: usize) -> Option<Symbol> {
        Some(Symbol { hollow: Some(cell), shape: "circle", size, ..Symbol::default() })
    }
}

impl Series {
    /// A line through `rows`.
    pub fn line<R: IntoRow>(
        label: impl Into<String>,
        colour: Colour,
        width: f64,
        rows: impl IntoIterator<Item = R>,
    ) -> Series {
        let rows = rows.into_iter().map(IntoRow::into_row).collect();
        Series { label: label.into(), colour, line: width, rows, ..Series::default() }
    }

    /// Points that are measured, with whiskers.
    pub fn measured<R: IntoRow>(
        label: impl Into<String>,
        colour: Colour,
        rows: impl IntoIterator<Item = R>,
    ) -> Series {
        Series { whiskers: true, symbol: Symbol::circle(7.0), ..Series::line(label, colour, 0.0, rows) }
    }

    /// With what a tooltip says: see [`Series::tip`].
    #[must_use]
    pub fn tip(self, tip: impl Into<String>) -> Series {
        Series { tip: tip.into(), ..self }
    }

    /// With a line that is `dashed` or `dotted`.
    #[must_use]
    pub fn style(self, style: &'static str) -> Series {
        Series { style, ..self }
    }

    /// With its name as an entry of a legend.
    #[must_use]
    pub fn in_legend(mut self) -> Series {
        self.keys.push(self.label.clone());
        self
    }
}

/// What can be a row.
pub trait IntoRow {
    /// Its cells.
    fn into_row(self) -> Vec<Datum>;
}

impl IntoRow for Vec<Datum> {
    fn into_row(self) -> Vec<Datum> {
        self
    }
}

impl From<f64> for Datum {
    fn from(number: f64) -> Datum {
        Datum::Number(number)
    }
}

impl From<u32> for Datum {
    fn from(number: u32) -> Datum {
        Datum::Whole(number.into())
    }
}

impl From<u64> for Datum {
    fn from(number: u64) -> Datum {
        Datum::Whole(number)
    }
}

impl From<usize> for Datum {
    fn from(number: usize) -> Datum {
        Datum::Whole(number as u64)
    }
}

impl From<bool> for Datum {
    fn from(flag: bool) -> Datum {
        Datum::Flag(flag)
    }
}

impl From<&str> for Datum {
    fn from(words: &str) -> Datum {
        Datum::Words(words.to_owned())
    }
}

impl From<String> for Datum {
    fn from(words: String) -> Datum {
        Datum::Words(words)
    }
}

impl<T: Into<Datum>> From<Option<T>> for Datum {
    fn from(value: Option<T>) -> Datum {
        value.map_or(Datum::None, Into::into)
    }
}

macro_rules! rows_of_tuples {
    ($($cell:ident),+) => {
        impl<$($cell: Into<Datum>),+> IntoRow for ($($cell,)+) {
            #[allow(non_snake_case)]
            fn into_row(self) -> Vec<Datum> {
                let ($($cell,)+) = self;
                vec![$($cell.into()),+]
            }
        }
    };
}
rows_of_tuples!(A, B);
rows_of_tuples!(A, B, C);
rows_of_tuples!(A, B, C, D);
rows_of_tuples!(A, B, C, D, E);
rows_of_tuples!(A, B, C, D, E, F);
rows_of_tuples!(A, B, C, D, E, F, G);
rows_of_tuples!(A, B, C, D, E, F, G, H);
rows_of_tuples!(A, B, C, D, E, F, G, H, I);
