//! Which block is collected next.

use super::blocks::Blocks;
use crate::flash::spec::GcPolicy;

/// The rule, with what it must remember.
#[derive(Debug, Clone)]
pub(super) struct Victims {
    policy: GcPolicy,
    window: usize,
    block_units: u32,
    /// Of `windowed`: the closed blocks of each lane, those closed first in front.
    closed: Vec<std::collections::VecDeque<u32>>,
}

impl Victims {
    pub(super) fn new(policy: GcPolicy, window: u32, lanes: u32, lane_blocks: u32, block_units: u32) -> Self {
        let room = if policy == GcPolicy::Windowed { lane_blocks as usize + 1 } else { 0 };
        let closed = (0..lanes).map(|_| std::collections::VecDeque::with_capacity(room)).collect();
        Victims { policy, window: window as usize, block_units, closed }
    }

    /// A block of a lane is full.
    pub(super) fn closed(&mut self, lane: u32, block: u32) {
        if self.policy == GcPolicy::Windowed {
            self.closed[lane as usize].push_back(block);
        }
    }

    /// The next victim of a lane; `None` where nothing is closed. `now` in units programmed on the lane.
    pub(super) fn next(&self, lane: u32, blocks: &mut Blocks, now: u32) -> Option<u32> {
        match self.policy {
            GcPolicy::Greedy => blocks.fewest_valid(lane),
            GcPolicy::CostBenefit => {
                blocks.fewest_valid(lane)?; // brings the lists' beginning up to date
                let value = |block: u32| self.cost_benefit(block, blocks, now);
                let all = blocks.longest_unchanged(lane);
                // The first of equals: `max_by` would take the last.
                all.map(|block| (value(block), block))
                    .reduce(|best, other| if other.0 > best.0 { other } else { best })
                    .map(|(_, block)| block)
            }
            GcPolicy::Windowed => self.windowed(lane, blocks),
        }
    }

    /// What is gained over what it costs, times how long it has been stable.
    fn cost_benefit(&self, block: u32, blocks: &Blocks, now: u32) -> f64 {
        let block = &blocks.all[block as usize];
        let share = f64::from(block.valid) / f64::from(self.block_units);
        (1.0 - share) / (1.0 + share) * (f64::from(now.wrapping_sub(block.changed)) + 1.0)
    }

    /// A block of a lane is collected, for whatever reason.
    pub(super) fn chosen(&mut self, lane: u32, block: u32) {
        if self.policy == GcPolicy::Windowed {
            let closed = &mut self.closed[lane as usize];
            if let Some(at) = closed.iter().position(|&other| other == block) {
                closed.remove(at);
            }
        }
    }

    fn windowed(&self, lane: u32, blocks: &Blocks) -> Option<u32> {
        let closed = &self.closed[lane as usize];
        let oldest = closed.iter().take(self.window).enumerate();
        let (_, &block) = oldest.min_by_key(|&(_, &block)| blocks.all[block as usize].valid)?;
        Some(block)
    }
}
