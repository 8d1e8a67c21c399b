//! Patterns of file names, as glob(3) has them.

/// Whether a pattern of a shell with `*`, `?` and `[a-z]` is the whole of a name.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // Where the last star stands, and what it has taken: all that may have to be tried again.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        let step = match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => class(&pattern[p..], name[n]),
            Some('\\') if p + 1 < pattern.len() => (pattern[p + 1] == name[n]).then_some(2),
            Some(c) => (*c == name[n]).then_some(1),
            None => None,
        };
        match (step, &mut star) {
            (Some(step), _) => (p, n) = (p + step, n + 1),
            (None, Some((at, taken))) => {
                *taken += 1;
                (p, n) = (*at + 1, *taken);
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Length of the class `[a-z]` at the beginning, if it has the character.
fn class(pattern: &[char], c: char) -> Option<usize> {
    let is_not = matches!(pattern.get(1), Some('!' | '^'));
    let first = 1 + usize::from(is_not);
    let end = first + 1 + pattern.get(first + 1..)?.iter().position(|c| *c == ']')?;
    let inner = &pattern[first..end];
    let has = (0..inner.len()).any(|at| match inner.get(at..at + 3) {
        Some([from, '-', to]) => (*from..=*to).contains(&c),
        _ => inner[at] == c,
    });
    (has != is_not).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_includes_are_those_of_a_shell() {
        for (pattern, name) in [
            ("*.conf", "a.conf"),
            ("?.conf", "a.conf"),
            ("[a-c]*", "b1"),
            ("[!a]*", "b"),
            ("a*b*c", "axbxbc"),
            ("*", ""),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("*.conf", "a.config"), ("?.conf", "ab.conf"), ("[a-c]*", "d"), ("[!a]", "a"), ("a", "ab")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
