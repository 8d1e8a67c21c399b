//! The queue of the block layer.

use leadline_profile::{OpKind, Pattern};

use super::kernel;
use super::subject::{Kind, Subject};
use crate::meaning::{Meaning, Special};
use crate::streams::Stream;
use crate::{Advice, Drive, Fits, Inputs, Setting, Source, Unmeasured, Value};

const BLOCK: u32 = 4096;

/// What an I/O scheduler takes per request under its one lock, seconds, and by which document.
const BFQ: f64 = 1.9e-6;
const DEADLINE: f64 = 0.7e-6;

/// Share of a processor that this may be.
const SHARE: f64 = 0.1;

/// Least requests that are worth to be sorted and combined.
const LEAST_REQUESTS: f64 = 64.0;
const MOST_REQUESTS: f64 = 1024.0;

/// More the kernel does not take (`MAX_SCHED_RQ` in block/blk-mq-sched.h).
const KERNELS_MOST: f64 = 2048.0;

/// KiB that the kernel reads ahead unless set.
const READ_AHEAD: f64 = 128.0;

/// How long one request may keep the device from others, seconds.
const BUSY: f64 = 2e-3;

pub(super) const SCHEDULER: &str = "queue/scheduler";
pub(super) const REQUESTS: &str = "queue/nr_requests";
const READ_AHEAD_KB: &str = "queue/read_ahead_kb";
const MAX_SECTORS_KB: &str = "queue/max_sectors_kb";

/// In the order in which they are written: another scheduler sets `nr_requests` again.
pub(super) const KEYS: [&str; 4] = [SCHEDULER, REQUESTS, READ_AHEAD_KB, MAX_SECTORS_KB];

const SOURCE: Source = Source { defined: "Documentation/ABI/stable/sysfs-block", version: "5.4 to 6" };

/// Schedulers of one queue, before 5.0, and those that do the same for several.
const COUNTERPARTS: [(&str, &str); 3] = [("noop", "none"), ("deadline", "mq-deadline"), ("cfq", "bfq")];

pub(super) const MEANINGS: [Meaning; 2] = [
    Meaning::of(READ_AHEAD_KB)
        .special(&[("0", Special::Off("nothing is read ahead of a program that reads a file in sequence"))]),
    Meaning::of(MAX_SECTORS_KB).special(&[(
        "0",
        Special::Automatic("its own default, 1280, or less where the device takes no more"),
    )]),
];

/// The scheduler of several queues that does what this one does. The kernel takes `deadline` for mq-deadline
/// itself.
pub(super) fn counterpart(word: &str) -> Option<&'static str> {
    COUNTERPARTS.iter().find(|(single, _)| *single == word).map(|(_, several)| *several)
}

pub(super) fn add(drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
    let scheduler = scheduler(drive).map(|setting| single_queue(setting, drive, inputs, advice));
    advice.add(SCHEDULER, scheduler);
    advice.add(REQUESTS, requests(drive));
    advice.add(READ_AHEAD_KB, read_ahead(drive));
    advice.add(MAX_SECTORS_KB, max_sectors(drive));
}

/// None where the device has a queue of its own, and sorts it.
fn scheduler(drive: &Drive) -> Result<Setting, Unmeasured> {
    let most = drive.plateau(OpKind::Read, Pattern::Random, BLOCK)?.value;
    let k = drive.reads_in_flight(Pattern::Random, BLOCK)?.value;
    let mut fine = Vec::new();
    if !drive.is_rotational() {
        fine.extend(["none", "kyber"]);
    }
    if DEADLINE * most <= SHARE || drive.is_rotational() {
        fine.push("mq-deadline");
    }
    if BFQ * most <= SHARE {
        fine.push("bfq");
    }
    let (value, rule) = if drive.is_rotational() {
        ("mq-deadline", "requests of a spinning disk are worth to be sorted".to_owned())
    } else {
        let rule = format!(
            "{k} reads in flight keep the device busy, so it sorts them itself; io.cost wants none, too. \
             At {most:.0} requests per second bfq would take {:.0} % of a processor, and mq-deadline {:.0} %",
            100.0 * BFQ * most,
            100.0 * DEADLINE * most
        );
        ("none", rule)
    };
    let source = Source { defined: "Documentation/block/bfq-iosched.rst", version: "5.4 to 6" };
    let setting = Setting::new(SCHEDULER, Value::word(value), "a scheduler", rule, source);
    let fits = Fits::Words(fine.into_iter().map(str::to_owned).collect());
    Ok(Setting { fits, ..setting }.if_wrong(
        "requests wait for the scheduler's lock (of a spinning disk, with none: in no order that spares \
         seeks)",
        "",
    ))
}

/// The word of kernels before 5.0 for disks that have one queue there.
fn single_queue(setting: Setting, drive: &Drive, inputs: &Inputs, advice: &mut Advice) -> Setting {
    let kind = Subject::new(drive, inputs).kind;
    if !kernel::has_single_queues(advice.version) || !matches!(kind, Kind::Scsi | Kind::Card) {
        return setting;
    }
    let of_several = setting.value.to_string();
    let word = COUNTERPARTS.iter().find(|(_, several)| *several == of_several).map_or("noop", |(one, _)| one);
    advice.notes.push(format!(
        "queue/scheduler: before 5.0 a disk has one queue, whose scheduler is {word}; with \
         scsi_mod.use_blk_mq=Y, the default of some distributions, it is {of_several}"
    ));
    let mut fits = setting.fits;
    if let Fits::Words(words) = &mut fits {
        words.push(word.to_owned());
    }
    Setting { value: Value::word(word), fits, ..setting }
}

