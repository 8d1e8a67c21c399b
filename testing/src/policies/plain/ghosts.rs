//! The policies that remember pages they gave up, said plainly.

use leadline_pool::policy::{Frame, Page, Verdict};

use super::Plain;

/// Pages remembered, the oldest first, and those that were asked for and are on their way.
#[derive(Clone, Default)]
struct Remembered {
    pages: Vec<Page>,
    asked_for: Vec<Page>,
}

impl Remembered {
    fn asked_for(&mut self, page: Page) -> bool {
        let remembered = self.pages.contains(&page);
        if remembered {
            self.pages.retain(|&other| other != page);
            self.asked_for.push(page);
        }
        remembered
    }
    /// Whether the page had been asked for; a ghost that was read ahead is only forgotten.
    fn came_in(&mut self, page: Page) -> bool {
        let returned = self.asked_for.contains(&page);
        self.asked_for.retain(|&other| other != page);
        self.pages.retain(|&other| other != page);
        returned
    }
    fn remember(&mut self, page: Page, at_most: usize) {
        self.pages.push(page);
        while self.pages.len() > at_most {
            self.pages.remove(0);
        }
    }
}

/// One queue, then the other.
fn one_after_the_other(first: &[Frame], other: &[Frame]) -> Vec<(Frame, Verdict)> {
    all(first, Verdict::Evict).chain(all(other, Verdict::Later)).collect()
}

fn all(frames: &[Frame], verdict: Verdict) -> impl Iterator<Item = (Frame, Verdict)> {
    frames.iter().map(move |&frame| (frame, verdict))
}

fn remove(frames: &mut Vec<Frame>, frame: Frame) -> bool {
    let before = frames.len();
    frames.retain(|&other| other != frame);
    frames.len() < before
}

/// Queues with the oldest first.
#[derive(Clone)]
pub(super) struct TwoQ {
    a1_in: Vec<Frame>,
    am: Vec<Frame>,
    a1_out: Remembered,
    frames: usize,
}

impl TwoQ {
    pub(super) fn new(frames: usize) -> Self {
        TwoQ { a1_in: Vec::new(), am: Vec::new(), a1_out: Remembered::default(), frames }
    }
    /// The queue with the next victim, and the other.
    fn queues(&self) -> (&[Frame], &[Frame]) {
        let from_a1_in = self.a1_in.len() > self.frames / 4 || self.am.is_empty();
        if from_a1_in { (&self.a1_in, &self.am) } else { (&self.am, &self.a1_in) }
    }
}

impl Plain for TwoQ {
    fn copy(&self) -> Box<dyn Plain> {
        Box::new(self.clone())
    }
    fn missed(&mut self, page: Page) {
        self.a1_out.asked_for(page);
    }
    fn insert(&mut self, frame: Frame, page: Page, _dirty: bool) {
        if self.a1_out.came_in(page) {
            self.am.push(frame);
        } else {
            self.a1_in.push(frame);
        }
    }
    fn hit(&mut self, frame: Frame, _write: bool) {
        if remove(&mut self.am, frame) {
            self.am.push(frame);
        }
    }
    fn next(&self) -> Option<(Frame, Verdict)> {
        Some((*self.queues().0.first()?, Verdict::Evict))
    }
    fn evict(&mut self, frame: Frame, page: Page) {
        if remove(&mut self.a1_in, frame) {
            self.a1_out.remember(page, self.frames / 2);
        }
        remove(&mut self.am, frame);
    }
    fn order(&self) -> Vec<(Frame, Verdict)> {
        one_after_the_other(self.queues().0, self.queues().1)
    }
    fn other(&self) -> Vec<(Frame, Verdict)> {
        all(self.queues().1, Verdict::Later).collect()
    }
}

/// What is done with a page of this count, where it stays from so many hits on.
fn looked_at((frame, count): (Frame, u8), stays_from: u8, goes: Verdict) -> (Frame, Verdict) {
    (frame, if count >= stays_from { Verdict::SecondChance } else { goes })
}

/// (frame, count), the oldest first.
#[derive(Clone)]
pub(super) struct S3Fifo {
    small: Vec<(Frame, u8)>,
    main: Vec<(Frame, u8)>,
    ghosts: Remembered,
    frames: usize,
    /// A victim is being sought in the small queue, and it is not left for the main one before it is empty.
    in_small: bool,
    has_evicted: bool,
}

impl S3Fifo {
    fn small_pages(&self) -> usize {
        1.max(self.frames / 10)
    }
    fn main_first(&self) -> bool {
        let main_is_large = self.main.len() > self.frames - self.small_pages();
        self.small.is_empty() || main_is_large && !self.in_small
    }
    fn next_of_small(&self) -> Option<(Frame, Verdict)> {
        self.small.first().map(|&entry| looked_at(entry, 2, Verdict::Evict))
    }
    fn next_of_main(&self) -> Option<(Frame, Verdict)> {
        self.main.first().map(|&entry| looked_at(entry, 1, Verdict::Evict))
    }
    pub(super) fn new(frames: usize) -> Self {
        S3Fifo {
            small: Vec::new(),
            main: Vec::new(),
            ghosts: Remembered::default(),
            frames,
            in_small: false,
            has_evicted: false,
        }
    }
}

