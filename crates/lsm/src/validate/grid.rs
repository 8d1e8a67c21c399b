//! The measurement itself: every database of a plan, one after the other.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use leadline_process::Scratch;
use leadline_profile::{DeviceFacts, DeviceProfile};
use serde_json::{Value, json};

use crate::ProcessorCosts;

use super::calibrate::{self, Bench};
use super::db_bench::{Database, DbBench, Tuning};
use super::error::ValidateError;
use super::journal::{Cell, Journal};
use super::output::Level;
use super::pace::{Pace, Progress};
use super::plan::{Plan, SCAN_PAIRS, Unit};
use super::read::{self, Queries};
use super::record::{DeviceCell, FillCell, QueryCell, Record, SCHEMA, layout_cells};
use super::scale::Scale;
use super::summary::Summary;
use super::{files, fill};
use crate::FileCosts;

/// Of the scratch directory, for its name.
const KIND: &str = "lsm";

/// With what a plan is measured.
pub struct Setup<'a> {
    /// The program.
    pub db_bench: &'a DbBench,
    /// The directory on the device, in which a scratch directory is made.
    pub folder: &'a Path,
    /// The device and the machine, for the record.
    pub machine: DeviceFacts,
    /// Where finished cells are kept until the result is; `None` for a run that cannot be resumed.
    pub journal: Option<PathBuf>,
    /// The time of day, RFC 3339, asked when all is measured.
    pub now: fn() -> String,
    /// Measures the device of a directory: asked before each repeat, since a device is not always as fast.
    pub profile: &'a mut dyn FnMut(&Path) -> Result<DeviceProfile, String>,
}

/// Measures `plan`, and returns the record with the journal, if there is one: the caller removes that once
/// the record is written. Databases are made in a scratch directory, which is removed whichever way this
/// ends.
///
/// # Errors
/// [`ValidateError`]; what was measured until then is in the journal, and a run with the same plan, directory
/// and version of RocksDB goes on with it.
pub fn run(
    plan: &Plan,
    setup: Setup,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Record, Option<Journal>), ValidateError> {
    let scale = plan.scale()?;
    // It takes what a killed run left away, so the space is looked at after it.
    let scratch = Scratch::create(setup.folder, KIND)?;
    scratch.check_space(plan.space_bytes(&scale))?;
    let journal =
        setup.journal.as_deref().map(|path| Journal::open(path, &head(plan, &setup))).transpose()?;
    let cells = journal.as_ref().map_or_else(Vec::new, |journal| journal.cells().to_vec());
    let mut grid = Grid {
        plan,
        scale,
        bench: setup.db_bench,
        scratch: &scratch,
        cancel,
        journal,
        cells,
        profile: setup.profile,
    };
    let processor = grid.processor(progress)?;
    grid.measure(progress)?;
    let record = grid.record(processor, setup.machine, (setup.now)());
    Ok((record, grid.journal))
}

/// What must be the same for a run to go on.
fn head(plan: &Plan, setup: &Setup) -> Value {
    let folder = setup.folder.canonicalize().unwrap_or_else(|_| setup.folder.into());
    json!({
        "schema": SCHEMA,
        "rocksdb": setup.db_bench.release().to_string(),
        "folder": folder.display().to_string(),
        "plan": plan,
    })
}

struct Grid<'a> {
    plan: &'a Plan,
    scale: Scale,
    bench: &'a DbBench,
    scratch: &'a Scratch,
    cancel: &'a AtomicBool,
    journal: Option<Journal>,
    /// All that is measured, those of the journal first.
    cells: Vec<Cell>,
    profile: &'a mut dyn FnMut(&Path) -> Result<DeviceProfile, String>,
}

