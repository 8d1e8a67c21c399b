//! What `--dry-run` says of a command: what it would read, write and take. Nothing is done.

use std::path::Path;

use leadline_device::format_size;
use serde::Serialize;

use crate::failure::Failure;
use crate::{output, printable};

/// The option.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct DryRun {
    /// Say what would be read and written, where and for how long, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// What a command would do.
#[derive(Serialize)]
pub(crate) struct Foreseen {
    dry_run: bool,
    reads: Vec<Amount>,
    writes: Vec<Amount>,
    /// What is mounted, and on which directory.
    mounts: Vec<String>,
    /// How long it would take, where that is known, seconds.
    seconds: Option<f64>,
    /// What ends it.
    ends: String,
}

/// Something that is read or written.
#[derive(Serialize)]
struct Amount {
    place: String,
    what: String,
    /// `None` where nobody knows beforehand.
    bytes: Option<u64>,
}

impl Foreseen {
    /// Of a command that ends so: `when all requests were replayed`.
    pub(crate) fn until(ends: impl Into<String>) -> Foreseen {
        let (reads, writes, mounts) = (Vec::new(), Vec::new(), Vec::new());
        Foreseen { dry_run: true, reads, writes, mounts, seconds: None, ends: ends.into() }
    }

    /// Which takes this long.
    pub(crate) fn seconds(mut self, seconds: f64) -> Foreseen {
        self.seconds = Some(seconds);
        self
    }

    /// Which reads this.
    pub(crate) fn reads(mut self, place: impl ToString, what: &str, bytes: Option<u64>) -> Foreseen {
        self.reads.push(Amount { place: place.to_string(), what: what.to_owned(), bytes });
        self
    }

    /// Which reads this file.
    pub(crate) fn reads_file(self, path: &Path, what: &str) -> Foreseen {
        let bytes = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|found| found.len());
        self.reads(path.display(), what, bytes)
    }

    /// Which writes this.
    pub(crate) fn writes(mut self, place: impl ToString, what: &str, bytes: Option<u64>) -> Foreseen {
        self.writes.push(Amount { place: place.to_string(), what: what.to_owned(), bytes });
        self
    }

    /// Which mounts this.
    pub(crate) fn mounts(mut self, what: String) -> Foreseen {
        self.mounts.push(what);
        self
    }

    /// Prints it, as a document or in lines.
    pub(crate) fn print(&self, json: bool) -> Result<(), Failure> {
        if json { output::print_json(self) } else { output::print(&self.lines()) }
    }

    fn lines(&self) -> String {
        let line = |does: &str, Amount { place, what, bytes }: &Amount| {
            let unit = |bytes: u64| if bytes < 1024 { " bytes" } else { "" };
            let bytes =
                bytes.map_or(String::new(), |bytes| format!(", {}{}", format_size(bytes), unit(bytes)));
            format!("{does:<7} {}: {}{bytes}\n", printable::line(place), printable::line(what))
        };
        let mut lines: String = self.reads.iter().map(|amount| line("reads", amount)).collect();
        match self.writes.is_empty() {
            true => lines.push_str("writes  nothing\n"),
            false => lines.extend(self.writes.iter().map(|amount| line("writes", amount))),
        }
        lines.extend(self.mounts.iter().map(|what| format!("mounts  {what}\n")));
        match self.seconds {
            Some(seconds) => lines.push_str(&format!("takes   {seconds:.0} s; ends {}\n", self.ends)),
            None => lines.push_str(&format!("ends    {}\n", self.ends)),
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_left_out_and_what_is_not_written_is_said() {
        let none = Foreseen::until("when all was read").reads("t.csv", "the trace", Some(40));
        let said = "reads   t.csv: the trace, 40 bytes\nwrites  nothing\nends    when all was read\n";
        assert_eq!(none.lines(), said);
        let some = Foreseen::until("then").seconds(90.4).writes(".", "a scratch file", None);
        assert_eq!(some.lines(), "writes  .: a scratch file\ntakes   90 s; ends then\n");
    }
}
