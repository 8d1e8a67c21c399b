//! Some thousands of mutated inputs for every reader: enough to see that the targets work, and the plainest
//! mistakes. `cargo xtask fuzz` reads as many as one likes.

use leadline_fuzz::{Budget, all, run};

const INPUTS: u64 = 2000;
const INPUTS_OF_FILES: u64 = 500;

#[test]
fn every_reader_survives_and_a_fifth_of_the_inputs_gets_past_the_header() {
    for mut target in all().unwrap() {
        let name = target.name();
        let in_files = name.starts_with("edges") || name.starts_with("store") || name.starts_with("index");
        let inputs = if in_files { INPUTS_OF_FILES } else { INPUTS };
        let report = run(&mut *target, Budget::Inputs(inputs), 1, None, &mut |_| {});
        if let Some(failure) = report.failure {
            panic!("{name}: {}: {:?}", failure.reason, String::from_utf8_lossy(&failure.input));
        }
        assert_eq!(report.inputs, inputs, "{name}");
        let share = report.past_header as f64 / inputs as f64;
        assert!(share >= 0.2, "{name}: only {share:.2} of the inputs get past the header");
    }
}

#[test]
fn every_seed_gets_past_the_header() {
    for mut target in all().unwrap() {
        for seed in target.seeds() {
            assert!(target.read(&seed), "{}: {:?}", target.name(), String::from_utf8_lossy(&seed));
        }
    }
}
