//! Placement against caching: the numbers of the tables.

use leadline_device::format_size;
use leadline_placement::{Choice, Migration, SizeStudy, Study, labels};

use crate::format::micros;

/// A time in milliseconds or seconds.
pub(crate) fn seconds(seconds: f64) -> String {
    micros(seconds * 1e6)
}

/// What is placed at a size at its best, by short names.
fn placed_files(size: &SizeStudy, labels: &[String]) -> String {
    let Some(best) = size.placed.first() else { return "–".to_owned() };
    let names: Vec<&str> = best.files.iter().map(|&file| labels[file].as_str()).collect();
    names.join(" + ")
}

/// The best cache of a size.
fn best_cache(size: &SizeStudy) -> String {
    size.cached.first().map_or("–".to_owned(), |best| format!("{}, {}", best.policy, best.admission))
}

/// A choice in a word.
fn choice(choice: Choice) -> &'static str {
    match choice {
        Choice::Placement => "placement",
        Choice::Cache => "cache",
        Choice::Neither => "neither",
    }
}

/// What copying counts for.
pub(crate) fn migration(study: &Study) -> &'static str {
    match study.migration {
        Migration::Once => "files are copied to the fast device once",
        Migration::PerQuery => "files are copied to the fast device before every run",
    }
}

/// Columns of the table of sizes, but for the first, the size.
pub(crate) const SIZE_COLUMNS: [&str; 7] =
    ["take", "files placed", "placed", "of it copying", "cache", "cached", "neither"];

/// A line for each size, for all queries together: the size, and the columns' values.
pub(crate) fn size_lines(study: &Study) -> Vec<(String, Vec<String>)> {
    let labels = labels(&study.files);
    let time = |of: Option<f64>| of.map_or("–".to_owned(), seconds);
    let line = |size: &SizeStudy| {
        let (placed, cached) = size.best_seconds();
        let cells = vec![
            choice(size.choice).to_owned(),
            placed_files(size, &labels),
            time(placed),
            time(size.placed.first().map(|best| best.migration_seconds)),
            best_cache(size),
            time(cached),
            seconds(study.all.slow_seconds),
        ];
        (format_size(size.fast_bytes), cells)
    };
    study.all.sizes.iter().map(line).collect()
}

/// Columns of the table of queries, but for the first, the name: the sizes follow.
pub(crate) fn query_columns(study: &Study) -> Vec<String> {
    let sizes = study.all.sizes.iter().map(|size| format_size(size.fast_bytes));
    ["weight", "slow", "fast"].map(str::to_owned).into_iter().chain(sizes).collect()
}

/// A line for each query by itself: its name, and the columns' values.
pub(crate) fn query_lines(study: &Study) -> Vec<(String, Vec<String>)> {
    let lines = study.queries.iter().zip(&study.each).map(|(query, scope)| {
        let own = |size: &SizeStudy| {
            let (placed, cached) = size.best_seconds();
            let best = match size.choice {
                Choice::Placement => placed,
                Choice::Cache => cached,
                Choice::Neither => None,
            };
            // Of one run: what counts more often was multiplied.
            let weight = if query.weight > 0.0 { query.weight } else { 1.0 };
            let time = best.map_or(query.slow_seconds, |best| best / weight);
            format!("{} {}", choice(size.choice), seconds(time))
        };
        let mut cells =
            vec![format!("{}", query.weight), seconds(query.slow_seconds), seconds(query.fast_seconds)];
        cells.extend(scope.sizes.iter().map(own));
        (query.name.clone(), cells)
    });
    lines.collect()
}
