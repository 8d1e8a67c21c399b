//! What a trace asked of each of its files, in the terminal.

use leadline_trace::by_file::ByFile;

use super::table::{finish, new_table};
use super::trace::rows;
use super::{NARROWEST, printable, wrap};
use crate::by_file::{COLUMNS, cells, names_words, rows as rows_of};

/// Files that are shown one by one.
const MOST_SHOWN: usize = 30;

/// A name has at most so many characters, its last ones.
const LONGEST_NAME: usize = 36;

/// What a trace asked of each of its files, for a terminal `width` columns wide (60 at least). Ends with a
/// newline.
pub fn render_by_file(found: &ByFile, width: usize) -> String {
    let width = width.max(NARROWEST);
    let mut out = vec![wrap(&format!("{}, by file", found.trace), width, "  ")];
    out.extend(names_words(found).map(|words| wrap(words, width, "  ")));
    out.extend([String::new(), rows(&rows_of(found), width)]);
    if !found.files.is_empty() {
        out.extend([String::new(), table(found, width)]);
    }
    if let Some(more @ 1..) = found.files.len().checked_sub(MOST_SHOWN) {
        out.push(wrap(&format!("and {more} more files; --json has all of them"), width, "  "));
    }
    out.join("\n") + "\n"
}

fn table(found: &ByFile, width: usize) -> String {
    // Where there is little room, what is left out first is what the other columns nearly say.
    let kept: Vec<usize> = match width {
        116.. => (0..COLUMNS.len()).collect(),
        90.. => vec![0, 1, 2, 3, 4, 6, 7, 8],
        _ => vec![0, 2, 3, 6, 7],
    };
    let mut table = new_table(width);
    table.set_header(kept.iter().map(|&i| COLUMNS[i]));
    let files = found.files.iter().take(MOST_SHOWN).map(|file| (shortened(&file.name), &file.usage));
    for (name, usage) in files.chain([("all".to_owned(), &found.all)]) {
        let cells = cells(&name, usage);
        table.add_row(kept.iter().map(|&i| cells[i].clone()));
    }
    finish(table, usize::MAX)
}

/// The end of a long name tells more than its beginning.
fn shortened(name: &str) -> String {
    let name = printable(name);
    let long = name.chars().count().checked_sub(LONGEST_NAME).filter(|long| *long > 0);
    match long {
        Some(long) => format!("…{}", name.chars().skip(long + 1).collect::<String>()),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::traces::{files_without_times, many_files, sample_by_file};

    #[test]
    fn it_fits_the_width_it_is_given() {
        for width in [60, 80, 100, 120, 200] {
            for found in [sample_by_file(), many_files(), files_without_times()] {
                let text = render_by_file(&found, width);
                let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(widest <= width, "{widest} > {width}:\n{text}");
            }
        }
    }

    #[test]
    fn the_numbers_are_there() {
        let text = render_by_file(&sample_by_file(), 130);
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
    }

    #[test]
    fn what_a_trace_lacks_is_said() {
        let text = render_by_file(&files_without_times(), 100);
        assert!(text.contains("each volume stands for a file"), "{text}");
        assert!(text.contains("does not say when requests were completed"), "{text}");
        let text = render_by_file(&many_files(), 100);
        assert!(text.contains("and 70 more files; --json has all of them"), "{text}");
        assert!(text.contains('…') && text.contains("about "), "{text}");
    }
}
