//! Writes the made-up profiles of the tests as pages and terminal summaries, to be looked at:
//! `cargo run -p leadline-report --example pages -- FOLDER`.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{
    one_point, published_profile, raw_profile, reads_only, sample_profile, slower_profile, studied_profile,
    tried_profile, troubled_profile, written_profile,
};
use leadline_measure::replay::{replay_page, replay_text};
use leadline_model::{ModelComparison, Observations};
use leadline_report::{
    render_comparison, render_figures, render_fleet_page, render_models, render_page, render_summary,
    render_text,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).ok_or("usage: pages FOLDER")?);
    std::fs::create_dir_all(&folder)?;
    let pages = [
        ("single", vec![sample_profile()]),
        ("reads-only", vec![reads_only()]),
        ("one-point", vec![one_point()]),
        ("troubled", vec![troubled_profile()]),
        ("studied", vec![studied_profile()]),
        ("tried", vec![tried_profile()]),
        ("written", vec![written_profile()]),
        ("published", vec![published_profile()]),
        ("comparison", vec![sample_profile(), slower_profile()]),
        ("raw", vec![sample_profile(), raw_profile()]),
    ];
    for (name, profiles) in pages {
        std::fs::write(folder.join(name).with_extension("html"), render_page(&profiles)?)?;
        let text = match profiles.as_slice() {
            [one] => render_summary(one, 100, false),
            many => render_comparison(many, 100),
        };
        println!("==== {name}\n{text}");
    }
    let comparison = ModelComparison::new(Observations::from_profile(&studied_profile()));
    println!("==== models\n{}", render_models("studied", &comparison, 100));
    let (info, replay) = (common::traces::sample_info(), common::traces::sample_replay());
    let (study, graph) = (common::place::sample_study(), common::graphs::sample_graph());
    let pools = common::pools::large_sweep();
    let figures = [
        ("trace", info.text(), info.page()),
        ("replay", replay_text(&replay), replay_page(&replay)),
        ("place", study.text(), study.page()),
        ("graph", graph.text(), graph.page()),
        ("pools", pools.text(), pools.page()),
    ];
    for (name, text, page) in figures {
        std::fs::write(folder.join(name).with_extension("html"), render_figures(&page)?)?;
        println!("==== {name}\n{}", render_text(&text, 100));
    }
    let (fleet, profiles) = common::fleet::sample_fleet();
    std::fs::write(folder.join("fleet.html"), render_fleet_page(&fleet, &profiles)?)?;
    Ok(())
}