/// Twice what keeps the device busy, unless the queue that was measured has as much; without a scheduler no
/// more than the driver's own, beyond which the kernel refuses it.
fn requests(drive: &Drive) -> Result<Setting, Unmeasured> {
    let reads = drive.reads_in_flight(Pattern::Random, BLOCK)?;
    let writes = drive.writes_in_flight(Pattern::Random, BLOCK);
    let k = writes.map_or(reads.value, |writes| writes.value.max(reads.value));
    let needed = (2.0 * k).clamp(LEAST_REQUESTS, MOST_REQUESTS);
    let kept = drive.profile().device.queue_requests.map(f64::from);
    let kept = kept.filter(|kept| (needed..=16.0 * needed).contains(kept));
    let driver = drivers_own(drive).filter(|driver| *driver < kept.unwrap_or(needed));
    let value = driver.or(kept).unwrap_or(needed);
    let rule = match (driver, kept) {
        (Some(driver), _) => format!(
            "{driver}, which is all that the driver takes: the {k} in flight that keep the device busy would \
             ask for {needed}"
        ),
        (None, Some(kept)) => {
            format!("{kept} as it was when the device was measured, twice the {k} that keep it busy or more")
        }
        (None, None) => format!("twice the {k} in flight that keep the device busy, from 64 to 1024"),
    };
    let setting = Setting::new(REQUESTS, Value::Number(value), "requests per direction", rule, SOURCE)
        .fits(k.min(value), (16.0 * needed).clamp(MOST_REQUESTS, KERNELS_MOST).max(value));
    let setting = match driver.or(kept) {
        Some(_) => setting,
        None => setting.on_ladder(LEAST_REQUESTS, [LEAST_REQUESTS, MOST_REQUESTS]),
    };
    Ok(setting.if_wrong(
        "programs wait for a place in the queue while the device could take more",
        "write-back fills the queue, and reads wait behind it",
    ))
}

/// What the driver of a solid-state drive takes, where that is known: without a scheduler `nr_requests` is
/// that unless somebody lowered it, and with one twice that, up to 256.
fn drivers_own(drive: &Drive) -> Option<f64> {
    let facts = &drive.profile().device;
    let queue = f64::from(facts.queue_requests?);
    match facts.scheduler.as_deref()? {
        _ if drive.is_rotational() => None,
        "none" => Some(queue),
        _ => Some(queue / 2.0).filter(|_| queue <= 256.0),
    }
}

/// As much as a single reader needs in flight.
fn read_ahead(drive: &Drive) -> Result<Setting, Unmeasured> {
    let stream = Stream::of(drive, OpKind::Read)?;
    let kib = |bytes: u64| bytes as f64 / 1024.0;
    let value = kib(stream.bytes_in_flight).clamp(READ_AHEAD, 8192.0);
    let rule = format!(
        "{:.0} KiB of sequential reads in flight reach 90 % of the most, {:.0} MB/s; from 128 KiB, the \
         default, to 8 MiB",
        kib(stream.bytes_in_flight),
        stream.bandwidth / 1e6
    );
    let times = |(bytes, share): &(u64, f64)| (Value::Number(kib(*bytes)), 1.0 / share);
    Ok(Setting::new(READ_AHEAD_KB, Value::Number(value), "KiB", rule, SOURCE)
        .fits(value / 2.0, 4.0 * value)
        .default(Value::Number(READ_AHEAD))
        .if_wrong(
            "who reads a file in sequence waits for the device again and again",
            "page faults of mapped files and the ends of short reads fetch unwanted data",
        )
        .costs("reading a file in sequence", stream.shares.iter().map(times).collect()))
}

/// Large enough for the bandwidth, and not so large that others wait long behind one request.
fn max_sectors(drive: &Drive) -> Result<Setting, Unmeasured> {
    let stream = Stream::of(drive, OpKind::Read)?;
    let single = stream.shares.iter().take_while(|(bytes, _)| *bytes <= 256 << 10);
    let best = single.clone().map(|(_, share)| *share).fold(0.0, f64::max);
    let enough =
        single.clone().find(|(_, share)| *share >= 0.95 * best).map_or(256 << 10, |(bytes, _)| *bytes);
    let enough = enough as f64 / 1024.0;
    let (value, rule) = if drive.is_rotational() {
        (1024.0, "a spinning disk seeks for each request, so they are large: 1 MiB".to_owned())
    } else {
        let busy = BUSY * stream.bandwidth / 1024.0;
        let value = busy.clamp(128.0, 1024.0).log2().floor().exp2().max(enough);
        let rule = format!(
            "the device moves {busy:.0} KiB within 2 ms, behind which others wait; from 128 to 1024, and \
             no less than the {enough:.0} KiB that a single request needs for its bandwidth",
        );
        (value, rule)
    };
    Ok(Setting::new(MAX_SECTORS_KB, Value::Number(value), "KiB", rule, SOURCE)
        .fits(enough.min(value), 8.0 * value)
        .on_ladder(128.0, [128.0, 1024.0])
        .if_wrong(
            "large requests are split, and a limit of requests per second is reached before the limit of \
              bandwidth",
            "others wait while the device is busy with one large request",
        ))
}
