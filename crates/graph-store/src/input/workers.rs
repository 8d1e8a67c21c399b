//! Pieces of text parsed by several threads, and given back in their order.
//!
//! One thread reads and deals the pieces out in turn; each worker has a queue of its own, so that taking from
//! the workers in turn gives the pieces in the order of the file. All queues are bounded. Dropping the
//! receiving end ends all threads.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::chunks::{CHUNK, Chunks, Failure};
use super::grammar::{Grammar, Parsed};
use crate::GraphError;

/// Pieces that wait before and behind a worker.
const WAITING: usize = 1;

/// A piece to parse, the end, or why there is none. The end is said: a thread that is gone is no end of the
/// text.
type Piece = Result<Option<Vec<u8>>, Failure>;

/// The receiving end.
pub(super) struct Workers {
    parsed: Vec<Receiver<Option<Parsed>>>,
    turn: usize,
}

impl Workers {
    /// Most bytes in memory for each worker: pieces that wait, are parsed and were parsed. The shortest edge
    /// has 4 bytes of text and 16 as a pair; where ids are `names`, also 18 as two of them and 16 as two
    /// numbers, while its text is kept.
    pub(super) fn bytes(names: bool) -> u64 {
        (2 * WAITING as u64 + 2) * if names { 14 } else { 6 } * CHUNK as u64
    }

    /// Starts `count` workers and a thread that reads. Where ids are names, the workers only find them.
    pub(super) fn start(
        chunks: Chunks,
        grammar: Grammar,
        names: bool,
        count: usize,
    ) -> Result<Workers, GraphError> {
        let failed = |error| GraphError::read("a thread to parse with", error);
        let (mut inputs, mut parsed) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (piece_in, piece_out) = sync_channel::<Piece>(WAITING);
            let (parsed_in, parsed_out) = sync_channel(WAITING);
            let work = move || work(grammar, names, &piece_out, &parsed_in);
            thread::Builder::new().name("graph-parse".into()).spawn(work).map_err(failed)?;
            inputs.push(piece_in);
            parsed.push(parsed_out);
        }
        let read = move || read(chunks, &inputs);
        thread::Builder::new().name("graph-read".into()).spawn(read).map_err(failed)?;
        Ok(Workers { parsed, turn: 0 })
    }

    pub(super) fn count(&self) -> u64 {
        self.parsed.len() as u64
    }

    /// The next piece, nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<Parsed>, GraphError> {
        let lost = |_| GraphError::read("a thread that parses", io::Error::other("it ended early"));
        let parsed = self.parsed[self.turn].recv().map_err(lost)?;
        self.turn = (self.turn + 1) % self.parsed.len();
        Ok(parsed)
    }
}

/// Deals out pieces until the text ends or nobody takes them.
fn read(mut chunks: Chunks, workers: &[SyncSender<Piece>]) {
    for worker in workers.iter().cycle() {
        let mut chunk = Vec::new();
        let piece = match chunks.next(&mut chunk) {
            Ok(true) => Ok(Some(chunk)),
            Ok(false) => Ok(None),
            Err(failure) => Err(failure),
        };
        let last = !matches!(piece, Ok(Some(_)));
        if worker.send(piece).is_err() || last {
            return;
        }
    }
}

fn work(grammar: Grammar, names: bool, pieces: &Receiver<Piece>, out: &SyncSender<Option<Parsed>>) {
    for piece in pieces {
        let parsed = match piece {
            Ok(Some(text)) if names => Some(grammar.parse_names(text)),
            Ok(Some(text)) => {
                let mut parsed = Parsed::default();
                grammar.parse(&text, None, &mut parsed);
                Some(parsed)
            }
            Ok(None) => None,
            Err(failure) => Some(Parsed::failed(failure)),
        };
        if out.send(parsed).is_err() {
            return;
        }
    }
}
