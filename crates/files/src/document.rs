//! Small documents, such as profiles and settings: whatever is at a path, no more than a bound is read of
//! it. `/dev/zero` never ends, and a disk image is no profile.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// All bytes of a document that has no more than `most`.
///
/// # Errors
/// The system's, and [`io::ErrorKind::FileTooLarge`].
pub fn read_document(path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory; name a file"));
    }
    file.by_ref().take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let (size, unit) = if most >= 1 << 20 { (most >> 20, "MiB") } else { (most >> 10, "KiB") };
        let text =
            format!("is larger than {size} {unit}, so it is no document of this kind; name another file");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

/// The text of a document that has no more than `most` bytes.
///
/// # Errors
/// As [`read_document`], and [`io::ErrorKind::InvalidData`] where it is not UTF-8.
pub fn read_text(path: impl AsRef<Path>, most: u64) -> io::Result<String> {
    String::from_utf8(read_document(path, most)?).map_err(|error| {
        let text = format!("is not a text file (byte {} is not UTF-8)", error.utf8_error().valid_up_to());
        io::Error::new(io::ErrorKind::InvalidData, text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_read_up_to_the_bound() {
        let error = read_document("/dev/zero", 1 << 20).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().contains("1 MiB"), "{error}");
    }

    #[test]
    fn a_document_of_the_bound_is_read_and_one_byte_more_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("document");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read_text(&path, 5).unwrap(), "12345");
        assert!(read_text(&path, 4).is_err());
        std::fs::write(&path, b"ab\xff").unwrap();
        let error = read_text(&path, 5).unwrap_err();
        assert!(error.to_string().contains("byte 2"), "{error}");
    }
}
