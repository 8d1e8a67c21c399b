//! Models under load.

use leadline_device::{Completion, Nanos, Request};
use leadline_pool::policy::PolicyKind;
use leadline_sim::{DeviceModel, DeviceSpec};
use leadline_tiers::{Admission, CacheOptions};

/// A cached block of all these tests.
pub const BLOCK: u64 = 16 << 10;

/// A device of so many servers, which take `us` for any request and `us_per_kib` more for each KiB.
pub fn device(us: f64, us_per_kib: f64, servers: u32) -> Box<dyn DeviceModel> {
    let server = format!("{{ service_us = {us:?}, per_kib_us = {us_per_kib:?}, servers = {servers} }}");
    let text = format!("kind = \"parametric\"\ncapacity = \"1G\"\nread = {server}\nwrite = {server}\n");
    DeviceSpec::parse(&text, "test.toml").unwrap().model()
}

pub fn fast() -> Box<dyn DeviceModel> {
    device(40.0, 0.5, 6)
}

pub fn slow() -> Box<dyn DeviceModel> {
    device(200.0, 1.0, 25)
}

pub fn options(blocks: u32, policy: PolicyKind, admission: Admission) -> CacheOptions {
    CacheOptions { block_bytes: BLOCK as u32, blocks, policy, admission }
}

/// Sends requests so that `k` are in flight as long as there are more, from `start` on; what each completed
/// with, in the order of the requests.
pub fn closed_loop(
    model: &mut dyn DeviceModel,
    requests: &[Request],
    k: usize,
    start: Nanos,
) -> Vec<Completion> {
    let mut completed: Vec<Option<Completion>> = vec![None; requests.len()];
    let (mut sent, mut now, mut completions) = (0, start, Vec::new());
    loop {
        while sent < requests.len() && (model.in_flight() as usize) < k {
            model.arrive(&Request { slot: sent as u32, ..requests[sent] }, now);
            sent += 1;
        }
        let Some(next) = model.next_completion() else { break };
        now = now.max(next);
        model.advance(now, &mut completions);
        for completion in completions.drain(..) {
            let before = completed[completion.slot as usize].replace(completion);
            assert_eq!(before, None, "a request completes once");
        }
    }
    assert_eq!(model.in_flight(), 0);
    completed.into_iter().map(|completion| completion.expect("every request completes")).collect()
}

/// The time of the last completion.
pub fn end(completions: &[Completion]) -> Nanos {
    completions.iter().map(|completion| completion.at).max().unwrap_or(0)
}
