//! Text whose user says which column holds what. What separates columns, and whether the first line names
//! them, is told from the first lines as [`leadline_text`] has it.

use leadline_text::{Dialect, Fields, Hint, Sample};

use super::fields::{ElapsedTime, Volumes, expected, extent, number, object, object_bytes, parse_u64};
use super::reader::{COMMENT, EMPTY, HEADER, Holds, LineFormat};
use super::roles::{Ops, Role, TraceColumns};
use crate::input::{HEAD_BYTES, Input};
use crate::{Recognition, RecognizedBy, Request, TraceError, Unit};

/// What the name of a column is likely to be, in a header.
const KNOWN: [&str; 22] = [
    "time",
    "timestamp",
    "ts",
    "op",
    "opcode",
    "operation",
    "type",
    "iotype",
    "offset",
    "address",
    "lba",
    "lbn",
    "sector",
    "size",
    "length",
    "bytes",
    "volume",
    "device",
    "disk",
    "page",
    "object",
    "key",
];

/// Most columns of a line.
const COLUMNS_MAX: usize = 256;

pub(super) struct Parser {
    dialect: Dialect,
    /// Of each column up to the last that is used, what it holds.
    roles: Vec<Option<Role>>,
    unit: Unit,
    timed: bool,
    sized: bool,
    clock: ElapsedTime,
    volumes: Volumes,
    object_bytes: u32,
    /// Lines at the beginning that are passed over, and lines so far.
    skip: u64,
    line: u64,
}

/// What a line says of its request.
#[derive(Default)]
struct Found {
    time_ns: u64,
    write: bool,
    address: u64,
    size: Option<u64>,
    volume: u32,
}

impl Parser {
    /// The first bytes tell what the text is like.
    ///
    /// # Errors
    /// A text that can be read in two ways, and columns that it does not have.
    pub(super) fn new(columns: &TraceColumns, input: &Input) -> Result<Parser, TraceError> {
        let wrong = |line, reason| TraceError::Syntax { path: input.name.clone(), line, reason };
        let undecided = |undecided: leadline_text::Undecided| {
            let option = |name: &str, value: &str| format!("--{name} {value}");
            wrong(undecided.line, undecided.text(option))
        };
        let whole = input.head.len() < HEAD_BYTES - 3;
        let sample = Sample::new(&input.head, whole).map_err(undecided)?;
        let hint = Hint {
            least_columns: columns.columns.len(),
            keys: 1,
            known: |name| KNOWN.contains(&name.to_ascii_lowercase().as_str()),
            ..Hint::default()
        };
        let dialect = Dialect::detect(&sample, &hint, &columns.text).map_err(undecided)?;
        let mut roles = Vec::new();
        for column in &columns.columns {
            let names = dialect.header.as_deref();
            let place = column.column.place(names, dialect.columns.min(COLUMNS_MAX));
            let place = place.map_err(|reason| wrong(dialect.lines_before.max(1), reason))?;
            if roles.len() <= place {
                roles.resize(place + 1, None);
            }
            roles[place] = Some(column.role);
        }
        let has = |wanted: fn(&Role) -> bool| roles.iter().flatten().any(wanted);
        let parser = Parser {
            unit: if has(|role| matches!(role, Role::Offset(_))) { Unit::Byte } else { Unit::Page },
            timed: has(|role| matches!(role, Role::Time(_))),
            sized: has(|role| *role == Role::Object) && has(|role| matches!(role, Role::Size(_))),
            roles,
            dialect,
            clock: ElapsedTime::default(),
            volumes: Volumes::default(),
            object_bytes: 0,
            skip: columns.text.skip,
            line: 0,
        };
        parser.check_units(&sample).map_err(|(line, reason)| wrong(line, reason))?;
        Ok(parser)
    }

    /// What was told of the text, and what was taken for granted.
    pub(super) fn recognition(&self) -> Recognition {
        let Dialect { delimiter, header, header_evidence, looked_at, .. } = &self.dialect;
        let header = if header.is_some() { "a header" } else { "no header" };
        let mut evidence =
            format!("columns as they were named, {delimiter} between them, {header}: {header_evidence}");
        if !self.roles.iter().flatten().any(|role| matches!(role, Role::Op(_))) {
            evidence += "; all requests are reads, because no column says";
        }
        let looked_at = *looked_at as u64;
        Recognition { format: "columns", by: RecognizedBy::Name, looked_at, fitting: looked_at, evidence }
    }

    /// Offsets without a unit are bytes, which begin at sectors; else the unit has to be said.
    fn check_units(&self, sample: &Sample<'_>) -> Result<(), (u64, String)> {
        let Some(place) = self.roles.iter().position(|role| *role == Some(Role::Offset(None))) else {
            return Ok(());
        };
        for line in sample.lines.iter().filter(|line| line.number > self.dialect.lines_before) {
            let mut fields = Fields::new(line.text, self.dialect.delimiter);
            let mut field = None;
            for _ in 0..=place {
                field = fields.next_field().ok().flatten();
            }
            if let Some(offset) = field.as_deref().and_then(parse_u64)
                && !offset.is_multiple_of(512)
            {
                let reason = format!(
                    "offset: found {offset}, which is no multiple of 512 bytes; say offset:sectors or \
                     offset:bytes in --columns"
                );
                return Err((line.number, reason));
            }
        }
        Ok(())
    }

