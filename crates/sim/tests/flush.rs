//! `[flush]`: what flushes and durable writes take.

use leadline_device::{Nanos, Op, Request};
use leadline_sim::{DeviceModel, ParametricModel, ParametricSpec};
use proptest::prelude::*;

fn model(flush: &str, write: &str) -> ParametricModel {
    let toml = format!(
        "kind = \"parametric\"\ncapacity = \"1G\"\njitter = \"exponential\"\n{flush}\n\
         [read]\nservice_us = 90\nservers = 2\n[write]\n{write}\n"
    );
    ParametricModel::new(&ParametricSpec::parse(&toml, "test.toml").unwrap_or_else(|e| panic!("{e}")))
}

/// (slot, time) of every completion.
fn run(model: &mut dyn DeviceModel, load: &[(Nanos, Request)]) -> Vec<(u32, Nanos)> {
    let mut completions = Vec::new();
    for (at, request) in load {
        model.advance(*at, &mut completions);
        model.arrive(request, *at);
    }
    model.advance(Nanos::MAX, &mut completions);
    completions.iter().map(|completion| (completion.slot, completion.at)).collect()
}

#[test]
fn a_durable_write_takes_longer_than_a_plain_one_on_its_server() {
    let toml = "kind = \"parametric\"\ncapacity = \"1G\"\n[flush]\ndurable_us = 30\n\
                [read]\nservice_us = 1\nservers = 1\n[write]\nservice_us = 10\nservers = 1\n";
    let mut model = ParametricModel::new(&ParametricSpec::parse(toml, "test.toml").unwrap());
    let durable = |request| Request { durable: true, ..request };
    let load = [
        (0, durable(Request::write(0, 0, 4096))),
        (0, Request::write(1, 0, 4096)),
        (0, durable(Request::read(2, 0, 4096))),
    ];
    assert_eq!(run(&mut model, &load), [(2, 1_000), (0, 40_000), (1, 50_000)]);
}

#[test]
fn without_the_part_a_flush_and_durability_take_nothing() {
    let load = [
        (0, Request { durable: true, ..Request::write(0, 0, 4096) }),
        (5, Request::flush(1)),
        (10, Request::write(2, 0, 4096)),
    ];
    let plain = run(&mut model("", "service_us = 10\nservers = 1"), &load);
    assert_eq!(plain, run(&mut model("[flush]", "service_us = 10\nservers = 1"), &load));
    assert_eq!(plain[0].1, plain[1].1, "the flush completes with the write before it");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_flush_takes_its_time_after_the_last_write_that_arrived_before_it(
        load in prop::collection::vec((0u64..60_000, 0u32..9), 1..80),
        service_us in prop_oneof![Just(0u64), 1u64..500],
        servers in 1u32..5,
    ) {
        let load: Vec<(Nanos, Request)> = load
            .iter()
            .zip(0..)
            .scan(0, |at, (&(gap, op), slot)| {
                *at += gap;
                Some((*at, match op {
                    0 | 1 => Request::flush(slot),
                    8 => Request::trim(slot, 4096, 4096),
                    2..6 => Request::write(slot, 4096, 4096),
                    _ => Request::read(slot, 4096, 4096),
                }))
            })
            .collect();
        let flush = format!("[flush]\nservice_us = {service_us}");
        let mut model = model(&flush, &format!("service_us = 60\nservers = {servers}"));
        let completions = run(&mut model, &load);
        prop_assert_eq!(completions.len(), load.len());
        prop_assert!(completions.is_sorted_by_key(|&(_, at)| at));
        let mut done = vec![0; load.len()];
        completions.iter().for_each(|&(slot, at)| done[slot as usize] = at);
        let mut last_write = 0;
        for ((arrival, request), done) in load.iter().zip(done) {
            match request.op {
                Op::Write => last_write = last_write.max(done),
                Op::Flush => prop_assert_eq!(done, last_write.max(*arrival) + service_us * 1_000),
                Op::Trim => prop_assert_eq!(done, *arrival, "a trim waits for nothing"),
                Op::Read => {}
            }
        }
    }
}
