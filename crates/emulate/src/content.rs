//! The bytes of one file: what is durable is in the backing file, what is not yet is here.
//!
//! Changes are kept in the order in which they were made until they are applied to the backing file: by a
//! sync, or one by one when too many bytes wait. A power cut applies the surviving changes and drops the
//! rest.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// A change that is not durable.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// Bytes at an offset.
    Write(u64, Arc<[u8]>),
    /// A new length.
    Truncate(u64),
    /// Zeros from an offset, that many; the length does not change.
    Zero(u64, u64),
}

impl Change {
    /// Bytes of memory that it holds.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Change::Write(_, data) => data.len() as u64,
            Change::Truncate(_) | Change::Zero(..) => 64,
        }
    }
}

/// Part of a change that is what a reader of the file sees there.
#[derive(Debug, Clone)]
struct Segment {
    len: u64,
    /// The change it belongs to.
    change: u64,
    /// Its bytes, from here on in them; none: zeros.
    data: Option<(Arc<[u8]>, usize)>,
}

impl Segment {
    /// Without its first bytes.
    fn skip(&self, bytes: u64) -> Segment {
        let data = self.data.as_ref().map(|(data, start)| (Arc::clone(data), start + bytes as usize));
        Segment { len: self.len - bytes, change: self.change, data }
    }
}

/// The bytes of one file.
#[derive(Debug, Default)]
pub(crate) struct Content {
    len: u64,
    /// Length of the backing file, which whoever uses it opens: see `backing.rs`.
    durable_len: u64,
    /// Lengths of the truncations that wait: what lies beyond the shortest in the backing file is gone.
    cuts: VecDeque<u64>,
    /// What waits, in the order in which it was done; the first has the number `first`.
    changes: VecDeque<Change>,
    first: u64,
    segments: BTreeMap<u64, Segment>,
    waiting_bytes: u64,
}

impl Content {
    /// A file whose durable length is this.
    pub(crate) fn new(durable_len: u64) -> Content {
        Content { len: durable_len, durable_len, ..Content::default() }
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Whether all of it is durable.
    pub(crate) fn is_durable(&self) -> bool {
        self.changes.is_empty()
    }

    /// Bytes of memory that its changes hold.
    pub(crate) fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    /// How far the backing file is to be believed; 0 where nothing of it is to be read.
    pub(crate) fn believed(&self) -> u64 {
        self.cuts.iter().copied().min().unwrap_or(u64::MAX).min(self.durable_len)
    }

    /// Takes a change; its number.
    pub(crate) fn change(&mut self, change: Change) -> u64 {
        let number = self.first + self.changes.len() as u64;
        match &change {
            Change::Write(offset, data) => {
                let segment =
                    Segment { len: data.len() as u64, change: number, data: Some((Arc::clone(data), 0)) };
                self.put(*offset, segment);
                self.len = self.len.max(offset + data.len() as u64);
            }
            Change::Truncate(len) => {
                self.cut_out(*len, u64::MAX);
                self.cuts.push_back(*len);
                self.len = *len;
            }
            Change::Zero(offset, len) => {
                let end = offset.saturating_add(*len).min(self.len);
                if *offset < end {
                    self.put(*offset, Segment { len: end - offset, change: number, data: None });
                }
            }
        }
        self.waiting_bytes += change.bytes();
        self.changes.push_back(change);
        number
    }

    fn put(&mut self, offset: u64, segment: Segment) {
        self.cut_out(offset, offset + segment.len);
        if segment.len > 0 {
            self.segments.insert(offset, segment);
        }
    }

    /// Removes what segments have within the range.
    fn cut_out(&mut self, offset: u64, end: u64) {
        if let Some((&start, before)) = self.segments.range_mut(..offset).next_back()
            && start + before.len > offset
        {
            let rest = (start + before.len > end).then(|| before.skip(end - start));
            before.len = offset - start;
            if let Some(rest) = rest {
                self.segments.insert(end, rest);
                return;
            }
        }
        while let Some((&start, _)) = self.segments.range(offset..end).next() {
            let Some(segment) = self.segments.remove(&start) else { return };
            if start + segment.len > end {
                self.segments.insert(end, segment.skip(end - start));
            }
        }
    }

    /// What a reader of `len` bytes at `offset` needs; the file may change while it reads. Without the
    /// backing file nothing may be believed of it.
    pub(crate) fn view(&self, offset: u64, len: usize, backing: Option<Arc<File>>) -> View {
        debug_assert!(backing.is_some() || self.believed() == 0, "what is durable would read as zeros");
        let end = offset.saturating_add(len as u64).min(self.len);
        let start = self.segments.range(..=offset).next_back().map_or(offset, |(&start, _)| start);
        let segments = if offset < end {
            self.segments.range(start..end).map(|(&at, segment)| (at, segment.clone())).collect()
        } else {
            Vec::new()
        };
        View { offset, end: end.max(offset), believed: self.believed(), backing, segments }
    }

    /// Applies the change that waits longest to the backing file.
    ///
    /// # Errors
    /// That of the backing file; the change waits on.
    pub(crate) fn apply_first(&mut self, backing: &File) -> io::Result<()> {
        let Some(change) = self.changes.front().cloned() else { return Ok(()) };
        self.store(&change, backing)?;
        let number = self.first;
        if let Change::Truncate(_) = change {
            self.cuts.pop_front();
        }
        match &change {
            Change::Write(offset, data) => self.forget(*offset, offset + data.len() as u64, number),
            Change::Zero(offset, len) => self.forget(*offset, offset.saturating_add(*len), number),
            Change::Truncate(_) => {}
        }
        self.waiting_bytes -= change.bytes();
        self.changes.pop_front();
        self.first += 1;
        Ok(())
    }

    /// Drops the segments of a change that the backing file has now.
    fn forget(&mut self, offset: u64, end: u64, change: u64) {
        let applied: Vec<u64> = self
            .segments
            .range(offset..end)
            .filter(|(_, segment)| segment.change == change)
            .map(|(&at, _)| at)
            .collect();
        applied.iter().for_each(|at| {
            self.segments.remove(at);
        });
    }

    fn store(&mut self, change: &Change, file: &File) -> io::Result<()> {
        match change {
            Change::Write(offset, data) => {
                file.write_all_at(data, *offset)?;
                self.durable_len = self.durable_len.max(offset + data.len() as u64);
            }
            Change::Truncate(len) => {
                file.set_len(*len)?;
                self.durable_len = *len;
            }
            Change::Zero(offset, len) => {
                let end = offset.saturating_add(*len).min(self.durable_len);
                zero(file, *offset, end)?;
            }
        }
        Ok(())
    }

    /// What waits, for whoever decides what survives.
    pub(crate) fn changes(&self) -> impl ExactSizeIterator<Item = &Change> + '_ {
        self.changes.iter()
    }

