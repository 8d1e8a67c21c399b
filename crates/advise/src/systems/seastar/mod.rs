//! Seastar, and with it ScyllaDB and Redpanda: io_properties.yaml.

mod file;
mod known_bad;
mod lasting;
mod rates;
mod saturation;

use std::path::Path;

use leadline_model::Estimate;
use leadline_profile::OpKind;

use super::Rules;
use crate::{Advice, AdviseError, Config, Drive, File, Finding, Inputs, Setting, Source, Unmeasured, Value};
pub use file::memory_size;
use lasting::Lasting;
use rates::{Fit, Mix, Rates};

pub(crate) struct Seastar;

/// Where a rate that somebody measured one at a time, as iotune does, is still taken as right: from that much
/// of the measured one to that much of the one that explains mixes.
const LEAST_SHARE: f64 = 0.8;
const MOST_TIMES: f64 = 1.25;

/// Error of the fit, and of its worst mix, from which it is said aloud.
const POOR: f64 = 0.15;

const SOURCE: Source =
    Source { defined: "doc/io-properties-file.md, doc/io-scheduler.md", version: "Seastar 22.11 to 25.05" };
const CODE: Source =
    Source { defined: "src/core/disk_params.cc, `duplex`", version: "Seastar 22.11 to 25.05" };

impl Rules for Seastar {
    fn title(&self) -> &'static str {
        "Seastar"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["22.11", "25.05"]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["mix-line", "sustained", "interleaving"]
    }

    fn is_provable(&self) -> bool {
        true
    }

    fn advise(&self, drive: &Drive, _inputs: &Inputs, advice: &mut Advice) {
        let disk = Disk::of(drive);
        for key in ["read_iops", "read_bandwidth", "write_iops", "write_bandwidth"] {
            advice.add(key, disk.as_ref().map(|disk| disk.rate(key)).map_err(Clone::clone));
        }
        for op in [OpKind::Read, OpKind::Write] {
            saturation::add(drive, op, advice);
        }
        let Ok(disk) = disk else { return };
        if disk.fit.rates.duplex {
            advice.add("duplex", Ok(disk.duplex()));
        }
        advice.notes.extend(disk.notes());
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        // Seastar does not start with a disk that lacks one of the four.
        if RATES.iter().any(|key| advice.setting(key).is_none()) {
            return Vec::new();
        }
        let place = "/etc/scylla.d/io_properties.yaml, or --io-properties-file; mountpoint is a path on the \
                     device that was measured";
        vec![File { name: "io_properties.yaml", place, text: file::write(advice) }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        file::read(text, path)
    }

    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        file::value(setting, text)
    }

    fn patterns(&self, config: &Config, advice: &Advice, drive: &Drive) -> Vec<Finding> {
        known_bad::findings(config, advice, drive)
    }
}

/// What a disk must have.
const RATES: [&str; 4] = ["read_iops", "read_bandwidth", "write_iops", "write_bandwidth"];

/// What a disk can do by Seastar's definition, and what that comes from.
struct Disk {
    mixes: Vec<Mix>,
    fit: Fit,
    /// The fitted rates, and both ends of their intervals, as far as they last.
    rates: Rates,
    ends: [Rates; 2],
    lasting: Lasting,
}

impl Disk {
    fn of(drive: &Drive) -> Result<Disk, Unmeasured> {
        let missing = || Unmeasured::experiment("mix-line", "mixed reads and writes of two sizes");
        let work = drive.profile().experiments.mix_line.as_ref().ok_or_else(missing)?;
        let mixes = rates::mixes(work);
        let fit = rates::fit(&mixes).ok_or_else(missing)?;
        let lasting = Lasting::of(drive);
        let ends = fit.ends(&mixes).map(|rates| lasting.limit(rates, &mixes));
        Ok(Disk { rates: lasting.limit(fit.rates, &mixes), ends, fit, mixes, lasting })
    }

