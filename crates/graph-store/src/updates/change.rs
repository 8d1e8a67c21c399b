//! A change as a line of text says it (docs/graph-update.md).

use super::id::Id;

/// A change of a graph.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// `+ U V [W]`: one more edge, and its ends where they are not there.
    InsertEdge {
        /// Where it begins.
        source: Id,
        /// Where it ends.
        target: Id,
        /// Its weight.
        weight: Option<f64>,
    },
    /// `- U V`: the edge goes, with all parallel copies.
    DeleteEdge {
        /// Where it begins.
        source: Id,
        /// Where it ends.
        target: Id,
    },
    /// `= U V W`: all copies of the edge have another weight.
    SetWeight {
        /// Where it begins.
        source: Id,
        /// Where it ends.
        target: Id,
        /// The weight, finite.
        weight: f64,
    },
    /// `+v U`: the vertex, where it is not there.
    InsertVertex(Id),
    /// `-v U`: the vertex and its edges go.
    DeleteVertex(Id),
}

impl Change {
    /// What a line of changes must be, for a message.
    pub(crate) const EXPECTED: &str = "expected + U V [W], - U V, = U V W, +v U or -v U";
    /// What such a line begins with.
    pub(super) const SIGNS: [&'static str; 5] = ["+", "-", "=", "+v", "-v"];

    /// What a line says; nothing for one that is empty or begins with `#` or `%`. Fields stand apart by
    /// blanks.
    ///
    /// # Errors
    /// What was expected, and what was found.
    pub fn parse(line: &str, ids_are_strings: bool) -> Result<Option<Change>, String> {
        let mut fields = line.split_ascii_whitespace();
        let Some(sign) = fields.next().filter(|first| !first.starts_with(['#', '%'])) else {
            return Ok(None);
        };
        // No change has more than three fields behind its sign; a fourth is not what was expected.
        let mut rest = [""; 4];
        let count = rest.iter_mut().zip(fields).map(|(place, field)| *place = field).count();
        let id = |field: &str| match ids_are_strings {
            true => Ok(Id::from(field)),
            false => crate::input::whole(field.as_bytes(), "a number as id").map(Id::Number),
        };
        let edge = |source, target| Ok::<_, String>((id(source)?, id(target)?));
        Ok(Some(match (sign, &rest[..count]) {
            ("+", [source, target, weight @ ..]) if weight.len() < 2 => {
                let (source, target) = edge(source, target)?;
                let weight = weight.first().map(|weight| finite(weight)).transpose()?;
                Change::InsertEdge { source, target, weight }
            }
            ("-", [source, target]) => {
                let (source, target) = edge(source, target)?;
                Change::DeleteEdge { source, target }
            }
            ("=", [source, target, weight]) => {
                let (source, target) = edge(source, target)?;
                Change::SetWeight { source, target, weight: finite(weight)? }
            }
            ("+v", [vertex]) => Change::InsertVertex(id(vertex)?),
            ("-v", [vertex]) => Change::DeleteVertex(id(vertex)?),
            _ => {
                let most = line.char_indices().nth(60).map_or(line.len(), |(at, _)| at);
                let shown = line[..most].trim();
                return Err(format!("{}, found {shown:?}", Change::EXPECTED));
            }
        }))
    }

    /// Whether a line is written as a change is: one of the signs, a blank, and what it is about. None for a
    /// line that says nothing.
    pub fn is_written(line: &str) -> Option<bool> {
        let mut fields = line.split_ascii_whitespace();
        let first = fields.next().filter(|first| !first.starts_with(['#', '%']))?;
        Some(Change::SIGNS.contains(&first) && fields.next().is_some())
    }

    /// Whether a line begins with one of the signs, as changes do, but goes on as a table does: `+,1,2`.
    pub(super) fn is_in_columns(line: &str) -> bool {
        let fields = line.split_once([',', ';', '\t', '|']);
        fields.is_some_and(|(first, _)| Change::SIGNS.contains(&first.trim().trim_matches('"')))
    }
}

fn finite(field: &str) -> Result<f64, String> {
    crate::input::weight(field.as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(line: &str) -> Result<Option<Change>, String> {
        Change::parse(line, false)
    }

    #[test]
    fn each_form_of_line_is_its_change() {
        let (source, target) = (Id::Number(7), Id::Number(18_446_744_073_709_551_615));
        let weight = Some(-2.5);
        let insert = Change::InsertEdge { source: source.clone(), target: target.clone(), weight };
        assert_eq!(numbers("+ 7 18446744073709551615 -2.5\r"), Ok(Some(insert)));
        let delete = Change::DeleteEdge { source: source.clone(), target: target.clone() };
        assert_eq!(numbers("  -\t7   18446744073709551615"), Ok(Some(delete)));
        let set = Change::SetWeight { source: source.clone(), target, weight: 1e3 };
        assert_eq!(numbers("= 7 18446744073709551615 1e3"), Ok(Some(set)));
        assert_eq!(numbers("+v 7"), Ok(Some(Change::InsertVertex(source.clone()))));
        assert_eq!(numbers("-v 7"), Ok(Some(Change::DeleteVertex(source))));
        assert_eq!((numbers(""), numbers("# + 1 2")), (Ok(None), Ok(None)));
        let strings = Change::parse("+ +v -", true);
        let expected = Change::InsertEdge { source: "+v".into(), target: "-".into(), weight: None };
        assert_eq!(strings, Ok(Some(expected)));
    }

    #[test]
    fn other_lines_are_refused_with_what_was_expected() {
        for line in ["1 2", "+ 1", "+ 1 2 3 4", "- 1 2 3", "= 1 2", "+v", "-v 1 2", "+1 2", "* 1 2", "++ 1 2"]
        {
            let error = numbers(line).unwrap_err();
            assert!(
                error.starts_with("expected + U V [W]") && error.ends_with(&format!("{line:?}")),
                "{error}"
            );
        }
        for (line, expected) in [
            ("+ 1 x", "expected a number as id, found \"x\""),
            ("+ 1 -2", "expected a number as id of 0 or more, found \"-2\""),
            ("-v 18446744073709551616", "expected a number as id below 2^64, found \"18446744073709551616\""),
        ] {
            assert_eq!(numbers(line).unwrap_err(), expected);
        }
        for weight in ["nan", "inf", "1e999", "heavy", "0x1"] {
            assert!(numbers(&format!("= 1 2 {weight}")).unwrap_err().contains("weight"), "{weight}");
        }
    }

    #[test]
    fn changes_are_told_from_edges() {
        for (line, expected) in [
            ("+ 1 2", Some(true)),
            ("  -v 1", Some(true)),
            ("= a b 3", Some(true)),
            ("1 2", Some(false)),
            ("-1 2", Some(false)),
            ("+1 2", Some(false)),
            ("", None),
            ("# + 1 2", None),
            ("% + 1 2", None),
        ] {
            assert_eq!(Change::is_written(line), expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_line_takes_the_parser_down(line in "[+=v# -]{0,3}[ \t]?\\PC{0,40}", strings: bool) {
            let _ = Change::parse(&line, strings);
        }
    }
}
