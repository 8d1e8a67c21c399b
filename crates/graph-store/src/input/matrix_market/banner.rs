//! The first line of a Matrix Market file, and what follows from it.

use crate::input::number::shown;

const BANNER: &str = "%%MatrixMarket matrix coordinate|array pattern|integer|real|complex \
                      general|symmetric|skew-symmetric|hermitian";

/// What entries have besides their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    None,
    Real,
    /// A real and an imaginary part.
    Complex,
}

impl Values {
    /// Numbers of an entry's value.
    pub(super) fn count(self) -> usize {
        match self {
            Values::None => 0,
            Values::Real => 1,
            Values::Complex => 2,
        }
    }
}

/// What entry (i, j) says of entry (j, i), which is not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symmetry {
    /// Nothing: it is listed.
    General,
    /// It is the same.
    Symmetric,
    /// It has the other sign.
    Skew,
    /// Its imaginary part has the other sign.
    Hermitian,
}

/// The first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Banner {
    /// All entries, without their places; else the places of those that are not 0.
    pub(super) array: bool,
    pub(super) values: Values,
    pub(super) symmetry: Symmetry,
}

impl Banner {
    pub(super) fn read(line: &[u8]) -> Result<Banner, String> {
        let text = String::from_utf8_lossy(line).to_lowercase();
        let words: Vec<&str> = text.split_whitespace().collect();
        let wrong = || format!("expected {BANNER}, found {}", shown(line));
        let [banner, object, format, field, symmetry] = words[..] else { return Err(wrong()) };
        let values = match field {
            "pattern" => Values::None,
            "integer" | "real" | "double" => Values::Real,
            "complex" => Values::Complex,
            _ => return Err(wrong()),
        };
        let symmetry = match symmetry {
            "general" => Symmetry::General,
            "symmetric" => Symmetry::Symmetric,
            "skew-symmetric" => Symmetry::Skew,
            "hermitian" => Symmetry::Hermitian,
            _ => return Err(wrong()),
        };
        let array = match format {
            "coordinate" => false,
            "array" if values != Values::None => true,
            _ => return Err(wrong()),
        };
        if (banner, object) != ("%%matrixmarket", "matrix") {
            return Err(wrong());
        }
        Ok(Banner { array, values, symmetry })
    }

    /// What is not kept of the values, or is kept in another way, for the user to know.
    pub(super) fn notes(self, weighted: bool) -> Vec<String> {
        let values = match (self.values, weighted) {
            (Values::None, _) | (Values::Real, true) => None,
            (Values::Real, false) => Some("its values were not kept"),
            (Values::Complex, true) => Some("the weights are the real parts of its complex values"),
            (Values::Complex, false) => Some("its complex values were not kept"),
        };
        let symmetry = match (self.symmetry, weighted) {
            (Symmetry::Skew, true) => Some(
                "entry (j, i) has the weight of (i, j) with the other sign, as in all skew-symmetric \
                 matrices",
            ),
            (Symmetry::Skew, false) => Some("it is skew-symmetric: its edges lead both ways"),
            (Symmetry::Hermitian, _) => Some("it is hermitian: its edges lead both ways"),
            _ => None,
        };
        [values, symmetry].into_iter().flatten().map(str::to_owned).collect()
    }
}
