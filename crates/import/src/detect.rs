//! What a file is, told by its content, with the evidence; and what is not read at all, with the reason.

use std::path::Path;

use leadline_files::TextError;

use crate::{Format, fio};

/// A line that tells what a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Evidence {
    pub(crate) format: Format,
    /// Line in the file, from 1.
    pub(crate) line: usize,
    /// What is there.
    pub(crate) mark: &'static str,
}

/// Output of programs from which no profile can be made: what is in it, and why.
const REFUSED: [(&str, &str); 9] = [
    ("\"leadline.profile/", "is a profile already; give it to leadline report or advise unchanged"),
    (
        "Timing buffered disk reads",
        "is output of hdparm, which reads in sequence through the page cache for three seconds: it tells \
         neither latency nor concurrency. fio with direct=1 and output-format=json does",
    ),
    (
        "Timing cached reads",
        "is output of hdparm -T, which measures memory. fio with direct=1 and output-format=json measures the \
         device",
    ),
    (
        " records out",
        "is output of dd, which does not say whether it went through the page cache, nor how large its \
         requests were. fio with direct=1 and output-format=json does",
    ),
    (
        "bytes transferred in",
        "is output of dd, which does not say whether it went through the page cache, nor how large its \
         requests were. fio with direct=1 and output-format=json does",
    ),
    (
        "<TimeSpan>",
        "is output of diskspd, which is not read yet; run fio with output-format=json, or leadline profile",
    ),
    (
        "Command Line: diskspd",
        "is output of diskspd, which is not read yet; run fio with output-format=json, or leadline profile",
    ),
    (
        "CrystalDiskMark",
        "is output of CrystalDiskMark, which is not read; run fio with output-format=json, or leadline \
         profile",
    ),
    (
        "File operations:",
        "is output of sysbench fileio, which goes through the page cache by default and does not \
         say; run fio with direct=1 and output-format=json",
    ),
];

/// What `text` is.
///
/// # Errors
/// [`TextError`]: it is none of the formats, several of them, or what is refused.
pub(crate) fn detect(text: &str, path: &Path) -> Result<Evidence, TextError> {
    let found = evidence(text);
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(unknown(text, path)),
        several => {
            let list: Vec<String> = several
                .iter()
                .map(|one| format!("{} (line {}: {})", one.format.words(), one.line, one.mark))
                .collect();
            let names: Vec<&str> = several.iter().map(|one| one.format.name()).collect();
            let reason = format!(
                "could be {}; say which with --format {}",
                list.join(" or "),
                names.join(" or --format ")
            );
            Err(TextError::file(path, reason))
        }
    }
}

/// One piece of evidence for each format of which there is any, in their order.
fn evidence(text: &str) -> Vec<Evidence> {
    let of = |format: Format| {
        let (line, mark) = mark(format, text)?;
        Some(Evidence { format, line, mark })
    };
    Format::ALL.into_iter().filter_map(of).collect()
}

/// The first line that tells a format.
fn mark(format: Format, text: &str) -> Option<(usize, &'static str)> {
    let first = |is_it: &dyn Fn(&str) -> bool| Some(text.lines().position(is_it)? + 1);
    match format {
        Format::Fio => {
            let json = first(&|line| line.contains(fio::JSON)).map(|line| (line, fio::JSON));
            json.or_else(|| Some((first(&fio::is_result)?, "(groupid=")))
        }
        Format::Iotune => {
            let is_it = |line: &str| line.strip_prefix("disks:").is_some_and(|rest| !rest.contains('"'));
            Some((first(&is_it)?, "disks:"))
        }
        Format::Etcd => {
            let mark = "etcd_disk_wal_fsync_duration_seconds_bucket";
            Some((first(&|line| line.starts_with(mark))?, mark))
        }
        Format::PgTestFsync => {
            let mark = "Compare file sync methods using";
            Some((first(&|line| line.starts_with(mark))?, mark))
        }
        Format::CephBench => {
            let others = text.contains("\"blocksize\"") && text.contains("\"bytes_written\"");
            let line = first(&|line| line.contains("\"bytes_per_sec\"")).filter(|_| others)?;
            Some((line, "\"bytes_per_sec\""))
        }
        Format::Ioping => ioping(text),
    }
}

