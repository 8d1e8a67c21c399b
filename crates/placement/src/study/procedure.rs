//! The procedure: predict what is needed, choose, predict again.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};

use leadline_pool::policy::PolicyKind;
use leadline_tiers::Admission;
use rayon::prelude::*;

use super::knapsack::best_sets;
use super::result::{Cached, Placed, QueryTimes, Scope, SizeStudy, Study};
use super::words::{choose, words};
use super::{Migration, Query, Storage, StudyError, Times};
use crate::PlacementError;

/// Sets that are replayed for each size, the best by what their files save one by one.
const SETS: usize = 5;

/// Files of a query whose combinations are all predicted, those that save most.
const COMBINED: usize = 3;

/// Told how far a phase is, and asked whether to go on: its name, predictions done, and how many there are.
pub type Watch<'a> = &'a (dyn Fn(&'static str, usize, usize) -> bool + Sync);

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyOptions {
    /// Sizes of the fast device in bytes, ascending.
    pub fast_bytes: Vec<u64>,
    /// Bytes of a cached block.
    pub block_bytes: u32,
    /// How often files are copied.
    pub migration: Migration,
    /// Names for the result: the fast and the slow device.
    pub names: (String, String),
}

/// Compares placement and caching at each size, for all queries together and for each alone.
///
/// # Errors
/// [`StudyError`] where a time cannot be predicted, or the watcher ended it.
pub fn study(times: &dyn Times, options: &StudyOptions, watch: Watch<'_>) -> Result<Study, StudyError> {
    let mut procedure = Procedure::new(times, options, watch)?;
    procedure.predict_files()?;
    procedure.predict_sets()?;
    procedure.predict_caches()?;
    procedure.result()
}

struct Procedure<'a> {
    times: &'a dyn Times,
    options: &'a StudyOptions,
    watch: Watch<'a>,
    /// Seconds to copy each file.
    migration: Vec<f64>,
    known: HashMap<(usize, Storage), f64>,
    /// All queries with weights, and each alone.
    scopes: Vec<Vec<usize>>,
    /// The best sets of each scope at each size.
    sets: Vec<Vec<Vec<BTreeSet<usize>>>>,
}

impl<'a> Procedure<'a> {
    fn new(times: &'a dyn Times, options: &'a StudyOptions, watch: Watch<'a>) -> Result<Self, StudyError> {
        let queries = times.queries().len();
        let mut scopes = vec![(0..queries).collect()];
        scopes.extend((0..queries).map(|query| vec![query]));
        let migration = times.files().iter().map(|file| times.migration_seconds(file.bytes));
        Ok(Procedure {
            times,
            options,
            watch,
            migration: migration.collect::<Result<_, _>>()?,
            known: HashMap::new(),
            scopes,
            sets: Vec::new(),
        })
    }

    fn query(&self, query: usize) -> &'a Query {
        &self.times.queries()[query]
    }

    /// Predicts what is not known yet.
    fn predict(&mut self, phase: &'static str, wanted: Vec<(usize, Storage)>) -> Result<(), StudyError> {
        let mut new: Vec<(usize, Storage)> =
            wanted.into_iter().filter(|wanted| !self.known.contains_key(wanted)).collect();
        let mut seen = std::collections::HashSet::new();
        new.retain(|wanted| seen.insert(wanted.clone()));
        let (count, done) = (new.len(), AtomicUsize::new(0));
        let (times, watch) = (self.times, self.watch);
        let predicted: Vec<f64> = new
            .par_iter()
            .map(|(query, storage)| {
                if !watch(phase, done.load(Ordering::Relaxed), count) {
                    return Err(StudyError::Capture(PlacementError::Interrupted));
                }
                let seconds = times.seconds(*query, storage)?;
                done.fetch_add(1, Ordering::Relaxed);
                Ok(seconds)
            })
            .collect::<Result<_, _>>()?;
        self.known.extend(new.into_iter().zip(predicted));
        Ok(())
    }

    fn seconds(&self, query: usize, storage: &Storage) -> f64 {
        // Everything that is asked for was predicted.
        self.known.get(&(query, storage.clone())).copied().unwrap_or(f64::NAN)
    }

    /// A query with those of its files placed that are in a set.
    fn placed(&self, query: usize, set: &BTreeSet<usize>) -> Storage {
        let placed: BTreeSet<usize> = self.query(query).files.intersection(set).copied().collect();
        if placed.is_empty() { Storage::Slow } else { Storage::Placed(placed) }
    }

    /// Neither, all, and each file alone.
    fn predict_files(&mut self) -> Result<(), StudyError> {
        let mut wanted = Vec::new();
        for query in 0..self.times.queries().len() {
            wanted.extend([(query, Storage::Slow), (query, Storage::Fast)]);
            let files = self.query(query).files.iter();
            wanted.extend(files.map(|&file| (query, Storage::Placed(BTreeSet::from([file])))));
        }
        self.predict("files", wanted)
    }

    /// Seconds that placing a file saves these queries, its copying taken off.
    fn saving(&self, scope: &[usize], file: usize) -> f64 {
        let alone = BTreeSet::from([file]);
        let saved = scope.iter().map(|&query| {
            let (slow, placed) = (Storage::Slow, self.placed(query, &alone));
            self.query(query).weight * (self.seconds(query, &slow) - self.seconds(query, &placed))
        });
        saved.sum::<f64>() - self.copying(scope, &alone)
    }

    /// Seconds, weighted, that copying the files of a set takes for these queries.
    fn copying(&self, scope: &[usize], set: &BTreeSet<usize>) -> f64 {
        let copy = |files: &BTreeSet<usize>| files.iter().map(|&file| self.migration[file]).sum::<f64>();
        match self.options.migration {
            Migration::Once => copy(set),
            Migration::PerQuery => {
                let runs = scope.iter().map(|&query| {
                    let own = self.query(query).files.intersection(set).copied().collect();
                    self.query(query).weight * copy(&own)
                });
                runs.sum()
            }
        }
    }

    /// The best sets of every scope and size; and for each query the combinations of the files that matter.
    fn predict_sets(&mut self) -> Result<(), StudyError> {
        let mut wanted = Vec::new();
        let mut all_sets = Vec::new();
        for scope in &self.scopes {
            let files = self.times.files().iter().enumerate();
            let files: Vec<(u64, f64)> = files.map(|(i, file)| (file.bytes, self.saving(scope, i))).collect();
            let of_size = |&size: &u64| best_sets(&files, size, SETS);
            let sets: Vec<Vec<BTreeSet<usize>>> = self.options.fast_bytes.iter().map(of_size).collect();
            for set in sets.iter().flatten() {
                wanted.extend(scope.iter().map(|&query| (query, self.placed(query, set))));
            }
            all_sets.push(sets);
        }
        for query in 0..self.times.queries().len() {
            wanted.extend(self.combinations(query).iter().map(|set| (query, self.placed(query, set))));
        }
        self.sets = all_sets;
        self.predict("sets of files", wanted)
    }

    /// Files of a query alone, and together those that save most.
    fn combinations(&self, query: usize) -> Vec<BTreeSet<usize>> {
        let slow = self.seconds(query, &Storage::Slow);
        let alone = |file: usize| self.seconds(query, &Storage::Placed(BTreeSet::from([file])));
        let mut files: Vec<usize> = self.query(query).files.iter().copied().collect();
        files.sort_by(|&one, &other| alone(one).total_cmp(&alone(other)));
        // A file that saves less than a thousandth is not worth a bar.
        files.retain(|&file| alone(file) < slow * 0.999);
        files.truncate(COMBINED);
        let sets = 1..1u32 << files.len();
        let mut sets: Vec<BTreeSet<usize>> = sets
            .map(|choice| (0..files.len()).filter(|i| choice >> i & 1 == 1).map(|i| files[i]).collect())
            .collect();
        sets.sort_by_key(|set| {
            (set.len(), set.iter().map(|&file| self.times.files()[file].bytes).sum::<u64>())
        });
        sets
    }

    fn predict_caches(&mut self) -> Result<(), StudyError> {
        let mut wanted = Vec::new();
        for &bytes in &self.options.fast_bytes {
            for query in 0..self.times.queries().len() {
                wanted.extend(caches(bytes).map(|cache| (query, cache)));
            }
        }
        self.predict("block caches", wanted)
    }

    fn result(&self) -> Result<Study, StudyError> {
        let scopes = self.scopes.iter().zip(&self.sets);
        let mut scopes: Vec<Scope> = scopes.map(|(scope, sets)| self.scope(scope, sets)).collect();
        let all = scopes.remove(0);
        Ok(Study {
            schema: Study::SCHEMA.to_owned(),
            fast: self.options.names.0.clone(),
            slow: self.options.names.1.clone(),
            block_bytes: self.options.block_bytes,
            migration: self.options.migration,
            files: self.times.files().to_vec(),
            queries: (0..self.times.queries().len()).map(|query| self.query_times(query)).collect(),
            all,
            each: scopes,
            notes: Vec::new(),
        })
    }

    fn query_times(&self, query: usize) -> QueryTimes {
        let sets = self.combinations(query).into_iter().map(|set| {
            let seconds = self.seconds(query, &self.placed(query, &set));
            (set.into_iter().collect(), seconds)
        });
        QueryTimes {
            name: self.query(query).name.clone(),
            weight: self.query(query).weight,
            slow_seconds: self.seconds(query, &Storage::Slow),
            fast_seconds: self.seconds(query, &Storage::Fast),
            sets: sets.collect(),
        }
    }

    /// Seconds of each query of a scope, and their weighted sum.
    fn times(&self, scope: &[usize], storage: impl Fn(usize) -> Storage) -> (Vec<f64>, f64) {
        let each: Vec<f64> = scope.iter().map(|&query| self.seconds(query, &storage(query))).collect();
        let weighted = scope.iter().zip(&each).map(|(&query, seconds)| self.query(query).weight * seconds);
        let sum = weighted.sum();
        (each, sum)
    }

    fn scope(&self, scope: &[usize], sets: &[Vec<BTreeSet<usize>>]) -> Scope {
        let slow_seconds = self.times(scope, |_| Storage::Slow).1;
        let sizes = self.options.fast_bytes.iter().zip(sets);
        Scope {
            slow_seconds,
            fast_seconds: self.times(scope, |_| Storage::Fast).1,
            sizes: sizes.map(|(&bytes, sets)| self.size(scope, bytes, sets, slow_seconds)).collect(),
        }
    }

    fn size(&self, scope: &[usize], bytes: u64, sets: &[BTreeSet<usize>], slow_seconds: f64) -> SizeStudy {
        let mut placed: Vec<Placed> = sets.iter().map(|set| self.placement(scope, set)).collect();
        placed.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        let cached = caches(bytes).map(|cache| self.cache(scope, cache));
        let mut cached: Vec<Cached> = cached.collect();
        cached.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        let seconds = (placed.first().map(|p| p.seconds), cached.first().map(|c| c.seconds));
        let choice = choose(seconds.0, seconds.1, slow_seconds);
        let mut size = SizeStudy { fast_bytes: bytes, placed, cached, choice, words: String::new() };
        size.words = words(&size, slow_seconds, self.times.files());
        size
    }

    fn placement(&self, scope: &[usize], set: &BTreeSet<usize>) -> Placed {
        let (query_seconds, sum) = self.times(scope, |query| self.placed(query, set));
        let migration_seconds = self.copying(scope, set);
        Placed {
            files: set.iter().copied().collect(),
            bytes: set.iter().map(|&file| self.times.files()[file].bytes).sum(),
            seconds: sum + migration_seconds,
            migration_seconds,
            query_seconds,
        }
    }

    fn cache(&self, scope: &[usize], storage: Storage) -> Cached {
        let (query_seconds, seconds) = self.times(scope, |_| storage.clone());
        let (policy, admission) = match storage {
            Storage::Cached(_, policy, admission) => (policy.name(), admission.name()),
            _ => ("", ""),
        };
        Cached { policy: policy.to_owned(), admission: admission.to_owned(), seconds, query_seconds }
    }
}

/// Every cache of a size.
fn caches(bytes: u64) -> impl Iterator<Item = Storage> {
    let of = move |policy| Admission::ALL.map(|admission| Storage::Cached(bytes, policy, admission));
    PolicyKind::ALL.iter().flat_map(move |&policy| of(policy))
}
