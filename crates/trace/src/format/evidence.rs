//! How well the first lines of a text fit each format.

use super::reader::{COMMENT, EMPTY, HEADER, Holds, LineFormat};
use super::shape::{Comparison, Shape};
use super::{
    Format, alibaba, arc, biosnoop, blkparse, cachelib, cloudphysics, disksim, fiu, list, msr, pages, spc,
    systor, tencent, twitter,
};
use crate::input::{HEAD_BYTES, Input};
use crate::{Recognition, RecognizedBy};

/// That many lines are looked at.
const LINES_MAX: usize = 1000;

/// That many have to fit, or all of a file that is shorter.
const LINES_MIN: u64 = 100;

/// The lines that are looked at.
pub(super) struct Sample<'a> {
    /// Those that are whole.
    pub(super) lines: Vec<&'a [u8]>,
    /// Whether that is all of the file.
    whole: bool,
}

impl<'a> Sample<'a> {
    pub(super) fn of(input: &'a Input) -> Sample<'a> {
        let head = &input.head[..];
        let cut_off = head.len() >= HEAD_BYTES - 3;
        let whole_lines = match head.iter().rposition(|&byte| byte == input.line_end) {
            Some(end) if cut_off => &head[..end],
            _ => head,
        };
        let whole_lines = whole_lines.strip_suffix(&[input.line_end]).unwrap_or(whole_lines);
        let mut all = whole_lines.split(|&byte| byte == input.line_end);
        let strip = |line: &'a [u8]| line.strip_suffix(b"\r").unwrap_or(line);
        let lines = all.by_ref().take(LINES_MAX).map(strip).collect();
        Sample { lines, whole: !cut_off && all.next().is_none() }
    }
}

/// How the lines at the beginning of a file fit a format.
pub(super) struct Fit {
    pub(super) format: Format,
    numbers_only: bool,
    /// Lines that were read: requests, and events of other kinds.
    pub(super) read: u64,
    /// Those that are requests.
    requests: u64,
    /// Lines that were not.
    pub(super) wrong: u64,
    /// Lines that were read, but whose fields lie outside the format's ranges.
    pub(super) outside: u64,
    /// Lines that hold nothing: comments, headers.
    nothing: u64,
    /// The first line that is wrong, and the first outside, with its number.
    first_wrong: Option<String>,
    first_outside: Option<String>,
    /// What else the reader decided by.
    decided: Option<&'static str>,
}

impl Fit {
    fn of(
        format: Format,
        mut parser: impl LineFormat,
        shape: Option<&'static Shape>,
        sample: &Sample,
    ) -> Fit {
        let numbers_only = shape.is_some_and(|shape| shape.numbers_only);
        let mut fit = Fit {
            format,
            numbers_only,
            read: 0,
            requests: 0,
            wrong: 0,
            outside: 0,
            nothing: 0,
            first_wrong: None,
            first_outside: None,
            decided: None,
        };
        let mut comparison = shape.map(Comparison::with);
        for (number, line) in (1..).zip(&sample.lines) {
            match parser.request(line) {
                Ok(held) if [EMPTY, COMMENT, HEADER].contains(&held) => fit.nothing += 1,
                Ok(held) => {
                    fit.read += 1;
                    fit.requests += u64::from(matches!(held, Holds::Request(_)));
                    if let Some(Err(reason)) = comparison.as_mut().map(|comparison| comparison.line(line)) {
                        fit.outside += 1;
                        fit.first_outside.get_or_insert_with(|| format!("line {number}: {reason}"));
                    }
                }
                Err(reason) => {
                    fit.wrong += 1;
                    fit.first_wrong.get_or_insert_with(|| format!("line {number}: {reason}"));
                }
            }
        }
        fit
    }

