//! The one check of options: what each takes, which go together, and which must be there.

use leadline_graph::algorithm::{Argument, Arguments, Definition, OptionKind};
use leadline_graph::algorithms::ALGORITHMS;

fn definition(name: &str) -> &'static Definition {
    ALGORITHMS.into_iter().find(|definition| definition.name == name).unwrap()
}

/// What is said of these arguments; nothing where they are taken.
fn said(name: &str, arguments: &[(&'static str, Argument)], beside: &[&str]) -> String {
    let arguments: Arguments = arguments.iter().cloned().collect();
    definition(name).check(&arguments, beside).map_or_else(|error| error.to_string(), |()| String::new())
}

/// Arguments without which the algorithm has nothing to do.
fn least(definition: &Definition) -> Arguments {
    let ids = || Argument::Ids(vec!["1".to_owned()]);
    let needed = definition.options.iter().filter(|option| option.needed_without.is_some());
    let mut arguments: Arguments = needed.map(|option| (option.name, ids())).collect();
    if definition.one_of.contains(&"top") {
        arguments.insert("top", Argument::Number(1));
    }
    arguments
}

#[test]
fn numbers_are_taken_from_the_least_to_the_most_that_each_option_says_and_no_others() {
    let mut ranges = 0;
    for definition in ALGORITHMS {
        for option in definition.options {
            let Some((low, high)) = option.kind.range() else { continue };
            ranges += 1;
            let checked = |number| {
                let mut arguments = least(definition);
                option.conflicts.iter().for_each(|other| drop(arguments.remove(other)));
                arguments.insert(option.name, Argument::Number(number));
                definition.check(&arguments, &["output"]).map_err(|error| error.to_string())
            };
            for number in [low, high] {
                assert_eq!(checked(number), Ok(()), "{} {} {number}", definition.name, option.name);
            }
            for number in [low.checked_sub(1), high.checked_add(1)].into_iter().flatten() {
                let line = format!("{} {number}: must be a whole number from {low} to {high}", option.name);
                assert_eq!(checked(number), Err(line), "{}", definition.name);
            }
        }
    }
    assert!(ranges >= 10, "{ranges} options take whole numbers");
}

#[test]
fn no_option_takes_what_is_not_a_number() {
    for definition in ALGORITHMS {
        let doubles = definition.options.iter().filter(|option| matches!(option.kind, OptionKind::F64(_)));
        for option in doubles {
            for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
                let line = said(definition.name, &[(option.name, Argument::Double(number))], &["output"]);
                assert!(line.starts_with(&format!("{} {number}: must be ", option.name)), "{line}");
            }
        }
    }
}

#[test]
fn what_excludes_or_needs_other_options_is_refused_in_a_line_that_names_both() {
    let (number, ids) = (Argument::Number(2), Argument::Ids(vec!["7".to_owned()]));
    let (file, given) = (Argument::Path("x".into()), Argument::Given);
    let pairs = || Argument::Pairs(vec!["1".to_owned()], vec!["2".to_owned()]);
    let exclusive = "cannot be given together with";
    for (name, arguments, expected) in [
        ("walk", vec![("walkers", number.clone()), ("per-vertex", number.clone())], "--walkers"),
        ("walk", vec![("source", ids.clone()), ("per-vertex", number.clone())], "--source"),
        ("pagerank", vec![("from", file.clone()), ("iterations", number.clone())], "--from"),
        ("similarity", vec![("pairs", pairs()), ("top", number.clone())], "--top"),
        ("similarity", vec![("pairs", pairs()), ("skip-above", number.clone())], "--pairs"),
    ] {
        let line = said(name, &arguments, &["output"]);
        assert!(line.contains(&format!("{exclusive} {expected}")), "{name}: {line}");
    }
    let parents = [("source", ids.clone()), ("parents", given)];
    assert_eq!(said("bfs", &parents, &[]), "parents: needs --output or --estimate");
    assert_eq!(said("bfs", &parents, &["output"]), "");
    assert_eq!(said("bfs", &[], &["output"]), "source: needed, or --properties");
    assert_eq!(said("bfs", &[("properties", file)], &["output"]), "");
    assert_eq!(said("bfs", &[], &["estimate"]), "");
    assert_eq!(said("similarity", &[], &[]), "pairs: needed, or --top");
    assert_eq!(said("similarity", &[("top", number)], &[]), "");
    let measure = ("measure", Argument::Text("cosine".to_owned()));
    let line = said("similarity", &[("pairs", pairs()), measure], &[]);
    assert_eq!(line, "measure cosine: must be jaccard or overlap");
}
