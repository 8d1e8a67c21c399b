//! Writes of a [`DirectFile`].

use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use leadline_device::{Completion, NEVER, QueuePair, Request};

use super::{DirectFile, Pace};
use crate::GraphError;
use crate::format::ALIGNMENT;

/// Writes in flight, each from a buffer of its own.
pub struct WriteQueue {
    file: Arc<DirectFile>,
    pair: Box<dyn QueuePair>,
    free: Vec<u32>,
    /// The buffer that is written next, once it was asked for.
    open: Option<u32>,
    /// By buffer: its request.
    requests: Vec<Request>,
    done: Vec<Completion>,
    /// A write failed: its buffer is not given to another, and whatever came next would leave a gap.
    failed: bool,
}

impl std::fmt::Debug for WriteQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WriteQueue").field("file", &self.file).finish_non_exhaustive()
    }
}

impl WriteQueue {
    /// With that many buffers of at least that many bytes.
    ///
    /// # Errors
    /// [`GraphError::Device`].
    pub fn new(file: &Arc<DirectFile>, depth: usize, bytes: usize) -> Result<WriteQueue, GraphError> {
        Ok(WriteQueue::over(file, file.queue_pair(depth, bytes)?))
    }

    /// By requests of a queue pair of the file.
    pub(super) fn over(file: &Arc<DirectFile>, pair: Box<dyn QueuePair>) -> WriteQueue {
        let slots = 0..pair.shape().slots;
        let requests = slots.clone().map(|slot| Request::write(slot, 0, 0)).collect();
        let (file, free, done) = (Arc::clone(file), slots.collect(), Vec::new());
        WriteQueue { file, pair, free, open: None, requests, done, failed: false }
    }

    /// The buffer that is written next; waits for one.
    ///
    /// # Errors
    /// [`GraphError::Write`], [`GraphError::Device`], of writes before.
    ///
    /// # Panics
    /// After a failure.
    pub fn buffer(&mut self) -> Result<&mut [u8], GraphError> {
        assert!(!self.failed, "nothing is written after a failure");
        let slot = loop {
            match self.open.or_else(|| self.free.pop()) {
                Some(slot) => break slot,
                None => self.reap(1)?,
            }
        };
        self.open = Some(slot);
        Ok(self.pair.buffer(slot))
    }

    /// Writes the first bytes of [`WriteQueue::buffer`], and whatever is there up to the next multiple of
    /// [`ALIGNMENT`], to a place that is one. Returns how many bytes that is.
    ///
    /// # Errors
    /// As [`WriteQueue::buffer`], also of this write.
    ///
    /// # Panics
    /// Where the buffer was not asked for since the last write, has fewer bytes, or the place is not aligned.
    pub fn write(&mut self, bytes: usize, at: u64) -> Result<u64, GraphError> {
        let Some(slot) = self.open.take() else { panic!("the buffer that is written was not asked for") };
        assert!(bytes > 0 && bytes <= self.pair.shape().buffer_bytes as usize, "{bytes} bytes of one buffer");
        assert!(at.is_multiple_of(ALIGNMENT), "written to byte {at}, which is not aligned");
        let bytes = bytes.next_multiple_of(ALIGNMENT as usize);
        self.file.allocate(at + bytes as u64);
        let request = Request::write(slot, at, bytes as u32);
        self.requests[slot as usize] = request;
        self.pair.submit(request).map_err(|error| self.file.write_error(io::Error::other(error)))?;
        self.reap(0)?;
        Ok(bytes as u64)
    }

    /// Waits until all is written.
    ///
    /// # Errors
    /// As [`WriteQueue::buffer`].
    pub fn finish(&mut self) -> Result<(), GraphError> {
        while self.pair.in_flight() > 0 {
            self.reap(1)?;
        }
        Ok(())
    }

    fn reap(&mut self, least: u32) -> Result<(), GraphError> {
        let reaped = self.reap_all(least);
        self.failed |= reaped.is_err();
        reaped
    }

