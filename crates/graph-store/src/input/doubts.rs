//! Lines in columns that may be something else than edges: what their values look like.

use leadline_text::{Dialect, Kind, Sample, shown};

use super::chunks::Wrong;
use super::columns::Chosen;
use super::counts::{Counts, Row};
use super::names::is_type;
use super::{IdMode, InputOptions};
use crate::InputOption;

/// What is wrong, and the line that shows it.
pub(super) type Doubt = (u64, Wrong);

/// Whether what `sample` holds, which begins at the first edge, may be something else than edges; `above` is
/// the last comment above it.
///
/// # Errors
/// What else, with the option that says that it is not.
pub(super) fn check(
    sample: &Sample<'_>,
    above: Option<&[u8]>,
    dialect: &Dialect,
    chosen: &Chosen,
    options: &InputOptions,
) -> Result<Option<Counts>, Doubt> {
    let rows = dialect.rows(sample);
    let Some((line, _)) = rows.first() else { return Ok(None) };
    let doubt = |what: String, option| Err((*line, Wrong { text: what, option: Some(option) }));
    let columns_are_given = options.columns.source.is_some() && options.columns.target.is_some();
    for column in [chosen.source, chosen.target] {
        let example = || shown(rows[0].1.get(column).map_or(&b""[..], |field| field));
        if !columns_are_given && all(&rows, column, is_sign) {
            let what = format!("column {} holds signs such as {} and no ids", column + 1, example());
            return doubt(what, InputOption::SourceColumn);
        }
        if options.ids == IdMode::Strings {
            continue;
        }
        let what = if all(&rows, column, is_number_in_signs) {
            "a number with something around it"
        } else if all(&rows, column, is_list) {
            "a list of several numbers"
        } else if kind(&rows, column) == Kind::Number {
            "a number that is not whole"
        } else {
            continue;
        };
        let example = example();
        let what =
            format!("expected an id, found {example}, {what}; where it is a name, read ids as strings");
        return doubt(what, InputOption::Ids);
    }
    check_zeros(&rows, chosen, options)?;
    check_type(&rows, dialect, chosen, options)?;
    if options.text.comment.is_none() {
        check_lists(sample, above, dialect, chosen)?;
    }
    match Counts::of(&rows, dialect, chosen).filter(|_| options.text.header.is_none()) {
        Some(counts) if sample.whole => counts.check(rows.len() as u64).map_err(|wrong| (*line, wrong))?,
        counts => return Ok(counts),
    }
    Ok(None)
}

