//! The keyword arguments of an algorithm, which are the options that it declares.

use leadline_graph::algorithm::{AlgorithmOption, Argument, Arguments, Definition, OptionKind};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::values::{flag, ids, number, path, text, whole};

/// What the dictionary has for each option. `None` is as if it were left out. Only types are looked at here:
/// ranges and what goes with what, [`Definition::check`] knows.
///
/// # Errors
/// `TypeError` for one that the algorithm does not have; `leadline.BadInput` for a value of another type.
pub(super) fn of(definition: &Definition, given: &Bound<'_, PyDict>) -> PyResult<Arguments> {
    let mut arguments = Arguments::new();
    for (name, value) in given {
        let name: String = name.extract()?;
        // `from_`, since `from` is a word of Python's own.
        let option = definition.option(&name.trim_end_matches('_').replace('_', "-")).ok_or_else(|| {
            PyTypeError::new_err(format!("{}() got an unexpected keyword argument '{name}'", definition.name))
        })?;
        if let Some(argument) = argument(option, &name, &value)? {
            arguments.insert(option.name, argument);
        }
    }
    Ok(arguments)
}

fn argument(option: &AlgorithmOption, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Argument>> {
    if value.is_none() {
        return Ok(None);
    }
    Ok(Some(match option.kind {
        OptionKind::Flag => return Ok(flag(name, value)?.then_some(Argument::Given)),
        OptionKind::Ids => Argument::Ids(ids(name, value)?),
        OptionKind::U32(least, most) => Argument::Number(whole(name, value, least.into(), most.into())?),
        OptionKind::U64(least, most) => Argument::Number(whole(name, value, least, most)?),
        OptionKind::F64(within) => Argument::Double(number(name, value, within.must)?),
        OptionKind::Text(_) => Argument::Text(text(name, value)?),
        OptionKind::Pairs => {
            let (vertices, others): (Bound<'_, PyAny>, Bound<'_, PyAny>) = value.extract()?;
            let (vertices, others) = (ids("vertex", &vertices)?, ids("other", &others)?);
            if vertices.len() != others.len() {
                let line = format!("vertex, other: have {} and {} ids", vertices.len(), others.len());
                return Err(errors::bad_input(value.py(), &line));
            }
            Argument::Pairs(vertices, others)
        }
        OptionKind::Input | OptionKind::Previous | OptionKind::Folder => Argument::Path(path(name, value)?),
    }))
}
