//! Whether the first line names the columns.

use crate::row::Row;
use crate::{Hint, Kind, TextOption, Undecided, shown};

/// Whether the first line names the columns, and what shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    /// It does.
    pub(crate) there: bool,
    /// What shows it.
    pub(crate) evidence: &'static str,
}

/// Of the rows of a sample, of which the first is in the line `line`.
///
/// # Errors
/// Where nothing shows it, or one thing shows that and another the opposite.
pub(crate) fn detect(rows: &[Row<'_>], hint: &Hint, line: u64) -> Result<Header, Undecided> {
    let no = |evidence| Ok(Header { there: false, evidence });
    let yes = |evidence| Ok(Header { there: true, evidence });
    let Some((first, rest)) = rows.split_first() else { return no("there is no line") };
    if !hint.may_have_header {
        return no("its format has none");
    }
    let kinds: Vec<(Kind, Kind)> =
        (0..first.len()).map(|column| (Kind::of(&first[column]), column_kind(rest, column))).collect();
    let numeric = |kind: Kind| kind.is_numeric();
    if rest.is_empty() && kinds.iter().any(|(first, _)| numeric(*first))
        || kinds.iter().any(|(first, rest)| numeric(*first) && numeric(*rest))
    {
        return no("its first line has numbers like all other lines");
    }
    let known = first.iter().filter(|name| (hint.known)(&String::from_utf8_lossy(name))).count();
    let known = known >= hint.keys.min(2);
    let again =
        first.iter().enumerate().find(|(column, field)| occurs_again(field, *column, rest, hint.keys));
    match (known, again) {
        (true, None) => yes("it has known names"),
        (false, Some(_)) => no("the values of its first line occur in other lines too"),
        (true, Some((_, field))) => {
            let what = format!("has names of columns, but {} occurs in other lines too", shown(field));
            Err(undecided(line, &what))
        }
        (false, None) if kinds.iter().any(|(first, rest)| *first == Kind::Text && numeric(*rest)) => {
            yes("it has names where the other lines have numbers")
        }
        (false, None) if kinds.len() > 1 && kinds[0] == (Kind::Empty, Kind::Integer) => {
            yes("it names all columns but the one that numbers the lines")
        }
        _ => {
            let names: Vec<String> = first.iter().map(|name| shown(name)).collect();
            let what = format!("{} may be names of columns, or the first row", names.join(", "));
            Err(undecided(line, &what))
        }
    }
}

fn undecided(line: u64, what: &str) -> Undecided {
    Undecided::between(line, what.to_owned(), TextOption::Header, vec!["yes".to_owned(), "no".to_owned()])
}

/// Whether a name of the first line is in its own column again, or in one that holds things of the same
/// kind.
fn occurs_again(field: &[u8], column: usize, rest: &[Row<'_>], keys: usize) -> bool {
    let same = |row: &Row<'_>| {
        let among = if column < keys { 0..keys } else { column..column + 1 };
        row.get(among).is_some_and(|fields| fields.iter().any(|other| **other == *field))
    };
    Kind::of(field) == Kind::Text && rest.iter().any(same)
}

/// What the rows of a column hold.
pub(crate) fn column_kind(rows: &[Row<'_>], column: usize) -> Kind {
    rows.iter()
        .map(|row| row.get(column).map_or(Kind::Empty, |field| Kind::of(field)))
        .max()
        .unwrap_or(Kind::Empty)
}
