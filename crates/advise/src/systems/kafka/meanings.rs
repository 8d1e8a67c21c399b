//! What values and other keys mean for Kafka's: the documentation's "Broker Configs"; LogManager.scala.

use std::sync::LazyLock;

use super::{INTERVAL, MESSAGES, SCHEDULER};
use crate::keys::Keys;
use crate::meaning::{Meaning, Moot, Special, When};

/// Long.MAX_VALUE, which stands for never.
const NEVER: &str = "9223372036854775807";

static KEYS: LazyLock<[(&str, Keys); 3]> = LazyLock::new(|| {
    [
        ("2.8", include_str!("../../../keys/kafka/2.8.tsv")),
        ("3", include_str!("../../../keys/kafka/3.tsv")),
        ("4", include_str!("../../../keys/kafka/4.tsv")),
    ]
    .map(|(version, table)| (version, Keys::parse(table)))
});

pub(super) fn keys(version: &str) -> Option<&'static Keys> {
    KEYS.iter().find(|(known, _)| *known == version).map(|(_, keys)| keys)
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
