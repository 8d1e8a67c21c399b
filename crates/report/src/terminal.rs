//! What the terminal shows: the same numbers as the page, in a hundred columns or fewer.

mod experiments;
mod models;
mod plot;
mod table;
mod text;

use leadline_profile::{CheckStatus, DeviceProfile};

use crate::compare::{Relation, Verdict, compare};
use crate::format::{self, block};
use crate::sentences::{is_buffered, is_imported, is_published};
use crate::{headline, sentences};

pub use experiments::render_experiment;
pub use models::render_models;
pub use plot::{PlotOptions, render_plot};
use text::NARROWEST;
pub use text::render_text;
pub(crate) use text::wrap;

/// A summary for a terminal `width` columns wide (60 at least): what it is, the parameters, throughput over
/// concurrency, the three sentences, and what the numbers are worth. Ends with a newline.
///
/// With `color`, violated checks and a partial or buffered run are red (ANSI). The plot is drawn in braille;
/// see [`render_plot`] for ASCII.
pub fn render_summary(profile: &DeviceProfile, width: usize, color: bool) -> String {
    let width = width.max(NARROWEST);
    let paint = Paint { color };
    let mut out = vec![wrap(&title(profile), width, "  "), String::new(), table::parameters(profile, width)];
    if let Some(entry) = headline(profile).filter(|_| !is_published(profile)) {
        let plot = render_plot(profile, entry, PlotOptions::new(width).color(color));
        if !plot.is_empty() {
            out.extend([String::new(), plot]);
        }
    }
    out.push(String::new());
    for sentence in sentences(profile) {
        out.push(wrap(&sentence, width, ""));
    }
    out.push(String::new());
    out.extend(worth(profile, width, paint));
    out.join("\n") + "\n"
}

/// Several profiles side by side, `width` columns wide (60 at least), each against the first. Ends with a
/// newline.
pub fn render_comparison(profiles: &[DeviceProfile], width: usize) -> String {
    let width = width.max(NARROWEST);
    if profiles.is_empty() {
        return "Nothing to compare.\n".to_owned();
    }
    let labels = format::labels(profiles);
    let comparison = compare(profiles);
    let heading = match comparison.relation {
        Relation::FileSystemAgainstRaw { file_system, raw } => {
            format!("File system ({}) against raw device ({})", labels[file_system], labels[raw])
        }
        Relation::SameDevice => format!("{}, measured {} times", labels[0], labels.len()),
        Relation::Devices => format!("{} devices, each against the first", labels.len()),
    };
    let judged = comparison.rows.iter().flat_map(|row| &row.verdicts);
    let differ = judged.clone().filter(|v| matches!(v, Verdict::Differs { .. })).count();
    let same = judged.filter(|v| matches!(v, Verdict::CannotTell)).count();
    let total = format!("{differ} differ beyond their 95 % intervals, {same} cannot be told apart.");
    let mut out = vec![wrap(&heading, width, ""), String::new()];
    out.push(table::differences(&comparison, &labels, width));
    out.extend([String::new(), wrap(&total, width, "")]);
    out.join("\n") + "\n"
}

fn title(profile: &DeviceProfile) -> String {
    let d = &profile.device;
    let name = d.model.as_deref().unwrap_or(&d.name);
    let link = d.link.as_ref().map(|l| format!(", {}", l.name)).unwrap_or_default();
    format!("{name} at {} ({}{link})", d.target, d.kind)
}

