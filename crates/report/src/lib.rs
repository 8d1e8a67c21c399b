#![doc = include_str!("../README.md")]
//!
//! ## Where to find what
//!
//! Nothing here measures or asks a device anything: every number comes out of what the caller passes in.
//!
//! | to get | call |
//! | --- | --- |
//! | a page for one profile, a comparison for several | [`render_page`] |
//! | a page for the nodes of a cluster | [`render_fleet_page`] |
//! | the first screen for a terminal, and its details | [`render_summary`], [`render_comparison`] |
//! | a table of an experiment | [`render_experiment`] |
//! | what it means, in three sentences | [`sentences`] |
//! | which differences are beyond the intervals | [`compare`] |
//! | fio jobs, one per point | [`fio_jobs`] |
//! | which I/O model fits, in the terminal or as JSON | [`render_models`], [`models_json`] |
//! | what another crate describes, in the terminal or as a page | [`render_text`], [`render_figures`] |

mod advice;
mod compare;
mod doubts;
mod error;
mod fio;
mod fleet;
mod format;
mod granularity;
mod html;
mod model_words;
mod models_json;
mod origin;
mod sentences;
mod terminal;

// The samples name this crate as tests outside of it do.
#[cfg(test)]
extern crate self as leadline_report;

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod sample;

pub use compare::{Cell, Comparison, Quantity, Relation, Row, Verdict, compare};
pub use error::ReportError;
pub use fio::fio_jobs;
pub use fleet::{Fleet, FleetChange, FleetOutlier};
pub use html::{PAGE_LIMIT_BYTES, render_figures, render_fleet_page, render_page};
pub use models_json::models_json;
pub use sentences::sentences;
pub use terminal::{
    PlotOptions, SummaryOptions, render_comparison, render_experiment, render_models, render_plot,
    render_summary, render_text,
};

pub use leadline_profile::headline;
