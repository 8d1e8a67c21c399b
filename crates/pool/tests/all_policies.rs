//! Every policy with every rule of writing back: each operation of the trace is done, with a device and
//! without.

use std::sync::atomic::AtomicBool;

use leadline_device::Device as _;
use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::simulate::{Config, Outcome, simulate};
use leadline_sim::ParametricSpec;

const OPERATIONS: u64 = 6_000;
const DEVICE: &str = "description = \"flash\"\nclass = \"flash ssd\"\nsource = \"made up\"\nkind = \"parametric\"\n\
    capacity = \"64M\"\n[read]\nservice_us = 80\nservers = 16\n[write]\nservice_us = 200\nservers = 4\n";

fn outcome(config: &Config, on_device: bool) -> Outcome {
    let device = on_device.then(|| {
        let device = ParametricSpec::parse(DEVICE, "here").unwrap().device();
        device.queue_pair(config.queue_shape().unwrap()).unwrap()
    });
    let name = format!("gen:paper-ms?pages=900&ops={OPERATIONS}");
    let mut trace = leadline_trace::open(&name).unwrap();
    simulate(&mut trace, config, device, &AtomicBool::new(false)).unwrap()
}

/// A batch holds at least its victim, and nobody waits for a write that was never sent.
#[test]
fn every_operation_is_done_and_no_batch_is_empty() {
    for &policy in PolicyKind::ALL {
        for ace in Ace::ALL {
            for cleaner in [Cleaner::Off, Cleaner::Depth(2), Cleaner::Auto] {
                for (clients, frames) in [(1, 40), (7, 40), (7, 5)] {
                    let config = Config::new(4096, frames)
                        .policy(policy)
                        .ace(ace)
                        .n(4)
                        .cleaner(cleaner)
                        .clients(clients);
                    for on_device in [false, true] {
                        let outcome = outcome(&config, on_device);
                        assert_eq!(outcome.operations, OPERATIONS, "{config:?}");
                        let by_clients = outcome.writes - outcome.writes_by_cleaner;
                        assert!(by_clients >= outcome.batches, "{config:?}: {outcome:?}");
                    }
                }
            }
        }
    }
}

/// Searching on for dirty pages stays among those that go soon: few more are written than victims alone would
/// be.
#[test]
fn cow_x_writes_hardly_more_than_victims_alone_with_every_policy() {
    for &policy in PolicyKind::ALL {
        let writes = |ace| {
            let config = Config::new(4096, 2_000).policy(policy).ace(ace).n(8);
            let mut trace = leadline_trace::open("gen:paper-wis?pages=34406&ops=200000").unwrap();
            simulate(&mut trace, &config, None, &AtomicBool::new(false)).unwrap().writes as f64
        };
        let (alone, cow_x) = (writes(Ace::Off), writes(Ace::CowX));
        assert!(cow_x < 1.05 * alone, "{}: {alone} writes, with COW-X {cow_x}", policy.name());
    }
}
