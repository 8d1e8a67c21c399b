//! What is tried of an installed program, in any root.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use super::root::{Root, User};
use crate::dist::Dist;
use crate::run::output;

/// A path of four vertices and an edge that cuts it short.
const EDGES: &str = "0 1\n1 2\n2 3\n0 3\n";

/// What a user does first.
pub(super) fn first_profile(root: &Root) -> anyhow::Result<()> {
    root.leadline(&["profile", "sim:flash", "--quick", "-o", "/tmp/sim.json"])?;
    let profile = fs::read_to_string(root.scratch.join("sim.json")).context("the profile of sim:flash")?;
    let profile: serde_json::Value = serde_json::from_str(&profile)?;
    ensure!(profile["schema"].is_string(), "the profile of sim:flash names no schema");
    Ok(())
}

/// The program says what it is, and works where there is nothing else.
pub(super) fn program(dist: &Dist, root: &Root) -> anyhow::Result<()> {
    let version = root.leadline(&["--version"])?;
    ensure!(version.trim_end() == format!("leadline {}", dist.version), "--version says {version}");
    ensure!(root.leadline(&["--help"])?.contains("Usage: leadline"), "--help says nothing of its usage");
    fs::write(root.scratch.join("edges.txt"), EDGES)?;
    root.leadline(&["graph", "import", "/tmp/edges.txt", "/tmp/edges.store"])?;
    store_is_read(root)
}

/// The store and the profile that an earlier installation made are read.
pub(super) fn earlier_files(root: &Root) -> anyhow::Result<()> {
    store_is_read(root)?;
    let report = root.leadline(&["report", "/tmp/sim.json"])?;
    ensure!(report.contains("sim-flash"), "the report of a profile of sim:flash says {report}");
    Ok(())
}

fn store_is_read(root: &Root) -> anyhow::Result<()> {
    let search = root.leadline(&["graph", "bfs", "/tmp/edges.store", "--source", "0"])?;
    ensure!(search.contains("reached 4 vertices; the farthest 2 edges away"), "graph bfs says {search}");
    Ok(())
}

/// All that goes with the program is in its place under `prefix`, as the program itself writes it.
pub(super) fn files(root: &Root, prefix: &str, zsh: &str) -> anyhow::Result<()> {
    let prefix = root.folder.join(prefix);
    let ours = root.scratch.join("man");
    root.leadline(&["man", "/tmp/man"])?;
    let mut pages = 0;
    for page in fs::read_dir(&ours)? {
        let page = page?;
        let installed = prefix.join("share/man/man1").join(page.file_name());
        let text = page_text(&installed).with_context(|| format!("{}: the manual page", root.name))?;
        ensure!(text == fs::read_to_string(page.path())?, "{} has another text", installed.display());
        pages += 1;
    }
    ensure!(pages > 0, "leadline man wrote no page");
    for (shell, place) in [
        ("bash", "share/bash-completion/completions/leadline"),
        ("fish", "share/fish/vendor_completions.d/leadline.fish"),
        ("zsh", zsh),
    ] {
        let installed = prefix.join(place);
        let script = fs::read_to_string(&installed).with_context(|| installed.display().to_string())?;
        ensure!(
            script == root.leadline(&["completions", shell])?,
            "{} has another text",
            installed.display()
        );
    }
    for text in ["html/index.html", "README.md"] {
        let place = prefix.join("share/doc/leadline").join(text);
        ensure!(place.is_file(), "{} is missing", place.display());
    }
    Ok(())
}

/// A manual page, compressed or not.
fn page_text(page: &Path) -> anyhow::Result<String> {
    if page.is_file() {
        return Ok(fs::read_to_string(page)?);
    }
    let mut name = page.as_os_str().to_owned();
    name.push(".gz");
    output(Command::new("gzip").arg("-dc").arg(name))
}

/// A real device is measured: with O_DIRECT, by io_uring.
pub(super) fn device(root: &Root) -> anyhow::Result<()> {
    let words = ["profile", "/tmp", "--quick", "--size", "64M", "-o", "/tmp/device.json"];
    root.leadline(&words)?;
    let profile = fs::read_to_string(root.scratch.join("device.json")).context("the profile of /tmp")?;
    let profile: serde_json::Value = serde_json::from_str(&profile)?;
    let method = &profile["method"];
    ensure!(
        method["engine"] == "io_uring" && method["direct"] == true,
        "in {}: /tmp was measured by {}, direct: {}",
        root.name,
        method["engine"],
        method["direct"]
    );
    Ok(())
}

/// A drive is emulated for someone without rights, by FUSE.
const EMULATE: &str = r#"
cd /tmp && mkdir data mnt
leadline emulate sim:flash --backing data --mount mnt --lenient &
leadline emulate ctl mnt wait
echo durable >mnt/file && sync mnt/file
leadline emulate ctl mnt counters
fusermount3 -u mnt
wait $!
grep -qx durable data/file
"#;

/// A drive is emulated by a plain user.
pub(super) fn emulation(root: &Root) -> anyhow::Result<()> {
    root.output(User::Plain, &["sh", "-ec", EMULATE]).map(|_| ())
}
