//! The device's temperature over a run.

use std::path::Path;

use leadline_measure::pressure::temperature_c;
use leadline_model::Temperature;

/// Keeps the highest temperature seen, reading at most once a second.
pub(crate) struct Thermometer<'a> {
    sysfs: Option<&'a Path>,
    last: std::time::Instant,
    pub(crate) seen: Option<Temperature>,
}

impl<'a> Thermometer<'a> {
    pub(crate) fn new(sysfs: Option<&'a Path>) -> Self {
        let mut thermometer = Thermometer { sysfs, last: std::time::Instant::now(), seen: None };
        thermometer.take();
        thermometer
    }

    pub(crate) fn read(&mut self) {
        if self.last.elapsed().as_secs() >= 1 {
            self.last = std::time::Instant::now();
            self.take();
        }
    }

    fn take(&mut self) {
        let Some((now, warning)) = self.sysfs.and_then(temperature_c) else { return };
        let seen = self.seen.get_or_insert(Temperature {
            start_c: now,
            max_c: now,
            warning_c: warning,
            throttled: false,
        });
        seen.max_c = seen.max_c.max(now);
        seen.throttled |= warning.is_some_and(|warning| now >= warning);
    }
}
