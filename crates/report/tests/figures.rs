//! What other crates describe, in a terminal and on a page.

mod common;

use leadline_figures::{Page, Text};
use leadline_report::{render_figures, render_text};

use leadline_lsm::figures::{advice_page, validation_page};
use leadline_lsm::options::{OptionsFile, RocksVersion};
use leadline_lsm::validate::{Kind, LayoutName, Record};
use leadline_measure::replay::{replay_page, replay_text};
use leadline_pool::simulate::{Swept, SweptPool};

use common::graphs::{empty_graph, sample_graph};
use common::lsm::{sample_advice, sample_validation, small_validation, unpredicted_validation};
use common::place::sample_study;
use common::pools::{pool, sweep};
use common::traces::{
    empty_info, files_without_times, many_files, partial_replay, sample_by_file, sample_info, sample_replay,
};

const EVIL: &str = "</script><img src=x onerror=alert(1)>";

/// All that is described.
fn texts() -> Vec<Text> {
    let graphs = [sample_graph(), empty_graph()].map(|info| info.text());
    let traces = [sample_info(), empty_info()].map(|info| info.text());
    let files = [sample_by_file(), many_files(), files_without_times()].map(|found| found.text());
    let replays = [sample_replay(), partial_replay()].map(|replay| replay_text(&replay));
    graphs.into_iter().chain(traces).chain(files).chain(replays).collect()
}

fn pages() -> Vec<Page> {
    let graphs = [sample_graph(), empty_graph()].map(|info| info.page());
    let traces = [sample_info(), empty_info()].map(|info| info.page());
    let files = [sample_by_file(), many_files(), files_without_times()].map(|found| found.page());
    let replays = [sample_replay(), partial_replay()].map(|replay| replay_page(&replay));
    let lsm = [sample_validation(), small_validation(), unpredicted_validation()];
    let lsm = lsm.iter().map(validation_page).chain(["point=50,insert=50", "insert=100"].map(advised));
    let pools = sweep(vec![pool("off", "off", 3.0), pool("cow", "off", 2.0)]);
    let pages = graphs.into_iter().chain(traces).chain(files).chain(replays).chain(lsm);
    pages.chain([sample_study().page(), pools.page()]).collect()
}

/// The advice on a layout for a mix.
fn advised(mix: &str) -> Page {
    let sample = sample_advice(mix);
    let advice = sample.advice();
    let options = OptionsFile::new(&advice.chosen.prediction.layout, RocksVersion::V8_6);
    advice_page(&advice, &sample.wanted, &sample.question(), &options)
}

/// What is ours of a page, without ECharts and with ordinary spaces.
fn ours(page: &Page) -> String {
    let html = render_figures(page).expect("a page");
    let library = include_str!("../vendor/echarts/echarts.min.js");
    html.replace(library, "").replace('\u{a0}', " ")
}

