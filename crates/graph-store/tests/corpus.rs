//! Files as people have them: each is read as it was meant, or refused. Never is it read as something else.
//!
//! The files stand in `corpus/*.txt`, a family each; `corpus/case.rs` says how. All that is wrong is shown at
//! once.

mod case;
mod options;
mod outcome;
mod variant;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use case::{Case, Meaning};
use outcome::{Outcome, listed, outcome};
use variant::variants;

/// The families, by the names of their files.
const FAMILIES: [(&str, &str); 21] = [
    ("adjacency", include_str!("corpus/adjacency.txt")),
    ("changes", include_str!("corpus/changes.txt")),
    ("comments", include_str!("corpus/comments.txt")),
    ("databases", include_str!("corpus/databases.txt")),
    ("dimacs", include_str!("corpus/dimacs.txt")),
    ("encodings", include_str!("corpus/encodings.txt")),
    ("gml", include_str!("corpus/gml.txt")),
    ("headers", include_str!("corpus/headers.txt")),
    ("ids", include_str!("corpus/ids.txt")),
    ("konect", include_str!("corpus/konect.txt")),
    ("matrix-market", include_str!("corpus/matrix-market.txt")),
    ("matrix-market-kinds", include_str!("corpus/matrix-market-kinds.txt")),
    ("metis", include_str!("corpus/metis.txt")),
    ("metis-faults", include_str!("corpus/metis-faults.txt")),
    ("networkx", include_str!("corpus/networkx.txt")),
    ("pajek", include_str!("corpus/pajek.txt")),
    ("quotes", include_str!("corpus/quotes.txt")),
    ("separators", include_str!("corpus/separators.txt")),
    ("shapes", include_str!("corpus/shapes.txt")),
    ("weights", include_str!("corpus/weights.txt")),
    ("xml", include_str!("corpus/xml.txt")),
];

/// Everything that a file is read as and should not be, a paragraph each; and how many files were tried.
fn wrong(cases: &[Case]) -> (usize, Vec<String>) {
    let (mut tried, mut wrong) = (0, Vec::new());
    // In memory where it can be: a store that is made durable takes many times as long.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    for case in cases {
        let mut as_it_is = None;
        for (variant, files) in variants(case) {
            tried += 1;
            let place = folder.path().join(tried.to_string());
            fs::create_dir(&place).unwrap();
            files.iter().for_each(|(name, bytes)| fs::write(place.join(name), bytes).unwrap());
            let path = place.join(&case.name);
            let listed = listed(&path, case);
            if variant != variant::AS_IT_IS && listed.is_some() && listed == as_it_is {
                continue;
            }
            if variant == variant::AS_IT_IS {
                as_it_is = listed;
            }
            if let Some(what) = mistake(case, variant, &path, &outcome(&place, case)) {
                wrong.push(format!("{}, {variant}: {what}", case.place));
            }
        }
    }
    (tried, wrong)
}

/// What is wrong with an outcome, if it is.
fn mistake(case: &Case, variant: &str, path: &Path, found: &Outcome) -> Option<String> {
    let mut expected = case.meanings.iter();
    // Changes are read as they come, and CR alone ends no line of theirs.
    let may_be_refused = case.is_update() && variant == variant::WITH_CR;
    let (fits, rest) = match found {
        Outcome::Read(reading) => {
            (expected.any(|meaning| matches!(meaning, Meaning::Reading(known) if known.fits(reading))), "")
        }
        Outcome::Changes(changes) => {
            (expected.any(|meaning| matches!(meaning, Meaning::Changes(known) if known == changes)), "")
        }
        Outcome::Refused { message, by_input, left_something } => {
            let named = message.contains(&*path.to_string_lossy()) && !message.contains('\n') && *by_input;
            let fits = may_be_refused
                || expected.any(|meaning| matches!(meaning, Meaning::Refusal(known) if known.fits(message)));
            let rest = match (named, left_something) {
                (false, _) => " (must be the user's mistake, in one line, and name the file)",
                (true, true) => " (a store was left behind)",
                (true, false) => "",
            };
            (fits, rest)
        }
    };
    if fits && rest.is_empty() {
        return None;
    }
    let mut text = format!("{} {}\n", case.title, case.name);
    for meaning in &case.meanings {
        let _ = writeln!(text, "    should be: {meaning}");
    }
    let _ = write!(text, "    but was:   {found}{rest}");
    Some(text)
}

#[test]
fn files_are_read_as_they_were_meant_or_refused() {
    let cases: Vec<Case> = FAMILIES.iter().flat_map(|(family, text)| case::parse(family, text)).collect();
    assert!(cases.len() >= 400, "{} files", cases.len());
    let (tried, wrong) = wrong(&cases);
    assert!(wrong.is_empty(), "{} of {tried} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
