//! What a newcomer types: `cargo xtask setup`, `cargo xtask test`, `cargo xtask fuzz`, `cargo xtask bench`,
//! `cargo xtask site`, `cargo xtask dist`. One file per command.

mod axe;
mod bench;
mod children;
mod dist;
mod fuzz;
mod keys;
mod prose;
mod python;
mod run;
mod same;
mod setup;
mod site;
mod test;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use run::{Usage, say};

const HELP: &str = "\
Leadline's chores: set-up, tests, fuzzing, side-by-side benchmarks.

Usage: cargo xtask COMMAND

Commands:
  setup               install what all tests need, if it is missing (Debian packages, rustfmt, clippy, and
                      packages for Python, into the target folder)
  test [--again]      the developer's loop: format, and the tests in Rust that start no browser, server or
                      Python; what passed and is as it was is not run, unless --again
  test --all          everything: set-up, format, all tests, lints, docs, packages, and the Python package;
                      with --exhaustive every case, where otherwise some stand for all
  prose [FILE...]     the English of FILE, or of all pages, help, messages and documentation of public items
  fuzz [TARGET ARGS]  read mutated inputs, of TARGET or of all targets in turn; --list lists them
  same OLD NEW        whether two builds of leadline print the same and leave the same files, on simulated
                      devices and small inputs; with a third word only that section of commands
  keys SYSTEM PROGRAM...
                      write the tables of a system's keys anew, as the programs themselves tell them
  site [DIR]          the pages of docs/ in HTML, with search, in DIR (default: target/site); every link is
                      checked. `leadline docs` opens what is in ../share/doc/leadline/html, seen from it
  dist [PART...]      what users install, in target/dist: PART is one of x86_64 and aarch64 (each an archive,
                      a .deb and an .rpm with a static program), wheel (for Python), licences and crates;
                      without PART, all. Each is tried without this machine's files; as root also in Debian
                      12 and 13
  dist --again        whether two builds of this commit make the same bytes; the second is a clone's
  semver [CRATE...]   whether the libraries have all that they had at the last tag; without CRATE, all of them
  bench [NAME ARGS]   run a benchmark of benches/src/bin/, built for release; without NAME, list them

Examples:
  cargo xtask test                  after a change: what depends on it
  cargo xtask test --all            everything that must pass before a commit
  cargo xtask fuzz --seconds 60     a minute for each reader of files
  cargo xtask bench                 which benchmarks there are
  cargo xtask bench NAME --help     what one of them takes

Exit codes: 0 done, 1 it failed, 2 bad usage or something is missing that only you can install.";

fn main() -> ExitCode {
    let words: Vec<OsString> = env::args_os().skip(1).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

fn dispatch(words: &[OsString]) -> anyhow::Result<()> {
    let Some((command, rest)) = words.split_first() else {
        return Err(Usage::error(
            "no command given: say setup, test, prose, fuzz, keys, site, dist, semver, bench or same; \
             `cargo xtask --help` explains them",
        ));
    };
    let asks_for_help = |word: &OsString| word == "--help" || word == "-h";
    // The fuzzer explains its own options.
    let of_command = command != "fuzz" && rest.first().is_some_and(asks_for_help);
    if asks_for_help(command) || command == "help" || of_command {
        say(HELP);
        return Ok(());
    }
    match command.to_str() {
        Some("setup") => no_arguments("setup", rest).and_then(|()| setup::setup()),
        Some("test") => test::test(rest),
        Some("prose") => prose::prose(rest),
        Some("fuzz") => fuzz::fuzz(rest),
        Some("site") => site::site(rest),
        Some("dist") => dist::dist(rest),
        Some("semver") => dist::semver::semver(rest),
        Some("bench") => bench::bench(rest),
        Some("keys") => keys::keys(rest),
        Some("same") => same::same(rest),
        _ => Err(Usage::error(format!(
            "unknown command `{}`: say setup, test, prose, fuzz, keys, site, dist, semver, bench or same; \
             `cargo xtask --help` explains them",
            command.display()
        ))),
    }
}

fn no_arguments(command: &str, rest: &[OsString]) -> anyhow::Result<()> {
    match rest.first() {
        None => Ok(()),
        Some(word) => Err(Usage::error(format!(
            "`{command}` takes no arguments, but `{}` was given: leave it out",
            word.display()
        ))),
    }
}
