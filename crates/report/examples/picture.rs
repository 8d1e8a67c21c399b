//! Takes a picture of the top of a profile's page, 1400 × 800 pixels, with Chromium:
//! `cargo run -p leadline-report --example picture -- PROFILE.json docs/img/report.png`.

use std::path::{Path, PathBuf, absolute};
use std::process::{Command, Stdio};

use leadline_profile::DeviceProfile;
use leadline_report::render_page;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(profile), Some(picture)) = (arguments.next(), arguments.next()) else {
        return Err("usage: picture PROFILE.json PICTURE.png".into());
    };
    let home = tempfile::tempdir()?;
    let page = home.path().join("page.html");
    std::fs::write(&page, render_page(&[DeviceProfile::load(&profile)?])?)?;
    take(&page, &absolute(&picture)?, &home.path().join("browser"))
}

fn take(page: &Path, picture: &Path, browser: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let status = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1400,800"])
        .args(["--force-device-scale-factor=1", "--virtual-time-budget=5000"])
        .arg(format!("--user-data-dir={}", browser.display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", page.display()))
        .stderr(Stdio::null())
        .status()?;
    if status.success() && picture.exists() { Ok(()) } else { Err(format!("chromium: {status}").into()) }
}