#[test]
fn a_text_fits_the_width_it_is_given() {
    for width in [60, 80, 100, 120, 200] {
        for text in texts() {
            let text = render_text(&text, width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
        }
    }
}

#[test]
fn a_page_asks_nobody_for_anything_and_nothing_becomes_markup() {
    for mut page in pages() {
        page.title = EVIL.to_owned();
        page.heading.clone_from(&page.title);
        let html = ours(&page);
        assert!(!html.contains("<img") && html.contains("&lt;img"));
        for word in ["http:", "https:", "url(", "@import", "fetch(", "XMLHttp"] {
            assert!(!html.contains(word), "{word} in the page");
        }
    }
}

#[test]
fn what_a_graph_store_holds_is_shown() {
    let text = render_text(&sample_graph().text(), 100);
    for part in ["61,728,394, directed", "2.00 bytes per edge", "98.7 % full", "524,288-1,048,575", "12.5 s"]
    {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    assert!(!render_text(&empty_graph().text(), 100).contains('#'));
    assert!(ours(&sample_graph().page()).contains("class=\"plot\""));
    assert!(!ours(&empty_graph().page()).contains("class=\"plot\""), "a chart of nothing");
}

#[test]
fn an_undirected_edge_has_two_ends() {
    let mut info = sample_graph();
    (info.vertices, info.edges, info.self_loops, info.directed) = (4, 4, 0, true);
    assert!(render_text(&info.text(), 100).contains("1.00 on average"));
    info.directed = false;
    assert!(render_text(&info.text(), 100).contains("2.00 on average"));
}

#[test]
fn degrees_are_gathered_by_powers_of_two() {
    let text = render_text(&sample_graph().text(), 100);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let head = lines.iter().position(|line| line.starts_with("degree  ") && line.ends_with("share"));
    let starts = lines[head.expect("a table") + 1..].iter().map(|line| line.split(' ').next().unwrap_or(""));
    assert_eq!(starts.take(5).collect::<Vec<_>>(), ["0", "1", "2-3", "4-7", "8-15"], "{text}");
}

#[test]
fn the_numbers_of_a_trace_are_there() {
    let info = sample_info();
    let text = render_text(&info.text(), 100);
    for words in ["20,000, ", " reads", "footprint", "exactly (up to", "LRU cache", "100 % of the footprint"]
    {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    let last = text.lines().last().unwrap();
    assert!(last.ends_with(&leadline_figures::number::share(1.0 - info.repeat_share.unwrap())), "{last}");
    assert!(render_text(&empty_info().text(), 100).contains("requests       0"));
    let page = ours(&empty_info().page());
    assert!(page.contains("This trace has no requests."));
    assert!(!page.contains("class=\"plot\""), "a chart of nothing");
}

#[test]
fn a_sample_and_bad_lines_are_said() {
    let mut info = sample_info();
    info.sampling.exact = false;
    info.sampling.rate = 0.125;
    info.bad_lines.count = 1234;
    let text = render_text(&info.text(), 100);
    assert!(text.contains("12.5 % of them (SHARDS)") && text.contains("about "), "{text}");
    assert!(text.contains("1,234, skipped"), "{text}");
}

#[test]
fn a_replay_has_its_tail_and_what_was_changed() {
    let text = render_text(&replay_text(&sample_replay()), 120);
    for words in ["p99.99", "reads", "writes", "all", "as recorded", "planned", "modulo", "requests/s"] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    assert!(render_text(&replay_text(&partial_replay()), 100).contains("PARTIAL: interrupted"));
    let page = ours(&replay_page(&partial_replay()));
    assert!(page.contains("role=\"alert\"") && page.contains("interrupted"));
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
    let mut found = sample_by_file();
    found.files[0].name = EVIL.to_owned();
    found.trace = EVIL.to_owned();
    for page in [info.page(), replay_page(&replay), found.page()] {
        let page = ours(&page);
        assert!(!page.contains("<img"), "markup from the trace got through");
        assert!(page.contains("&lt;img"), "the text itself is shown");
    }
}

#[test]
fn what_was_asked_of_each_file_is_shown() {
    let text = render_text(&sample_by_file().text(), 130);
    for words in [
        "t/lineitem.ibd",
        "random and repeated",
        "repeat access rate  3.00 (900 accesses to pages)",
        "10.0 s: 4.00 s I/O, 6.00 s computing",
        "80.0 % random",
        "4.69 MiB",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    let last = text.lines().last().unwrap();
    assert!(last.trim_start().starts_with("all"), "{last}");
    let text = ours(&sample_by_file().page());
    for words in ["t/orders.ibd", "random and repeated", "3.00", "6.00 s", "id=\"f-pages\""] {
        assert!(text.contains(words), "no {words:?}");
    }
    let mut nothing = sample_by_file();
    nothing.files.clear();
    assert!(!ours(&nothing.page()).contains("class=\"plot\""), "a chart of nothing");
}

#[test]
fn what_a_trace_by_file_lacks_is_said() {
    let text = render_text(&files_without_times().text(), 100);
    assert!(text.contains("each volume stands for a file"), "{text}");
    assert!(text.contains("does not say when requests were completed"), "{text}");
    let text = render_text(&many_files().text(), 100);
    assert!(text.contains("and 70 more files; --json has all of them"), "{text}");
    assert!(text.contains('…') && text.contains("about "), "{text}");
    assert!(ours(&files_without_times().page()).contains("each volume stands for a file"));
    assert!(ours(&many_files().page()).len() < leadline_report::PAGE_LIMIT_BYTES);
}

#[test]
fn placement_has_every_size_and_query_in_its_tables() {
    let study = sample_study();
    let page = ours(&study.page());
    for size in &study.all.sizes {
        assert!(page.contains(&size.words), "{}", size.words);
        if let Some(best) = size.cached.first() {
            let name = format!("{}, {}", best.policy, best.admission);
            assert!(page.contains(&format!(">{name}<")), "{name}");
        }
    }
    for name in ["q3", "q16", "lineitem"] {
        assert!(page.contains(name), "{name}");
    }
    // One query alone is all queries.
    let mut alone = study;
    alone.queries.truncate(1);
    alone.each.truncate(1);
    assert!(!ours(&alone.page()).contains("Each query by itself"));
}

#[test]
fn nothing_from_queries_pools_and_databases_becomes_markup() {
    let mut study = sample_study();
    study.queries[0].name = EVIL.to_owned();
    study.files[0].name = EVIL.to_owned();
    study.fast = EVIL.to_owned();
    study.notes = vec![EVIL.to_owned()];
    let mut pools = sweep(vec![pool("off", "off", 3.0), pool("cow", "off", 2.0)]);
    (pools.trace, pools.device) = (EVIL.into(), Some(EVIL.into()));
    pools.notes.push(EVIL.into());
    pools.pools[0].outcome.policy = EVIL.into();
    let mut record = small_validation();
    record.machine.model = Some(EVIL.into());
    record.rocksdb = EVIL.into();
    record.measured_at = EVIL.into();
    let comparison = record.comparison.as_mut().expect("predictions");
    comparison.choices[0].mix = EVIL.into();
    comparison.cells[0].terms[0].name = EVIL.into();
    comparison.cells[0].off = vec![EVIL.into()];
    for page in [study.page(), pools.page(), validation_page(&record)] {
        let page = ours(&page);
        assert!(!page.contains("<img") && page.contains("&lt;img"));
        let page = page.replace("src=x", "");
        for word in ["http:", "https:", "src=", "url(", "@import", "fetch(", "XMLHttp"] {
            assert!(!page.contains(word), "{word} in the page");
        }
    }
}

/// Which of these figures a page has.
fn charts<'a>(page: &str, of: char, names: &[&'a str]) -> Vec<&'a str> {
    let is_there = |name: &&&str| page.contains(&format!("<figure class=\"card chart\" id=\"{of}-{name}\""));
    names.iter().filter(is_there).copied().collect()
}

#[test]
fn pools_have_only_charts_of_what_was_swept() {
    let of = |change: fn(&mut SweptPool)| {
        let mut more = pool("cow", "off", 2.0);
        change(&mut more);
        ours(&sweep(vec![pool("off", "off", 3.0), pool("cow", "off", 2.0), more]).page())
    };
    let all = ["policy", "modes", "n", "frames", "clients", "cleaner", "heat", "reads", "alpha"];
    let charts = |page: &str| charts(page, 'p', &all);
    assert_eq!(charts(&of(|c| c.outcome.policy = "clock".into())), ["policy"]);
    assert_eq!(charts(&of(|c| c.outcome.n = 16)), ["modes", "n"]);
    assert_eq!(charts(&of(|c| c.outcome.frames = 200)), ["modes", "frames"]);
    assert_eq!(charts(&of(|c| c.outcome.clients = 4)), ["modes", "clients"]);
    assert_eq!(charts(&of(|c| c.outcome.cleaner = "1".into())), ["modes", "cleaner"]);
    assert_eq!(charts(&of(|c| c.read_share = Some(10.0))), ["modes", "reads"]);
    assert_eq!(charts(&of(|c| c.alpha_1 = Some(2.0))), ["modes", "alpha"]);
    let both = of(|c| (c.outcome.clients, c.outcome.cleaner) = (4, "1".into()));
    assert_eq!(charts(&both), ["modes", "clients", "cleaner", "heat"]);
    assert!(charts(&ours(&sweep(vec![pool("off", "off", 3.0)]).page())).is_empty());
}

#[test]
fn a_page_that_is_too_large_is_refused() {
    let many = sweep(vec![pool("off", "off", 3.0); 30_000]);
    let refused = render_figures(&many.page());
    assert!(matches!(refused, Err(leadline_report::ReportError::TooLarge { .. })));
}

#[test]
fn what_is_swept_has_columns_and_what_is_not_stands_above() {
    let mut more = pool("cow-x", "off", 2.0);
    more.outcome.misses = 408;
    let text = render_text(&sweep(vec![pool("off", "off", 3.0), more]).text(), 100);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("gen:paper-ms?ops=1000 on sim:flash, pages of 4K"), "{text}");
    assert!(lines[1].contains("100 frames, 1 client, lru, cleaner off"), "{text}");
    assert!(lines[3].contains("ACE") && !lines[3].contains("policy"), "{text}");
    let row = lines.iter().find(|line| line.contains("cow-x")).unwrap();
    for word in ["59.2 %", "1.50×", "+2.00 %", "+0.00 %", "2.000"] {
        assert!(row.contains(word), "{word} in {row}");
    }
}

