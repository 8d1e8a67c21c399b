//! What the records of a capture mean.

use super::code::{
    CONTIGUOUS, END, FILE, KIND, LONGEST_NAME, Last, SAME_FILE, SAME_LENGTH, SAME_THREAD, THREAD, take,
    unzigzag,
};
use super::{Event, MOST_FILES, MOST_THREADS, Operation, Thread};

/// What is wrong with a record: what was found, and what was expected.
pub(super) type Flaw = &'static str;

const CUT_OFF: Flaw = "it is cut off here";

/// What the records so far have said.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    pub(super) files: Vec<String>,
    /// Of each file.
    last: Vec<Last>,
    pub(super) threads: Vec<Thread>,
    /// Time, thread and file of the event before.
    before: (u64, u32, u32),
    pub(super) events: u64,
    pub(super) ended_ns: Option<u64>,
}

impl Decoder {
    /// Takes one record from the front of `bytes`, which are not empty; the event, if it is one.
    #[inline]
    pub(super) fn record(&mut self, bytes: &mut &[u8]) -> Result<Option<Event>, Flaw> {
        let (&first, rest) = bytes.split_first().ok_or(CUT_OFF)?;
        if self.ended_ns.is_some() {
            return Err("something follows the end");
        }
        *bytes = rest;
        match Operation::ALL.get(usize::from(first & KIND)) {
            Some(&operation) => self.event(operation, first, bytes).map(Some),
            None => self.announcement(first, bytes).map(|()| None),
        }
    }

    #[inline]
    fn event(&mut self, operation: Operation, flags: u8, bytes: &mut &[u8]) -> Result<Event, Flaw> {
        let number = |bytes: &mut &[u8]| take(bytes).ok_or(CUT_OFF);
        let (issued_ns, thread, file) = self.before;
        let issued_ns = issued_ns.checked_add(number(bytes)?).ok_or("its time is beyond 2^64 ns")?;
        let completed_ns = issued_ns.checked_add(number(bytes)?).ok_or("its time is beyond 2^64 ns")?;
        let thread = if flags & SAME_THREAD == 0 { number(bytes)? } else { thread.into() };
        let file = if flags & SAME_FILE == 0 { number(bytes)? } else { file.into() };
        if thread >= self.threads.len() as u64 {
            return Err("its thread was not announced");
        }
        let last = self.last.get_mut(file as usize).ok_or("its file was not announced")?;
        let offset = match flags & CONTIGUOUS {
            0 => last.end.wrapping_add_signed(unzigzag(number(bytes)?)),
            _ => last.end,
        };
        let length = if flags & SAME_LENGTH == 0 { number(bytes)? } else { last.length };
        let end = offset.checked_add(length).ok_or("it ends beyond 2^64 bytes")?;
        *last = Last { end, length };
        let (thread, file) = (thread as u32, file as u32);
        if operation == Operation::Rename {
            self.files[file as usize] = name(bytes)?;
        }
        self.before = (issued_ns, thread, file);
        self.events += 1;
        Ok(Event { issued_ns, completed_ns, thread, file, operation, offset, length })
    }

    #[cold]
    fn announcement(&mut self, first: u8, bytes: &mut &[u8]) -> Result<(), Flaw> {
        match first {
            FILE if self.files.len() >= MOST_FILES => return Err("it is one file too many"),
            FILE => {
                self.files.push(name(bytes)?);
                self.last.push(Last::default());
            }
            THREAD if self.threads.len() >= MOST_THREADS => return Err("it is one thread too many"),
            THREAD => {
                let (tid, pid) = (id(bytes)?, id(bytes)?);
                self.threads.push(Thread { tid, pid, name: name(bytes)? });
            }
            END => {
                let ended_ns = take(bytes).ok_or(CUT_OFF)?;
                if take(bytes).ok_or(CUT_OFF)? != self.events {
                    return Err("the end counts other events than there are");
                }
                self.ended_ns = Some(ended_ns);
            }
            _ => return Err("a record begins with a byte that none begins with"),
        }
        Ok(())
    }
}

fn id(bytes: &mut &[u8]) -> Result<u32, Flaw> {
    let number = take(bytes).ok_or(CUT_OFF)?;
    u32::try_from(number).map_err(|_| "a thread's number is beyond 2^32")
}

fn name(bytes: &mut &[u8]) -> Result<String, Flaw> {
    let length = take(bytes).ok_or(CUT_OFF)?;
    if length > LONGEST_NAME as u64 {
        return Err("a name is longer than 4,096 bytes");
    }
    let (name, rest) = bytes.split_at_checked(length as usize).ok_or(CUT_OFF)?;
    *bytes = rest;
    Ok(String::from_utf8_lossy(name).into_owned())
}