    /// Flips bits of a byte of the backing file, where it has that byte.
    ///
    /// # Errors
    /// That of the backing file.
    pub(crate) fn damage(&self, offset: u64, bits: u8, backing: Option<&File>) -> io::Result<()> {
        let Some(file) = backing.filter(|_| offset < self.durable_len) else { return Ok(()) };
        let mut byte = [0];
        file.read_exact_at(&mut byte, offset)?;
        file.write_all_at(&[byte[0] ^ bits], offset)
    }

    /// Drops what waits: the file is what its backing file is.
    pub(crate) fn drop_changes(&mut self) {
        self.first += self.changes.len() as u64;
        self.changes.clear();
        self.cuts.clear();
        self.segments.clear();
        self.waiting_bytes = 0;
        self.len = self.durable_len;
    }
}

/// Applies changes to a file, in their order.
///
/// # Errors
/// That of the file.
pub(crate) fn apply_to(file: &File, changes: impl IntoIterator<Item = Change>) -> io::Result<()> {
    for change in changes {
        match change {
            Change::Write(offset, data) => file.write_all_at(&data, offset)?,
            Change::Truncate(len) => file.set_len(len)?,
            Change::Zero(offset, len) => {
                zero(file, offset, offset.saturating_add(len).min(file.metadata()?.len()))?;
            }
        }
    }
    Ok(())
}

/// Zeros in a file, without blocks where the file system can.
fn zero(file: &File, offset: u64, end: u64) -> io::Result<()> {
    use rustix::fs::FallocateFlags;
    if offset >= end {
        return Ok(());
    }
    let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    if rustix::fs::fallocate(file, hole, offset, end - offset).is_ok() {
        return Ok(());
    }
    let zeros = vec![0; 1 << 20];
    let mut at = offset;
    while at < end {
        let len = (end - at).min(zeros.len() as u64);
        file.write_all_at(&zeros[..len as usize], at)?;
        at += len;
    }
    Ok(())
}

/// Part of a file as it was at one moment.
#[derive(Debug)]
pub(crate) struct View {
    offset: u64,
    end: u64,
    believed: u64,
    backing: Option<Arc<File>>,
    segments: Vec<(u64, Segment)>,
}

