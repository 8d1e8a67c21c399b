//! Compression, told by the first bytes and never by the name: gzip (RFC 1952), Zstandard (RFC 8878), xz.

use std::io::{BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;

/// Enough to tell every kind.
pub(super) const MAGIC_BYTES: usize = 6;

/// Bytes read from the file at once.
const BUFFER_BYTES: usize = 128 << 10;

/// Largest memory an xz stream may ask for: that of `xz -9` is 65 MiB.
const XZ_LIMIT_KIB: u32 = 256 << 10;

/// `raw` decompressed where `magic`, its first bytes, says that it is compressed; and whether it does.
///
/// Members of gzip, frames of Zstandard and streams of xz that follow one another are read as one, as the tools do. The
/// decoders' windows are limited (Zstandard: 128 MiB, its tool's own default), so that a file cannot ask for all memory.
pub(super) fn through(
    magic: &[u8],
    raw: Box<dyn Read + Send>,
) -> std::io::Result<(Box<dyn Read + Send>, bool)> {
    let buffered = |raw| BufReader::with_capacity(BUFFER_BYTES, raw);
    Ok(match magic {
        [0x1f, 0x8b, ..] => (named("gzip", MultiGzDecoder::new(buffered(raw))), true),
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            (named("zstd", zstd::Decoder::with_buffer(buffered(raw))?), true)
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            (named("xz", XzReader::new_mem_limit(buffered(raw), true, XZ_LIMIT_KIB)), true)
        }
        _ => (raw, false),
    })
}

fn named(kind: &'static str, reader: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    Box::new(Named { kind, reader: BufReader::with_capacity(BUFFER_BYTES, reader), failed: false })
}

/// Says in errors what was being decompressed, and reads no further after one.
struct Named<R> {
    kind: &'static str,
    reader: R,
    failed: bool,
}

impl<R: Read> Read for Named<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.failed {
            return Ok(0);
        }
        self.reader.read(buffer).map_err(|error| {
            if error.kind() == std::io::ErrorKind::Interrupted {
                return error;
            }
            self.failed = true;
            let text = format!("the {} data cannot be decompressed further: {error}", self.kind);
            std::io::Error::new(error.kind(), text)
        })
    }
}
