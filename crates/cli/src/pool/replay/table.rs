//! A replay in the terminal.

use leadline_device::format_size;
use leadline_figures::Text;
use leadline_pool::replay::ReplayReport;

/// Names on the left, numbers with their units on the right.
pub(super) fn text(replayed: &ReplayReport) -> Text {
    let outcome = &replayed.outcome;
    let mut rows = vec![
        ("policy", outcome.policy.clone()),
        ("ace", format!("{}, n = {}", outcome.ace, outcome.n)),
        ("cleaner", outcome.cleaner.clone()),
        ("clients", outcome.clients.to_string()),
        ("frames", format!("{} of {}", outcome.frames, format_size(replayed.page_bytes.into()))),
        ("pages touched", replayed.pages.to_string()),
        ("operations", format!("{}, {} of them writes", outcome.operations, outcome.operations_writing)),
        ("hits", format!("{:.2} %", replayed.hit_percent)),
        ("misses", outcome.misses.to_string()),
        ("writes", format!("{}, {} by the cleaner", outcome.writes, outcome.writes_by_cleaner)),
        ("batches", outcome.batches.to_string()),
        ("read ahead", format!("{}, {} of them used", outcome.prefetches, outcome.prefetches_used)),
        ("waits", format!("{} for pages, {} for the cleaner", replayed.waits, replayed.cleaner_waits)),
        ("time", format!("{:.3} s", outcome.seconds.unwrap_or(0.0))),
        ("operations/s", format!("{:.0}", replayed.operations_per_second)),
        ("reads/s", format!("{:.0}", replayed.reads_per_second)),
        ("writes/s", format!("{:.0}", replayed.writes_per_second)),
    ];
    if let Some(us) = outcome.latency_us {
        let text = format!(
            "{:.0} us mean, {:.0} us p50, {:.0} us p99, {:.0} us p99.9",
            us.mean, us.p50, us.p99, us.p999
        );
        rows.push(("latency of misses", format!("{text}, {:.0} us at most", us.max)));
    }
    if let Some(checkpoint) = replayed.checkpoint {
        rows.push(("checkpoint", format!("{:.3} s, {} writes", checkpoint.seconds, checkpoint.writes)));
    }
    let verified =
        replayed.verified_pages.map_or("none".to_owned(), |pages| format!("{pages} pages, all right"));
    rows.push(("verified", verified));
    let mut text = Text::new();
    if !replayed.complete {
        text.say("PARTIAL");
    }
    rows.iter().for_each(|(name, value)| text.set(format!("{name:<18} {value}"), [0, 19]));
    text
}
