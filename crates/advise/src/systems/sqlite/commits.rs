//! How a commit becomes durable, and when the log is written back.

use super::{CHECKPOINT, JOURNAL, SOURCE, SYNCHRONOUS};
use crate::{Drive, Fits, Setting, Unmeasured, Value};

/// Flushes of one small commit with `synchronous = FULL`, as `strace` counts them in 3.40.
const FLUSHES: [(&str, f64); 4] = [("wal", 1.0), ("delete", 4.0), ("truncate", 5.0), ("persist", 5.0)];

/// How long the commit that writes the log back may take, seconds.
const PAUSE: f64 = 0.1;

/// Bytes of a page in which the log is counted.
const PAGE: u32 = 4096;

/// `wal_autocheckpoint` unless set, and the most that is advised: 64 MiB of log.
const DEFAULT_PAGES: f64 = 1000.0;
const MOST_PAGES: f64 = 16_000.0;

/// One flush per commit instead of four.
pub(super) fn journal(drive: &Drive) -> Result<Setting, Unmeasured> {
    let flush = drive.flush()?.mean / 1e6;
    let rule = format!(
        "a commit flushes once with wal, four times with delete and five times with truncate and persist; an \
         fdatasync takes {:.2} ms on average",
        1e3 * flush
    );
    let points = FLUSHES.map(|(mode, flushes)| (Value::word(mode), flushes)).to_vec();
    Ok(Setting::new(JOURNAL, Value::word("wal"), "a mode", rule, SOURCE)
        .default(Value::word("delete"))
        .if_wrong(
            "a commit waits for several flushes, and readers for writers (memory, off: a crash in a commit \
             damages the database)",
            "",
        )
        .costs("a small commit", points))
}

/// Full: how much may be lost is not the device's to say, so `normal` is not judged.
pub(super) fn synchronous(drive: &Drive) -> Result<Setting, Unmeasured> {
    let flush = drive.flush()?.mean / 1e6;
    let rule = format!(
        "an fdatasync takes {:.2} ms on average, so that one connection commits {:.0} times per second at most \
         with full; with normal no commit waits, and a power cut may take the last ones back",
        1e3 * flush,
        1.0 / flush
    );
    let setting = Setting::new(SYNCHRONOUS, Value::word("full"), "a level", rule, SOURCE);
    let fits = ["full", "normal", "extra"].map(str::to_owned).to_vec();
    Ok(Setting { fits: Fits::Words(fits), ..setting }
        .default(Value::word("full"))
        .if_wrong("off: a power cut can damage the database, on any device", ""))
}

/// Pages of log after which a commit writes them to the database: as many as the drive writes while nobody
/// minds the wait.
pub(super) fn checkpoint(drive: &Drive) -> Result<Setting, Unmeasured> {
    let rate = drive.lasting_random_writes(PAGE)?.times(1.0 / f64::from(PAGE));
    let pages = |rate: f64| (PAUSE * rate).clamp(DEFAULT_PAGES, MOST_PAGES);
    let value = pages(rate.value).round();
    let rule = format!(
        "the {:.0} pages of 4 KiB of sustained random writes in {:.0} ms, because a commit waits \
         while the log is written back; at least the default, because pages that change again before are \
         written once, and at most {MOST_PAGES}",
        PAUSE * rate.value,
        1e3 * PAUSE
    );
    Ok(Setting::new(CHECKPOINT, Value::Number(value), "pages", rule, SOURCE)
        .interval(rate.ci.map(pages))
        .fits(DEFAULT_PAGES / 4.0, 8.0 * value)
        .on_ladder(DEFAULT_PAGES, [DEFAULT_PAGES, MOST_PAGES])
        .default(Value::Number(DEFAULT_PAGES))
        .if_wrong(
            "pages that change often are written again and again (0: the log grows until a program checkpoints)",
            "a commit now and then waits long while the log is written back, and the log takes space",
        ))
}
