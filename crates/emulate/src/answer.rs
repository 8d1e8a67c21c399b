//! An answer that waits for its time.

use fuser::{Errno, ReplyData, ReplyEmpty, ReplyWrite};
use leadline_device::Nanos;

/// Bytes of the file that measures what the kernel and FUSE take.
pub(crate) const PROBE_BYTES: usize = 4096;

/// What a program gets.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The bytes that it read.
    Data(ReplyData, Vec<u8>),
    /// That many bytes written.
    Written(ReplyWrite, u32),
    /// Done.
    Done(ReplyEmpty),
    /// An error, at the time at which success would have been.
    DataFailed(ReplyData, Errno),
    /// As [`Answer::DataFailed`].
    WriteFailed(ReplyWrite, Errno),
    /// As [`Answer::DataFailed`].
    Failed(ReplyEmpty, Errno),
    /// When the request was received, and when it is answered.
    Probe(ReplyData, Nanos),
}

impl Answer {
    pub(crate) fn is_probe(&self) -> bool {
        matches!(self, Answer::Probe(..))
    }

    /// Sends it, or EIO where the power `failed` meanwhile.
    pub(crate) fn send(self, failed: bool, now: Nanos) {
        match self {
            Answer::Data(reply, _) if failed => reply.error(Errno::EIO),
            Answer::Written(reply, _) if failed => reply.error(Errno::EIO),
            Answer::Done(reply) if failed => reply.error(Errno::EIO),
            Answer::Data(reply, bytes) => reply.data(&bytes),
            Answer::Written(reply, bytes) => reply.written(bytes),
            Answer::Done(reply) => reply.ok(),
            Answer::DataFailed(reply, error) => reply.error(error),
            Answer::WriteFailed(reply, error) => reply.error(error),
            Answer::Failed(reply, error) => reply.error(error),
            Answer::Probe(reply, received) => {
                let mut bytes = [0; PROBE_BYTES];
                bytes[..8].copy_from_slice(&received.to_le_bytes());
                bytes[8..16].copy_from_slice(&now.to_le_bytes());
                reply.data(&bytes);
            }
        }
    }
}
