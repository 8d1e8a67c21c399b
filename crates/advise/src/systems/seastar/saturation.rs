//! The request length beyond which nothing is gained, by iotune's definition: in sequence, one at a time,
//! half as long again and again until bandwidth falls.

use leadline_profile::{OpKind, Pattern};

use super::SOURCE;
use crate::{Advice, Drive, Setting, Unmeasured, Value};

/// Lengths that were measured, descending.
const LENGTHS: [u32; 7] = [262_144, 131_072, 65_536, 32_768, 16_384, 8192, 4096];

/// Requests in flight with which iotune takes the bandwidth.
const IN_FLIGHT: u32 = 4;

/// iotune stops where the deviation of its samples no longer explains the loss; this stands for it.
const REACHES: f64 = 0.95;

pub(super) fn add(drive: &Drive, op: OpKind, advice: &mut Advice) {
    let key = match op {
        OpKind::Read => "read_saturation_length",
        OpKind::Write => "write_saturation_length",
    };
    match length(drive, op) {
        Ok(Some(length)) => advice.add(key, Ok(setting(key, length))),
        // Then requests are not split, which is right.
        Ok(None) => {}
        Err(missing) => advice.add(key, Err(missing)),
    }
}

/// The shortest request that saturates the disk alone; `None` where the longest measured does not.
fn length(drive: &Drive, op: OpKind) -> Result<Option<u32>, Unmeasured> {
    let of = |length, k| drive.bandwidth(op, Pattern::Sequential, length, k);
    let most = of(LENGTHS[0], IN_FLIGHT)?.value;
    let mut shortest = None;
    for length in LENGTHS {
        if of(length, 1)?.value < REACHES * most {
            break;
        }
        shortest = Some(length);
    }
    Ok(shortest)
}

fn setting(key: &'static str, length: u32) -> Setting {
    let rule = format!(
        "the shortest request, {}K, that alone reaches 95 % of the bandwidth of {}K, {IN_FLIGHT} in flight",
        length / 1024,
        LENGTHS[0] / 1024
    );
    let value = f64::from(length);
    Setting::new(key, Value::Bytes(length.into()), "bytes", rule, SOURCE)
        .fits(value / 2.0, 8.0 * value)
        .if_wrong(
            "requests are split further than helps, and each piece costs a request",
            "a long request keeps the disk from the short ones behind it",
        )
}
