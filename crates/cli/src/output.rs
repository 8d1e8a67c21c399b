//! Where results go: JSON on stdout, or a summary there and files.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use leadline_figures::Text;
use leadline_files::{NewFile, STDOUT, is_stdout};
use leadline_profile::DeviceProfile;
use leadline_report::{SummaryOptions, render_page, render_summary, render_text};
use rustix::io::Errno;

use crate::failure::Failure;
use crate::{console, messages, printable};

/// Whether a file of the command line is the standard output, so that nothing else is printed there.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// What a new folder holds.
const PROFILE: &str = "profile.json";
const PAGE: &str = "report.html";

/// Where a profile and its report are to be written.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OutputPaths {
    pub(crate) profile: Option<PathBuf>,
    pub(crate) report: Option<PathBuf>,
    /// To be made for them, when they are written: nothing is left of a run that is killed before.
    folder: Option<NewPlace>,
}

/// A folder that is named after a device and the time at which it was chosen.
#[derive(Debug, Clone, PartialEq)]
struct NewPlace {
    /// `leadline-DEVICE-YYYYMMDD-HHMMSS`.
    name: String,
    /// Whether the page goes there too.
    page: bool,
}

impl OutputPaths {
    /// Those named on the command line; where no profile is named and `json` does not print it, both go into
    /// a new folder named after device and time.
    pub(crate) fn choose(
        output: Option<PathBuf>,
        report: Option<PathBuf>,
        json: bool,
        device: &str,
    ) -> Result<OutputPaths, Failure> {
        let is_new = output.is_none() && !json;
        let folder = is_new.then(|| NewPlace { name: new_name(device), page: report.is_none() });
        let paths = OutputPaths { profile: output, report, folder };
        // Two minutes of measuring are not to end at a folder that cannot be written.
        if let Some(folder) = &paths.folder {
            let made = folder.make()?;
            let checked = check_paths([Some(&*made.join(PROFILE))]);
            let _ = std::fs::remove_dir(made);
            checked?;
        }
        check_paths([paths.profile.as_deref(), paths.report.as_deref()])?;
        Ok(paths)
    }

    /// Writes both, each whole or not at all.
    pub(crate) fn write(&mut self, profile: &DeviceProfile) -> Result<(), Failure> {
        if let Some(place) = self.folder.take() {
            let folder = place.make()?;
            self.profile = Some(folder.join(PROFILE));
            if place.page {
                self.report = Some(folder.join(PAGE));
            }
        }
        if let Some(path) = &self.profile {
            profile.save(path).map_err(|error| Failure::Operation(error.to_string()))?;
        }
        if let Some(path) = &self.report {
            let page = render_page(std::slice::from_ref(profile))?;
            write(path, &page)?;
        }
        Ok(())
    }

    /// Says where they are, for a command whose results do not.
    pub(crate) fn say(&self) {
        for (what, path) in [("profile", &self.profile), ("report", &self.report)] {
            if let Some(path) = path {
                written(what, path);
            }
        }
    }
}

/// The time of day, RFC 3339.
pub(crate) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// `leadline-DEVICE-YYYYMMDD-HHMMSS`.
fn new_name(device: &str) -> String {
    let now = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S");
    let device: String =
        device.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
    format!("leadline-{device}-{now}")
}

impl NewPlace {
    /// Makes it, with a number behind its name where that exists already.
    fn make(&self) -> Result<PathBuf, Failure> {
        let base = &self.name;
        for n in 1..1000 {
            let folder = PathBuf::from(if n == 1 { base.clone() } else { format!("{base}-{n}") });
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(folder),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(Failure::Input(format!(
                        "{}: {error}; name another place with -o",
                        folder.display()
                    )));
                }
            }
        }
        let text = "a thousand directories of this name exist already; name a file with -o";
        Err(Failure::Input(format!("{base}: {text}")))
    }
}

