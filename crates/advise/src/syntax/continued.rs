//! Lines that end with a backslash and go on in the next.

/// The lines of `text` without such ends, each with the number of its first line, from 1.
pub(crate) fn continued(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (at, line) in text.lines().enumerate() {
        let (line, more) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
        match lines.last_mut().filter(|_| goes_on) {
            Some((_, before)) => before.push_str(line),
            None => lines.push((at + 1, line.to_owned())),
        }
        goes_on = more;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_goes_on_has_the_number_of_its_first() {
        let want = [(1, "a".to_owned()), (2, "b  c d".to_owned()), (5, "e".to_owned())];
        assert_eq!(continued("a\nb \\\n c\\\n d\ne\\"), want);
    }
}
