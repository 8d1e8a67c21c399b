//! Write amplification against what is known: closed forms, and a simulator of tens of lines that shares
//! nothing with the one under test.

use leadline_device::{Device, NEVER, QueuePair, QueueShape, Request, Wear};
use leadline_sim::{DeviceSpec, Simulated};

const UNIT: u64 = 4096;

/// A drive of one die with pages of 4K, fast so that nothing but counts matters.
fn device(capacity: u64, over_provisioning: f64, pages_per_block: u32, more: &str) -> Simulated {
    let text = format!(
        "kind = \"flash\"\ncapacity = {capacity}\nover_provisioning = {over_provisioning}\n{more}\n\
         [geometry]\nchannels = 1\ndies_per_channel = 1\npages_per_block = {pages_per_block}\npage_bytes = 4096\n\
         [timing]\nread_us = 10\nprogram_us = 20\nerase_us = 50\nbus_mb_per_s = 10000\n"
    );
    DeviceSpec::parse(&text, "test.toml").unwrap_or_else(|error| panic!("{error}")).device()
}

/// Writes units in the order given.
fn write(queue: &mut dyn QueuePair, units: impl Iterator<Item = u64>) {
    let mut completions = Vec::new();
    let mut free: Vec<u32> = (0..queue.shape().depth).collect();
    for unit in units {
        if free.is_empty() {
            queue.reap(1, NEVER, &mut completions).unwrap();
            free.extend(completions.drain(..).map(|completion| completion.slot));
        }
        let slot = free.pop().unwrap();
        queue.submit(Request::write(slot, unit * UNIT, UNIT as u32)).unwrap();
    }
    queue.reap(queue.in_flight(), NEVER, &mut completions).unwrap();
}

fn since(queue: &dyn QueuePair, before: Wear) -> f64 {
    queue.wear().unwrap().since(&before).write_amplification().unwrap()
}

#[test]
fn uniform_random_writes_under_greedy_collection_are_as_the_closed_form_has_it() {
    for (over_provisioning, expected) in [(0.07, 7.82), (0.1, 5.68), (0.143, 4.18), (0.2, 3.19), (0.3, 2.36)]
    {
        let units = (2 << 30) / UNIT;
        let device = device(2 << 30, over_provisioning, 256, "");
        let mut queue = device.queue_pair(QueueShape::new(8, 4096)).unwrap();
        let mut random = fastrand::Rng::with_seed(5);
        write(&mut *queue, (0..units / 2).map(|_| random.u64(..units)));
        let before = queue.wear().unwrap();
        write(&mut *queue, (0..units).map(|_| random.u64(..units)));
        let measured = since(&*queue, before);
        println!(
            "OP {over_provisioning}: {measured:.3}, closed form {expected}: {:+.2} %",
            (measured / expected - 1.0) * 100.0
        );
        assert!(
            (measured / expected - 1.0).abs() < 0.03,
            "{over_provisioning}: {measured} and not {expected}"
        );
    }
}
