//! Kafka: how often a broker flushes its logs, and with how many threads it reads them after a crash.

mod meanings;
mod read;

use std::path::Path;

use leadline_profile::{OpKind, Pattern};

use super::Rules;
use crate::keys::Keys;
use crate::meaning::Meaning;
use crate::streams::Stream;
use crate::{Advice, AdviseError, Config, Drive, File, Inputs, Setting, Source, Unmeasured, Value};

/// Share of the time that flushes of one partition may take.
const SHARE: f64 = 0.01;

/// Bytes of a message, where a number of messages is judged.
const MESSAGE: f64 = 1024.0;

/// Long.MAX_VALUE, which stands for never.
const NEVER: f64 = 9_223_372_036_854_775_807.0;

const MESSAGES: &str = "log.flush.interval.messages";
const INTERVAL: &str = "log.flush.interval.ms";
const SCHEDULER: &str = "log.flush.scheduler.interval.ms";
const RECOVERY: &str = "num.recovery.threads.per.data.dir";

const SOURCE: Source = Source {
    defined: "documentation, \"Broker Configs\" and \"Application vs. OS Flush Management\"",
    version: "2.8 to 4",
};

pub(crate) struct Kafka;

impl Rules for Kafka {
    fn title(&self) -> &'static str {
        "Kafka"
    }

    fn versions(&self) -> &'static [&'static str] {
        &["2.8", "3", "4"]
    }

    fn needs(&self) -> &'static [&'static str] {
        &["fsync", "interleaving", "sustained"]
    }

    fn is_provable(&self) -> bool {
        false
    }

    fn advise(&self, drive: &Drive, inputs: &Inputs, advice: &mut Advice) {
        for key in [INTERVAL, SCHEDULER] {
            advice.add(key, interval(drive, key));
        }
        advice.add(MESSAGES, messages(drive));
        match inputs.cores.or(drive.profile().device.cpus) {
            Some(cores) => advice.add(RECOVERY, recovery(drive, cores, advice.version)),
            None => advice.notes.push(format!("{RECOVERY} depends on the processors: give --cores")),
        }
        advice.notes.push(
            "where every topic has replicas on other machines, Kafka's documentation leaves flushes to the \
             system: leave the keys log.flush.* out"
                .to_owned(),
        );
    }

    fn files(&self, advice: &Advice) -> Vec<File> {
        let mut text: String = advice.heading().iter().map(|line| format!("# {line}\n")).collect();
        for setting in &advice.settings {
            let value = match &setting.value {
                Value::Seconds(seconds) => format!("{:.0}", 1e3 * seconds),
                other => other.to_string(),
            };
            text.push_str(&format!("{}={value}\n", setting.key));
        }
        vec![File { name: "leadline-server.properties", place: "into server.properties; restart", text }]
    }

    fn read(&self, text: &str, path: &Path) -> Result<Config, AdviseError> {
        read::read(text, path)
    }

    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        let number = text.parse::<u64>().ok().filter(|number| *number >= 1)?;
        Some(match setting.value {
            Value::Seconds(_) => Value::Seconds(number as f64 / 1e3),
            _ => Value::Number(number as f64),
        })
    }

    fn keys(&self, version: &str) -> Option<&'static Keys> {
        meanings::keys(version)
    }

    fn meanings(&self) -> &'static [Meaning] {
        &meanings::MEANINGS
    }
}

/// A flush takes one percent of the time of its partition at most.
fn interval(drive: &Drive, key: &'static str) -> Result<Setting, Unmeasured> {
    let flush = drive.flush()?.p99 / 1e6;
    let value = (flush / SHARE).max(1.0).ceil();
    let rule = format!(
        "a hundred times the 99th percentile of an fdatasync, {:.2} ms, and a second at least: flushes of a \
         partition then take 1 % of the time",
        1e3 * flush
    );
    Ok(Setting::new(key, Value::Seconds(value), "seconds", rule, SOURCE)
        .fits((flush / SHARE / 5.0).min(value), NEVER)
        .if_wrong("the broker flushes more than it writes, and requests wait behind flushes", ""))
}

/// As many messages as are written while flushes take one percent of the time.
fn messages(drive: &Drive) -> Result<Setting, Unmeasured> {
    let flush = drive.flush()?.mean / 1e6;
    let bandwidth = drive.sustained_writes(Pattern::Sequential)?.value;
    let value = (flush / SHARE * bandwidth / MESSAGE).ceil().max(1.0);
    let rule = format!(
        "what the drive writes in a hundred times an fdatasync, {:.2} ms, at {:.0} MB/s, in messages of 1 \
         KiB",
        1e3 * flush,
        bandwidth / 1e6
    );
    Ok(Setting::new(MESSAGES, Value::Number(value), "messages", rule, SOURCE)
        .fits(value / 10.0, NEVER)
        .if_wrong("each partition waits for a flush after so few messages, and is bound by flushes", ""))
}

fn recovery(drive: &Drive, cores: u32, version: &str) -> Result<Setting, Unmeasured> {
    let stream = Stream::of(drive, OpKind::Read)?;
    let value = stream.requests().min(f64::from(cores.max(1)));
    let rule = format!(
        "{:.0} KiB of sequential reads in flight reach 90 % of the most, 256 KiB per thread, and one \
         thread per processor ({cores}) at most",
        stream.bytes_in_flight as f64 / 1024.0
    );
    let default = if version == "4" { 2.0 } else { 1.0 };
    let times = |(bytes, share): &(u64, f64)| (Value::Number(*bytes as f64 / 262_144.0), 1.0 / share);
    let whole: Vec<_> = stream.shares.iter().filter(|(bytes, _)| *bytes >= 262_144).map(times).collect();
    Ok(Setting::new(RECOVERY, Value::Number(value), "threads", rule, SOURCE)
        .fits((value / 2.0).ceil(), (4.0 * value).max(2.0 * f64::from(cores)))
        .default(Value::Number(default))
        .if_wrong(
            "reading the logs after a crash takes longer than the device needs",
            "threads wait for each other at the device",
        )
        .costs("reading the logs after a crash", whole))
}
