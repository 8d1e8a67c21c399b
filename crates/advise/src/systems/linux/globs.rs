//! Patterns as udev, the hardware database and shells have them: fnmatch(3) without flags.

/// Whether all of `text` matches `pattern`: `*`, `?`, `[a-z]`, `[!0-9]`, and `\` before any of them.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    // Where to go on if what follows the last star does not match: one more character belongs to the star.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p + 1, t));
            p += 1;
        } else if let Some(next) = one(&pattern, p, text[t]) {
            (p, t) = (next, t + 1);
        } else if let Some((after, from)) = star {
            star = Some((after, from + 1));
            (p, t) = (after, from + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// Whether `text` matches one of the patterns between bars.
pub(super) fn matches_any(patterns: &str, text: &str) -> bool {
    patterns.split('|').any(|pattern| matches(pattern, text))
}

/// Whether it is no pattern but a text.
pub(super) fn is_plain(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[', '\\'])
}

/// Where the pattern goes on after the character `c`; `None` where it does not match.
fn one(pattern: &[char], at: usize, c: char) -> Option<usize> {
    match pattern.get(at)? {
        '?' => Some(at + 1),
        '\\' if at + 1 < pattern.len() => (pattern[at + 1] == c).then_some(at + 2),
        '[' => match set(pattern, at) {
            Some((negated, items, end)) => (is_in(items, c) != negated).then_some(end),
            None => (c == '[').then_some(at + 1),
        },
        literal => (*literal == c).then_some(at + 1),
    }
}

/// A set in brackets: whether it is negated, what is in it, and where the pattern goes on.
fn set(pattern: &[char], at: usize) -> Option<(bool, &[char], usize)> {
    let negated = matches!(pattern.get(at + 1), Some('!' | '^'));
    let start = at + 1 + usize::from(negated);
    // A bracket right at the beginning belongs to the set.
    let end = (start + 1..pattern.len()).find(|&end| pattern[end] == ']')?;
    Some((negated, &pattern[start..end], end + 1))
}

fn is_in(items: &[char], c: char) -> bool {
    let mut at = 0;
    while at < items.len() {
        if items.get(at + 1) == Some(&'-') && at + 2 < items.len() {
            if (items[at]..=items[at + 2]).contains(&c) {
                return true;
            }
            at += 3;
        } else {
            if items[at] == c {
                return true;
            }
            at += 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_fnmatch() {
        for (pattern, text, want) in [
            ("sd*[!0-9]", "sda", true),
            ("sd*[!0-9]", "sda1", false),
            ("nvme[0-9]*n[0-9]*", "nvme0n1", true),
            ("nvme?n?", "nvme10n1", false),
            ("*a*b*c", "xaxbxbc", true),
            ("*a*b*c", "xaxbxbcx", false),
            ("[]a]", "]", true),
            ("[a", "[a", true),
            ("a\\*", "a*", true),
            ("a\\*", "ab", false),
            ("", "", true),
            ("*", "", true),
            ("?*", "", false),
            ("vd[a-c]", "vdb", true),
            ("vd[a-c]", "vdd", false),
        ] {
            assert_eq!(matches(pattern, text), want, "{pattern} {text}");
        }
        assert!(matches_any("sd*|vd*", "vda") && !matches_any("sd*|vd*", "nvme0n1"));
        // Nor does a pattern of many stars take for ever.
        assert!(!matches(&"*a".repeat(200), &"a".repeat(150)));
    }
}
