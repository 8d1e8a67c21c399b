//! Which requests go on where another ended.

/// That many streams are told apart.
const STREAMS: usize = 32;

/// Where the last requests ended.
#[derive(Default)]
pub(super) struct Streams {
    ends: Vec<u64>,
    /// Which of them is replaced next.
    oldest: usize,
}

impl Streams {
    /// Whether a request goes on where one of the last streams ended.
    pub(super) fn goes_on(&mut self, offset: u64, len: u32) -> bool {
        let end = offset.saturating_add(len.into());
        if let Some(stream) = self.ends.iter_mut().find(|stream| **stream == offset) {
            *stream = end;
            return true;
        }
        if self.ends.len() < STREAMS {
            self.ends.push(end);
        } else {
            self.ends[self.oldest] = end;
            self.oldest = (self.oldest + 1) % STREAMS;
        }
        false
    }
}
