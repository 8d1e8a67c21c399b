//! Loading and saving: whole or not at all, and nothing impossible gets in.

use std::path::Path;

use leadline_files::{JsonFlaw, from_json};

use crate::{DeviceProfile, Parameters, ProfileError, SCHEMA};

/// A full run of hundreds of points, with its experiments, writes some MiB.
const MOST_BYTES: u64 = 64 << 20;

/// A run of an hour has some hundreds; resuming one allocates memory for each.
const MOST_EPOCHS: u32 = 100_000;

impl DeviceProfile {
    /// Reads a profile and checks every number that others will divide by.
    ///
    /// # Errors
    /// [`ProfileError`]: unreadable, not JSON, another major version of the schema, or impossible values.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ProfileError> {
        let path = path.as_ref();
        let text = leadline_files::read_text(path, MOST_BYTES)
            .map_err(|source| ProfileError::Io { path: path.to_owned(), source })?;
        Self::parse(&text, path)
    }

    /// [`DeviceProfile::load`] from text; `path` is only for the messages.
    ///
    /// # Errors
    /// As [`DeviceProfile::load`].
    pub fn parse(text: &str, path: impl AsRef<Path>) -> Result<Self, ProfileError> {
        let path = path.as_ref();
        let syntax = |flaw| ProfileError::Syntax { path: path.to_owned(), flaw };
        // The version first: a later major version may have other fields, and that is the message to give.
        #[derive(serde::Deserialize)]
        struct Version {
            schema: Option<String>,
        }
        let version: Version = from_json(text).map_err(syntax)?;
        let Some(schema) = version.schema else {
            let reason = "is not a profile: it has no `schema`".to_owned();
            return Err(syntax(JsonFlaw { at: None, reason }));
        };
        if !readable(&schema) {
            return Err(ProfileError::Schema { path: path.to_owned(), found: schema });
        }
        let profile: DeviceProfile = from_json(text).map_err(syntax)?;
        profile.check(path)?;
        Ok(profile)
    }

    /// The profile as pretty-printed JSON with a final newline.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a profile has only string keys");
        text.push('\n');
        text
    }

    /// Replaces the profile at `path` by what `with` makes of it, `None` where nothing is there; what it
    /// made. Nobody else changes a profile of the same directory in this way meanwhile, so if two results are
    /// added at once, none is lost.
    ///
    /// # Errors
    /// As [`DeviceProfile::load`] and [`DeviceProfile::save`]; `path` is then as it was before.
    pub fn change(
        path: impl AsRef<Path>,
        with: impl FnOnce(Option<DeviceProfile>) -> DeviceProfile,
    ) -> Result<DeviceProfile, ProfileError> {
        let path = path.as_ref();
        let failed = |source| ProfileError::Io { path: path.to_owned(), source };
        let _lock = leadline_files::lock_place(path).map_err(failed)?;
        let there = path.exists().then(|| DeviceProfile::load(path)).transpose()?;
        let changed = with(there);
        changed.save(path)?;
        Ok(changed)
    }

    /// Makes this profile the file at `path`, whole or not at all.
    ///
    /// # Errors
    /// [`ProfileError::Write`] with the operating system's reason; `path` is then as it was before.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ProfileError> {
        Ok(leadline_files::replace(path, self.to_json())?)
    }

    fn check(&self, path: &Path) -> Result<(), ProfileError> {
        let bad = |place: String, reason: &str| {
            Err(ProfileError::Value { path: path.to_owned(), place, reason: reason.to_owned() })
        };
        if self.method.epochs > MOST_EPOCHS {
            return bad("method.epochs".into(), "is more than any run has");
        }
        for (i, point) in self.points.iter().enumerate() {
            let positive = [("iops", point.iops), ("bandwidth_bytes", point.bandwidth_bytes)];
            for (name, value) in positive {
                if !value.is_finite() || value <= 0.0 {
                    return bad(format!("points[{i}].{name}"), "must be a positive number");
                }
            }
            if point.concurrency == 0 || point.block_bytes == 0 {
                return bad(format!("points[{i}]"), "concurrency and block_bytes must be at least 1");
            }
            if point.latency_us.mean < 0.0 || !point.latency_us.mean.is_finite() {
                return bad(format!("points[{i}].latency_us.mean"), "must not be negative");
            }
        }
        for (i, entry) in self.parameters.iter().enumerate() {
            if let Some((name, reason)) = impossible(entry) {
                return bad(format!("parameters[{i}].{name}"), reason);
            }
        }
        if let Some((place, reason)) = self.experiments.impossible() {
            return bad(place, reason);
        }
        Ok(())
    }
}

/// The first value of an entry that no device can have, and what is wrong with it.
fn impossible(entry: &Parameters) -> Option<(&'static str, &'static str)> {
    let known = [
        ("alpha", entry.alpha, "alpha_ci", entry.alpha_ci),
        ("alpha_1", entry.alpha_1, "alpha_1_ci", entry.alpha_1_ci),
        ("alpha_durable", entry.alpha_durable, "alpha_durable_ci", entry.alpha_durable_ci),
        ("alpha_1_durable", entry.alpha_1_durable, "alpha_1_durable_ci", entry.alpha_1_durable_ci),
        ("max_read_iops", entry.max_read_iops, "max_read_iops_ci", entry.max_read_iops_ci),
        ("max_write_iops", entry.max_write_iops, "max_write_iops_ci", entry.max_write_iops_ci),
        (
            "max_durable_write_iops",
            entry.max_durable_write_iops,
            "max_durable_write_iops_ci",
            entry.max_durable_write_iops_ci,
        ),
        ("k_r", entry.k_r.map(f64::from), "k_r_ci", entry.k_r_ci.map(|ci| ci.map(f64::from))),
        ("k_w", entry.k_w.map(f64::from), "k_w_ci", entry.k_w_ci.map(|ci| ci.map(f64::from))),
        ("k_r_90", entry.k_r_90.map(f64::from), "k_r_90_ci", entry.k_r_90_ci.map(|ci| ci.map(f64::from))),
        ("k_w_90", entry.k_w_90.map(f64::from), "k_w_90_ci", entry.k_w_90_ci.map(|ci| ci.map(f64::from))),
        ("block_bytes", Some(f64::from(entry.block_bytes)), "", None),
    ];
    known.into_iter().find_map(|(name, value, ci_name, ci)| {
        if value.is_some_and(|v| !v.is_finite() || v <= 0.0) {
            return Some((name, "must be a positive number or null"));
        }
        let ordered = |[low, high]: [f64; 2]| 0.0 < low && low <= high && high.is_finite();
        (!ci.is_none_or(ordered))
            .then_some((ci_name, "must be an ascending pair of positive numbers or null"))
    })
}

fn readable(schema: &str) -> bool {
    schema == SCHEMA || schema.strip_prefix(SCHEMA).is_some_and(|minor| minor.starts_with('.'))
}
