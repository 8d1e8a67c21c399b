//! An open index.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use leadline_cli::Failure;
use leadline_index::{Batch, Durability, Index, IndexError, Options};
use leadline_measure::Progress;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use serde_json::json;

use super::view::{IndexView, Reader};
use super::{CLOSED, failure, raised};
use crate::profile::DeviceProfile;
use crate::{background, errors};

/// An open index. Threads use it at the same time.
#[pyclass(frozen, module = "leadline._leadline")]
pub(crate) struct IndexStore {
    /// None once it is closed.
    index: Mutex<Option<Index>>,
    /// As it was opened.
    options: Options,
    /// Why the profile did not say how large the nodes of a new index should be.
    note: Option<String>,
}

/// A key with its new value; none where it is to be removed.
type Given = (PyBackedBytes, Option<PyBackedBytes>);

#[pymethods]
impl IndexStore {
    /// `seconds`: at most so long until a change is durable; 0: when the call returns; none: at checkpoints.
    #[new]
    #[pyo3(signature = (path, memory, concurrency, profile, node_size, seconds, create, read_only))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        memory: Option<u64>,
        concurrency: Option<u32>,
        profile: Option<&DeviceProfile>,
        node_size: Option<u32>,
        seconds: Option<f64>,
        create: bool,
        read_only: bool,
    ) -> PyResult<IndexStore> {
        let usual = match profile {
            None => Options::default(),
            Some(profile) => Options::for_profile(&profile.profile).map_err(|error| raised(py, error))?,
        };
        let options = usual
            .clone()
            .cache_bytes(memory.unwrap_or(usual.cache_bytes))
            .reads(concurrency.unwrap_or(usual.reads).clamp(1, 1024))
            .writes(usual.writes.clamp(1, 1024))
            .create(create)
            .read_only(read_only)
            .durability(match seconds {
                None => Durability::Never,
                Some(0.0) => Durability::EveryCommit,
                Some(seconds) => Durability::Every(Duration::from_secs_f64(seconds)),
            });
        let is_new = create && !read_only && !path.join("index").exists();
        let advised = profile
            .filter(|_| is_new && node_size.is_none())
            .map(|profile| leadline_cli::usual_node_bytes(&profile.profile, options.cache_bytes));
        let note = advised.clone().and_then(Result::err);
        let options = match node_size.or(advised.and_then(Result::ok)) {
            Some(node_bytes) => options.node_bytes(node_bytes),
            None => options,
        };
        // Reading a log may take a while.
        let opened = background::run(py, None, |_| Index::open_with(&path, &options))?;
        let index = opened.map_err(|error| raised(py, error))?;
        Ok(IndexStore { index: Mutex::new(Some(index)), options, note })
    }

    /// Why the profile did not say how large the nodes of a new index should be.
    fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Writes a checkpoint and lets go of the index. What runs still ends first.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(index) = index else { return Ok(()) };
        py.detach(|| index.close()).map_err(|error| raised(py, error))
    }

    /// What reads it as it is.
    fn view(&self, py: Python<'_>) -> PyResult<IndexView> {
        Ok(IndexView::new(Reader::Now(self.open(py)?)))
    }

    /// What reads it as it is now.
    fn snapshot(&self, py: Python<'_>) -> PyResult<IndexView> {
        let index = self.open(py)?;
        Ok(IndexView::new(Reader::Then(py.detach(|| index.snapshot()))))
    }

    /// Whether the key is new.
    fn insert(&self, py: Python<'_>, key: &[u8], value: &[u8]) -> PyResult<bool> {
        self.work(py, |index| index.insert(key, value))
    }

    /// Whether the key was there.
    fn remove(&self, py: Python<'_>, key: &[u8]) -> PyResult<bool> {
        self.work(py, |index| index.remove(key))
    }

    /// Makes changes at once.
    fn commit(&self, py: Python<'_>, changes: Vec<Given>) -> PyResult<()> {
        self.work(py, |index| {
            let mut batch = Batch::new();
            for (key, value) in &changes {
                match value {
                    Some(value) => batch.insert(&key[..], &value[..]),
                    None => batch.remove(&key[..]),
                };
            }
            index.commit(&batch)
        })
    }

    /// Fills an empty index with the entries of an iterator of lists, in ascending order or in any.
    fn load(&self, py: Python<'_>, lists: &Bound<'_, PyAny>, ascending: bool) -> PyResult<()> {
        let index = self.open(py)?;
        let lists = lists.try_iter()?;
        let next = |_: Python<'_>| {
            let mut lists = lists.clone();
            let list = lists.next().transpose()?;
            list.map(|list| list.extract::<Vec<(PyBackedBytes, PyBackedBytes)>>()).transpose()
        };
        let done = background::run_fed(py, None, next, |_, feed| {
            let mut list = Vec::<(PyBackedBytes, PyBackedBytes)>::new().into_iter();
            let entries = std::iter::from_fn(|| {
                loop {
                    if let Some(entry) = list.next() {
                        return Some(Ok(entry));
                    }
                    match feed.next() {
                        Ok(Some(more)) => list = more.into_iter(),
                        Ok(None) => return None,
                        Err(_) => return Some(Err(Load::Ended)),
                    }
                }
            });
            if ascending { index.try_bulk_load(entries) } else { index.try_load(entries) }
        })?;
        done.map_err(|load| match load {
            Load::Ended => errors::failed(py, "interrupted; the index is empty as before"),
            Load::Failed(error) => raised(py, error),
        })
    }

    fn checkpoint(&self, py: Python<'_>) -> PyResult<()> {
        self.work(py, Index::checkpoint)
    }

    fn sync(&self, py: Python<'_>) -> PyResult<()> {
        self.work(py, Index::sync)
    }

    /// What was found, as JSON.
    #[pyo3(signature = (progress = None))]
    fn verify(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let index = self.open(py)?;
        let found = background::run(py, progress, |watch| {
            let mut show = watch.shows();
            index.verify(|done, total| {
                let share = done as f64 / total.max(1) as f64;
                show(&Progress { phase: "verify", done: share, detail: format!("{done} of {total} pages") });
            })
        })?;
        let problems: Vec<_> =
            found.problems.iter().map(|one| json!({"page": one.page, "what": one.what})).collect();
        let sound = problems.is_empty();
        let document = json!({
            "sound": sound, "pages": found.pages, "entries": found.entries, "problems": problems,
        });
        Ok(document.to_string())
    }

    /// What it holds, as JSON.
    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        let index = self.open(py)?;
        let found = py.detach(|| index.stats());
        let page_bytes = (found.pages * u64::from(found.node_bytes)).max(1);
        let document = json!({
            "entries": found.entries,
            "entry_bytes": found.bytes,
            "height": found.levels,
            "node_bytes": found.node_bytes,
            "pages": found.pages,
            "fill": found.bytes as f64 / page_bytes as f64,
            "log_bytes": found.log_bytes,
            "reads_in_flight": self.options.reads,
            "memory_bytes": self.options.cache_bytes,
        });
        Ok(document.to_string())
    }
}

/// Why a load ended.
enum Load {
    /// Nobody waits for it any more.
    Ended,
    Failed(IndexError),
}

impl From<IndexError> for Load {
    fn from(error: IndexError) -> Load {
        Load::Failed(error)
    }
}

impl IndexStore {
    /// The index, if it is open.
    fn open(&self, py: Python<'_>) -> PyResult<Index> {
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner).clone();
        index.ok_or_else(|| errors::exception(py, &Failure::Input(CLOSED.to_owned())))
    }

    /// Works on it without Python's lock.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Index) -> Result<T, IndexError> + Send,
    ) -> PyResult<T> {
        let index = self.open(py)?;
        let done = py.detach(|| work(&index).map_err(failure));
        done.map_err(|failure| errors::exception(py, &failure))
    }
}
