//! Compares a result with the benchmark's reference, in memory of any size.
//!
//! The lines of both files, which may be in any order, are sorted together by vertex, so that the two values
//! of a vertex stand side by side: what does not fit in memory goes to a temporary file (the sort of
//! `import`), 32 bytes per line. Partitions take two more sorts of as many records. In each partition every
//! vertex gets the smallest vertex of its class as label, first in the one and then in the other; partitions
//! are the same if, and only if, both labels of every vertex are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde::Serialize;

use super::Benchmark;
use crate::import::{ImportPlan, Key, LEAST_MEMORY, Record, SortedRecords, Sorter, as_they_are};
use crate::input::{ValueLines, whole};
use crate::{GraphError, Progress};

/// How to compare.
#[derive(Debug, Clone)]
pub struct ValidateOptions {
    /// The cap on memory, bytes; at least [`LEAST_MEMORY`].
    pub memory: u64,
    /// The directory of temporary files, which have no names.
    pub temp: PathBuf,
    /// How many differences are reported one by one: the differences of the smallest ids.
    pub shown: usize,
    /// Set from another thread to end it.
    pub stop: Arc<AtomicBool>,
}

impl Default for ValidateOptions {
    fn default() -> ValidateOptions {
        let memory = crate::import::default_memory();
        ValidateOptions { memory, temp: std::env::temp_dir(), shown: 10, stop: Arc::default() }
    }
}

/// What came of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValidationReport {
    /// By which rules.
    pub algorithm: Benchmark,
    /// Whether the result is right.
    pub valid: bool,
    /// Vertices of the reference.
    pub vertices: u64,
    /// Of these, the ones that the result does not have.
    pub missing: u64,
    /// Vertices of the result that the reference does not have.
    pub extra: u64,
    /// Vertices of both whose values differ too much.
    pub different: u64,
    /// The first differences, ascending by id.
    pub differences: Vec<Difference>,
    /// How long it took.
    pub seconds: f64,
    /// Bytes written to temporary files.
    pub bytes_spilled: u64,
    /// The most that was in memory at once by its own account.
    pub peak_memory_bytes: u64,
}

/// A vertex for which the result is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its id.
    pub id: u64,
    /// The reference's value, if it has the vertex. Of components: the smallest vertex of its component.
    pub expected: Option<String>,
    /// The result's.
    pub found: Option<String>,
}

/// Of a key's low half: set in lines of the result. The other bits are the number of the line.
const FOUND: u64 = 1 << 63;

