//! Device descriptions, TOML: what the catalogue reads of them, the simulator, and devices made of two.

use leadline_catalogue::{CatalogueError, DEVICES, Description};
use leadline_sim::DeviceSpec;
use leadline_tiers::TiersSpec;

use crate::Target;

pub(super) struct Devices;

/// Flash drives: one with what is required, one with every field.
const FLASH: [&str; 2] = [
    "kind = \"flash\"\ncapacity = \"64M\"\nover_provisioning = 0.25\n\
     [geometry]\nchannels = 2\ndies_per_channel = 1\npages_per_block = 64\npage_bytes = 4096\n\
     [timing]\nread_us = 50\nprogram_us = 200\nerase_us = 2000\nbus_mb_per_s = 1000\n",
    "kind = \"flash\"\ncapacity = \"1G\"\nseed = 3\nstate = \"filled\"\nallocation = \"static\"\n\
     [geometry]\nchannels = 2\ndies_per_channel = 2\nplanes = 2\nblocks_per_plane = 300\n\
     pages_per_block = 64\npage_bytes = \"16K\"\nsuperblock = true\n\
     [timing]\nread_us = [40, 60]\nprogram_us = [200, 500]\nerase_us = 2e3\nbus_mb_per_s = 800\n\
     controller_us = 2\nsuspend_us = 10\nsigma = 0.2\n\
     [gc]\npolicy = \"windowed\"\nwindow = 9\nsoft = 8\nhard = 2\ntokens_per_write = 2\n\
     [buffer]\nwrite = \"4M\"\nread = \"2M\"\nhit_us = 1\nflush_us = 5\npower_loss_protection = false\n\
     [slc]\nbytes = \"64M\"\nread_us = 20\nprogram_us = 50\nidle_ms = 10\n\
     [mapping]\nunit = 4096\ncache = \"64K\"\nfine_entries = 100\n\
     [read_ahead]\nstreams = 2\nbytes = \"256K\"\n\
     [disturb]\nreads = 1000\npages = 1\n\
     [wear]\ncycles = 1000\nspread = 9\n\
     [link]\nmb_per_s = 500\nduplex = false\nrequest_us = 1\nqueues = 2\n",
];

/// Devices made of two, with every field.
const TIERS: [&str; 2] = [
    "kind = \"cached\"\nfast = \"sim:optane\"\nslow = \"sim:sata\"\nfast_size = \"64M\"\nblock = \"16K\"\n\
     policy = \"arc\"\nadmission = \"second-miss\"\ndescription = \"a cache\"\n",
    "kind = \"placed\"\nfast = \"a.toml\"\nslow = \"b.json\"\nfast_size = 4096\nfast_files = [\"*line*\", \"x\"]\n",
];

impl Target for Devices {
    fn name(&self) -> String {
        "device".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let all = DEVICES.iter().map(|device| device.text).chain(FLASH).chain(TIERS);
        all.map(|text| text.as_bytes().to_vec()).collect()
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "[read]",
            "[[published]]",
            "[write]\n",
            "[flush]\n",
            "[cap]\niops = 9\n",
            "kind = \"flash\"\n",
            "[slc]\n",
            "[mapping]\n",
            "[disturb]\nreads = 9\n",
            "over_provisioning = 0.1\n",
            "superblock = true\n",
            "policy = \"cost-benefit\"\n",
            "state = \"fresh\"\n",
            "kind = \"placed\"\n",
            "fast_files = [\"[\"]\n",
            "\"",
            "'''",
            " = ",
            "{}",
            "[",
            "1e9",
            "\"64G\"",
            "true",
            "#",
        ]
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(input) else { return false };
        if let Ok(spec) = DeviceSpec::parse(text, "input") {
            let _ = spec.model();
        }
        if TiersSpec::parse(text, "input").is_ok() {
            return true;
        }
        match Description::parse(text, "input") {
            Ok(_) => true,
            Err(error) => !matches!(error, CatalogueError::Syntax { .. }),
        }
    }
}
