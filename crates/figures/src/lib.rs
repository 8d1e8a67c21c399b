#![doc = include_str!("../README.md")]

pub mod chart;
pub mod number;
pub mod page;
pub mod table;
pub mod text;

pub use chart::{Axis, Chart, Choice, Colour, Mark, Panel, Series};
pub use page::{Block, Page, Section};
pub use table::{Column, Row, Table};
pub use text::{Part, Text};
