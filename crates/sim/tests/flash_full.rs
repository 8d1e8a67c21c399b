//! Drives with hardly any room to work in: they become slow, and never stop.

use leadline_device::{QueuePair, Request};

use crate::flash_drive::{Drive, closed_loop, pause};

const MS: u64 = 1_000_000;

/// Random writes of 4K to units of which `wanted` is true.
fn write_where(queue: &mut dyn QueuePair, count: u64, seed: u64, wanted: impl Fn(u64) -> bool) {
    let units = queue.geometry().capacity_bytes / 4096;
    let mut random = fastrand::Rng::with_seed(seed);
    closed_loop(queue, count, |slot| {
        let unit = std::iter::repeat_with(|| random.u64(..units)).find(|&unit| wanted(unit)).unwrap();
        Request::write(slot, unit * 4096, 4096)
    });
}

#[test]
fn a_die_that_is_full_of_valid_data_takes_part_again_when_some_of_it_is_not() {
    // Two dies, each with half of the pages, and room for two blocks more.
    let drive = Drive::new().set("geometry.channels", "2").set("over_provisioning", "0.0157");
    for depth in [1, 8] {
        let mut queue = drive.queue(depth);
        // What belongs to one of them is written to both, until the other one is full.
        for (seed, die) in [(1, 1), (2, 0), (3, 1), (4, 0)] {
            write_where(&mut *queue, 6_000, seed, |unit| unit % 2 == die);
        }
        write_where(&mut *queue, 10_000, 5, |_| true);
    }
}

#[test]
fn folding_leaves_room_for_collection_while_the_host_writes() {
    // An SLC cache of one block, so that the host's writes pass it by while it is folded.
    let drive = Drive::new()
        .set("state", "\"steady\"")
        .set("over_provisioning", "0.04")
        .set("gc.soft", "2")
        .set("slc.bytes", "\"256K\"")
        .set("slc.read_us", "20")
        .set("slc.program_us", "60")
        .set("slc.idle_ms", "1");
    let mut queue = drive.queue(16);
    for round in 0..100 {
        write_where(&mut *queue, 70 + round % 60, round, |_| true);
        pause(&mut *queue, 3 * MS + round % 40 * MS);
        write_where(&mut *queue, 80 + round % 7 * 20, 1_000 + round, |_| true);
        pause(&mut *queue, round % 3 * 200 * MS);
    }
}

#[test]
fn the_least_over_provisioning_is_enough_whatever_the_policy() {
    for policy in ["\"greedy\"", "\"cost-benefit\"", "\"windowed\""] {
        for (pages, page_bytes) in [("2", "8192"), ("1", "4096"), ("64", "16384"), ("7", "4096")] {
            let drive = Drive::new()
                .set("capacity", "\"4M\"")
                .set("over_provisioning", "0.001")
                .set("gc.policy", policy)
                .set("gc.window", "2")
                .set("geometry.pages_per_block", pages)
                .set("geometry.page_bytes", page_bytes);
            // As much as the message asks for.
            let message = drive.parse().err().map_or_else(String::new, |error| error.to_string());
            let least =
                message.split_once("must be at least ").map(|(_, least)| least.split(' ').next().unwrap());
            let drive = drive.set("over_provisioning", least.unwrap_or("0.001"));
            let mut queue = drive.queue(4);
            write_where(&mut *queue, 3_000, 1, |_| true);
            let amplification = queue.wear().unwrap().write_amplification().unwrap();
            assert!(amplification >= 1.0, "{policy}, {pages} pages: {amplification}");
        }
    }
}
