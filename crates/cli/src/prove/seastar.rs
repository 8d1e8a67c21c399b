//! `leadline prove seastar`: whether its four rates explain mixes of reads and writes, by fio.

use leadline_advise::{Inputs, System, advise};
use leadline_profile::DeviceProfile;
use leadline_prove::seastar::{Plan, foresee, prove};
use leadline_report::render_text;

use super::{Announced, Args, Shown, proven};
use crate::failure::Failure;
use crate::output;

pub(super) fn run(args: &Args) -> Result<Shown, Failure> {
    if args.bin.is_some() || !args.only.is_empty() || !args.set.is_empty() {
        let text = "--bin, --only, --set: are not for seastar: fio is taken from PATH, and all ten mixes are run \
                    against the rates of the profile";
        return Err(Failure::Input(text.to_owned()));
    }
    let profile = DeviceProfile::open(&args.profile)?;
    let advice = advise(System::Seastar, &profile, &Inputs::default())?;
    if let Some(missing) = advice.missing.iter().find(|missing| RATES.contains(&missing.key)) {
        return Err(Failure::Input(format!("{}: {}: {}", args.profile, missing.key, missing.reason)));
    }
    let mut plan = Plan::new(args.target.to_path_buf(), advice.pairs());
    if args.quick {
        plan = plan.quick();
    }
    plan.file_bytes = args.data.unwrap_or(plan.file_bytes);
    plan.rounds = args.rounds.unwrap_or(plan.rounds);
    plan.seed = args.seed;
    let announced = Announced::new(args, foresee(&plan)?, advice.into(), Vec::new());
    proven(
        args,
        &announced,
        |cancel, progress| prove(&plan, cancel, progress),
        |proof| render_text(&proof.text(), output::width()),
    )
}

/// Without any of them nothing can be said of mixes.
const RATES: [&str; 4] = ["read_iops", "read_bandwidth", "write_iops", "write_bandwidth"];