fn all(rows: &[Row<'_>], column: usize, is: impl Fn(&[u8]) -> bool) -> bool {
    rows.iter().all(|(_, row)| row.get(column).is_some_and(|field| is(field)))
}

fn kind(rows: &[Row<'_>], column: usize) -> Kind {
    let kinds = rows.iter().filter_map(|(_, row)| row.get(column)).map(|field| Kind::of(field));
    kinds.max().unwrap_or(Kind::Empty)
}

/// `->`, `--`, `+`: what other notations write between or in front of ids.
fn is_sign(field: &[u8]) -> bool {
    let is = |letter: char| letter.is_ascii_punctuation() || "−–—＋→←↔⇒".contains(letter);
    std::str::from_utf8(field).is_ok_and(|text| !text.is_empty() && text.chars().all(is))
}

/// `1:`, `<1>`, `'1'`, `(1`: of other notations. A sign of a number is none of them.
fn is_number_in_signs(field: &[u8]) -> bool {
    let is_around = |byte: &u8| b"()[]{}<>:;,|\"'".contains(byte);
    let first = field.iter().position(|byte| !is_around(byte));
    let last = field.iter().rposition(|byte| !is_around(byte));
    let (Some(first), Some(last)) = (first, last) else { return false };
    last - first + 1 < field.len() && Kind::of(&field[first..=last]) == Kind::Integer
}

/// `2,3`: of adjacency lists.
fn is_list(field: &[u8]) -> bool {
    let mut numbers = field.split(|byte| matches!(byte, b',' | b';' | b' ')).filter(|part| !part.is_empty());
    field.iter().any(|byte| matches!(byte, b',' | b';' | b' '))
        && numbers.all(|part| Kind::of(part) == Kind::Integer)
}

/// Numbers lose their leading zeros: 01 would be 1.
fn check_zeros(rows: &[Row<'_>], chosen: &Chosen, options: &InputOptions) -> Result<(), Doubt> {
    let ends = [chosen.source, chosen.target];
    let are_numbers = ends.iter().all(|column| kind(rows, *column) == Kind::Integer);
    if options.ids != IdMode::Auto || !are_numbers {
        return Ok(());
    }
    for (line, row) in rows {
        let zeros = |column: &&usize| row.get(**column).is_some_and(|id| id.len() > 1 && id[0] == b'0');
        if let Some(column) = ends.iter().find(zeros) {
            let text = format!(
                "{} may be a number, which loses its leading zeros, or a name; read ids as numbers or as strings",
                shown(&row[*column])
            );
            return Err((*line, Wrong { text, option: Some(InputOption::Ids) }));
        }
    }
    Ok(())
}

/// Gephi says in a column which edges are undirected.
fn check_type(
    rows: &[Row<'_>],
    dialect: &Dialect,
    chosen: &Chosen,
    options: &InputOptions,
) -> Result<(), Doubt> {
    let Some(names) = dialect.header.as_ref().filter(|_| !options.ignore_columns) else { return Ok(()) };
    for column in chosen.ignored.iter().filter(|column| is_type(&names[**column])) {
        let undirected = |(_, row): &&Row<'_>| {
            row.get(*column).is_some_and(|field| field.eq_ignore_ascii_case(b"undirected"))
        };
        if let Some((line, _)) = rows.iter().find(undirected) {
            let text = format!(
                "column {}, \"{}\", says that edges lead both ways; leave it out and import all edges as undirected",
                column + 1,
                names[*column]
            );
            return Err((*line, Wrong { text, option: Some(InputOption::IgnoredDirection) }));
        }
    }
    Ok(())
}

/// Comments between lines may be what other formats have there: `#` alone ends the vertices of the Trivial
/// Graph Format, and `# 5` begins the neighbours of 5 in LGL.
fn check_lists(
    sample: &Sample<'_>,
    above: Option<&[u8]>,
    dialect: &Dialect,
    chosen: &Chosen,
) -> Result<(), Doubt> {
    let comments: Vec<_> = sample.lines.iter().filter(|line| dialect.is_comment(line.text)).collect();
    let is_heading = |line: &[u8]| is_heading(line, dialect, chosen);
    let what = match comments.as_slice() {
        [one] if one.text == b"#" => "may be a comment, or the end of a list of vertices",
        [_, ..] if above.is_some_and(is_heading) && comments.iter().all(|line| is_heading(line.text)) => {
            "may be a comment, or a vertex whose neighbours follow"
        }
        _ => return Ok(()),
    };
    let text = format!("{} {what}", shown(comments[0].text));
    Err((comments[0].number, Wrong { text, option: Some(InputOption::Comment) }))
}

/// `# 5`, where ids are of this kind.
fn is_heading(line: &[u8], dialect: &Dialect, chosen: &Chosen) -> bool {
    let word = line.strip_prefix(b"# ").unwrap_or_default().trim_ascii();
    !word.is_empty()
        && !word.iter().any(u8::is_ascii_whitespace)
        && dialect.kinds.get(chosen.source) == Some(&Kind::of(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_other_notations_are_known() {
        for field in ["1:", "<1>", "(1", "'1'", "1;", "[1]"] {
            assert!(is_number_in_signs(field.as_bytes()), "{field}");
        }
        for field in ["1", "-1", "n1", "1a:", "a:", "<a>", "", "::", "1.5", "10.0.0.1"] {
            assert!(!is_number_in_signs(field.as_bytes()), "{field}");
        }
        assert!(["->", "--", "+", "−"].iter().all(|field| is_sign(field.as_bytes())));
        assert!(!["a", "1", "-1", "", "日", "_a"].iter().any(|field| is_sign(field.as_bytes())));
        assert!(is_list(b"2,3") && is_list(b"2 3") && !is_list(b"2") && !is_list(b"a,b"));
    }
}
