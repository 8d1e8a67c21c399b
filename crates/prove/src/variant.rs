//! Settings under a name.

use serde::{Deserialize, Serialize};

/// Settings that a system runs with, beyond its defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// What it is called.
    pub name: String,
    /// Keys and values, in the system's own words.
    pub settings: Vec<(String, String)>,
}

/// What a variant is there for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Nothing is set: what all others are compared with.
    Default,
    /// Nothing is set, once more in each round: as long as this differs from the default, so may anything
    /// else.
    Control,
    /// The advice.
    Advice,
    /// This key of the advice alone.
    Key(String),
    /// A value for the advice to be compared with.
    Grid,
}

impl Variant {
    /// The system's defaults.
    pub(crate) fn default_settings() -> Variant {
        Variant { name: "default".into(), settings: Vec::new() }
    }

    /// A variant with one setting, named after it.
    pub fn single(key: &str, value: &str) -> Variant {
        Variant { name: format!("{key}={value}"), settings: vec![(key.to_owned(), value.to_owned())] }
    }
}

/// The default twice, and the advice with its keys one by one, each only where it has one of `keys`, then the
/// grid.
/// A grid value that is the same as one of the single keys is not there twice.
pub(crate) fn line_up(
    advice: &[(String, String)],
    keys: &[&str],
    with_single_keys: bool,
    grid: Vec<Variant>,
) -> Vec<(Role, Variant)> {
    let control = Variant { name: "default again".into(), settings: Vec::new() };
    let mut all = vec![(Role::Default, Variant::default_settings()), (Role::Control, control)];
    let matter: Vec<_> = advice.iter().filter(|(key, _)| keys.contains(&key.as_str())).collect();
    if !matter.is_empty() {
        all.push((Role::Advice, Variant { name: "advice".into(), settings: advice.to_vec() }));
    }
    if with_single_keys && matter.len() > 1 {
        all.extend(matter.iter().map(|(key, value)| (Role::Key(key.clone()), Variant::single(key, value))));
    }
    for variant in grid {
        if all.iter().all(|(_, other)| *other != variant) {
            all.push((Role::Grid, variant));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &[(&str, &str)]) -> Vec<(String, String)> {
        text.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_does_not_matter_is_no_reason_for_a_run() {
        let grid = vec![Variant::single("io", "1"), Variant::single("io", "8")];
        let names = |advice: &[(&str, &str)], singles| -> Vec<String> {
            let all = line_up(&pairs(advice), &["io", "flush"], singles, grid.clone());
            all.into_iter().map(|(_, variant)| variant.name).collect()
        };
        assert_eq!(names(&[("cost", "1.1")], true), ["default", "default again", "io=1", "io=8"]);
        // One key that matters is the advice itself.
        assert_eq!(
            names(&[("cost", "1.1"), ("io", "8")], true),
            ["default", "default again", "advice", "io=1", "io=8"]
        );
        let both = [("io", "8"), ("cost", "1.1"), ("flush", "0")];
        assert_eq!(names(&both, true), ["default", "default again", "advice", "io=8", "flush=0", "io=1"]);
        assert_eq!(names(&both, false), ["default", "default again", "advice", "io=1", "io=8"]);
    }
}
