//! Numbers as people read them: three significant digits, always with their unit.

/// `4K`, `1M`, `512`: a block or file size that is a power of two, as the command line takes it.
pub fn block(bytes: u32) -> String {
    match bytes {
        b if b >= 1 << 20 && b % (1 << 20) == 0 => format!("{}M", b >> 20),
        b if b >= 1 << 10 && b % (1 << 10) == 0 => format!("{}K", b >> 10),
        b => format!("{b}B"),
    }
}

/// `12.4 GiB`: an amount of data, in powers of 1024.
pub fn bytes(amount: u64) -> String {
    scaled(amount as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB"])
}

/// `338 MB/s`: bandwidth, in powers of 1000.
pub fn bandwidth(bytes_per_second: f64) -> String {
    scaled(bytes_per_second, 1000.0, &["B/s", "kB/s", "MB/s", "GB/s", "TB/s"])
}

/// `82.4k`: a count, in powers of 1000, without a unit.
pub fn count(value: f64) -> String {
    scaled(value, 1000.0, &["", "k", "M", "G", "T"]).replace(' ', "")
}

/// `85.3 µs`, `1.24 ms`, `2.10 s`, from microseconds.
pub fn micros(us: f64) -> String {
    scaled(us, 1000.0, &["µs", "ms", "s"])
}

/// `45 s`, `2 min 5 s`, from seconds.
pub fn seconds(s: f64) -> String {
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
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        p if p <= 0.0 => "0 %".to_owned(),
        p if p < 1.0 => "< 1 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

/// Three significant digits, no exponent: `1.93`, `12.4`, `831`.
pub fn significant(value: f64) -> String {
    match value.abs() {
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A probability; one that two digits would show as 0.00 has a third.
pub fn probability(value: f64) -> String {
    if value < 0.01 { format!("{value:.3}") } else { format!("{value:.2}") }
}

/// `1.70–2.10`, each end by `show`; one number where both read the same.
pub fn range(ends: [f64; 2], show: impl Fn(f64) -> String) -> String {
    let (low, high) = (show(ends[0]), show(ends[1]));
    if low == high { low } else { format!("{low}–{high}") }
}

/// As [`range`], for whole numbers.
pub fn whole_range(ends: [u32; 2]) -> String {
    range([f64::from(ends[0]), f64::from(ends[1])], |v| format!("{v:.0}"))
}

/// `1.93 (1.70–2.10)`, or the value alone where there is no interval.
pub fn with_interval(value: f64, ends: Option<[f64; 2]>, show: impl Fn(f64) -> String + Copy) -> String {
    match ends {
        Some(ends) => format!("{} ({})", show(value), range(ends, show)),
        None => show(value),
    }
}

/// `12.3 %`, `0.52 %`, from a share between 0 and 1, to three digits.
pub fn share(share: f64) -> String {
    match share * 100.0 {
        p if p == 0.0 || p == 100.0 => format!("{p:.0} %"),
        p if p < 0.005 => "< 0.01 %".to_owned(),
        p => format!("{} %", significant(p)),
    }
}

/// At most three significant digits, none that says nothing: `1.5`, `82.4`, `831`.
pub fn short(value: f64) -> String {
    let digits = value.abs().log10().floor();
    let decimals = if value == 0.0 || !digits.is_finite() { 0.0 } else { (2.0 - digits).clamp(0.0, 12.0) };
    let text = format!("{value:.*}", decimals as usize);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// `4K`, `1.5M`: an amount of data of any size, shorter than [`bytes`] says it.
pub fn size(bytes: f64) -> String {
    let (mut value, mut units) = (bytes, "BKMGTPE".chars());
    let mut unit = units.next();
    while value >= 1023.5 && units.as_str() != "" {
        (value, unit) = (value / 1024.0, units.next());
    }
    format!("{}{}", short(value), unit.unwrap_or('B'))
}

/// `1,048,576`: a count to the last digit.
pub fn exact(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 client`, `2 clients`.
pub fn counted(n: u64, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// With a capital first letter.
pub fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What is known, and a dash in place of what is not.
pub fn known(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

/// A percentile in microseconds where at least ten of `ops` requests were slower, `share` of them being.
pub fn borne_out(ops: u64, share: f64, us: f64) -> Option<String> {
    (ops as f64 * share >= 10.0).then(|| micros(us))
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
