//! The keyword arguments of an algorithm, which are the options that it declares.

use std::path::PathBuf;

use leadline_graph::algorithm::{AlgorithmOption, Argument, Arguments, Definition, OptionKind};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;

/// What the dictionary has for each option. `None` is as if it were left out.
///
/// # Errors
/// `TypeError` for one that the algorithm does not have or of another type, `OverflowError` for a number that
/// is too large; `leadline.BadInput` for pairs that are none.
pub(super) fn of(definition: &Definition, given: &Bound<'_, PyDict>) -> PyResult<Arguments> {
    let mut arguments = Arguments::new();
    for (name, value) in given {
        let name: String = name.extract()?;
        let option = definition.option(&name.replace('_', "-")).ok_or_else(|| {
            PyTypeError::new_err(format!("{}() got an unexpected keyword argument '{name}'", definition.name))
        })?;
        if let Some(argument) = argument(option, &value).map_err(|error| of_argument(&value, &name, error))? {
            arguments.insert(option.name, argument);
        }
    }
    Ok(arguments)
}

fn argument(option: &AlgorithmOption, value: &Bound<'_, PyAny>) -> PyResult<Option<Argument>> {
    if value.is_none() {
        return Ok(None);
    }
    Ok(Some(match option.kind {
        OptionKind::Flag => return Ok(value.extract::<bool>()?.then_some(Argument::Given)),
        OptionKind::Ids => Argument::Ids(value.extract()?),
        OptionKind::U32(..) => Argument::Number(value.extract::<u32>()?.into()),
        OptionKind::U64(..) => Argument::Number(value.extract()?),
        OptionKind::F64(_) => Argument::Double(value.extract()?),
        OptionKind::Text(_) => Argument::Text(value.extract()?),
        OptionKind::Pairs => {
            let (vertices, others): (Vec<String>, Vec<String>) = value.extract()?;
            if vertices.len() != others.len() {
                let line = format!("vertex, other: have {} and {} ids", vertices.len(), others.len());
                return Err(errors::bad_input(value.py(), &line));
            }
            Argument::Pairs(vertices, others)
        }
        OptionKind::Input | OptionKind::Previous | OptionKind::Folder => {
            Argument::Path(value.extract::<PathBuf>()?)
        }
    }))
}

/// An error of a type with the name of the argument, as functions in Rust have it.
fn of_argument(value: &Bound<'_, PyAny>, name: &str, error: PyErr) -> PyErr {
    match error.is_instance_of::<PyTypeError>(value.py()) {
        true => PyTypeError::new_err(format!("argument '{name}': {}", error.value(value.py()))),
        false => error,
    }
}
