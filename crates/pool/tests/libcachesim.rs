//! The same misses as libCacheSim on the same traces.
//!
//! `libcachesim/record.py` has the traces a second time, ran libCacheSim on them and wrote
//! `libcachesim/misses.csv`.

use std::collections::HashMap;
use std::ops::ControlFlow;

use leadline_pool::policy::{Page, Policy, PolicyKind, Verdict, Visitor, Walk};

const REQUESTS: usize = 60_000;
const RECORDED: &str = include_str!("libcachesim/misses.csv");

/// rand() of the GNU C library: r[i] = r[i - 3] + r[i - 31], without the lowest bit.
struct GlibcRand {
    last_31: [u32; 31],
    next: usize,
}

impl GlibcRand {
    fn new(seed: u32) -> Self {
        let mut last_31 = [seed; 31];
        for i in 1..31 {
            last_31[i] = (16807 * u64::from(last_31[i - 1]) % 2_147_483_647) as u32;
        }
        // The first three values are the seeds again; 310 more are thrown away.
        let mut rand = GlibcRand { last_31, next: 3 };
        for _ in 0..310 {
            rand.draw();
        }
        rand
    }

    fn draw(&mut self) -> u64 {
        let sum = self.last_31[self.next].wrapping_add(self.last_31[(self.next + 28) % 31]);
        self.last_31[self.next] = sum;
        self.next = (self.next + 1) % 31;
        u64::from(sum >> 1)
    }

    /// Each of 2^12 pages, the first 2^11, ..., the first 2 are as likely to be drawn from: density near 1 /
    /// page.
    fn zipf(&mut self) -> Page {
        let pages = 2 << (self.draw() % 12);
        self.draw() % pages
    }
}

fn trace(name: &str) -> Vec<Page> {
    let requests = 0..REQUESTS as u64;
    match name {
        "zipf" => {
            let mut rand = GlibcRand::new(1);
            requests.map(|_| rand.zipf()).collect()
        }
        "skewed" => {
            let mut rand = GlibcRand::new(2);
            let mut draw = || if rand.draw() % 10 < 9 { rand.draw() % 500 } else { 500 + rand.draw() % 4500 };
            requests.map(|_| draw()).collect()
        }
        "scans" => {
            let mut rand = GlibcRand::new(3);
            let mut draw = |i: u64| match (i / 2500, i % 2500) {
                (_, ..2000) => rand.zipf(),
                (scan, step) => 10_000 + scan % 20 * 500 + step - 2000,
            };
            requests.map(&mut draw).collect()
        }
        "loop" => {
            let mut rand = GlibcRand::new(4);
            requests.map(|i| if i % 4 != 0 { i % 1100 } else { (i + rand.draw() % 200) % 1100 }).collect()
        }
        other => panic!("misses.csv names a trace {other} that this test does not have"),
    }
}

/// Counts misses of a pool of so many frames.
struct Misses<'a> {
    pages: &'a [Page],
    frames: u32,
}

impl Visitor for Misses<'_> {
    type Output = u64;

    fn visit<P: Policy + 'static>(self, mut policy: P) -> u64 {
        let mut frame_of = HashMap::new();
        let mut held = Vec::new();
        let mut misses = 0;
        for &page in self.pages {
            if let Some(&frame) = frame_of.get(&page) {
                policy.hit(frame, false);
                continue;
            }
            misses += 1;
            policy.missed(page);
            let frame = if held.len() < self.frames as usize {
                held.push(page);
                held.len() as u32 - 1
            } else {
                let (mut passed, mut victim) = (Vec::new(), None);
                policy.walk(&mut |frame, verdict| match verdict {
                    Verdict::SecondChance => {
                        passed.push(frame);
                        ControlFlow::Continue(())
                    }
                    Verdict::Evict | Verdict::Later => {
                        victim = Some(frame);
                        ControlFlow::Break(())
                    }
                });
                let victim = victim.expect("a full pool has a victim");
                let old = std::mem::replace(&mut held[victim as usize], page);
                policy.passed(&passed, Walk::Eviction);
                policy.evict(victim, old);
                frame_of.remove(&old);
                victim
            };
            frame_of.insert(page, frame);
            policy.insert(frame, page, false);
        }
        misses
    }
}

#[test]
fn glibc_rand_is_glibc_rand() {
    let mut rand = GlibcRand::new(1);
    assert_eq!([rand.draw(), rand.draw(), rand.draw()], [1_804_289_383, 846_930_886, 1_681_692_777]);
}

#[test]
fn misses_as_often_as_libcachesim() {
    let mut traces = HashMap::new();
    let mut differences = Vec::new();
    let mut compared = 0;
    for line in RECORDED.lines().skip(2) {
        let [name, policy, frames, recorded] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("misses.csv: {line}: expected four fields")
        };
        let kind = PolicyKind::parse(policy).expect("misses.csv names a policy there is");
        let frames: u32 = frames.parse().expect("frames");
        let recorded: u64 = recorded.parse().expect("misses");
        let pages = traces.entry(name).or_insert_with(|| trace(name));
        let misses = kind.visit(frames, Misses { pages, frames });
        if misses != recorded {
            differences.push(format!("{line}: {misses} here"));
        }
        compared += 1;
    }
    assert_eq!(compared, 4 * 7 * 4);
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}
