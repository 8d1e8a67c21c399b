//! Schedules of faults, TOML.

use leadline_emulate::{Schedule, ScheduleError};

use crate::Target;

pub(super) struct Faults;

const SEED: &str = "seed = 7\n\
    [[fault]]\nkind = \"eio\"\npath = \"base/**\"\noperation = \"fsync\"\nafter_ops = 100\nat_s = 2.5\n\
    probability = 0.1\ntimes = 3\n\
    [[fault]]\nkind = \"stall\"\nrange = [0, 8192]\nseconds = 2.0\ntimes = \"forever\"\n\
    [[fault]]\nkind = \"slow\"\nfactor = 10\n";

impl Target for Faults {
    fn name(&self) -> String {
        "faults".to_owned()
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        vec![SEED.as_bytes().to_vec()]
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "[[fault]]\n",
            "kind = ",
            "\"torn-write\"",
            "\"forever\"",
            "[",
            "**",
            "[!a-",
            "]",
            "1e9",
            "\"",
            "#",
            "{}",
        ]
    }

    fn read(&mut self, input: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(input) else { return false };
        match Schedule::parse(text, "input") {
            Ok(_) => true,
            // Beyond the syntax of TOML: a key or a value was wrong.
            Err(ScheduleError::Syntax { reason, .. }) => {
                reason.contains(':') || reason.contains("unknown") || reason.contains("must be")
            }
            Err(_) => false,
        }
    }
}
