//! What is valid where is counted exactly, whatever the parts of a drive do with it.

use leadline_device::Request;

use super::media::Media;
use super::{FlashModel, FlashSpec};
use crate::DeviceModel;

const SPEC: &str = "kind = \"flash\"\ncapacity = \"2M\"\nover_provisioning = 0.4\n\
                    [geometry]\nchannels = 2\ndies_per_channel = 1\npages_per_block = 8\n\
                    page_bytes = 8192\n\
                    [timing]\nread_us = 20\nprogram_us = 100\nerase_us = 500\nbus_mb_per_s = 1000\n";

const PARTS: &[(&str, &str)] = &[
    ("[buffer]", "write = \"64K\"\npower_loss_protection = false\n"),
    ("[slc]", "bytes = \"256K\"\nread_us = 10\nprogram_us = 30\nidle_ms = 1\n"),
    ("[mapping]", "fine_entries = 9\n"),
    ("[mapping]", "fine_entries = 50\nunit = 2048\ncache = \"4K\"\n"),
    ("[disturb]", "reads = 15\n"),
    ("[disturb]", "reads = 5\npages = 2\n"),
    ("[wear]", "spread = 2\n"),
    ("[read_ahead]", "bytes = \"32K\"\n"),
];

fn random_request(random: &mut fastrand::Rng, slot: u32) -> Request {
    let len = 512 << random.u32(..7);
    let within = random.u64(1..=2) << 20;
    let offset = random.u64(..(within - u64::from(len)) / 512) * 512;
    match random.u32(..20) {
        0 => Request::flush(slot),
        1..3 => Request::trim(slot, offset, len),
        3 => Request { durable: true, ..Request::write(slot, offset, len) },
        4..14 => Request::write(slot, offset, len),
        _ => Request::read(slot, offset, len),
    }
}

/// Runs a random load; looks at the counts now and then.
fn run(text: &str, seed: u64) {
    let mut model = FlashModel::new(&FlashSpec::parse(text, "test").unwrap_or_else(|e| panic!("{e}")));
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut now, mut completions) = (0, Vec::new());
    for slot in 0..6_000 {
        now += if random.u32(..30) == 0 { random.u64(..4_000_000) } else { random.u64(..200_000) };
        model.arrive(&random_request(&mut random, slot), now);
        if slot % 500 == 0 {
            model.advance(now, &mut completions);
            check(&model.media, text);
        }
    }
    while let Some(due) = model.next_completion() {
        model.advance(due, &mut completions);
    }
    assert_eq!(completions.len(), 6_000);
    check(&model.media, text);
}

/// Each mapped unit is where it is thought to be, and nothing else is valid.
fn check(media: &Media, text: &str) {
    let layout = &media.layout;
    let mut valid = vec![0; layout.blocks() as usize];
    for unit in 0..layout.lane_logical * layout.lanes + layout.parts {
        let Some(at) = media.lookup(unit) else { continue };
        valid[(at / layout.block_units) as usize] += 1;
        assert_eq!(media.valid_unit(at), Some(unit), "{text}");
    }
    let counted: Vec<u32> = media.valid_counts().collect();
    assert_eq!(counted, valid, "{text}");
}

#[test]
fn valid_units_are_counted_exactly() {
    for state in ["fresh", "filled", "steady"] {
        for allocation in ["static", "dynamic"] {
            for (at, (table, fields)) in PARTS.iter().enumerate() {
                let head = format!("state = \"{state}\"\nallocation = \"{allocation}\"\n");
                run(&format!("{head}{SPEC}{table}\n{fields}"), at as u64);
            }
        }
        let (head, tables) = (format!("state = \"{state}\"\n"), [0, 1, 3, 4, 6, 7].map(|at| PARTS[at]));
        let all: String = tables.iter().map(|(table, fields)| format!("{table}\n{fields}")).collect();
        run(&format!("{head}{SPEC}{all}"), 1);
    }
}
