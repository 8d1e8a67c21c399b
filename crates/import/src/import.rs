//! From files to a profile.

use std::path::Path;

use leadline_files::{TextError, read_document};
use leadline_profile::DeviceProfile;

use crate::found::Found;
use crate::options::Options;
use crate::{Format, assemble, ceph, detect, etcd, fio, ioping, iotune, pg_test_fsync};

/// The largest file that is read: json+ with histograms of many jobs has some MiB.
const MOST_BYTES: u64 = 64 << 20;

/// The profile of what `paths` have, files that other programs wrote.
///
/// # Errors
/// [`TextError`]: a file cannot be read, is none of the formats or several of them, is not whole, or nothing
/// in any of them can be used.
pub fn import<P: AsRef<Path>>(paths: &[P], options: &Options) -> Result<DeviceProfile, TextError> {
    let texts: Vec<String> =
        paths.iter().map(|path| text(path.as_ref())).collect::<Result<_, TextError>>()?;
    let texts: Vec<(&Path, &str)> =
        paths.iter().zip(&texts).map(|(path, text)| (path.as_ref(), text.as_str())).collect();
    import_texts(&texts, options)
}

fn text(path: &Path) -> Result<String, TextError> {
    let bytes =
        read_document(path, MOST_BYTES).map_err(|source| TextError::Io { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        TextError::line(path, line, "is not UTF-8 text; give what the program printed")
    })
}

/// The same of texts, each with the path that messages call it by.
///
/// # Errors
/// As [`import`].
pub fn import_texts(texts: &[(&Path, &str)], options: &Options) -> Result<DeviceProfile, TextError> {
    let mut found = Vec::new();
    for (path, text) in texts {
        let mut one = read(text.strip_prefix('\u{feff}').unwrap_or(text), path, options)?;
        one.file.file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        found.push(one);
    }
    if found.iter().all(Found::is_empty) {
        let path = texts.first().map_or(Path::new("no file"), |(path, _)| path);
        let why: Vec<&str> = found.iter().flat_map(|one| &one.file.skipped).map(String::as_str).collect();
        let reason = format!("nothing can be used: {}", why.first().unwrap_or(&"nothing was measured"));
        let more = if why.len() > 1 { format!("; and {} more", why.len() - 1) } else { String::new() };
        return Err(TextError::file(path, reason + &more));
    }
    Ok(assemble::profile(found, options))
}

/// What one text has.
fn read(text: &str, path: &Path, options: &Options) -> Result<Found, TextError> {
    let (format, told_by) = match options.format {
        Some(format) => (format, None),
        None => {
            let evidence = detect::detect(text, path)?;
            (evidence.format, Some(evidence))
        }
    };
    let mut found = match format {
        Format::Fio => fio::read(text, path),
        Format::Iotune => iotune::read(text, path, options),
        Format::Etcd => etcd::read(text, path),
        Format::PgTestFsync => pg_test_fsync::read(text, path),
        Format::CephBench => ceph::read(text, path),
        Format::Ioping => ioping::read(text, path, options),
    }?;
    if let Some(evidence) = told_by {
        let is = format!("as {}, since line {} has {}", format.words(), evidence.line, evidence.mark);
        found.file.read.insert(0, is);
    }
    Ok(found)
}
