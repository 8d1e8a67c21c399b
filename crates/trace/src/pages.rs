//! Any trace as accesses to single pages, which is what a buffer pool sees.

use crate::{Request, Skipped, Trace, TraceError, Unit};

/// Volumes lie this many pages apart, so that their pages never meet.
const VOLUME_PAGES: u64 = 1 << 44;

/// An access to one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The page's number.
    pub page: u64,
    /// Whether the page is changed.
    pub write: bool,
}

/// The pages that a trace touches, in order. A request of several pages becomes that many accesses.
pub struct Pages<T> {
    trace: T,
    cut: PageSplitter,
    /// What is left of the request under way: next page, pages left, whether it writes.
    page: u64,
    left: u64,
    write: bool,
}

impl<T: Trace> Pages<T> {
    /// `page_bytes`, at least 1, cuts a trace of bytes into pages; a trace of pages keeps its own.
    pub fn new(trace: T, page_bytes: u32) -> Self {
        let cut = PageSplitter::new(trace.unit(), page_bytes);
        Pages { trace, cut, page: 0, left: 0, write: false }
    }

    /// Bytes of the object that was accessed last, where the trace has sizes of objects.
    #[inline]
    pub fn object_bytes(&self) -> Option<u32> {
        self.trace.object_bytes()
    }

    /// What the trace passed over so far.
    pub fn skipped(&self) -> Option<&Skipped> {
        self.trace.skipped()
    }

    /// The next access, `None` at the end.
    ///
    /// # Errors
    /// The trace's own, and [`TraceError::Name`] where pages of several volumes cannot be told apart.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator of results would go on silently where `?` stops"
    )]
    #[inline]
    pub fn next(&mut self) -> Result<Option<Access>, TraceError> {
        if self.left == 0 {
            match self.trace.next()? {
                Some(request) => {
                    (self.page, self.left) = self.cut.pages(&request).map_err(|reason| TraceError::Name {
                        name: format!("volume {}", request.volume),
                        reason,
                    })?;
                    self.write = request.write;
                }
                None => return Ok(None),
            }
        }
        let access = Access { page: self.page, write: self.write };
        self.page = self.page.wrapping_add(1);
        self.left -= 1;
        Ok(Some(access))
    }
}

/// Requests as runs of pages, those of all volumes in one row.
#[derive(Debug)]
pub(crate) struct PageSplitter {
    unit: Unit,
    page_bytes: u64,
    /// A page at or beyond [`VOLUME_PAGES`] was seen; a second volume was.
    far: bool,
    several: bool,
}

impl PageSplitter {
    pub(crate) fn new(unit: Unit, page_bytes: u32) -> PageSplitter {
        PageSplitter { unit, page_bytes: u64::from(page_bytes.max(1)), far: false, several: false }
    }

    /// First page and number of pages.
    #[inline]
    pub(crate) fn pages(&mut self, request: &Request) -> Result<(u64, u64), String> {
        let length = u64::from(request.length.max(1));
        let last = request.address.saturating_add(length - 1);
        let (first, last) = match self.unit {
            Unit::Page => (request.address, last),
            Unit::Byte => (request.address / self.page_bytes, last / self.page_bytes),
        };
        self.far |= last >= VOLUME_PAGES;
        self.several |= request.volume > 0;
        if self.far && self.several {
            return Err(format!(
                "page {last}: in a trace of several volumes pages are numbered below 2^44 on each; split it by volume"
            ));
        }
        // Without far pages this is below 2^44 * 2^20 volumes and does not wrap.
        Ok((first.wrapping_add(u64::from(request.volume).wrapping_mul(VOLUME_PAGES)), last - first + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(volume: u32, address: u64, length: u32) -> Request {
        Request { at_ns: 0, volume, write: false, address, length }
    }

    #[test]
    fn bytes_are_cut_where_pages_end() {
        let mut cut = PageSplitter::new(Unit::Byte, 4096);
        for (address, length, expected) in
            [(0, 1, (0, 1)), (4095, 2, (0, 2)), (4096, 4096, (1, 1)), (512, 8192, (0, 3))]
        {
            assert_eq!(cut.pages(&request(0, address, length)), Ok(expected), "{address} {length}");
        }
        let all = u64::MAX - 4095;
        assert_eq!(cut.pages(&request(0, all, 4096)), Ok((all / 4096, 1)));
    }

    #[test]
    fn pages_of_volumes_never_meet() {
        let mut cut = PageSplitter::new(Unit::Page, 4096);
        assert_eq!(cut.pages(&request(0, 7, 1)), Ok((7, 1)));
        let (other, _) = cut.pages(&request(1, 7, 1)).unwrap();
        assert_ne!(other, 7);
        assert!(cut.pages(&request(0, VOLUME_PAGES - 1, 1)).is_ok());
        assert!(cut.pages(&request(0, VOLUME_PAGES - 1, 2)).is_err(), "the second page is volume 1's first");
        let mut alone = PageSplitter::new(Unit::Page, 4096);
        assert_eq!(alone.pages(&request(0, u64::MAX, 1)), Ok((u64::MAX, 1)));
        assert!(alone.pages(&request(1, 0, 1)).is_err());
    }
}
