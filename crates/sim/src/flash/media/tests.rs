//! The computed states against themselves and against what happens.

use super::blocks::BlockState;
use super::*;

const SPEC: &str = "kind = \"flash\"\ncapacity = \"1G\"\nover_provisioning = 0.1\n\
                    [geometry]\nchannels = 2\ndies_per_channel = 1\npages_per_block = 64\n\
                    page_bytes = 4096\n\
                    [timing]\nread_us = 1\nprogram_us = 1\nerase_us = 1\nbus_mb_per_s = 1000\n";

fn media(state: &str) -> Media {
    media_of(&SPEC.replacen("[geo", &format!("state = \"{state}\"\n[geo"), 1))
}

fn media_of(text: &str) -> Media {
    let spec = FlashSpec::parse(text, "test").unwrap();
    let layout = Layout::new(&spec).unwrap();
    Media::new(&spec, layout)
}

/// Writes one unit on the lane that it is on, and collects until there are enough free blocks.
fn write(media: &mut Media, unit: u32) {
    let lane = media.layout.lane_of_unit(unit);
    while media.is_short(lane) || media.free_blocks(lane) < media.soft {
        assert!(media.choose_victim(lane, false));
        move_some(media, lane);
    }
    media.program(lane, Stream::Host, &[unit]).unwrap();
}

/// Moves a program of the lane's victim, or erases it.
fn move_some(media: &mut Media, lane: u32) {
    let mut units = Vec::new();
    media.gather(lane, &mut units, |_, _| ());
    match units.is_empty() {
        true => media.erased(lane),
        false => assert!(media.program(lane, Stream::Moved, &units).is_some()),
    }
}

fn valid_counts(media: &Media) -> Vec<u32> {
    let full = media.blocks.all.iter().filter(|block| block.state == BlockState::Closed);
    let mut counts: Vec<u32> = full.map(|block| block.valid).collect();
    counts.sort_unstable();
    counts
}

/// The largest distance between two empirical distributions (Kolmogorov and Smirnov).
fn distance(a: &[u32], b: &[u32]) -> f64 {
    let share = |of: &[u32], value: u32| of.partition_point(|&x| x <= value) as f64 / of.len() as f64;
    a.iter().chain(b).map(|&value| (share(a, value) - share(b, value)).abs()).fold(0.0, f64::max)
}

#[test]
fn what_is_computed_is_consistent_both_ways() {
    for state in ["steady", "filled"] {
        let media = media(state);
        let mut valid = 0;
        for at in 0..media.layout.blocks() * media.layout.block_units {
            let block = &media.blocks.all[(at / media.layout.block_units) as usize];
            let Some(unit) = Some(at).filter(|_| block.initial).and_then(|at| media.valid_unit(at)) else {
                continue;
            };
            assert_eq!(media.lookup(unit), Some(at), "{state}, unit {unit}");
            valid += 1;
        }
        assert_eq!(valid, media.layout.lane_logical * media.layout.lanes, "each unit is somewhere");
    }
    assert!((0..1000).all(|unit| media("fresh").lookup(unit).is_none()));
}

#[test]
fn the_computed_steady_state_is_that_after_a_long_time() {
    let (computed, mut simulated) = (media("steady"), media("filled"));
    let units = simulated.layout.lane_logical * simulated.layout.lanes;
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..4 * units {
        write(&mut simulated, random.u32(..units));
    }
    let (a, b) = (valid_counts(&computed), valid_counts(&simulated));
    // Critical value for 1 % at these sizes.
    let critical = 1.63 * ((a.len() + b.len()) as f64 / (a.len() * b.len()) as f64).sqrt();
    let found = distance(&a, &b);
    println!("distance {found:.4}, critical {critical:.4}");
    assert!(found < critical, "{found} is not below {critical}");
    // A state that only looks similar is told apart.
    let fuller: Vec<u32> = a.iter().map(|&count| (count + 4).min(64)).collect();
    assert!(distance(&fuller, &b) > critical);
}

/// The largest and the smallest number of erases of a block.
fn erases(media: &Media) -> (u32, u32) {
    let erases = || media.blocks.all.iter().map(|block| block.erases);
    (erases().max().unwrap(), erases().min().unwrap())
}