    /// Why the lines are not taken for this format; `None` where they are.
    pub(super) fn objection(&self, sample: &Sample) -> Option<String> {
        // A few lines may be damaged; words at their places are evidence that numbers are not.
        let (most_outside, most_wrong) = match self.numbers_only {
            true => (self.read / 100, self.read / 100),
            false => (self.read / 20, self.read.saturating_sub(1)),
        };
        if self.outside > most_outside {
            return self.first_outside.clone();
        }
        if self.wrong > most_wrong || self.read == 0 {
            return Some(self.first_wrong.clone().unwrap_or_else(|| "no line is a request".to_owned()));
        }
        if self.requests == 0 || self.numbers_only && self.requests * 2 < self.read {
            return Some(format!("only {} of {} lines are requests", self.requests, self.read));
        }
        // Any list of numbers is a list of pages: a short one has to be named.
        let short = self.format == Format::Lirs && self.read < LINES_MIN;
        if short || (!sample.whole && self.read < LINES_MIN) {
            let read = self.read;
            return Some(format!("only {read} lines are requests, expected {LINES_MIN} at the beginning"));
        }
        None
    }

    pub(super) fn recognition(&self, by: RecognizedBy) -> Recognition {
        let looked_at = self.read + self.wrong + self.nothing;
        let ranges = if self.outside == 0 { "all within the format's ranges" } else { "nearly all within" };
        let mut evidence = format!("{} of the first {looked_at} lines fit, {ranges}", self.read);
        for (count, what) in [(self.wrong, "wrong"), (self.nothing, "empty, comments or header")] {
            if count > 0 {
                evidence += &format!(", {count} {what}");
            }
        }
        if let Some(decided) = self.decided {
            evidence += &format!("; {decided}");
        }
        recognition(self.format, by, (looked_at, self.read), evidence)
    }
}

/// How the lines fit each format of text that can be told by them.
pub(super) fn all_fits(head: &[u8], sample: &Sample) -> Vec<Fit> {
    let cloud = cloudphysics::Parser::new(head);
    let cloud_shape = cloud.shape();
    let events = blkparse::Parser::new(head);
    let action = events.action();
    let mut fits = vec![
        Fit { decided: Some(action.told()), ..Fit::of(Format::Blkparse, events, None, sample) },
        Fit::of(Format::Msr, msr::Parser::default(), Some(&msr::SHAPE), sample),
        Fit::of(Format::CloudPhysics, cloud, Some(cloud_shape), sample),
        Fit::of(Format::Spc, spc::Parser::default(), Some(&spc::SHAPE), sample),
        Fit::of(Format::Arc, arc::Parser, Some(&arc::SHAPE), sample),
        Fit::of(Format::Pages, pages::Parser, None, sample),
        Fit::of(Format::Alibaba, alibaba::Parser::default(), Some(&alibaba::SHAPE), sample),
        Fit::of(Format::Tencent, tencent::Parser::default(), Some(&tencent::SHAPE), sample),
        Fit::of(Format::Systor, systor::Parser::default(), Some(&systor::SHAPE), sample),
        Fit::of(Format::Fiu, fiu::Parser::default(), Some(&fiu::SHAPE), sample),
        Fit::of(Format::Twitter, twitter::Parser::default(), Some(&twitter::SHAPE), sample),
        Fit::of(Format::Lirs, list::Lirs, Some(&list::SHAPE), sample),
    ];
    for (format, simulator) in
        [(Format::Disksim, disksim::Simulator::DiskSim), (Format::Mqsim, disksim::Simulator::MqSim)]
    {
        fits.push(Fit::of(format, disksim::Parser::of(simulator), Some(&disksim::SHAPE), sample));
    }
    if cachelib::accepts(head) {
        fits.push(Fit::of(Format::Cachelib, cachelib::Parser::new(head), None, sample));
    }
    if biosnoop::accepts(head) {
        fits.push(Fit::of(Format::Biosnoop, biosnoop::Parser::new(head), None, sample));
    }
    fits
}

/// What told a format, of how many lines or records.
pub(super) fn recognition(
    format: Format,
    by: RecognizedBy,
    (looked_at, fitting): (u64, u64),
    evidence: String,
) -> Recognition {
    Recognition { format: format.name(), by, looked_at, fitting, evidence }
}
