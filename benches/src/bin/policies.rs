//! What a replacement policy costs an operation of a pool: 20,000 frames, 344,066 pages, half of the
//! operations writes.

use std::ops::ControlFlow;

use leadline_device::clock::process_cpu_time;
use leadline_pool::policy::{Frame, Page, Policy, PolicyKind, Verdict, Visitor, Walk};

const PAGES: Page = 344_066;
const FRAMES: u32 = 20_000;
const OPERATIONS: usize = 1_000_000;
const ROUNDS: usize = 5;
const NOWHERE: Frame = Frame::MAX;

fn main() {
    let skewed = operations(|random| {
        // Nine of ten go to a tenth of the pages.
        let hot = random.u32(..10) < 9;
        if hot { random.u64(..PAGES / 10) } else { random.u64(PAGES / 10..PAGES) }
    });
    let uniform = operations(|random| random.u64(..PAGES));
    // In turns, so that what else goes on in the machine hits all alike.
    let mut columns = vec![[(); 4].map(|()| Column::default()); PolicyKind::ALL.len()];
    for _ in 0..ROUNDS {
        for (&kind, columns) in PolicyKind::ALL.iter().zip(&mut columns) {
            let [skewed_static, skewed_dyn, uniform_static, uniform_dyn] = columns;
            skewed_static.run(|| kind.visit(FRAMES, Run { operations: &skewed }));
            skewed_dyn.run(|| Run { operations: &skewed }.visit(kind.build(FRAMES)));
            uniform_static.run(|| kind.visit(FRAMES, Run { operations: &uniform }));
            uniform_dyn.run(|| Run { operations: &uniform }.visit(kind.build(FRAMES)));
        }
    }
    println!("ns of processor time an operation, the table of pages included: median (lowest) of {ROUNDS}\n");
    println!("| policy | skewed: misses | static | dyn | uniform: misses | static | dyn |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (kind, [skewed_static, skewed_dyn, uniform_static, uniform_dyn]) in
        PolicyKind::ALL.iter().zip(&mut columns)
    {
        println!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            kind.name(),
            skewed_static.misses(),
            skewed_static.ns(),
            skewed_dyn.ns(),
            uniform_static.misses(),
            uniform_static.ns(),
            uniform_dyn.ns()
        );
    }
}

/// What the rounds of one kind came to.
#[derive(Clone, Default)]
struct Column {
    misses: u64,
    ns: Vec<f64>,
}

impl Column {
    fn run(&mut self, run: impl FnOnce() -> u64) {
        let began = process_cpu_time();
        self.misses = run();
        self.ns.push((process_cpu_time() - began) as f64 / OPERATIONS as f64);
    }

    fn misses(&self) -> String {
        format!("{:.1} %", 100.0 * self.misses as f64 / OPERATIONS as f64)
    }

    fn ns(&mut self) -> String {
        self.ns.sort_unstable_by(f64::total_cmp);
        format!("{:.0} ({:.0})", self.ns[ROUNDS / 2], self.ns[0])
    }
}

fn operations(mut page: impl FnMut(&mut fastrand::Rng) -> Page) -> Vec<(Page, bool)> {
    let mut random = fastrand::Rng::with_seed(1);
    (0..OPERATIONS).map(|_| (page(&mut random), random.bool())).collect()
}

/// The operations on a pool that holds no data; counts misses.
struct Run<'a> {
    operations: &'a [(Page, bool)],
}

impl Visitor for Run<'_> {
    type Output = u64;

    fn visit<P: Policy + 'static>(self, mut policy: P) -> u64 {
        let mut frame_of = vec![NOWHERE; PAGES as usize];
        let mut held = Vec::with_capacity(FRAMES as usize);
        let mut passed = Vec::new();
        let mut misses = 0;
        for &(page, write) in self.operations {
            let frame = frame_of[page as usize];
            if frame != NOWHERE {
                policy.hit(frame, write);
                continue;
            }
            misses += 1;
            policy.missed(page);
            let frame = if held.len() < FRAMES as usize {
                held.push(page);
                held.len() as Frame - 1
            } else {
                let victim = evict(&mut policy, &held, &mut passed);
                frame_of[std::mem::replace(&mut held[victim as usize], page) as usize] = NOWHERE;
                victim
            };
            frame_of[page as usize] = frame;
            policy.insert(frame, page, write);
        }
        misses
    }
}

fn evict<P: Policy>(policy: &mut P, held: &[Page], passed: &mut Vec<Frame>) -> Frame {
    passed.clear();
    let mut victim = 0;
    policy.walk(&mut |frame, verdict| {
        if verdict == Verdict::SecondChance {
            passed.push(frame);
            return ControlFlow::Continue(());
        }
        victim = frame;
        ControlFlow::Break(())
    });
    policy.passed(passed, Walk::Eviction);
    policy.evict(victim, held[victim as usize]);
    victim
}
