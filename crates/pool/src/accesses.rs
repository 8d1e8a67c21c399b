//! Which pages a thread asks pools for, hits and misses alike: the page trace of a program as it runs. With
//! the feature `accesses`; without it, nothing is noted, and a hit costs nothing more.

use std::cell::RefCell;

use crate::policy::Page;

/// A page that was asked for, in one guard, however often it was read or changed under that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The page.
    pub page: Page,
    /// Whether it was asked for to be changed.
    pub is_write: bool,
}

thread_local! {
    static NOTED: RefCell<Option<Vec<Access>>> = const { RefCell::new(None) };
}

/// Runs `program`: what it returns, and the accesses of this thread meanwhile, in their order. What it runs
/// on other threads is not noted.
pub fn accesses_of<T>(program: impl FnOnce() -> T) -> (T, Vec<Access>) {
    let before = NOTED.replace(Some(Vec::new()));
    let returned = program();
    (returned, NOTED.replace(before).unwrap_or_default())
}

/// This thread got a page.
pub(crate) fn note(page: Page, is_write: bool) {
    NOTED.with_borrow_mut(|noted| {
        if let Some(accesses) = noted {
            accesses.push(Access { page, is_write });
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use leadline_device::MemoryDevice;

    use super::*;
    use crate::{Pool, PoolConfig};

    #[test]
    fn each_guard_is_an_access_of_its_thread() {
        let device = Arc::new(MemoryDevice::new(1 << 20, 4096));
        let pool = Pool::open(device, PoolConfig::new(4096, 16)).unwrap();
        pool.read(1).unwrap();
        let (byte, accesses) = accesses_of(|| {
            std::thread::scope(|scope| scope.spawn(|| pool.read(2).map(|_| ())).join().unwrap()).unwrap();
            pool.write(3).unwrap()[0] = 7;
            pool.create(4).unwrap();
            pool.read_many(&[5, 3], |_, _| {}).unwrap();
            pool.read(3).unwrap()[0]
        });
        assert_eq!(byte, 7);
        let expected = [(3, true), (4, true), (5, false), (3, false), (3, false)];
        assert_eq!(accesses, expected.map(|(page, is_write)| Access { page, is_write }));
        assert!(accesses_of(|| ()).1.is_empty());
    }
}
