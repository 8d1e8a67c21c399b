//! The pages of a trace and of a replay.

use leadline_profile::Replay;
use leadline_trace::Info;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::{AXES, BASE, CSS, DRAW, ECHARTS, environment, script_json};
use crate::ReportError;
use crate::format::{bandwidth, bytes, count, micros};
use crate::format::{exact, share};
use crate::trace;

const TRACE: &str = include_str!("../../assets/trace.js");
const REPLAY: &str = include_str!("../../assets/replay.js");

/// What the scripts read. `base.js` looks for profiles; here are none.
#[derive(Serialize)]
struct Data<'a> {
    profiles: [(); 0],
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a Info>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<&'a Replay>,
}

/// A large number with what it means.
#[derive(Serialize)]
pub(super) struct Tile {
    pub(super) value: String,
    pub(super) meaning: &'static str,
}

/// A page for a trace: the miss-ratio curve of LRU caches, reuse distances, where and when requests go, their
/// sizes, and how hot pages are. Self-contained as [`render_page`](crate::render_page)'s.
///
/// # Errors
/// [`ReportError::Template`].
pub fn render_trace_page(info: &Info) -> Result<String, ReportError> {
    let rest = context! {
        title => info.trace.clone(),
        info => Value::from(Serde(info)),
        bad_lines => exact(info.bad_lines.count as f64),
        sentences => trace::info_sentences(info),
        tiles => Value::from(Serde(info_tiles(info))),
        rows => Value::from(Serde(trace::info_rows(info))),
        caches => Value::from(Serde(trace::caches(info))),
        sampling => trace::sampling_words(info),
    };
    fill("trace.html", rest, &Data { profiles: [], trace: Some(info), replay: None }, TRACE)
}

/// A page for a replay: the distribution and the tail of latency, and latency and load over time.
/// Self-contained as [`render_page`](crate::render_page)'s.
///
/// # Errors
/// [`ReportError::Template`].
pub fn render_replay_page(replay: &Replay) -> Result<String, ReportError> {
    let rest = context! {
        title => format!("{} on {}", replay.trace, replay.device),
        replay => Value::from(Serde(replay)),
        tiles => Value::from(Serde(replay_tiles(replay))),
        rows => Value::from(Serde(trace::replay_rows(replay))),
        columns => trace::LATENCY_COLUMNS.to_vec(),
        latencies => trace::latencies(replay),
    };
    fill("replay.html", rest, &Data { profiles: [], trace: None, replay: Some(replay) }, REPLAY)
}

/// The template with a chart script that finds `data`.
pub(super) fn fill(
    template: &str,
    rest: Value,
    data: &impl Serialize,
    script: &str,
) -> Result<String, ReportError> {
    let scripts = [BASE, AXES, DRAW, script].map(|script| Value::from_safe_string(script.to_owned()));
    let shared = context! {
        leadline => env!("CARGO_PKG_VERSION"),
        css => Value::from_safe_string(CSS.to_owned()),
        echarts => Value::from_safe_string(ECHARTS.to_owned()),
        scripts => Value::from(scripts.to_vec()),
        data => Value::from_safe_string(script_json(data)),
    };
    Ok(environment()?.get_template(template)?.render(context! { ..rest, ..shared })?)
}

fn info_tiles(info: &Info) -> Vec<Tile> {
    let tile = |value: String, meaning| Tile { value, meaning };
    let shown = |of: Option<f64>| of.map_or("–".to_owned(), share);
    let hot = info.hotness.hot_sets.get(2).map(|hot| hot.share_of_pages);
    vec![
        tile(count(info.requests.count as f64), "requests"),
        tile(shown(info.requests.read_share), "of them reads"),
        tile(bytes(info.footprint_bytes as u64), "footprint: distinct pages"),
        tile(shown(info.repeat_share), "of accesses to pages accessed before"),
        tile(shown(hot), "of the pages get 90 % of accesses"),
        tile(shown(info.requests.sequential_share), "of requests go on where the last ended"),
    ]
}

fn replay_tiles(replay: &Replay) -> Vec<Tile> {
    let tile = |value: String, meaning| Tile { value, meaning };
    let rate = |amount: u64| if replay.seconds > 0.0 { amount as f64 / replay.seconds } else { 0.0 };
    let latency = replay.all.latency.unwrap_or_default();
    vec![
        tile(count(rate(replay.all.requests)), "requests/s"),
        tile(bandwidth(rate(replay.all.bytes)), "reads and writes"),
        tile(micros(latency.p50), "p50"),
        tile(micros(latency.p99), "p99"),
        tile(micros(latency.p99_9), "p99.9"),
        tile(micros(latency.max), "longest"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::traces::{empty_info, partial_replay, sample_info, sample_replay};

    const EVIL: &str = "</script><img src=x onerror=alert(1)>";

    fn ours(page: &str) -> String {
        page.replace(ECHARTS, "")
    }

    #[test]
    fn nothing_from_a_trace_becomes_markup() {
        let mut info = sample_info();
        info.trace = EVIL.to_owned();
        info.bad_lines.count = 1;
        info.bad_lines.first = vec![EVIL.to_owned()];
        let mut replay = sample_replay();
        for field in [&mut replay.trace, &mut replay.target, &mut replay.device, &mut replay.pace] {
            *field = EVIL.to_owned();
        }
        replay.engine = EVIL.into();
        replay.stopped_by = Some(EVIL.to_owned());
        replay.first_bad_lines = vec![EVIL.to_owned()];
        for page in [render_trace_page(&info), render_replay_page(&replay)] {
            let page = ours(&page.expect("a page"));
            assert!(!page.contains("<img"), "markup from the trace got through");
            assert!(page.contains("&lt;img"), "the text itself is shown");
        }
    }

    #[test]
    fn the_pages_ask_nobody_for_anything() {
        let pages = [render_trace_page(&sample_info()), render_replay_page(&sample_replay())];
        for page in pages.map(|page| ours(&page.expect("a page"))) {
            for word in ["http:", "https:", "src=", "url(", "@import", "fetch(", "XMLHttp"] {
                assert!(!page.contains(word), "{word} in the page");
            }
        }
    }

    #[test]
    fn traces_of_nothing_and_runs_cut_short_have_pages_too() {
        let page = ours(&render_trace_page(&empty_info()).expect("a page"));
        assert!(page.contains("This trace has no requests."));
        assert!(!page.contains("class=\"plot\""), "a chart of nothing");
        let page = ours(&render_replay_page(&partial_replay()).expect("a page"));
        assert!(page.contains("role=\"alert\"") && page.contains("interrupted"));
    }
}