    /// The setting of one of the four rates.
    fn rate(&self, key: &'static str) -> Setting {
        let op = if key.starts_with("read") { OpKind::Read } else { OpKind::Write };
        let is_iops = key.ends_with("iops");
        let of = |rates: &Rates| if is_iops { rates.of(op).0 } else { rates.of(op).1 };
        let value = of(&self.rates);
        let Estimate { ci, .. } = Estimate::of(value, self.ends.each_ref().map(of));
        let (pure, alone) = self.alone(op, is_iops);
        let unit = if is_iops { "requests per second" } else { "bytes per second" };
        let what =
            if is_iops { "requests, as if they had no length" } else { "bytes, as if requests were free" };
        let limited =
            if of(&self.fit.rates) > 1.001 * value { self.lasting.in_words(op) } else { String::new() };
        let rule = format!(
            "the rate of {what}, that explains {} measured loads best if costs add up, as Seastar has it \
             (off by {:.0} %); {alone}{limited}",
            self.mixes.len(),
            100.0 * self.fit.error
        );
        let number = if is_iops { Value::Number(value.round()) } else { Value::Bytes(value.round() as u64) };
        let (low, high) = (LEAST_SHARE * pure.min(value), MOST_TIMES * ci[1]);
        let setting = Setting::new(key, number, unit, rule, SOURCE).interval(ci).fits(low, high).if_wrong(
            "requests wait in Seastar's queue while the disk is idle",
            "more is sent than the disk completes: requests queue there, past Seastar's shares and its \
             latency goal",
        );
        let (size, of) = match (op, is_iops) {
            (OpKind::Read, true) => (4096, "a read of 4K"),
            (OpKind::Read, false) => (1 << 20, "a read of 1M"),
            (OpKind::Write, true) => (4096, "a write of 4K"),
            (OpKind::Write, false) => (1 << 20, "a write of 1M"),
        };
        setting.costs(of, self.slowed(op, is_iops, size))
    }

    /// How much longer a request takes if a rate is only a part of what it could be.
    fn slowed(&self, op: OpKind, is_iops: bool, block_bytes: u32) -> Vec<(Value, f64)> {
        let (iops, bandwidth) = self.rates.of(op);
        let whole = self.rates.request(op, block_bytes);
        let part = if is_iops { 1.0 / iops } else { f64::from(block_bytes) / bandwidth };
        let at = |share: f64| {
            let value = share * if is_iops { iops } else { bandwidth };
            let value = if is_iops { Value::Number(value) } else { Value::Bytes(value as u64) };
            (value, (whole - part + part / share) / whole)
        };
        [1.0 / 64.0, 1.0 / 16.0, 0.25, 0.5, 0.75, 1.0].map(at).to_vec()
    }

    /// What one operation does alone with the smallest or the largest requests, as far as that lasts; also in
    /// words.
    fn alone(&self, op: OpKind, is_iops: bool) -> (f64, String) {
        let Some([small, large]) = rates::alone(&self.mixes, op) else {
            return (f64::INFINITY, String::new());
        };
        let (words, mix) = if is_iops { ("smallest", small) } else { ("largest", large) };
        let seconds = mix.seconds / self.lasting.share(op, &mix);
        let size = f64::from(mix.block_bytes);
        let (rate, shown) = match is_iops {
            true => (1.0 / seconds, format!("{:.0}", 1.0 / seconds)),
            false => (size / seconds, format!("{:.0} MB/s", size / seconds / 1e6)),
        };
        (rate, format!("the {words} requests alone, {}K, reach {shown}", size / 1024.0))
    }

    fn duplex(&self) -> Setting {
        let rule =
            "mixes take as long as their reads or their writes alone, whichever take longer: the two do not \
             share the disk"
                .to_owned();
        Setting::new("duplex", Value::word("true"), "(a word)", rule, CODE)
            .default(Value::word("false"))
            .if_wrong("reads and writes together are held to what either could have alone", "")
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let (worst, ratio) = (self.fit.worst, self.fit.worst_ratio);
        if self.fit.error > POOR || ratio.ln().abs() > POOR {
            notes.push(format!(
                "four rates do not describe this disk well: {}K with {:.0} % reads should take \
                 {ratio:.2} times as long as they do; a volume with a limit on requests and one on bytes, \
                 for one, is not described by any",
                worst.block_bytes / 1024,
                100.0 * worst.read_share
            ));
        }
        if !self.lasting.writes_known() {
            notes.push(
                "whether writes last is not known: leadline experiment sustained TARGET --into PROFILE"
                    .to_owned(),
            );
        }
        notes
    }
}
