//! A page of each kind.

use leadline_figures::Page;
use leadline_lsm::figures::{advice_page, validation_page};
use leadline_lsm::options::{OptionsFile, RocksVersion};
use leadline_measure::replay::replay_page;
use leadline_profile::DeviceProfile;
use leadline_report::{render_figures, render_fleet_page, render_page};

use super::{fleet, graphs, lsm, place, pools, traces};

/// Names and pages.
pub fn pages() -> Vec<(&'static str, String)> {
    let profiles = |profiles: &[DeviceProfile]| render_page(profiles).expect("a page");
    let figures = |page: &Page| render_figures(page).expect("a page");
    let (cluster, nodes) = fleet::sample_fleet();
    let asked = lsm::sample_advice("point=60,scan=10,insert=30");
    let advice = asked.advice();
    let options = OptionsFile::new(&advice.chosen.prediction.layout, RocksVersion::V7_8);
    vec![
        ("single", profiles(&[super::sample_profile()])),
        ("troubled", profiles(&[super::troubled_profile()])),
        ("reads-only", profiles(&[super::reads_only()])),
        ("one-point", profiles(&[super::one_point()])),
        ("studied", profiles(&[super::studied_profile()])),
        ("tried", profiles(&[super::tried_profile()])),
        ("written", profiles(&[super::written_profile()])),
        ("published", profiles(&[super::published_profile()])),
        ("imported", profiles(&[super::imported_profile()])),
        ("nothing", profiles(&[DeviceProfile::default()])),
        ("comparison", profiles(&[super::sample_profile(), super::slower_profile()])),
        ("raw", profiles(&[super::sample_profile(), super::raw_profile()])),
        ("fleet", render_fleet_page(&cluster, &nodes).expect("a page")),
        ("lsm-advice", figures(&advice_page(&advice, &asked.wanted, &asked.question(), &options))),
        ("lsm-validation", figures(&validation_page(&lsm::sample_validation()))),
        ("trace", figures(&traces::sample_info().page())),
        ("trace-by-file", figures(&traces::many_files().page())),
        ("replay", figures(&replay_page(&traces::sample_replay()))),
        ("place", figures(&place::sample_study().page())),
        ("graph", figures(&graphs::sample_graph().page())),
        ("pool", figures(&pools::large_sweep().page())),
    ]
}
