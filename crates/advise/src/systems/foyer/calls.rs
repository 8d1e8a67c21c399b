//! Calls of builders in Rust: `.with_io_depth(64)`.

use std::path::Path;

use super::{BUFFERS, DEPTH, FLUSHERS, RECOVERY, THROUGHPUT, WEIGHT, has_uring};
use crate::syntax::comments::out_of_code;
use crate::syntax::sql::behind;
use crate::{Advice, AdviseError, Config, Entry, Place, Setting, Value};

/// The builders of a release, with the calls that are theirs.
const ENGINE: [&str; 2] = [DEPTH, WEIGHT];
const STORE: [&str; 3] = [FLUSHERS, BUFFERS, RECOVERY];

/// What a program has to call.
pub(super) fn write(advice: &Advice) -> String {
    let mut text: String = advice.heading().iter().map(|line| format!("// {line}\n")).collect();
    let calls = |keys: &[&str]| -> String {
        let of = advice.settings.iter().filter(|setting| keys.contains(&setting.key));
        of.map(|setting| format!("\n    .with_{}({})", setting.key, literal(setting))).collect()
    };
    let (suffix, device, store) = match advice.version {
        "0.18" => ("", "DirectFsDeviceOptions::new(path)", "LargeEngineOptions::new()"),
        "0.20" | "0.21" => ("Builder", "FsDeviceBuilder::new(path)", "BlockEngineBuilder::new(device)"),
        _ => ("Config", "FsDeviceBuilder::new(path)", "BlockEngineConfig::new(device)"),
    };
    if advice.setting(THROUGHPUT).is_some() {
        text.push_str(&format!("let throttle = Throttle::new(){};\n", calls(&[THROUGHPUT])));
        text.push_str(&format!("let device = {device}\n    .with_throttle(throttle);\n"));
    }
    if has_uring(advice) && advice.setting(DEPTH).is_some() {
        text.push_str(&format!("let io = UringIoEngine{suffix}::new(){};\n", calls(&ENGINE)));
    }
    let of_store = calls(&STORE);
    if !of_store.is_empty() {
        text.push_str(&format!("let engine = {store}{of_store};\n"));
    }
    text
}

/// As Rust has it: fractions with a point, bytes as a product where that is shorter to read.
fn literal(setting: &Setting) -> String {
    match (setting.key, &setting.value) {
        (WEIGHT, Value::Number(number)) => format!("{number:?}"),
        (_, Value::Bytes(bytes)) if bytes % (1 << 20) == 0 => format!("{} * 1024 * 1024", bytes >> 20),
        (_, value) => value.to_string(),
    }
}

/// Finds the calls.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, AdviseError> {
    let mut config = Config::default();
    let shown = out_of_code(text);
    for key in [DEPTH, WEIGHT, FLUSHERS, BUFFERS, THROUGHPUT, RECOVERY] {
        let method = format!("with_{key}");
        for (line, _, rest) in behind(&shown, &method) {
            let Some(argument) = argument(rest) else { continue };
            let place = Place::Line { path: path.into(), line };
            let value = number(argument);
            let Some(value) = value else {
                config.notes.push(format!(
                    "{place}: {method}({}) is not a number, so it is not judged",
                    argument.trim()
                ));
                continue;
            };
            config.entries.push(Entry { section: String::new(), key: key.to_owned(), value, place });
        }
    }
    let says_something = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    if config == Config::default() && shown.lines().any(says_something) {
        return Err(AdviseError::syntax(path, None, "has no call such as .with_io_depth(64)"));
    }
    Ok(config)
}

/// What is in the parentheses that `rest` begins with.
fn argument(rest: &str) -> Option<&str> {
    let inner = rest.trim_start().strip_prefix('(')?;
    let mut open = 1;
    let end = inner.find(|c: char| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 0
    })?;
    Some(&inner[..end])
}

/// A literal or a product of some.
fn number(argument: &str) -> Option<String> {
    let plain = |factor: &str| {
        let digits = factor.trim().replace('_', "");
        let digits = ["usize", "u64", "f64"]
            .iter()
            .fold(digits.as_str(), |digits, kind| digits.strip_suffix(kind).unwrap_or(digits));
        digits.parse::<f64>().ok()
    };
    let factors: Option<Vec<f64>> =
        argument.trim_end_matches([',', ' ', '\n']).split('*').map(plain).collect();
    Some(Value::Number(factors?.into_iter().product()).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_with_their_lines_and_products_are_multiplied() {
        let text = "// a\nlet io = UringIoEngineConfig::new() // b\n    .with_io_depth(128) // .with_weight(9)\n\
                    .with_buffer_pool_size(\n        64 * 1024 * 1024,\n    )\n    .with_flushers(args.flushers);\n\
                    x.with_write_throughput(1_000_000usize)";
        let config = read(text, Path::new("c.rs")).unwrap();
        let found: Vec<(String, &str, &str)> = config
            .entries
            .iter()
            .map(|entry| (entry.place.to_string(), entry.key.as_str(), entry.value.as_str()))
            .collect();
        let place = |line| format!("c.rs, line {line}");
        let want =
            [(place(3), DEPTH, "128"), (place(4), BUFFERS, "67108864"), (place(8), THROUGHPUT, "1000000")];
        assert_eq!(found, want);
        assert_eq!(
            config.notes,
            ["c.rs, line 7: with_flushers(args.flushers) is not a number, so it is not judged"]
        );
        let said = read("fn main() {}", Path::new("c.rs")).unwrap_err().to_string();
        assert_eq!(said, "c.rs: has no call such as .with_io_depth(64)");
    }
}