#[test]
fn without_a_base_nothing_is_said_to_be_gained() {
    let pools = sweep(vec![pool("cow", "off", 3.0), pool("cow-x", "off", 2.0)]);
    let text = render_text(&pools.text(), 100);
    assert!(!text.contains('×') && text.contains("–") && text.contains("--ace off"), "{text}");
    let alone = render_text(&sweep(vec![pool("cow", "off", 3.0)]).text(), 100);
    assert!(!alone.contains("speed-up") && !alone.contains("--ace"), "{alone}");
}

#[test]
fn without_a_device_there_are_no_seconds() {
    let mut counted = pool("off", "off", 0.0);
    (counted.outcome.seconds, counted.outcome.latency_us) = (None, None);
    let text = render_text(&Swept { device: None, ..sweep(vec![counted]) }.text(), 100);
    assert!(!text.contains("seconds") && text.contains("pages are counted"), "{text}");
}

/// The sentences of a page of a sweep.
fn said(pools: Vec<SweptPool>) -> String {
    let page = ours(&sweep(pools).page());
    page.split("<ol class=\"sentences small\">")
        .nth(1)
        .map_or(String::new(), |rest| rest.split("</ol>").next().unwrap_or_default().to_owned())
}

#[test]
fn the_best_and_the_worst_pool_are_named() {
    let (mut worse, mut base) = (pool("cow", "off", 1.0), pool("off", "off", 1.01));
    (worse.outcome.clients, worse.outcome.misses, base.outcome.clients) = (8, 404, 8);
    let several = said(vec![pool("off", "off", 3.0), pool("cow", "off", 2.0), base, worse]);
    for words in [
        "ACE is 1.01 to 1.50 times as fast as the same pool without it: most with cow, n = 8, 1 client, least with \
         cow, n = 8, 8 clients.",
        "ACE gains nothing (less than 1.02 times) in 1 of 2 pools.",
        "At worst ACE adds +1.00 % misses and +0.00 % page writes.",
    ] {
        assert!(several.contains(words), "no {words:?} in {several}");
    }
    assert_eq!(several.matches("<li>").count(), 3, "{several}");
    // What the cleaner gains is not credited to ACE, nor the other way round.
    let both = said(vec![
        pool("off", "off", 4.0),
        pool("off", "auto", 2.0),
        pool("cow", "off", 3.2),
        pool("cow", "auto", 1.6),
    ]);
    assert!(both.contains("<li>ACE is 1.25 to 1.25 times as fast"), "{both}");
    assert!(both.contains("<li>A cleaner that knows the device is 2.00 to 2.00 times"), "{both}");
    // And over a page cleaner with one write in flight.
    let classic = said(vec![pool("off", "off", 3.0), pool("off", "1", 2.5), pool("cow-x", "off", 2.0)]);
    assert!(classic.contains("with one write in flight is 1.25 (cow-x"), "{classic}");
    assert!(said(vec![pool("off", "off", 3.0)]).is_empty());
}

