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

use std::ops::ControlFlow;

use super::Vertex;

/// Bytes that must exist behind the last byte of a list.
pub(crate) const SLACK: usize = 16;

/// Appends `list` (ascending, repeats allowed) of `owner`.
pub(crate) fn encode(owner: Vertex, list: &[Vertex], out: &mut Vec<u8>) {
    debug_assert!(list.is_sorted());
    let Some(&first) = list.first() else { return };
    put_varint(list.len() as u32, out);
    let controls = out.len();
    out.resize(controls + list.len().div_ceil(4), 0);
    let mut before = first;
    for (i, &value) in list.iter().enumerate() {
        let difference = if i == 0 { zigzag(first.wrapping_sub(owner)) } else { value - before };
        before = value;
        let bytes = byte_count(difference);
        out[controls + i / 4] |= (bytes as u8 - 1) << (i % 4 * 2);
        out.extend_from_slice(&difference.to_le_bytes()[..bytes]);
    }
}

/// Reads the count in front of a list: it and the place behind it; nothing where it is no count.
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

/// How lists are decoded: four values at a time on x86-64 processors with SSSE3, one at a time on all others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decoder {
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "other processors have one decoder"))]
    /// Set only by [`Decoder::detect`], so that where it is set the processor has SSSE3.
    simd: bool,
}

impl Decoder {
    /// The fastest decoder that this processor can run.
    pub(crate) fn detect() -> Decoder {
        #[cfg(target_arch = "x86_64")]
        let simd = is_x86_feature_detected!("ssse3");
        #[cfg(not(target_arch = "x86_64"))]
        let simd = false;
        Decoder { simd }
    }

    /// Folds the values of a list of `count`, four at a time, until `each` breaks. `bytes` begins with the
    /// controls and has [`SLACK`] bytes after the list; where the list would run past their end, the fold
    /// ends there. The accumulator goes in and out by value, so that it stays in registers.
    #[inline]
    pub(crate) fn fold<A>(
        self,
        owner: Vertex,
        count: usize,
        bytes: &[u8],
        all: A,
        each: impl FnMut(A, Group) -> ControlFlow<A, A>,
    ) -> A {
        #[cfg(target_arch = "x86_64")]
        return x86::fold(self, owner, count, bytes, all, each);
        #[cfg(not(target_arch = "x86_64"))]
        scalar(owner, count, bytes, all, each)
    }
}

