//! Writing captures.

use std::io::{self, Write};

use super::code::{
    CONTIGUOUS, END, FILE, LONGEST_NAME, Last, SAME_FILE, SAME_LENGTH, SAME_THREAD, THREAD, put, zigzag,
};
use super::{Event, MARK, MOST_FILES, MOST_THREADS, Operation, Thread};

/// That many bytes are collected before they are written.
const BUFFER_BYTES: usize = 64 << 10;

/// Writes a capture, event by event.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    buffer: Vec<u8>,
    files: Vec<Last>,
    threads: u32,
    /// Time, thread and file of the event before.
    last: (u64, u32, u32),
    events: u64,
}

impl<W: Write> Writer<W> {
    /// A capture without events yet, to be written to `out`, which should compress: a capture that is not
    /// compressed is about twice as long.
    pub fn new(out: W) -> Writer<W> {
        let buffer = MARK.to_vec();
        Writer { out, buffer, files: Vec::new(), threads: 0, last: (0, 0, 0), events: 0 }
    }

    /// A file by its name, of which the first 4,096 bytes are kept; its index. Past [`MOST_FILES`] the last
    /// one stands for all others.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn file(&mut self, name: &str) -> io::Result<u32> {
        if self.files.len() < MOST_FILES {
            self.buffer.push(FILE);
            self.name(name);
            self.files.push(Last::default());
        }
        self.put()?;
        Ok(self.files.len() as u32 - 1)
    }

    /// A thread; its index. Past [`MOST_THREADS`] the last one stands for all others.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn thread(&mut self, thread: &Thread) -> io::Result<u32> {
        if (self.threads as usize) < MOST_THREADS {
            self.buffer.push(THREAD);
            put(&mut self.buffer, thread.tid.into());
            put(&mut self.buffer, thread.pid.into());
            self.name(&thread.name);
            self.threads += 1;
        }
        self.put()?;
        Ok(self.threads - 1)
    }

    /// An event, other than a rename. Its file and thread were announced before; events come in the order of
    /// `issued_ns`.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        self.encode(event);
        self.put()
    }

    /// An event that is a rename, to `name`.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn rename(&mut self, event: &Event, name: &str) -> io::Result<()> {
        self.encode(&Event { operation: Operation::Rename, ..*event });
        self.name(name);
        self.put()
    }

    /// Writes the end, `ended_ns` after the beginning, and gives the output back.
    ///
    /// # Errors
    /// The errors of the output.
    pub fn finish(mut self, ended_ns: u64) -> io::Result<W> {
        self.buffer.push(END);
        put(&mut self.buffer, ended_ns);
        put(&mut self.buffer, self.events);
        self.out.write_all(&self.buffer)?;
        Ok(self.out)
    }

    fn encode(&mut self, event: &Event) {
        let (issued_ns, thread, file) = self.last;
        debug_assert!(event.issued_ns >= issued_ns && event.completed_ns >= event.issued_ns);
        let last = self.files[event.file as usize];
        let same = [
            (event.thread == thread, SAME_THREAD),
            (event.file == file, SAME_FILE),
            (event.offset == last.end, CONTIGUOUS),
            (event.length == last.length, SAME_LENGTH),
        ];
        let flags = same.iter().filter(|(same, _)| *same).fold(0, |flags, (_, flag)| flags | flag);
        self.buffer.push(event.operation as u8 | flags);
        put(&mut self.buffer, event.issued_ns - issued_ns);
        put(&mut self.buffer, event.completed_ns - event.issued_ns);
        if flags & SAME_THREAD == 0 {
            put(&mut self.buffer, event.thread.into());
        }
        if flags & SAME_FILE == 0 {
            put(&mut self.buffer, event.file.into());
        }
        if flags & CONTIGUOUS == 0 {
            put(&mut self.buffer, zigzag(event.offset.wrapping_sub(last.end) as i64));
        }
        if flags & SAME_LENGTH == 0 {
            put(&mut self.buffer, event.length);
        }
        self.files[event.file as usize] =
            Last { end: event.offset.wrapping_add(event.length), length: event.length };
        self.last = (event.issued_ns, event.thread, event.file);
        self.events += 1;
    }

    fn name(&mut self, name: &str) {
        let name = &name.as_bytes()[..name.floor_char_boundary(LONGEST_NAME)];
        put(&mut self.buffer, name.len() as u64);
        self.buffer.extend_from_slice(name);
    }

    fn put(&mut self) -> io::Result<()> {
        if self.buffer.len() >= BUFFER_BYTES {
            self.out.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }
}
