//! What the terminal shows: the same numbers as the page, within the width of the terminal.

mod details;
mod experiments;
mod grid;
mod lines;
mod models;
mod plot;
mod subject;
mod summary;
mod table;
mod text;

use leadline_profile::DeviceProfile;

use crate::compare::{Relation, Verdict, compare};
use crate::format::{self, block};

pub use experiments::render_experiment;
use lines::NARROWEST;
pub(crate) use lines::wrap;
pub use models::render_models;
pub use plot::{PlotOptions, render_plot};
pub use summary::{SummaryOptions, render_summary};
pub use text::render_text;

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

/// `4K random`.
fn kind(pattern: leadline_profile::Pattern, bytes: u32) -> String {
    format!("{} {}", block(bytes), format::pattern(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{raw_profile, sample_profile};

    fn widest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn a_comparison_fits_the_width_it_is_given() {
        for width in [60, 80, 120] {
            let text = render_comparison(&[sample_profile(), raw_profile()], width);
            assert!(widest(&text) <= width, "{} > {width}:\n{text}", widest(&text));
        }
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
        let options = SummaryOptions::new(80).details(true);
        assert!(!render_summary(&profile, &options).contains('\x1b'));
        assert!(!render_comparison(&[profile.clone(), profile], 80).contains('\x1b'));
    }
}
