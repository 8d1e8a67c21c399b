//! From the name of a device to its model: the one way, wherever a modelled device is named.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use leadline_catalogue::{PUBLISHED, SIMULATED, behind, device_of, is_file};
use leadline_device::{Device, format_size};
use leadline_profile::DeviceProfile;
use leadline_sim::{DeviceModel, Flaw, SimError, VirtualDevice, kind_of};

use crate::spec::PLACED_BLOCK_BYTES;
use crate::{
    CacheOptions, CachedModel, CachedSpec, MeasuredModel, OpenError, PlacedModel, PlacedSpec, Placement,
    TiersSpec,
};

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

/// Whether a name has the form of one that [`open`] takes: else it may name a real device.
pub fn is_modelled(name: &(impl AsRef<OsStr> + ?Sized)) -> bool {
    let name = name.as_ref();
    behind(name, SIMULATED).is_some() || behind(name, PUBLISHED).is_some() || is_profile(name)
}

fn is_profile(name: &OsStr) -> bool {
    name.as_bytes().ends_with(PROFILE.as_bytes())
}

/// The files that a name leads to: a description or a profile, and the files that the description of a
/// device made of two names; none of a device built in. A name without a prefix is a file.
pub fn files(name: &(impl AsRef<OsStr> + ?Sized)) -> Vec<PathBuf> {
    let name = name.as_ref();
    if let Some(device) = behind(name, PUBLISHED) {
        let device = device_of(device);
        return if is_file(device) { vec![device.into()] } else { Vec::new() };
    }
    let Some(path) = behind(name, SIMULATED) else { return vec![name.into()] };
    if !is_file(path) {
        return Vec::new();
    }
    let spec = tiers(path).and_then(|text| TiersSpec::parse(&text, &path.to_string_lossy()).ok());
    // What they are made of is not made of two again.
    let inner = spec.iter().flat_map(|spec| [spec.fast(), spec.slow()]).flat_map(|name| {
        let name = beside(path, name);
        behind(&name, SIMULATED).or(behind(&name, PUBLISHED)).map_or_else(
            || vec![PathBuf::from(&name)],
            |file| if is_file(file) { vec![file.into()] } else { Vec::new() },
        )
    });
    [path.into()].into_iter().chain(inner).collect()
}

/// Opens a modelled device: `sim:NAME` or `sim:FILE.toml`, which may be of one device or made of two;
/// `device:NAME` by its published numbers; `FILE.json`, a measured profile. Where its capacity was not
/// published or measured, it has `capacity_bytes`, or 2^60.
///
/// # Errors
/// [`OpenError`] names the device, the place in its file, and what to do.
pub fn open(name: &(impl AsRef<OsStr> + ?Sized), capacity_bytes: Option<u64>) -> Result<Opened, OpenError> {
    let name = name.as_ref();
    match behind(name, SIMULATED).map(|file| (file, tiers(file))) {
        Some((path, Some(text))) => open_composite(&text, path, capacity_bytes),
        _ => open_one(name, capacity_bytes),
    }
}

/// The same in virtual time, of what is simulated (`sim:`) alone.
///
/// # Errors
/// As [`open`].
pub fn open_device(
    name: &(impl AsRef<OsStr> + ?Sized),
) -> Result<(Box<dyn Device>, Option<Placement>), OpenError> {
    let name = name.as_ref();
    let Some(file) = behind(name, SIMULATED) else {
        return Err(OpenError::NotModelled { name: name.display().to_string() });
    };
    if let Some(text) = tiers(file) {
        let Opened { model, placement, .. } = open_composite(&text, file, None)?;
        return Ok((Box::new(VirtualDevice::new(model)), placement));
    }
    // Not of the model: the queue pair of each kind is compiled for it.
    Ok((Box::new(leadline_sim::open(file)?), None))
}

/// The text of a file of a device made of two; `None` of anything else, which has its own reader.
fn tiers(path: &OsStr) -> Option<String> {
    let text = is_file(path).then(|| leadline_catalogue::read(path).ok())??;
    kind_of(&text).is_some_and(|kind| TiersSpec::is_kind(&kind)).then_some(text)
}

/// A device that is not made of two.
fn open_one(name: &OsStr, capacity_bytes: Option<u64>) -> Result<Opened, OpenError> {
    let shown = || name.display().to_string();
    if let Some(simulated) = behind(name, SIMULATED) {
        return Ok(leadline_sim::open_model(simulated)?.0.into());
    }
    if let Some(device) = behind(name, PUBLISHED) {
        let published = leadline_sim::published_model(device, capacity_bytes);
        let published = published.map_err(|source| OpenError::Published { name: shown(), source });
        return Ok(published?.0.into());
    }
    if !is_profile(name) {
        return Err(OpenError::NotModelled { name: shown() });
    }
    let profile = DeviceProfile::load(name)?;
    let model = MeasuredModel::new(&profile, capacity_bytes)
        .map_err(|source| OpenError::Measured { name: shown(), source })?;
    let notes = model.notes().iter().map(|note| format!("{}: {note}", name.display())).collect();
    Ok(Opened { model: Box::new(model), placement: None, notes })
}

/// A device made of the two that a description names.
fn open_composite(text: &str, path: &OsStr, capacity_bytes: Option<u64>) -> Result<Opened, OpenError> {
    let shown = path.to_string_lossy();
    let spec = TiersSpec::parse(text, &shown)?;
    let wrong = |flaw: Flaw| SimError::value(flaw, text, &shown);
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
fn beside(path: &OsStr, name: &str) -> OsString {
    let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let file = |prefix: &str, name: &str| {
        let mut whole = OsString::from(prefix);
        whole.push(folder.join(name));
        whole
    };
    for prefix in [SIMULATED, PUBLISHED] {
        if let Some(named) = name.strip_prefix(prefix) {
            return if is_file(named) { file(prefix, named) } else { name.into() };
        }
    }
    file(if name.ends_with(PROFILE) { "" } else { SIMULATED }, name)
}
