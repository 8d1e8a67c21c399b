//! Axes of charts.

use serde::Serialize;

use super::is_default;

/// An axis. By default it ends where the data end.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Axis {
    /// How places follow from numbers.
    pub scale: Scale,
    /// Its label.
    #[serde(skip_serializing_if = "is_default")]
    pub name: String,
    /// Pixels between that and the line; by default what the numbers along x need.
    #[serde(skip_serializing_if = "is_default")]
    pub gap: u32,
    /// How its numbers are written: `count`, `bandwidth`, `micros`, `percent`, .. as in `numbers.js`.
    #[serde(skip_serializing_if = "is_default")]
    pub unit: &'static str,
    /// Its lower end.
    #[serde(skip_serializing_if = "is_default")]
    pub min: Option<f64>,
    /// Its upper end.
    #[serde(skip_serializing_if = "is_default")]
    pub max: Option<f64>,
    /// Places with words of their own; where those are empty, the number in its unit.
    #[serde(skip_serializing_if = "is_default")]
    pub ticks: Vec<(f64, String)>,
    /// Of bars: names in two or three lines, and what is above each bar.
    #[serde(skip_serializing_if = "is_default")]
    pub above: Vec<String>,
    /// Numbers that it reaches, too.
    #[serde(skip_serializing_if = "is_default")]
    pub also: Vec<f64>,
    /// Whether lines go from its numbers through the plot.
    #[serde(skip_serializing_if = "is_default")]
    pub grid: bool,
    /// Whether its first number is left out, for want of room.
    #[serde(skip_serializing_if = "is_default")]
    pub no_first: bool,
    /// Whether its last number is.
    #[serde(skip_serializing_if = "is_default")]
    pub no_last: bool,
    /// Room that is added at its ends, as a difference of places: of logarithms on such an axis.
    #[serde(skip_serializing_if = "is_default")]
    pub pad: [f64; 2],
    /// How much room is left beyond what is drawn, as a share of it: `8%`.
    #[serde(skip_serializing_if = "is_default")]
    pub room: &'static str,
}

/// How places follow from numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// As they are.
    #[default]
    Linear,
    /// By powers of two.
    Log2,
    /// By decades.
    Log10,
    /// Names one after the other, [`Axis::ticks`], of which the first is 0.
    Names,
    /// Bars over names.
    Bars,
}

impl Axis {
    /// Numbers as they are, from zero, with lines through the plot.
    pub fn from_zero(name: impl Into<String>, gap: u32, unit: &'static str) -> Axis {
        Axis { name: name.into(), gap, unit, min: Some(0.0), grid: true, ..Axis::default() }
    }

    /// By decades, with lines through the plot.
    pub fn decades(unit: &'static str) -> Axis {
        Axis { scale: Scale::Log10, unit, grid: true, ..Axis::default() }
    }

    /// By powers of two from one on: requests in flight, writers, clients.
    pub fn powers(name: impl Into<String>) -> Axis {
        Axis { scale: Scale::Log2, name: name.into(), unit: "whole", ..Axis::default() }
    }

    /// Names one after the other.
    pub fn of_names<S: Into<String>>(name: impl Into<String>, names: impl IntoIterator<Item = S>) -> Axis {
        let ticks = names.into_iter().enumerate().map(|(i, name)| (i as f64, name.into())).collect();
        Axis { scale: Scale::Names, name: name.into(), ticks, ..Axis::default() }
    }

    /// Of 0 to 1, in percent.
    pub fn of_share(name: impl Into<String>) -> Axis {
        Axis { name: name.into(), unit: "percent", min: Some(0.0), max: Some(1.0), ..Axis::default() }
    }

    /// Seconds from 0 to `end`, in the unit that suits their number.
    pub fn of_time(end: f64) -> Axis {
        let unit = match end {
            end if end >= 172_800.0 => "days",
            end if end >= 7200.0 => "hours",
            end if end >= 120.0 => "min",
            _ => "s",
        };
        let (name, max) = (format!("time, {unit}"), Some(end.max(1e-6)));
        Axis { name, unit, min: Some(0.0), max, no_last: true, ..Axis::default() }
    }

    /// With a name.
    #[must_use]
    pub fn named(self, name: impl Into<String>, gap: u32) -> Axis {
        Axis { name: name.into(), gap, ..self }
    }
}
