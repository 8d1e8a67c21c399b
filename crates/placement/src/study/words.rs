//! The choice in words.

use std::path::Path;

use leadline_device::format_size;

use super::{Choice, FileSize, Placed, SizeStudy};

/// Nothing is said to be better by less than this share: predictions are not that exact.
const TELLS_APART: f64 = 0.01;

/// What to take at a size, and what the next best would cost. `slow_seconds`: of neither.
pub(super) fn words(size: &SizeStudy, slow_seconds: f64, files: &[FileSize]) -> String {
    let labels = labels(files);
    let placed = size.placed.first().map(|best| (Choice::Placement, placing(best, &labels), best.seconds));
    let cached = size.cached.first().map(|best| {
        let name = format!("the block cache ({}, {})", best.policy, best.admission);
        (Choice::Cache, name, best.seconds)
    });
    let neither = (Choice::Neither, "the slow device alone".to_owned(), slow_seconds);
    let mut options: Vec<(Choice, String, f64)> =
        [Some(neither), placed, cached].into_iter().flatten().collect();
    // The choice first, then by time.
    options.sort_by(|one, other| {
        let chosen = |option: &(Choice, String, f64)| option.0 != size.choice;
        chosen(one).cmp(&chosen(other)).then(one.2.total_cmp(&other.2))
    });
    let (choice, best, seconds) = &options[0];
    let others: Vec<String> =
        options[1..].iter().map(|(_, name, other)| next(name, *other, *seconds)).collect();
    let others = others.join("; ");
    let fast = format_size(size.fast_bytes);
    if *choice == Choice::Neither {
        return format!("{fast}: neither pays; {best} takes {}; {others}", time(*seconds));
    }
    format!("{fast}: take {best}: {}; {others}", time(*seconds))
}

/// Which is taken: the one that takes least time; the slow device alone where that cannot be told apart from
/// it, since it needs nothing.
pub(super) fn choose(placed: Option<f64>, cached: Option<f64>, slow: f64) -> Choice {
    let placed = placed.unwrap_or(f64::INFINITY);
    let cached = cached.unwrap_or(f64::INFINITY);
    match () {
        () if slow < placed.min(cached) * (1.0 + TELLS_APART) => Choice::Neither,
        () if placed <= cached => Choice::Placement,
        () => Choice::Cache,
    }
}

fn placing(best: &Placed, labels: &[String]) -> String {
    let names: Vec<&str> = best.files.iter().map(|&file| labels[file].as_str()).collect();
    format!("{} placed", names.join(" + "))
}

fn next(name: &str, seconds: f64, best: f64) -> String {
    let more = if best > 0.0 { seconds / best - 1.0 } else { 0.0 };
    if more < TELLS_APART {
        return format!("{name} cannot be told apart from it ({})", time(seconds));
    }
    format!("{name} would take {} ({:.0} % more)", time(seconds), 100.0 * more)
}

/// Short names of files: without directories and endings, where that leaves each its own.
pub fn labels(files: &[FileSize]) -> Vec<String> {
    let short = |file: &FileSize| {
        let stem = Path::new(&file.name).file_stem();
        stem.map_or_else(|| file.name.clone(), |stem| stem.to_string_lossy().into_owned())
    };
    let all: Vec<String> = files.iter().map(short).collect();
    let unique = |label: &String| all.iter().filter(|other| *other == label).count() == 1;
    let label = |(label, file): (&String, &FileSize)| {
        if unique(label) { label.clone() } else { file.name.clone() }
    };
    all.iter().zip(files).map(label).collect()
}

/// Seconds with three digits.
pub(super) fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 100.0 => format!("{s:.0} s"),
        s if s >= 10.0 => format!("{s:.1} s"),
        s if s >= 0.1 => format!("{s:.2} s"),
        s => format!("{:.3} ms", s * 1e3),
    }
}
