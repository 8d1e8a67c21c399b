//! What is left when the power is cut.

use std::ffi::OsString;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::backlog::Backlog;
use super::{Volume, lock};
use crate::durable::Durable;
use crate::node::ROOT;
use crate::scan::{ScanError, root_attributes, scan};
use crate::survivors::{PowerCut, Survivors, leave};
use crate::tree::Tree;

impl Volume {
    /// Stops everything and looks at what is not durable.
    pub(crate) fn frozen<T>(&self, look: impl FnOnce(&Tree, &Durable, bool) -> T) -> T {
        let _frozen = self.power_lock.write().unwrap_or_else(PoisonError::into_inner);
        let tree = self.tree();
        let durable = lock(&self.durable);
        look(&tree, &durable, self.strict)
    }

    /// Cuts the power: what is not durable is lost, except for the survivors. All nodes have new numbers
    /// then. Also the names that were in the root.
    pub(crate) fn power_cut(
        &self,
        survivors: &mut Survivors,
    ) -> Result<(PowerCut, Vec<OsString>), ScanError> {
        let _dead = self.power_lock.write().unwrap_or_else(PoisonError::into_inner);
        let mut tree = self.tree();
        let names = tree.entries(ROOT).map(|entries| entries.keys().cloned().collect());
        let failed = |error| ScanError::Io(self.path.clone(), error);
        let cut = leave(&tree, &mut lock(&self.durable), survivors, self.strict).map_err(failed)?;
        self.backings.close_all();
        *lock(&self.backlog) = Backlog::default();
        self.waiting_bytes.store(0, Ordering::Relaxed);
        tree.forget_all(root_attributes(&self.path).map_err(failed)?);
        let mut durable = lock(&self.durable);
        *durable = Durable::open(&self.path).map_err(failed)?;
        *lock(&self.allocator) = scan(&self.path, &mut tree, &mut durable, &self.layout)?;
        Ok((cut, names.unwrap_or_default()))
    }
}
