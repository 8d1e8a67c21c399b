//! `cachelib`: the key-value traces of Meta's CacheLib, CSV whose header says which column is which.
//!
//! `key,op,size,op_count,key_size` of 2022, and `op_time,key,key_size,op,op_count,size,..` of 2024, which has
//! seconds. Source: CacheLib's "Evaluating SSD hardware for Facebook workloads", and the README of
//! cacheMon/cache_dataset.
//!
//! A key is an object; its size is the size of key and value together; a line is `op_count` requests for it.
//! `GET` and `GET_LEASE` read, `SET` and `SET_LEASE` write, and `DELETE` is passed over: there is no request
//! that takes an object out.

use super::fields::{ElapsedTime, commas, expected, number, object, object_bytes};
use super::reader::{EMPTY, HEADER, Holds, LineFormat};
use crate::{Request, Unit};

/// Most requests that a line stands for: those of one second.
const MOST_AT_ONCE: u64 = 1_000_000;

/// Most columns of a header that are looked at.
const COLUMNS_MAX: usize = 64;

/// Where each column is; the order of 2022 where a file has no header.
#[derive(Debug, Clone, Copy)]
struct Columns {
    time: Option<usize>,
    key: usize,
    op: usize,
    size: usize,
    op_count: usize,
    key_size: usize,
}

const WITHOUT_HEADER: Columns = Columns { time: None, key: 0, op: 1, size: 2, op_count: 3, key_size: 4 };

impl Columns {
    /// As this header says; `None` where it is none.
    fn of(header: &[u8]) -> Option<Columns> {
        let place = |name: &[u8]| commas(header).take(COLUMNS_MAX).position(|column| column == name);
        Some(Columns {
            time: place(b"op_time"),
            key: place(b"key")?,
            op: place(b"op")?,
            size: place(b"size")?,
            op_count: place(b"op_count")?,
            key_size: place(b"key_size")?,
        })
    }
}

/// Whether the first line of a file is a header of this format.
pub(super) fn accepts(head: &[u8]) -> bool {
    first_line(head).is_some_and(|line| Columns::of(line).is_some())
}

fn first_line(head: &[u8]) -> Option<&[u8]> {
    head.split(|&byte| byte == b'\n' || byte == b'\r').find(|line| !line.trim_ascii().is_empty())
}

pub(super) struct Parser {
    columns: Columns,
    clock: ElapsedTime,
    object_bytes: u32,
    /// The request of the line read last, and how many more of it there are.
    last: Option<(Request, u64)>,
}

impl Parser {
    /// The header is among the first bytes.
    pub(super) fn new(head: &[u8]) -> Parser {
        let columns = first_line(head).and_then(Columns::of).unwrap_or(WITHOUT_HEADER);
        Parser { columns, clock: ElapsedTime::default(), object_bytes: 0, last: None }
    }
}

impl LineFormat for Parser {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn timed(&self) -> bool {
        self.columns.time.is_some()
    }

    fn request(&mut self, line: &[u8]) -> Result<Holds, String> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(EMPTY);
        }
        let Columns { time, key, op, size, op_count, key_size } = self.columns;
        let mut fields: [Option<&[u8]>; COLUMNS_MAX] = [None; COLUMNS_MAX];
        for (place, field) in fields.iter_mut().zip(commas(line)) {
            *place = Some(field);
        }
        let write = match fields[op] {
            Some(b"GET" | b"GET_LEASE") => false,
            Some(b"SET" | b"SET_LEASE") => true,
            Some(b"DELETE") => return Ok(Holds::Other("DELETE")),
            Some(b"op") => return Ok(HEADER),
            other => return Err(expected(other, "op", "GET, GET_LEASE, SET, SET_LEASE or DELETE")),
        };
        let key = fields[key].filter(|key| !key.is_empty());
        let key = key.ok_or_else(|| expected(None, "key", "the name of an object"))?;
        let bytes = number(fields[size], "size")?.saturating_add(number(fields[key_size], "key_size")?);
        let times = number(fields[op_count], "op_count")?;
        if !(1..=MOST_AT_ONCE).contains(&times) {
            return Err(format!("op_count: found {times}, expected a number from 1 to {MOST_AT_ONCE}"));
        }
        let at_ns = match time {
            Some(time) => self.clock.at(number(fields[time], "op_time")?, 1_000_000_000)?,
            None => 0,
        };
        self.object_bytes = object_bytes(bytes)?;
        let request = Request { at_ns, volume: 0, write, address: object(key), length: 1 };
        self.last = (times > 1).then_some((request, times - 1));
        Ok(Holds::Request(request))
    }

    #[inline]
    fn again(&mut self) -> Option<Request> {
        let (request, left) = self.last.as_mut()?;
        let request = *request;
        *left -= 1;
        if *left == 0 {
            self.last = None;
        }
        Some(request)
    }

    fn object_bytes(&self) -> Option<u32> {
        Some(self.object_bytes)
    }
}
