//! The simulated device that a pool runs on: a description, or published numbers made into one.

use leadline_catalogue::{AccessPath, Description, Pattern, Published, is_file, load, split_path};
use leadline_device::format_size;
use leadline_model::{DeviceProfile, Pattern as Measured};
use leadline_report::headline;
use leadline_sim::ParametricSpec;

use crate::failure::Failure;
use crate::source::PUBLISHED;

/// A device to make, once a pool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SimulatedDevice {
    spec: ParametricSpec,
    page_bytes: u32,
    /// What was assumed to make it, to be said.
    pub(super) note: Option<String>,
}

impl SimulatedDevice {
    /// `sim:NAME`, `sim:./x.toml` or `device:NAME`.
    ///
    /// # Errors
    /// [`Failure::Input`] names the device, and what is wrong with it.
    pub(super) fn open(text: &str, page_bytes: u32) -> Result<SimulatedDevice, Failure> {
        if let Some(name) = text.strip_prefix("sim:") {
            let spec = leadline_sim::open(name)?.spec().clone();
            return Ok(SimulatedDevice { spec, page_bytes, note: None });
        }
        match text.strip_prefix(PUBLISHED) {
            Some(name) => of_published(name, page_bytes),
            None => Err(Failure::Input(format!(
                "--device {text}: a pool is simulated on sim:NAME, sim:./FILE.toml or device:NAME"
            ))),
        }
    }

    /// Writes it does at once: the n that uses it fully.
    pub(super) fn writes_at_once(&self) -> u32 {
        self.spec.write.servers
    }

    /// Its description, where one write of a page takes as long as `alpha_1` reads.
    pub(super) fn spec(&self, alpha_1: Option<f64>) -> ParametricSpec {
        let mut spec = self.spec.clone();
        if let Some(alpha_1) = alpha_1 {
            let kib = f64::from(self.page_bytes) / 1024.0;
            let read_us = spec.read.service_us + spec.read.per_kib_us * kib;
            let write_us = spec.write.service_us + spec.write.per_kib_us * kib;
            let factor = alpha_1 * read_us / write_us;
            spec.write.service_us *= factor;
            spec.write.per_kib_us *= factor;
        }
        spec
    }
}

/// A device with as many servers as published requests at once, each as quick as one request alone.
fn of_published(name: &str, page_bytes: u32) -> Result<SimulatedDevice, Failure> {
    let (device, path) = split_path(name);
    let prefix = if is_file(device) { "" } else { PUBLISHED };
    let description = load(device).map_err(|error| Failure::Input(format!("{prefix}{error}")))?;
    let refuse = |reason: String| Failure::Input(format!("{PUBLISHED}{name}: {reason}"));
    let entries = with_latencies(&description, path);
    let entry = entries.iter().find(|(entry, ..)| entry.block_bytes == page_bytes).ok_or_else(|| {
        let sizes: Vec<String> = entries.iter().map(|(e, ..)| format_size(e.block_bytes.into())).collect();
        let page = format_size(page_bytes.into());
        refuse(match sizes.is_empty() {
            true => {
                "no latencies of random reads and writes were published; simulate a sim: device".to_owned()
            }
            false => {
                format!("latencies were published for {} only, not for pages of {page}", sizes.join(", "))
            }
        })
    })?;
    let &(entry, read_us, write_us) = entry;
    let cap = entry.cap_iops.unwrap_or(0.0);
    let text = format!(
        "kind = \"parametric\"\ncapacity = {}\ncap_iops = {cap:?}\n\
         [read]\nservice_us = {read_us:?}\nservers = {}\n[write]\nservice_us = {write_us:?}\nservers = {}\n",
        1_u64 << 60,
        entry.k_r,
        entry.k_w
    );
    let spec = ParametricSpec::parse(&text, name)?;
    let limit = if cap > 0.0 { format!(", at most {cap} requests/s") } else { String::new() };
    let note = format!(
        "{PUBLISHED}{name}: assumed from published numbers: {} reads at once of {read_us} us, {} writes at once of \
         {write_us} us{limit}, no jitter, no end",
        entry.k_r, entry.k_w
    );
    Ok(SimulatedDevice { spec, page_bytes, note: Some(note) })
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

/// k_w of a profile, for pages of this size where that was measured.
pub(super) fn measured_k_w(profile: &DeviceProfile, name: &str, page_bytes: u32) -> Result<u32, Failure> {
    let same = |p: &&leadline_model::Parameters| p.pattern == Measured::Random && p.block_bytes == page_bytes;
    let parameters = profile.parameters.iter().find(same).or_else(|| headline(profile));
    parameters.and_then(|p| p.k_w).ok_or_else(|| {
        let text = format!("{name}: has no k_w; measure writes too, or give --n a number");
        Failure::Input(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_numbers_become_servers() {
        let device = SimulatedDevice::open("device:p4510", 4096).unwrap();
        let spec = device.spec(None);
        assert_eq!((spec.read.servers, spec.read.service_us), (80, 12.4));
        assert_eq!((spec.write.servers, spec.write.service_us), (8, 19.6));
        assert_eq!(device.writes_at_once(), 8);
        assert!(device.note.unwrap().contains("19.6"));
        let capped = SimulatedDevice::open("device:aws-virtual", 4096).unwrap().spec(None);
        assert_eq!(capped.cap_iops, 60_000.0);
    }

    #[test]
    fn alpha_1_is_that_of_a_page() {
        let spec = SimulatedDevice::open("sim:flash", 8192).unwrap().spec(Some(4.0));
        let us = |server: &leadline_sim::ServerSpec| server.service_us + 8.0 * server.per_kib_us;
        assert!((us(&spec.write) / us(&spec.read) - 4.0).abs() < 1e-9);
    }

    #[test]
    fn what_was_not_published_is_not_made_up() {
        for (name, page, said) in [
            ("device:aws-virtual", 8192, "4K only, not for pages of 8K"),
            ("device:flash", 4096, "no latencies"),
            ("device:nothing", 4096, "no such device"),
            ("/dev/sda", 4096, "sim:NAME"),
        ] {
            let Err(Failure::Input(text)) = SimulatedDevice::open(name, page) else {
                panic!("{name} was taken")
            };
            assert!(text.contains(said), "{said} in {text}");
        }
    }
}
