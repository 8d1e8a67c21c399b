//! fio's mixes on a small file: that all of them run, and that nothing is left.

use std::path::Path;

use leadline_prove::ProveError;
use leadline_prove::seastar::{Mix, Plan, Proof, prove};

use crate::common::{self, assert_interrupted, assert_nothing_left, refuses_a_file, settings, target};

/// On the page cache, since not every file system of tests can do without it.
fn tiny(target: &Path) -> Plan {
    let advice = [
        ("read_iops", "100K"),
        ("read_bandwidth", "1G"),
        ("write_iops", "50K"),
        ("write_bandwidth", "500M"),
        ("disk", "nvme0n1"),
    ];
    let mut plan = Plan::new(target.into(), settings(&advice));
    plan.mixes = vec![
        Mix { bytes: 4096, read_percent: 50 },
        Mix { bytes: 16_384, read_percent: 100 },
        Mix { bytes: 65_536, read_percent: 0 },
    ];
    (plan.engine, plan.direct) = ("psync".into(), false);
    (plan.concurrency, plan.file_bytes) = (1, 1 << 20);
    (plan.warm_up_seconds, plan.seconds, plan.rounds) = (0, 1, 1);
    plan
}

/// `None` where fio is not installed.
fn run(plan: &Plan, test: &str, stop_at: Option<&str>) -> Option<Result<Proof, ProveError>> {
    common::run(test, stop_at, |cancel, progress| prove(plan, cancel, progress))
}

#[test]
fn every_mix_runs_and_is_compared_with_the_rates() {
    let target = target();
    let plan = tiny(target.path());
    let name = "every_mix_runs_and_is_compared_with_the_rates";
    let Some(proof) = run(&plan, name, None) else { return };
    let proof = proof.unwrap();
    assert_nothing_left(target.path());
    let mixes: Vec<Mix> = proof.mixes.iter().map(|result| result.mix).collect();
    assert_eq!((mixes, proof.runs.len()), (plan.mixes, 3));
    for result in &proof.mixes {
        let again = result.predicted / result.measured.value - 1.0;
        assert!(result.measured.value > 0.0 && (result.error - again).abs() < 1e-9, "{result:?}");
    }
    let of = |bytes: u32| proof.runs.iter().find(|run| run.mix.bytes == bytes).unwrap();
    assert!(of(4096).reads_per_second > 0.0 && of(4096).writes_per_second > 0.0);
    assert_eq!((of(16_384).writes_per_second, of(65_536).reads_per_second), (0.0, 0.0));
    assert_eq!((proof.best_rates, &proof.not_tried[..]), (None, &["disk".to_owned()][..]));
    let read: Proof = serde_json::from_str(&proof.to_json()).unwrap();
    assert_eq!(read.runs.len(), 3);
}

#[test]
fn an_interruption_in_any_phase_leaves_nothing() {
    for phase in ["loading", "mixes"] {
        let target = target();
        let name = "an_interruption_in_any_phase_leaves_nothing";
        let Some(ended) = run(&tiny(target.path()), name, Some(phase)) else {
            return;
        };
        assert_interrupted(ended, phase, target.path());
    }
}

#[test]
fn a_target_that_is_no_folder_or_too_small_is_refused() {
    let target = target();
    let name = "a_target_that_is_no_folder_or_too_small_is_refused";
    let refused = |plan: Plan| run(&plan, name, None).map(Result::unwrap_err);
    let large = Plan { file_bytes: 1 << 42, ..tiny(target.path()) };
    let Some(error) = refused(large) else { return };
    assert!(error.is_input() && error.to_string().contains("MiB are needed"), "{error}");
    assert!(refuses_a_file(target.path(), |file| run(&tiny(file), name, None)));
    assert_nothing_left(target.path());
}