fn worth(profile: &DeviceProfile, width: usize, paint: Paint) -> Vec<String> {
    let validity = &profile.validity;
    let mut lines = Vec::new();
    if !validity.complete {
        let by = validity.stopped_by.as_deref().unwrap_or("an unknown cause");
        lines.push(paint.red(&wrap(&format!("PARTIAL: cut short by {by}"), width, "  ")));
    }
    if is_buffered(profile) {
        lines.push(paint.red(&wrap("BUFFERED: requests went through the page cache", width, "  ")));
    }
    let state = validity.state.as_str();
    let moved = if is_published(profile) {
        // The source stands in the third sentence.
        "state: published".to_owned()
    } else if is_imported(profile) {
        "state: imported".to_owned()
    } else {
        format!(
            "state: {}; footprint {}; {} written",
            if state.is_empty() { "not known" } else { state },
            format::bytes(profile.method.footprint_bytes),
            format::bytes(validity.bytes_written)
        )
    };
    lines.push(wrap(&moved, width, "  "));
    if let (Some(bytes), Some(true)) = (profile.method.write_budget_bytes, profile.method.writes_shortened) {
        let why = format!(
            "writes were shortened to stay within {}, the default bound; --max-writes sets another",
            format::bytes(bytes)
        );
        lines.push(wrap(&why, width, "  "));
    }
    if !validity.durability.is_empty() {
        lines.push(wrap(&format!("durability: {}", validity.durability), width, "  "));
    }
    for check in &validity.checks {
        let (mark, red) = match check.status {
            CheckStatus::Ok => ("ok      ", false),
            CheckStatus::Violated => ("VIOLATED", true),
            CheckStatus::Unknown => ("unknown ", false),
        };
        let line = wrap(&format!("{mark} {}: {}", check.name, check.detail), width, "           ");
        lines.push(if red { paint.red(&line) } else { line });
    }
    lines
}

/// Whether to colour.
#[derive(Debug, Clone, Copy)]
struct Paint {
    color: bool,
}

impl Paint {
    fn red(self, text: &str) -> String {
        if self.color { format!("\x1b[31m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// `4K random`.
fn kind(pattern: leadline_profile::Pattern, bytes: u32) -> String {
    format!("{} {}", block(bytes), format::pattern(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{one_point, raw_profile, reads_only, sample_profile, troubled_profile};

    fn widest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn it_fits_the_width_it_is_given() {
        for profile in
            [sample_profile(), reads_only(), one_point(), troubled_profile(), DeviceProfile::default()]
        {
            for width in [60, 80, 120] {
                let text = render_summary(&profile, width, false);
                assert!(widest(&text) <= width, "{} > {width}:\n{text}", widest(&text));
                assert!(!text.contains('\x1b'), "colour that was not asked for");
            }
        }
        for width in [60, 80, 120] {
            let text = render_comparison(&[sample_profile(), raw_profile()], width);
            assert!(widest(&text) <= width, "{} > {width}:\n{text}", widest(&text));
        }
    }

    #[test]
    fn violated_checks_are_red_and_bounds_marked() {
        let text = render_summary(&troubled_profile(), 100, true);
        let line = text.lines().find(|l| l.contains("VIOLATED")).expect("the check");
        assert!(line.starts_with("\x1b[31m"), "{line:?}");
        assert!(text.contains("PARTIAL: cut short by SIGINT") && text.contains("BUFFERED"));
        assert!(text.contains("≥16") && text.contains("yes"), "{text}");
    }

    #[test]
    fn the_numbers_are_there() {
        let profile = sample_profile();
        let text = render_summary(&profile, 100, false);
        let entry = &profile.parameters[0];
        assert!(text.contains(&format::significant(entry.alpha.expect("alpha"))));
        assert!(text.contains(&format::count(entry.max_read_iops.expect("reads"))));
        assert!(text.contains("Keep about"));
    }

    #[test]
    fn a_comparison_says_what_differs() {
        let text = render_comparison(&[sample_profile(), raw_profile()], 100);
        assert!(text.contains("File system") && text.contains("against raw device"), "{text}");
        assert!(text.contains("differs") && text.contains("cannot be told apart"), "{text}");
        assert_eq!(render_comparison(&[], 80), "Nothing to compare.\n");
    }

    #[test]
    fn a_name_cannot_drive_the_terminal() {
        let mut profile = sample_profile();
        profile.device.model = Some("evil\x1b[2J".into());
        assert!(!render_summary(&profile, 80, false).contains('\x1b'));
        assert!(!render_comparison(&[profile.clone(), profile], 80).contains('\x1b'));
    }
}
