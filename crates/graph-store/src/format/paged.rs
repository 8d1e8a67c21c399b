//! Sections that are not blocks (directory, ids, order): pages of 4096 bytes, each with its checksum, so that
//! any part can be read, and trusted, without the rest.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use super::{ALIGNMENT, PAYLOAD, Section, checksum};
use crate::GraphError;

/// Bytes of a page.
const PAGE: usize = ALIGNMENT as usize;

/// What a section holds: part of the seed of its checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    ForwardDirectory = 3,
    ReverseDirectory = 4,
    Ids = 5,
    Order = 6,
}

impl Kind {
    fn seed(self, page: u64) -> u64 {
        (self as u64) << 56 | page
    }

    /// What it is called where it is damaged.
    fn name(self) -> &'static str {
        match self {
            Kind::ForwardDirectory => "directory",
            Kind::ReverseDirectory => "directory of reverse edges",
            Kind::Ids => "ids",
            Kind::Order => "order",
        }
    }
}

/// Writes a section, page by page.
#[derive(Debug)]
pub(crate) struct PagedWriter {
    kind: Kind,
    page: Vec<u8>,
    bytes: u64,
}

impl PagedWriter {
    pub(crate) fn new(kind: Kind) -> PagedWriter {
        PagedWriter { kind, page: Vec::with_capacity(PAGE), bytes: 0 }
    }

    /// Appends payload.
    pub(crate) fn put(&mut self, mut bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
        while !bytes.is_empty() {
            let now = bytes.len().min(PAYLOAD - self.page.len());
            self.page.extend_from_slice(&bytes[..now]);
            self.bytes += now as u64;
            bytes = &bytes[now..];
            if self.page.len() == PAYLOAD {
                self.end_page(out)?;
            }
        }
        Ok(())
    }

    /// Writes the last page; returns the bytes of payload and those in the file.
    pub(crate) fn finish(mut self, out: &mut impl Write) -> io::Result<(u64, u64)> {
        if !self.page.is_empty() {
            self.end_page(out)?;
        }
        Ok((self.bytes, self.bytes.div_ceil(PAYLOAD as u64) * ALIGNMENT))
    }

    fn end_page(&mut self, out: &mut impl Write) -> io::Result<()> {
        let number = (self.bytes - 1) / PAYLOAD as u64;
        self.page.resize(PAYLOAD, 0);
        let sum = checksum(&self.page, self.kind.seed(number));
        self.page.extend_from_slice(&sum.to_le_bytes());
        out.write_all(&self.page)?;
        self.page.clear();
        Ok(())
    }
}

/// Reads a section; keeps the page it read last.
#[derive(Debug)]
pub(crate) struct PagedReader<'a> {
    file: &'a File,
    name: &'a str,
    kind: Kind,
    section: Section,
    page: Vec<u8>,
    /// Number of the page that is held; none yet: `u64::MAX`.
    held: u64,
}

impl<'a> PagedReader<'a> {
    /// Of a store's open file; `name` is the store's, for errors.
    pub(crate) fn new(file: &'a File, name: &'a str, kind: Kind, section: Section) -> PagedReader<'a> {
        PagedReader { file, name, kind, section, page: vec![0; PAGE], held: u64::MAX }
    }

    /// Bytes of payload.
    pub(crate) fn len(&self) -> u64 {
        self.section.bytes
    }

    /// Fills `buffer` from the payload's byte `at`.
    ///
    /// # Errors
    /// [`GraphError::Damaged`] where a page does not match its checksum or the section ends before.
    pub(crate) fn read(&mut self, mut at: u64, mut buffer: &mut [u8]) -> Result<(), GraphError> {
        self.within(at, buffer.len() as u64)?;
        while !buffer.is_empty() {
            self.hold(at / PAYLOAD as u64)?;
            let within = (at % PAYLOAD as u64) as usize;
            let now = buffer.len().min(PAYLOAD - within);
            buffer[..now].copy_from_slice(&self.page[within..within + now]);
            buffer = &mut buffer[now..];
            at += now as u64;
        }
        Ok(())
    }

    /// One little-endian number of 8 bytes, the `index`th of the section.
    pub(crate) fn number(&mut self, index: u64) -> Result<u64, GraphError> {
        let mut raw = [0; 8];
        self.read(index.saturating_mul(8), &mut raw)?;
        Ok(u64::from_le_bytes(raw))
    }

    /// One little-endian number of 4 bytes, the `index`th of the section.
    pub(crate) fn short(&mut self, index: u64) -> Result<u32, GraphError> {
        let mut raw = [0; 4];
        self.read(index.saturating_mul(4), &mut raw)?;
        Ok(u32::from_le_bytes(raw))
    }

    /// The numbers of `N` bytes (4 or 8) from the `index`th on that are of one page and before the `end`th:
    /// at least one.
    pub(crate) fn of_a_page<const N: usize>(
        &mut self,
        index: u64,
        end: u64,
    ) -> Result<&[[u8; N]], GraphError> {
        let bytes = N as u64;
        self.within(index.saturating_mul(bytes), end.saturating_sub(index).saturating_mul(bytes))?;
        self.hold(index * bytes / PAYLOAD as u64)?;
        let numbers = self.page[..PAYLOAD].as_chunks().0;
        let start = index as usize % numbers.len();
        let count = (numbers.len() - start).min((end - index) as usize);
        Ok(&numbers[start..start + count])
    }

    /// An error where the payload ends before `bytes` from byte `at`.
    fn within(&self, at: u64, bytes: u64) -> Result<(), GraphError> {
        match at.checked_add(bytes) {
            Some(end) if end <= self.section.bytes => Ok(()),
            _ => Err(GraphError::damaged(self.name, format!("its {} ends too early", self.kind.name()))),
        }
    }

    fn hold(&mut self, number: u64) -> Result<(), GraphError> {
        if self.held == number {
            return Ok(());
        }
        self.held = u64::MAX;
        let place = self.section.offset + number * ALIGNMENT;
        self.file.read_exact_at(&mut self.page, place).map_err(|error| GraphError::read(self.name, error))?;
        let (payload, sum) = self.page.split_at(PAYLOAD);
        if sum != checksum(payload, self.kind.seed(number)).to_le_bytes() {
            let what =
                format!("page {number} of its {}, at byte {place}, fails its checksum", self.kind.name());
            return Err(GraphError::damaged(self.name, what));
        }
        self.held = number;
        Ok(())
    }
}
