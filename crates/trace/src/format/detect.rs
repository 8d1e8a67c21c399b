//! Which format a file is in: by its ending, by a mark at its beginning, else by what its lines hold.

use super::reader::{COMMENT, EMPTY, HEADER, Holds, LineFormat};
use super::shape::{Comparison, Shape};
use super::{
    Format, alibaba, arc, biosnoop, blkparse, blktrace, cachelib, capture, cloudphysics, disksim, fio, fiu,
    list, msr, oraclegeneral, pages, spc, systor, tencent, twitter, vscsi,
};
use crate::input::{HEAD_BYTES, Input};
use crate::{Recognition, RecognizedBy, TraceError};

/// So many lines are looked at.
const LINES_MAX: usize = 1000;

/// So many have to fit, or all of a file that is shorter.
const LINES_MIN: u64 = 100;

/// Tells the format of `input`, and by what.
///
/// # Errors
/// [`TraceError::UnknownFormat`] where no format fits; [`TraceError::AmbiguousFormat`] where several do.
pub(crate) fn detect(input: &Input) -> Result<(Format, Recognition), TraceError> {
    let unknown = |nearest| TraceError::UnknownFormat {
        name: input.name.clone(),
        empty: input.head.is_empty(),
        nearest,
        formats: Format::names(),
    };
    if let Some(format) = of_ending(input.inner.as_ref().unwrap_or(&input.name)) {
        return of_ending_that_fits(format, input);
    }
    if let Some((format, records)) = of_mark(&input.head) {
        let evidence = "the first bytes of the file are its mark".to_owned();
        return Ok((format, recognition(format, RecognizedBy::Mark, (records, records), evidence)));
    }
    if is_utf16(&input.head) {
        let reason = "is text in UTF-16, expected UTF-8; convert it with iconv -f UTF-16 -t UTF-8".to_owned();
        return Err(TraceError::Name { name: input.name.clone(), reason });
    }
    if input.head.contains(&0) {
        return of_records(&input.head).ok_or_else(|| unknown(None));
    }
    let sample = Sample::of(input);
    let fits = all_fits(&input.head, &sample);
    let accepted: Vec<&Fit> = fits.iter().filter(|fit| fit.objection(&sample).is_none()).collect();
    match accepted[..] {
        [fit] => Ok((fit.format, fit.recognition(RecognizedBy::Content))),
        [] => {
            let nearest = fits.iter().filter(|fit| fit.read > 0).max_by_key(|fit| fit.read);
            Err(unknown(nearest.and_then(|fit| {
                Some(format!("closest is {}, but {}", fit.format.name(), fit.objection(&sample)?))
            })))
        }
        _ => Err(ambiguous(input, &accepted)),
    }
}

/// What is known of a format that the caller named.
pub(crate) fn named(format: Format) -> Recognition {
    recognition(format, RecognizedBy::Name, (0, 0), "as it was named".to_owned())
}

fn ambiguous(input: &Input, fits: &[&Fit]) -> TraceError {
    let formats = fits.iter().map(|fit| fit.format.name()).collect();
    TraceError::AmbiguousFormat { name: input.name.clone(), formats }
}

fn recognition(
    format: Format,
    by: RecognizedBy,
    (looked_at, fitting): (u64, u64),
    evidence: String,
) -> Recognition {
    Recognition { format: format.name(), by, looked_at, fitting, evidence }
}

/// The format that the ending tells, behind the ending of a compression and a plain `.bin` or `.txt`.
pub(super) fn of_ending(path: &str) -> Option<Format> {
    let mut name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    for ending in [".gz", ".bz2", ".zst", ".xz", ".bin", ".txt"] {
        if let Some(rest) = name.strip_suffix(ending) {
            name.truncate(rest.len());
        }
    }
    let (stem, ending) = name.rsplit_once('.')?;
    match ending {
        "vscsi" | "vscsi1" | "vscsi2" | "vscsitrace" => Some(Format::Vscsi),
        "lis" => Some(Format::Arc),
        "iolog" => Some(Format::Fio),
        // One CPU's file.
        cpu if stem.ends_with(".blktrace") && cpu.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(Format::Blktrace)
        }
        // Any text would be one: it has to be named.
        "objects" => None,
        name => Format::parse(name),
    }
}

