//! Memory as O_DIRECT wants it: at a multiple of a block of the device, which is at most 4 KiB.

use std::cell::RefCell;

const ALIGNMENT: usize = 4096;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Gives `use_it` this thread's buffer of `length` bytes, whatever is in it. It may not ask for another one.
pub(crate) fn with<T>(length: usize, use_it: impl FnOnce(&mut [u8]) -> T) -> T {
    BUFFER.with_borrow_mut(|buffer| {
        if buffer.len() < length + ALIGNMENT {
            buffer.resize(length + ALIGNMENT, 0);
        }
        let start = buffer.as_ptr().align_offset(ALIGNMENT);
        use_it(&mut buffer[start..start + length])
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_aligned_whatever_its_length() {
        for length in [1, 4096, 100_000, 17] {
            super::with(length, |buffer| {
                assert_eq!((buffer.len(), buffer.as_ptr() as usize % 4096), (length, 0));
            });
        }
    }
}
