//! Writes the made-up profiles of the tests as pages and terminal summaries, to be looked at:
//! `cargo run -p leadline-report --example pages -- FOLDER`.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{
    one_point, published_profile, raw_profile, reads_only, sample_profile, slower_profile, studied_profile,
    tried_profile, troubled_profile, written_profile,
};
use leadline_model::{ModelComparison, Observations};
use leadline_report::{
    render_comparison, render_fleet_page, render_models, render_page, render_place, render_place_page,
    render_replay, render_replay_page, render_summary, render_trace_info, render_trace_page,
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
    std::fs::write(folder.join("trace.html"), render_trace_page(&info)?)?;
    println!("==== trace\n{}", render_trace_info(&info, 100));
    std::fs::write(folder.join("replay.html"), render_replay_page(&replay)?)?;
    println!("==== replay\n{}", render_replay(&replay, 100));
    let (fleet, profiles) = common::fleet::sample_fleet();
    std::fs::write(folder.join("fleet.html"), render_fleet_page(&fleet, &profiles)?)?;
    let study = common::place::sample_study();
    std::fs::write(folder.join("place.html"), render_place_page(&study)?)?;
    println!("==== place\n{}", render_place(&study, 100));
    Ok(())
}
