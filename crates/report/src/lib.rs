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
//! | a summary for a terminal | [`render_summary`], [`render_comparison`] |
//! | a table of an experiment | [`render_experiment`] |
//! | what it means, in three sentences | [`sentences`] |
//! | which differences are beyond the intervals | [`compare`] |
//! | fio jobs, one per point | [`fio_jobs`] |
//! | what simulated buffer pools did, in the terminal or as a page | [`render_pool`], [`render_pool_page`] |
//! | which I/O model fits, in the terminal or as JSON | [`render_models`], [`models_json`] |
//! | what a trace is like, in the terminal or as a page | [`render_trace_info`], [`render_trace_page`] |
//! | what it asked of each file, likewise | [`render_by_file`], [`render_by_file_page`] |
//! | what replaying it came to | [`render_replay`], [`render_replay_page`] |
//! | what another crate describes, in the terminal or as a page | [`render_text`], [`render_figures`] |
//! | the settings of a system, and a configuration judged | [`render_advice`], [`render_lint`] |
//! | settings compared on the system itself | [`render_comparison_of_settings`], [`render_plan_choices`], [`render_etcd_proof`], [`render_seastar_proof`] |
//! | which node size a B-tree should have, in the terminal or as JSON | [`render_btree`], [`btree_json`] |
//! | a drive fitted to a profile, in the terminal or as JSON | [`render_calibration`], [`calibration_json`] |
//! | which layout an LSM tree should have, in the terminal or as JSON | [`render_lsm_advice`], [`lsm_advice_json`] |
//! | what a layout of one costs, in the terminal or as JSON | [`render_lsm_prediction`], [`lsm_prediction_json`] |
//! | which layout an LSM tree should have, as a page | [`render_lsm_advice_page`] |
//! | how far predictions of LSM trees are from RocksDB, as a page | [`render_lsm_validation_page`] |
//! | the same in sentences; what RocksDB costs the processor | [`lsm_comparison_sentences`], [`lsm_processor_costs`] |
//! | what a model predicts, in the terminal or as JSON | [`render_prediction`], [`prediction_json`] |

mod advice;
mod btree;
mod by_file;
mod calibration;
mod compare;
mod error;
mod fio;
mod fleet;
mod format;
mod granularity;
mod html;
mod lsm;
mod model_words;
mod models_json;
mod place;
mod pool;
mod predict;
mod sentences;
mod settings;
mod terminal;
mod trace;
mod trace_prediction;

// The samples name this crate as tests outside of it do.
#[cfg(test)]
extern crate self as leadline_report;

#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod sample;

pub use btree::{btree_json, render_btree};
pub use calibration::{calibration_json, render_calibration};
pub use compare::{Cell, Comparison, Quantity, Relation, Row, Verdict, compare};
pub use error::ReportError;
pub use fio::fio_jobs;
pub use fleet::{Fleet, FleetChange, FleetOutlier};
pub use html::{
    PAGE_LIMIT_BYTES, render_by_file_page, render_figures, render_fleet_page, render_lsm_advice_page,
    render_lsm_validation_page, render_page, render_place_page, render_pool_page, render_replay_page,
    render_trace_page,
};
pub use lsm::{
    LsmQuestion, lsm_advice_json, lsm_comparison_sentences, lsm_prediction_json, lsm_processor_costs,
    render_lsm_advice, render_lsm_prediction,
};
pub use models_json::models_json;
pub use pool::{Baselines, GAINS_NOTHING, PoolCell, PoolSweep};
pub use predict::{
    LatencyObjective, prediction_json, render_prediction, render_speedup, render_sustainable_rate,
    render_what_if, speedup_json, sustainable_rate_json, what_if_json,
};
pub use sentences::sentences;
pub use terminal::{
    PlotOptions, render_advice, render_by_file, render_comparison, render_comparison_of_settings,
    render_etcd_proof, render_experiment, render_lint, render_models, render_place, render_plan_choices,
    render_plot, render_pool, render_replay, render_seastar_proof, render_summary, render_text,
    render_trace_info,
};
pub use trace_prediction::{TracePrediction, render_trace_predictions, trace_predictions_json};

use leadline_profile::{DeviceProfile, Parameters, Pattern};

/// The parameters that stand for the whole profile: 4 KiB random where measured, else the smallest random
/// block, else the first there is. `None` where nothing was measured.
pub fn headline(profile: &DeviceProfile) -> Option<&Parameters> {
    let random = || profile.parameters.iter().filter(|p| p.pattern == Pattern::Random);
    random()
        .find(|p| p.block_bytes == 4096)
        .or_else(|| random().min_by_key(|p| p.block_bytes))
        .or_else(|| profile.parameters.first())
}
