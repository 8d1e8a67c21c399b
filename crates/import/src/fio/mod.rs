//! fio's JSON: runs of jobs; only jobs that keep one load on the device are taken.

mod document;
mod engine;
mod latency;
mod options;
mod reading;
mod run;
mod text;

use std::path::Path;

use leadline_files::TextError;

use crate::found::Found;
use document::Document;
use reading::Reading;
use run::Run;
pub(crate) use text::is_result;

/// What is in fio's JSON alone.
pub(crate) const JSON: &str = "\"fio version\"";

/// Reads the one document in `text`; lines before it and after it are fio's messages.
pub(crate) fn read(text: &str, path: &Path) -> Result<Found, TextError> {
    if !text.contains(JSON) && text.lines().any(is_result) {
        return text::read(text, path);
    }
    let document = Document::read(text, path)?;
    let mut found = Found::by("fio", Some(document.version().to_owned()));
    found.file.created = document.created();
    found.disk = document.disk();
    let runs = run::runs(&document);
    for (at, run) in runs.iter().enumerate() {
        let others = runs.iter().enumerate().filter(|(other, one)| *other != at && one.group == run.group);
        let others: Vec<&str> = others.map(|(_, one)| one.name).collect();
        take(run, &others, &document, &mut found);
    }
    if runs.is_empty() {
        found.skip("it has no jobs");
    }
    if !found.loads.is_empty() && runs.len() > 1 {
        found.assume(
            "jobs of different groups ran one after the other (stonewall): fio does not write down whether they \
             did",
        );
    }
    Ok(found)
}

/// Takes what one run measured, or says why not.
fn take(run: &Run, others: &[&str], document: &Document, found: &mut Found) {
    let reading = match others.first() {
        Some(other) => {
            Err(format!("ran at the same time as {other:?}; stonewall in each job keeps them apart"))
        }
        None => reading::of(run, document),
    };
    match reading {
        Ok(Reading { load, flush, assumed }) => {
            let job = |words: String| format!("job {:?}: {words}", run.name);
            assumed.into_iter().for_each(|words| found.assume(job(words)));
            if let Some(load) = load {
                found.read(job(load.words()));
                found.loads.push(load);
            }
            if let Some(flush) = flush {
                found.read(job(flush.words()));
                found.flushes.push(flush);
            }
        }
        Err(why) => found.skip(format!("job {:?}: {why}", run.name)),
    }
}