/// The format of the ending, unless the lines are those of another or lie outside its ranges.
fn of_ending_that_fits(format: Format, input: &Input) -> Result<(Format, Recognition), TraceError> {
    let by_ending = |looked, evidence| (format, recognition(format, RecognizedBy::Ending, looked, evidence));
    let plain = || by_ending((0, 0), "the ending of the file's name".to_owned());
    let contradicted = |is: &str, other: Format| {
        let (said, other) = (format.name(), other.name());
        let reason = format!("its ending says {said}, but {is}; --format {other} reads it as such");
        Err(TraceError::Name { name: input.name.clone(), reason })
    };
    let binary = input.head.contains(&0);
    match of_mark(&input.head) {
        _ if input.head.is_empty() => return Ok(plain()),
        Some((other, _)) if other != format => {
            return contradicted(&format!("it begins as {} does", other.name()), other);
        }
        Some(_) => return Ok(plain()),
        None if binary => {
            return match of_records(&input.head) {
                Some((other, _)) if other != format && !may_be_records(format, input) => {
                    contradicted(&format!("its records are those of {}", other.name()), other)
                }
                _ => Ok(plain()),
            };
        }
        None if matches!(format, Format::Vscsi | Format::OracleGeneral | Format::Blktrace) => {
            let said = format.name();
            let reason = format!("its ending says {said}, which is binary, but it is text; name its format");
            return Err(TraceError::Name { name: input.name.clone(), reason });
        }
        None => {}
    }
    let sample = Sample::of(input);
    let fits = all_fits(&input.head, &sample);
    let others = || fits.iter().filter(|fit| fit.format != format && fit.objection(&sample).is_none());
    match fits.iter().find(|fit| fit.format == format) {
        Some(fit) if fit.read > fit.wrong && fit.outside * 2 > fit.read => {
            contradicted(&fit.objection(&sample).unwrap_or_default(), format)
        }
        Some(fit) if fit.read > 0 => {
            let evidence = "the ending of the file's name, and its lines fit".to_owned();
            Ok(by_ending((sample.lines.len() as u64, fit.read), evidence))
        }
        // Not a line is of this format: perhaps all are of another.
        _ => match others().next() {
            Some(other) => {
                let is = format!("its lines are those of {}", other.format.name());
                contradicted(&is, other.format)
            }
            None => Ok(plain()),
        },
    }
}

/// Whether these records may be of this format, although they may be of another, too.
fn may_be_records(format: Format, input: &Input) -> bool {
    let whole = input.head.len() < HEAD_BYTES;
    format == Format::OracleGeneral && oraclegeneral::accepts(&input.head, whole).is_some()
}

/// The formats that have a mark, with the records that were looked at, where it has any.
fn of_mark(head: &[u8]) -> Option<(Format, u64)> {
    match () {
        () if fio::accepts(head) => Some((Format::Fio, 0)),
        () if capture::accepts(head) => Some((Format::Capture, 0)),
        () => Some((Format::Blktrace, blktrace::accepts(head)?)),
    }
}

/// The binary formats without a mark.
fn of_records(head: &[u8]) -> Option<(Format, Recognition)> {
    let told = |format, records, evidence: &str| {
        let evidence = evidence.to_owned();
        (format, recognition(format, RecognizedBy::Content, (records, records), evidence))
    };
    if let Some(records) = vscsi::accepts(head) {
        return Some(told(Format::Vscsi, records, "each record has the version and a size there is"));
    }
    let records = oraclegeneral::accepts(head, head.len() < HEAD_BYTES)?;
    let evidence = "times do not go back and each next request lies ahead";
    Some(told(Format::OracleGeneral, records, evidence))
}

/// Whether these are the first bytes of a text in UTF-16, which marks its byte order.
fn is_utf16(head: &[u8]) -> bool {
    matches!(head, [0xff, 0xfe, _, 0, ..] | [0xfe, 0xff, 0, _, ..])
}

/// The lines that are looked at.
struct Sample<'a> {
    /// Those that are whole.
    lines: Vec<&'a [u8]>,
    /// Whether that is all of the file.
    whole: bool,
}

impl<'a> Sample<'a> {
    fn of(input: &'a Input) -> Sample<'a> {
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
struct Fit {
    format: Format,
    numbers_only: bool,
    /// Lines that were read: requests, and events of other kinds.
    read: u64,
    /// Those that are requests.
    requests: u64,
    /// Lines that were not.
    wrong: u64,
    /// Lines that were read, but whose fields lie outside the format's ranges.
    outside: u64,
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
    fn objection(&self, sample: &Sample) -> Option<String> {
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

    fn recognition(&self, by: RecognizedBy) -> Recognition {
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
fn all_fits(head: &[u8], sample: &Sample) -> Vec<Fit> {
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
