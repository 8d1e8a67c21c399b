//! `leadline prove seastar`: whether its four rates explain mixes of reads and writes, by fio.

use leadline_advise::{Inputs, System, advise};
use leadline_profile::DeviceProfile;
use leadline_prove::seastar::{Plan, prove};
use leadline_report::render_text;

use super::{Args, Shown, say_length, watched};
use crate::failure::Failure;
use crate::output;

pub(super) fn run(args: &Args) -> Result<Shown, Failure> {
    if args.bin.is_some() || !args.only.is_empty() {
        let text = "--bin, --only: are not for seastar: fio is taken from PATH, and all ten mixes are run";
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
    let runs = plan.mixes.len() as u32 * plan.rounds;
    let seconds = f64::from(runs * (plan.seconds + plan.warm_up_seconds + 1));
    let what = format!("{} mixes of fio in {} rounds", plan.mixes.len(), plan.rounds);
    say_length("seastar", args, &what, seconds);
    let proof = watched(|cancel, progress| prove(&plan, cancel, progress))?;
    Ok(Shown { json: proof.to_json(), text: render_text(&proof.text(), output::width()) })
}

/// Without any of them nothing can be said of mixes.
const RATES: [&str; 4] = ["read_iops", "read_bandwidth", "write_iops", "write_bandwidth"];
