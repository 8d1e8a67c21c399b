//! What a snapshot keeps as it was.

use std::sync::Arc;

use crate::shared::Shared;
use crate::tree::{TreeState, View};

/// Ends the snapshot when it is dropped.
pub(crate) struct Kept {
    pub(crate) shared: Arc<Shared>,
    pub(crate) version: u64,
    pub(crate) state: TreeState,
}

impl Kept {
    pub(crate) fn view(&self) -> View {
        View::Snapshot { version: self.version, root: self.state.root }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.shared.tree.end_snapshot(self.version);
    }
}
