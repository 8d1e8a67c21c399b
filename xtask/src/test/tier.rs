//! What `cargo xtask test` leaves to `cargo xtask test --all`: what starts a browser, a server or Python, and
//! what few people change.

use std::collections::BTreeSet;
use std::ffi::OsString;

use super::build::Binary;
use crate::run::Usage;

/// What to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tier {
    /// Everything, and not only the developer's loop.
    pub(super) all: bool,
    /// Every case of the tests that otherwise try a sample; only with `all`.
    pub(super) exhaustive: bool,
    /// Also programs that passed and are as they were.
    pub(super) again: bool,
}

impl Tier {
    pub(super) fn parse(arguments: &[OsString]) -> anyhow::Result<Tier> {
        let mut tier = Tier::default();
        for word in arguments {
            match word.to_str() {
                Some("--all") => tier.all = true,
                Some("--exhaustive") => tier.exhaustive = true,
                Some("--again") => tier.again = true,
                _ => {
                    return Err(Usage::error(format!(
                        "`test` does not take `{}`: it takes --all, --exhaustive, --again or nothing",
                        word.display()
                    )));
                }
            }
        }
        tier.all |= tier.exhaustive;
        tier.again |= tier.all;
        Ok(tier)
    }
}

/// Test programs, and which of their modules the loop leaves out; it leaves out the whole of those without.
/// It builds all of them: the fewer crates cargo builds, the fewer features their dependencies have, and each
/// change from one choice to the other would build most of them again.
const PROGRAMS: [(&str, &[&str]); 11] = [
    ("crates/cli e2e", &["kills", "lsm_validate"]), // etcd; db_bench
    ("crates/cli pages", &["complete"]),            // Python, PostgreSQL, and what takes long
    ("crates/advise all", &["parity"]),             // all that it advises, of which there are packages
    ("crates/graph all", &["against_networkx"]),    // Python
    ("crates/lsm all", &["options_loaded"]),        // db_bench
    ("crates/prove all", &[]),                      // MariaDB, PostgreSQL, etcd, db_bench, DuckDB
    ("crates/report browser", &[]),                 // Chromium
    ("crates/report fio", &[]),                     // fio
    ("crates/trace postgres_trace", &[]),           // Python
    ("testing/crash all", &[]),                     // PostgreSQL, SQLite
    ("xtask prose", &[]),                           // Harper
];

/// Of the programs that were built, those that the loop runs, less the modules that it leaves out; and the
/// names of all that it leaves out.
pub(super) fn loop_of(programs: &[Binary]) -> (Vec<Binary>, BTreeSet<String>) {
    let mut left = BTreeSet::new();
    let mut kept = Vec::new();
    for program in programs {
        let label = program.label();
        match PROGRAMS.iter().find(|(name, _)| *name == label) {
            None => kept.push(program.clone()),
            Some((_, [])) => _ = left.insert(label),
            Some((_, modules)) => {
                left.extend(modules.iter().map(|module| format!("{label} {module}")));
                let without = modules.iter().map(|module| format!("{module}::")).collect();
                kept.push(Binary { without, ..program.clone() });
            }
        }
    }
    (kept, left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(krate: &str, name: &str) -> Binary {
        Binary { krate: krate.to_owned(), name: name.to_owned(), ..Binary::default() }
    }

    #[test]
    fn exhaustive_means_all_and_all_means_again() {
        let parse =
            |words: &[&str]| Tier::parse(&words.iter().map(OsString::from).collect::<Vec<_>>()).unwrap();
        assert_eq!(parse(&[]), Tier::default());
        assert_eq!(parse(&["--again"]), Tier { again: true, ..Tier::default() });
        assert_eq!(parse(&["--all"]), Tier { all: true, exhaustive: false, again: true });
        assert_eq!(parse(&["--exhaustive"]), Tier { all: true, exhaustive: true, again: true });
    }

    #[test]
    fn the_loop_leaves_out_programs_and_modules_and_names_them() {
        let programs =
            [program("crates/prove", "all"), program("crates/graph", "all"), program("crates/sim", "all")];
        let (kept, left) = loop_of(&programs);
        let kept: Vec<_> = kept.iter().map(|program| (program.label(), program.without.clone())).collect();
        let graph = ("crates/graph all".to_owned(), vec!["against_networkx::".to_owned()]);
        assert_eq!(kept, [graph, ("crates/sim all".to_owned(), Vec::new())]);
        assert_eq!(left, ["crates/graph all against_networkx", "crates/prove all"].map(str::to_owned).into());
    }
}
