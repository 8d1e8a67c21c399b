//! How long it takes to fit and compare all models: 1,008 points, 200 resamples, one core.

use std::time::Instant;

use anyhow::Result;
use leadline_model::{
    Affine, Dam, FittedModel, InFlight, Model, ModelComparison, Mqssd, Observation, Observations, Pdam, Pio,
    SharedBudget, Workload,
};
use leadline_profile::{OpKind, PAGE_BYTES};

const KS: [u32; 16] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];
const SHARES: [f64; 7] = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95];
/// Sizes from 4K to 4M, evenly spread over the decades.
const SIZES: u32 = 28;
const ROUNDS: usize = 5;

fn main() -> Result<()> {
    let observations = observations();
    println!("{} points, 200 resamples, seconds (median of {ROUNDS})\n", observations.all.len());
    println!("| model | seconds |\n| --- | --- |");
    one::<Dam>(&observations)?;
    one::<Pdam>(&observations)?;
    one::<Affine>(&observations)?;
    one::<Pio>(&observations)?;
    one::<Mqssd>(&observations)?;
    one::<SharedBudget>(&observations)?;
    let all = median(|| {
        ModelComparison::new(observations.clone());
    });
    println!("| all, held out and compared | {all:.3} |");
    Ok(())
}

fn one<M: Model>(observations: &Observations) -> Result<()> {
    FittedModel::<M>::new(observations)?;
    let seconds = median(|| {
        let _ = FittedModel::<M>::new(observations);
    });
    println!("| {} | {seconds:.3} |", M::NAME);
    Ok(())
}

fn median(mut run: impl FnMut()) -> f64 {
    let mut seconds = [0.0; ROUNDS];
    for slot in &mut seconds {
        let began = Instant::now();
        run();
        *slot = began.elapsed().as_secs_f64();
    }
    seconds.sort_unstable_by(f64::total_cmp);
    seconds[ROUNDS / 2]
}

/// A device whose setup and transfer fall with k, with 5 % of noise.
fn observations() -> Observations {
    let mut random = fastrand::Rng::with_seed(1);
    let mut all = Vec::new();
    let mut observe = |workload: Workload, us: f64| {
        let noise = 1.0 + 0.05 * (random.f64() + random.f64() - 1.0);
        let seconds = workload.requests() * us * 1e-6 * noise;
        all.push(Observation { workload, seconds, relative_error: 0.03, weight: 1.0 });
    };
    for k in KS {
        let busy = f64::from(k);
        let (setup, transfer) = (6.0 + 60.0 / (1.0 + busy / 4.0), 0.9 + 2.0 / (1.0 + busy / 8.0));
        for i in 0..SIZES {
            let pages = 1024f64.powf(f64::from(i) / f64::from(SIZES - 1));
            let block = (pages * f64::from(PAGE_BYTES)) as u32;
            for op in [OpKind::Read, OpKind::Write] {
                observe(Workload::pure(op, 1000.0, block, 1.0, k), setup + transfer * pages);
            }
        }
        for share in SHARES {
            let workload = Workload {
                reads: 1000.0 * share,
                writes: 1000.0 * (1.0 - share),
                block_bytes: PAGE_BYTES,
                random_fraction: 1.0,
                in_flight: InFlight::Together(k),
            };
            observe(workload, setup + transfer);
        }
    }
    Observations { all, ..Observations::default() }
}
