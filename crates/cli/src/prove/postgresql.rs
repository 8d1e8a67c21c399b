//! `leadline prove postgresql`.

use leadline_advise::{Inputs, System, advise};
use leadline_prove::postgresql::{Experiment, Plan, Proof, installed, prove};
use leadline_report::{render_comparison_of_settings, render_plan_choices};

use super::{Args, Shown, show};
use crate::failure::Failure;
use crate::progress::Display;
use crate::{output, signals, source};

/// The first version with io_method.
const METHODS: u32 = 18;

/// What `shared_buffers` is of the memory that a server is given, by the rules of the advice.
const MEMORY_OF_BUFFERS: u64 = 4;

pub(super) fn run(args: &Args) -> Result<Shown, Failure> {
    let profile = source::load_profile(&args.profile)?;
    let version = installed(args.bin.as_deref())?;
    let mut plan = Plan::new(args.target.clone(), Vec::new());
    if args.quick {
        plan = plan.quick();
    }
    if let Some(bytes) = args.data {
        plan.shared_buffers_bytes = plan.shared_buffers_bytes.min(bytes / 16).max(1 << 20);
        plan.table_bytes = bytes;
    }
    (plan.bin, plan.seed) = (args.bin.clone(), args.seed);
    if let Some(rounds) = args.rounds {
        (plan.rounds, plan.plan_rounds, plan.pgbench_rounds) = (rounds, rounds, rounds);
    }
    plan.experiments = experiments(&args.only, version.major)?;
    let inputs = Inputs {
        version: Some(version.major.to_string()),
        memory_bytes: Some(MEMORY_OF_BUFFERS * plan.shared_buffers_bytes),
        ..Inputs::default()
    };
    let advice = advise(System::Postgresql, &profile, &inputs)?;
    for missing in &advice.missing {
        output::say(&format!("not part of the advice: {}: {}", missing.key, missing.reason));
    }
    plan.advice = advice.pairs();
    let cancel = signals::cancel_flag()?;
    let mut display = Display::new();
    let proof = prove(&plan, &cancel, &mut |progress| show(&mut display, progress));
    display.finish();
    let proof = proof?;
    Ok(Shown { json: proof.to_json(), text: text(&proof) })
}

fn text(proof: &Proof) -> String {
    let width = output::width();
    let mut parts = vec![format!("PostgreSQL {} at {}\n", proof.version.text, proof.plan.target.display())];
    parts.extend(proof.comparisons.iter().map(|one| render_comparison_of_settings(one, width)));
    parts.extend(proof.plan_choices.iter().map(|choices| render_plan_choices(choices, width)));
    parts.join("\n")
}

/// Those that were asked for, else all that the version has.
fn experiments(only: &[String], version: u32) -> Result<Vec<Experiment>, Failure> {
    let named = [
        ("scans", Experiment::Scans),
        ("plans", Experiment::Plans),
        ("checkpoints", Experiment::Checkpoints),
        ("methods", Experiment::Methods),
    ];
    if only.is_empty() {
        let has = |experiment: &Experiment| *experiment != Experiment::Methods || version >= METHODS;
        return Ok(named.into_iter().map(|(_, experiment)| experiment).filter(has).collect());
    }
    let find = |name: &String| {
        let found = named.iter().find(|(known, _)| known == name).map(|(_, experiment)| *experiment);
        found.ok_or_else(|| {
            let list = named.map(|(known, _)| known).join(", ");
            Failure::Input(format!("--only {name}: not an experiment of postgresql; those are {list}"))
        })
    };
    only.iter().map(find).collect()
}
