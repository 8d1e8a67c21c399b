//! `write-amplification` of a simulated flash drive, and of the same drive as plainly as it can be written:
//! blocks as lists of pages, a look at all of them for the one to collect, and its own random numbers.

use std::sync::Arc;

use leadline_device::Device;
use leadline_measure::experiment::{self, ExperimentPlan};
use leadline_profile::{WriteAmplificationRun, WritePattern};
use leadline_sim::DeviceSpec;

const NONE: usize = usize::MAX;
const BLOCK_PAGES: usize = 64;
const SPARE: f64 = 0.12;

/// Blocks that the host leaves alone.
const KEPT: usize = 1;

/// When the drive collects.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Pace {
    /// Evenly, so that the host's next block is free when it is wanted.
    Even,
    /// A page for every two of the host's, and the rest once the host waits for a block.
    Late,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    block: usize,
    used: usize,
}

/// A drive of one die.
struct Brute {
    pace: Pace,
    /// What each block holds; a page is valid where `place` says that it is.
    content: Vec<Vec<usize>>,
    valid: Vec<usize>,
    is_full: Vec<bool>,
    /// When something in each was last written or became invalid, in pages written.
    changed: Vec<u64>,
    place: Vec<(usize, usize)>,
    free: Vec<usize>,
    host: Option<Open>,
    moved: Option<Open>,
    /// The block that is collected, and how many of its pages have been looked at.
    victim: Option<(usize, usize)>,
    /// Pages that are to be moved by now.
    owed: f64,
    written: u64,
}

impl Brute {
    /// A drive of that many pages, written once in sequence.
    fn new(pages: usize, pace: Pace) -> Self {
        // Beyond the spare share: the blocks that collection keeps free or half full.
        let reserve = if pace == Pace::Even { 2 } else { 1 };
        let blocks = (pages as f64 * (1.0 + SPARE) / BLOCK_PAGES as f64).round() as usize + reserve;
        let mut drive = Brute {
            pace,
            content: vec![vec![NONE; BLOCK_PAGES]; blocks],
            valid: vec![0; blocks],
            is_full: vec![false; blocks],
            changed: vec![0; blocks],
            place: vec![(NONE, 0); pages],
            free: (0..blocks).collect(),
            host: None,
            moved: None,
            victim: None,
            owed: 0.0,
            written: 0,
        };
        (0..pages).for_each(|page| drive.write(page));
        drive
    }

    fn write(&mut self, page: usize) {
        let open = self.host.unwrap_or_else(|| {
            while self.free.len() <= KEPT {
                self.move_one();
            }
            self.owed = 0.0;
            Open { block: self.free.remove(0), used: 0 }
        });
        // So that the loop that collects sees the block that the host has taken.
        self.host = Some(open);
        match self.pace {
            Pace::Even => {
                self.owed += self.moves_until_free() / (BLOCK_PAGES - open.used) as f64;
                while self.owed >= 1.0 && self.free.len() <= KEPT {
                    self.owed -= 1.0;
                    self.move_one();
                }
            }
            Pace::Late if open.used.is_multiple_of(2) && self.free.len() <= KEPT => self.move_one(),
            Pace::Late => {}
        }
        self.host = self.put(page, open);
    }

    /// Writes a page; gives the block while it is not full.
    fn put(&mut self, page: usize, open: Open) -> Option<Open> {
        let before = self.place[page].0;
        if before != NONE {
            self.valid[before] -= 1;
            self.changed[before] = self.written;
        }
        self.place[page] = (open.block, open.used);
        self.content[open.block][open.used] = page;
        self.valid[open.block] += 1;
        self.changed[open.block] = self.written;
        self.written += 1;
        let used = open.used + 1;
        self.is_full[open.block] = used == BLOCK_PAGES;
        (used < BLOCK_PAGES).then_some(Open { used, ..open })
    }

    /// The full block with the fewest valid pages; of several, the one unchanged for the longest.
    fn emptiest(&self) -> usize {
        let collected = self.victim.map_or(NONE, |(block, _)| block);
        let full = (0..self.valid.len()).filter(|&block| self.is_full[block] && block != collected);
        full.min_by_key(|&block| (self.valid[block], self.changed[block])).unwrap()
    }

