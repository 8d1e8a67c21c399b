//! What a number of an experiment must be, and how the place of one that is not is named.

use crate::{Latency, Procedure};

/// The place of a value, from the experiment on, and what is wrong with it.
pub(crate) type Impossible = (String, &'static str);

/// A field's name and what is wrong with it.
pub(super) type BadField = (&'static str, &'static str);

pub(super) const POSITIVE: &str = "must be a positive number";
pub(super) const SHARE: &str = "must be from 0 to 1";
pub(super) const AT_LEAST_ONE: &str = "must be at least 1";
pub(super) const NOT_NEGATIVE: &str = "must be a number, and not negative";
pub(super) const PAIR: &str = "must be an ascending pair of positive numbers or null";

pub(super) fn impossible_procedure(procedure: &Procedure) -> Option<Impossible> {
    under(
        "procedure",
        named(check(not_negative(procedure.measured_seconds), "measured_seconds", NOT_NEGATIVE)),
    )
}

pub(super) fn bad_latency(latency: &Latency) -> Option<BadField> {
    let Latency { mean, p50, p90, p99, p99_5, p99_9, p99_95, p99_99, max } = *latency;
    [
        ("latency_us.mean", mean),
        ("latency_us.p50", p50),
        ("latency_us.p90", p90),
        ("latency_us.p99", p99),
        ("latency_us.p99_5", p99_5),
        ("latency_us.p99_9", p99_9),
        ("latency_us.p99_95", p99_95),
        ("latency_us.p99_99", p99_99),
        ("latency_us.max", max),
    ]
    .into_iter()
    .find_map(|(name, us)| check(not_negative(us), name, NOT_NEGATIVE))
}

pub(super) fn positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

pub(super) fn not_negative(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

pub(super) fn share(value: f64) -> bool {
    (0.0..=1.0).contains(&value)
}

pub(super) fn ascending([low, high]: [f64; 2]) -> bool {
    0.0 < low && low <= high && high.is_finite()
}

pub(super) fn check(fine: bool, field: &'static str, reason: &'static str) -> Option<BadField> {
    (!fine).then_some((field, reason))
}

pub(super) fn named(bad: Option<BadField>) -> Option<Impossible> {
    bad.map(|(field, reason)| (field.to_owned(), reason))
}

pub(super) fn under(name: &str, bad: Option<Impossible>) -> Option<Impossible> {
    bad.map(|(place, reason)| (format!("{name}.{place}"), reason))
}

/// The first impossible value in a list.
pub(super) fn first<T>(name: &str, list: &[T], bad: impl Fn(&T) -> Option<Impossible>) -> Option<Impossible> {
    list.iter().enumerate().find_map(|(i, entry)| under(&format!("{name}[{i}]"), bad(entry)))
}

#[cfg(test)]
/// What loading says of a profile with the value at `pointer` of its experiments replaced.
pub(super) fn refusal_of(profile: &crate::DeviceProfile, pointer: &str, value: serde_json::Value) -> String {
    let mut json = serde_json::to_value(profile).unwrap();
    *json.pointer_mut(&format!("/experiments/{pointer}")).expect(pointer) = value;
    crate::DeviceProfile::parse(&json.to_string(), std::path::Path::new("p.json"))
        .expect_err(pointer)
        .to_string()
}

#[cfg(test)]
/// A profile is read as it was written.
#[track_caller]
pub(super) fn assert_read_as_written(profile: &crate::DeviceProfile) {
    let again = crate::DeviceProfile::parse(&profile.to_json(), std::path::Path::new("p.json")).unwrap();
    assert_eq!(again, *profile);
}

#[cfg(test)]
/// A profile with one of these values is refused with its place: pointer, value, place.
#[track_caller]
pub(super) fn assert_refused<const N: usize>(
    profile: &crate::DeviceProfile,
    cases: [(&str, serde_json::Value, &str); N],
) {
    for (pointer, value, place) in cases {
        let said = refusal_of(profile, pointer, value);
        assert!(said.contains(place), "{pointer}: {said}");
    }
}
