//! What surrounds a measurement while it runs: heat, and programs that wait for a processor.

use std::time::{Duration, Instant};

use leadline_device::Clock;
use leadline_profile::Temperature;

use crate::pressure::{Pressure, temperature_c};
use crate::summary::Circumstances;
use crate::target::OpenTarget;

/// Between two looks at the thermometer.
const EVERY: Duration = Duration::from_secs(1);

/// Watches what surrounds a measurement from its start on.
pub struct Surroundings<'a> {
    target: &'a OpenTarget,
    created: Option<String>,
    pressure: Pressure,
    looked: Instant,
    temperature: Option<Temperature>,
}

impl<'a> Surroundings<'a> {
    /// Begins; `now` is the time of day, RFC 3339.
    pub fn watch(target: &'a OpenTarget, now: String) -> Self {
        let mut surroundings = Surroundings {
            target,
            created: Some(now).filter(|_| target.device.clock() == Clock::Wall),
            pressure: Pressure::start(),
            looked: Instant::now(),
            temperature: None,
        };
        surroundings.read_thermometer();
        surroundings
    }

    /// Reads the thermometer if a second has passed. To be called often.
    pub fn sample(&mut self) {
        if self.looked.elapsed() >= EVERY {
            self.looked = Instant::now();
            self.read_thermometer();
        }
    }

    fn read_thermometer(&mut self) {
        let Some((now, warning)) = self.target.sysfs.as_deref().and_then(temperature_c) else { return };
        let temperature = self.temperature.get_or_insert(Temperature {
            start_c: now,
            max_c: now,
            warning_c: warning,
            throttled: false,
        });
        temperature.max_c = temperature.max_c.max(now);
        temperature.throttled |= warning.is_some_and(|warning| now >= warning);
    }

    /// All of it, for the profile that this `version` of Leadline writes. Nothing surrounds a simulated
    /// device.
    pub fn circumstances(self, version: &str) -> Circumstances {
        let clock = self.target.device.clock();
        let pressure = self.pressure.sample();
        Circumstances {
            facts: self.target.facts.clone(),
            clock,
            engine: self.target.engine.clone(),
            io_uring_refused: self.target.io_uring_refused.clone(),
            direct: self.target.direct,
            created: self.created,
            no_writes_because: self.target.no_writes_because.clone(),
            temperature: self.temperature,
            cpu_pressure: pressure.cpu_pressure.filter(|_| clock == Clock::Wall),
            cpu_steal: pressure.cpu_steal.filter(|_| clock == Clock::Wall),
            version: version.to_owned(),
        }
    }
}