#[test]
fn every_cell_stands_in_the_table_with_its_prediction_and_what_is_off() {
    let record = sample_validation();
    let page = ours(&validation_page(&record));
    let compared = &record.comparison.as_ref().expect("predictions").cells;
    // Points and scans of five layouts by three numbers of clients; fills with two numbers of threads, and
    // with one for flash.
    assert_eq!(compared.len(), 2 * 5 * 3 + 4 * 2 + 1);
    let table = page.split("<h2>All cells</h2>").nth(1).expect("a table").split("</table>").next();
    let table = table.expect("an end");
    assert_eq!(table.matches("<tr><th").count(), compared.len() + 1);
    for cell in compared {
        let error = format!("<td>{:+.1} %</td>", 100.0 * cell.error);
        assert!(table.contains(&error), "no {error} of {} {:?}", cell.layout, cell.kind);
    }
    let off = compared.iter().find(|cell| !cell.off.is_empty()).expect("a term that is off");
    let term = off.terms.iter().find(|term| term.name == off.off[0]).expect("the term");
    let words = format!("{} {} against", term.name, leadline_figures::number::significant(term.predicted));
    assert!(table.contains(&words.replace(", us", ", µs")), "no {words}");
    assert!(page.contains("Example NVMe 980") && page.contains("per pair merged"));
    assert!(page.contains("Error of point queries: ") && page.contains("For point=100 by 16 clients"));
}

