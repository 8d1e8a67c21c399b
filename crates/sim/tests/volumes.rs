//! The cloud volumes built in do what their vendors document.

use leadline_device::{Nanos, Request};
use leadline_sim::{CapSpec, open_model, spec};

const SECOND: Nanos = 1_000_000_000;

/// Requests of `len` bytes that are completed within `seconds`, with 256 in flight all the time from the
/// start.
fn completed(name: &str, len: u32, seconds: u64) -> u64 {
    let (mut model, _) = open_model(name).unwrap();
    (0..256).for_each(|slot| model.arrive(&Request::read(slot, 0, len), 0));
    let (mut done, mut completions) = (0, Vec::new());
    while let Some(due) = model.next_completion().filter(|&due| due <= seconds * SECOND) {
        model.advance(due, &mut completions);
        done += completions.len() as u64;
        for completion in completions.drain(..) {
            model.arrive(&Request::read(completion.slot, 0, len), due);
        }
    }
    done
}

#[test]
fn a_gp2_volume_bursts_as_long_as_the_vendor_says() {
    // Amazon EC2 User Guide, General Purpose SSD volumes: 2,000 s from full credit for 100 GiB.
    let (burst, after) = (completed("gp2-100g", 4096, 1_999), completed("gp2-100g", 4096, 2_100));
    assert!((3000 * 1_999 - 10..=3000 * 1_999).contains(&burst), "{burst}");
    assert!((3000 * 2_000 + 300 * 100 - 10..=3000 * 2_000 + 300 * 100).contains(&after), "{after}");
    // The same table: duration of the burst, and time to fill an empty bucket.
    for (name, burst_s, refill_s) in [("gp2-100g", 2_000.0, 18_000.0), ("gp2-334g", 2_703.0, 5_389.0)] {
        let cap: CapSpec = spec(name).unwrap().parametric().unwrap().cap.clone().unwrap();
        let credit = cap.credit as f64;
        assert!((credit / (cap.iops - cap.refill) - burst_s).abs() < 0.5, "{name}");
        assert!((credit / cap.refill - refill_s).abs() < 0.5, "{name}");
    }
}

#[test]
fn a_volume_reaches_the_smaller_of_its_two_limits() {
    for (name, iops, mib_per_s) in [
        ("gp2-334g", 3000, 250),
        ("gp2-1t", 3072, 250),
        ("gp3", 3000, 125),
        ("io2", 16_000, 4_000),
        ("pd-balanced", 6_000, 280),
    ] {
        let near = |found: u64, limit: u64| (limit * 99 / 100..=limit + 1).contains(&found);
        let small = completed(name, 4096, 10);
        assert!(near(small, iops * 10), "{name}: {small} of 4K in 10 s");
        let large = completed(name, 256 << 10, 10);
        assert!(near(large, mib_per_s * 4 * 10), "{name}: {large} of 256K in 10 s");
    }
    let small = completed("aws-virtual", 4096, 1);
    assert!((59_900..=60_001).contains(&small), "{small}");
}