/// The decoder for every processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn scalar<A>(
    owner: Vertex,
    count: usize,
    bytes: &[u8],
    mut all: A,
    mut each: impl FnMut(A, Group) -> ControlFlow<A, A>,
) -> A {
    let Some((controls, mut data)) = bytes.split_at_checked(count.div_ceil(4)) else { return all };
    let mut last = 0u32;
    for (group, &control) in controls.iter().enumerate() {
        let len = (count - group * 4).min(4);
        let mut values = [0; 4];
        for (i, value) in values[..len].iter_mut().enumerate() {
            let wide = (control >> (i * 2) & 3) as usize + 1;
            let Some((here, rest)) = data.split_at_checked(wide) else { return all };
            data = rest;
            let mut raw = [0; 4];
            raw[..wide].copy_from_slice(here);
            let difference = u32::from_le_bytes(raw);
            let first = group == 0 && i == 0;
            last =
                if first { owner.wrapping_add(unzigzag(difference)) } else { last.wrapping_add(difference) };
            *value = last;
        }
        match each(all, Group { values, len }) {
            ControlFlow::Continue(more) => all = more,
            ControlFlow::Break(done) => return done,
        }
    }
    all
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;
    use std::ops::ControlFlow;

    use super::{Decoder, Group, SLACK, Vertex, unzigzag};

    /// For each control byte, where the four values' bytes go, and how many bytes they take together.
    static SHUFFLE: [[u8; 16]; 256] = shuffles();
    static LENGTH: [u8; 256] = lengths();

    const fn lengths() -> [u8; 256] {
        let mut table = [0; 256];
        let mut control = 0;
        while control < 256 {
            table[control] =
                (4 + (control & 3) + (control >> 2 & 3) + (control >> 4 & 3) + (control >> 6)) as u8;
            control += 1;
        }
        table
    }

    const fn shuffles() -> [[u8; 16]; 256] {
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
    }

    /// `pshufb`: moves the bytes of `raw` to the places that `shuffle` names.
    ///
    /// Written in assembly where the crate is not compiled for SSSE3: the intrinsic is inlined only into
    /// functions that are, and the closures of callers are not, so that every list would cost a call.
    ///
    /// # Safety
    /// The processor must have SSSE3.
    #[inline(always)]
    unsafe fn shuffle_bytes(raw: __m128i, shuffle: __m128i) -> __m128i {
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

    /// What `pshufb` does, for the few processors without it.
    #[cold]
    #[inline(never)]
    fn move_bytes(raw: &[u8; 16], shuffle: &[u8; 16]) -> __m128i {
        let moved = shuffle.map(|from| if from < 16 { raw[usize::from(from)] } else { 0 });
        // SAFETY: SSE2 belongs to x86-64; `moved` is 16 bytes long, and the load takes any alignment.
        unsafe { _mm_loadu_si128(moved.as_ptr().cast()) }
    }

    /// As [`Decoder::fold`]. Both ways share the loop, so that `each` is called in one place and inlined
    /// there.
    #[inline]
    pub(super) fn fold<A>(
        decoder: Decoder,
        owner: Vertex,
        count: usize,
        bytes: &[u8],
        mut all: A,
        mut each: impl FnMut(A, Group) -> ControlFlow<A, A>,
    ) -> A {
        let Some((controls, mut data)) = bytes.split_at_checked(count.div_ceil(4)) else { return all };
        let (Some(&first), Some(zigzagged)) = (controls.first(), data.first_chunk::<4>()) else { return all };
        // The first difference is zigzagged: what is added to it is chosen so that the sum comes out right.
        let zigzagged = u32::from_le_bytes(*zigzagged) & (u32::MAX >> (24 - 8 * (first & 3)));
        let start = owner.wrapping_add(unzigzag(zigzagged)).wrapping_sub(zigzagged);
        // SAFETY: SSE2 belongs to x86-64.
        let mut last = unsafe { _mm_set1_epi32(start as i32) };
        let mut left = count;
        for &control in controls {
            let Some(here) = data.first_chunk::<SLACK>() else { return all };
            let mut values = [0u32; 4];
            let shuffle = &SHUFFLE[control as usize];
            let differences = if decoder.simd {
                // SAFETY: `Decoder::detect` found SSSE3. `here` and the shuffle are 16 bytes long; loads take
                // any alignment.
                unsafe {
                    let raw = _mm_loadu_si128(here.as_ptr().cast());
                    shuffle_bytes(raw, _mm_loadu_si128(shuffle.as_ptr().cast()))
                }
            } else {
                move_bytes(here, shuffle)
            };
            // SAFETY: SSE2 belongs to x86-64. `values` is 16 bytes long, and the store takes any alignment.
            unsafe {
                let pairs = _mm_add_epi32(differences, _mm_slli_si128::<4>(differences));
                let sums = _mm_add_epi32(_mm_add_epi32(pairs, _mm_slli_si128::<8>(pairs)), last);
                last = _mm_shuffle_epi32::<0xff>(sums);
                _mm_storeu_si128(values.as_mut_ptr().cast(), sums);
            }
            data = &data[(LENGTH[control as usize] as usize).min(data.len())..];
            // The only call of `each`, so that it is inlined.
            let len = left.min(4);
            left -= len;
            match each(all, Group { values, len }) {
                ControlFlow::Continue(more) => all = more,
                ControlFlow::Break(done) => return done,
            }
        }
        all
    }
}

fn byte_count(value: u32) -> usize {
    (4 - value.leading_zeros() as usize / 8).max(1)
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
        encode(owner, list, &mut bytes);
        let end = bytes.len();
        bytes.resize(end + SLACK, 0xff);
        let (n, at) = if list.is_empty() { (0, 0) } else { count(&bytes).unwrap() };
        assert_eq!(n, list.len());
        let read = |mut all: Vec<Vertex>, group: Group| {
            all.extend(&group.values[..group.len]);
            ControlFlow::Continue(all)
        };
        for decoder in [Decoder::detect(), Decoder { simd: false }] {
            assert_eq!(decoder.fold(owner, n, &bytes[at..], Vec::new(), read), list, "{decoder:?}");
        }
        assert_eq!(scalar(owner, n, &bytes[at..], Vec::new(), read), list);
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
            let (one, other) = (|all, group: Group| ControlFlow::Continue(all + group.len), |all, _| ControlFlow::Break(all));
            for decoder in [Decoder::detect(), Decoder { simd: false }] {
                decoder.fold(3, n, &bytes, 0, one);
                decoder.fold(3, n, &bytes, 0, other);
            }
            scalar(3, n, &bytes, 0, one);
        }
    }
}
