//! Archives with one file in them, read as that file: tar, compressed or not, and zip.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;

use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use tar::Archive as Tar;
use zip::{CompressionMethod, ZipArchive};

use crate::Decompressor;

/// A block of tar, and where in it stands that it is one.
const TAR_BLOCK: usize = 512;
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");

/// Names of files that a refusal shows.
const NAMES: usize = 8;

/// The one file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    name: String,
    place: Place,
}

/// Where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the archive as it was before compression.
    Tar {
        begin: u64,
        bytes: u64,
    },
    Zip {
        begin: u64,
        packed: u64,
        bytes: u64,
        deflated: bool,
        crc: u32,
    },
}

/// Why an archive is not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The system would not read it, or it is damaged.
    Io(io::Error),
    /// It does not hold exactly one file that can be read; what it holds and what to do.
    Refused(String),
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArchiveError::Io(error) => error.fmt(f),
            ArchiveError::Refused(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for ArchiveError {}

impl From<io::Error> for ArchiveError {
    fn from(error: io::Error) -> ArchiveError {
        ArchiveError::Io(error)
    }
}

impl Archive {
    /// Whether a file is an archive, told by its first bytes, and the one file that it holds. To find out
    /// whether a compressed tar holds more, all of it is decompressed. What the file gives next stays the
    /// same.
    ///
    /// # Errors
    /// [`ArchiveError::Refused`] where it holds none or several, with their names.
    pub fn of(file: &File) -> Result<Option<Archive>, ArchiveError> {
        if !file.metadata()?.is_file() {
            return Ok(None);
        }
        let anywhere = || file.try_clone().map(|file| AtPlace { file, place: 0 });
        let mut head = Vec::new();
        anywhere()?.take(4).read_to_end(&mut head)?;
        if matches!(head[..], [b'P', b'K', 3, 4] | [b'P', b'K', 5, 6]) {
            return in_zip(anywhere()?).map(Some);
        }
        let mut text = Decompressor::new(anywhere()?)?;
        let mut block = Vec::new();
        // What cannot be decompressed is told when it is read.
        let _ = text.by_ref().take(TAR_BLOCK as u64).read_to_end(&mut block);
        let (place, magic) = TAR_MAGIC;
        if block.get(place..place + magic.len()) != Some(magic) {
            return Ok(None);
        }
        match text.compression() {
            None => in_tar(Tar::new(anywhere()?).entries_with_seek()?).map(Some),
            Some(_) => in_tar(Tar::new(Decompressor::new(anywhere()?)?).entries()?).map(Some),
        }
    }

    /// The file's name in the archive, with its directories.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads the file; `raw` gives the archive from its beginning.
    ///
    /// # Errors
    /// The errors of reading `raw`, and of an archive that has changed.
    pub fn open(&self, raw: impl Read + Send + 'static) -> io::Result<Decompressor> {
        self.unpack(raw).map(Decompressor::archived)
    }

    fn unpack(&self, mut raw: impl Read + Send + 'static) -> io::Result<Decompressor> {
        match self.place {
            Place::Tar { begin, bytes } => {
                let mut text = Decompressor::new(raw)?;
                skip(&mut text, begin)?;
                Decompressor::new(Whole { inner: text.take(bytes), left: bytes, crc: None })
            }
            Place::Zip { begin, packed, bytes, deflated, crc } => {
                skip(&mut raw, begin)?;
                let packed = raw.take(packed);
                let crc = Some((Crc::new(), crc));
                if deflated {
                    let inner = DeflateDecoder::new(BufReader::with_capacity(128 << 10, packed));
                    return Decompressor::new(Whole { inner: inner.take(bytes), left: bytes, crc });
                }
                Decompressor::new(Whole { inner: packed.take(bytes), left: bytes, crc })
            }
        }
    }
}

fn skip(reader: &mut impl Read, bytes: u64) -> io::Result<()> {
    let skipped = io::copy(&mut reader.by_ref().take(bytes), &mut io::sink())?;
    if skipped < bytes { Err(cut_off()) } else { Ok(()) }
}

fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends within the file that it holds")
}

/// The one file among those of an archive, with its name.
fn only(mut files: Vec<(String, Place)>, count: usize) -> Result<Archive, ArchiveError> {
    match files.pop() {
        None => Err(ArchiveError::Refused("is an archive without a file in it".to_owned())),
        Some((name, place)) if count == 1 => Ok(Archive { name, place }),
        Some(last) => {
            files.push(last);
            let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
            let more = if count > names.len() {
                format!(" and {} more", count - names.len())
            } else {
                String::new()
            };
            Err(ArchiveError::Refused(format!(
                "is an archive of {count} files, and is read where it holds one: {}{more}; unpack it, and \
                 name the one that is meant",
                names.join(", ")
            )))
        }
    }
}

/// Whether macOS put a file there, for its own use.
fn is_of_finder(name: &str) -> bool {
    let file = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("__MACOSX/") || file.starts_with("._") || file == ".DS_Store"
}