impl Grid<'_> {
    fn add(&mut self, cell: Cell) -> Result<(), ValidateError> {
        if let Some(journal) = &mut self.journal {
            journal.append(cell.clone())?;
        }
        self.cells.push(cell);
        Ok(())
    }

    /// The calibration, of this run or of the journal.
    fn processor(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<ProcessorCosts, ValidateError> {
        let known = self.cells.iter().find_map(|cell| match cell {
            Cell::Processor(costs) => Some(*costs),
            _ => None,
        });
        if let Some(costs) = known {
            return Ok(costs);
        }
        let Plan { data, seconds, seed, .. } = *self.plan;
        let file_bytes = self.scale.file_bytes();
        let bench = Bench { bench: self.bench, folder: self.scratch, data, file_bytes, seconds, seed };
        let costs = calibrate::run(&bench, self.cancel, &mut |done, what| {
            progress(Progress { phase: "calibrate", done, detail: what.to_owned() });
        })?;
        self.add(Cell::Processor(costs))?;
        Ok(costs)
    }

    fn measure(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), ValidateError> {
        let units = self.plan.units();
        let mut pace = Pace::new(self.plan, &units);
        for unit in &units {
            let left: Vec<_> = unit.queries.iter().filter(|query| !self.has_query(unit, **query)).collect();
            let filled = self.has_fill(unit);
            pace.skip(unit.queries.len() - left.len(), filled && left.is_empty());
            if filled && left.is_empty() {
                continue;
            }
            self.device(unit.repeat, &pace, progress)?;
            let db = Database {
                bench: self.bench,
                folder: self.scratch,
                data: self.plan.data,
                layout: self.plan.layout(&self.scale, unit.layout, unit.jobs),
                tuning: Tuning::default(),
            };
            self.fill(&db, unit, &mut pace, progress)?;
            if !left.is_empty() {
                let levels = fill::settle(&db, &format!("emptying level 0 of {}", unit.layout), self.cancel)?;
                for &&query in &left {
                    self.query(&db, unit, query, &levels, &mut pace, progress)?;
                }
            }
            db.remove()?;
        }
        Ok(())
    }

    /// Measures the device, unless it was before this repeat.
    fn device(
        &mut self,
        repeat: u32,
        pace: &Pace,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), ValidateError> {
        let known = |cell: &Cell| matches!(cell, Cell::Device(device) if device.repeat == repeat);
        if self.cells.iter().any(known) {
            return Ok(());
        }
        let detail = format!("repeat {} of {}: measuring the device", repeat + 1, self.plan.repeats);
        progress(pace.progress(0.0, detail));
        let mut profile = (self.profile)(self.scratch.path()).map_err(ValidateError::Device)?;
        for point in &mut profile.points {
            point.slices.clear();
            point.histogram.clear();
        }
        profile.timeline.clear();
        let files = files::measure(self.scratch.path(), self.scale.file_bytes())?;
        self.add(Cell::Device(Box::new(DeviceCell { repeat, profile, files })))
    }

    fn has_fill(&self, unit: &Unit) -> bool {
        self.cells.iter().any(|cell| match cell {
            Cell::Fill(cell) => {
                (cell.repeat, cell.layout, cell.jobs) == (unit.repeat, unit.layout, unit.jobs)
            }
            _ => false,
        })
    }

    fn has_query(&self, unit: &Unit, (operation, clients): (read::Query, u32)) -> bool {
        self.cells.iter().any(|cell| match cell {
            Cell::Query(cell) => {
                (cell.repeat, cell.layout, cell.operation, cell.clients)
                    == (unit.repeat, unit.layout, operation, clients)
            }
            _ => false,
        })
    }

    /// Fills the database. One that was filled before the run was interrupted is not measured a second time,
    /// but filled for its queries.
    fn fill(
        &mut self,
        db: &Database,
        unit: &Unit,
        pace: &mut Pace,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), ValidateError> {
        let Unit { repeat, layout, jobs, .. } = *unit;
        let words = format!("filling {layout} with {}", threads(jobs));
        let detail = format!("repeat {} of {}: {words}", repeat + 1, self.plan.repeats);
        progress(pace.progress(0.0, detail.clone()));
        let began = Instant::now();
        let filled = fill::run(db, &words, self.seed(repeat), self.cancel, &mut |done| {
            progress(pace.progress(done, format!("{detail}, {:.0} % inserted", done * 100.0)));
        })?;
        pace.filled(began.elapsed().as_secs_f64());
        if !self.has_fill(unit) {
            self.add(Cell::Fill(FillCell { layout, jobs, repeat, fill: filled }))?;
        }
        Ok(())
    }

    fn query(
        &mut self,
        db: &Database,
        unit: &Unit,
        (operation, clients): (read::Query, u32),
        levels: &[Level],
        pace: &mut Pace,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), ValidateError> {
        let Unit { repeat, layout, jobs, .. } = *unit;
        let by = if clients == 1 { "1 client".to_owned() } else { format!("{clients} clients") };
        let words = format!("{} by {by} on {layout}", operation.words());
        let detail = format!("repeat {} of {}: {words}", repeat + 1, self.plan.repeats);
        progress(pace.progress(0.0, detail));
        let (seconds, seed) = (self.plan.seconds, self.seed(repeat));
        let queries = Queries { operation, clients, scan_pairs: SCAN_PAIRS, seconds, cached: false, seed };
        let read = read::run(db, &words, &queries, self.cancel)?;
        pace.queried();
        let levels = levels.to_vec();
        self.add(Cell::Query(QueryCell { layout, jobs, repeat, operation, clients, levels, read }))
    }

    /// Other keys in each repeat, the same for all layouts.
    fn seed(&self, repeat: u32) -> u64 {
        // db_bench takes 63 bits.
        (self.plan.seed.wrapping_mul(1009).wrapping_add(u64::from(repeat)) >> 1).max(1)
    }

    fn record(&mut self, processor: ProcessorCosts, machine: DeviceFacts, measured_at: String) -> Record {
        let (mut devices, mut fills, mut queries) = (Vec::new(), Vec::new(), Vec::new());
        for cell in self.cells.drain(..) {
            match cell {
                Cell::Processor(_) => {}
                Cell::Device(cell) => devices.push(*cell),
                Cell::Fill(cell) => fills.push(cell),
                Cell::Query(cell) => queries.push(cell),
            }
        }
        Record {
            schema: SCHEMA.into(),
            measured_at,
            leadline: env!("CARGO_PKG_VERSION").into(),
            rocksdb: self.bench.release().to_string(),
            machine,
            plan: self.plan.clone(),
            layouts: layout_cells(self.plan, &self.scale),
            processor,
            files: median(&devices),
            devices,
            fills,
            queries,
            comparison: None,
        }
    }
}

/// The median of each number over the repeats.
fn median(devices: &[DeviceCell]) -> Option<FileCosts> {
    let of = |value: &dyn Fn(&FileCosts) -> f64| {
        Summary::of(devices.iter().map(|device| value(&device.files))).map(|summary| summary.median)
    };
    let mut file_us = [0.0; 5];
    for (i, us) in file_us.iter_mut().enumerate() {
        *us = of(&|files| files.file_us[i])?;
    }
    Some(FileCosts { sync_us: of(&|files| files.sync_us)?, file_us })
}

/// `1 compaction thread`.
fn threads(jobs: u32) -> String {
    if jobs == 1 { "1 compaction thread".to_owned() } else { format!("{jobs} compaction threads") }
}
