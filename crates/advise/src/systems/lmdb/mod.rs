//! LMDB and libmdbx: whether the kernel may read ahead, and after how much a lazy commit is flushed.

mod flags;

use std::path::Path;

use super::Rules;
use crate::meaning::{Meaning, Special};
use crate::{Advice, AdviseError, Config, Drive, File, Inputs, Setting, Source, Unmeasured, Value};

const READAHEAD: &str = "MDB_NORDAHEAD";
const SYNC_BYTES: &str = "MDBX_opt_sync_bytes";
/// Commits that are flushed later; not advised: how much may be lost is not the device's to say.
const LAZY: &str = "MDBX_SAFE_NOSYNC";

/// Bytes of a page of these databases.
const PAGE: u32 = 4096;

/// The version of libmdbx; the other one is LMDB's.
const MDBX: &str = "mdbx";

/// How much longer than a page alone a page with what is around it may take to be as good as free.
const FREE: f64 = 1.25;

/// Share of the time that flushes of lazy commits may take, and the least that is advised.
const SHARE: f64 = 0.1;
const LEAST: f64 = 1_048_576.0;
const MOST: f64 = 1_073_741_824.0;

static MEANINGS: [Meaning; 1] = [Meaning::of(SYNC_BYTES).special(&[(
    "0",
    Special::Off("nothing is flushed before the period is over or a program asks for it"),
)])];

pub(crate) struct Lmdb;

impl Rules for Lmdb {
    fn title(&self) -> &'static str {
        "LMDB"
    }

    fn versions(&self) -> &'static [&'static str] {
        &[MDBX, "0.9"]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["interleaving", "fsync", "sustained"]
    }

    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
        if let Ok(flush) = drive.flush() {
            advice.notes.push(format!(
                "a commit is flushed twice, its pages and then its meta page, {:.2} ms each on average: {:.0} \
                 commits per second. MDB_NOMETASYNC leaves the second out, and a power cut may then take the \
                 last commit back; MDB_NOSYNC can damage the database, on any device",
                flush.mean / 1e3,
                5e5 / flush.mean
            ));
        }
        if advice.version == MDBX {
            advice.add(SYNC_BYTES, sync_bytes(drive));
            advice.notes.push(
                "MDBX_NORDAHEAD: libmdbx turns read-ahead on and off by itself, by the size of the data and \
                 the memory"
                    .to_owned(),
            );
        } else if inputs.data_bytes.is_some() && inputs.memory_bytes.is_some() {
            advice.add(READAHEAD, readahead(drive, inputs));
        } else {
            advice
                .notes
                .push(format!("{READAHEAD} depends on the data and the memory: give --data and --memory"));
        }
        advice.notes.push(
            "the size of the map follows from the data, the size of pages from the system's pages, readers from the \
             threads: none of them from the device"
                .to_owned(),
        );
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let place = "pass them where the environment is opened; a binding has them under names of its own";
        vec![File { name: "leadline_lmdb.h", place, text: flags::write(advice) }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        flags::read(text, path)
    }

    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        match setting.key {
            READAHEAD => ["on", "off"].contains(&text).then(|| Value::word(text)),
            _ => text.parse().ok().map(Value::Bytes),
        }
    }

    fn meanings(&self) -> &'static [Meaning] {
        &MEANINGS
    }

    fn if_refused(&self) -> &'static str {
        "the environment is not opened"
    }
}

/// Off where all data fit in the memory or reading around a page is free, on where it is neither.
fn readahead(drive: &Drive, inputs: &Inputs) -> Result<Setting, Unmeasured> {
    let around = drive.read_around()?;
    let is_held = inputs.cached_share() >= 1.0;
    let is_free = around <= FREE;
    let value = if is_held || is_free { "off" } else { "on" };
    let rule = format!(
        "for a page that is not in memory the kernel reads 128 KiB around it, which takes {around:.2} times as \
         long as the page; {} % of the data fit in the memory",
        (100.0 * inputs.cached_share()).floor()
    );
    let source = Source { defined: "lmdb.h, \"Environment Flags\"; mdb_env_open()", version: "0.9" };
    let times = if is_held { 1.0 } else { around };
    let points = vec![(Value::word("on"), 1.0), (Value::word("off"), times)];
    let setting = Setting::new(READAHEAD, Value::word(value), "on or off", rule, source);
    // Where the data are read in order, read-ahead is of use on a disk, too.
    let fits = if is_held { vec!["on", "off"] } else { vec![value] };
    Ok(Setting { fits: crate::Fits::Words(fits.into_iter().map(str::to_owned).collect()), ..setting }
        .default(Value::word("off"))
        .if_wrong(
            "off, where on fits: a lookup reads much more than it needs; on, where off fits: what is near is \
             read by itself although it would come for nothing",
            "",
        )
        .costs("a lookup whose pages are not in memory", points))
}

/// Bytes of lazy commits in which a flush takes a tenth of the time.
fn sync_bytes(drive: &Drive) -> Result<Setting, Unmeasured> {
    let flush = drive.flush()?.mean / 1e6;
    let bytes = drive.lasting_random_writes(PAGE)?.times(flush * (1.0 - SHARE) / SHARE);
    let within = |bytes: f64| bytes.clamp(LEAST, MOST);
    let value = within(bytes.value);
    let rule = format!(
        "the {:.1} MB in which an fdatasync, {:.2} ms, takes a tenth of the time at the drive's sustained \
         random writes; in force with {LAZY} only",
        bytes.value / 1e6,
        1e3 * flush
    );
    let source = Source { defined: "mdbx.h, MDBX_opt_sync_bytes", version: "0.11 to 0.13" };
    Ok(Setting::new(SYNC_BYTES, Value::Bytes(value as u64), "bytes", rule, source)
        .interval(bytes.ci.map(within))
        .fits(value / 5.0, 64.0 * value)
        .on_ladder(LEAST, [LEAST, MOST])
        .if_wrong(
            "commits wait for flushes as if they were not lazy",
            "a power cut takes more commits back, and a flush now and then takes long",
        ))
}
