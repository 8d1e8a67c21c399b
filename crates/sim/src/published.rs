//! A simulated device from published numbers: as many servers as requests were in flight, each as quick as
//! one request alone.

use std::ffi::OsStr;

use leadline_catalogue::{
    AccessPath, CatalogueError, Description, Pattern, Published, device_of, load, split_path,
};

use crate::{DeviceModel, ParametricModel, ParametricSpec, SimError};

/// Published numbers have no end; a trace's pages may lie anywhere.
const CAPACITY_BYTES: u64 = 1 << 60;

/// Why published numbers make no device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishedLatencyError {
    /// The device is known by other numbers.
    #[error("no latencies of random reads and writes were published; simulate a sim: device")]
    NoLatencies,
    /// There are latencies, for other blocks.
    #[error("latencies were published for {} only, not for {}", sizes(.published), sizes(&[*.wanted]))]
    OtherBlocks {
        /// Bytes of the blocks with latencies.
        published: Vec<u32>,
        /// Bytes of the block asked for.
        wanted: u32,
    },
    /// The numbers do not describe a device.
    #[error(transparent)]
    Spec(#[from] SimError),
}

fn sizes(bytes: &[u32]) -> String {
    let all: Vec<String> = bytes.iter().map(|&bytes| leadline_device::format_size(bytes.into())).collect();
    all.join(", ")
}

impl ParametricSpec {
    /// A device that does random requests of `block_bytes` as was published for `path`; without one, as
    /// through a file system, else as on the raw device. It has no jitter. `name` is for messages.
    ///
    /// # Errors
    /// [`PublishedLatencyError`]: no latencies of such requests were published.
    pub fn from_published(
        description: &Description,
        path: Option<AccessPath>,
        block_bytes: u32,
        name: &str,
    ) -> Result<Self, PublishedLatencyError> {
        let entries = with_latencies(description, path);
        let entry = entries.iter().find(|(entry, ..)| entry.block_bytes == block_bytes);
        let &(entry, read_us, write_us) = entry.ok_or_else(|| match entries.is_empty() {
            true => PublishedLatencyError::NoLatencies,
            false => PublishedLatencyError::OtherBlocks {
                published: entries.iter().map(|(entry, ..)| entry.block_bytes).collect(),
                wanted: block_bytes,
            },
        })?;
        let text = format!(
            "kind = \"parametric\"\ncapacity = {CAPACITY_BYTES}\ncap_iops = {:?}\n\
             [read]\nservice_us = {read_us:?}\nservers = {}\n[write]\nservice_us = {write_us:?}\nservers = {}\n",
            entry.cap_iops.unwrap_or(0.0),
            entry.k_r,
            entry.k_w
        );
        Ok(ParametricSpec::parse(&text, name)?)
    }

    /// The same device, where one write of `block_bytes` takes as long as `alpha_1` reads.
    pub fn with_alpha_1(mut self, alpha_1: f64, block_bytes: u32) -> Self {
        let kib = f64::from(block_bytes) / 1024.0;
        let read_us = self.read.service_us + self.read.per_kib_us * kib;
        let write_us = self.write.service_us + self.write.per_kib_us * kib;
        let factor = alpha_1 * read_us / write_us;
        self.write.service_us *= factor;
        self.write.per_kib_us *= factor;
        self
    }
}

