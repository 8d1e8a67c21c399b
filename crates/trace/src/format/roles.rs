//! What the columns of a trace are, as its user says: `time:us,op,offset:sectors,size:bytes,volume`.

use leadline_text::{Column, TextOptions};

use super::fields::SECTOR_BYTES;

/// Which words there are, for messages.
const ROLES: &str = "time:UNIT, op, offset:UNIT, page, object, size:UNIT, volume, or - for a column that is not \
                     used";

/// The columns of a trace of text, and what its text is like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceColumns {
    pub(super) columns: Vec<RoleColumn>,
    /// What is said of separators, header and comments; all else is told from the first lines.
    pub(super) text: TextOptions,
}

/// A column that is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RoleColumn {
    pub(super) role: Role,
    /// Where it is.
    pub(super) column: Column,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// In units of that many nanoseconds.
    Time(u64),
    /// Read or write.
    Op(Ops),
    /// First byte, in units of that many bytes. `None`: bytes, because no unit was given.
    Offset(Option<u64>),
    /// Number of a page.
    Page,
    /// Number or name of an object.
    Object,
    /// Bytes in such units, or pages. `None`: bytes or pages, because no unit was given.
    Size(Option<u64>),
    /// A disk or file.
    Volume,
}

/// How operations are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ops {
    /// `R`, `Write`, `get` and so on.
    Words,
    /// 0 and 1, of which 1 writes.
    Write1,
    /// 0 and 1, of which 1 reads.
    Read1,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Role::Time(_) => "time",
            Role::Op(_) => "op",
            Role::Offset(_) => "offset",
            Role::Page => "page",
            Role::Object => "object",
            Role::Size(_) => "size",
            Role::Volume => "volume",
        }
    }

    /// What a column of this role is called, and its unit.
    fn of(name: &str, unit: Option<&str>, time_unit: Option<TimeUnit>) -> Result<Role, String> {
        let no_unit = |role| match unit {
            None => Ok(role),
            Some(unit) => Err(format!("{name}:{unit}: {name} has no unit")),
        };
        match name {
            "time" => match (unit, time_unit) {
                (Some(_), Some(_)) => {
                    Err("time: has a unit, and so has timestamp-unit; give one of them".to_owned())
                }
                (Some(unit), None) => TimeUnit::parse(unit).map(|unit| Role::Time(unit.nanoseconds())),
                (None, Some(unit)) => Ok(Role::Time(unit.nanoseconds())),
                (None, None) => Err(format!("time: has no unit; write {}", TimeUnit::CHOICES)),
            },
            "op" => match unit {
                None => Ok(Role::Op(Ops::Words)),
                Some("write1") => Ok(Role::Op(Ops::Write1)),
                Some("read1") => Ok(Role::Op(Ops::Read1)),
                Some(unit) => Err(format!(
                    "op:{unit}: write op for words such as R and Write, op:write1 where 1 writes and 0 reads, \
                     or op:read1 where 1 reads and 0 writes"
                )),
            },
            "offset" => Ok(Role::Offset(unit.map(|unit| bytes_of(name, unit)).transpose()?)),
            "size" => Ok(Role::Size(unit.map(|unit| bytes_of(name, unit)).transpose()?)),
            "page" => no_unit(Role::Page),
            "object" => no_unit(Role::Object),
            "volume" => no_unit(Role::Volume),
            _ => Err(format!("{name}: is not known; the columns of a trace are {ROLES}")),
        }
    }
}

/// Bytes of a unit.
fn bytes_of(name: &str, unit: &str) -> Result<u64, String> {
    match unit {
        "bytes" => Ok(1),
        "sectors" => Ok(SECTOR_BYTES),
        _ => Err(format!("{name}:{unit}: the units are bytes and sectors (of 512 bytes)")),
    }
}

/// The unit of a trace's times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Ticks of 100 ns: Windows filetime.
    Ticks,
    /// Nanoseconds.
    Nanoseconds,
}

impl TimeUnit {
    const CHOICES: &'static str = "time:s, time:ms, time:us, time:ticks (of 100 ns) or time:ns";

    /// The unit of this name.
    ///
    /// # Errors
    /// What there is.
    pub fn parse(name: &str) -> Result<TimeUnit, String> {
        Ok(match name {
            "s" => TimeUnit::Seconds,
            "ms" => TimeUnit::Milliseconds,
            "us" => TimeUnit::Microseconds,
            "ticks" => TimeUnit::Ticks,
            "ns" => TimeUnit::Nanoseconds,
            _ => {
                return Err(format!(
                    "{name:?} is no unit of time; there are s, ms, us, ticks (100 ns) and ns"
                ));
            }
        })
    }

