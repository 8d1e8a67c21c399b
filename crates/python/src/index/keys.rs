//! Many keys of Python, taken at once.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

/// Many keys: a list of bytes, or the memory of an array with a number of bytes for each.
pub(crate) enum Keys {
    List(Vec<PyBackedBytes>),
    /// All keys one after the other, bytes of each, and whether zeros at the end of a key are none of it.
    Array(PyBackedBytes, usize, bool),
}

impl<'py> FromPyObject<'_, 'py> for Keys {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Keys> {
        if let Ok((bytes, width, padded)) = given.extract::<(PyBackedBytes, usize, bool)>() {
            return Ok(Keys::Array(bytes, width, padded));
        }
        Ok(Keys::List(given.extract()?))
    }
}

impl Keys {
    /// The bytes of each.
    pub(super) fn slices(&self) -> Vec<&[u8]> {
        match self {
            Keys::List(list) => list.iter().map(AsRef::as_ref).collect(),
            Keys::Array(bytes, width, padded) => {
                let keys = bytes.chunks_exact((*width).max(1));
                keys.map(|key| if *padded { unpadded(key) } else { key }).collect()
            }
        }
    }
}

/// As NumPy gives the items of an array of bytes.
fn unpadded(key: &[u8]) -> &[u8] {
    let end = key.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &key[..end]
}
