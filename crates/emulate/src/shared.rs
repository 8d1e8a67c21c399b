//! What the threads of an emulator share.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use leadline_trace::capture::CaptureSummary;

use crate::EmulateError;
use crate::device::EmulatedDevice;
use crate::drive::Drive;
use crate::report::{CutRecord, FEW_LATE, FastPart, MOST_LATE, Report};

/// A drive, and what it is called.
pub(crate) struct Shared {
    pub(crate) drive: Arc<Drive>,
    /// Where it is mounted, canonical.
    mount: PathBuf,
    device: Mutex<String>,
    slowdown: f64,
}

impl Shared {
    pub(crate) fn new(drive: Arc<Drive>, mount: PathBuf, device: String, slowdown: f64) -> Shared {
        Shared { drive, mount, device: Mutex::new(device), slowdown }
    }

    /// Switch to another device model.
    pub(crate) fn exchange(&self, device: EmulatedDevice) {
        self.drive.pacer.exchange(device.model);
        *self.device.lock().unwrap_or_else(PoisonError::into_inner) = device.name;
    }

    /// Refuses a place on the drive itself for something that the emulator writes: it would wait for itself.
    pub(crate) fn check_elsewhere(&self, path: &Path) -> Result<(), String> {
        let known = path.ancestors().find_map(|folder| folder.canonicalize().ok());
        match known.is_some_and(|folder| folder.starts_with(&self.mount)) {
            true => Err(format!("{}: is on the drive itself; name a place elsewhere", path.display())),
            false => Ok(()),
        }
    }

    /// Begins a capture at `path`.
    pub(crate) fn start_trace(&self, path: &Path) -> Result<(), EmulateError> {
        // It would record its own writing, without end.
        self.check_elsewhere(path).map_err(|reason| EmulateError::Refused { reason })?;
        if self.drive.captures.start(path, self.drive.pacer.now())? {
            return Ok(());
        }
        Err(EmulateError::Refused { reason: "a trace is being recorded already; stop it first".into() })
    }

    /// Ends it.
    pub(crate) fn stop_trace(&self) -> Result<CaptureSummary, EmulateError> {
        let none = || EmulateError::Refused { reason: "no trace is being recorded; start one first".into() };
        Ok(self.drive.captures.stop(self.drive.pacer.now()).ok_or_else(none)??)
    }

    /// The state at this moment.
    pub(crate) fn report(&self) -> Report {
        let drive = &self.drive;
        let counters = drive.pacer.counters();
        let (requests, late) = counters.answers();
        let us = |(busy, paused): (u64, u64)| (busy as f64 / 1e3, paused as f64 / 1e3);
        let request_us = us(drive.pacer.request_overhead.measured());
        let answer_us = us(drive.pacer.answer_overhead.measured());
        let late_share = late as f64 / requests.max(1) as f64;
        let faults =
            drive.injector().counts().iter().map(|(kind, times)| ((*kind).to_owned(), *times)).collect();
        Report {
            schema: Report::SCHEMA.to_owned(),
            device: self.device.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            slowdown: self.slowdown,
            seconds: drive.pacer.seconds(),
            requests,
            late,
            late_share,
            kept_up: late_share < MOST_LATE || late <= FEW_LATE,
            overshoot_us: counters.overshoot(),
            overshoot_histogram: counters.histogram(),
            way_in_us: request_us.0,
            way_in_after_pause_us: request_us.1,
            way_out_us: answer_us.0,
            way_out_after_pause_us: answer_us.1,
            cpu_share: drive.programs.share(),
            traffic: counters.traffic(),
            cache: drive.pacer.cache(),
            fast_part: drive.volume.layout().placement().map(|placement| {
                let (used_bytes, spilled_bytes) = drive.volume.fast_used_and_spilled();
                FastPart { bytes: placement.fast_bytes, used_bytes, spilled_bytes }
            }),
            faults,
            power_cuts: drive.power_cuts().into_iter().map(|(at_s, cut)| CutRecord { at_s, cut }).collect(),
            trace: None,
        }
    }
}
