//! What is written into postgresql.conf.

use super::{PAGE, values};
use crate::lint::finding;
use crate::{Advice, Config, Finding, Value, Verdict};

/// How large [`io_max_combine_limit`](clamped_combine_limit) is unless set.
const MAX_COMBINE: f64 = 131072.0;

/// A file to be included.
pub(super) fn write(advice: &Advice) -> String {
    let mut text = String::new();
    for line in advice.heading() {
        text.push_str(&format!("# {line}\n"));
    }
    for setting in &advice.settings {
        text.push_str(&format!("{} = {}\n", setting.key, written(&setting.value)));
    }
    text
}

/// As the server shows it: sizes in kB, MB or GB, times in ms, s or min.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Bytes(bytes) => {
            let units = [("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10), ("B", 1)];
            let whole = units.into_iter().find(|(_, unit)| bytes % unit == 0 && bytes / unit > 0);
            whole.map_or("0".to_owned(), |(name, unit)| format!("{}{name}", bytes / unit))
        }
        Value::Seconds(seconds) if *seconds < 1.0 => format!("{}ms", (seconds * 1e3).round()),
        Value::Seconds(seconds) if seconds % 60.0 == 0.0 => format!("{}min", seconds / 60.0),
        Value::Seconds(seconds) => format!("{}s", seconds.round()),
        other => other.to_string(),
    }
}

/// `io_combine_limit` above `io_max_combine_limit`, which silently clamps it.
pub(super) fn clamped_combine_limit(config: &Config) -> Option<Finding> {
    let limit = |key| values::bytes(&config.last(key)?.value, f64::from(PAGE));
    let most = limit("io_max_combine_limit").unwrap_or(MAX_COMBINE);
    let wanted = limit("io_combine_limit").filter(|wanted| *wanted > most)?;
    let reason = format!(
        "has no effect above io_max_combine_limit, {}: set that to {} as well, and restart",
        written(&Value::Bytes(most as u64)),
        written(&Value::Bytes(wanted as u64))
    );
    Some(finding(config.last("io_combine_limit")?, Verdict::Meaningless, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_written_in_the_largest_unit_that_is_whole() {
        assert_eq!(written(&Value::Bytes(512 << 10)), "512kB");
        assert_eq!(written(&Value::Bytes(3 << 30)), "3GB");
        assert_eq!(written(&Value::Bytes(0)), "0");
        assert_eq!(written(&Value::Seconds(0.2)), "200ms");
        assert_eq!(written(&Value::Seconds(900.0)), "15min");
        assert_eq!(written(&Value::Seconds(90.0)), "90s");
        assert_eq!(written(&Value::Number(1.1)), "1.1");
    }
}
