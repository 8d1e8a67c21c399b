//! fio: the tool by which others would check what a device does.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use leadline_process::{Launch, ProcessError, Program, Signal, run};
use serde_json::Value;

use crate::ProveError;

/// How a proof calls it in errors.
const FIO: &str = "fio";

/// The installed program.
pub(crate) struct Fio {
    path: PathBuf,
}

/// What one run printed: its only job.
#[derive(Debug)]
pub(crate) struct Job {
    value: Value,
    during: String,
}

impl Fio {
    /// Finds it.
    pub(crate) fn find() -> Result<Fio, ProveError> {
        Ok(Fio { path: Program { name: FIO, package: "fio" }.find(&[])? })
    }

    /// The program.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its version, as it prints it: `fio-3.33`.
    pub(crate) fn version(&self) -> Result<String, ProveError> {
        let output = Command::new(&self.path).arg("--version").stdin(Stdio::null()).output();
        let output = output.map_err(|source| ProcessError::Start { program: self.path.clone(), source })?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Runs one job in `folder` with these options; `lock` is that of the scratch directory.
    pub(crate) fn run(
        &self,
        options: &[String],
        folder: &Path,
        lock: &File,
        during: &str,
        cancel: &AtomicBool,
    ) -> Result<Job, ProveError> {
        let mut arguments = vec![
            "--name=job".to_owned(),
            format!("--directory={}", folder.display()),
            // A process of its own for the job would outlive the one that we end.
            "--thread".to_owned(),
            // With every bin of its histograms.
            "--output-format=json+".to_owned(),
        ];
        arguments.extend_from_slice(options);
        let launch = Launch { orphaned: Some(Signal::KILL), ..Launch::new(&self.path, &arguments, lock) };
        Job::read(&run(&launch, during, cancel, &mut |_, _| ())?, during)
    }
}

impl Job {
    /// Reads what fio printed. Notes may stand before the document.
    fn read(printed: &str, during: &str) -> Result<Job, ProveError> {
        let document = printed.find('{').map(|start| &printed[start..]);
        let mut document: Option<Value> = document.and_then(|text| serde_json::from_str(text).ok());
        let job = document.as_mut().and_then(|value| value.pointer_mut("/jobs/0")).map(Value::take);
        let problem = "its JSON has no job";
        let value = job.ok_or_else(|| ProveError::unexpected(FIO, during, problem, printed))?;
        Ok(Job { value, during: during.into() })
    }

    /// A number, by the way to it (`/read/iops`).
    pub(crate) fn number(&self, way: &str) -> Result<f64, ProveError> {
        let found = self.value.pointer(way).and_then(Value::as_f64);
        found.ok_or_else(|| ProveError::unexpected(FIO, &self.during, "a number is missing", way))
    }

    /// How often each duration of a sync was seen: nanoseconds, ascending, and counts.
    pub(crate) fn sync_bins(&self) -> Result<Vec<(f64, u64)>, ProveError> {
        let bins = self.value.pointer("/sync/lat_ns/bins").and_then(Value::as_object);
        let bin = |(ns, count): (&String, &Value)| Some((ns.parse().ok()?, count.as_u64()?));
        let bins: Option<Vec<(f64, u64)>> = bins.and_then(|bins| bins.iter().map(bin).collect());
        let mut bins = bins.filter(|bins| !bins.is_empty()).ok_or_else(|| {
            ProveError::unexpected(FIO, &self.during, "no sync was timed", "/sync/lat_ns/bins")
        })?;
        bins.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        Ok(bins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What fio 3.33 prints, shortened.
    const PRINTED: &str = r#"note: both iodepth >= 1 and synchronous I/O engine are selected
{
  "fio version" : "fio-3.33",
  "jobs" : [
    {
      "jobname" : "job",
      "write" : { "iops" : 411.25, "total_ios" : 3 },
      "sync" : {
        "total_ios" : 0,
        "lat_ns" : {
          "percentile" : { "99.000000" : 8224768 },
          "bins" : { "95744" : 2, "8224768" : 1, "103936" : 7 }
        }
      }
    }
  ]
}
"#;

    #[test]
    fn numbers_and_bins_are_read_as_fio_prints_them() {
        let job = Job::read(PRINTED, "a test").unwrap();
        assert_eq!(job.number("/write/iops").unwrap(), 411.25);
        assert_eq!(job.number("/sync/lat_ns/percentile/99.000000").unwrap(), 8_224_768.0);
        assert_eq!(job.sync_bins().unwrap(), [(95_744.0, 2), (103_936.0, 7), (8_224_768.0, 1)]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let job = Job::read(PRINTED, "a test").unwrap();
        let missing = job.number("/read/iops").unwrap_err().to_string();
        assert!(missing.contains("fio, a test") && missing.contains("/read/iops"), "{missing}");
        let none = Job::read(r#"{"jobs": [{"sync": {"lat_ns": {"bins": {}}}}]}"#, "a test").unwrap();
        assert!(none.sync_bins().unwrap_err().to_string().contains("no sync was timed"));
        for printed in ["", "fio: out of memory", r#"{"jobs": []}"#, r#"{"jobs": [{]"#] {
            let error = Job::read(printed, "a test").unwrap_err();
            assert!(error.to_string().contains("its JSON has no job"), "{error}");
        }
    }
}
