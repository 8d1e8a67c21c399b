//! Comments, taken out so that everything else stays where it is.

/// `text` with blanks in place of SQL's comments, `--` and `/* */`, and of lines that begin with `#` or `//`,
/// as programs have them.
pub(crate) fn out_of_sql(text: &str) -> String {
    blanked(text, |rest, _, is_line_start| {
        let of_program = is_line_start && (rest.starts_with('#') || rest.starts_with("//"));
        if rest.starts_with("--") || of_program { line(rest) } else { block(rest) }
    })
}

/// The same with the comments of Rust and C, `//` and `/* */`; `https://` is none.
pub(crate) fn out_of_code(text: &str) -> String {
    blanked(
        text,
        |rest, before, _| {
            if rest.starts_with("//") && before != Some(':') { line(rest) } else { block(rest) }
        },
    )
}

fn line(rest: &str) -> Option<usize> {
    Some(rest.find('\n').unwrap_or(rest.len()))
}

fn block(rest: &str) -> Option<usize> {
    rest.strip_prefix("/*").map(|inner| inner.find("*/").map_or(rest.len(), |end| end + 4))
}

/// With blanks for what `comment` finds: how many bytes of what is left are one, told also the character
/// before it, and whether it is the first of its line.
fn blanked(text: &str, comment: impl Fn(&str, Option<char>, bool) -> Option<usize>) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    let (mut before, mut is_line_start) = (None, true);
    while let Some(next) = rest.chars().next() {
        let found = comment(rest, before, is_line_start);
        let taken = found.unwrap_or(next.len_utf8());
        match found {
            Some(_) => {
                for c in rest[..taken].chars() {
                    // As many bytes as before, so that places stay.
                    shown.extend(std::iter::repeat_n(if c == '\n' { c } else { ' ' }, c.len_utf8()));
                }
            }
            None => shown.push(next),
        }
        is_line_start = next == '\n' || is_line_start && next.is_whitespace();
        before = Some(next);
        rest = &rest[taken..];
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(shown: &str) -> Vec<&str> {
        shown.lines().map(str::trim_end).collect()
    }

    #[test]
    fn comments_are_blank_and_lines_stay_where_they_are() {
        let text = "a -- b\n# ü\nd /* e\nf */ g\n  // h\ni # j // k\n";
        let shown = out_of_sql(text);
        assert_eq!(lines(&shown), ["a", "", "d", "     g", "", "i # j // k"]);
        assert_eq!(shown.len(), text.len());
        let code = out_of_code("a // b\n# c /* d */ e\n\"https://f\" /* g");
        assert_eq!(lines(&code), ["a", "# c         e", "\"https://f\""]);
    }
}
