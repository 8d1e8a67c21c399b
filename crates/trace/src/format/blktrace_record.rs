//! The records of blktrace.
//!
//! A record is 48 bytes and `pdu_len` more, in the byte order of the machine that was traced:
//!
//! | bytes | field |
//! | --- | --- |
//! | 0 | u32 0x65617400, and the version, 7, in its lowest byte |
//! | 4 | u32 sequence number |
//! | 8 | u64 nanoseconds |
//! | 16 | u64 first sector of 512 bytes |
//! | 24 | u32 bytes |
//! | 28 | u32 action in the lower half, kind of request in the upper |
//! | 32 | u32 process, u32 device, u32 CPU |
//! | 44 | u16 error, u16 `pdu_len` |
//!
//! Source: the kernel's `include/uapi/linux/blktrace_api.h`.

use super::block_event::Action;

pub(super) const RECORD_BYTES: usize = 48;

/// Without the version.
const MAGIC: u32 = 0x6561_7400;

pub(super) const VERSION: u32 = 7;

/// Kinds of requests, in the upper half of an action.
pub(super) const READ: u32 = 1 << 16;
pub(super) const WRITE: u32 = 1 << 17;
pub(super) const FLUSH: u32 = 1 << 18;
pub(super) const NOTIFY: u32 = 1 << 26;
pub(super) const DISCARD: u32 = 1 << 29;

/// The byte order of the machine that was traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    /// Of the record that begins here.
    pub(super) fn of(record: &[u8]) -> Option<Order> {
        let magic: [u8; 4] = record.get(..4)?.try_into().ok()?;
        match () {
            () if u32::from_le_bytes(magic) & !0xff == MAGIC => Some(Order::Little),
            () if u32::from_be_bytes(magic) & !0xff == MAGIC => Some(Order::Big),
            () => None,
        }
    }

    pub(super) fn u16(self, record: &[u8], at: usize) -> u16 {
        let bytes = [record[at], record[at + 1]];
        if self == Order::Little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) }
    }

    pub(super) fn u32(self, record: &[u8], at: usize) -> u32 {
        let bytes = std::array::from_fn(|i| record[at + i]);
        if self == Order::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    }

    pub(super) fn u64(self, record: &[u8], at: usize) -> u64 {
        let bytes = std::array::from_fn(|i| record[at + i]);
        if self == Order::Little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) }
    }
}

/// What is read of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    pub(super) ns: u64,
    pub(super) sector: u64,
    pub(super) bytes: u32,
    pub(super) action: u32,
    pub(super) device: u32,
}

impl Record {
    /// `bytes` are at least [`RECORD_BYTES`].
    pub(super) fn of(order: Order, bytes: &[u8]) -> Record {
        Record {
            ns: order.u64(bytes, 8),
            sector: order.u64(bytes, 16),
            bytes: order.u32(bytes, 24),
            action: order.u32(bytes, 28),
            device: order.u32(bytes, 36),
        }
    }

    /// The event, where it is one that a request may be taken from. Bit 8 says that a control group follows.
    pub(super) fn event(&self) -> Option<Action> {
        match self.action & 0xff {
            _ if self.action & NOTIFY != 0 => None,
            1 => Some(Action::Queue),
            7 => Some(Action::Issue),
            8 => Some(Action::Complete),
            _ => None,
        }
    }
}

/// How many records are at the beginning of a file of this format; `None` where it is another.
pub(super) fn accepts(head: &[u8]) -> Option<u64> {
    Order::of(head)?;
    Some(records(head).count() as u64)
}

/// The whole records at the beginning of a file.
fn records(mut rest: &[u8]) -> impl Iterator<Item = Record> {
    std::iter::from_fn(move || {
        let order = Order::of(rest).filter(|_| rest.len() >= RECORD_BYTES)?;
        let record = Record::of(order, rest);
        let behind = RECORD_BYTES + usize::from(order.u16(rest, 46));
        rest = rest.get(behind..).unwrap_or_default();
        Some(record)
    })
}

/// Which action is taken of files that begin so.
pub(super) fn action<'a>(heads: impl Iterator<Item = &'a [u8]>) -> Action {
    Action::chosen(heads.flat_map(records).filter_map(|record| record.event()))
}
