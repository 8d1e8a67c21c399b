//! Which format a file is in: by its ending, by a mark at its beginning, else by what its lines hold.

use super::evidence::{Fit, Sample, all_fits, recognition};
use super::{Format, blktrace_record, capture, fio, oraclegeneral, vscsi};
use crate::input::{HEAD_BYTES, Input};
use crate::{Recognition, RecognizedBy, TraceError};

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
        let reason = format!("its ending says {said}, but {is}; --format {other} reads it so");
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
                    contradicted(&format!("it has records of {}", other.name()), other)
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
                let is = format!("it has lines of {}", other.format.name());
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
        () => Some((Format::Blktrace, blktrace_record::accepts(head)?)),
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
