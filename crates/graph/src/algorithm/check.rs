//! Whether an algorithm takes what was given: the one check of its options, for all who ask for algorithms.

use super::option::{AlgorithmOption, OptionKind, must_be};
use super::{Argument, Arguments, Definition};
use crate::GraphError;

impl Definition {
    /// Whether the algorithm takes these arguments. `beside` names what else was given that is no option of
    /// the algorithm's own: `output` where the result goes anywhere, `estimate` where nothing is run.
    ///
    /// # Errors
    /// [`GraphError::Argument`]: a value is not one that its option takes, two options exclude each other, or
    /// one is missing.
    pub fn check(&self, arguments: &Arguments, beside: &[&str]) -> Result<(), GraphError> {
        let given = |name: &&str| arguments.contains_key(*name) || beside.contains(name);
        for option in self.options {
            match arguments.get(option.name) {
                Some(value) => {
                    check_value(&option.kind, value).map_err(|what| {
                        GraphError::argument(format!("{} {}", option.name, value.shown()), what)
                    })?;
                    check_others(option, given)?;
                }
                None => match option.needed_without {
                    Some(others) if !others.iter().any(given) => return Err(self.missing(option, others)),
                    _ => {}
                },
            }
        }
        match self.one_of.iter().filter(|name| given(name)).collect::<Vec<_>>()[..] {
            [] if !self.one_of.is_empty() => {
                Err(GraphError::argument(self.one_of[0], format!("needed, or {}", flags(&self.one_of[1..]))))
            }
            [one, other, ..] => Err(excluded(one, other)),
            _ => Ok(()),
        }
    }

    /// Of the options that do instead, only the algorithm's own are named.
    fn missing(&self, option: &AlgorithmOption, others: &[&'static str]) -> GraphError {
        let own: Vec<&str> = others.iter().copied().filter(|name| self.option(name).is_some()).collect();
        let what = if own.is_empty() { "needed".to_owned() } else { format!("needed, or {}", flags(&own)) };
        GraphError::argument(option.name, what)
    }
}

/// Whether an option of this kind takes a value; what it must be, if not.
fn check_value(kind: &OptionKind, value: &Argument) -> Result<(), String> {
    match (kind, value) {
        (OptionKind::U32(..) | OptionKind::U64(..), Argument::Number(number)) => match kind.range() {
            Some((least, most)) if !(least..=most).contains(number) => Err(must_be(least, most)),
            _ => Ok(()),
        },
        (OptionKind::F64(within), Argument::Double(number)) if !(within.holds)(*number) => {
            Err(within.must.to_owned())
        }
        (OptionKind::Text(check), Argument::Text(text)) => check(text),
        _ => Ok(()),
    }
}

/// Whether an option that is given goes with the others.
fn check_others(option: &AlgorithmOption, given: impl Fn(&&str) -> bool) -> Result<(), GraphError> {
    if let Some(other) = option.conflicts.iter().find(|name| given(name)) {
        return Err(excluded(option.name, other));
    }
    if !option.needs_one_of.is_empty() && !option.needs_one_of.iter().any(&given) {
        let what = format!("needs {}", flags(option.needs_one_of));
        return Err(GraphError::argument(option.name, what));
    }
    Ok(())
}

fn excluded(option: &str, other: &str) -> GraphError {
    GraphError::argument(option, format!("cannot be given together with --{other}"))
}

/// Names of options as one alternative after the other.
fn flags(names: &[&str]) -> String {
    names.iter().map(|name| format!("--{name}")).collect::<Vec<_>>().join(" or ")
}
