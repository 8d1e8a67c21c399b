//! Busy channels, as sentences and a table with the laws beside what was measured.

use leadline_profile::{Channels, ChannelsPoint};

use super::table::{Line, titled};
use super::wrap;
use crate::channels::{Laws, summary};
use crate::format::{block, count, significant, with_interval};

pub(super) fn channels(found: &Channels, width: usize) -> Vec<String> {
    let mut out: Vec<String> = summary(found).iter().map(|sentence| wrap(sentence, width, "  ")).collect();
    let laws = found.fit.as_ref().map(|fit| Laws::new(fit, found.most_requests()));
    let row = |point: &ChannelsPoint| -> Line {
        let law = |of: fn(&Laws, u32) -> f64| laws.as_ref().map(|laws| significant(of(laws, point.requests)));
        let cells = vec![
            Some(with_interval(point.busy_at_once, point.busy_at_once_ci, significant)),
            law(Laws::at_once),
            Some(count(point.iops)),
            Some(with_interval(point.speedup, point.speedup_ci, significant)),
            law(Laws::in_a_stream),
        ];
        (point.requests.to_string(), cells)
    };
    let title = format!(
        "Random reads of {}: channels busy when so many are thrown at once, and throughput in a stream of so \
         many, as a multiple of one's",
        block(found.block_bytes)
    );
    let head = ["busy at once", "law", "IOPS", "stream", "law"].map(str::to_owned).to_vec();
    out.push(titled(&title, head, found.points.iter().map(row).collect(), width));
    out
}

#[cfg(test)]
mod tests {
    use crate::render_experiment;
    use crate::sample::tried_profile;

    #[test]
    fn both_curves_stand_beside_their_laws_and_fit_the_width() {
        for width in [60, 80, 120] {
            let text = render_experiment(&tried_profile(), "channels", width).expect("measured");
            for part in ["16 channels", "busy at once", "stream", "law", "256"] {
                assert!(text.contains(part), "{width}: no {part:?} in\n{text}");
            }
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest.is_some_and(|widest| widest <= width), "{width}: {widest:?}\n{text}");
        }
    }
}
