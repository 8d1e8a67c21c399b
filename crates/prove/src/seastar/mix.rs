//! Random requests of one size, some of them reads.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Reads and writes in a fixed relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mix {
    /// Bytes of each request.
    pub bytes: u32,
    /// How many of a hundred requests read.
    pub read_percent: u32,
}

impl Mix {
    /// Ten from 4K to 256K: every size with two shares of reads, from all to none.
    pub fn ten() -> Vec<Mix> {
        [
            (4, 100),
            (4, 25),
            (16, 75),
            (16, 0),
            (64, 90),
            (64, 50),
            (128, 75),
            (128, 10),
            (256, 100),
            (256, 50),
        ]
        .map(|(kib, read_percent)| Mix { bytes: kib << 10, read_percent })
        .to_vec()
    }

    /// As fio's options.
    pub(super) fn options(self) -> [String; 3] {
        [
            "--rw=randrw".to_owned(),
            format!("--rwmixread={}", self.read_percent),
            format!("--bs={}", self.bytes),
        ]
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}K, {} % reads", f64::from(self.bytes) / 1024.0, self.read_percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_mixes_have_five_sizes_and_shares_from_all_to_none() {
        let ten = Mix::ten();
        let count = |bytes: u32| ten.iter().filter(|mix| mix.bytes == bytes).count();
        assert_eq!([4, 16, 64, 128, 256].map(|kib| count(kib << 10)), [2; 5]);
        assert!(ten.iter().any(|mix| mix.read_percent == 0));
        assert_eq!(ten[0].to_string(), "4K, 100 % reads");
        assert_eq!(ten[1].options(), ["--rw=randrw", "--rwmixread=25", "--bs=4096"]);
    }
}