    /// Pages to be moved until the host can have a block, were all blocks as the emptiest is.
    fn moves_until_free(&self) -> f64 {
        if self.free.len() > KEPT {
            return 0.0;
        }
        let room = self.moved.map_or(0, |open| BLOCK_PAGES - open.used);
        let wanted = (KEPT + 1 - self.free.len()) * BLOCK_PAGES - room;
        let moves = self.victim.map_or(0, |(block, _)| self.valid[block]);
        let gained = if self.victim.is_some() { BLOCK_PAGES - moves } else { 0 };
        if gained >= wanted {
            return moves as f64;
        }
        let each = self.valid[self.emptiest()];
        moves as f64 + ((wanted - gained) as f64 / (BLOCK_PAGES - each) as f64).ceil() * each as f64
    }

    /// Moves the next valid page of what is collected; erases it once there are none.
    fn move_one(&mut self) {
        let (victim, mut at) = self.victim.unwrap_or_else(|| (self.emptiest(), 0));
        while at < BLOCK_PAGES && self.place[self.content[victim][at]] != (victim, at) {
            at += 1;
        }
        if at < BLOCK_PAGES {
            let open = self.moved.unwrap_or_else(|| Open { block: self.free.remove(0), used: 0 });
            self.moved = self.put(self.content[victim][at], open);
        }
        self.victim = Some((victim, at + 1));
        if self.valid[victim] == 0 {
            (self.is_full[victim], self.victim) = (false, None);
            self.free.push(victim);
        }
    }
}

/// A linear congruential generator (Knuth's MMIX), its upper half.
struct Random(u64);

impl Random {
    /// From 0 to below 1.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 32) as f64 / (1u64 << 32) as f64
    }
}

/// What a drive amplifies under Zipf's law: by its own count, in `measured` times its pages after `before`
/// times. Ranks are not scattered: a drive that maps every page does not know neighbours.
fn brute(pages: usize, theta: f64, pace: Pace, [before, measured]: [usize; 2]) -> f64 {
    let mut sum = 0.0;
    let sums: Vec<f64> = (1..=pages)
        .map(|rank| {
            sum += (rank as f64).powf(-theta);
            sum
        })
        .collect();
    let mut random = Random(1);
    let mut drive = Brute::new(pages, pace);
    let mut write = |times: usize| {
        let first = drive.written;
        for _ in 0..times * pages {
            let at = random.share() * sum;
            drive.write(sums.partition_point(|&below| below <= at).min(pages - 1));
        }
        (drive.written - first) as f64 / (times * pages) as f64
    };
    write(before);
    write(measured)
}

/// The same drive of the simulator.
fn simulated(pages: usize, pace: Pace) -> impl Device {
    let gc = match pace {
        Pace::Even => "",
        Pace::Late => "[gc]\nsoft = 2\ntokens_per_write = 1000\n",
    };
    let text = format!(
        "kind = \"flash\"\ncapacity = {}\nover_provisioning = {SPARE}\n[geometry]\nchannels = 1\n\
         dies_per_channel = 1\npages_per_block = {BLOCK_PAGES}\npage_bytes = 4096\n[timing]\nread_us = 60\n\
         program_us = 600\nerase_us = 3000\nbus_mb_per_s = 800\n{gc}",
        pages * 4096
    );
    DeviceSpec::parse(&text, "drive.toml").unwrap().device()
}

fn measured(pages: usize, theta: f64, pace: Pace, seed: u64) -> WriteAmplificationRun {
    let drive = simulated(pages, pace);
    let mut plan = ExperimentPlan::new(experiment::WRITE_AMPLIFICATION, drive.geometry(), drive.clock());
    (plan.pattern, plan.seed) = (WritePattern::Zipf(theta), seed);
    let ran = experiment::run(&drive, &plan, &Arc::default(), &mut |_| ()).unwrap();
    ran.found.write_amplification.unwrap().latest
}

/// Under an exponent of 1.2 a block that the host has just filled is emptier than all others and collected
/// next: what a drive amplifies then depends on when it collects.
#[test]
fn drives_amplify_as_they_do_by_brute_force() {
    let (pages, seeds) = if leadline_testing::exhaustive() { (1 << 17, 8) } else { (1 << 14, 2) };
    for theta in [0.0, 0.7, 0.99, 1.2] {
        let [even, late] = [Pace::Even, Pace::Late].map(|pace| {
            let truth = brute(pages, theta, pace, [6, 10]);
            for seed in 1..=seeds {
                let found = measured(pages, theta, pace, seed);
                let said = format!(
                    "theta {theta}, {pace:?}, seed {seed}: {:.3} {:.3?}, by brute force {truth:.3}",
                    found.write_amplification, found.write_amplification_ci
                );
                println!("{said}");
                assert!((found.write_amplification / truth - 1.0).abs() < 0.015, "{said}");
            }
            truth
        });
        assert_eq!(theta > 1.0, late / even > 1.05, "theta {theta}: {even} and {late}");
    }
}