    fn column(&mut self, role: Role, field: &[u8], found: &mut Found) -> Result<(), String> {
        match role {
            Role::Time(unit_ns) => found.time_ns = nanoseconds(field, unit_ns)?,
            Role::Op(ops) => found.write = writes(ops, field)?,
            Role::Offset(unit) => found.address = scaled(field, "offset", unit)?,
            Role::Page => found.address = number(Some(field), "page")?,
            Role::Object => found.address = object(field),
            Role::Size(unit) => found.size = Some(scaled(field, "size", unit)?),
            Role::Volume => found.volume = self.volumes.number(field)?,
        }
        Ok(())
    }
}

impl LineFormat for Parser {
    fn unit(&self) -> Unit {
        self.unit
    }

    fn timed(&self) -> bool {
        self.timed
    }

    fn request(&mut self, line: &[u8]) -> Result<Holds, String> {
        self.line += 1;
        if self.line <= self.skip {
            return Ok(Holds::Other("lines skipped as was said"));
        }
        if line.trim_ascii().is_empty() {
            return Ok(EMPTY);
        }
        if self.dialect.is_comment(line) {
            return Ok(COMMENT);
        }
        if self.line <= self.dialect.lines_before {
            return Ok(HEADER);
        }
        let mut fields = Fields::new(line, self.dialect.delimiter);
        let mut found = Found::default();
        for place in 0..self.roles.len() {
            let Some(field) = fields.next_field()? else {
                let columns = self.dialect.columns;
                return Err(format!("column {}: found the end of the line, expected {columns}", place + 1));
            };
            if let Some(role) = self.roles[place] {
                self.column(role, &field, &mut found)?;
            }
        }
        let length = match (self.sized, found.size) {
            (true, size) => {
                self.object_bytes = object_bytes(size.unwrap_or(0))?;
                1
            }
            (false, size) => size.unwrap_or(1),
        };
        let (address, length) = extent(found.address, length)?;
        let at_ns = if self.timed { self.clock.at(found.time_ns, 1)? } else { 0 };
        Ok(Holds::Request(Request { at_ns, volume: found.volume, write: found.write, address, length }))
    }

    fn object_bytes(&self) -> Option<u32> {
        self.sized.then_some(self.object_bytes)
    }
}

/// A number in units of that many bytes, or of one.
fn scaled(field: &[u8], what: &str, unit: Option<u64>) -> Result<u64, String> {
    let value = number(Some(field), what)?;
    let most = || format!("{what}: found {value}, expected an end below 2^64 bytes");
    value.checked_mul(unit.unwrap_or(1)).ok_or_else(most)
}

/// A time in units of that many nanoseconds, with or without decimals.
fn nanoseconds(field: &[u8], unit_ns: u64) -> Result<u64, String> {
    let parse = || -> Option<u64> {
        let point = field.iter().position(|&byte| byte == b'.').unwrap_or(field.len());
        let decimals = field.get(point + 1..).unwrap_or(b"");
        if !decimals.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let digit = |i: usize| decimals.get(i).map_or(0, |&byte| u64::from(byte - b'0'));
        let billionths = (0..9).fold(0, |sum, i| sum * 10 + digit(i));
        let whole = parse_u64(&field[..point])?.checked_mul(unit_ns)?;
        whole.checked_add(billionths * unit_ns / 1_000_000_000)
    };
    parse().ok_or_else(|| expected(Some(field), "time", "a number of its unit, below 584 years"))
}

fn writes(ops: Ops, field: &[u8]) -> Result<bool, String> {
    const READS: [&str; 7] = ["r", "read", "get", "gets", "rs", "ra", "rm"];
    const WRITES: [&str; 8] = ["w", "write", "set", "put", "ws", "update", "insert", "add"];
    let bad = || {
        let words = "R or W, read or write, get or set; where it is 0 and 1, say op:write1 or op:read1";
        expected(Some(field), "op", words)
    };
    match (ops, field) {
        (Ops::Write1, b"1") | (Ops::Read1, b"0") => Ok(true),
        (Ops::Write1, b"0") | (Ops::Read1, b"1") => Ok(false),
        (Ops::Write1 | Ops::Read1, _) => Err(expected(Some(field), "op", "0 or 1")),
        (Ops::Words, word) => {
            let is = |words: &[&str]| words.iter().any(|one| word.eq_ignore_ascii_case(one.as_bytes()));
            match () {
                () if is(&READS) => Ok(false),
                () if is(&WRITES) => Ok(true),
                () => Err(bad()),
            }
        }
    }
}
