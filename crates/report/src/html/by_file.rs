//! The page of a trace by file.

use leadline_trace::by_file::ByFile;
use minijinja::context;
use minijinja::value::{Serde, Value};
use serde::Serialize;

use super::traces::{Tile, fill};
use crate::ReportError;
use crate::by_file::{LONG_COLUMNS, cells, names_words, rows, time};
use crate::format::{block, bytes};
use crate::format::{exact, share};

const SCRIPT: &str = include_str!("../../assets/by_file.js");

/// Files that the page shows one by one; a line takes about 500 bytes.
const MOST_SHOWN: usize = 2000;

/// Files that the chart shows.
const MOST_BARS: usize = 24;

/// What the script reads. `base.js` looks for profiles; here are none.
#[derive(Serialize)]
struct Data {
    profiles: [(); 0],
    files: Vec<Bar>,
}

/// The page accesses of a file.
#[derive(Serialize)]
struct Bar {
    name: String,
    sequential_reads: u64,
    random_reads: u64,
    writes: u64,
}

/// A page for a trace by file: what was asked of each, in sequence or at random, how often again, and for how
/// long. Self-contained as [`render_page`](crate::render_page)'s.
///
/// # Errors
/// [`ReportError::Template`].
pub fn render_by_file_page(found: &ByFile) -> Result<String, ReportError> {
    let shown = found.files.iter().take(MOST_SHOWN);
    let mut lines: Vec<Vec<String>> = shown.map(|file| cells(&file.name, &file.usage).to_vec()).collect();
    lines.push(cells("all", &found.all).to_vec());
    let bars = found.files.iter().take(MOST_BARS).filter(|file| file.usage.page_accesses > 0);
    let data = Data {
        profiles: [],
        files: bars
            .map(|file| Bar {
                name: file.name.clone(),
                sequential_reads: file.usage.sequential_page_reads,
                random_reads: file.usage.random_page_reads,
                writes: file.usage.page_writes,
            })
            .collect(),
    };
    let rest = context! {
        title => format!("{}, by file", found.trace),
        found => Value::from(Serde(found)),
        page => block(found.page_bytes),
        extent => bytes(found.extent_bytes),
        bad_lines => exact(found.bad_lines.count as f64),
        unnamed => names_words(found),
        tiles => Value::from(Serde(tiles(found))),
        rows => Value::from(Serde(rows(found))),
        columns => LONG_COLUMNS.to_vec(),
        lines => lines,
        more => found.files.len().saturating_sub(MOST_SHOWN),
        charted => !data.files.is_empty(),
    };
    fill("by_file.html", rest, &data, SCRIPT)
}

fn tiles(found: &ByFile) -> Vec<Tile> {
    let all = &found.all;
    let tile = |value: Option<String>, meaning| Tile { value: value.unwrap_or("–".to_owned()), meaning };
    vec![
        tile(all.class.map(|class| class.name().to_owned()), "how it reads"),
        tile(all.random_read_share.map(share), "of the pages read at random"),
        tile(all.repeat_access_rate.map(|rate| format!("{rate:.2}")), "accesses per page"),
        tile(Some(bytes(all.footprint_bytes)), "footprint: distinct pages"),
        tile(all.io_seconds.map(time), "with requests in flight"),
        tile(found.computing_seconds.map(time), "computing"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::ECHARTS;
    use crate::sample::traces::{files_without_times, many_files, sample_by_file};

    fn page(found: &ByFile) -> String {
        render_by_file_page(found).expect("a page").replace(ECHARTS, "")
    }

    #[test]
    fn names_of_files_are_no_markup() {
        let mut found = sample_by_file();
        let evil = "</script><img src=x onerror=alert(1)>";
        found.files[0].name = evil.to_owned();
        found.trace = evil.to_owned();
        let page = page(&found);
        assert!(!page.contains("<img") && page.contains("&lt;img"));
    }

    #[test]
    fn the_numbers_are_in_the_table() {
        let text = page(&sample_by_file());
        for words in ["t/orders.ibd", "random and repeated", "3.00", "6.00 s", "id=\"f-pages\""] {
            assert!(text.contains(words), "no {words:?}");
        }
        assert!(page(&files_without_times()).contains("each volume stands for a file"));
        assert!(page(&many_files()).len() < crate::PAGE_LIMIT_BYTES);
        let mut nothing = sample_by_file();
        nothing.files.clear();
        assert!(!page(&nothing).contains("class=\"plot\""), "a chart of nothing");
    }
}
