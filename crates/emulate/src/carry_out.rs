//! What an emulator does when it is told to.

use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::EmulateError;
use crate::command::{Answer, Command};
use crate::device::EmulatedDevice;
use crate::enumerate::enumerate;
use crate::faults::{FaultKind, FaultSpec};
use crate::shared::Shared;
use crate::survivors::Survivors;

/// Carries out a command; `ended` is set where the drive ends meanwhile.
///
/// # Errors
/// [`EmulateError`] says why it was not done.
pub(crate) fn carry_out(
    command: Command,
    shared: &Shared,
    ended: &AtomicBool,
) -> Result<Answer, EmulateError> {
    let drive = &shared.drive;
    match command {
        Command::Counters => Ok(Answer::Counters(Box::new(shared.report()))),
        Command::PowerCut { seed: None } => power_cut(shared, Survivors::None, FaultKind::PowerCut),
        Command::PowerCut { seed: Some(seed) } => {
            let random = Survivors::Random(fastrand::Rng::with_seed(seed));
            power_cut(shared, random, FaultKind::PowerCutRandom)
        }
        Command::Enumerate { into, most } => {
            shared.check_elsewhere(&into).map_err(refused)?;
            let states = enumerate(&drive.volume, &into, most, ended);
            Ok(Answer::Enumerated(states.map_err(|error| not_written(&into, error))?))
        }
        Command::Inject { kind, operation, path, seconds, times } => {
            let once = FaultSpec::once(kind);
            let seconds = seconds.unwrap_or(once.seconds);
            drive.injector().arm(checked(FaultSpec { operation, seconds, times, ..once }, path)?);
            Ok(Answer::Done)
        }
        Command::Map { file } => {
            let extents = drive
                .map(&file)
                .map_err(|error| refused(format!("{}: {}", file.display(), io::Error::from(error))))?;
            Ok(Answer::Map(extents.iter().map(|(at, e)| [*at, e.offset, e.len]).collect()))
        }
        Command::Device { name } => {
            let device = EmulatedDevice::open(&name, Some(drive.volume.space().0))?;
            if device.placement.as_ref() != drive.volume.layout().placement() {
                let reason = "files would have to move: their places are fixed at the mount";
                return Err(refused(format!("{name}: {reason}")));
            }
            shared.exchange(device);
            Ok(Answer::Done)
        }
        Command::StartTrace { into } => shared.start_trace(&into).map(|()| Answer::Done),
        Command::StopTrace => shared.stop_trace().map(Answer::Captured),
        Command::IsReady => Ok(Answer::IsReady(!drive.is_probing())),
    }
}

fn refused(reason: String) -> EmulateError {
    EmulateError::Refused { reason }
}

fn power_cut(shared: &Shared, survivors: Survivors, kind: FaultKind) -> Result<Answer, EmulateError> {
    let (drive, volume) = (&shared.drive, &shared.drive.volume);
    let cut = drive.power_cut(survivors);
    let (cut, forgotten) = cut.map_err(EmulateError::scan(volume.path(), volume.space().0))?;
    drive.injector().count(kind);
    // Until then a program may find names and lengths that are lost.
    forgotten.wait();
    Ok(Answer::PowerCut(cut))
}

/// Why states could not be written to a directory: it cannot be used, or something went wrong.
fn not_written(into: &Path, error: io::Error) -> EmulateError {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let io_error = rustix::io::Errno::from_io_error(&error) == Some(rustix::io::Errno::IO);
    match error.kind() {
        FileTooLarge | QuotaExceeded | StorageFull => {
            EmulateError::Io { path: into.to_owned(), source: error }
        }
        _ if io_error => EmulateError::Io { path: into.to_owned(), source: error },
        _ => refused(format!("{}: {error}", into.display())),
    }
}

/// A fault that can happen, with the files whose path matches a glob.
fn checked(fault: FaultSpec, path: Option<String>) -> Result<FaultSpec, EmulateError> {
    if let Some(operation) = fault.operation
        && !fault.kind.befalls(operation)
    {
        return Err(refused(format!("{} does not apply to {}", fault.kind.name(), operation.name())));
    }
    let Some(path) = path else { return Ok(fault) };
    // As in a schedule.
    let pattern = glob::Pattern::new(path.trim_start_matches('/'));
    let pattern = pattern.map_err(|error| refused(format!("{path}: {}", error.msg)))?;
    Ok(FaultSpec { path: Some(pattern), ..fault })
}
