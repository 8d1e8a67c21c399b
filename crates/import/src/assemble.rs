//! One profile of all that was found.

use std::collections::{BTreeMap, BTreeSet};

use leadline_profile::{
    Check, CheckName, CheckStatus, DeviceFacts, DeviceKind, DeviceProfile, DeviceState, EngineKind,
    Experiments, Fsync, FsyncPoint, ImportedFile, LogKind, Method, OpKind, Point, Procedure, SCHEMA,
    SyncMethods, Validity, WriteStatus,
};

use crate::found::Found;
use crate::interval::around;
use crate::load::{Kind, Load, Plateau};
use crate::options::Options;
use crate::parameters::parameters;

/// Files named in the target; of the others the number.
const NAMED: usize = 3;

/// What the files have, of one device.
pub(crate) fn profile(mut found: Vec<Found>, options: &Options) -> DeviceProfile {
    let fsync = fsync(&mut found);
    let sync_methods = sync_methods(&mut found);
    let loads = loads(&found);
    let plateaus = plateaus(&mut found);
    let (parameters, notes) = parameters(&loads, &plateaus);
    let device = device(&found, options);
    let created = found.iter().filter_map(|one| one.file.created.clone()).min();
    let files: Vec<ImportedFile> = found.into_iter().map(|one| one.file).collect();
    let censored =
        parameters.iter().map(|entry| u32::from(entry.censored.read) + u32::from(entry.censored.write));
    let censored_curves = censored.sum();
    DeviceProfile {
        schema: SCHEMA.to_owned(),
        leadline: env!("CARGO_PKG_VERSION").to_owned(),
        created,
        device,
        validity: Validity { censored_curves, ..validity(&files, notes, &loads) },
        method: method(files, &loads, &plateaus),
        points: loads.iter().map(point).collect(),
        parameters,
        experiments: Experiments { fsync, sync_methods, ..Experiments::default() },
        ..DeviceProfile::default()
    }
}

/// Every load once: runs of the same are put together.
fn loads(found: &[Found]) -> Vec<Load> {
    let mut loads: BTreeMap<(Kind, u32), Load> = BTreeMap::new();
    for load in found.iter().flat_map(|one| &one.loads) {
        let both = loads.get(&(load.kind, load.concurrency)).map(|earlier| earlier.with(load));
        loads.insert((load.kind, load.concurrency), both.unwrap_or_else(|| load.clone()));
    }
    loads.into_values().collect()
}

/// Every plateau once: the first that a file tells.
fn plateaus(found: &mut [Found]) -> Vec<Plateau> {
    let mut all: Vec<Plateau> = Vec::new();
    for one in found {
        for plateau in std::mem::take(&mut one.plateaus) {
            if all.iter().any(|known| known.kind == plateau.kind) {
                one.skip(format!("the most {}: another file has it already", plateau.kind.words()));
            } else {
                all.push(plateau);
            }
        }
    }
    all
}

/// Of several measurements of flushes the one with the most.
fn fsync(found: &mut [Found]) -> Option<Fsync> {
    let most = found.iter().flat_map(|one| &one.flushes).map(|flush| flush.commits).max()?;
    let mut best = None;
    for one in found.iter_mut() {
        for flush in std::mem::take(&mut one.flushes) {
            if best.is_none() && flush.commits == most {
                best = Some(flush);
            } else {
                one.skip(format!("{} flushes: another measurement has {most}", flush.commits));
            }
        }
    }
    let flush = best?;
    let rate = flush.commits as f64 / flush.seconds;
    let procedure = Procedure {
        engine: EngineKind::Imported,
        measured_seconds: flush.seconds,
        notes: flush.notes,
        ..Procedure::default()
    };
    let point = FsyncPoint {
        writers: 1,
        commits: flush.commits,
        seconds: flush.seconds,
        commits_per_second: rate,
        commits_ci: Some(around(rate, flush.spread)),
        latency_us: flush.latency,
    };
    Some(Fsync {
        procedure,
        log: LogKind::File,
        append_bytes: flush.append_bytes,
        sent_bytes: flush.append_bytes,
        points: vec![point],
    })
}

/// The first that a file has.
fn sync_methods(found: &mut [Found]) -> Option<SyncMethods> {
    let mut first = None;
    for one in found {
        if let Some(methods) = one.sync_methods.take() {
            if first.is_some() {
                one.skip("the ways to make a write durable: another file has them already");
            } else {
                first = Some(methods);
            }
        }
    }
    first
}

