//! Values of settings as people read them.

use leadline_advise::{Fits, Setting, Value};

use crate::format::{bytes, significant};

/// No key takes more: an upper end from here on is none.
const ENDLESS: f64 = 9e18;

/// The interval that the value comes from, in its unit: `28–40`. `None` where it is one number.
pub(crate) fn interval(setting: &Setting) -> Option<String> {
    let (low, high) = (in_unit(setting, setting.low?), in_unit(setting, setting.high?));
    (low != high).then(|| format!("{low}–{high}"))
}

/// The values that do as well: `36 to 576`, `64 or more`, `none, kyber`. `None` where only the value itself
/// does.
pub(crate) fn as_good(setting: &Setting) -> Option<String> {
    match &setting.fits {
        Fits::Range([low, high]) if *high >= ENDLESS => Some(format!("{} or more", in_unit(setting, *low))),
        Fits::Range(ends) => {
            let [low, high] = ends.map(|end| in_unit(setting, end));
            (low != high).then(|| format!("{low} to {high}"))
        }
        Fits::Words(words) => (words.len() > 1).then(|| words.join(", ")),
    }
}

/// The same in a sentence: `any value from 36 to 576 does as well`.
pub(crate) fn as_good_sentence(setting: &Setting) -> Option<String> {
    let values = as_good(setting)?;
    Some(match &setting.fits {
        Fits::Words(_) => format!("any of {values} does as well"),
        Fits::Range([_, high]) if *high >= ENDLESS => format!("any value of {values} does as well"),
        Fits::Range(_) => format!("any value from {values} does as well"),
    })
}

/// A number in the setting's unit.
pub(crate) fn in_unit(setting: &Setting, number: f64) -> String {
    match setting.value {
        Value::Bytes(_) => bytes(number as u64),
        Value::Seconds(_) => seconds(number),
        _ if number.fract() == 0.0 => format!("{number}"),
        _ => significant(number),
    }
}

/// The unit, where [`shown`] does not have it.
pub(crate) fn unit(setting: &Setting) -> &'static str {
    match (&setting.value, setting.unit) {
        (Value::Word(_), _) | (Value::Bytes(_), "bytes") | (Value::Seconds(_), "seconds") => "",
        (Value::Bytes(_), "bytes per second") => "per second",
        (_, unit) => unit,
    }
}

/// With a unit where the number is a size or a time.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Bytes(size) => bytes(*size),
        Value::Seconds(time) => seconds(*time),
        other => other.to_string(),
    }
}

fn seconds(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{} ms", significant(1e3 * seconds))
    } else {
        format!("{} s", significant(seconds))
    }
}