impl View {
    /// Its bytes: fewer than were asked for at the end of the file.
    ///
    /// # Errors
    /// That of the backing file.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; (self.end - self.offset) as usize];
        let durable = self.believed.min(self.end).saturating_sub(self.offset) as usize;
        // What a segment covers whole need not be read.
        let covered = self.segments.first().is_some_and(|(at, segment)| {
            *at <= self.offset && at + segment.len >= self.offset + durable as u64
        });
        if durable > 0
            && !covered
            && let Some(file) = &self.backing
        {
            read_up_to(file, &mut bytes[..durable], self.offset)?;
        }
        for (at, segment) in &self.segments {
            let (from, to) = ((*at).max(self.offset), (at + segment.len).min(self.end));
            if from >= to {
                continue;
            }
            let target = &mut bytes[(from - self.offset) as usize..(to - self.offset) as usize];
            match &segment.data {
                Some((data, start)) => {
                    let start = start + (from - at) as usize;
                    target.copy_from_slice(&data[start..start + target.len()]);
                }
                None => target.fill(0),
            }
        }
        Ok(bytes)
    }
}

/// Reads to the end of the buffer or of the file.
fn read_up_to(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < buffer.len() {
        match file.read_at(&mut buffer[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(read) => done += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Write(u64, Vec<u8>),
        Truncate(u64),
        Zero(u64, u64),
        ApplyFirst,
        ApplyAll,
        Drop,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (0..200u64, prop::collection::vec(1..=255u8, 1..60)).prop_map(|(at, data)| Step::Write(at, data)),
            1 => (0..250u64).prop_map(Step::Truncate),
            1 => (0..250u64, 1..100u64).prop_map(|(at, len)| Step::Zero(at, len)),
            3 => Just(Step::ApplyFirst),
            1 => Just(Step::ApplyAll),
            1 => Just(Step::Drop),
        ];
        prop::collection::vec(step, 1..50)
    }

    /// The plainest file there is.
    fn apply(file: &mut Vec<u8>, change: &Change) {
        match change {
            Change::Write(at, data) => {
                let end = *at as usize + data.len();
                if file.len() < end {
                    file.resize(end, 0);
                }
                file[*at as usize..end].copy_from_slice(data);
            }
            Change::Truncate(len) => file.resize(*len as usize, 0),
            Change::Zero(at, len) => {
                let end = ((at + len) as usize).min(file.len());
                let at = (*at as usize).min(end);
                file[at..end].fill(0);
            }
        }
    }

    proptest! {
        #[test]
        fn readers_see_every_change_and_the_backing_file_those_that_were_applied(steps in steps()) {
            let backing = Arc::new(tempfile::tempfile().unwrap());
            let view = |content: &Content, at, len| content.view(at, len, Some(Arc::clone(&backing))).read();
            let mut content = Content::new(0);
            let (mut now, mut durable, mut waiting) = (Vec::new(), Vec::new(), VecDeque::new());
            for step in steps {
                let change = match step {
                    Step::Write(at, data) => Change::Write(at, data.into()),
                    Step::Truncate(len) => Change::Truncate(len),
                    Step::Zero(at, len) => Change::Zero(at, len),
                    Step::ApplyFirst => {
                        content.apply_first(&backing).unwrap();
                        waiting.pop_front().iter().for_each(|change| apply(&mut durable, change));
                        continue;
                    }
                    Step::ApplyAll => {
                        while !content.is_durable() {
                            content.apply_first(&backing).unwrap();
                        }
                        waiting.drain(..).for_each(|change| apply(&mut durable, &change));
                        continue;
                    }
                    Step::Drop => {
                        content.drop_changes();
                        waiting.clear();
                        now = durable.clone();
                        continue;
                    }
                };
                apply(&mut now, &change);
                content.change(change.clone());
                waiting.push_back(change);
                prop_assert_eq!(content.len(), now.len() as u64);
                prop_assert_eq!(view(&content, 0, 1000).unwrap(), now.clone());
                let part = &now[now.len().min(13)..now.len().min(120)];
                prop_assert_eq!(view(&content, 13, 107).unwrap(), part);
                let mut stored = vec![0; 1000];
                let stored_len = backing.read_at(&mut stored, 0).unwrap();
                prop_assert_eq!(&stored[..stored_len], &durable[..]);
            }
            prop_assert_eq!(view(&content, 0, 1000).unwrap(), now);
        }
    }
}