fn device(found: &[Found], options: &Options) -> DeviceFacts {
    let mut names: Vec<String> = found.iter().map(|one| one.file.file.clone()).collect();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let mut target = names.join(", ");
    if more > 0 {
        target.push_str(&format!(" and {more} more"));
    }
    let disks: BTreeSet<&String> = found.iter().filter_map(|one| one.disk.as_ref()).collect();
    let disk = disks.first().filter(|_| disks.len() == 1).map(|disk| (*disk).clone());
    let sizes: BTreeSet<u64> = found.iter().filter_map(|one| one.capacity_bytes).collect();
    DeviceFacts {
        target,
        kind: DeviceKind::Imported,
        name: options.name.clone().or(disk).unwrap_or_else(|| "imported".to_owned()),
        capacity_bytes: sizes.first().copied().filter(|_| sizes.len() == 1),
        ..DeviceFacts::default()
    }
}

fn method(imported: Vec<ImportedFile>, loads: &[Load], plateaus: &[Plateau]) -> Method {
    let kinds: Vec<Kind> =
        loads.iter().map(|load| load.kind).chain(plateaus.iter().map(|told| told.kind)).collect();
    let sizes: BTreeSet<u32> = kinds.iter().map(|kind| kind.block_bytes).collect();
    let patterns: BTreeSet<_> = kinds.iter().map(|kind| kind.pattern).collect();
    let has_writes = kinds.iter().any(|kind| kind.op == OpKind::Write);
    Method {
        engine: EngineKind::Imported,
        // Loads that went through the page cache are not taken.
        direct: !loads.is_empty(),
        concurrency_is: "requests in flight, as the program that measured was told to keep".to_owned(),
        measured_seconds: loads.iter().map(|load| load.seconds).sum(),
        block_sizes: sizes.into_iter().collect(),
        patterns: patterns.into_iter().collect(),
        max_concurrency: loads.iter().map(|load| load.concurrency).max().unwrap_or(0),
        writes: match has_writes {
            true => WriteStatus::Measured,
            false => WriteStatus::Absent("the imported files have none".to_owned()),
        },
        imported,
        ..Method::default()
    }
}

fn validity(files: &[ImportedFile], notes: Vec<String>, loads: &[Load]) -> Validity {
    let check = |name, detail| Check { name, status: CheckStatus::Unknown, detail };
    let sources = files.iter().map(|file| check(CheckName::Source, source(file)));
    let assumed = files.iter().flat_map(|file| {
        file.assumed.iter().map(|words| check(CheckName::Note, format!("{}: assumed: {words}", file.file)))
    });
    let notes = notes.into_iter().map(|words| check(CheckName::Note, words));
    let bytes = |op: OpKind| {
        let of = loads.iter().filter(|load| load.kind.op == op);
        of.map(|load| load.ops * f64::from(load.kind.block_bytes)).sum::<f64>() as u64
    };
    Validity {
        complete: true,
        state: DeviceState::Imported,
        checks: sources.chain(assumed).chain(notes).collect(),
        durability:
            "plain writes may still be in the device's cache when they complete; the state of the device \
                     is not known"
                .to_owned(),
        bytes_written: bytes(OpKind::Write),
        bytes_read: bytes(OpKind::Read),
        ..Validity::default()
    }
}

/// `sweep.json, by fio 3.33, 2026-11-26T20:47:22Z`.
fn source(file: &ImportedFile) -> String {
    let version = file.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    let created = file.created.as_ref().map(|created| format!(", {created}")).unwrap_or_default();
    format!("{}, by {}{version}{created}", file.file, file.program)
}

fn point(load: &Load) -> Point {
    let iops = load.iops();
    Point {
        op: load.kind.op,
        pattern: load.kind.pattern,
        block_bytes: load.kind.block_bytes,
        concurrency: load.concurrency,
        durable: load.kind.durable,
        iops,
        iops_ci: Some(around(iops, load.spread)),
        bandwidth_bytes: iops * f64::from(load.kind.block_bytes),
        latency_us: load.latency,
        cpu_bound: false,
        cpu_us_per_op: None,
        slices: Vec::new(),
        stretches: Vec::new(),
        histogram: load.histogram.clone(),
        extra: Default::default(),
    }
}
