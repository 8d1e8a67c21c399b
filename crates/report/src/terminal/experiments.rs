//! What an experiment found, as tables and sentences.

use leadline_figures::{Part, Text};
use leadline_measure::experiment;
use leadline_profile::DeviceProfile;

use super::text::render_text;

/// One experiment of a profile for a terminal `width` columns wide (60 at least), by its name, as on
/// the command line. Ends with a newline; `None` where there is no such experiment in the
/// profile.
pub fn render_experiment(profile: &DeviceProfile, name: &str, width: usize) -> Option<String> {
    let parts = experiment::named(name)?.text(profile)?;
    let procedure = profile.experiments.procedures().find(|(found, _)| *found == name)?.1;
    let cut_short = procedure
        .stopped_by
        .iter()
        .map(|reason| format!("PARTIAL: cut short after {} rounds by: {reason}", procedure.epochs));
    let mut text = Text::new();
    let notes = cut_short.chain(procedure.notes.iter().cloned());
    let notes = notes.map(|words| Part::Words { words, margins: [0, 2] });
    for (i, part) in parts.into_iter().chain(notes).enumerate() {
        if i > 0 {
            text.gap();
        }
        text.parts.push(part);
    }
    Some(render_text(&text, width))
}

#[cfg(test)]
mod tests;