fn in_tar<R: Read>(entries: tar::Entries<'_, R>) -> Result<Archive, ArchiveError> {
    let (mut files, mut count) = (Vec::new(), 0);
    for entry in entries {
        let entry = entry?;
        let kind = entry.header().entry_type();
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if kind.is_gnu_sparse() {
            let what = format!("is an archive with a sparse file, {name}, which is not read; unpack it");
            return Err(ArchiveError::Refused(what));
        }
        if !(kind.is_file() || kind.is_contiguous()) || is_of_finder(&name) {
            continue;
        }
        count += 1;
        if files.len() < NAMES {
            files.push((name, Place::Tar { begin: entry.raw_file_position(), bytes: entry.size() }));
        }
    }
    only(files, count)
}

fn in_zip(file: AtPlace) -> Result<Archive, ArchiveError> {
    let refused = |what: String| ArchiveError::Refused(what);
    let failed = |error: zip::result::ZipError| match error {
        zip::result::ZipError::Io(error) => ArchiveError::Io(error),
        error => refused(format!("is a zip file that cannot be read: {error}")),
    };
    let mut zip = ZipArchive::new(file).map_err(failed)?;
    let (mut files, mut count) = (Vec::new(), 0);
    let mut unread = None;
    for at in 0..zip.len() {
        let entry = zip.by_index_raw(at).map_err(failed)?;
        let name = entry.name().map_err(failed)?.into_owned();
        if entry.is_dir() || is_of_finder(&name) {
            continue;
        }
        count += 1;
        if files.len() == NAMES {
            continue;
        }
        let deflated = entry.compression() == CompressionMethod::DEFLATE;
        if entry.encrypted() {
            unread = Some(format!("is a zip file whose {name} is encrypted; unpack it"));
        } else if !deflated && entry.compression() != CompressionMethod::STORE {
            let method = method_name(entry.compression());
            unread = Some(format!(
                "is a zip file whose {name} is compressed by {method}, which is not read; unpack it"
            ));
        }
        let begin = entry.data_start().ok_or_else(|| refused("is a zip file without its data".to_owned()))?;
        let (packed, bytes, crc) = (entry.compressed_size(), entry.size(), entry.crc32());
        files.push((name, Place::Zip { begin, packed, bytes, deflated, crc }));
    }
    match unread {
        Some(what) if count == 1 => Err(refused(what)),
        _ => only(files, count),
    }
}

/// A method that is not read.
fn method_name(method: CompressionMethod) -> &'static str {
    const NAMES: [(CompressionMethod, &str); 6] = [
        (CompressionMethod::DEFLATE64, "Deflate64"),
        (CompressionMethod::BZIP2, "bzip2"),
        (CompressionMethod::LZMA, "LZMA"),
        (CompressionMethod::ZSTD, "Zstandard"),
        (CompressionMethod::XZ, "xz"),
        (CompressionMethod::PPMD, "PPMd"),
    ];
    NAMES.iter().find(|(known, _)| *known == method).map_or("a rare method", |(_, name)| name)
}

/// A file of an archive, which must be as long as the archive says, and have its checksum if that is known.
struct Whole<R> {
    inner: io::Take<R>,
    left: u64,
    crc: Option<(Crc, u32)>,
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        if got == 0 && self.left > 0 && !buffer.is_empty() {
            return Err(cut_off());
        }
        self.left -= got as u64;
        if let Some((crc, expected)) = &mut self.crc {
            crc.update(&buffer[..got]);
            if self.left == 0 && crc.sum() != *expected {
                self.crc = None;
                let what = "the file in the archive has another checksum than the archive says";
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
        }
        Ok(got)
    }
}

/// A file that is read from its beginning, without moving where others read it.
struct AtPlace {
    file: File,
    place: u64,
}

impl Read for AtPlace {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.file.read_at(buffer, self.place)?;
        self.place += got as u64;
        Ok(got)
    }
}