#[test]
fn ratios_are_those_of_flash_over_the_single_level() {
    let record = sample_validation();
    let time = |layout| {
        let cells = &record.comparison.as_ref().expect("predictions").cells;
        let cell = |c: &&leadline_lsm::validate::ComparedCell| {
            (c.kind, c.layout, c.clients) == (Kind::Scan, layout, Some(16))
        };
        let found = cells.iter().find(cell).expect("a cell");
        [found.measured.median, found.predicted.value]
    };
    let [flash, single] = [time(LayoutName::Flash), time(LayoutName::Single)];
    let page = ours(&validation_page(&record));
    let row = page.split("<tr><th scope=\"row\" class=\"left\">16</th>").nth(1).expect("a row");
    let row = row.split("</tr>").next().expect("an end");
    let cells: Vec<&str> = row.split("<td>").filter_map(|cell| cell.strip_suffix("</td>")).collect();
    let ratio = |i: usize| format!("{}×", leadline_figures::number::significant(flash[i] / single[i]));
    assert_eq!(cells[2..], [ratio(0), ratio(1)]);
}

#[test]
fn what_was_not_measured_of_a_database_has_no_chart() {
    let all = ["point", "scan", "fill", "flash-point", "flash-scan", "scatter"];
    let charts = |record: &Record| charts(&ours(&validation_page(record)), 'v', &all);
    assert_eq!(charts(&sample_validation()), all);
    assert_eq!(charts(&small_validation()), ["point", "scan", "fill", "scatter"]);
    assert_eq!(charts(&unpredicted_validation()), ["point", "scan", "fill"]);
    let page = ours(&validation_page(&unpredicted_validation()));
    assert!(page.contains("there are no predictions") && page.contains("Measured once"));
}

#[test]
fn an_advice_has_its_layouts_and_the_options_of_the_chosen_one() {
    let found = sample_advice("point=60,scan=10,insert=30").advice();
    let page = ours(&advised("point=60,scan=10,insert=30"));
    assert_eq!(page.matches("<tr class=\"chosen\">").count(), 1);
    for other in &found.neighbours {
        assert!(
            page.contains(&format!("<th scope=\"row\" class=\"left\">{}</th>", other.change)),
            "{}",
            other.change
        );
    }
    let options = leadline_lsm::options::write(&found.chosen.prediction.layout, RocksVersion::V8_6);
    let line = options.lines().find(|line| line.contains("write_buffer_size")).expect("an option");
    assert!(page.contains(line.trim()), "{line}");
    assert!(page.contains("For RocksDB 8.6"));
}
