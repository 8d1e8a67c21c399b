//! `oraclegeneral`: libCacheSim's binary trace of a cache, 24 bytes per request, little-endian and packed.
//!
//! u32 time in seconds, u64 object, u32 size in bytes, i64 number of the object's next request. Source:
//! libCacheSim, `traceReader/customizedReader/oracle/oracleGeneralBin.h` (Yang et al.). An object is read as
//! one page, always a read; the size is the object's, the next request is not used.
//!
//! Written with a next request of -1 throughout, libCacheSim's "none": finding it would take a second pass,
//! or memory for each page. Policies that look ahead (Belady) must not be run on such a file.

use super::fields::ElapsedTime;
use super::reader::{Holds, RecordFormat};
use crate::write::Encode;
use crate::{Request, Unit};

const RECORD_BYTES: usize = 24;

/// A number of a next request that says there is none: either is in use.
const NEVER: [i64; 2] = [-1, i64::MAX];

/// How many records at the beginning of a file look like this format, which has no mark of its own: times do
/// not go back, and next requests lie ahead. `None` where it is another; `whole` says that `head` is all.
pub(super) fn accepts(head: &[u8], whole: bool) -> Option<u64> {
    let mut time = 0;
    let mut records = 0;
    for (index, record) in (0i64..).zip(head.chunks_exact(RECORD_BYTES)) {
        let at = u32::from_le_bytes(std::array::from_fn(|i| record[i]));
        let next = i64::from_le_bytes(std::array::from_fn(|i| record[16 + i]));
        if at < time || !(NEVER.contains(&next) || (index + 1..1 << 40).contains(&next)) {
            return None;
        }
        time = at;
        records += 1;
    }
    let cut_off = whole && !head.len().is_multiple_of(RECORD_BYTES);
    (records > 0 && !cut_off).then_some(records)
}

#[derive(Default)]
pub(super) struct Parser {
    clock: ElapsedTime,
    object_bytes: u32,
}

impl RecordFormat for Parser {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn timed(&self) -> bool {
        true
    }

    fn record_bytes(&self) -> usize {
        RECORD_BYTES
    }

    fn all_are_requests(&self) -> bool {
        true
    }

    fn request(&mut self, record: &[u8]) -> Result<Holds, String> {
        let seconds = u32::from_le_bytes(std::array::from_fn(|i| record[i]));
        let object = u64::from_le_bytes(std::array::from_fn(|i| record[4 + i]));
        self.object_bytes = u32::from_le_bytes(std::array::from_fn(|i| record[12 + i]));
        let at_ns = self.clock.at(seconds.into(), 1_000_000_000)?;
        Ok(Holds::Request(Request { at_ns, volume: 0, write: false, address: object, length: 1 }))
    }

    fn object_bytes(&self) -> Option<u32> {
        Some(self.object_bytes)
    }
}

pub(super) struct Encoder {
    pub(super) page_bytes: u32,
}

impl Encode for Encoder {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn keeps_writes(&self) -> bool {
        false
    }

    fn request(&mut self, request: &Request, out: &mut Vec<u8>) -> Result<(), String> {
        let seconds = request.at_ns / 1_000_000_000;
        let seconds = u32::try_from(seconds)
            .map_err(|_| format!("time {seconds} s: oraclegeneral has room for 4294967295 s"))?;
        for page in 0..u64::from(request.length) {
            out.extend_from_slice(&seconds.to_le_bytes());
            out.extend_from_slice(&request.address.wrapping_add(page).to_le_bytes());
            out.extend_from_slice(&self.page_bytes.to_le_bytes());
            out.extend_from_slice(&NEVER[0].to_le_bytes());
        }
        Ok(())
    }
}
