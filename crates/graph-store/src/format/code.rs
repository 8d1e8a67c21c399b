//! How a sorted list of neighbours is written: differences in a byte code that SIMD decodes four at a time.
//!
//! A list of `count` values is a varint of `count`, then `ceil(count / 4)` control bytes, then the data. Two
//! bits of control a value say how many bytes (1 to 4) its difference takes, little-endian (Stream VByte:
//! Lemire, Kurz, Rupp, "Stream VByte: Faster Byte-Oriented Integer Compression", Information Processing
//! Letters 130, 2018). The first difference is to the vertex that owns the list, zigzagged, since neighbours
//! are often near; all others are to the value before.
//!
//! The decoder reads 16 bytes at a time, so 16 bytes that exist must follow every list: a block ends with
//! that many zeros.
#![allow(unsafe_code)]

use std::hint::cold_path;

use super::Vertex;
use lanes::Lanes;
#[cfg(not(target_arch = "x86_64"))]
use portable as lanes;

/// Bytes that must exist behind the last byte of a list.
pub(crate) const SLACK: usize = 16;

/// Appends a list (ascending, repeats allowed) of `owner`.
pub(crate) fn encode(owner: Vertex, list: impl ExactSizeIterator<Item = Vertex>, out: &mut Vec<u8>) {
    let count = list.len();
    if count == 0 {
        return;
    }
    put_varint(count as u32, out);
    let controls = out.len();
    let mut at = controls + count.div_ceil(4);
    // Each difference is written whole, and the next over its upper bytes.
    out.resize(at + 4 * count, 0);
    let (mut before, mut control) = (0, 0);
    for (i, value) in list.enumerate() {
        debug_assert!(i == 0 || value >= before, "neighbours in order");
        let difference = if i == 0 { zigzag(value.wrapping_sub(owner)) } else { value.wrapping_sub(before) };
        before = value;
        out[at..at + 4].copy_from_slice(&difference.to_le_bytes());
        let bytes = byte_count(difference);
        at += bytes;
        control |= (bytes as u8 - 1) << (i % 4 * 2);
        if i % 4 == 3 || i + 1 == count {
            out[controls + i / 4] = std::mem::take(&mut control);
        }
    }
    out.truncate(at);
}

/// Reads the count in front of a list: it and the place behind it; nothing where it is not a count.
#[inline]
pub(crate) fn count(bytes: &[u8]) -> Option<(usize, usize)> {
    let first = *bytes.first()?;
    if first < 0x80 {
        return Some((first as usize, 1));
    }
    let mut value = (first & 0x7f) as usize;
    for at in 1..5 {
        let byte = *bytes.get(at)?;
        value |= ((byte & 0x7f) as usize) << (7 * at);
        if byte < 0x80 {
            return Some((value, at + 1));
        }
    }
    None
}

/// Bytes that a list of `count` takes, controls included; nothing where they are not all there. `bytes`
/// begins with the controls.
pub(crate) fn length(count: usize, bytes: &[u8]) -> Option<usize> {
    let controls = bytes.get(..count.div_ceil(4))?;
    let wide = |i: usize| usize::from(controls[i / 4] >> (i % 4 * 2) & 3) + 1;
    let length = controls.len() + (0..count).map(wide).sum::<usize>();
    (length <= bytes.len()).then_some(length)
}

/// Some consecutive values of a list: the first `len` of four. All groups of a list but the last have four.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The values, ascending.
    pub values: [Vertex; 4],
    /// How many of them there are, 1 to 4.
    pub len: usize,
}

/// How compressed lists are decoded: with SSSE3 on x86-64 processors that have it.
#[derive(Debug, Clone, Copy)]
pub struct Decoder {
    /// Set only by [`Decoder::detect`], so that where it is set the processor has SSSE3.
    ssse3: bool,
}

