//! Programs whose tests take long, and wait about as long as they compute: they are run in parts, several at
//! a time.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, bail};

use super::queue::Job;
use crate::run::words;

/// What must be run by one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Together {
    /// The tests of a module, since they share what one of them has made.
    Modules,
    /// Nothing: the tests share nothing.
    Nothing,
}

/// How many parts they are run in.
const PARTS: [(&str, usize, Together); 3] = [
    ("crates/cli e2e", 4, Together::Modules),
    ("crates/cli pages", 5, Together::Nothing),
    ("crates/graph all", 2, Together::Modules),
];

/// In how many parts a program is run, if in more than one.
pub(super) fn of(label: &str) -> Option<(usize, Together)> {
    let (_, count, together) = PARTS.iter().find(|(name, ..)| *name == label)?;
    Some((*count, *together))
}

/// Jobs that together are `whole`; `command` makes its command.
pub(super) fn split(
    whole: &Job,
    command: &dyn Fn() -> Command,
    (count, together): (usize, Together),
) -> anyhow::Result<Vec<Job>> {
    let mut list = command();
    list.args(["--list", "--format=terse"]);
    let output = list.output().with_context(|| format!("cannot run `{}`", words(&list)))?;
    if !output.status.success() {
        bail!("`{}` ended with {}", words(&list), output.status);
    }
    let parts = divide(&String::from_utf8_lossy(&output.stdout), count, together);
    let job = |(part, names): (usize, Vec<String>)| {
        let mut command = command();
        command.arg("--exact").args(&names);
        let name = format!("{}, part {}", whole.name, part + 1);
        // The same program passes with other tests in another part.
        let inputs = whole.inputs.as_ref().map(|inputs| format!("{inputs} {}", names.join(" ")));
        let (krate, format, silence) = (whole.krate.clone(), whole.format, whole.silence);
        Job { krate, name, command, format, silence, inputs }
    };
    Ok(parts.into_iter().enumerate().map(job).collect())
}

/// The tests of a list, "module::test: test" in each line, in parts of about as many tests.
fn divide(list: &str, count: usize, together: Together) -> Vec<Vec<String>> {
    let mut groups = BTreeMap::<&str, Vec<String>>::new();
    for name in list.lines().filter_map(|line| line.strip_suffix(": test")) {
        let group = match together {
            Together::Modules => name.split_once("::").map_or(name, |(module, _)| module),
            Together::Nothing => name,
        };
        groups.entry(group).or_default().push(name.to_owned());
    }
    let mut parts = vec![Vec::new(); count];
    for names in groups.into_values() {
        let fewest = parts.iter_mut().min_by_key(|part| part.len()).expect("there are parts");
        fewest.extend(names);
    }
    // Without a name the program would run all of its tests.
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_is_in_one_part_and_a_module_stays_together() {
        let list =
            "a::one: test\na::two: test\nb::one: test\nc::d::one: test\nc::d::two: test\nalone: test\n\n";
        assert_eq!(
            divide(list, 2, Together::Modules),
            [vec!["a::one", "a::two", "c::d::one", "c::d::two"], vec!["alone", "b::one"]]
        );
        assert_eq!(divide("a::one: test\n", 3, Together::Modules), [["a::one"]]);
    }

    #[test]
    fn tests_that_share_nothing_are_spread_over_the_parts() {
        let parts = divide("a::one: test\na::two: test\nb::one: test\n", 2, Together::Nothing);
        assert_eq!(parts, [vec!["a::one", "b::one"], vec!["a::two"]]);
    }
}
