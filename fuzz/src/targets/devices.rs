//! Device descriptions, TOML: what the catalogue reads of them, and the simulator.

use leadline_catalogue::{CatalogueError, DEVICES, Description};
use leadline_sim::DeviceSpec;

use crate::Target;

pub(super) struct Devices;

impl Target for Devices {
    fn name(&self) -> String {
        "device".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        DEVICES.iter().map(|device| device.text.as_bytes().to_vec()).collect()
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "[read]",
            "[[published]]",
            "[write]\n",
            "[flush]\n",
            "[cap]\niops = 9\n",
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
        match Description::parse(text, "input") {
            Ok(_) => true,
            Err(error) => !matches!(error, CatalogueError::Syntax { .. }),
        }
    }
}
