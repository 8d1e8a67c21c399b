//! `lirs` and `objects`: a line a request, and nothing on it but what is asked for.
//!
//! `lirs`: the number of a page, and `*` where the authors' program is to print its state, which is passed
//! over: the traces of Jiang and Zhang, "LIRS", SIGMETRICS 2002, as Caffeine has them, and libCacheSim's
//! traces in plain text. `objects`: a number or a name, whatever it is. All requests are reads of one page.

use super::fields::{number, object};
use super::reader::{EMPTY, Holds, LineFormat};
use super::shape::{Field, Separator, Shape};
use crate::{Request, Unit};

/// Of `lirs`; any text would fit `objects`.
pub(super) const SHAPE: Shape =
    Shape { separator: Separator::Spaces, fields: &[("page", Field::Any)], numbers_only: true };

pub(super) struct Lirs;

impl LineFormat for Lirs {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn request(&mut self, line: &[u8]) -> Result<Holds, String> {
        match line.trim_ascii() {
            b"" => Ok(EMPTY),
            b"*" => Ok(Holds::Other("marks (*)")),
            page => Ok(one(number(Some(page), "page")?)),
        }
    }
}

pub(super) struct Objects;

impl LineFormat for Objects {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    fn request(&mut self, line: &[u8]) -> Result<Holds, String> {
        match line.trim_ascii() {
            b"" => Ok(EMPTY),
            name => Ok(one(object(name))),
        }
    }
}

fn one(page: u64) -> Holds {
    Holds::Request(Request { at_ns: 0, volume: 0, write: false, address: page, length: 1 })
}
