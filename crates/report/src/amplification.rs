//! What `write-amplification` says, in words, for the terminal and the page alike.

use leadline_profile::{WriteAmplification, WriteAmplificationRun, WritePattern};

use crate::format::{block, bytes, percent, significant, with_interval};

/// What the latest run found, and how far it can be trusted: a few sentences.
pub(crate) fn summary(found: &WriteAmplification) -> Vec<String> {
    let run = &found.latest;
    let amplification =
        with_interval(run.write_amplification, run.write_amplification_ci, |value| format!("{value:.2}"));
    let mut said = vec![format!(
        "Under {} of {} to {}, each byte that is written costs {amplification} bytes on the medium (write \
         amplification).",
        pattern_words(run.pattern),
        block(run.block_bytes),
        part(run)
    )];
    let window = run.windows.first().map_or(0, |window| window.host_bytes);
    let windows = format!("{} windows of {}", run.used_windows, bytes(window));
    said.push(if run.settled {
        format!("It has settled: the last {windows} agree, after {} in all.", bytes(run.host_bytes))
    } else {
        format!("It has NOT settled after {}: this is the mean of the last {windows}.", bytes(run.host_bytes))
    });
    if let Some(spare) = run.greedy_spare_share().filter(|_| run.settled) {
        said.push(format!(
            "A drive that always collects the block with the fewest valid pages comes to that with {:.1} % \
             of spare area.",
            100.0 * spare
        ));
    }
    said
}

/// `uniform random writes`, `writes by Zipf's law, theta 0.99`.
pub(crate) fn pattern_words(pattern: WritePattern) -> String {
    match pattern {
        WritePattern::Uniform => "uniform random writes".to_owned(),
        WritePattern::Sequential => "sequential writes".to_owned(),
        WritePattern::Zipf(theta) => format!("writes by Zipf's law, theta {theta},"),
        WritePattern::Zones { pages, writes } => {
            format!("random writes, {} of them to {} of the pages,", percent(writes), percent(pages))
        }
    }
}

fn part(run: &WriteAmplificationRun) -> String {
    let size = bytes(run.part_bytes);
    if run.fill < 1.0 {
        format!("{size} ({} % of what is used)", significant(100.0 * run.fill))
    } else {
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::written_profile;

    #[test]
    fn a_level_is_told_with_its_interval_and_one_that_has_not_settled_is_named() {
        let mut found = written_profile().experiments.write_amplification.expect("measured");
        let said = summary(&found).join(" ");
        for part in [
            "uniform random writes of 4K to 4.00 GiB",
            "3.19 (3.16–3.22) bytes",
            "the last 6 windows of 1.00 GiB agree",
            "20.0 % of spare area",
        ] {
            assert!(said.contains(part), "no {part:?} in {said:?}");
        }
        found.latest.settled = false;
        found.latest.pattern = WritePattern::Zones { pages: 0.1, writes: 0.9 };
        found.latest.fill = 0.5;
        let said = summary(&found).join(" ");
        assert!(said.contains("NOT settled") && !said.contains("spare area"), "{said}");
        assert!(said.contains("90 % of them to 10 % of the pages") && said.contains("50.0 %"), "{said}");
    }
}
