//! A real etcd with a few puts: that fio and it run in turns, and that nothing is left.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use leadline_prove::etcd::{Plan, Prediction, Proof, prove};
use leadline_prove::{ProveError, Role};

use crate::common::{
    self, assert_interrupted, assert_nothing_left, refuses_a_file, settings, target, unless_missing,
};

fn tiny(target: &Path) -> Plan {
    let predicted = Prediction { p99_ms: 5.0, interval_ms: Some([4.0, 6.0]) };
    let advice = [("heartbeat-interval", "200"), ("election-timeout", "2000"), ("snapshot-count", "9")];
    let mut plan = Plan::new(target.into(), Some(predicted), settings(&advice));
    plan.rounds = 2;
    plan.append_bytes = 20 * 2300;
    plan
}

/// `None` where etcd or fio is not installed.
fn run(plan: &Plan, test: &str, stop_at: Option<&str>) -> Option<Result<Proof, ProveError>> {
    common::run(test, stop_at, |cancel, progress| prove(plan, None, cancel, progress))
}

#[test]
fn fio_and_etcd_run_in_turns_and_are_compared_with_the_prediction() {
    let target = target();
    let plan = tiny(target.path());
    let name = "fio_and_etcd_run_in_turns_and_are_compared_with_the_prediction";
    let Some(proof) = run(&plan, name, None) else { return };
    let proof = proof.unwrap();
    assert_nothing_left(target.path());
    assert_eq!((proof.rounds.len(), proof.etcd_p99_ms.rounds, proof.fio_p99_ms.rounds), (2, 2, 2));
    for round in &proof.rounds {
        // fio's first append may be synced with the second.
        assert!((19..=21).contains(&round.fio_syncs), "{round:?}");
        // One client puts one value after the other, so that each is synced alone.
        assert!((20..=30).contains(&round.etcd_syncs), "{round:?}");
        assert!(round.fio_p99_ms > 0.0 && round.etcd_p99_ms > 0.0 && round.put_p99_ms > 0.0);
    }
    assert_eq!(proof.etcd_syncs.bounds_ms[..3], [1.0, 2.0, 4.0]);
    assert!(proof.predicted_over_fio.is_some() && proof.is_within_fio_runs.is_some());
    assert!(proof.verdicts.predicted.is_some() && proof.version.starts_with("3."));
    let [default, advice] = &proof.timeouts[..] else { panic!("{:?}", proof.timeouts) };
    assert_eq!((&default.role, default.timeouts.heartbeat_ms), (&Role::Default, 100));
    assert_eq!((&advice.role, advice.timeouts.election_ms), (&Role::Advice, 2000));
    assert_eq!(proof.not_tried, ["snapshot-count"]);
    let read: Proof = serde_json::from_str(&proof.to_json()).unwrap();
    assert_eq!(read.etcd_syncs, proof.etcd_syncs);
}

#[test]
fn a_measurement_of_the_callers_runs_in_every_round() {
    let target = target();
    let plan = tiny(target.path());
    let mut folders = Vec::new();
    let mut own = |folder: &Path, seconds: f64| {
        assert!(folder.is_dir() && folder.starts_with(target.path()) && seconds == plan.seconds);
        folders.push(folder.to_owned());
        Ok(4.0)
    };
    let proof = prove(&plan, Some(&mut own), &AtomicBool::new(false), &mut |_| ());
    let Some(proof) = unless_missing("a_measurement_of_the_callers_runs_in_every_round", proof) else {
        return;
    };
    let proof = proof.unwrap();
    assert_nothing_left(target.path());
    assert_eq!((folders.len(), proof.own_p99_ms.unwrap().value), (2, 4.0));
    assert!(proof.rounds.iter().all(|round| round.order.len() == 3 && round.own_p99_ms == Some(4.0)));
    assert!(proof.own_over_fio.is_some());
}

#[test]
fn an_interruption_of_either_leaves_nothing() {
    for program in ["fio", "etcd"] {
        let target = target();
        let name = "an_interruption_of_either_leaves_nothing";
        let Some(ended) = run(&tiny(target.path()), name, Some(program)) else {
            return;
        };
        assert_interrupted(ended, program, target.path());
    }
}

#[test]
fn an_etcd_that_will_not_start_is_told_with_its_last_words() {
    let target = target();
    let bin = tempfile::tempdir().unwrap();
    let script = "#!/bin/sh\n[ \"$1\" != --version ] || { echo 'etcd Version: 3.5.1'; exit 0; }\n\
                  echo 'listen tcp: address in use' >&2\nexit 1\n";
    fs::write(bin.path().join("etcd"), script).unwrap();
    fs::set_permissions(bin.path().join("etcd"), fs::Permissions::from_mode(0o755)).unwrap();
    let plan = Plan { bin: Some(bin.path().into()), ..tiny(target.path()) };
    let name = "an_etcd_that_will_not_start_is_told_with_its_last_words";
    let Some(ended) = run(&plan, name, None) else { return };
    let error = ended.unwrap_err().to_string();
    assert!(error.starts_with("etcd 3.5.1, starting: ended with exit code 1"), "{error}");
    assert!(error.ends_with("listen tcp: address in use"), "{error}");
    assert_nothing_left(target.path());
}

#[test]
fn a_taken_port_and_a_target_that_will_not_do_are_refused() {
    let target = target();
    let name = "a_taken_port_and_a_target_that_will_not_do_are_refused";
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let other = port.checked_sub(1).unwrap();
    let refused = |plan: Plan| run(&plan, name, None).map(Result::unwrap_err);
    let Some(taken) = refused(Plan { ports: Some([other, port]), ..tiny(target.path()) }) else { return };
    assert!(taken.is_input() && taken.to_string().contains(&port.to_string()), "{taken}");
    assert!(refuses_a_file(target.path(), |file| run(&tiny(file), name, None)));
    assert_nothing_left(target.path());
}
