//! CFLRU: clean pages first, among the pages used longest ago. 13 bytes per frame.
//!
//! Park, Jung, Kang, Kim and Lee, CASES 2006. The window is the third of the pool (rounded down) at the LRU
//! end. The victim is the clean page in it that was used longest ago; with no clean page there, the LRU page.
//!
//! Pages become clean where they stand, in the middle of the order, so a list of clean pages would have to be
//! sorted. Instead every use writes the frame to the end of a log; two bitmaps over the log say which entries
//! are still the frame's last use, and which of these are clean, so the next of either kind is found in log64
//! steps. When the log is full, what still counts moves to its start: at most B of 2 B entries, hence O(1)
//! amortised.

use std::ops::ControlFlow;

use super::bitmap::Bitmap;
use super::{Frame, Page, Policy, Verdict};

/// Clean-first LRU, the window a third of the pool.
#[derive(Debug)]
pub struct Cflru {
    /// Frames by their last use, the oldest first, with gaps where a frame has been used again since.
    log: Vec<Frame>,
    /// Each frame's place in the log, where it is in the pool.
    place: Vec<u32>,
    /// Places that are a frame's last use.
    occupied: Bitmap,
    /// Of them, those of clean pages.
    clean: Bitmap,
    /// The first place never written.
    end: u32,
    /// The window is what is occupied before this place.
    border: u32,
    /// Pages in the window; fewer than `window` only if these are all there are.
    inside: u32,
    /// Pages the window should have.
    window: u32,
}

impl Cflru {
    /// For frames 0 to `frames` - 1, at most 2^29.
    pub fn new(frames: u32) -> Self {
        let places = 2 * frames;
        Cflru {
            log: vec![0; places as usize],
            place: vec![0; frames as usize],
            occupied: Bitmap::new(places),
            clean: Bitmap::new(places),
            end: 0,
            border: 0,
            inside: 0,
            window: frames / 3,
        }
    }

    /// Puts a frame at the MRU end.
    fn append(&mut self, frame: Frame, clean: bool) {
        if self.end as usize == self.log.len() {
            self.compact();
        }
        let place = self.end;
        self.log[place as usize] = frame;
        self.place[frame as usize] = place;
        self.occupied.insert(place);
        if clean {
            self.clean.insert(place);
        }
        self.end += 1;
        if self.inside < self.window {
            self.inside += 1;
            self.border = self.end;
        }
    }

    /// Takes a frame out of the order; says whether its page is clean.
    fn take_out(&mut self, frame: Frame) -> bool {
        let place = self.place[frame as usize];
        let clean = self.clean.contains(place);
        self.occupied.remove(place);
        self.clean.remove(place);
        if place < self.border {
            match self.occupied.next(self.border) {
                Some(entering) => self.border = entering + 1,
                None => self.inside -= 1,
            }
        }
        clean
    }

    /// Moves what is occupied to the start of the log.
    fn compact(&mut self) {
        let mut to = 0;
        let mut next = self.occupied.next(0);
        while let Some(from) = next {
            let frame = self.log[from as usize];
            let clean = self.clean.contains(from);
            self.occupied.remove(from);
            self.clean.remove(from);
            self.log[to as usize] = frame;
            self.place[frame as usize] = to;
            self.occupied.insert(to);
            if clean {
                self.clean.insert(to);
            }
            to += 1;
            next = self.occupied.next(from + 1);
        }
        self.end = to;
        self.border = self.inside;
    }
}

impl Policy for Cflru {
    fn insert(&mut self, frame: Frame, _page: Page, dirty: bool) {
        self.append(frame, !dirty);
    }

    fn hit(&mut self, frame: Frame, write: bool) {
        let clean = self.take_out(frame);
        self.append(frame, clean && !write);
    }

    fn cleaned(&mut self, frame: Frame) {
        self.clean.insert(self.place[frame as usize]);
    }

    fn evict(&mut self, frame: Frame, _page: Page) {
        self.take_out(frame);
    }

    /// The clean pages of the window as it stands, then the others from the LRU end, as the published COW
    /// variant takes them (Papon and Athanassoulis, ICDE 2023).
    fn walk(&self, visit: &mut dyn FnMut(Frame, Verdict) -> ControlFlow<()>) {
        let mut next = self.clean.next(0).filter(|&place| place < self.border);
        while let Some(place) = next {
            if visit(self.log[place as usize], Verdict::Evict).is_break() {
                return;
            }
            next = self.clean.next(place + 1).filter(|&place| place < self.border);
        }
        let mut next = self.occupied.next(0);
        while let Some(place) = next {
            let given_up = place < self.border && self.clean.contains(place);
            if !given_up && visit(self.log[place as usize], Verdict::Evict).is_break() {
                return;
            }
            next = self.occupied.next(place + 1);
        }
    }
}
