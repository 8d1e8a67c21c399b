//! gzip (RFC 1952), bzip2, Zstandard (RFC 8878) and xz, read and written.

use std::fmt;
use std::io::{self, BufReader, Cursor, Read, Write};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use bzip2::write::BzEncoder;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzReader, XzWriter};

/// Enough of a stream's first bytes to recognise every kind.
const MAGIC_BYTES: u64 = 10;

/// Bytes that are read or decompressed at once.
const BUFFER_BYTES: usize = 128 << 10;

/// Largest memory an xz stream may ask for: that of `xz -9` is 65 MiB.
const XZ_LIMIT_KIB: u32 = 256 << 10;

/// Levels: the defaults of the tools.
const GZIP_LEVEL: u32 = 6;
const BZIP2_LEVEL: u32 = 9;
const ZSTD_LEVEL: i32 = 3;
const XZ_PRESET: u32 = 6;

/// How a stream is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// gzip, RFC 1952.
    Gzip,
    /// bzip2.
    Bzip2,
    /// Zstandard, RFC 8878.
    Zstd,
    /// xz.
    Xz,
}

impl Compression {
    /// What a file's ending says: `.gz`, `.bz2`, `.zst`, `.zstd` or `.xz`, in either case.
    pub fn of_ending(path: &Path) -> Option<Compression> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "gz" => Some(Compression::Gzip),
            "bz2" => Some(Compression::Bzip2),
            "zst" | "zstd" => Some(Compression::Zstd),
            "xz" => Some(Compression::Xz),
            _ => None,
        }
    }

    /// What a stream's first bytes say.
    fn of_magic(magic: &[u8]) -> Option<Compression> {
        match magic {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            // A block, and the end of an empty stream.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => {
                Some(Compression::Bzip2)
            }
            // A frame, and one to be skipped.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Compression::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Compression::Xz),
            _ => None,
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::Gzip => "gzip",
            Compression::Bzip2 => "bzip2",
            Compression::Zstd => "zstd",
            Compression::Xz => "xz",
        })
    }
}

/// Reads a stream as it was before compression. The stream's first bytes decide, never a name: one that is
/// not compressed passes unchanged.
///
/// Members of gzip, streams of bzip2, frames of Zstandard and streams of xz that follow one another are read
/// as one, as the tools do. The decoders' windows are limited (Zstandard: 128 MiB, its tool's own default;
/// xz: 256 MiB), so that no file can ask for all memory. An error of the data names the kind of compression,
/// and nothing is read after one.
pub struct Decompressor {
    reader: Box<dyn Read + Send>,
    compression: Option<Compression>,
    /// It is in an archive.
    archived: bool,
    failed: bool,
}

impl Decompressor {
    /// Looks at the first bytes of `raw`.
    ///
    /// # Errors
    /// The errors of reading `raw`, and of a decoder that cannot be made.
    pub fn new(raw: impl Read + Send + 'static) -> io::Result<Decompressor> {
        // Each decoder would else be compiled for each kind of reader. It reads a buffer at a time.
        Self::of(Box::new(raw))
    }

    fn of(mut raw: Box<dyn Read + Send>) -> io::Result<Decompressor> {
        let mut magic = Vec::with_capacity(MAGIC_BYTES as usize);
        raw.by_ref().take(MAGIC_BYTES).read_to_end(&mut magic)?;
        let compression = Compression::of_magic(&magic);
        let raw = Cursor::new(magic).chain(raw);
        let reader: Box<dyn Read + Send> = match compression {
            None => Box::new(raw),
            Some(Compression::Gzip) => Box::new(buffered(MultiGzDecoder::new(buffered(raw)))),
            Some(Compression::Bzip2) => Box::new(buffered(MultiBzDecoder::new(buffered(raw)))),
            Some(Compression::Zstd) => Box::new(buffered(zstd::Decoder::with_buffer(buffered(raw))?)),
            Some(Compression::Xz) => {
                Box::new(buffered(XzReader::new_mem_limit(buffered(raw), true, XZ_LIMIT_KIB)))
            }
        };
        Ok(Decompressor { reader, compression, archived: false, failed: false })
    }

    /// The same, of a file that is in an archive.
    pub(crate) fn archived(self) -> Decompressor {
        Decompressor { archived: true, ..self }
    }

    /// Whether the bytes differ from the bytes of the file they come from.
    pub fn is_packed(&self) -> bool {
        self.archived || self.compression.is_some()
    }

    /// How the stream is compressed.
    pub fn compression(&self) -> Option<Compression> {
        self.compression
    }
}

impl Read for Decompressor {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(compression) = self.compression else { return self.reader.read(buffer) };
        if self.failed {
            return Ok(0);
        }
        self.reader.read(buffer).map_err(|error| {
            if error.kind() == io::ErrorKind::Interrupted {
                return error;
            }
            self.failed = true;
            let text = format!("the {compression} data cannot be decompressed further: {error}");
            io::Error::new(error.kind(), text)
        })
    }
}

impl fmt::Debug for Decompressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decompressor").field("compression", &self.compression).finish_non_exhaustive()
    }
}

fn buffered<R: Read>(reader: R) -> BufReader<R> {
    BufReader::with_capacity(BUFFER_BYTES, reader)
}

