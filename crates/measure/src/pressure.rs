//! What else went on while we measured: processors that were waited for or taken away, and heat.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Counters at one moment; [`Pressure::sample`] says what happened since.
#[derive(Debug, Clone)]
pub struct Pressure {
    at: Instant,
    stalled_us: Option<u64>,
    ticks: Option<Ticks>,
}

/// What happened between [`Pressure::start`] and [`Pressure::sample`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PressureDelta {
    /// Share of the time in which some task of the machine waited for a processor, 0 to 1 (PSI, `some`).
    /// `None` where the kernel has no PSI.
    pub cpu_pressure: Option<f64>,
    /// Share of processor time that the hypervisor gave to others, 0 to 1. `None` where no tick has passed.
    pub cpu_steal: Option<f64>,
}

/// Processor time since boot, in the kernel's ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ticks {
    total: u64,
    stolen: u64,
}

impl Pressure {
    /// Reads the counters.
    pub fn start() -> Self {
        let read = |path| fs::read_to_string(path).ok();
        Pressure {
            at: Instant::now(),
            stalled_us: read("/proc/pressure/cpu").and_then(|text| parse_psi_some_us(&text)),
            ticks: read("/proc/stat").and_then(|text| parse_ticks(&text)),
        }
    }

    /// What happened since [`Pressure::start`]. Can be asked again.
    pub fn sample(&self) -> PressureDelta {
        delta(self, &Pressure::start())
    }
}

fn delta(from: &Pressure, to: &Pressure) -> PressureDelta {
    let elapsed_us = to.at.duration_since(from.at).as_micros() as f64;
    let stalled = from.stalled_us.zip(to.stalled_us).map(|(from, to)| to.saturating_sub(from));
    let steal = from.ticks.zip(to.ticks).and_then(|(from, to)| {
        // Counters may step back a little; then nothing is known.
        let total = to.total.checked_sub(from.total).filter(|ticks| *ticks > 0)?;
        Some(to.stolen.checked_sub(from.stolen)? as f64 / total as f64)
    });
    PressureDelta {
        cpu_pressure: stalled.filter(|_| elapsed_us > 0.0).map(|us| (us as f64 / elapsed_us).min(1.0)),
        cpu_steal: steal.map(|share| share.min(1.0)),
    }
}