    fn reap_all(&mut self, least: u32) -> Result<(), GraphError> {
        let deadline = if least == 0 { 0 } else { NEVER };
        self.pair.reap(least, deadline, &mut self.done).map_err(|error| self.file.device_error(error))?;
        for Completion { slot, result, .. } in self.done.drain(..) {
            let Request { len, offset, .. } = self.requests[slot as usize];
            let written = usize::try_from(result)
                .map_err(|_| self.file.write_error(io::Error::from_raw_os_error(-result)))?;
            if written < len as usize {
                // The rest tells why: the disk is full, as a rule. Direct I/O needs it to be aligned.
                let written = written / ALIGNMENT as usize * ALIGNMENT as usize;
                let rest = &self.pair.buffer(slot)[written..len as usize];
                let done = self.file.device.file().write_all_at(rest, offset + written as u64);
                done.map_err(|error| self.file.write_error(error))?;
            }
            self.free.push(slot);
        }
        Ok(())
    }
}

/// Writes a file from its beginning to its end.
#[derive(Debug)]
pub(crate) struct SequentialWriter {
    queue: WriteQueue,
    /// Bytes of the open buffer that are filled.
    filled: usize,
    at: u64,
    bytes: usize,
    pace: Option<Arc<Pace>>,
}

impl SequentialWriter {
    /// With that many buffers of that many bytes, a multiple of [`ALIGNMENT`].
    pub(crate) fn new(
        file: &Arc<DirectFile>,
        depth: usize,
        bytes: usize,
    ) -> Result<SequentialWriter, GraphError> {
        assert!(bytes > 0 && bytes.is_multiple_of(ALIGNMENT as usize), "buffers of {bytes} bytes");
        Ok(SequentialWriter {
            queue: WriteQueue::new(file, depth, bytes)?,
            filled: 0,
            at: 0,
            bytes,
            pace: None,
        })
    }

    /// Begins at a multiple of [`ALIGNMENT`], up to which the file is written.
    pub(crate) fn behind(self, at: u64) -> SequentialWriter {
        assert!(self.at == 0 && self.filled == 0 && at.is_multiple_of(ALIGNMENT), "begins at byte {at}");
        SequentialWriter { at, ..self }
    }

    /// Bytes in memory of its buffers.
    pub(crate) fn buffer_bytes(&self) -> u64 {
        (self.queue.requests.len() * self.bytes) as u64
    }

    /// Gives way to others who use the device.
    pub(crate) fn paced(self, pace: Arc<Pace>) -> SequentialWriter {
        SequentialWriter { pace: Some(pace), ..self }
    }

    /// Makes everything durable so far, which has to end at a multiple of [`ALIGNMENT`].
    pub(crate) fn sync(&mut self) -> Result<(), GraphError> {
        assert!((self.filled as u64).is_multiple_of(ALIGNMENT), "what follows begins aligned");
        if self.filled > 0 {
            self.send()?;
        }
        self.queue.finish()?;
        let file = &self.queue.file;
        file.device.file().sync_data().map_err(|error| file.write_error(error))
    }

    /// Writes what is left, padded to a multiple of [`ALIGNMENT`], and makes the file as long as that. What
    /// is written to the file later passes through the page cache, and need not be aligned.
    pub(crate) fn finish(mut self) -> Result<(), GraphError> {
        if self.filled > 0 {
            self.send()?;
        }
        self.queue.finish()?;
        let file = &self.queue.file;
        let cut = file.device.file().set_len(self.at).and_then(|()| file.through_the_cache());
        cut.map_err(|error| file.write_error(error))
    }

    fn send(&mut self) -> Result<(), GraphError> {
        let SequentialWriter { queue, filled, at, pace, .. } = self;
        *at += match pace.as_ref().filter(|pace| pace.is_gentle()) {
            None => queue.write(*filled, *at)?,
            Some(pace) => pace.alone(|| {
                let written = queue.write(*filled, *at)?;
                queue.finish()?;
                Ok::<u64, GraphError>(written)
            })?,
        };
        *filled = 0;
        Ok(())
    }
}

impl Write for SequentialWriter {
    /// # Panics
    /// After a failure: that nothing was written would pass for a full disk.
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let now = bytes.len().min(self.bytes - self.filled);
        self.queue.buffer().map_err(into_io)?[self.filled..][..now].copy_from_slice(&bytes[..now]);
        self.filled += now;
        if self.filled == self.bytes {
            self.send().map_err(into_io)?;
        }
        Ok(now)
    }

    /// Does nothing: only [`SequentialWriter::finish`] writes what is not a whole buffer.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The system's reason alone: who writes names the file.
fn into_io(error: GraphError) -> io::Error {
    match error {
        GraphError::Write { source, .. } => source,
        error => io::Error::other(error),
    }
}