impl Seek for AtPlace {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let from = |base: u64, by: i64| {
            base.checked_add_signed(by).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
        };
        self.place = match to {
            SeekFrom::Start(place) => place,
            SeekFrom::Current(by) => from(self.place, by)?,
            SeekFrom::End(by) => from(self.file.metadata()?.len(), by)?,
        };
        Ok(self.place)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::{Compression, Compressor};

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        file
    }

    /// What is read of an archive, and its file's name.
    fn read(bytes: &[u8]) -> Result<(String, Vec<u8>), String> {
        let file = file(bytes);
        let archive = Archive::of(&file).map_err(|error| error.to_string())?.ok_or("no archive")?;
        let mut content = Vec::new();
        let opened = archive.open(file).and_then(|mut text| text.read_to_end(&mut content));
        opened.map_err(|error| error.to_string())?;
        Ok((archive.name().to_owned(), content))
    }

    fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut tar = tar::Builder::new(Vec::new());
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            let is_folder = name.ends_with('/');
            header.set_entry_type(if is_folder {
                tar::EntryType::Directory
            } else {
                tar::EntryType::Regular
            });
            header.set_size(content.len() as u64);
            tar.append_data(&mut header, name, *content).unwrap();
        }
        tar.into_inner().unwrap()
    }

    fn crc_of(content: &[u8]) -> u32 {
        let mut crc = Crc::new();
        crc.update(content);
        crc.sum()
    }

    /// A zip file as PKWARE's APPNOTE 4.3 has it, of method 0 (stored), 8 (deflated) or another, which is not
    /// applied.
    fn zip(method: u16, files: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        for (name, content) in files {
            let mut packed = content.to_vec();
            if method == 8 {
                let mut deflate =
                    flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
                deflate.write_all(content).unwrap();
                packed = deflate.finish().unwrap();
            }
            let shorts =
                |values: &[u16]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
            let longs =
                |values: &[u32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
            let mut common = shorts(&[20, 0, method, 0, 0]);
            common.extend(longs(&[crc_of(content), packed.len() as u32, content.len() as u32]));
            common.extend(shorts(&[name.len() as u16, 0]));
            directory.extend([&b"PK\x01\x02\x14\0"[..], &common].concat());
            directory.extend([shorts(&[0, 0, 0]), longs(&[0, out.len() as u32])].concat());
            directory.extend(name.as_bytes());
            out.extend([&b"PK\x03\x04"[..], &common, name.as_bytes(), &packed].concat());
        }
        let (count, begin) = (files.len() as u16, out.len() as u32);
        out.extend(&directory);
        out.extend(b"PK\x05\x06\0\0\0\0");
        out.extend([count, count].iter().flat_map(|count| count.to_le_bytes()));
        out.extend([directory.len() as u32, begin].iter().flat_map(|value| value.to_le_bytes()));
        out.extend([0, 0]);
        out
    }

    fn compressed(bytes: &[u8], compression: Compression) -> Vec<u8> {
        let mut compressor = Compressor::new(Vec::new(), Some(compression)).unwrap();
        compressor.write_all(bytes).unwrap();
        compressor.finish().unwrap()
    }

    const EDGES: (&str, &[u8]) = ("g/edges.txt", b"1 2\n2 3\n");

    #[test]
    fn the_one_file_of_an_archive_is_read_whatever_lies_around_it() {
        let expected = Ok((EDGES.0.to_owned(), EDGES.1.to_vec()));
        let long = ("x/".repeat(100) + "a.txt", vec![b'7'; 100_000]);
        let plain = tar(&[("g/", b""), ("g/._edges.txt", b"mac"), EDGES]);
        assert_eq!(read(&plain), expected);
        for compression in [Compression::Gzip, Compression::Bzip2, Compression::Zstd, Compression::Xz] {
            assert_eq!(read(&compressed(&plain, compression)), expected, "{compression}");
        }
        for method in [0, 8] {
            assert_eq!(read(&zip(method, &[("g/", b""), EDGES, ("__MACOSX/g/._edges.txt", b"x")])), expected);
            assert_eq!(read(&zip(method, &[(&long.0, &long.1)])), Ok(long.clone()));
        }
        assert_eq!(read(&tar(&[(&long.0, &long.1)])), Ok(long));
        // Compressed within the archive.
        let inner = compressed(EDGES.1, Compression::Gzip);
        assert_eq!(read(&tar(&[("e.gz", &inner)])), Ok(("e.gz".to_owned(), EDGES.1.to_vec())));
        assert!(Archive::of(&file(b"PK is a name\n")).unwrap().is_none());
        assert!(Archive::of(&file(b"")).unwrap().is_none());
    }

    #[test]
    fn several_files_are_refused_with_their_names() {
        let two = [EDGES, ("g/meta.txt", b"x")];
        for archive in [tar(&two), compressed(&tar(&two), Compression::Gzip), zip(8, &two)] {
            let error = read(&archive).unwrap_err();
            assert!(error.starts_with("is an archive of 2 files"), "{error}");
            assert!(error.contains("where it holds one: g/edges.txt, g/meta.txt; unpack it"), "{error}");
        }
        let names: Vec<String> = (0..20).map(|at| format!("f{at}")).collect();
        let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
        assert!(read(&tar(&many)).unwrap_err().contains("f7 and 12 more; unpack"));
        assert_eq!(read(&zip(0, &[])).unwrap_err(), "is an archive without a file in it");
        let error = read(&zip(9, &[EDGES])).unwrap_err();
        assert!(
            error.starts_with("is a zip file whose g/edges.txt is compressed by Deflate64, which"),
            "{error}"
        );
    }

    #[test]
    fn damage_is_an_error() {
        let mut wrong = zip(0, &[EDGES]);
        wrong[30 + EDGES.0.len()] = b'9';
        assert!(read(&wrong).unwrap_err().contains("another checksum"));
        let long = vec![b'7'; 100_000];
        let packed = tar(&[("a", &long)]);
        let error = read(&packed[..50_000]).unwrap_err();
        assert!(!error.is_empty(), "{error}");
        assert!(
            read(&zip(8, &[("a", &long)])[..60])
                .unwrap_err()
                .starts_with("is a zip file that cannot be read")
        );
    }
}
