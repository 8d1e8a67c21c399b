//! Numbers as people read them: three significant digits, always with their unit.

use leadline_profile::{DeviceProfile, InternalWork, OpKind, Parameters, Pattern, Point};

/// `4K`, `1M`, `512`: a block or file size that is a power of two, as the command line takes it.
pub(crate) fn block(bytes: u32) -> String {
    match bytes {
        b if b >= 1 << 20 && b % (1 << 20) == 0 => format!("{}M", b >> 20),
        b if b >= 1 << 10 && b % (1 << 10) == 0 => format!("{}K", b >> 10),
        b => format!("{b}B"),
    }
}

/// `12.4 GiB`: an amount of data, in powers of 1024.
pub(crate) fn bytes(amount: u64) -> String {
    scaled(amount as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB"])
}

/// `338 MB/s`: bandwidth, in powers of 1000.
pub(crate) fn bandwidth(bytes_per_second: f64) -> String {
    scaled(bytes_per_second, 1000.0, &["B/s", "kB/s", "MB/s", "GB/s", "TB/s"])
}

/// `82.4k`: a count, in powers of 1000, without a unit.
pub(crate) fn count(value: f64) -> String {
    scaled(value, 1000.0, &["", "k", "M", "G", "T"]).replace(' ', "")
}

/// `85.3 µs`, `1.24 ms`, `2.10 s`, from microseconds.
pub(crate) fn micros(us: f64) -> String {
    scaled(us, 1000.0, &["µs", "ms", "s"])
}

/// `45 s`, `2 min 5 s`, from seconds.
pub(crate) fn seconds(s: f64) -> String {
    if s < 60.0 {
        return format!("{} s", significant(s));
    }
    let whole = s.round() as u64;
    match whole % 60 {
        0 => format!("{} min", whole / 60),
        rest => format!("{} min {rest} s", whole / 60),
    }
}

/// `12 %`, from a share between 0 and 1; `< 1 %` rather than a rounded nothing.
pub(crate) fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p <= 0.0 => "0 %".to_owned(),
        p if p < 1.0 => "< 1 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

/// Three significant digits, no exponent: `1.93`, `12.4`, `831`.
pub(crate) fn significant(value: f64) -> String {
    match value.abs() {
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A probability; those that two digits would show as 0.00 have a third.
pub(crate) fn probability(value: f64) -> String {
    if value < 0.01 { format!("{value:.3}") } else { format!("{value:.2}") }
}

/// `1.70–2.10`, each end by `show`; one number where both read the same.
pub(crate) fn range(ends: [f64; 2], show: impl Fn(f64) -> String) -> String {
    let (low, high) = (show(ends[0]), show(ends[1]));
    if low == high { low } else { format!("{low}–{high}") }
}

/// As [`range`], for whole numbers.
pub(crate) fn whole_range(ends: [u32; 2]) -> String {
    range([f64::from(ends[0]), f64::from(ends[1])], |v| format!("{v:.0}"))
}

/// `1.93 (1.70–2.10)`, or the value alone where there is no interval.
pub(crate) fn with_interval(
    value: f64,
    ends: Option<[f64; 2]>,
    show: impl Fn(f64) -> String + Copy,
) -> String {
    match ends {
        Some(ends) => format!("{} ({})", show(value), range(ends, show)),
        None => show(value),
    }
}

/// The name of a pattern.
pub(crate) fn pattern(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Random => "random",
        Pattern::Sequential => "sequential",
    }
}

/// The load that provokes such work.
pub(crate) fn internal_work(work: InternalWork) -> &'static str {
    match work {
        InternalWork::Collection => "beside overwriting",
        InternalWork::ReadDisturb => "over and over",
    }
}

/// `read` or `write`.
pub(crate) fn operation(op: OpKind) -> &'static str {
    match op {
        OpKind::Read => "read",
        OpKind::Write => "write",
    }
}

/// Requests of a kind, in words: `sequential reads`, `durable random writes`.
pub(crate) fn requests(op: OpKind, of: Pattern, durable: bool) -> String {
    format!("{}{} {}s", if durable { "durable " } else { "" }, pattern(of), operation(op))
}

/// The curve a point belongs to: `read`, `write` or `durable`.
pub(crate) fn curve(point: &Point) -> &'static str {
    match (point.op, point.durable) {
        (OpKind::Read, _) => "read",
        (OpKind::Write, false) => "write",
        (OpKind::Write, true) => "durable",
    }
}

/// The points of one curve of one pattern and block size, by rising concurrency.
pub(crate) fn curve_points<'a>(profile: &'a DeviceProfile, of: &Parameters, name: &str) -> Vec<&'a Point> {
    let mut points: Vec<&Point> = profile
        .points
        .iter()
        .filter(|p| p.pattern == of.pattern && p.block_bytes == of.block_bytes && curve(p) == name)
        .collect();
    points.sort_by_key(|p| p.concurrency);
    points
}

/// Names that tell several profiles apart: model or name, then what differs, then a number.
pub(crate) fn labels(profiles: &[DeviceProfile]) -> Vec<String> {
    let base = |p: &DeviceProfile| p.device.model.clone().unwrap_or_else(|| p.device.name.clone());
    let path = |p: &DeviceProfile| format!("{} ({})", base(p), p.device.target);
    let unique = |names: &[String]| names.iter().enumerate().all(|(i, n)| !names[..i].contains(n));
    let short: Vec<String> = profiles.iter().map(base).collect();
    if unique(&short) {
        return short;
    }
    let long: Vec<String> = profiles.iter().map(path).collect();
    if unique(&long) {
        return long;
    }
    long.iter().enumerate().map(|(i, name)| format!("{name} #{}", i + 1)).collect()
}

fn scaled(value: f64, step: f64, units: &[&str]) -> String {
    let mut value = value;
    let mut unit = 0;
    // 999.6 would print as 1000: the next unit says it better.
    while value.abs() >= step - 0.5 && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    let digits = if unit == 0 && value.fract() == 0.0 { format!("{value:.0}") } else { significant(value) };
    format!("{digits} {}", units[unit]).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_unit() {
        assert_eq!(block(512), "512B");
        assert_eq!(block(4096), "4K");
        assert_eq!(block(1 << 20), "1M");
        assert_eq!(bytes(8 << 30), "8.00 GiB");
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bandwidth(338_123_456.0), "338 MB/s");
        assert_eq!(count(82_412.0), "82.4k");
        assert_eq!(count(999_999.0), "1.00M");
        assert_eq!(count(0.0), "0");
        assert_eq!(micros(85.31), "85.3 µs");
        assert_eq!(micros(1_240.0), "1.24 ms");
        assert_eq!(seconds(125.0), "2 min 5 s");
        assert_eq!(seconds(120.0), "2 min");
        assert_eq!(percent(0.1234), "12 %");
        assert_eq!(percent(0.001), "< 1 %");
    }

    #[test]
    fn an_interval_of_one_number_is_written_once() {
        assert_eq!(with_interval(1.93, Some([1.7, 2.1]), significant), "1.93 (1.70–2.10)");
        assert_eq!(with_interval(1.93, Some([1.931, 1.932]), significant), "1.93 (1.93)");
        assert_eq!(with_interval(1.93, None, significant), "1.93");
        assert_eq!(whole_range([8, 8]), "8");
    }
}