/// Refuses where one of those that were asked for could not be written.
pub(crate) fn check_paths<const N: usize>(paths: [Option<&Path>; N]) -> Result<(), Failure> {
    paths.into_iter().flatten().try_for_each(check_writable)
}

/// Refuses where a file could not be written, or something other than a file would be replaced by one.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    // Dropped again, it leaves nothing.
    Ok(NewFile::create(path).map(drop)?)
}

/// Writes a page, whole or not at all.
pub(crate) fn write(path: &Path, page: &str) -> Result<(), Failure> {
    leadline_files::replace(path, page).map_err(|error| Failure::Operation(error.to_string()))?;
    messages::step(&format!("wrote {}, {} bytes", path.display(), page.len()));
    Ok(())
}

/// Says where something was written that others read; of standard output nothing has to be said.
pub(crate) fn written(what: &str, path: &Path) {
    if !is_stdout(path) {
        messages::note(&format!("{what} in {}", path.display()));
    }
}

/// Whether only what is written to the file that is standard output appears there, from now on.
pub(crate) fn leave_to_document(takes_stdout: bool) {
    // A program that calls a command has a standard output of its own.
    if console::call().is_none() {
        IS_TAKEN.store(takes_stdout, Ordering::Relaxed);
    }
}

/// Whether a write failed because who read the document on standard output has gone, which is no failure.
pub(crate) fn is_reader_gone(failed: &str) -> bool {
    IS_TAKEN.load(Ordering::Relaxed)
        && failed.contains(STDOUT)
        && failed.contains(&std::io::Error::from(Errno::PIPE).to_string())
}

/// Refuses to write what is not text to a terminal.
pub(crate) fn check_binary(what: &str, path: &Path) -> Result<(), Failure> {
    if !is_stdout(path) || !std::io::stdout().is_terminal() {
        return Ok(());
    }
    Err(Failure::Input(format!("-: is a terminal, and {what} is not text; name a file, or redirect it")))
}

/// Prints a document; a reader that went away is not a failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_as_it_is(&printable::lines(text))
}

/// Prints a part of something long; whether anybody reads on.
pub(crate) fn print_part(text: &str) -> Result<bool, Failure> {
    print_while_read(&printable::lines(text))
}

/// Prints text and tables, as wide as the terminal.
pub(crate) fn print_text(text: &Text) -> Result<(), Failure> {
    print(&render_text(text, width()))
}

fn print_as_it_is(text: &str) -> Result<(), Failure> {
    print_while_read(text).map(|_| ())
}

/// Whether there is still a reader.
fn print_while_read(text: &str) -> Result<bool, Failure> {
    if let Some(call) = console::call() {
        call.print(text);
        return Ok(true);
    }
    if IS_TAKEN.load(Ordering::Relaxed) {
        return Ok(true);
    }
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::Operation(format!("stdout: {error}"))),
        Ok(()) => Ok(true),
    }
}

/// Prints one JSON document.
pub(crate) fn print_json(document: &impl serde::Serialize) -> Result<(), Failure> {
    let text =
        serde_json::to_string_pretty(document).map_err(|error| Failure::Operation(error.to_string()))?;
    print(&format!("{text}\n"))
}

/// How a summary is shown here: as wide as the terminal, and in colour where it wants that.
pub(crate) fn summary_options() -> SummaryOptions {
    SummaryOptions::new(width()).color(color())
}

/// Prints the summary.
pub(crate) fn print_summary(profile: &DeviceProfile, options: &SummaryOptions) -> Result<(), Failure> {
    print_as_it_is(&printable::coloured(&render_summary(profile, options)))
}

/// Columns to write into: those that COLUMNS says, which few shells export, else the terminal's own; 80 where
/// stdout is no terminal.
pub(crate) fn width() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let of_terminal = || rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| size.ws_col.into());
    // A serial line has no size.
    said.or_else(of_terminal).filter(|&columns| columns > 0).unwrap_or(80).clamp(60, 160)
}

fn color() -> bool {
    messages::coloured(&std::io::stdout())
}
