//! The numbers of a pattern and block size, put together from the estimates of its curves.

use std::collections::BTreeSet;

use leadline_profile::{Censored, OpKind, Parameters, Pattern};

use crate::bootstrap::Resamples;
use crate::capped::capped;
use crate::curve::CurveId;
use crate::estimate::CurveEstimate;

/// One entry per pattern and block size that was measured.
pub fn parameters(estimates: &[CurveEstimate], resamples: Option<&Resamples>) -> Vec<Parameters> {
    let kinds: BTreeSet<(Pattern, u32)> =
        estimates.iter().map(|e| (e.id.pattern, e.id.block_bytes)).collect();
    kinds.into_iter().map(|(pattern, block)| entry(estimates, resamples, pattern, block)).collect()
}

fn entry(
    estimates: &[CurveEstimate],
    resamples: Option<&Resamples>,
    pattern: Pattern,
    block_bytes: u32,
) -> Parameters {
    let find = |op, durable| {
        let id = CurveId { block_bytes, pattern, op, durable };
        estimates.iter().find(|e| e.id == id)
    };
    let (read, write, durable) =
        (find(OpKind::Read, false), find(OpKind::Write, false), find(OpKind::Write, true));
    let alpha = |write| ratio(read, write, resamples, |e| Some(e.fit.plateau), |e| &e.plateaus);
    let alpha_1 = |write| ratio(read, write, resamples, |e| e.depth_one, |e| &e.depth_ones);
    let ((alpha_plain, alpha_ci), (alpha_durable, alpha_durable_ci)) = (alpha(write), alpha(durable));
    let ((one_plain, one_ci), (one_durable, one_durable_ci)) = (alpha_1(write), alpha_1(durable));
    Parameters {
        pattern,
        block_bytes,
        alpha: alpha_plain,
        alpha_ci,
        alpha_1: one_plain,
        alpha_1_ci: one_ci,
        alpha_durable,
        alpha_durable_ci,
        alpha_1_durable: one_durable,
        alpha_1_durable_ci: one_durable_ci,
        k_r: read.map(|e| e.k.k),
        k_r_ci: read.and_then(|e| e.k.ci),
        k_r_90: read.map(|e| e.k_90.k),
        k_r_90_ci: read.and_then(|e| e.k_90.ci),
        k_r_little: read.and_then(CurveEstimate::little),
        k_r_knee: read.and_then(|e| e.fit.kneedle()),
        k_w: write.map(|e| e.k.k),
        k_w_ci: write.and_then(|e| e.k.ci),
        k_w_90: write.map(|e| e.k_90.k),
        k_w_90_ci: write.and_then(|e| e.k_90.ci),
        k_w_little: write.and_then(CurveEstimate::little),
        k_w_knee: write.and_then(|e| e.fit.kneedle()),
        max_read_iops: read.map(|e| e.fit.plateau),
        max_read_iops_ci: read.and_then(|e| e.plateau_ci(resamples)),
        max_write_iops: write.map(|e| e.fit.plateau),
        max_write_iops_ci: write.and_then(|e| e.plateau_ci(resamples)),
        max_durable_write_iops: durable.map(|e| e.fit.plateau),
        max_durable_write_iops_ci: None,
        capped: capped(estimates, pattern, block_bytes),
        censored: Censored {
            read: read.is_some_and(|e| e.fit.still_grows()),
            write: write.is_some_and(|e| e.fit.still_grows()),
        },
        extra: Default::default(),
    }
}

/// Read / write of one number, with its interval over the resamples, which are the same epochs for both.
fn ratio(
    read: Option<&CurveEstimate>,
    write: Option<&CurveEstimate>,
    resamples: Option<&Resamples>,
    value: impl Fn(&CurveEstimate) -> Option<f64>,
    resampled: impl Fn(&CurveEstimate) -> &Vec<f64>,
) -> (Option<f64>, Option<[f64; 2]>) {
    let (Some(read), Some(write)) = (read, write) else { return (None, None) };
    let (Some(above), Some(below)) = (value(read), value(write)) else { return (None, None) };
    let value = above / below;
    let values: Vec<f64> = resampled(read).iter().zip(resampled(write)).map(|(r, w)| r / w).collect();
    (Some(value), resamples.and_then(|resamples| resamples.interval_of_positive(value, &values)))
}
