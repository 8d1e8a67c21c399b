//! `twitter`: the traces of Twitter's caches, CSV without a header.
//!
//! `timestamp,anonymized key,key size,value size,client id,operation,TTL`: seconds, a name, bytes, a number,
//! one of memcached's commands, seconds. Source: the README of the traces (github.com/twitter/cache-trace);
//! Yang, Yue and Rashmi, "A Large Scale Analysis of Hundreds of In-Memory Cache Clusters at Twitter", OSDI
//! 2020.
//!
//! A key is an object; its size is the size of key and value together. `get` and `gets` read, what stores or
//! changes a value writes, and `delete` is passed over: there is no request that takes an object out.

use super::fields::{ElapsedTime, commas, expected, number, object, object_bytes};
use super::reader::{EMPTY, Holds, LineFormat};
use super::shape::{Field, Separator, Shape};
use crate::{Request, Unit};

/// Keys may hold commas, so that only what is in front of them has a place.
pub(super) const SHAPE: Shape = Shape {
    separator: Separator::Commas,
    fields: &[("timestamp", Field::Time(1_000_000_000))],
    numbers_only: false,
};

#[derive(Default)]
pub(super) struct Parser {
    clock: ElapsedTime,
    object_bytes: u32,
}

impl LineFormat for Parser {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn timed(&self) -> bool {
        true
    }

    fn request(&mut self, line: &[u8]) -> Result<Holds, String> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(EMPTY);
        }
        let mut fields = commas(line);
        let time = number(fields.next(), "timestamp")?;
        let rest = line.iter().position(|&byte| byte == b',').map_or(&line[..0], |comma| &line[comma + 1..]);
        // From the end of the line on: a key may hold commas.
        let mut from_end = rest.rsplitn(6, |&byte| byte == b',').map(<[u8]>::trim_ascii);
        let [ttl, operation, client, value, key_size, key] = std::array::from_fn(|_| from_end.next());
        let key = key.ok_or_else(|| {
            let seven = "timestamp,key,key size,value size,client id,operation,TTL";
            expected(None, "fields", seven)
        })?;
        let key_bytes = number(key_size, "key size")?;
        let value_bytes = number(value, "value size")?;
        number(client, "client id")?;
        number(ttl, "TTL")?;
        let write = match operation {
            Some(b"get" | b"gets") => false,
            Some(b"set" | b"add" | b"replace" | b"cas" | b"append" | b"prepend" | b"incr" | b"decr") => true,
            Some(b"delete") => return Ok(Holds::Other("delete")),
            other => return Err(expected(other, "operation", "a command such as get or set")),
        };
        self.object_bytes = object_bytes(key_bytes.saturating_add(value_bytes))?;
        let at_ns = self.clock.at(time, 1_000_000_000)?;
        Ok(Holds::Request(Request { at_ns, volume: 0, write, address: object(key), length: 1 }))
    }

    fn object_bytes(&self) -> Option<u32> {
        Some(self.object_bytes)
    }
}