/// Microseconds since boot in which some task waited:
/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=10506607`.
fn parse_psi_some_us(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    line.split_whitespace().find_map(|field| field.strip_prefix("total="))?.parse().ok()
}

/// The first line of `/proc/stat`: user nice system idle iowait irq softirq steal; guest time is in user
/// already.
fn parse_ticks(text: &str) -> Option<Ticks> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let fields: Vec<u64> =
        line.split_whitespace().take(8).map(|field| field.parse().ok()).collect::<Option<_>>()?;
    let total = fields.iter().try_fold(0_u64, |sum, ticks| sum.checked_add(*ticks))?;
    Some(Ticks { total, stolen: *fields.get(7)? })
}

/// How long the calling thread, ready to run, waited for a processor: [`ProcessorWait::begin`] to
/// [`ProcessorWait::end`], on the same thread.
#[derive(Debug)]
pub(crate) struct ProcessorWait {
    at: Instant,
    waited_ns: Option<u64>,
}

impl ProcessorWait {
    pub(crate) fn begin() -> Self {
        let waited_ns = fs::read_to_string("/proc/thread-self/schedstat").ok();
        ProcessorWait { at: Instant::now(), waited_ns: waited_ns.and_then(|text| parse_waited_ns(&text)) }
    }

    /// The share of the time since, 0 to 1; `None` where the kernel does not tell.
    pub(crate) fn end(&self) -> Option<f64> {
        let now = ProcessorWait::begin();
        let waited = now.waited_ns?.checked_sub(self.waited_ns?)?;
        let elapsed = now.at.duration_since(self.at).as_nanos() as f64;
        (elapsed > 0.0).then(|| (waited as f64 / elapsed).min(1.0))
    }
}

/// Nanoseconds on a processor, nanoseconds waiting for one, turns on one.
fn parse_waited_ns(text: &str) -> Option<u64> {
    text.split_whitespace().nth(1)?.parse().ok()
}

/// Temperature of the drive whose directory in sysfs is `disk` ([`crate::facts::disk_directory`]), and its
/// warning threshold if it has one, degrees Celsius. `None` where no sensor is shown: NVMe has one, SATA with
/// the `drivetemp` module.
pub fn temperature_c(disk: &Path) -> Option<(f64, Option<f64>)> {
    let sensor = sensors(disk).into_iter().find(|dir| dir.join("temp1_input").exists())?;
    let read =
        |file: &str| fs::read_to_string(sensor.join(file)).ok().and_then(|text| parse_millidegrees(&text));
    Some((read("temp1_input")?, read("temp1_max").or_else(|| read("temp1_crit"))))
}

/// hwmon directories under the disk's device, and under the controllers of an NVMe subsystem.
fn sensors(disk: &Path) -> Vec<PathBuf> {
    let device = disk.join("device");
    let mut parents = vec![device.clone(), device.join("hwmon")];
    for controller in subdirectories(&device, "nvme") {
        parents.push(controller.join("hwmon"));
        parents.push(controller);
    }
    parents.iter().flat_map(|parent| subdirectories(parent, "hwmon")).collect()
}

fn subdirectories(dir: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// hwmon counts thousandths of a degree. What no drive can have is a sensor's way to say "none".
fn parse_millidegrees(text: &str) -> Option<f64> {
    let degrees = text.trim().parse::<i64>().ok()? as f64 / 1000.0;
    (-60.0..200.0).contains(&degrees).then_some(degrees)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    const PSI: &str = "some avg10=1.82 avg60=0.75 avg300=0.57 total=10506607\n\
        full avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";

    #[test]
    fn counters_are_read() {
        assert_eq!(parse_psi_some_us(PSI), Some(10_506_607));
        let stat = "cpu  13029 1 4333 202003 1762 2 97 35 9 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
        assert_eq!(parse_ticks(stat), Some(Ticks { total: 221_262, stolen: 35 }));
    }

    #[test]
    fn garbage_is_absent() {
        for garbage in
            ["", "some", "some total=", "some total=-1", "full total=5", "some total=99999999999999999999"]
        {
            assert_eq!(parse_psi_some_us(garbage), None, "{garbage:?}");
        }
        let overflow = "cpu 18446744073709551615 1 1 1 1 1 1 1";
        for garbage in
            ["", "cpu", "cpu ", "cpu 1 2 3", "cpu a b c d e f g h", "cpu0 1 2 3 4 5 6 7 8", overflow]
        {
            assert_eq!(parse_ticks(garbage), None, "{garbage:?}");
        }
        for garbage in ["", "hot", "65261850", "-273150", "1e3"] {
            assert_eq!(parse_millidegrees(garbage), None, "{garbage:?}");
        }
    }

    #[test]
    fn shares_are_of_the_time_that_passed() {
        let from = Pressure {
            at: Instant::now(),
            stalled_us: Some(100),
            ticks: Some(Ticks { total: 1000, stolen: 10 }),
        };
        let later = |stalled_us, total, stolen| Pressure {
            at: from.at + Duration::from_secs(2),
            stalled_us: Some(stalled_us),
            ticks: Some(Ticks { total, stolen }),
        };
        let quarter = PressureDelta { cpu_pressure: Some(0.25), cpu_steal: Some(0.1) };
        assert_eq!(delta(&from, &later(500_100, 1200, 30)), quarter);
        assert_eq!(
            delta(&from, &later(9_000_000, 1000, 10)),
            PressureDelta { cpu_pressure: Some(1.0), cpu_steal: None }
        );
        assert_eq!(
            delta(&from, &later(100, 1200, 9)),
            PressureDelta { cpu_pressure: Some(0.0), cpu_steal: None }
        );
        let blind = Pressure { stalled_us: None, ticks: None, ..from.clone() };
        assert_eq!(delta(&blind, &later(1, 1, 1)), PressureDelta::default());
        assert_eq!(delta(&from, &from).cpu_pressure, None);
    }

    #[test]
    fn a_threads_wait_for_a_processor_is_read() {
        assert_eq!(parse_waited_ns("274674 981 12\n"), Some(981));
        for garbage in ["", "1", "1 x 3", "1 -2 3", "1 99999999999999999999 3"] {
            assert_eq!(parse_waited_ns(garbage), None, "{garbage:?}");
        }
        assert!(ProcessorWait::begin().end().is_none_or(|share| (0.0..=1.0).contains(&share)));
    }

    #[test]
    fn temperatures_of_nvme_and_sata() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(temperature_c(dir.path()), None);
        let write = |file: &str, text: &str| {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("sda/device/hwmon/hwmon3/temp1_input", "35000\n");
        write("sda/device/hwmon/hwmon3/temp1_crit", "70000\n");
        write("nvme0n1/device/hwmon1/temp1_input", "41850\n");
        write("nvme0n1/device/hwmon1/temp1_max", "65261850\n");
        write("nvme1n1/device/nvme1/hwmon2/temp1_input", "-5000\n");
        write("nvme1n1/device/nvme1/hwmon2/temp1_max", "81850\n");
        write("nvme1n1/device/nvme1/hwmon2/temp1_crit", "84850\n");
        assert_eq!(temperature_c(&dir.path().join("sda")), Some((35.0, Some(70.0))));
        assert_eq!(temperature_c(&dir.path().join("nvme0n1")), Some((41.85, None)));
        assert_eq!(temperature_c(&dir.path().join("nvme1n1")), Some((-5.0, Some(81.85))));
    }

    #[test]
    fn this_machine_answers() {
        let pressure = Pressure::start();
        let delta = pressure.sample();
        assert!(delta.cpu_pressure.is_none_or(|share| (0.0..=1.0).contains(&share)));
        assert!(delta.cpu_steal.is_none_or(|share| (0.0..=1.0).contains(&share)));
    }

    proptest! {
        #[test]
        fn nothing_makes_the_readers_panic(text in "(some |cpu |total=|[0-9]{0,22}|[ \n=-]|\\PC){0,20}") {
            parse_psi_some_us(&text);
            parse_ticks(&text);
            parse_millidegrees(&text);
        }
    }
}
