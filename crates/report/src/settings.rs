//! Values of settings as people read them.

use leadline_advise::{Setting, Value};

use crate::format::{bytes, significant};

/// The interval that the value comes from, in its unit: `28–40`. `None` where it is one number.
pub(crate) fn interval(setting: &Setting) -> Option<String> {
    let end = |number: f64| match setting.value {
        Value::Bytes(_) => bytes(number as u64),
        Value::Seconds(_) => seconds(number),
        _ => significant(number),
    };
    let (low, high) = (end(setting.low?), end(setting.high?));
    (low != high).then(|| format!("{low}–{high}"))
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
