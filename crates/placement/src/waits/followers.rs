//! The requests that follow each one.

/// For each request, those that follow it: all in one list, and where each one's begin.
#[derive(Debug, Clone)]
pub(super) struct Followers {
    begins: Vec<usize>,
    list: Vec<u32>,
}

impl Followers {
    /// Of `count` requests; `pairs` gives each request with one that follows it, those that follow in order.
    pub(super) fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Followers {
        let mut begins = vec![0; count + 1];
        for (before, _) in pairs.clone() {
            begins[before as usize + 1] += 1;
        }
        for i in 0..count {
            begins[i + 1] += begins[i];
        }
        let mut list = vec![0; begins[count]];
        let mut next = begins.clone();
        for (before, follower) in pairs {
            list[next[before as usize]] = follower;
            next[before as usize] += 1;
        }
        Followers { begins, list }
    }

    pub(super) fn of(&self, request: u32) -> &[u32] {
        let i = request as usize;
        &self.list[self.begins[i]..self.begins[i + 1]]
    }
}