/// Text, JSON, or numbers alone.
fn ioping(text: &str) -> Option<(usize, &'static str)> {
    let first = |mark: &str| Some(text.lines().position(|line| line.contains(mark))? + 1);
    if let Some(line) = first("ioping statistics ---") {
        return Some((line, "ioping statistics ---"));
    }
    if let Some(line) = first("\"mdev\"").filter(|_| text.trim_start().starts_with('[')) {
        return Some((line, "\"mdev\""));
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let is_raw = |line: &str| {
        let mut words = line.split_whitespace();
        words.clone().count() == RAW && words.all(|word| word.parse::<u64>().is_ok())
    };
    (lines.clone().next().is_some() && lines.clone().all(is_raw)).then_some((1, "ten whole numbers"))
}

/// Numbers in a line of `ioping -B`.
pub(crate) const RAW: usize = 10;

/// Why a text without evidence of a format is refused.
fn unknown(text: &str, path: &Path) -> TextError {
    for (at, line) in text.lines().enumerate() {
        if let Some((_, why)) = REFUSED.iter().find(|(mark, _)| line.contains(mark)) {
            return TextError::line(path, at + 1, *why);
        }
    }
    let list: Vec<&str> = Format::ALL.map(Format::words).to_vec();
    let reason = format!(
        "is of no known kind: neither {}; --format ({}) says what it is",
        list.join(", nor "),
        Format::names()
    );
    TextError::file(path, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(text: &str) -> Result<Format, String> {
        detect(text, Path::new("x")).map(|found| found.format).map_err(|error| error.to_string())
    }

    #[test]
    fn each_format_is_told_by_its_content() {
        for (text, wanted) in [
            ("note: capped\n{\n  \"fio version\" : \"fio-3.33\", \"jobs\": []}", Format::Fio),
            ("fio-3.33\na: (groupid=0, jobs=1): err= 0: pid=3\n", Format::Fio),
            ("# by iotune\ndisks:\n  - mountpoint: /a\n", Format::Iotune),
            ("etcd_disk_wal_fsync_duration_seconds_bucket{le=\"0.001\"} 3\n", Format::Etcd),
            ("5 seconds per test\nCompare file sync methods using one 8kB write:\n", Format::PgTestFsync),
            ("{\"bytes_written\": 1, \"blocksize\": 2,\n\"bytes_per_sec\": 3}", Format::CephBench),
            ("--- . (ext4 /dev/vda 252.0 GiB) ioping statistics ---\n", Format::Ioping),
            ("[{\"stat\": {\"mdev\": 3}}]", Format::Ioping),
            ("4 298616 13395 54866451 61862 74654 91697 11208 5 40160471\n", Format::Ioping),
        ] {
            assert_eq!(format(text), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn a_file_that_could_be_two_things_is_refused_with_both_and_the_option() {
        let text = "disks:\nCompare file sync methods using one 8kB write:\n";
        assert_eq!(
            format(text).unwrap_err(),
            "x: could be io_properties.yaml of Seastar's iotune (line 1: disks:) or the output of \
             pg_test_fsync (line 2: Compare file sync methods using); say which with --format iotune or \
             --format pg-test-fsync"
        );
    }

    #[test]
    fn what_tells_nothing_of_the_device_is_refused_with_why() {
        for (text, why) in [
            (
                "/dev/sda:\n Timing buffered disk reads: 400 MB in  3.00 seconds\n",
                "x: line 2: is output of hdparm",
            ),
            ("1+0 records in\n1+0 records out\n", "x: line 2: is output of dd"),
            ("{\"schema\": \"leadline.profile/1\"}", "x: line 1: is a profile already"),
            ("<Results>\n<TimeSpan>\n", "x: line 2: is output of diskspd"),
            ("hello\n", "x: is of no known kind"),
            ("", "x: is of no known kind"),
        ] {
            let said = format(text).unwrap_err();
            assert!(said.starts_with(why), "{said}");
        }
    }
}
