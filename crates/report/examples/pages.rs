//! Writes the made-up profiles of the tests as pages and terminal summaries, to be looked at:
//! `cargo run -p leadline-report --example pages -- DIRECTORY`.

#[path = "../tests/common/mod.rs"]
mod common;

use leadline_measure::replay::replay_text;
use leadline_model::{ModelComparison, Observations};
use leadline_report::{SummaryOptions, render_comparison, render_models, render_summary, render_text};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).ok_or("usage: pages DIRECTORY")?);
    std::fs::create_dir_all(&folder)?;
    for (name, page) in common::pages::pages() {
        std::fs::write(folder.join(name).with_extension("html"), page)?;
    }
    let profiles = [
        ("single", common::sample_profile()),
        ("reads-only", common::reads_only()),
        ("one-point", common::one_point()),
        ("troubled", common::troubled_profile()),
        ("studied", common::studied_profile()),
        ("tried", common::tried_profile()),
        ("written", common::written_profile()),
        ("published", common::published_profile()),
    ];
    for (name, profile) in profiles {
        println!(
            "==== {name}\n{}",
            render_summary(&profile, &SummaryOptions::new(80).profile("profile.json").details(true))
        );
    }
    let two = [common::sample_profile(), common::slower_profile()];
    println!("==== comparison\n{}", render_comparison(&two, 80));
    let comparison = ModelComparison::new(Observations::from_profile(&common::studied_profile()));
    println!("==== models\n{}", render_models("studied", &comparison, 80));
    let figures = [
        ("trace", common::traces::sample_info().text()),
        ("replay", replay_text(&common::traces::sample_replay())),
        ("place", common::place::sample_study().text()),
        ("graph", common::graphs::sample_graph().text()),
        ("pools", common::pools::large_sweep().text()),
    ];
    for (name, text) in figures {
        println!("==== {name}\n{}", render_text(&text, 80));
    }
    Ok(())
}
