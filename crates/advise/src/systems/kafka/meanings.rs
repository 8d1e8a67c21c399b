//! What values and other keys mean for Kafka's: the documentation's "Broker Configs"; LogManager.scala.

use super::{INTERVAL, MESSAGES, SCHEDULER};
use crate::keys::{self, Keys, Tables, tables};
use crate::meaning::{Meaning, Moot, Special, When};

/// Long.MAX_VALUE, which stands for never.
const NEVER: &str = "9223372036854775807";

static KEYS: Tables = tables!("kafka", "2.8", "3", "4");

pub(super) fn keys(version: &str) -> Option<&'static Keys> {
    keys::of(&KEYS, version)
}

const OFF: (&str, Special) =
    (NEVER, Special::Off("the kernel decides when messages are written to the drive"));

/// Nobody looks at the interval.
const NEVER_LOOKED_AT: Moot =
    Moot { when: &[When::Is(SCHEDULER, &[NEVER])], why: "nothing looks whether a log is due to be flushed" };

pub(super) const MEANINGS: [Meaning; 3] = [
    Meaning::of(MESSAGES).special(&[OFF]),
    Meaning::of(SCHEDULER).special(&[OFF]),
    Meaning::of(INTERVAL).special(&[OFF]).moot(&[NEVER_LOOKED_AT]),
];
