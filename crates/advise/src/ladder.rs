//! One value for profiles of one device: of the values that do as well, one on a coarse ladder.
//!
//! Two profiles of one device differ by noise, and so does each number that a rule makes of them. The steps
//! of a ladder are a factor of four apart, so that noise seldom crosses the middle between two of them, while
//! no step is more than a factor of two from the number. Where that is further than what does as well, the
//! ladder has steps of a factor of two, and the step on the other side of the number is tried too.

use crate::{Fits, Setting, Value};

/// Factors from step to step.
const COARSE: f64 = 4.0;
const FINE: f64 = 2.0;

impl Setting {
    /// With the step of the ladder nearest to its value, on a logarithmic axis, that does as well: the steps
    /// are `anchor` times powers of four, or of two where the nearest of those does not fit; from `least` to
    /// `most`. The value itself where no step within a factor of two fits. Call it when the values that fit
    /// are known.
    pub(crate) fn on_ladder(self, anchor: f64, [least, most]: [f64; 2]) -> Self {
        let (exact, kind): (f64, fn(f64) -> Value) = match self.value {
            Value::Number(number) => (number, Value::Number),
            Value::Bytes(bytes) => (bytes as f64, |bytes| Value::Bytes(bytes.round() as u64)),
            Value::Seconds(_) | Value::Word(_) => return self,
        };
        let nearest = |factor: f64| anchor * factor.powf((exact / anchor).log(factor).round());
        let fine = nearest(FINE);
        let beyond = if fine > exact { fine / FINE } else { fine * FINE };
        let steps = [nearest(COARSE), fine, beyond].map(|step| kind(step.clamp(least, most)));
        let step = steps.into_iter().find(|step| self.fits.has(step));
        let value = step.unwrap_or(kind(exact));
        let numbers = matches!(self.fits, Fits::Range(_));
        debug_assert!(numbers && self.fits.has(&value), "{}: {value} does as well", self.key);
        Setting { value, exact: Some(exact), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    fn setting(exact: f64, low: f64, high: f64) -> Setting {
        let source = Source { defined: "a test", version: "1" };
        Setting::new("key", Value::Number(exact), "requests", String::new(), source).fits(low, high)
    }

    #[test]
    fn numbers_that_noise_parts_have_one_value_that_does_as_well() {
        for exact in [48.0, 64.0, 108.0, 120.0] {
            let setting = setting(exact, exact / 2.0, 8.0 * exact).on_ladder(16.0, [16.0, 1000.0]);
            assert_eq!((setting.value, setting.exact), (Value::Number(64.0), Some(exact)));
        }
    }

    #[test]
    fn sizes_stay_sizes() {
        let source = Source { defined: "a test", version: "1" };
        let size = Setting::new("key", Value::Bytes(50_000), "bytes", String::new(), source);
        let step = size.fits(12_500.0, 200_000.0).on_ladder(4096.0, [4096.0, 1e9]);
        assert_eq!((step.value, step.exact), (Value::Bytes(65_536), Some(50_000.0)));
    }

    #[test]
    fn a_step_that_does_not_do_as_well_is_never_taken() {
        let value = |exact: f64, low: f64, high: f64| setting(exact, low, high).on_ladder(1.0, [1.0, 300.0]);
        // 4 and 16 do not fit, 8 does.
        assert_eq!(value(7.0, 6.0, 9.0).value, Value::Number(8.0));
        // 64 does not fit, and of 32 and 16, on either side, only the one farther away does.
        assert_eq!(value(28.0, 14.0, 30.0).value, Value::Number(16.0));
        // No step does.
        assert_eq!(value(6.0, 5.5, 7.0).value, Value::Number(6.0));
        // No step is outside what the key takes.
        assert_eq!(value(290.0, 200.0, 2000.0).value, Value::Number(256.0));
        assert_eq!(value(700.0, 200.0, 2000.0).value, Value::Number(300.0));
    }

    #[test]
    fn a_step_is_at_most_a_factor_of_two_away() {
        for exact in 1..=1000 {
            let exact = f64::from(exact);
            let value = setting(exact, exact / 2.0, 2.0 * exact).on_ladder(3.0, [0.1, 1e4]).value;
            let step = value.number().unwrap();
            assert!((0.499..=2.001).contains(&(step / exact)), "{exact}: {step}");
            let power = (step / 3.0).log2();
            assert!((power - power.round()).abs() < 1e-9, "{exact}: {step} is on no ladder");
        }
    }
}
