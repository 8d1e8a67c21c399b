//! The files below the mount, each by a descriptor that reads nothing (`O_PATH`): it leads to the file
//! whatever it is called by now. Before there are more of them than half of the descriptors that this process
//! may have, the ones opened longest ago are closed; they are opened again by name when they are needed.

use std::collections::VecDeque;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustix::process::{Resource, getrlimit};

use super::Node;

/// Nodes that are tried in search of one that can be closed.
const TRIED: usize = 64;

/// A file or directory below the mount, held open by whoever has this.
#[derive(Debug, Clone)]
pub(crate) struct Below(Arc<OwnedFd>);

/// The nodes whose descriptors are open, in the order in which they were opened.
#[derive(Debug, Default)]
pub(crate) struct Descriptors(Mutex<VecDeque<Weak<Node>>>);

impl Below {
    pub(crate) fn new(fd: OwnedFd) -> Below {
        Below(Arc::new(fd))
    }

    /// A path that leads to it for calls that want one, as long as it is held.
    pub(crate) fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.0.as_raw_fd())
    }
}

impl AsFd for Below {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Descriptors {
    /// The descriptor of `node` was opened. Closes others where there are too many.
    pub(crate) fn opened(&self, node: &Arc<Node>) {
        let most = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |most| (most / 2) as usize);
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.push_back(Arc::downgrade(node));
        for _ in 0..TRIED.min(open.len()) {
            if open.len() <= most {
                break;
            }
            let Some(oldest) = open.pop_front() else { break };
            // Forgotten nodes have closed theirs already.
            if let Some(node) = oldest.upgrade()
                && !node.close()
            {
                open.push_back(oldest);
            }
        }
    }
}