impl Decoder {
    /// The fastest decoder that this processor can run.
    pub(crate) fn detect() -> Decoder {
        #[cfg(target_arch = "x86_64")]
        let ssse3 = is_x86_feature_detected!("ssse3");
        #[cfg(not(target_arch = "x86_64"))]
        let ssse3 = false;
        Decoder { ssse3 }
    }

    /// The values of a list of `count`. `bytes` begins with the controls and has [`SLACK`] bytes after the
    /// list; where the list would run past their end, the groups end there.
    #[inline(always)]
    pub(crate) fn groups(self, owner: Vertex, count: usize, bytes: &[u8]) -> Groups<'_> {
        let list = bytes.split_at_checked(count.div_ceil(4)).and_then(|(controls, data)| {
            let zigzagged = u32::from_le_bytes(*data.first_chunk()?) & mask(*controls.first()?);
            // What is added to the first difference is chosen so that the sum comes out right.
            let before = owner.wrapping_add(unzigzag(zigzagged)).wrapping_sub(zigzagged);
            Some((controls, data, before))
        });
        let left = if list.is_some() { count } else { 0 };
        let (controls, data, before) = list.unwrap_or_default();
        let last = lanes::splat(before);
        Groups { decoder: Some(self), controls: controls.iter(), data, at: 0, left, last }
    }
}

/// The values of a list, four at a time. An iterator and not a fold over a closure, so that what is computed
/// from them is part of the loop that decodes, whatever the compiler thinks of its size.
#[derive(Debug, Clone)]
pub struct Groups<'a> {
    /// None where values are plain numbers: then `data` has what is left of them, and the rest is not used.
    decoder: Option<Decoder>,
    controls: std::slice::Iter<'a, u8>,
    data: &'a [u8],
    /// Where the next group begins in `data`.
    at: usize,
    /// Values that are left; wraps around behind the last group.
    left: usize,
    /// The value before, in each lane.
    last: Lanes,
}

impl<'a> Groups<'a> {
    /// Plain little-endian numbers.
    #[inline(always)]
    pub(crate) fn plain(data: &'a [u8]) -> Groups<'a> {
        let last = lanes::splat(0);
        Groups { decoder: None, controls: [].iter(), data, at: 0, left: 0, last }
    }

    /// How many values there are, all groups together, where none was taken yet.
    #[inline]
    pub fn values(&self) -> usize {
        if self.decoder.is_some() { self.left } else { self.data.len() / 4 }
    }

    #[inline(always)]
    fn next_plain(&mut self) -> Option<Group> {
        let (here, rest) = self.data.split_at(self.data.len().min(16));
        self.data = rest;
        let mut values = [0; 4];
        for (value, raw) in values.iter_mut().zip(here.as_chunks().0) {
            *value = u32::from_le_bytes(*raw);
        }
        (!here.is_empty()).then_some(Group { values, len: here.len() / 4 })
    }
}

impl Iterator for Groups<'_> {
    type Item = Group;

    #[inline(always)]
    fn next(&mut self) -> Option<Group> {
        let Some(decoder) = self.decoder else { return self.next_plain() };
        let control = *self.controls.next()?;
        if self.at + SLACK > self.data.len() {
            return None;
        }
        // SAFETY: that many bytes are there, as was just seen.
        let here: &[u8; SLACK] = unsafe { &*self.data.as_ptr().add(self.at).cast() };
        self.at += usize::from(LENGTH[usize::from(control)]);
        let differences = if decoder.ssse3 {
            // SAFETY: `Decoder::detect` found SSSE3.
            unsafe { lanes::spread_ssse3(here, control) }
        } else {
            cold_path();
            lanes::spread(here, control)
        };
        let values;
        (values, self.last) = lanes::sums(differences, self.last);
        let len = self.left.min(4);
        self.left = self.left.wrapping_sub(4);
        Some(Group { values, len })
    }
}

/// For each control byte, how many bytes the four values take together.
static LENGTH: [u8; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 256 {
        table[control] = (4 + (control & 3) + (control >> 2 & 3) + (control >> 4 & 3) + (control >> 6)) as u8;
        control += 1;
    }
    table
};

