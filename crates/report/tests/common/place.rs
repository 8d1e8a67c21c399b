//! A study of placement as it comes out of three queries like those of Yang, Li and Lilja (2020, section 6).

use std::collections::BTreeSet;

use leadline_placement::{
    FileSize, Migration, Query, Storage, Study, StudyError, StudyOptions, Times, study,
};

struct Rules {
    queries: Vec<Query>,
    files: Vec<FileSize>,
}

const GIB: u64 = 1 << 30;

/// Seconds that each file saves of each query where it is placed.
const SAVED: [[f64; 3]; 3] = [[2.0, 1609.0, 1500.0], [0.5, 18.0, 60.0], [0.0, 120.0, 2.0]];
/// On the slow device, on the fast one, and saved at most by a cache that holds 40 GiB or more.
const ALONE: [[f64; 3]; 3] = [[3619.0, 480.0, 2900.0], [190.0, 110.0, 4.0], [180.0, 52.0, 25.0]];

impl Times for Rules {
    fn queries(&self) -> &[Query] {
        &self.queries
    }

    fn files(&self) -> &[FileSize] {
        &self.files
    }

    fn seconds(&self, query: usize, storage: &Storage) -> Result<f64, StudyError> {
        let [slow, fast, most] = ALONE[query];
        Ok(match storage {
            Storage::Slow => slow,
            Storage::Fast => fast,
            Storage::Placed(files) => slow - files.iter().map(|&file| SAVED[query][file]).sum::<f64>(),
            Storage::Cached(bytes, policy, _) => {
                let held = (*bytes as f64 / (40 * GIB) as f64).min(1.0).sqrt();
                slow - most * held * (1.0 - 0.001 * policy.name().len() as f64)
            }
        })
    }

    fn migration_seconds(&self, bytes: u64) -> Result<f64, StudyError> {
        Ok(bytes as f64 / 1e9)
    }
}

/// Q3, Q10 and Q16 over five sizes.
pub fn sample_study() -> Study {
    let query = |name: &str| Query { name: name.to_owned(), weight: 1.0, files: BTreeSet::from([0, 1, 2]) };
    let file = |name: &str, gib| FileSize { name: format!("tpch/{name}.ibd"), bytes: gib * GIB };
    let rules = Rules {
        queries: ["q3", "q10", "q16"].map(query).into(),
        files: vec![file("customer", 2), file("orders", 14), file("lineitem", 62)],
    };
    let options = StudyOptions {
        fast_bytes: [10, 20, 40, 60, 80].map(|gib| gib * GIB).into(),
        block_bytes: 16384,
        migration: Migration::Once,
        names: ("sim:optane".to_owned(), "sim:sata".to_owned()),
    };
    study(&rules, &options, &|_, _, _| true).expect("nothing fails")
}
