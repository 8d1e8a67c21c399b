//! Whether a page shows what its commands print.

use crate::block::Likeness;

/// Least share, in percent, of the words on a page that another machine prints: its disk and other programs
/// decide which checks fail, and so which sentences there are.
const SAME_WORDS: usize = 50;

/// The first line of `shown` that `printed` does not have, behind the lines before it. What is printed
/// besides may be left out of a page, and lines may be broken at other places.
pub(crate) fn check(shown: &str, printed: &str, likeness: Likeness) -> Result<(), String> {
    match likeness {
        Likeness::Exact => lines(shown, printed, &spaced),
        Likeness::NumbersVary => lines(shown, printed, &without_numbers),
        Likeness::OfOneMachine => words(shown, printed),
    }
}

fn lines(shown: &str, printed: &str, simplified: &dyn Fn(&str) -> String) -> Result<(), String> {
    let printed = simplified(printed);
    let mut rest = printed.as_str();
    for line in shown.lines() {
        let wanted = simplified(line);
        match rest.find(wanted.trim_end()) {
            Some(at) => rest = &rest[at + wanted.trim_end().len()..],
            None => return Err(line.to_owned()),
        }
    }
    Ok(())
}

/// With one space between words, and one at either end.
fn spaced(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    format!(" {} ", words.join(" "))
}

/// With `#` for each number, its unit and its interval.
fn without_numbers(text: &str) -> String {
    let text = spaced(text);
    let mut simple = String::new();
    let mut rest = text.as_str();
    while let Some(next) = rest.chars().next() {
        let is_in_word = simple.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        match quantity(rest).filter(|_| !is_in_word) {
            Some(length) => {
                simple.push('#');
                rest = &rest[length..];
            }
            None => {
                simple.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    simple
}

/// The length of `12`, `1.5k`, `3 ms`, `1 min 8 s` or a range of them at the beginning of `text`.
fn quantity(text: &str) -> Option<usize> {
    let mut length = one(text)?;
    loop {
        let rest = &text[length..];
        let Some(joint) = ["–", " "].into_iter().find(|joint| rest.starts_with(joint)) else {
            return Some(length);
        };
        let is_time = joint == "–" || text[..length].ends_with(" min") || text[..length].ends_with(" h");
        match one(&rest[joint.len()..]) {
            Some(more) if is_time => length += joint.len() + more,
            _ => return Some(length),
        }
    }
}

/// A number and its unit.
fn one(text: &str) -> Option<usize> {
    const UNITS: [&str; 20] = [
        "s", "ms", "us", "µs", "ns", "min", "h", "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB",
        "%", "MB/s", "kB/s", "GB/s",
    ];
    if !text.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let end = |text: &str, is_part: &dyn Fn(char) -> bool| text.find(|c| !is_part(c)).unwrap_or(text.len());
    let number = end(text, &|c| c.is_ascii_digit() || ".,".contains(c));
    let number = text[..number].trim_end_matches(['.', ',']).len();
    let attached = number + end(&text[number..], &|c| c.is_alphanumeric());
    if attached > number {
        return Some(attached);
    }
    let unit = text[number..].strip_prefix(' ').and_then(|rest| {
        let length = end(rest, &|c| c.is_alphanumeric() || "%/".contains(c));
        UNITS.contains(&&rest[..length]).then_some(length + 1)
    });
    Some(number + unit.unwrap_or(0))
}

/// Most words that are shown are printed.
fn words(shown: &str, printed: &str) -> Result<(), String> {
    let of = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 2);
        let mut words: Vec<String> = words.map(str::to_lowercase).collect();
        words.sort();
        words.dedup();
        words
    };
    let (shown, printed) = (of(shown), of(printed));
    let missing: Vec<&str> =
        shown.iter().filter(|word| printed.binary_search(word).is_err()).map(String::as_str).collect();
    if (shown.len() - missing.len()) * 100 < SAME_WORDS * shown.len() {
        return Err(format!("most of {}", missing.join(", ")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
leadline: measure ...
  time        47.7 s (33.5 s–1 min 8 s)
  throughput  42.0k requests/s, 172 MB/s
  k_r_90      35 (28–46)
";

    #[test]
    fn what_is_exact_differs_in_spaces_and_in_what_is_left_out_only() {
        let check = |shown| check(shown, PRINTED, Likeness::Exact);
        assert_eq!(check("time 47.7 s (33.5 s–1 min 8 s)\nk_r_90 35\n"), Ok(()));
        assert_eq!(check("throughput  42.0k requests/s,\n172 MB/s\n"), Ok(()));
        assert_eq!(check("time 47.7 s\nthroughput 43.0k\n"), Err("throughput 43.0k".to_owned()));
        assert_eq!(check("k_r_90\ntime\n"), Err("time".to_owned()), "in another order");
        assert_eq!(check("k_r\n"), Ok(()), "a line that is not shown to its end");
        assert_eq!(check("r_90\n"), Err("r_90".to_owned()), "half a word at its beginning");
    }

    #[test]
    fn numbers_vary_with_their_units_and_intervals_and_words_do_not() {
        let check = |shown| check(shown, PRINTED, Likeness::NumbersVary);
        assert_eq!(check("time 3 min 2 s (900 ms–4 min 1 s)\nthroughput 9 requests/s, 1.1 GB/s"), Ok(()));
        assert_eq!(check("k_r_90 1 (0.5–1.5)"), Ok(()));
        assert!(check("k_r_91 35 (28–46)").is_err(), "a number in a name is part of it");
        assert!(check("time 47.7 s (33.5 s)").is_ok_and(|()| true), "a range may be a number");
        assert!(check("time 47.7 s [33.5 s]").is_err());
        assert!(check("k_r_90 none").is_err());
    }

    #[test]
    fn of_one_machine_most_words_are_the_same() {
        let check = |shown| check(shown, PRINTED, Likeness::OfOneMachine);
        assert_eq!(check("time 1, throughput 7 requests; measure none"), Ok(()));
        assert!(check("a page about something else than time").is_err());
    }
}
