//! The name that somebody meant who wrote another one.

use leadline_advise::System;
use strsim::jaro_winkler;

/// Names that are less alike than this are not taken for one another; 1 is equality. `--ouput` and `--output`
/// are 0.97 alike, `profile` and `prove` 0.82, `bonnie` and `fio` 0.5.
const ALIKE: f64 = 0.8;

/// Of `names` the one that is most like `given`, if any is.
pub(crate) fn closest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    let alike = |name: &str| jaro_winkler(&given, &name.to_lowercase());
    let scored = names.into_iter().map(|name| (alike(name), name)).filter(|(alike, _)| *alike >= ALIKE);
    scored.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, name)| name)
}

/// Of the values that an option takes the one that is meant by `given`: also a system by its other names.
pub(super) fn closest_value<'a>(given: &str, values: &[&'a str]) -> Option<&'a str> {
    let other_names = |system: System| system.other_names().iter().map(move |name| (*name, system));
    let others: Vec<(&str, System)> = System::ALL.into_iter().flat_map(other_names).collect();
    let taken = |name: &str| values.iter().copied().find(|value| *value == name);
    let systems = || {
        let name = closest(given, others.iter().map(|(name, _)| *name))?;
        let (_, system) = others.iter().find(|(other, _)| *other == name)?;
        taken(system.name())
    };
    closest(given, values.iter().copied()).or_else(systems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_the_one_that_was_meant() {
        let commands = ["profile", "experiment", "report", "predict", "prove", "place", "pool", "emulate"];
        for (given, meant) in [
            ("profil", Some("profile")),
            ("Profile", Some("profile")),
            ("pofile", Some("profile")),
            ("exp", Some("experiment")),
            ("emulat", Some("emulate")),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(closest(given, commands), meant, "{given}");
        }
        let options = ["quick", "full", "output", "block-sizes", "cpus", "size"];
        for (given, meant) in [("quik", "quick"), ("ouput", "output"), ("blocksize", "block-sizes")] {
            assert_eq!(closest(given, options), Some(meant), "{given}");
        }
        assert_eq!(closest("colour", options), None);
    }

    #[test]
    fn a_system_is_found_by_what_else_it_is_called() {
        let systems: Vec<&str> = System::ALL.iter().map(|system| system.name()).collect();
        for (given, meant) in [
            ("mysql", "innodb"),
            ("MySQL", "innodb"),
            ("mysqll", "innodb"),
            ("PostgreSQL", "postgresql"),
            ("postgre", "postgresql"),
            ("syclla", "seastar"),
            ("rocksDB", "rocksdb"),
        ] {
            assert_eq!(closest_value(given, &systems), Some(meant), "{given}");
        }
        assert_eq!(closest_value("oracle", &systems), None);
        assert_eq!(closest_value("mysql", &["on", "off"]), None, "an option that takes no system");
    }
}
