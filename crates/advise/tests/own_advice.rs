//! What is advised for a profile fits that profile: for every system, every version, any device.

use leadline_advise::{Inputs, System, Verdict, advise, lint, parse};
use leadline_profile::DeviceProfile;
use proptest::prelude::*;

use crate::common::{FAST, Known, parsed};
use crate::linux::with_rates;
use crate::{innodb, seastar};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_key_fits_in_every_version(known in devices(), cores in 1u32..128, memory in 28u32..42, without in 0u8..8) {
        let profile = measured(known, without);
        for system in System::ALL {
            for version in system.versions() {
                let inputs = Inputs {
                    version: Some((*version).to_owned()),
                    cores: Some(cores),
                    memory_bytes: Some(1 << memory),
                    ..Inputs::default()
                };
                check(system, &profile, &inputs);
            }
        }
    }
}

/// That each file that is written is read back, and that no key of it is other than fit.
fn check(system: System, profile: &DeviceProfile, inputs: &Inputs) {
    let advice = advise(system, profile, inputs).unwrap();
    for file in advice.files() {
        let config = parse(system, &file.text, file.name.as_ref())
            .unwrap_or_else(|error| panic!("{system} {inputs:?}: {error}: {}", file.text));
        let lint = lint(system, &config, profile, inputs).unwrap();
        for finding in &lint.findings {
            let what = || format!("{system} {inputs:?}: {finding:?} of {}", file.text);
            assert_eq!(finding.verdict, Verdict::Fits, "{}", what());
        }
    }
    for setting in &advice.settings {
        assert!(setting.fits.has(&setting.value), "{system}: {} = {}", setting.key, setting.value);
    }
}

/// Drives from a slow disk to what nobody has yet.
fn devices() -> impl Strategy<Value = Known> {
    let log = |low: f64, high: f64| (low.ln()..high.ln()).prop_map(f64::exp);
    (log(5.0, 2e4), log(5.0, 2e4), 1u32..512, log(1e7, 2e10), log(1e-3, 1.0), log(5.0, 1e5), any::<bool>())
        .prop_map(|(read_us, write_us, servers, bandwidth, lasts, flush_us, rotational)| Known {
            read_us,
            write_us,
            servers,
            bandwidth,
            sustained: lasts * bandwidth,
            flush_us,
            rotational,
        })
}

/// The profile of a device, with what the systems need beside what all of them do; a bit of `without` each
/// leaves one of these experiments out.
pub(crate) fn measured(known: Known, without: u8) -> DeviceProfile {
    let seconds = |bytes: u32, reads: f64| {
        let of = |share: f64, us: f64| {
            share * (us * 1e-6 / f64::from(known.servers) + f64::from(bytes) / known.bandwidth)
        };
        of(reads, known.read_us) + of(1.0 - reads, known.write_us)
    };
    let mut document = with_rates(known);
    let others = [
        ("durable-writes", innodb::document(known, 1e6 / known.flush_us)),
        ("mix-line", seastar::document(known, seconds)),
    ];
    for (at, (name, other)) in others.into_iter().enumerate() {
        if without >> at & 1 == 0 {
            document["experiments"][name] = other["experiments"][name].clone();
        }
    }
    document["method"]["direct"] = (without & 4 == 0).into();
    parsed(&document)
}

/// What is said to be in force unless set, by rules and by tables, is one thing.
#[test]
fn defaults_of_rules_are_those_that_the_programs_tell() {
    let mut compared = 0;
    for system in System::ALL {
        for version in system.versions() {
            let version_named = Some((*version).to_owned());
            let inputs = Inputs { version: version_named, memory_bytes: Some(1 << 34), ..Inputs::default() };
            let advice = advise(system, &measured(FAST, 0), &inputs).unwrap();
            for setting in &advice.settings {
                let key = system.keys(version).and_then(|keys| keys.get(setting.key));
                let told = key.and_then(|key| key.default).and_then(|text| system.value(setting, text));
                let (Some(default), Some(told)) = (&setting.default, told) else { continue };
                // MariaDB's innodb_io_capacity_max: what the server makes at its start is told as the most.
                let is_made = key.is_some_and(|key| told.number() == Some(key.range[1]));
                assert!(*default == told || is_made, "{system} {version} {}: {told:?}", setting.key);
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared} defaults");
}
