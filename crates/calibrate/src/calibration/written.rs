//! The description as it is written: every field with where it comes from.

use leadline_profile::DeviceProfile;

use super::{Fitted, Origin};
use crate::description::{Field, Shape, fields, text as plain};
use crate::measured::Measured;
use crate::parameter::Values;

/// What comments are made from.
pub(super) struct Comments<'a> {
    pub(super) profile: &'a DeviceProfile,
    pub(super) measured: &'a Measured,
    pub(super) parameters: &'a [Fitted],
}

/// The text of the file.
pub(super) fn text(shape: Shape, values: &Values, comments: &Comments) -> String {
    let fields = fields(shape, values, comments.measured.capacity);
    let body = plain(&fields, |field| comments.of(field, shape));
    format!("{}{body}", comments.head())
}

impl Comments<'_> {
    fn head(&self) -> String {
        let device = &self.profile.device;
        let created = self.profile.created.as_ref().map(|at| format!(" of {at}")).unwrap_or_default();
        let name = quoted(&format!("{}, calibrated", self.measured.name));
        let source = quoted(&format!(
            "leadline calibrate, from a profile of {} ({}){created}",
            device.target, device.kind
        ));
        format!(
            "description = {name}\nclass = \"flash ssd\"\nsource = {source}\n\n\
             # fitted: the profile shows it, within the range given.\n\
             # fitted, not identified: the best fit, and others are as good.\n\
             # default: the profile does not show it.\n"
        )
    }

    fn of(&self, field: &Field, shape: Shape) -> String {
        let fitted = field
            .parameter
            .and_then(|parameter| self.parameters.iter().find(|one| one.parameter == parameter));
        match fitted {
            Some(fitted) => of_fitted(fitted),
            None => self.of_chosen(field.key, shape),
        }
    }

    /// Of what is no parameter of the search.
    fn of_chosen(&self, key: &str, shape: Shape) -> String {
        let durable = self.measured.curves.iter().any(|curve| curve.kind.durable);
        let text = match key {
            "capacity" => "the profile's",
            "over_provisioning" => "default: no profile shows it",
            "state" if shape.steady => "the profile's: steady state was shown",
            "state" => "the profile's: no steady state was shown",
            "allocation" => "fitted: writes queue for the place that they belong to, and are not buffered",
            "pages_per_block" => "default: 16384 blocks",
            "erase_us" => "default: 3D flash",
            "suspend_us" => "default: 3D flash",
            "write" => "default: two programs for each die",
            "power_loss_protection" if !shape.buffered => "default: there is no buffer",
            "power_loss_protection" if durable => "fitted: from durable writes",
            "power_loss_protection" => "default: no durable writes were measured",
            "bytes" => "fitted: from sequential reads",
            "streams" => "default",
            _ => "",
        };
        text.to_owned()
    }
}

fn of_fitted(fitted: &Fitted) -> String {
    let range = fitted.range_words();
    match fitted.origin {
        Origin::Identified => format!("fitted: {range}"),
        Origin::Fitted => format!("fitted, not identified: {range}"),
        Origin::Default { from } => format!("default: {from}; {range} fits as well"),
    }
}

impl Fitted {
    /// The values that fit about as well: `20 to 31.5`, `at most 12`.
    pub fn range_words(&self) -> String {
        let [low, high] = self.range.map(short);
        match self.open {
            [true, true] => "anything".to_owned(),
            [true, false] => format!("at most {high}"),
            [false, true] => format!("at least {low}"),
            [false, false] if low == high => low,
            [false, false] => format!("{low} to {high}"),
        }
    }
}

/// Three digits.
fn short(value: f64) -> String {
    match value {
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out + "\""
}
