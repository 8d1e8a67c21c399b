//! The programs themselves read the corpus: what they find is what `CASE.tsv` says, and what is read here.
//!
//! With `LEADLINE_EXPECTED=write` the files are written anew. A program that is not here is said and left
//! out.

mod files;
mod servers;

use std::fs;

use leadline_advise::System;

use crate::corpus::{Case, Pairs, assert_same, cases};

/// Compares what a program reads in each case; `None` where it is not here.
fn assert_parity(system: System, theirs: impl Fn(&Case) -> Option<Pairs>) {
    let is_written = std::env::var_os("LEADLINE_EXPECTED").is_some_and(|value| value == "write");
    for case in cases(system) {
        let Some(theirs) = theirs(&case) else { return };
        if is_written {
            let lines: String = theirs.iter().map(|(key, value)| format!("{key}\t{value}\n")).collect();
            fs::write(case.expected_file(), lines).unwrap();
        }
        assert_eq!(case.expected(), theirs, "{system} {}: the program reads it otherwise now", case.name);
        assert_same(system, &case, &case.ours(system), &theirs);
    }
}

/// Bytes as text, one character each.
fn latin1(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| bytes.iter().copied().map(char::from).collect())
}