    fn nanoseconds(self) -> u64 {
        match self {
            TimeUnit::Seconds => 1_000_000_000,
            TimeUnit::Milliseconds => 1_000_000,
            TimeUnit::Microseconds => 1000,
            TimeUnit::Ticks => 100,
            TimeUnit::Nanoseconds => 1,
        }
    }
}

impl TraceColumns {
    /// Of what a user writes: for each column, from the first on, what it holds, with its unit behind `:`;
    /// `-` for one that is not used. `ROLE=COLUMN` says which column it is, by its name in the header or by
    /// its number. `time_unit` is for a time without a unit.
    ///
    /// # Errors
    /// What is not known, missing, or there twice.
    pub fn parse(
        text: &str,
        time_unit: Option<TimeUnit>,
        options: TextOptions,
    ) -> Result<TraceColumns, String> {
        let mut columns: Vec<RoleColumn> = Vec::new();
        for (number, part) in (1..).zip(text.split(',').map(str::trim)) {
            let (role, place) = match part.split_once('=') {
                Some((role, column)) => (role.trim(), column.trim().parse()?),
                None => (part, Column::Number(number)),
            };
            if role == "-" {
                continue;
            }
            let (name, unit) = match role.split_once(':') {
                Some((name, unit)) => (name, Some(unit)),
                None => (role, None),
            };
            let role = Role::of(name, unit, time_unit)?;
            if columns.iter().any(|other| other.role.name() == role.name()) {
                return Err(format!("{name}: is there twice"));
            }
            if columns.iter().any(|other| other.column == place) {
                return Err(format!("column {place}: is said to hold two things"));
            }
            columns.push(RoleColumn { role, column: place });
        }
        check(&columns, time_unit)?;
        Ok(TraceColumns { columns, text: options })
    }
}

/// Whether requests can be made of these columns.
fn check(columns: &[RoleColumn], time_unit: Option<TimeUnit>) -> Result<(), String> {
    let has = |name: &str| columns.iter().any(|column| column.role.name() == name);
    let places = ["offset", "page", "object"].map(has);
    match places.iter().filter(|there| **there).count() {
        0 => {
            return Err(
                "none of offset, page or object is there: the place of requests is unknown".to_owned()
            );
        }
        1 => {}
        _ => return Err("give only one of offset, page and object".to_owned()),
    }
    if has("offset") && !has("size") {
        return Err("offset: needs a column with the size, such as size:bytes".to_owned());
    }
    let sized = columns.iter().find_map(|column| match column.role {
        Role::Size(Some(unit)) => Some(unit),
        _ => None,
    });
    if has("page") && sized.is_some() {
        return Err("size: of pages is a number of pages, and has no unit".to_owned());
    }
    if time_unit.is_some() && !has("time") {
        return Err("timestamp-unit: no column has a time".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TraceColumns, String> {
        TraceColumns::parse(text, None, TextOptions::default())
    }

    #[test]
    fn columns_are_in_their_order_unless_they_say_where_they_are() {
        let columns = parse("time:us,-,op, offset:sectors,size").unwrap().columns;
        let expected = [
            (Role::Time(1000), Column::Number(1)),
            (Role::Op(Ops::Words), Column::Number(3)),
            (Role::Offset(Some(512)), Column::Number(4)),
            (Role::Size(None), Column::Number(5)),
        ];
        assert_eq!(columns, expected.map(|(role, column)| RoleColumn { role, column }));
        let named = parse("object=key,size:bytes=value_size,op:write1=7").unwrap().columns;
        assert_eq!(named[0].column, Column::Name("key".to_owned()));
        assert_eq!(named[2], RoleColumn { role: Role::Op(Ops::Write1), column: Column::Number(7) });
    }

    #[test]
    fn what_is_missing_double_or_not_known_is_said() {
        for (text, said) in [
            ("time,page", "time:s, time:ms"),
            ("time:weeks,page", "\"weeks\" is no unit of time"),
            ("op:01,page", "op:write1"),
            ("offset", "size"),
            ("op,size", "none of offset, page or object"),
            ("page,object", "only one of"),
            ("page,page", "page: is there twice"),
            ("page=2,size", "column 2: is said to hold two things"),
            ("offset:parsecs,size", "bytes and sectors"),
            ("page,size:bytes", "number of pages"),
            ("page:bytes", "page has no unit"),
            ("latency,page", "latency: is not known"),
            ("page=0", "numbered from 1"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
        let seconds = Some(TimeUnit::Seconds);
        assert!(TraceColumns::parse("time:us,page", seconds, TextOptions::default()).is_err());
        assert!(TraceColumns::parse("page", seconds, TextOptions::default()).is_err());
        assert!(TraceColumns::parse("time,page", seconds, TextOptions::default()).is_ok());
    }
}
