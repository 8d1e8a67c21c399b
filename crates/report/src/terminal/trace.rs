//! Traces and replays in the terminal.

use leadline_profile::Replay;
use leadline_trace::Info;

use super::table::{finish, new_table};
use super::{NARROWEST, wrap};
use crate::trace::{self, Row};

/// What a trace is like, for a terminal `width` columns wide (60 at least). Ends with a newline.
pub fn render_trace_info(info: &Info, width: usize) -> String {
    let width = width.max(NARROWEST);
    let mut out =
        vec![wrap(&format!("{}, a trace of {}s", info.trace, info.unit), width, "  "), String::new()];
    out.push(rows(&trace::info_rows(info), width));
    let caches = trace::caches(info);
    if !caches.is_empty() {
        let mut table = new_table(width);
        table.set_header(["LRU cache", "pages", "size", "misses"]);
        for cache in caches {
            table.add_row([
                format!("{} of the footprint", cache.share),
                cache.pages,
                cache.size,
                cache.misses,
            ]);
        }
        out.extend([String::new(), finish(table, usize::MAX)]);
    }
    out.join("\n") + "\n"
}

/// The result of a replay, for a terminal `width` columns wide (60 at least). Ends with a newline.
pub fn render_replay(replay: &Replay, width: usize) -> String {
    let width = width.max(NARROWEST);
    let title = format!("{} replayed on {}", replay.trace, replay.device);
    let mut out = vec![wrap(&title, width, "  "), String::new()];
    if let Some(reason) = &replay.stopped_by {
        out.extend([wrap(&format!("PARTIAL: {reason}"), width, "  "), String::new()]);
    }
    out.push(rows(&trace::replay_rows(replay), width));
    let latencies = trace::latencies(replay);
    if !latencies.is_empty() {
        let mut table = new_table(width);
        table.set_header(trace::LATENCY_COLUMNS);
        latencies.into_iter().for_each(|line| {
            table.add_row(line);
        });
        out.extend([String::new(), finish(table, usize::MAX)]);
    }
    out.join("\n") + "\n"
}

/// Two columns of words.
pub(super) fn rows(rows: &[Row], width: usize) -> String {
    let mut table = new_table(width);
    for row in rows {
        table.add_row([row.name.to_owned(), super::printable(&row.value)]);
    }
    finish(table, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::traces::{empty_info, partial_replay, sample_info, sample_replay};

    fn widest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn it_fits_the_width_it_is_given() {
        for width in [60, 80, 120] {
            for text in [sample_info(), empty_info()].map(|info| render_trace_info(&info, width)) {
                assert!(widest(&text) <= width, "{} > {width}:\n{text}", widest(&text));
            }
            for text in [sample_replay(), partial_replay()].map(|replay| render_replay(&replay, width)) {
                assert!(widest(&text) <= width, "{} > {width}:\n{text}", widest(&text));
            }
        }
    }

    #[test]
    fn the_numbers_are_there() {
        let info = sample_info();
        let text = render_trace_info(&info, 100);
        for words in
            ["20,000, ", " reads", "footprint", "exactly (up to", "LRU cache", "100 % of the footprint"]
        {
            assert!(text.contains(words), "no {words:?} in {text}");
        }
        let last = text.lines().last().unwrap();
        assert!(last.ends_with(&crate::format::share(1.0 - info.repeat_share.unwrap())), "{last}");
        assert!(render_trace_info(&empty_info(), 100).contains("requests       0"));
    }

    #[test]
    fn a_sample_and_bad_lines_are_said() {
        let mut info = sample_info();
        info.sampling.exact = false;
        info.sampling.rate = 0.125;
        info.bad_lines.count = 1234;
        let text = render_trace_info(&info, 100);
        assert!(text.contains("12.5 % of them (SHARDS)") && text.contains("about "), "{text}");
        assert!(text.contains("1,234, skipped"), "{text}");
    }

    #[test]
    fn a_replay_has_its_tail_and_what_was_changed() {
        let text = render_replay(&sample_replay(), 120);
        for words in ["p99.99", "reads", "writes", "all", "as recorded", "planned", "modulo", "requests/s"] {
            assert!(text.contains(words), "no {words:?} in {text}");
        }
        assert!(render_replay(&partial_replay(), 100).contains("PARTIAL: interrupted"));
    }
}