impl Plain for S3Fifo {
    fn copy(&self) -> Box<dyn Plain> {
        Box::new(self.clone())
    }
    fn missed(&mut self, page: Page) {
        self.ghosts.asked_for(page);
    }
    fn insert(&mut self, frame: Frame, page: Page, _dirty: bool) {
        let first_fill = !self.has_evicted && self.small.len() >= self.small_pages();
        if self.ghosts.came_in(page) || first_fill {
            self.main.push((frame, 0));
        } else {
            self.small.push((frame, 0));
        }
    }
    fn hit(&mut self, frame: Frame, _write: bool) {
        let mut all = self.small.iter_mut().chain(&mut self.main);
        let entry = all.find(|entry| entry.0 == frame).unwrap();
        entry.1 = 3.min(entry.1 + 1);
    }
    fn next(&self) -> Option<(Frame, Verdict)> {
        if self.main_first() { self.next_of_main() } else { self.next_of_small() }
    }
    fn grant(&mut self, frame: Frame) {
        if let Some(at) = self.small.iter().position(|entry| entry.0 == frame) {
            self.small.remove(at);
            self.main.push((frame, 0));
            self.in_small = true;
        } else {
            let at = self.main.iter().position(|entry| entry.0 == frame).unwrap();
            let (_, count) = self.main.remove(at);
            self.main.push((frame, count - 1));
        }
    }
    fn evict(&mut self, frame: Frame, page: Page) {
        if self.small.iter().any(|entry| entry.0 == frame) {
            self.small.retain(|entry| entry.0 != frame);
            self.ghosts.remember(page, self.frames * 9 / 10);
        }
        self.main.retain(|entry| entry.0 != frame);
        self.in_small = false;
        self.has_evicted = true;
    }
    /// As it happens up to the victim; then the queue that this is in until it is empty, then the other.
    fn order(&self) -> Vec<(Frame, Verdict)> {
        let (mut copy, mut order) = (self.clone(), Vec::new());
        while let Some((frame, Verdict::SecondChance)) = copy.next() {
            order.push((frame, Verdict::SecondChance));
            copy.grant(frame);
        }
        let in_main = copy.main_first();
        while let Some((frame, verdict)) = if in_main { copy.next_of_main() } else { copy.next_of_small() } {
            order.push((frame, verdict));
            match verdict {
                Verdict::SecondChance => copy.grant(frame),
                _ => copy.evict(frame, Page::MAX - Page::from(frame)),
            }
        }
        let left = if in_main { &copy.small } else { &copy.main };
        order.extend(left.iter().map(|&(frame, _)| (frame, Verdict::Later)));
        order
    }
    fn other(&self) -> Vec<(Frame, Verdict)> {
        let (other, stays_from) = if self.main_first() { (&self.small, 2) } else { (&self.main, 1) };
        other.iter().map(|&entry| looked_at(entry, stays_from, Verdict::Later)).collect()
    }
}

/// The lists of figure 4, the oldest first.
#[derive(Clone)]
pub(super) struct Arc {
    t1: Vec<Frame>,
    t2: Vec<Frame>,
    b1: Remembered,
    b2: Remembered,
    p: f64,
    asked_in_b2: bool,
    c: usize,
}

impl Arc {
    pub(super) fn new(c: usize) -> Self {
        let (b1, b2) = (Remembered::default(), Remembered::default());
        Arc { t1: Vec::new(), t2: Vec::new(), b1, b2, p: 0.0, asked_in_b2: false, c }
    }
    /// REPLACE: the list with the next victim, and the other.
    fn lists(&self) -> (&[Frame], &[Frame]) {
        let t1 = self.t1.len() as f64;
        let from_t1 = t1 >= 1.0 && (self.asked_in_b2 && t1 == self.p || t1 > self.p);
        if from_t1 || self.t2.is_empty() { (&self.t1, &self.t2) } else { (&self.t2, &self.t1) }
    }
}

impl Plain for Arc {
    fn copy(&self) -> Box<dyn Plain> {
        Box::new(self.clone())
    }
    fn missed(&mut self, page: Page) {
        let (b1, b2) = (self.b1.pages.len() as f64, self.b2.pages.len() as f64);
        self.asked_in_b2 = false;
        if self.b1.asked_for(page) {
            let delta = if b1 >= b2 { 1.0 } else { b2 / b1 };
            self.p = (self.p + delta).min(self.c as f64);
        } else if self.b2.asked_for(page) {
            let delta = if b2 >= b1 { 1.0 } else { b1 / b2 };
            self.p = (self.p - delta).max(0.0);
            self.asked_in_b2 = true;
        }
    }
    fn insert(&mut self, frame: Frame, page: Page, _dirty: bool) {
        let (from_b1, from_b2) = (self.b1.came_in(page), self.b2.came_in(page));
        if from_b1 || from_b2 {
            self.t2.push(frame);
        } else {
            if self.t1.len() + self.b1.pages.len() == self.c {
                self.b1.pages.remove(0);
            }
            self.t1.push(frame);
        }
        if self.t1.len() + self.t2.len() + self.b1.pages.len() + self.b2.pages.len() > 2 * self.c {
            self.b2.pages.remove(0);
        }
        self.asked_in_b2 = false;
    }
    fn hit(&mut self, frame: Frame, _write: bool) {
        remove(&mut self.t1, frame);
        remove(&mut self.t2, frame);
        self.t2.push(frame);
    }
    fn next(&self) -> Option<(Frame, Verdict)> {
        Some((*self.lists().0.first()?, Verdict::Evict))
    }
    fn order(&self) -> Vec<(Frame, Verdict)> {
        one_after_the_other(self.lists().0, self.lists().1)
    }
    fn other(&self) -> Vec<(Frame, Verdict)> {
        all(self.lists().1, Verdict::Later).collect()
    }
    fn evict(&mut self, frame: Frame, page: Page) {
        if remove(&mut self.t1, frame) {
            self.b1.pages.push(page);
        }
        if remove(&mut self.t2, frame) {
            self.b2.pages.push(page);
        }
    }
}
