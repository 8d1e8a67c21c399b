//! `leadline index scan`: the entries of a range of keys.

use std::ffi::OsString;
use std::ops::Bound;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::Ordering;

use leadline_index::{Index, Range};

use super::keys::TypeArgs;
use super::opening::OpenArgs;
use crate::failure::Failure;
use crate::paths::InputPath;
use crate::{output, signals};

/// Bytes that are printed at once.
const AT_ONCE: usize = 256 << 10;

/// Print the entries of a range of keys, in order
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  # The first ten entries
  leadline index scan words.index --limit 10
  leadline index scan words.index --from apple --to banana
  # The newest, where keys are times
  leadline index scan log.index --prefix 2026- --reverse --limit 100
  # All entries into another index
  leadline index scan words.index | leadline index load copy.index - --scanned

Prints a line for each entry: key, tab, value. Tabs, line ends, backslashes and bytes that are no text are \
escapes (\\t \\n \\r \\\\ \\xNN), as read by
`leadline index load --scanned`.")]
pub(super) struct Args {
    /// The directory of the index
    #[arg(value_name = "DIR")]
    folder: InputPath,
    /// Begin with this key, or the next one that is there [default: the first]
    #[arg(long, value_name = "KEY")]
    from: Option<OsString>,
    /// End before this key [default: after the last]
    #[arg(long, value_name = "KEY")]
    to: Option<OsString>,
    /// Only keys that begin with this text, or with these bytes
    #[arg(long, value_name = "KEY", conflicts_with_all = ["from", "to"])]
    prefix: Option<OsString>,
    /// From the last key to the first
    #[arg(long)]
    reverse: bool,
    /// End after this many entries
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    #[command(flatten)]
    open: OpenArgs,
    /// Print each entry as a JSON document in a line of its own
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    types: TypeArgs,
}

type Bounds = (Bound<Vec<u8>>, Bound<Vec<u8>>);

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let bounds = bounds(args)?;
    let stop = signals::cancel_flag()?;
    let index = args.open.read(&args.folder)?;
    let mut entries = range(&index, &bounds);
    let mut lines = String::new();
    let mut left = args.limit.unwrap_or(u64::MAX);
    while left > 0 && !stop.load(Ordering::Relaxed) {
        let next = if args.reverse { entries.next_back() } else { entries.next() };
        let (key, value) = match next {
            None => break,
            Some(Ok(entry)) => entry,
            Some(Err(error)) => {
                // What comes before a damaged page is there.
                output::print(&lines)?;
                return Err(error.into());
            }
        };
        let written = match args.json {
            true => args.types.object(&key, Some(&value)).map(|object| lines += &format!("{object}\n")),
            false => args.types.line(&key, &value, &mut lines),
        };
        written.map_err(|what| Failure::Input(format!("{}: {what}", args.folder.display())))?;
        if lines.len() >= AT_ONCE && !output::print_part(&std::mem::take(&mut lines))? {
            return Ok(());
        }
        left -= 1;
    }
    output::print(&lines)?;
    drop(entries);
    args.open.leave(index)?;
    match stop.load(Ordering::Relaxed) {
        true => Err(Failure::Operation("interrupted; not all entries were printed".to_owned())),
        false => Ok(()),
    }
}

fn range(index: &Index, bounds: &Bounds) -> Range {
    index.snapshot().range(bounds.clone())
}

/// The keys that are asked for.
fn bounds(args: &Args) -> Result<Bounds, Failure> {
    let given = [&args.from, &args.to, &args.prefix].map(|key| key.as_deref().map(OsStrExt::as_bytes));
    args.types.check_decided(given.into_iter().flatten()).map_err(Failure::Input)?;
    if args.prefix.is_some() && args.types.has_integer_keys() {
        return Err(Failure::Input(
            "--prefix: integers have no beginning in common; give --from and --to".to_owned(),
        ));
    }
    let key = |written: Option<&[u8]>, option: &str| {
        let key = written.map(|written| args.types.key(written)).transpose();
        key.map_err(|what| Failure::Input(format!("{option}: {what}")))
    };
    let [from, to, prefix] = given;
    if let Some(prefix) = key(prefix, "--prefix")? {
        let behind = behind(&prefix).map_or(Bound::Unbounded, Bound::Excluded);
        return Ok((Bound::Included(prefix), behind));
    }
    let (from, to) = (key(from, "--from")?, key(to, "--to")?);
    if let (Some(from), Some(to)) = (&from, &to)
        && from > to
    {
        return Err(Failure::Input(format!(
            "--from {}: is after --to {}; exchange them (--reverse prints from the last to the first)",
            args.types.shown(from),
            args.types.shown(to)
        )));
    }
    Ok((from.map_or(Bound::Unbounded, Bound::Included), to.map_or(Bound::Unbounded, Bound::Excluded)))
}

/// The first key after all that begin with `prefix`; none where there is no such key.
fn behind(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut behind = prefix[..=last].to_vec();
    behind[last] += 1;
    Some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_prefix_begins_with_a_greater_byte() {
        assert_eq!(behind(b"ab"), Some(b"ac".to_vec()));
        assert_eq!(behind(b"a\xff\xff"), Some(b"b".to_vec()));
        assert_eq!((behind(b""), behind(b"\xff")), (None, None));
    }
}
