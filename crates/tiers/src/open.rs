//! From the name of a device to its model: the one way, wherever a modelled device is named.

use std::path::Path;

use leadline_catalogue::is_file;
use leadline_device::{Device, format_size};
use leadline_profile::DeviceProfile;
use leadline_sim::{DeviceModel, Flaw, SimError, VirtualDevice, kind_of};

use crate::spec::PLACED_BLOCK_BYTES;
use crate::{
    CacheOptions, CachedModel, CachedSpec, MeasuredModel, OpenError, PlacedModel, PlacedSpec, Placement,
    TiersSpec,
};

/// What a simulated device is named with, and one of published numbers.
const SIMULATED: &str = "sim:";
const PUBLISHED: &str = "device:";

/// What the file of a measured profile ends in.
const PROFILE: &str = ".json";

/// A device that was named.
pub struct Opened {
    /// Its timing, idle.
    pub model: Box<dyn DeviceModel>,
    /// Which files belong on which of its parts; of a `placed` device alone.
    pub placement: Option<Placement>,
    /// What was assumed to make it, in words for the user.
    pub notes: Vec<String>,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Opened { placement, notes, .. } = self;
        f.debug_struct("Opened").field("placement", placement).field("notes", notes).finish_non_exhaustive()
    }
}

impl From<Box<dyn DeviceModel>> for Opened {
    fn from(model: Box<dyn DeviceModel>) -> Self {
        Opened { model, placement: None, notes: Vec::new() }
    }
}

/// Whether a name has the form of one that [`open`] takes: else it may be that of a real device.
pub fn is_modelled(name: &str) -> bool {
    name.starts_with(SIMULATED) || name.starts_with(PUBLISHED) || name.ends_with(PROFILE)
}

/// Opens a modelled device: `sim:NAME` or `sim:FILE.toml`, which may be of one device or made of two;
/// `device:NAME` by its published numbers; `FILE.json`, a measured profile. Where its capacity was not
/// published or measured, it has `capacity_bytes`, or 2^60.
///
/// # Errors
/// [`OpenError`] names the device, the place in its file, and what to do.
pub fn open(name: &str, capacity_bytes: Option<u64>) -> Result<Opened, OpenError> {
    match name.strip_prefix(SIMULATED).map(|file| (file, tiers(file))) {
        Some((path, Some(text))) => made_of_two(&text, path, capacity_bytes),
        _ => open_one(name, capacity_bytes),
    }
}

/// The same in virtual time, of what is simulated (`sim:`) alone.
///
/// # Errors
/// As [`open`].
pub fn open_device(name: &str) -> Result<(Box<dyn Device>, Option<Placement>), OpenError> {
    let Some(file) = name.strip_prefix(SIMULATED) else {
        return Err(OpenError::NotModelled { name: name.to_owned() });
    };
    if let Some(text) = tiers(file) {
        let Opened { model, placement, .. } = made_of_two(&text, file, None)?;
        return Ok((Box::new(VirtualDevice::new(model)), placement));
    }
    // Not of the model: the queue pair of each kind is compiled for it.
    Ok((Box::new(leadline_sim::open(file)?), None))
}

/// The text of a file of a device made of two; `None` of anything else, which has its own reader.
fn tiers(path: &str) -> Option<String> {
    let text = is_file(path).then(|| leadline_catalogue::read(path).ok())??;
    kind_of(&text).is_some_and(|kind| TiersSpec::is_kind(&kind)).then_some(text)
}

/// A device that is not made of two.
fn open_one(name: &str, capacity_bytes: Option<u64>) -> Result<Opened, OpenError> {
    if let Some(simulated) = name.strip_prefix(SIMULATED) {
        return Ok(leadline_sim::open_model(simulated)?.0.into());
    }
    if let Some(device) = name.strip_prefix(PUBLISHED) {
        let published = leadline_sim::published_model(device, capacity_bytes);
        let published = published.map_err(|source| OpenError::Published { name: name.to_owned(), source });
        return Ok(published?.0.into());
    }
    if !name.ends_with(PROFILE) {
        return Err(OpenError::NotModelled { name: name.to_owned() });
    }
    let profile = DeviceProfile::load(name)?;
    let model = MeasuredModel::new(&profile, capacity_bytes)
        .map_err(|source| OpenError::Measured { name: name.to_owned(), source })?;
    let notes = model.notes().iter().map(|note| format!("{name}: {note}")).collect();
    Ok(Opened { model: Box::new(model), placement: None, notes })
}

/// A device made of the two that a description names.
fn made_of_two(text: &str, path: &str, capacity_bytes: Option<u64>) -> Result<Opened, OpenError> {
    let spec = TiersSpec::parse(text, path)?;
    let wrong = |flaw: Flaw| SimError::value(flaw, text, path);
    let one = |field, name: &str, capacity| {
        open_one(&beside(path, name), capacity).map_err(|error| wrong((field, error.to_string())))
    };
    let fast = one("fast", spec.fast(), None)?;
    let slow = one("slow", spec.slow(), capacity_bytes)?;
    let fast_capacity = fast.model.geometry().capacity_bytes;
    if spec.fast_bytes() > fast_capacity {
        let has = format!("must be at most what the fast device has, {}", format_size(fast_capacity));
        return Err(wrong(("fast_size", has)).into());
    }
    let (model, placement): (Box<dyn DeviceModel>, _) = match spec {
        TiersSpec::Cached(spec) => (Box::new(cached(&spec, fast.model, slow.model)), None),
        TiersSpec::Placed(spec) => {
            let (model, placement) = placed(spec, fast.model, slow.model);
            (Box::new(model), Some(placement))
        }
    };
    Ok(Opened { model, placement, notes: [fast.notes, slow.notes].concat() })
}

fn cached(spec: &CachedSpec, fast: Box<dyn DeviceModel>, slow: Box<dyn DeviceModel>) -> CachedModel {
    let options = CacheOptions {
        block_bytes: spec.block_bytes,
        blocks: (spec.fast_bytes / u64::from(spec.block_bytes)) as u32,
        policy: spec.policy,
        admission: spec.admission,
    };
    CachedModel::new(fast, slow, options)
}

fn placed(
    spec: PlacedSpec,
    fast: Box<dyn DeviceModel>,
    slow: Box<dyn DeviceModel>,
) -> (PlacedModel, Placement) {
    // Files are laid out in whole blocks, on both sides of the border.
    let border_bytes = slow.geometry().capacity_bytes / PLACED_BLOCK_BYTES * PLACED_BLOCK_BYTES;
    let PlacedSpec { fast_bytes, fast_files, .. } = spec;
    let model = PlacedModel::new(fast, slow, border_bytes, fast_bytes);
    (model, Placement { border_bytes, fast_bytes, fast_files })
}

/// The name of a device in the file at `path`: files are named relative to that, and one without a prefix is
/// a file.
fn beside(path: &str, name: &str) -> String {
    let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let file = |name: &str| folder.join(name).display().to_string();
    for prefix in [SIMULATED, PUBLISHED] {
        if let Some(named) = name.strip_prefix(prefix) {
            return if is_file(named) { format!("{prefix}{}", file(named)) } else { name.to_owned() };
        }
    }
    if name.ends_with(PROFILE) { file(name) } else { format!("{SIMULATED}{}", file(name)) }
}
