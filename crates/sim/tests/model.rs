//! A model driven by a clock that is not its own, as an emulator drives it, times requests as the simulated
//! device does.

use leadline_device::{Completion, Device, NEVER, Nanos, QueueShape, Request};
use leadline_sim::{DeviceModel, ParametricModel, ParametricSpec, open, open_model};
use proptest::prelude::*;

fn model(read: &str, write: &str) -> ParametricModel {
    let toml = format!("kind = \"parametric\"\ncapacity = \"1G\"\n[read]\n{read}\n[write]\n{write}\n");
    ParametricModel::new(&ParametricSpec::parse(&toml, "test.toml").unwrap())
}

fn advance(model: &mut dyn DeviceModel, now: Nanos) -> Vec<Completion> {
    let mut completions = Vec::new();
    model.advance(now, &mut completions);
    completions
}

#[test]
fn requests_of_any_length_and_place_take_what_their_bytes_take() {
    let mut model = model("servers = 9\nservice_us = 10\nper_kib_us = 1.024", "servers = 1\nservice_us = 1");
    for (slot, len) in [(0, 1), (u32::MAX, 511), (5, 4097), (6, i32::MAX as u32)] {
        model.arrive(&Request::read(slot, 13, len), 100);
        let done = 100 + 10_000 + Nanos::from(len);
        assert_eq!(model.next_completion(), Some(done), "{len} bytes");
        assert_eq!(advance(&mut model, done), [Completion { slot, result: len as i32, at: done }]);
    }
    assert_eq!((model.next_completion(), model.in_flight()), (None, 0));
}

#[test]
fn a_late_caller_gets_all_that_is_due_in_order_with_the_exact_times() {
    let mut model = model("servers = 2\nservice_us = 10", "servers = 1\nservice_us = 10");
    for slot in [8, 3, 5] {
        model.arrive(&Request::read(slot, 0, 4096), 1_000);
    }
    model.arrive(&Request::write(1, 0, 4096), 1_000);
    model.arrive(&Request::flush(2), 2_000);
    assert_eq!((model.in_flight(), advance(&mut model, 10_999).len()), (5, 0));
    let all: Vec<(u32, i32, Nanos)> =
        advance(&mut model, 1_000_000).iter().map(|c| (c.slot, c.result, c.at)).collect();
    let ties = [(8, 4096, 11_000), (3, 4096, 11_000), (1, 4096, 11_000), (2, 0, 11_000)];
    assert_eq!(all[..4], ties, "in the order of arrival");
    assert_eq!(all[4..], [(5, 4096, 21_000)]);
    assert_eq!(model.in_flight(), 0);
}

#[test]
fn a_trim_completes_as_it_arrives_and_takes_no_server() {
    let mut model = model("servers = 1\nservice_us = 10", "servers = 1\nservice_us = 10");
    model.arrive(&Request::write(0, 0, 4096), 1_000);
    model.arrive(&Request::trim(1, 0, i32::MAX as u32), 2_000);
    assert_eq!(model.next_completion(), Some(2_000));
    let trimmed = Completion { slot: 1, result: i32::MAX, at: 2_000 };
    assert_eq!(advance(&mut model, 2_000), [trimmed]);
    model.arrive(&Request::write(2, 0, 4096), 2_000);
    let all: Vec<(u32, Nanos)> = advance(&mut model, NEVER).iter().map(|c| (c.slot, c.at)).collect();
    assert_eq!(all, [(0, 11_000), (2, 21_000)]);
}

#[test]
fn a_trim_takes_no_room_under_a_cap() {
    let toml = "kind = \"parametric\"\ncapacity = \"1G\"\ncap_iops = 10\n\
                [read]\nservice_us = 1\nservers = 1\n[write]\nservice_us = 1\nservers = 1\n";
    let mut model = ParametricModel::new(&ParametricSpec::parse(toml, "test.toml").unwrap());
    model.arrive(&Request::trim(0, 0, 4096), 5);
    model.arrive(&Request::trim(1, 0, 4096), 5);
    model.arrive(&Request::read(2, 0, 4096), 5);
    let all: Vec<Nanos> = advance(&mut model, NEVER).iter().map(|c| c.at).collect();
    assert_eq!(all, [5, 5, 1_005]);
}

#[test]
fn what_has_no_model_is_refused_as_by_open() {
    let (mut flash, description) = open_model("flash").unwrap();
    assert_eq!(flash.geometry(), open("flash").unwrap().geometry());
    assert_eq!(description.class.as_deref(), Some("flash ssd"));
    assert!(advance(&mut *flash, 1).is_empty());
    for name in ["flahs", "p4510", "./nowhere.toml"] {
        let message = |error: leadline_sim::SimError| error.to_string();
        assert_eq!(open_model(name).err().map(message), open(name).err().map(message));
    }
}

const DEVICES: [&str; 6] = ["flash", "optane", "sata", "capped", "p4800x-xpoint", "hdd-disk"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Gaps between arrivals, and what arrives.
    #[test]
    fn the_model_and_the_device_in_virtual_time_agree(
        device in prop::sample::select(DEVICES.to_vec()),
        load in prop::collection::vec((0u64..200_000, 0u32..11, 1u32..64, 0u64..1000), 1..60),
    ) {
        let requests = load.iter().zip(0..).scan(0, |at, (&(gap, op, blocks, place), slot)| {
            *at += gap;
            let (offset, len) = (place << 16, blocks * 512);
            Some((*at, match op {
                0 => Request::flush(slot),
                1..5 => Request::write(slot, offset, len),
                10 => Request::trim(slot, offset, len),
                _ => Request::read(slot, offset, len),
            }))
        });
        let (mut model, _) = open_model(device).unwrap();
        let simulated = open(device).unwrap();
        let mut queue = simulated.queue_pair(QueueShape::new(60, 1 << 20)).unwrap();
        let (mut by_model, mut by_queue) = (Vec::new(), Vec::new());
        for (at, request) in requests {
            model.advance(at, &mut by_model);
            model.arrive(&request, at);
            // Past everything due by then, to the moment of arrival.
            while queue.now() < at {
                queue.reap(u32::MAX, at, &mut by_queue).unwrap();
            }
            queue.submit(request).unwrap();
        }
        model.advance(NEVER, &mut by_model);
        queue.reap(u32::MAX, NEVER, &mut by_queue).unwrap();
        prop_assert_eq!(by_model, by_queue);
    }
}