/// Compares a result with its reference by the rules of an algorithm. Both are texts of a line per vertex,
/// `id value`, in any order, compressed or not.
///
/// # Errors
/// [`GraphError::Malformed`] with file and line for what is no such line, or names a vertex a second time;
/// [`GraphError::Memory`] below [`LEAST_MEMORY`]; what the files give.
pub fn validate(
    found: &Path,
    reference: &Path,
    algorithm: Benchmark,
    options: &ValidateOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<ValidationReport, GraphError> {
    let begun = Instant::now();
    if options.memory < LEAST_MEMORY {
        let what = "a validation".into();
        return Err(GraphError::Memory { what, given: options.memory, needed: LEAST_MEMORY });
    }
    let plan = ImportPlan::new(options.memory, Arc::clone(&options.stop));
    let sorter = Sorter::<u128, u64>::new(&options.temp, plan.sort_alone(), None, &plan)?;
    for (path, side) in [(reference, 0), (found, FOUND)] {
        read(path, side, algorithm, &sorter, &plan, progress)?;
    }
    let lines = sorter.finish()?;
    let mut comparison = Comparison::new(algorithm, options.shown);
    let spilled = if algorithm.is_partition() {
        partitions(lines, [reference, found], &mut comparison, options, &plan)?
    } else {
        side_by_side(&lines, [reference, found], |id, values| {
            comparison.vertex(id, values, |expected, found| algorithm.accepts(expected, found));
            Ok(())
        })?;
        lines.spilled
    };
    Ok(comparison.report(begun.elapsed().as_secs_f64(), spilled, plan.account.peak()))
}

/// Sends the lines of a file to the sort.
fn read(
    path: &Path,
    side: u64,
    algorithm: Benchmark,
    sorter: &Sorter<u128, u64>,
    plan: &ImportPlan,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), GraphError> {
    let mut lines = ValueLines::open(path)?;
    let mut lane = sorter.lane(0);
    while lines.next_piece()? {
        plan.check_stop()?;
        lines.each(|line, id, value| {
            let (id, value) = (whole(id, "a vertex id")?, algorithm.parse(value)?);
            Ok(lane.push(Record::new(id, side | line, value)))
        })?;
        let (done, total) = lines.progress();
        progress(Progress { phase: "read", done, total });
    }
    Ok(())
}

/// Hands every vertex to `each`, ascending, with the value of the reference and that of the result.
fn side_by_side(
    lines: &SortedRecords<u128, u64>,
    files: [&Path; 2],
    mut each: impl FnMut(u64, [Option<u64>; 2]) -> Result<(), GraphError> + Send,
) -> Result<(), GraphError> {
    let (mut vertex, mut values, mut line_before) = (None, [None; 2], 0);
    lines.in_order(as_they_are, |records| {
        for Record { key, weight } in records {
            let (id, side, line) = (key.high(), usize::from(key.low() & FOUND != 0), key.low() & !FOUND);
            if let Some(before) = vertex.filter(|before| *before != id) {
                each(before, std::mem::take(&mut values))?;
            }
            vertex = Some(id);
            if values[side].replace(*weight).is_some() {
                let place = format!("{}: line {line}", files[side].display());
                let what = format!("has a value for {id}, which line {line_before} has too");
                return Err(GraphError::malformed(place, what));
            }
            line_before = line;
        }
        Ok(())
    })?;
    vertex.map_or(Ok(()), |last| each(last, values))
}

/// Compares labels by what they put together: labels become the smallest vertex that has them, first those of
/// the reference, then those of the result. Bytes written to temporary files.
fn partitions(
    lines: SortedRecords<u128, u64>,
    files: [&Path; 2],
    comparison: &mut Comparison,
    options: &ValidateOptions,
    plan: &ImportPlan,
) -> Result<u64, GraphError> {
    let sorter = || Sorter::<u128, u64>::new(&options.temp, plan.sort_beside(), None, plan);
    let by_expected = sorter()?;
    side_by_side(&lines, files, |id, values| match values {
        [Some(expected), Some(found)] => by_expected.lane(0).push(Record::new(expected, id, found)),
        values => {
            comparison.vertex(id, values, |_, _| true);
            Ok(())
        }
    })?;
    let by_expected = by_expected.finish_after(lines)?;
    let by_found = sorter()?;
    each_class(&by_expected, |smallest, id, found| by_found.lane(0).push(Record::new(found, id, smallest)))?;
    let by_found = by_found.finish_after(by_expected)?;
    each_class(&by_found, |smallest, id, expected| {
        comparison.vertex(id, [Some(expected), Some(smallest)], |expected, found| expected == found);
        Ok(())
    })?;
    Ok(by_found.spilled)
}

/// Of records sorted by label and vertex: calls `each` with the smallest vertex that has the label, the
/// vertex, and what travels with it.
fn each_class(
    records: &SortedRecords<u128, u64>,
    mut each: impl FnMut(u64, u64, u64) -> Result<(), GraphError> + Send,
) -> Result<(), GraphError> {
    let mut class = None;
    records.in_order(as_they_are, |records| {
        for Record { key, weight } in records {
            let (label, id) = (key.high(), key.low());
            let (_, smallest) = *class.insert(class.filter(|(of, _)| *of == label).unwrap_or((label, id)));
            each(smallest, id, *weight)?;
        }
        Ok(())
    })
}

/// What was found so far.
struct Comparison {
    algorithm: Benchmark,
    most: usize,
    vertices: u64,
    missing: u64,
    extra: u64,
    different: u64,
    /// The smallest ids of those that are wrong, each once.
    first: BTreeMap<u64, [Option<u64>; 2]>,
}

impl Comparison {
    fn new(algorithm: Benchmark, most: usize) -> Comparison {
        let first = BTreeMap::new();
        Comparison { algorithm, most, vertices: 0, missing: 0, extra: 0, different: 0, first }
    }

    /// Counts a vertex, and keeps it if it is wrong.
    fn vertex(&mut self, id: u64, values: [Option<u64>; 2], accepts: impl Fn(u64, u64) -> bool) {
        self.vertices += u64::from(values[0].is_some());
        match values {
            [Some(expected), Some(found)] if accepts(expected, found) => return,
            [Some(_), Some(_)] => self.different += 1,
            [Some(_), None] => self.missing += 1,
            _ => self.extra += 1,
        }
        self.first.insert(id, values);
        if self.first.len() > self.most {
            self.first.pop_last();
        }
    }

    fn report(self, seconds: f64, bytes_spilled: u64, peak_memory_bytes: u64) -> ValidationReport {
        let Comparison { algorithm, vertices, missing, extra, different, first, .. } = self;
        let shown = |value: Option<u64>| value.map(|value| algorithm.show(value));
        let difference = |(id, [expected, found]): (u64, [Option<u64>; 2])| Difference {
            id,
            expected: shown(expected),
            found: shown(found),
        };
        ValidationReport {
            algorithm,
            valid: missing + extra + different == 0,
            vertices,
            missing,
            extra,
            different,
            differences: first.into_iter().map(difference).collect(),
            seconds,
            bytes_spilled,
            peak_memory_bytes,
        }
    }
}
