//! Where results go: JSON on stdout, or a summary there and files beside it.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use leadline_model::{DeviceProfile, replace_file};
use leadline_report::{render_page, render_summary};

use crate::failure::Failure;

/// Where a profile and its report are to be written.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Places {
    pub(crate) profile: Option<PathBuf>,
    pub(crate) report: Option<PathBuf>,
    /// Made for them, and empty until they are written.
    folder: Option<PathBuf>,
}

impl Places {
    /// Those named on the command line; where no profile is named and `json` does not print it, both go into a new
    /// folder named after device and time.
    pub(crate) fn choose(
        output: Option<PathBuf>,
        report: Option<PathBuf>,
        json: bool,
        device: &str,
    ) -> Result<Places, Failure> {
        let places = if output.is_none() && !json {
            let folder = new_folder(device)?;
            Places {
                profile: Some(folder.join("profile.json")),
                report: Some(report.unwrap_or_else(|| folder.join("report.html"))),
                folder: Some(folder),
            }
        } else {
            Places { profile: output, report, folder: None }
        };
        // Two minutes of measuring are not to end at a folder that cannot be written.
        match places.check() {
            Ok(()) => Ok(places),
            Err(failure) => {
                places.discard();
                Err(failure)
            }
        }
    }

    fn check(&self) -> Result<(), Failure> {
        if let (Some(profile), Some(report)) = (&self.profile, &self.report)
            && profile == report
        {
            let text = format!("{}: named for both the profile and the page; name two", profile.display());
            return Err(Failure::Input(text));
        }
        [&self.profile, &self.report].into_iter().flatten().try_for_each(|path| check_writable(path))
    }

    /// Nothing will be written: takes the new folder away again.
    pub(crate) fn discard(&self) {
        if let Some(folder) = &self.folder {
            // Only where it is empty still.
            let _ = std::fs::remove_dir(folder);
        }
    }

    /// Writes both, each whole or not at all.
    pub(crate) fn write(&self, profile: &DeviceProfile) -> Result<(), Failure> {
        let failed = |error: leadline_model::ProfileError| Failure::Operation(error.to_string());
        if let Some(path) = &self.profile {
            profile.save(path).map_err(failed)?;
        }
        if let Some(path) = &self.report {
            let page = render_page(std::slice::from_ref(profile))?;
            replace_file(path, page.as_bytes()).map_err(failed)?;
        }
        Ok(())
    }
}

/// `leadline-DEVICE-YYYYMMDD-HHMMSS`, with a number behind it where that exists already.
fn new_folder(device: &str) -> Result<PathBuf, Failure> {
    let now = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S");
    let device: String =
        device.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let base = format!("leadline-{device}-{now}");
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
    Err(Failure::Input(format!("{base}: a thousand folders of this name exist; name a file with -o")))
}

/// Refuses where a file could not be written, or something that is no file would be replaced by one.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    let refuse =
        |reason: String| Err(Failure::Input(format!("{}: {reason}; name another place", path.display())));
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => return refuse("is a folder, not a file".into()),
        Ok(found) if !found.is_file() => return refuse("is no regular file".into()),
        _ => {}
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let probe = folder.join(format!(".leadline-probe-{}", std::process::id()));
    match std::fs::File::create_new(&probe) {
        Ok(_) => {
            let _ = std::fs::remove_file(&probe);
            Ok(())
        }
        Err(error) => refuse(format!("its folder cannot be written: {error}")),
    }
}

/// Says something on stderr; that nobody listens is no failure.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "leadline: {text}");
}

/// Prints a document; a reader that went away is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Operation(format!("stdout: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints the summary, in colour on a terminal that wants it.
pub(crate) fn print_summary(profile: &DeviceProfile) -> Result<(), Failure> {
    print(&render_summary(profile, width(), color()))
}

/// Columns of the terminal, 100 elsewhere.
pub(crate) fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(100).clamp(60, 160)
}

fn color() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}
