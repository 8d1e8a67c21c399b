//! Many pages, as many reads in flight as the device serves.

use super::Tree;
use crate::IndexError;
use crate::node::Page;

impl Tree {
    /// Calls `visit` with the place of each page in `pages` and its bytes, in any order. It may not ask for
    /// pages itself. After its first error it is not called again.
    pub(super) fn read_many(
        &self,
        pages: &[Page],
        mut visit: impl FnMut(usize, &[u8]) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let mut visited = Ok(());
        self.pool.read_many(pages, |at, bytes| {
            if visited.is_ok() {
                visited = visit(at, bytes);
            }
        })?;
        visited
    }
}