/// The bytes of four that the value takes whose control is in the lowest two bits.
#[inline]
fn mask(control: u8) -> u32 {
    u32::MAX >> (24 - 8 * (control & 3))
}

/// The four differences of a group, each in a lane of 4 bytes.
#[inline(always)]
fn differences(raw: &[u8; SLACK], control: u8) -> [u32; 4] {
    let mut at = 0;
    [0, 2, 4, 6].map(|shift| {
        let control = control >> shift;
        // SAFETY: the values before this one take at most 12 bytes of the 16.
        let value = unsafe { raw.as_ptr().add(at).cast::<[u8; 4]>().read() };
        at += usize::from(control & 3) + 1;
        u32::from_le_bytes(value) & mask(control)
    })
}

/// Four numbers side by side: in a register of x86-64.
#[cfg(target_arch = "x86_64")]
mod lanes {
    use std::arch::x86_64::*;

    use super::{SLACK, Vertex, differences};

    pub(super) type Lanes = __m128i;

    /// For each control byte, where the four values' bytes go.
    static SHUFFLE: [[u8; 16]; 256] = {
        let mut table = [[0x80; 16]; 256];
        let mut control = 0;
        while control < 256 {
            let (mut from, mut lane) = (0, 0);
            while lane < 4 {
                let wide = (control >> (2 * lane) & 3) + 1;
                let mut byte = 0;
                while byte < wide {
                    table[control][4 * lane + byte] = from;
                    from += 1;
                    byte += 1;
                }
                lane += 1;
            }
            control += 1;
        }
        table
    };

    #[inline(always)]
    pub(super) fn splat(value: u32) -> Lanes {
        // SAFETY: SSE2 belongs to x86-64.
        unsafe { _mm_set1_epi32(value as i32) }
    }

