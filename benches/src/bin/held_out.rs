//! Models fitted to half of the concurrencies and half of the request sizes of a profile's `r-by-k`, asked
//! for the rest.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Parser;
use leadline_model::{
    Affine, Dam, Model, Mqssd, Observation, Observations, Pdam, Pio, SharedBudget, WorkloadClass,
};
use leadline_profile::{DeviceProfile, OpKind};

/// Mean absolute error of predicted times, percent.
#[derive(Parser)]
struct Args {
    /// A profile with the experiment `r-by-k`
    profile: PathBuf,
}

fn main() -> Result<()> {
    let mut profile = DeviceProfile::load(Args::parse().profile)?;
    profile.experiments.r_by_k.as_ref().context("the profile has no r-by-k")?;
    profile.points.clear();
    let observations = Observations::from_profile(&profile);
    let every_other = |values: BTreeSet<u32>| -> BTreeSet<u32> { values.into_iter().step_by(2).collect() };
    let ks = every_other(observations.all.iter().map(Observation::concurrency).collect());
    let sizes = every_other(observations.pure(OpKind::Read).map(|o| o.workload.block_bytes).collect());
    let fitted = |o: &Observation| ks.contains(&o.concurrency()) && sizes.contains(&o.workload.block_bytes);
    let (half, rest) = (observations.filtered(fitted), observations.filtered(|o| !fitted(o)));
    println!(
        "fitted to {} points (k = {ks:?}, sizes {sizes:?}), asked for {}\n",
        half.all.len(),
        rest.all.len()
    );
    println!("| model | all | {} |", WorkloadClass::ALL.map(WorkloadClass::name).join(" | "));
    println!("| --- | --- |{}", " --- |".repeat(WorkloadClass::ALL.len()));
    one::<Dam>(&half, &rest);
    one::<Pdam>(&half, &rest);
    one::<Affine>(&half, &rest);
    one::<Pio>(&half, &rest);
    one::<Mqssd>(&half, &rest);
    one::<SharedBudget>(&half, &rest);
    Ok(())
}

fn one<M: Model>(half: &Observations, rest: &Observations) {
    let model = match M::fit(half) {
        Ok(model) => model,
        Err(lacking) => return println!("| {} | {lacking} |", M::NAME),
    };
    let error = |keep: &dyn Fn(&Observation) -> bool| {
        let errors: Vec<f64> = rest
            .all
            .iter()
            .filter(|o| keep(o))
            .map(|o| model.seconds(&o.workload).map_or(1.0, |s| (s / o.seconds - 1.0).abs()))
            .collect();
        match errors.len() {
            0 => "-".to_owned(),
            n => format!("{:.1}", 100.0 * errors.iter().sum::<f64>() / n as f64),
        }
    };
    let classes = WorkloadClass::ALL.map(|class| error(&|o| class.holds(o)));
    println!("| {} | {} | {} |", M::NAME, error(&|_| true), classes.join(" | "));
}