/// Compresses what is written to it, at the level that the tool of each format uses by default.
///
/// The stream is complete only after [`Compressor::finish`].
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// use std::io::{Cursor, Read as _, Write as _};
///
/// use leadline_files::{Compression, Compressor, Decompressor};
///
/// let mut compressor = Compressor::new(Vec::new(), Some(Compression::Zstd))?;
/// compressor.write_all(&[7; 10_000])?;
/// let compressed = compressor.finish()?;
/// assert!(compressed.len() < 100);
///
/// let mut bytes = Vec::new();
/// Decompressor::new(Cursor::new(compressed))?.read_to_end(&mut bytes)?;
/// assert_eq!(bytes, [7; 10_000]);
/// # Ok(())
/// # }
/// ```
pub struct Compressor<W: Write> {
    encoder: Encoder<W>,
}

enum Encoder<W: Write> {
    None(W),
    Gzip(Box<GzEncoder<W>>),
    Bzip2(Box<BzEncoder<W>>),
    Zstd(zstd::Encoder<'static, W>),
    Xz(Box<XzWriter<W>>),
}

impl<W: Write> Compressor<W> {
    /// Writes to `out`; without a compression, unchanged.
    ///
    /// # Errors
    /// The error of an encoder that cannot be made.
    pub fn new(out: W, compression: Option<Compression>) -> io::Result<Compressor<W>> {
        let encoder = match compression {
            None => Encoder::None(out),
            Some(Compression::Gzip) => {
                Encoder::Gzip(Box::new(GzEncoder::new(out, flate2::Compression::new(GZIP_LEVEL))))
            }
            Some(Compression::Bzip2) => {
                Encoder::Bzip2(Box::new(BzEncoder::new(out, bzip2::Compression::new(BZIP2_LEVEL))))
            }
            Some(Compression::Zstd) => {
                let mut encoder = zstd::Encoder::new(out, ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                Encoder::Zstd(encoder)
            }
            Some(Compression::Xz) => {
                Encoder::Xz(Box::new(XzWriter::new(out, XzOptions::with_preset(XZ_PRESET))?))
            }
        };
        Ok(Compressor { encoder })
    }

    /// Ends the stream and gives back what it was written to.
    ///
    /// # Errors
    /// The errors of writing the rest.
    pub fn finish(self) -> io::Result<W> {
        match self.encoder {
            Encoder::None(out) => Ok(out),
            Encoder::Gzip(out) => out.finish(),
            Encoder::Bzip2(out) => out.finish(),
            Encoder::Zstd(out) => out.finish(),
            Encoder::Xz(out) => out.finish(),
        }
    }
}

impl<W: Write> Write for Compressor<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.encoder {
            Encoder::None(out) => out.write(bytes),
            Encoder::Gzip(out) => out.write(bytes),
            Encoder::Bzip2(out) => out.write(bytes),
            Encoder::Zstd(out) => out.write(bytes),
            Encoder::Xz(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.encoder {
            Encoder::None(out) => out.flush(),
            Encoder::Gzip(out) => out.flush(),
            Encoder::Bzip2(out) => out.flush(),
            Encoder::Zstd(out) => out.flush(),
            Encoder::Xz(out) => out.flush(),
        }
    }
}

impl<W: Write> fmt::Debug for Compressor<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compressor").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Option<Compression>; 5] = [
        None,
        Some(Compression::Gzip),
        Some(Compression::Bzip2),
        Some(Compression::Zstd),
        Some(Compression::Xz),
    ];

    fn compressed(bytes: &[u8], compression: Option<Compression>) -> Vec<u8> {
        let mut compressor = Compressor::new(Vec::new(), compression).unwrap();
        compressor.write_all(bytes).unwrap();
        compressor.finish().unwrap()
    }

    #[test]
    fn what_is_compressed_reads_back_and_so_do_two_streams_in_a_row() {
        for compression in KINDS {
            for bytes in [&b""[..], b"x", b"0 4096 R\n", &[3; 300_000]] {
                let stream = compressed(bytes, compression);
                let mut reader = Decompressor::new(Cursor::new([&stream[..], &stream[..]].concat())).unwrap();
                let mut back = Vec::new();
                reader.read_to_end(&mut back).unwrap();
                assert_eq!((back, reader.compression()), ([bytes, bytes].concat(), compression));
            }
        }
    }

    #[test]
    fn a_cut_stream_is_an_error_that_names_the_compression_and_nothing_follows_it() {
        for compression in KINDS.into_iter().flatten() {
            let mut stream = compressed(&[3; 300_000], Some(compression));
            stream.truncate(stream.len() - 3);
            let mut reader = Decompressor::new(Cursor::new(stream)).unwrap();
            let error = io::copy(&mut reader, &mut io::sink()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("the {compression} data cannot be")), "{error}");
            assert_eq!(reader.read(&mut [0; 8]).unwrap(), 0);
        }
    }

    #[test]
    fn endings_name_the_compression_in_either_case() {
        let of = |name: &str| Compression::of_ending(Path::new(name));
        assert_eq!(
            [of("a.gz"), of("a.csv.ZST"), of("a.zstd"), of("a.xz"), of("a.bz2")].map(|kind| kind.is_some()),
            [true; 5]
        );
        assert_eq!([of("a"), of(".gz"), of("a.gz.csv")], [None; 3]);
    }
}
