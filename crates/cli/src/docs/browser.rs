//! The pages as a site, where it is installed.

use std::env;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::console;
use crate::failure::Failure;

/// Names the site's directory.
const VARIABLE: &str = "LEADLINE_DOCS";

/// Where packages put it, seen from the directory of the program.
const BESIDE: &str = "../share/doc/leadline/html";

/// The site's first page.
///
/// # Errors
/// LEADLINE_DOCS names a directory that has no site.
pub(super) fn installed() -> Result<Option<PathBuf>, Failure> {
    let first = |directory: &Path| directory.join("index.html");
    if let Some(said) = env::var_os(VARIABLE).filter(|said| !said.is_empty()) {
        let index = first(Path::new(&said));
        let refusal = || {
            let said = Path::new(&said).display();
            let remedy = "name the directory of the site, which `cargo xtask site DIR` makes";
            Failure::Input(format!("{VARIABLE}: {said} has no index.html; {remedy}"))
        };
        return index.is_file().then_some(Some(index)).ok_or_else(refusal);
    }
    let program = env::current_exe().ok();
    let index = program.and_then(|program| Some(first(&program.parent()?.join(BESIDE))));
    Ok(index.filter(|index| index.is_file()).map(|index| index.canonicalize().unwrap_or(index)))
}

/// Whether stdout is a terminal and there is a browser.
pub(super) fn can_be_opened() -> bool {
    console::call().is_none() && std::io::stdout().is_terminal() && browser().is_some()
}

/// Opens a page. A browser that cannot be started is no failure: the list has named the page.
pub(super) fn open(page: &Path) -> Result<(), Failure> {
    let Some(browser) = browser() else { return Ok(()) };
    let mut command = Command::new("sh");
    // The shell splits BROWSER into words, as it does for other programs, and ends while the browser runs.
    command.args(["-c", &format!("{browser} \"$1\" &"), "sh"]).arg(page);
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    Ok(())
}

/// BROWSER, or the desktop's own where there is a display.
fn browser() -> Option<String> {
    let set = |name: &str| env::var(name).ok().filter(|said| !said.is_empty());
    let desktop = || set("DISPLAY").or_else(|| set("WAYLAND_DISPLAY")).map(|_| "xdg-open".to_owned());
    // A list, the first of which counts.
    set("BROWSER").and_then(|list| Some(list.split(':').next()?.to_owned())).or_else(desktop)
}
