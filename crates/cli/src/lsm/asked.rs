//! What both predictions of LSM trees take: the profile, the data, the workload and the machine.

use leadline_advise::{Advice, Inputs, System};
use leadline_device::{format_size, parse_large_size};
use leadline_lsm::{Calibration, Data, Demands, DeviceCosts, Mix, Prediction, ProcessorCosts};
use leadline_profile::{DeviceProfile, EngineKind};

use crate::failure::{Failure, no_tree, no_tree_of};
use crate::paths::{InputPath, ProfileName};
use crate::values;

/// Compactions read and write requests of this size and more: above it nothing should be guessed.
const COMPACTION_BYTES: u32 = 512 << 10;

#[derive(clap::Args)]
pub(super) struct Asked {
    /// A profile of the device, or device:NAME for published numbers
    #[arg(value_name = "PROFILE")]
    pub(super) profile: ProfileName,
    /// Size of all keys and values in the tree, such as 100G
    #[arg(long, value_name = "SIZE", value_parser = values::amount)]
    data: u64,
    /// Size of a key, 1 byte to 1M
    #[arg(long, alias = "key", value_name = "SIZE", value_parser = values::key)]
    key_size: u32,
    /// Size of a value, 0 bytes to 1G
    #[arg(long, alias = "value", value_name = "SIZE", value_parser = values::value)]
    value_size: u32,
    /// Clients, 1 to 4096, each with one operation at a time
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    clients: u32,
    /// Pairs of key and value that a scan returns
    #[arg(long, value_name = "N", default_value_t = 128)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    scan_pairs: u32,
    /// Processor cores, 1 to 4096 [default: the cores of the profile's machine, or of this one]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=4096))]
    cores: Option<u32>,
    /// Size after compression in percent, 1 to 100 [default: 100, no compression]
    #[arg(long, value_name = "PERCENT", value_parser = stored)]
    compressed: Option<f64>,
    /// Processor time of RocksDB's operations: a result of `leadline lsm validate`, or a JSON object
    /// [default: measured on another machine]
    #[arg(long, value_name = "FILE")]
    processor: Option<InputPath>,
}

/// The device and the processor.
pub(super) struct Costs {
    pub(super) device: DeviceCosts,
    pub(super) processor: ProcessorCosts,
    pub(super) cores: u32,
    /// What the device means for RocksDB, whatever the layout.
    pub(super) keys: Advice,
    /// Where the processor's costs are from, in words.
    pub(super) origin: String,
    /// What makes predictions worth less, one line each.
    pub(super) warnings: Vec<String>,
}

/// What makes this prediction worth less, if anything does.
pub(super) fn doubt(prediction: &Prediction) -> Option<String> {
    prediction.load.is_coarse.then(|| {
        "--data: the tree has too many files to be simulated closely; what its lowest levels write is \
         underestimated, and so are write amplification and the time of the load"
            .to_owned()
    })
}

impl Asked {
    pub(super) fn data(&self) -> Result<Data, Failure> {
        let data = Data::of_bytes(self.data as f64, self.key_size, self.value_size);
        data.check().map_err(|error| no_tree_of(&error))?;
        Ok(data)
    }

    pub(super) fn demands(&self, mix: Mix) -> Demands {
        Demands { mix, clients: self.clients, scan_pairs: f64::from(self.scan_pairs) }
    }

    /// Stored bytes over bytes of pairs.
    pub(super) fn compressed_share(&self) -> f64 {
        self.compressed.unwrap_or(1.0)
    }

    /// Bytes of all pairs.
    pub(super) fn data_bytes(&self) -> u64 {
        self.data
    }

    /// Reads the profile and the processor's costs.
    pub(super) fn costs(&self) -> Result<Costs, Failure> {
        // A file that cannot be read should not be found out after the fit.
        let calibration = self.processor.as_ref().map(Calibration::read).transpose()?;
        let profile = DeviceProfile::open(&self.profile)?;
        let mut device = DeviceCosts::from_profile(&profile)
            .map_err(|error| no_tree(&self.profile.to_string(), &error))?;
        let mut warnings = Vec::new();
        if profile.method.engine == EngineKind::Imported {
            warnings.push(format!(
                "{}: has imported numbers, of which the processor's part is not known",
                self.profile
            ));
        }
        if profile.method.engine == EngineKind::Published {
            warnings.push(format!(
                "{}: has published numbers, not measured ones; the intervals do not tell how far they are off",
                self.profile
            ));
        }
        if device.largest_bytes() < COMPACTION_BYTES {
            warnings.push(format!(
                "{}: has no requests larger than {}, and compactions read 2M and write 1M at a time, whose costs \
                 are extrapolated; leadline profile --block-size 4K,16K,64K,512K,2M measures them",
                self.profile,
                format_size(u64::from(device.largest_bytes()))
            ));
        }
        let origin = match &self.processor {
            Some(path) => format!("costs of {}", path.display()),
            None => {
                "costs of another machine, good enough to compare layouts; leadline lsm validate measures \
                     this one's, for --processor"
                    .to_owned()
            }
        };
        if self.processor.is_none() {
            warnings.push(format!("processor: {origin}"));
        }
        if let Some(files) = calibration.and_then(|found| found.files) {
            device = device.with_files(files);
        }
        let here = || std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        let cores = self.cores.or(device.processors()).unwrap_or_else(here);
        let processor = calibration.map_or_else(ProcessorCosts::default, |found| found.processor);
        let inputs = Inputs { cores: Some(cores), ..Inputs::default() };
        let keys = leadline_advise::advise(System::Rocksdb, &profile, &inputs)?;
        Ok(Costs { device, processor, cores, keys, origin, warnings })
    }
}

fn stored(text: &str) -> Result<f64, String> {
    let share = values::percent(text).ok().filter(|share| *share >= 0.01);
    share.ok_or_else(|| "must be from 1 to 100 (percent)".to_owned())
}

/// A size of at least one byte.
pub(super) fn size(text: &str) -> Result<u64, String> {
    match parse_large_size(text)? {
        0 => Err("must be at least 1 byte".to_owned()),
        size => Ok(size),
    }
}
