//! `capture`: what reached a mounted file system, as [`capture`](crate::capture) has it; here its reads and
//! writes, whose volumes are the files.

use crate::capture::{MARK, Reader};
use crate::{Recognition, Request, Trace, TraceError, Unit};

/// Whether the first bytes of a file are those of a capture, of whatever version.
pub(super) fn accepts(head: &[u8]) -> bool {
    head.starts_with(&MARK[..MARK.len() - 2])
}

/// The reads and writes of a capture.
pub(super) struct Captured {
    reader: Reader,
    /// When the first request was issued.
    began_ns: Option<u64>,
}

impl Captured {
    pub(super) fn of(reader: Reader) -> Captured {
        Captured { reader, began_ns: None }
    }
}

impl Trace for Captured {
    fn unit(&self) -> Unit {
        Unit::Byte
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        while let Some(event) = self.reader.next_event()? {
            if !event.operation.moves_bytes() || event.length == 0 {
                continue;
            }
            let began_ns = *self.began_ns.get_or_insert(event.issued_ns);
            let Ok(length) = u32::try_from(event.length) else {
                let reason = format!("a request of {} bytes, expected one below 4 GiB", event.length);
                return Err(TraceError::Name { name: self.reader.name().to_owned(), reason });
            };
            return Ok(Some(Request {
                at_ns: event.issued_ns - began_ns,
                volume: event.file,
                write: event.operation.is_write(),
                address: event.offset,
                length,
            }));
        }
        Ok(None)
    }

    fn timed(&self) -> bool {
        true
    }

    fn progress(&self) -> Option<f64> {
        self.reader.progress()
    }

    fn volume_name(&self, volume: u32) -> Option<&str> {
        self.reader.files().get(volume as usize).map(String::as_str)
    }

    fn recognition(&self) -> Option<&Recognition> {
        self.reader.recognition()
    }
}
