//! A run with a trace on the slow drive; what follows from the trace; and runs of that.

use leadline_placement::{Captured, Migration, Simulated, SizeStudy, Study, StudyOptions, study};

use super::{PlaceOptions, Placing, Size, Way, devices};
use crate::database::Folder;
use crate::queries::Query;
use crate::run::{RunOptions, run};
use crate::{Interrupt, TpchError};

/// Bytes of a cached block: InnoDB's page.
const BLOCK_BYTES: u32 = 16 << 10;

/// Drives that a query runs on: what it is called in the result, and the device.
struct Drives {
    slow: String,
    /// Of each size, placed and cached.
    sizes: Vec<[String; 2]>,
}

/// Compares the best placement and the best cache for each query, predicted and measured. `said` is told what
/// begins.
///
/// # Errors
/// [`TpchError`]; nothing is left running or mounted then. A query that does not finish is an error here.
pub fn place(
    folder: &Folder,
    options: &PlaceOptions,
    interrupt: &Interrupt,
    said: &mut dyn FnMut(&str),
) -> Result<Vec<Placing>, TpchError> {
    let mut all = Vec::new();
    for &query in &options.queries {
        said(&format!("{query}: a trace on the slow drive"));
        let traced = seconds(folder, options, query, &options.slow, true, interrupt)?;
        said(&format!("{query}: predicting, from a trace of {traced:.1} s"));
        let study = predicted(options, query, interrupt)?;
        let drives = drives(options, &study)?;
        let mut placing = begin(options, query, &study);
        for repeat in 1..=options.repeats {
            measure(folder, options, &drives, &mut placing, interrupt, &mut |what| {
                said(&format!("{query}: run {repeat} of {}, {what}", options.repeats));
            })?;
        }
        placing.sort();
        all.push(placing);
    }
    Ok(all)
}

/// One run, on a drive that is mounted for it: what is cached is not left over from another.
fn seconds(
    folder: &Folder,
    options: &PlaceOptions,
    query: Query,
    device: &str,
    traced: bool,
    interrupt: &Interrupt,
) -> Result<f64, TpchError> {
    let run_options = RunOptions {
        device: device.to_owned(),
        queries: vec![query],
        plans: options.plans,
        repeats: 1,
        limit_s: options.limit_s,
        pool_bytes: None,
        further: Vec::new(),
        traces: traced.then(|| options.folder.clone()),
    };
    let result = run(folder, &run_options, interrupt, &mut |_| {})?;
    match result.queries.first() {
        Some(measured) if measured.finished => Ok(measured.seconds),
        _ => Err(TpchError::Input(format!(
            "{query}: did not finish within {} s on {device}; give it more with --limit, or leave it out",
            options.limit_s
        ))),
    }
}

fn predicted(options: &PlaceOptions, query: Query, interrupt: &Interrupt) -> Result<Study, TpchError> {
    let input = |error: &dyn std::fmt::Display| TpchError::Input(error.to_string());
    let path = options.folder.join(format!("{query}-{}-1.capture", options.plans.name()));
    let captured = Captured::load(&path.display().to_string(), &mut |_| interrupt.check().is_ok());
    let captured = captured.map_err(|error| input(&error))?;
    let times = Simulated::new(vec![captured], &options.fast, &options.slow, BLOCK_BYTES);
    let times = times.map_err(|error| input(&error))?;
    let study_options = StudyOptions {
        fast_bytes: times.fast_sizes(&options.fast_bytes).map_err(|error| input(&error))?,
        block_bytes: BLOCK_BYTES,
        migration: Migration::PerQuery,
        names: (options.fast.clone(), options.slow.clone()),
    };
    let goes_on = |_: &'static str, _, _| interrupt.check().is_ok();
    let study = study(&times, &study_options, &goes_on);
    interrupt.check()?;
    study.map_err(|error| input(&error))
}

fn drives(options: &PlaceOptions, study: &Study) -> Result<Drives, TpchError> {
    let of_size = |size: &SizeStudy| {
        let placed = match size.placed.first() {
            Some(placed) => devices::placed(options, size.fast_bytes, placed, &study.files)?,
            None => options.slow.clone(),
        };
        let cached = size.cached.first().map(|cached| devices::cached(options, size.fast_bytes, cached));
        Ok([placed, cached.transpose()?.unwrap_or_else(|| options.slow.clone())])
    };
    let sizes = study.all.sizes.iter().map(of_size).collect::<Result<Vec<_>, TpchError>>()?;
    Ok(Drives { slow: options.slow.clone(), sizes })
}

/// What was predicted, without runs yet.
fn begin(options: &PlaceOptions, query: Query, study: &Study) -> Placing {
    let way = |what: String, copying_seconds: f64, predicted_seconds: f64| Way {
        what,
        copying_seconds,
        predicted_seconds,
        measured_seconds: Vec::new(),
    };
    let slow_seconds = study.all.slow_seconds;
    let table = |&file: &usize| {
        let name = study.files[file].name.rsplit('/').next().unwrap_or_default();
        name.strip_suffix(".ibd").unwrap_or(name).to_owned()
    };
    let sizes = study.all.sizes.iter().map(|size| Size {
        fast_bytes: size.fast_bytes,
        placement: match size.placed.first() {
            Some(placed) => {
                let tables: Vec<String> = placed.files.iter().map(table).collect();
                way(tables.join(" + "), placed.migration_seconds, placed.seconds)
            }
            None => way("nothing".to_owned(), 0.0, slow_seconds),
        },
        cache: match size.cached.first() {
            Some(cached) => way(format!("{}, {}", cached.policy, cached.admission), 0.0, cached.seconds),
            None => way("nothing".to_owned(), 0.0, slow_seconds),
        },
    });
    Placing {
        query,
        plans: options.plans,
        slow: way("slow drive alone".to_owned(), 0.0, slow_seconds),
        sizes: sizes.collect(),
    }
}

/// One run of each way: the ways take turns, so that all meet the machine's good and bad minutes.
fn measure(
    folder: &Folder,
    options: &PlaceOptions,
    drives: &Drives,
    placing: &mut Placing,
    interrupt: &Interrupt,
    said: &mut dyn FnMut(&str),
) -> Result<(), TpchError> {
    let query = placing.query;
    let mut one = |way: &mut Way, device: &str, size: u64| {
        said(&format!("{}, {} MiB", way.what, size >> 20));
        let taken = seconds(folder, options, query, device, false, interrupt)?;
        way.measured_seconds.push(taken + way.copying_seconds);
        Ok::<(), TpchError>(())
    };
    one(&mut placing.slow, &drives.slow, 0)?;
    for (size, [placed, cached]) in placing.sizes.iter_mut().zip(&drives.sizes) {
        one(&mut size.placement, placed, size.fast_bytes)?;
        one(&mut size.cache, cached, size.fast_bytes)?;
    }
    Ok(())
}

impl Placing {
    fn sort(&mut self) {
        let ways = self.sizes.iter_mut().flat_map(|size| [&mut size.placement, &mut size.cache]);
        for way in ways.chain([&mut self.slow]) {
            way.measured_seconds.sort_by(f64::total_cmp);
        }
    }
}
