//! `rand()` of the GNU C library, bit for bit, so that the traces of the ACE paper come out as its authors'
//! program writes them.
//!
//! The additive feedback generator "TYPE_3" of glibc's `random_r.c`: r(i) = r(i-3) + r(i-31) over 32-bit
//! words, seeded by r(i) = 16807 r(i-1) mod 2^31 - 1, the first 310 outputs thrown away, the lowest bit of
//! each dropped.

const WORDS: usize = 31;

/// The generator.
#[derive(Debug, Clone)]
pub(super) struct GlibcRand {
    /// The last 31 words.
    words: [u32; WORDS],
    next: usize,
}

impl GlibcRand {
    /// As `srand(seed)` leaves it; 0 counts as 1, and 1 is a program that never called it.
    pub(super) fn new(seed: u32) -> GlibcRand {
        let mut word = seed.max(1) as i32;
        // r(0) to r(30), of which r(31) to r(33) repeat the first three: the row begins at r(3).
        let mut words = [0; WORDS];
        for at in 0..WORDS {
            words[(at + WORDS - 3) % WORDS] = word as u32;
            let next = i64::from(word) * 16807 % 0x7fff_ffff;
            word = (if next < 0 { next + 0x7fff_ffff } else { next }) as i32;
        }
        let mut rand = GlibcRand { words, next: WORDS };
        for _ in 0..310 / WORDS {
            rand.refill();
        }
        rand
    }

    /// The next number, from 0 to 2^31 - 1.
    #[inline]
    pub(super) fn next(&mut self) -> u32 {
        if self.next == WORDS {
            self.refill();
            self.next = 0;
        }
        let word = self.words[self.next];
        self.next += 1;
        word >> 1
    }

    /// The next 31 words. In place: the word at i is r(n-31) until r(n) takes its place.
    fn refill(&mut self) {
        for at in 0..3 {
            self.words[at] = self.words[at].wrapping_add(self.words[at + WORDS - 3]);
        }
        for at in 3..WORDS {
            self.words[at] = self.words[at].wrapping_add(self.words[at - 3]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `srand(seed); rand(); ...` gives with glibc 2.41 on x86-64.
    #[test]
    fn numbers_are_those_of_glibc() {
        let first = [
            1804289383, 846930886, 1681692777, 1714636915, 1957747793, 424238335, 719885386, 1649760492,
            596516649, 1189641421, 1025202362, 1350490027, 783368690, 1102520059, 2044897763, 1967513926,
            1365180540, 1540383426, 304089172, 1303455736,
        ];
        for seed in [1, 0] {
            let mut rand = GlibcRand::new(seed);
            assert_eq!(first.map(|_| rand.next()), first, "seed {seed}");
        }
        for (seed, expected) in [
            (2, [1505335290, 1738766719, 190686788, 260874575]),
            (20_230_403, [1015707033, 662304496, 45318863, 441734048]),
            (1 << 31, [1336741213, 1210407648, 1447044896, 337392383]),
            (u32::MAX, [254925627, 1205188300, 366127624, 1401405153]),
        ] {
            let mut rand = GlibcRand::new(seed);
            assert_eq!(expected.map(|_| rand.next()), expected, "seed {seed}");
        }
    }
}
