//! The document as fio writes it, of versions 2 and 3.

use std::collections::BTreeMap;
use std::path::Path;

use leadline_files::TextError;
use serde::Deserialize;

/// The whole.
#[derive(Debug, Deserialize)]
pub(super) struct Document {
    #[serde(rename = "fio version")]
    written_by: String,
    /// Seconds since 1970, when it ended.
    timestamp: Option<i64>,
    #[serde(rename = "global options", default)]
    pub(super) global: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) jobs: Vec<Job>,
    /// In the place of `jobs` where jobs ran on servers.
    client_stats: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    disk_util: Vec<Disk>,
}

#[derive(Debug, Deserialize)]
struct Disk {
    name: String,
}

/// One job, or with `group_reporting` all jobs of a group.
#[derive(Debug, Deserialize)]
pub(super) struct Job {
    pub(super) jobname: String,
    #[serde(default)]
    pub(super) groupid: i64,
    #[serde(default)]
    pub(super) error: i64,
    /// Those of its own; old versions do not write them.
    #[serde(rename = "job options")]
    pub(super) options: Option<BTreeMap<String, String>>,
    pub(super) read: Side,
    pub(super) write: Side,
    #[serde(default)]
    pub(super) trim: Side,
    #[serde(default)]
    pub(super) sync: Syncs,
}

/// What its reads, or its writes, came to.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Side {
    /// Bytes; KiB before fio 3.
    pub(super) io_bytes: f64,
    pub(super) total_ios: f64,
    /// Milliseconds.
    pub(super) runtime: f64,
    pub(super) iops_mean: f64,
    pub(super) iops_stddev: f64,
    pub(super) iops_samples: f64,
    /// Submission and completion together, nanoseconds; before fio 3 `lat`, microseconds.
    lat_ns: Times,
    lat: Times,
    clat_ns: Times,
    clat: Times,
}

/// What its flushes came to.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Syncs {
    pub(super) lat_ns: Times,
}

/// A distribution of times.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Times {
    pub(super) max: f64,
    pub(super) mean: f64,
    pub(super) stddev: f64,
    #[serde(rename = "N")]
    pub(super) count: f64,
    pub(super) percentile: BTreeMap<String, f64>,
    /// json+ only: how often times of a bin, named by its middle, were seen.
    pub(super) bins: BTreeMap<String, u64>,
}

impl Side {
    /// Time in all, and the unit of it in nanoseconds.
    pub(super) fn whole(&self) -> (&Times, f64) {
        if self.lat.mean > 0.0 { (&self.lat, 1e3) } else { (&self.lat_ns, 1.0) }
    }

    /// Time from submission on, and its unit.
    pub(super) fn completion(&self) -> (&Times, f64) {
        if self.clat.mean > 0.0 { (&self.clat, 1e3) } else { (&self.clat_ns, 1.0) }
    }
}

impl Document {
    /// The one document in a text.
    ///
    /// # Errors
    /// [`TextError`]: there is none, it is not whole, or another follows it.
    pub(super) fn read(text: &str, path: &Path) -> Result<Document, TextError> {
        let lines = text.split_inclusive('\n').scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line))
        });
        let braces: Vec<(usize, usize)> = lines
            .enumerate()
            .filter(|(_, (_, line))| line.starts_with('{'))
            .map(|(line, (at, _))| (line, at))
            .collect();
        let Some(&(before, start)) = braces.first() else {
            return Err(TextError::file(
                path,
                "has no line that begins with {, with which fio's JSON begins",
            ));
        };
        let mut documents = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Document>();
        let document = documents.next().transpose().map_err(|error| {
            let flaw = leadline_files::json_flaw::<Document>(&text[start..], &error);
            let line = before + error.line().max(1);
            TextError::line(path, line, format!("{}; is the output whole, and all of one run?", flaw.reason))
        })?;
        let Some(document) = document else {
            return Err(TextError::file(path, "has no document of fio"));
        };
        let end = start + documents.byte_offset();
        if let Some((line, _)) = braces.iter().find(|(_, at)| *at >= end) {
            let reason = "another document begins here: of one run (status-interval) the last is the whole, of \
                          several runs each counts; put each that counts into a file of its own";
            return Err(TextError::line(path, line + 1, reason));
        }
        if document.jobs.is_empty() && document.client_stats.is_some() {
            let reason = "is of jobs on servers (client), which are not read: import what each server would \
                          write alone";
            return Err(TextError::file(path, reason));
        }
        Ok(document)
    }

    /// `3.33`.
    pub(super) fn version(&self) -> &str {
        self.written_by.strip_prefix("fio-").unwrap_or(&self.written_by)
    }

    /// Bytes in the unit of `io_bytes`: KiB before fio 2.99.
    pub(super) fn byte_unit(&self) -> f64 {
        let mut numbers = self.version().split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
        let (major, minor) = (numbers.next().unwrap_or(3), numbers.next().unwrap_or(0));
        if major < 2 || (major == 2 && minor < 99) { 1024.0 } else { 1.0 }
    }

    /// When it ended, RFC 3339.
    pub(super) fn created(&self) -> Option<String> {
        let time = jiff::Timestamp::from_second(self.timestamp.filter(|seconds| *seconds > 0)?).ok()?;
        Some(time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
    }

    /// The disk, where there was one.
    pub(super) fn disk(&self) -> Option<String> {
        match self.disk_util.as_slice() {
            [one] => Some(one.name.clone()),
            _ => None,
        }
    }
}
