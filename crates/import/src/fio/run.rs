//! Runs: a job with all its copies.

use std::collections::BTreeMap;

use super::document::{Document, Job};

/// The entries of one job: one for each copy (`numjobs`), or with `group_reporting` one for all.
pub(super) struct Run<'a> {
    pub(super) name: &'a str,
    pub(super) group: i64,
    pub(super) entries: Vec<&'a Job>,
    /// The job's own options over the global ones; `None` where fio did not write any.
    pub(super) options: Option<BTreeMap<&'a str, &'a str>>,
}

/// The runs in the order of their first entries.
pub(super) fn runs(document: &Document) -> Vec<Run<'_>> {
    let mut runs: Vec<Run> = Vec::new();
    for job in &document.jobs {
        let same = |run: &&mut Run| run.name == job.jobname && run.group == job.groupid;
        match runs.iter_mut().find(same) {
            Some(run) => run.entries.push(job),
            None => runs.push(Run {
                name: &job.jobname,
                group: job.groupid,
                entries: vec![job],
                options: options(document, job),
            }),
        }
    }
    runs
}

fn options<'a>(document: &'a Document, job: &'a Job) -> Option<BTreeMap<&'a str, &'a str>> {
    let own = job.options.as_ref();
    if own.is_none() && document.global.is_empty() {
        return None;
    }
    let all = document.global.iter().chain(own.into_iter().flatten());
    Some(all.map(|(key, value)| (key.as_str(), value.as_str())).collect())
}