#[test]
fn wear_levelling_keeps_blocks_within_its_spread() {
    // A hundredth of the drive is written all the time, the rest never.
    let after = |spread: u32| {
        let text = SPEC.replace("\"1G\"", "\"32M\"");
        let mut media = media_of(&format!("{text}[wear]\nspread = {spread}\n"));
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..400_000 {
            let unit = random.u32(..80);
            write(&mut media, unit);
        }
        (erases(&media), media.wear.erases)
    };
    let ((most, least), without) = after(0);
    assert!(least == 0 && most > 200, "{most} and {least}");
    for spread in [10, 20, 80] {
        let ((most, least), erases) = after(spread);
        println!("spread {spread}: {least} to {most}, {erases} erases, without levelling {without}");
        // Blocks are put to use one at a time.
        assert!(most - least <= spread + 8, "{spread}: {most} and {least}");
        assert!(erases < without * 7 / 5, "{erases} and {without}");
    }
}

/// What must hold whatever happened: where a unit is says that it has that unit, each block has as many valid
/// units as it says, and every block is where its state says.
fn check(media: &Media) {
    let Layout { block_units, lanes, .. } = media.layout;
    let mapped = (0..media.layout.lane_logical * lanes + media.layout.parts)
        .filter_map(|unit| media.lookup(unit).map(|at| (unit, at)));
    let mut valid = vec![0; media.blocks.all.len()];
    for (unit, at) in mapped {
        assert_eq!(media.valid_unit(at), Some(unit), "at {at}");
        valid[(at / block_units) as usize] += 1;
    }
    assert_eq!(valid, media.valid_counts().collect::<Vec<_>>(), "valid units of each block");
    for lane in 0..lanes {
        let first = lane * media.layout.lane_blocks();
        let all = first..first + media.layout.lane_blocks();
        let of_state = |state| {
            let blocks = all.clone().filter(move |block| media.blocks.all[*block as usize].state == state);
            blocks.collect::<Vec<u32>>()
        };
        let sorted = |blocks: &mut dyn Iterator<Item = u32>| {
            let mut blocks: Vec<u32> = blocks.collect();
            blocks.sort_unstable();
            blocks
        };
        let entry = &media.lanes[lane as usize];
        let free = sorted(&mut entry.free.iter().chain(&entry.slc_free).copied());
        assert_eq!(free, of_state(BlockState::Free));
        assert_eq!(sorted(&mut entry.cached.iter().copied()), of_state(BlockState::Cached));
        let open = sorted(&mut entry.host.iter().chain(&entry.moved).map(|open| open.block));
        assert_eq!(open, of_state(BlockState::Open));
        let victim = sorted(&mut entry.victim.iter().map(|victim| victim.block));
        assert_eq!(victim, of_state(BlockState::Victim));
        let fewest = of_state(BlockState::Closed).into_iter().map(|block| valid[block as usize]).min();
        let found = media.blocks.clone().fewest_valid(lane).map(|block| valid[block as usize]);
        assert_eq!(found, fewest, "the closed block from which least is moved");
    }
}

#[test]
fn whatever_is_written_trimmed_and_collected_mapping_and_blocks_agree() {
    let small = SPEC.replace("\"1G\"", "\"16M\"");
    for (state, more) in [
        ("steady", ""),
        ("filled", "[gc]\npolicy = \"cost-benefit\"\n"),
        ("fresh", "[gc]\npolicy = \"windowed\"\n[wear]\nspread = 5\n"),
        ("filled", "[slc]\nbytes = \"1M\"\nread_us = 1\nprogram_us = 1\nidle_ms = 1\n"),
    ] {
        let text = format!("{}{more}", small.replacen("[geo", &format!("state = \"{state}\"\n[geo"), 1));
        let mut media = media_of(&text);
        check(&media);
        let units = media.layout.lane_logical * media.layout.lanes;
        let mut random = fastrand::Rng::with_seed(7);
        for step in 0..30_000 {
            let (unit, block) = (random.u32(..units), random.u32(..media.layout.blocks()));
            match random.u8(..100) {
                0..5 => media.trim(unit),
                5 => media.refresh(block),
                6..10 => {
                    // The host is idle.
                    let lane = random.u32(..media.layout.lanes);
                    if media.choose_victim(lane, true) {
                        move_some(&mut media, lane);
                    }
                }
                _ => write(&mut media, unit),
            }
            if step % 1000 == 0 {
                check(&media);
            }
        }
        check(&media);
        assert!(media.wear.erases > 0, "{text}");
    }
}