/// The timing of a device of the catalogue by its published numbers, and what the file says of it. `name` is
/// what follows `device:` (`p4510`, `p4510:raw`, `./mine.toml`). Latencies for 4096 bytes are used where they
/// were published, else the latencies of the first block that has them; requests of every length take as
/// long. With `capacity_bytes` `None` the device has no end (2^60 bytes).
///
/// # Errors
/// [`PublishedLatencyError`]: no such device, no latencies of random requests, or a capacity out of range.
pub fn published_model(
    name: &(impl AsRef<OsStr> + ?Sized),
    capacity_bytes: Option<u64>,
) -> Result<(Box<dyn DeviceModel>, Description), PublishedLatencyError> {
    let shown = name.as_ref().to_string_lossy();
    let path = split_path(&shown).1;
    let description = load(device_of(name.as_ref())).map_err(SimError::from)?;
    let entries = with_latencies(&description, path);
    let block_bytes = match entries.iter().find(|(entry, ..)| entry.block_bytes == 4096).or(entries.first()) {
        Some((entry, ..)) => entry.block_bytes,
        None => return Err(PublishedLatencyError::NoLatencies),
    };
    let mut spec = ParametricSpec::from_published(&description, path, block_bytes, &shown)?;
    if let Some(bytes) = capacity_bytes {
        spec.capacity = bytes;
        spec.check().map_err(|(field, reason)| {
            SimError::from(CatalogueError::Value {
                path: shown.clone().into_owned(),
                line: None,
                field,
                reason,
            })
        })?;
    }
    Ok((Box::new(ParametricModel::new(&spec)), description))
}

/// Published random requests by that path (else those through a file system, else raw), with both latencies.
fn with_latencies(description: &Description, path: Option<AccessPath>) -> Vec<(&Published, f64, f64)> {
    let of = |raw: bool| {
        let wanted = description.published.iter().filter(move |e| (e.path == Some(AccessPath::Raw)) == raw);
        wanted
            .filter(|e| e.pattern == Pattern::Random)
            .filter_map(|e| Some((e, e.read_latency_us?, e.write_latency_us?)))
            .collect::<Vec<_>>()
    };
    match (path, of(false)) {
        (Some(AccessPath::Raw), _) => of(true),
        (_, file_system) if file_system.is_empty() => of(true),
        (_, file_system) => file_system,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(device: &str, block_bytes: u32) -> Result<ParametricSpec, PublishedLatencyError> {
        let description = leadline_catalogue::load(device).unwrap();
        ParametricSpec::from_published(&description, None, block_bytes, device)
    }

    #[test]
    fn published_numbers_become_servers() {
        let spec = spec("p4510", 4096).unwrap();
        assert_eq!((spec.read.servers, spec.read.service_us), (80, 12.4));
        assert_eq!((spec.write.servers, spec.write.service_us), (8, 19.6));
        assert_eq!(self::spec("aws-virtual", 4096).unwrap().cap_iops, 60_000.0);
    }

    #[test]
    fn alpha_1_is_that_of_a_page() {
        let spec = crate::spec("flash").unwrap().parametric().unwrap().clone().with_alpha_1(4.0, 8192);
        let us = |server: &crate::ServerSpec| server.service_us + 8.0 * server.per_kib_us;
        assert!((us(&spec.write) / us(&spec.read) - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_device_of_published_numbers_has_a_model_with_the_capacity_asked_for() {
        let once = |name: &str, len: u32| {
            let (mut model, _) = published_model(name, Some(1 << 30)).unwrap();
            assert_eq!(model.geometry().capacity_bytes, 1 << 30);
            model.arrive(&leadline_device::Request::read(0, 0, len), 0);
            model.next_completion().unwrap()
        };
        assert_eq!((once("p4510", 4096), once("hdd", 1)), (12_400, 7_000_000));
        assert_eq!(published_model("hdd", None).unwrap().0.geometry().capacity_bytes, 1 << 60);
        let message = |name, capacity| published_model(name, capacity).err().unwrap().to_string();
        assert_eq!(message("hdd", Some(1000)), "hdd: capacity: must be from 1M to 1048576T");
        assert!(message("nosuch", None).starts_with("nosuch: no such device; the catalogue has "));
        assert!(message("flash", None).contains("no latencies"));
    }

    #[test]
    fn what_was_not_published_is_not_made_up() {
        let other = spec("aws-virtual", 8192).unwrap_err().to_string();
        assert_eq!(other, "latencies were published for 4K only, not for 8K");
        assert!(matches!(spec("flash", 4096), Err(PublishedLatencyError::NoLatencies)));
    }
}
