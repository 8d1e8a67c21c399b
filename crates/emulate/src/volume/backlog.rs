//! The order in which changes that wait become durable where nobody asks for it.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use crate::node::{FileData, Ino};

/// Files with changes that wait, some of them gone.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    pub(super) files: VecDeque<(Ino, Weak<FileData>)>,
    /// Nodes from which on those that are gone are taken out: twice the number that was left the last time.
    most: usize,
}

impl Backlog {
    pub(super) fn push(&mut self, ino: Ino, file: &Arc<FileData>) {
        if self.files.len() >= self.most {
            self.files.retain(|(_, file)| file.strong_count() > 0);
            self.most = (2 * self.files.len()).max(1024);
        }
        self.files.push_back((ino, Arc::downgrade(file)));
    }
}
