//! `leadline calibrate`: a simulated flash drive in the place of a measured device.

use std::sync::atomic::AtomicBool;

use leadline_calibrate::{
    CalibrateError, Calibration, Checked, calibration_json, calibration_text, can_be_checked, check,
};
use leadline_profile::DeviceProfile;
use leadline_report::render_text;

use crate::failure::{Failure, no_calibration};
use crate::paths::{OutputPath, ProfileName};
use crate::progress::Display;
use crate::{output, signals};

/// Fit a simulated flash drive to a measured profile
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline profile /mnt/nvme --block-size 4K,16K,64K,256K,1M -o profile.json
  leadline calibrate profile.json -o mine.toml
  # The fitted drive, measured
  leadline profile sim:./mine.toml
  # How well it predicts what it was not fitted to
  leadline experiment mixed /mnt/nvme --into profile.json
  leadline calibrate profile.json --check

The output says which parameters of the drive the profile determines: see `leadline docs calibration`.")]
pub(crate) struct Args {
    /// A profile of the drive; several block sizes show more of it than one
    #[arg(value_name = "PROFILE")]
    profile: ProfileName,
    /// Write the description (TOML) to this file, replacing it
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Run the profile's experiments mixed, r-by-k and ladder on the fitted drive, and compare its errors
    /// with the best analytic model's
    #[arg(long)]
    check: bool,
    /// With --check: a second profile of the same device with the same experiments; no prediction can be
    /// closer than the two measurements
    #[arg(long, value_name = "PROFILE", requires = "check")]
    again: Option<ProfileName>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(path) = &args.output {
        output::check_writable(path)?;
    }
    let profile = DeviceProfile::open(&args.profile)?;
    let again = args.again.as_deref().map(DeviceProfile::open).transpose()?;
    if args.check && !can_be_checked(&profile) {
        return Err(no_calibration(&args.profile.to_string(), CalibrateError::NoExperiments));
    }
    let cancel = signals::cancel_flag()?;
    let mut display = Display::new();
    let done = fit(args, &profile, again.as_ref(), &cancel, &mut display);
    display.finish();
    let (fitted, checks) = done?;
    if let Some(path) = &args.output {
        output::write(path, &fitted.text)?;
    }
    if args.json {
        output::print_json(&calibration_json(&fitted, checks.as_deref()))?;
    } else {
        output::print(&render_text(&calibration_text(&fitted, checks.as_deref()), output::width()))?;
    }
    if let Some(path) = &args.output {
        output::written("description", path);
    }
    Ok(())
}

/// Fits, and checks where that is wanted.
fn fit(
    args: &Args,
    profile: &DeviceProfile,
    again: Option<&DeviceProfile>,
    cancel: &AtomicBool,
    display: &mut Display,
) -> Result<(Calibration, Option<Vec<Checked>>), Failure> {
    let fitted = Calibration::of(profile, cancel, &mut |progress| display.show(&progress))
        .map_err(|error| no_calibration(&args.profile.to_string(), error))?;
    if !args.check {
        return Ok((fitted, None));
    }
    let checks = check(&fitted.spec, profile, again, cancel, &mut |progress| display.show(&progress))
        .map_err(|error| no_calibration(&args.profile.to_string(), error))?;
    Ok((fitted, Some(checks)))
}