    /// The four differences of a group.
    ///
    /// `pshufb` is written in assembly where the crate is not compiled for SSSE3: the intrinsic is inlined
    /// only into functions that are, and the loops of callers are not, so that every group would cost a call.
    ///
    /// # Safety
    /// The processor must have SSSE3.
    #[inline(always)]
    pub(super) unsafe fn spread_ssse3(raw: &[u8; SLACK], control: u8) -> Lanes {
        // SAFETY: both are 16 bytes long; loads take any alignment.
        let (raw, shuffle) = unsafe {
            let shuffle = &SHUFFLE[usize::from(control)];
            (_mm_loadu_si128(raw.as_ptr().cast()), _mm_loadu_si128(shuffle.as_ptr().cast()))
        };
        #[cfg(target_feature = "ssse3")]
        // SAFETY: the crate is compiled for processors with SSSE3.
        return unsafe { _mm_shuffle_epi8(raw, shuffle) };
        #[cfg(not(target_feature = "ssse3"))]
        {
            let mut moved = raw;
            // SAFETY: the caller vouches for SSSE3; the instruction changes nothing but the one register.
            unsafe {
                std::arch::asm!(
                    "pshufb {moved}, {shuffle}",
                    moved = inout(xmm_reg) moved,
                    shuffle = in(xmm_reg) shuffle,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            moved
        }
    }

    /// As [`spread_ssse3`] on any processor. It calls nothing: a call, even one that never happens, would
    /// keep what the loop computes out of registers.
    #[inline(always)]
    pub(super) fn spread(raw: &[u8; SLACK], control: u8) -> Lanes {
        let [a, b, c, d] = differences(raw, control).map(|value| value as i32);
        // SAFETY: SSE2 belongs to x86-64.
        unsafe { _mm_set_epi32(d, c, b, a) }
    }

    /// The values from their differences and the value before; and the last of them in each lane.
    #[inline(always)]
    pub(super) fn sums(differences: Lanes, before: Lanes) -> ([Vertex; 4], Lanes) {
        let mut values = [0; 4];
        // SAFETY: SSE2 belongs to x86-64. `values` is 16 bytes long, and the store takes any alignment.
        unsafe {
            let pairs = _mm_add_epi32(differences, _mm_slli_si128::<4>(differences));
            let sums = _mm_add_epi32(_mm_add_epi32(pairs, _mm_slli_si128::<8>(pairs)), before);
            _mm_storeu_si128(values.as_mut_ptr().cast(), sums);
            (values, _mm_shuffle_epi32::<0xff>(sums))
        }
    }
}

/// Four numbers side by side: an array, on other processors.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "the tests need some of it"))]
mod portable {
    use super::{SLACK, Vertex, differences};

    pub(super) type Lanes = [u32; 4];

    #[inline(always)]
    pub(super) fn splat(value: u32) -> Lanes {
        [value; 4]
    }

    /// # Safety
    /// Never called: there is no SSSE3.
    pub(super) unsafe fn spread_ssse3(raw: &[u8; SLACK], control: u8) -> Lanes {
        spread(raw, control)
    }

    /// The four differences of a group.
    #[inline(always)]
    pub(super) fn spread(raw: &[u8; SLACK], control: u8) -> Lanes {
        differences(raw, control)
    }

    /// The values from their differences and the value before; and the last of them in each lane.
    #[inline(always)]
    pub(super) fn sums(differences: Lanes, before: Lanes) -> ([Vertex; 4], Lanes) {
        let mut last = before[0];
        let values = differences.map(|difference| {
            last = last.wrapping_add(difference);
            last
        });
        (values, [last; 4])
    }
}

fn byte_count(value: u32) -> usize {
    (39 - (value | 1).leading_zeros() as usize) / 8
}

fn zigzag(value: u32) -> u32 {
    value << 1 ^ ((value as i32 >> 31) as u32)
}

#[inline]
fn unzigzag(value: u32) -> u32 {
    value >> 1 ^ (value & 1).wrapping_neg()
}

fn put_varint(mut value: u32, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn round(owner: Vertex, list: &[Vertex]) {
        let mut bytes = Vec::new();
        encode(owner, list.iter().copied(), &mut bytes);
        let end = bytes.len();
        bytes.resize(end + SLACK, 0xff);
        let (n, at) = if list.is_empty() { (0, 0) } else { count(&bytes).unwrap() };
        assert_eq!(n, list.len());
        for decoder in [Decoder::detect(), Decoder { ssse3: false }] {
            let groups = decoder.groups(owner, n, &bytes[at..]);
            let read: Vec<Vertex> =
                groups.flat_map(|Group { values, len }| values.into_iter().take(len)).collect();
            assert_eq!(read, list, "{decoder:?}");
        }
    }

    proptest! {
        #[test]
        fn every_processor_finds_the_same_values(raw in any::<[u8; SLACK]>(), control in any::<u8>(), before in any::<u32>()) {
            let (values, last) = portable::sums(portable::spread(&raw, control), portable::splat(before));
            let (here, here_last) = lanes::sums(lanes::spread(&raw, control), lanes::splat(before));
            assert_eq!((here, lanes::sums(lanes::splat(0), here_last).0), (values, last));
        }
    }

    #[test]
    fn the_edges_of_the_number_range_come_back() {
        round(0, &[]);
        round(0, &[u32::MAX - 1]);
        round(u32::MAX - 1, &[0]);
        round(5, &[0, 0, 0, 255, 256, 65535, 65536, 1 << 24, u32::MAX - 1]);
        round(7, &[7; 9]);
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(owner in any::<u32>(), mut list in prop::collection::vec(any::<u32>(), 0..300)) {
            list.sort_unstable();
            round(owner, &list);
        }

        #[test]
        fn garbage_neither_panics_nor_reads_outside(bytes in prop::collection::vec(any::<u8>(), 0..80), n in 0usize..200) {
            let _ = count(&bytes);
            for decoder in [Decoder::detect(), Decoder { ssse3: false }] {
                assert!(decoder.groups(3, n, &bytes).map(|group| group.len).sum::<usize>() <= n);
            }
        }
    }
}
