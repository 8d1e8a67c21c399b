//! The clients: who is doing what, and who waits for whom.

use std::collections::VecDeque;

use leadline_device::Nanos;
use leadline_trace::Access;

use super::frames::NOBODY;

/// One client. It is ready, or waits for a page to be read, for its own writes, or for a clean page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Client {
    /// The operation under way.
    pub(super) access: Access,
    /// Its number in the trace, from 1; 0 for none under way.
    pub(super) operation: u64,
    /// Bytes of its object, where objects have sizes.
    pub(super) bytes: u32,
    /// When it began to wait.
    pub(super) began: Nanos,
    /// Whether the policy was told of its miss.
    pub(super) missed: bool,
    /// Writes of its own in flight.
    pub(super) writes: u32,
    /// How many there were, and when they were sent.
    pub(super) pages: u32,
    pub(super) sent: Nanos,
    /// It wrote dirty pages back for this miss: the page that missed is read with others ahead of it.
    pub(super) wrote: bool,
    /// The next client that waits for the same page.
    pub(super) next: u32,
}

/// All clients.
pub(super) struct Clients {
    pub(super) all: Vec<Client>,
    /// Those that can go on, in the order in which they became able to.
    pub(super) ready: VecDeque<u32>,
    /// Those that wait for any page to become clean or free, first come first served.
    pub(super) starved: VecDeque<u32>,
}

impl Clients {
    pub(super) fn new(clients: u32) -> Self {
        let idle = Client {
            access: Access { page: 0, write: false },
            operation: 0,
            bytes: 0,
            began: 0,
            missed: false,
            writes: 0,
            pages: 0,
            sent: 0,
            wrote: false,
            next: NOBODY,
        };
        Clients {
            all: vec![idle; clients as usize],
            ready: (0..clients).collect(),
            starved: VecDeque::with_capacity(clients as usize),
        }
    }

    #[inline]
    pub(super) fn get(&mut self, client: u32) -> &mut Client {
        &mut self.all[client as usize]
    }

    /// One page became clean or free: the first that waits for one may try.
    #[inline]
    pub(super) fn feed_one(&mut self) {
        if let Some(client) = self.starved.pop_front() {
            self.ready.push_back(client);
        }
    }

    /// All that wait for a page may try.
    pub(super) fn feed_all(&mut self) {
        self.ready.append(&mut self.starved);
    }
}
