//! Which format a file is in: by its ending, else by what its first bytes hold.

use super::reader::LineFormat;
use super::{Format, arc, blkparse, capture, cloudphysics, fio, msr, oraclegeneral, pages, spc, vscsi};
use crate::input::HEAD_BYTES;

/// The format of the file called `name` that begins with `head`.
pub(crate) fn detect(name: &str, head: &[u8]) -> Option<Format> {
    of_ending(name).or_else(|| of_content(head))
}

/// The format that the ending tells, behind that of a compression and a plain `.bin` or `.txt`.
pub(super) fn of_ending(path: &str) -> Option<Format> {
    let mut name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    for ending in [".gz", ".zst", ".xz", ".bin", ".txt"] {
        if let Some(rest) = name.strip_suffix(ending) {
            name.truncate(rest.len());
        }
    }
    match name.rsplit_once('.')?.1 {
        "pages" => Some(Format::Pages),
        "msr" => Some(Format::Msr),
        "cloudphysics" => Some(Format::CloudPhysics),
        "vscsi" | "vscsi1" | "vscsi2" | "vscsitrace" => Some(Format::Vscsi),
        "spc" => Some(Format::Spc),
        "oraclegeneral" => Some(Format::OracleGeneral),
        "arc" | "lis" => Some(Format::Arc),
        "fio" | "iolog" => Some(Format::Fio),
        "blkparse" => Some(Format::Blkparse),
        "capture" => Some(Format::Capture),
        _ => None,
    }
}

/// The formats that have a mark first, then those of text, then the one that has no mark.
fn of_content(head: &[u8]) -> Option<Format> {
    let text = !head.contains(&0);
    match () {
        () if fio::accepts(head) => Some(Format::Fio),
        () if capture::accepts(head) => Some(Format::Capture),
        () if text => of_text(head),
        () if vscsi::accepts(head) => Some(Format::Vscsi),
        () if oraclegeneral::accepts(head) => Some(Format::OracleGeneral),
        () => None,
    }
}

/// The format as whose requests the lines can be read. The formats of text are so different that no line is
/// of two.
fn of_text(head: &[u8]) -> Option<Format> {
    let accepted = [
        (Format::Blkparse, accepts(blkparse::Parser::default(), head)),
        (Format::Msr, accepts(msr::Parser::default(), head)),
        (Format::CloudPhysics, accepts(cloudphysics::Parser::new(head), head)),
        (Format::Spc, accepts(spc::Parser::default(), head)),
        (Format::Arc, accepts(arc::Parser, head)),
        (Format::Pages, accepts(pages::Parser, head)),
    ];
    accepted.into_iter().find(|&(_, accepted)| accepted).map(|(format, _)| format)
}

/// Whether more whole lines of `head` are requests than are wrong.
fn accepts(mut format: impl LineFormat, head: &[u8]) -> bool {
    let cut_off = head.len() >= HEAD_BYTES;
    let whole = match head.iter().rposition(|&byte| byte == b'\n') {
        Some(end) if cut_off => &head[..end],
        _ => head,
    };
    let (mut requests, mut wrong) = (0, 0);
    for line in whole.split(|&byte| byte == b'\n') {
        match format.request(line.strip_suffix(b"\r").unwrap_or(line)) {
            Ok(Some(_)) => requests += 1,
            Ok(None) => {}
            Err(_) => wrong += 1,
        }
    }
    requests > wrong
}
