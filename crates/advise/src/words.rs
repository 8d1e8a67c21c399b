//! Values of settings as people read them.

use leadline_figures::number::{bytes, significant};

use crate::{Fits, Setting, Value};

/// No key takes more: an upper end from here on is none.
pub(crate) const ENDLESS: f64 = 9e18;

impl Setting {
    /// The interval that the value comes from, in its unit: `28–40`. `None` where it is one number.
    pub fn interval_shown(&self) -> Option<String> {
        let (low, high) = (self.in_unit(self.low?), self.in_unit(self.high?));
        (low != high).then(|| format!("{low}–{high}"))
    }

    /// The values that do as well: `36 to 576`, `64 or more`, `none, kyber`. `None` where only the value
    /// itself does.
    pub(crate) fn as_good(&self) -> Option<String> {
        match &self.fits {
            Fits::Range([low, high]) if *high >= ENDLESS && *low == f64::MIN_POSITIVE => {
                Some("anything above 0".to_owned())
            }
            Fits::Range([low, high]) if *high >= ENDLESS => Some(format!("{} or more", self.in_unit(*low))),
            Fits::Range(ends) => {
                let [low, high] = ends.map(|end| self.in_unit(end));
                (low != high).then(|| format!("{low} to {high}"))
            }
            Fits::Words(words) => (words.len() > 1).then(|| words.join(", ")),
        }
    }

    /// The same in a sentence: `any value from 36 to 576 does as well`.
    pub fn as_good_sentence(&self) -> Option<String> {
        let values = self.as_good()?;
        Some(match &self.fits {
            Fits::Words(_) => format!("any of {values} does as well"),
            Fits::Range([low, _]) if *low == f64::MIN_POSITIVE => format!("{values} does as well"),
            Fits::Range([_, high]) if *high >= ENDLESS => format!("any value of {values} does as well"),
            Fits::Range(_) => format!("any value from {values} does as well"),
        })
    }

    /// A number in the setting's unit.
    pub(crate) fn in_unit(&self, number: f64) -> String {
        match self.value {
            Value::Bytes(_) => bytes(number as u64),
            Value::Seconds(_) => seconds(number),
            _ if number.fract() == 0.0 => format!("{number}"),
            _ => significant(number),
        }
    }

    /// The unit, where [`Value::shown`] does not have it.
    pub fn unit_shown(&self) -> &'static str {
        match (&self.value, self.unit) {
            (Value::Word(_), _) | (Value::Bytes(_), "bytes") | (Value::Seconds(_), "seconds") => "",
            (Value::Bytes(_), "bytes per second") => "per second",
            (_, unit) => unit,
        }
    }
}

impl Value {
    /// With a unit where the number is a size or a time.
    pub fn shown(&self) -> String {
        match self {
            Value::Bytes(size) => bytes(*size),
            Value::Seconds(time) => seconds(*time),
            other => other.to_string(),
        }
    }
}

fn seconds(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{} ms", significant(1e3 * seconds))
    } else {
        format!("{} s", significant(seconds))
    }
}
