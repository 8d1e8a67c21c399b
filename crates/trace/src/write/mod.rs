//! Writing traces: requests as bytes of a format ([`Writer`]), bytes as a file ([`Output`]).

mod encode;
mod output;

use std::io::Write;

use crate::pages::PageSplitter;
use crate::{Format, Request, TraceError, Unit};

pub(crate) use encode::Encode;
pub use output::Output;

/// Writes requests in a format.
pub struct Writer<W> {
    out: W,
    name: String,
    encoder: Box<dyn Encode>,
    cut: PageSplitter,
    from: Unit,
    page_bytes: u32,
    buffer: Vec<u8>,
    written: u64,
    writes_lost: u64,
}

impl<W: Write> Writer<W> {
    /// Writes to `out` (called `name` in messages) requests of a trace whose addresses count in `from`.
    /// `page_bytes`, at least 1, turns bytes into pages and pages into bytes, where the format counts in the
    /// other.
    ///
    /// # Errors
    /// [`TraceError::Name`] for a format that is only read.
    pub fn new(
        out: W,
        name: &str,
        format: Format,
        from: Unit,
        page_bytes: u32,
    ) -> Result<Writer<W>, TraceError> {
        let page_bytes = page_bytes.max(1);
        let Some(mut encoder) = format.encoder(page_bytes) else {
            let writable = Format::WRITABLE.map(Format::name).join(", ");
            let reason = format!("is a format that is only read; formats that are written are {writable}");
            return Err(TraceError::Name { name: format.name().to_owned(), reason });
        };
        let mut buffer = Vec::new();
        encoder.begin(&mut buffer);
        let cut = PageSplitter::new(from, page_bytes);
        let name = name.to_owned();
        Ok(Writer { out, name, encoder, cut, from, page_bytes, buffer, written: 0, writes_lost: 0 })
    }

    /// Writes one request.
    ///
    /// # Errors
    /// [`TraceError::Syntax`] numbers the request and says what the format cannot express, [`TraceError::Io`]
    /// what the file refused.
    pub fn write(&mut self, request: &Request) -> Result<(), TraceError> {
        self.written += 1;
        self.writes_lost += u64::from(request.write && !self.encoder.keeps_writes());
        let encoded = match self.encoder.unit() {
            Unit::Page => self.pages(request),
            Unit::Byte => in_bytes(request, self.from, self.page_bytes)
                .and_then(|request| self.encoder.request(&request, &mut self.buffer)),
        };
        encoded.map_err(|reason| TraceError::Syntax {
            path: self.name.clone(),
            line: self.written,
            reason: format!("request {}: {reason}", self.written),
        })?;
        self.put()
    }

    /// Writes what comes behind the last request, and gives the output back.
    ///
    /// # Errors
    /// [`TraceError::Io`].
    pub fn finish(mut self) -> Result<W, TraceError> {
        self.encoder.end(&mut self.buffer);
        self.put()?;
        Ok(self.out)
    }

    /// Writes that went out as reads, because the format does not tell them apart.
    pub fn writes_lost(&self) -> u64 {
        self.writes_lost
    }

    /// Whether the format has times.
    pub fn keeps_times(&self) -> bool {
        self.encoder.keeps_times()
    }

    /// One request as pages, all volumes' in one row.
    fn pages(&mut self, request: &Request) -> Result<(), String> {
        let (address, count) = self.cut.pages(request)?;
        // With pages of one byte a request may cover more than a length can say: at most twice, that is.
        let half = u64::from(u32::MAX);
        let (first, rest) = (count.min(half), count.saturating_sub(half));
        for (address, length) in [(address, first), (address.wrapping_add(first), rest)] {
            if length > 0 {
                let pages = Request { address, length: length as u32, volume: 0, ..*request };
                self.encoder.request(&pages, &mut self.buffer)?;
            }
        }
        Ok(())
    }

    fn put(&mut self) -> Result<(), TraceError> {
        let result = self.out.write_all(&self.buffer);
        self.buffer.clear();
        result.map_err(|source| TraceError::Io { path: self.name.clone(), source })
    }
}

/// The request in bytes.
fn in_bytes(request: &Request, from: Unit, page_bytes: u32) -> Result<Request, String> {
    if from == Unit::Byte {
        return Ok(*request);
    }
    let page_bytes = u64::from(page_bytes);
    let length = u64::from(request.length) * page_bytes;
    let address = request.address.checked_mul(page_bytes);
    match (address, u32::try_from(length)) {
        (Some(address), Ok(short)) if address.checked_add(length - 1).is_some() => {
            Ok(Request { address, length: short, ..*request })
        }
        (_, Err(_)) => {
            Err(format!("{} pages of {page_bytes} bytes are more than a request's 4 GiB", request.length))
        }
        _ => Err(format!(
            "page {} of {page_bytes} bytes lies beyond 2^64 bytes; take smaller pages, or a format of pages",
            request.address
        )),
    }
}
