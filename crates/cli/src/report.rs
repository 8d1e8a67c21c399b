//! `leadline report`: a page for one profile, a comparison for several, fio jobs.

use leadline_report::{compare, fio_jobs, render_comparison, render_page};

use crate::failure::Failure;
use crate::messages;
use crate::output;
use crate::paths::{OutputPath, OutputPlace, ProfileName};
use crate::profile::print_named;
use leadline_profile::DeviceProfile;

/// Show a profile, in the terminal or as a page, or compare some
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  leadline report profile.json
  # All tables, the plot, every check
  leadline report profile.json --details
  leadline report profile.json -o report.html
  # Two devices compared
  leadline report laptop.json server.json -o comparison.html
  # A device compared with its published numbers
  leadline report profile.json device:p4510
  # The same measurement as jobs for fio
  leadline report profile.json --fio-jobs jobs/")]
pub(crate) struct Args {
    /// Profiles, or device:NAME for published numbers; `leadline devices` lists the names
    #[arg(required = true, value_name = "PROFILE")]
    profiles: Vec<ProfileName>,
    /// Write the page (HTML) to this file, replacing it
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Write a fio job for each measured point into this directory; for one profile
    #[arg(long, value_name = "DIR")]
    fio_jobs: Option<OutputPlace>,
    /// Print the profile, or the comparison of several, as one JSON document
    #[arg(long)]
    json: bool,
    /// Also print the tables, the plot, other definitions of k, every check and the experiments; for one
    /// profile
    #[arg(long, conflicts_with = "json")]
    details: bool,
}

pub(crate) fn run(args: Args) -> Result<(), Failure> {
    if args.details && args.profiles.len() > 1 {
        return Err(Failure::Input("--details: takes one profile; name one".into()));
    }
    if let Some(path) = &args.output {
        output::check_writable(path)?;
    }
    let profiles = args.profiles.iter().map(DeviceProfile::open).collect::<Result<Vec<_>, _>>()?;
    if let Some(folder) = &args.fio_jobs {
        let [profile] = profiles.as_slice() else {
            return Err(Failure::Input("--fio-jobs: takes one profile; name one".into()));
        };
        let jobs = fio_jobs(profile, folder)?;
        messages::note(&format!("{} fio jobs in {}", jobs.len(), folder.display()));
    }
    if let Some(path) = &args.output {
        let page = render_page(&profiles)?;
        output::write(path, &page)?;
        output::written("page", path);
    }
    match (profiles.as_slice(), args.json) {
        ([profile], true) => output::print(&profile.to_json()),
        ([profile], false) => print_named(profile, &args.profiles[0].to_string(), args.details),
        (_, true) => output::print_json(&compare(&profiles)),
        (_, false) => output::print(&render_comparison(&profiles, output::width())),
    }
}
