//! What `channels` says, in words, for the terminal and the page alike.

use leadline_model::channels::{Channels as Law, Placement};
use leadline_profile::{ChannelPlacement, Channels, ChannelsFit};

use crate::format::{percent, range, significant};

/// Share of the channels that is worth keeping busy.
const BUSY: f64 = 0.95;

/// With a larger error than this no number of channels explains what was measured.
const EXPLAINS: f64 = 0.15;

/// The other way to place requests is told where its error is larger by more than this.
const TOLD: f64 = 0.02;

/// No stream that is asked about has more requests in flight.
const MOST_IN_FLIGHT: u32 = 65_536;

/// How many channels explain what was measured, how well, and what it takes to keep them busy.
pub(crate) fn summary(found: &Channels) -> Vec<String> {
    let Some(fit) = &found.fit else {
        return vec!["Too little was measured to tell how many channels there are.".to_owned()];
    };
    let ends = fit
        .channels_ci
        .map_or(String::new(), |ends| format!(" ({})", range(ends, |channels| format!("{channels:.0}"))));
    let [how, other] = match fit.placement {
        ChannelPlacement::Hashed => ["to which reads go by their address", "any free one would take a read"],
        ChannelPlacement::Any => {
            ["any free one of which takes a read", "reads went to them by their address"]
        }
    };
    let n = if fit.channels == 1 { "one channel".to_owned() } else { format!("{} channels", fit.channels) };
    let errors = [fit.error, fit.other_error].map(percent);
    if fit.error > EXPLAINS {
        return vec![format!(
            "No number of channels explains both curves: the best, {n}{ends}, misses them by {} on average.",
            errors[0]
        )];
    }
    if fit.lower_bound {
        return vec![format!(
            "The drive behaves like {n} or more: many more would explain what was measured as well, since \
             something else (software, a link, a cap) ends both curves. At once no more than {} were busy, \
             and throughput did not rise beyond {} times that of one read at a time.",
            significant(fit.highest_busy),
            significant(fit.highest_speedup)
        )];
    }
    // Many channels that something else limits are as good as a few of which any is.
    let told = fit.other_error > fit.error + TOLD;
    let other = if told { format!(", and {} if {other}", errors[1]) } else { String::new() };
    let mut said = vec![format!(
        "The drive behaves like {n}{ends}, {how}: that is within {} of both curves on average{other}.",
        errors[0]
    )];
    said.push(needed(fit));
    if fit.service_share < 0.975 {
        said.push(format!(
            "Of the latency of one read, {} is work of a channel; the rest passes elsewhere, where nothing \
             queues.",
            percent(fit.service_share)
        ));
    }
    said
}

/// How many reads keep the channels busy, at once and in a stream.
fn needed(fit: &ChannelsFit) -> String {
    let n = fit.channels;
    match fit.placement {
        ChannelPlacement::Any => format!("So many reads keep all of them busy: {n} at once."),
        ChannelPlacement::Hashed => {
            let once = (1..=MOST_IN_FLIGHT)
                .find(|&m| law(fit).busy_at_once(m) >= BUSY * f64::from(n))
                .map_or("more than can be counted".to_owned(), |m| times(m, n));
            let stream = Law { service_share: 1.0, ..law(fit) }.needed(BUSY, MOST_IN_FLIGHT);
            let stream = stream.map_or("more than can be counted".to_owned(), |k| times(k, n));
            format!(
                "To give 95 % of them something to do takes {once} reads thrown at once (Papon and \
                 Athanassoulis, 2021, appendix A); to keep 95 % of them busy takes about {stream} at the \
                 channels all the time, since reads pile up on some while others run dry."
            )
        }
    }
}

/// `48 (3.0 n)`.
fn times(requests: u32, n: u32) -> String {
    format!("{requests} ({} n)", significant(f64::from(requests) / f64::from(n)))
}

/// The law that was fitted.
fn law(fit: &ChannelsFit) -> Law {
    Law {
        channels: fit.channels,
        placement: match fit.placement {
            ChannelPlacement::Hashed => Placement::Hashed,
            ChannelPlacement::Any => Placement::Any,
        },
        service_share: fit.service_share,
        variation: fit.variation,
    }
}

/// What the fit says of so many requests.
pub(crate) struct Laws {
    law: Law,
    /// With 1, 2, ... in a stream, as far as channels alone limit it.
    speedups: Vec<f64>,
    /// The highest that was measured, at once and in a stream.
    limits: [f64; 2],
}

impl Laws {
    /// For 1 to `most` requests.
    pub(crate) fn new(fit: &ChannelsFit, most: u32) -> Laws {
        Laws {
            law: law(fit),
            speedups: law(fit).speedups(most),
            limits: [fit.highest_busy, fit.highest_speedup],
        }
    }

    /// Channels busy when so many are thrown at once, up to the most that were seen busy.
    pub(crate) fn at_once(&self, requests: u32) -> f64 {
        self.at_once_unlimited(requests).min(self.limits[0])
    }

    /// The same if all reads got to the drive at the same moment.
    pub(crate) fn at_once_unlimited(&self, requests: u32) -> f64 {
        self.law.busy_at_once(requests)
    }

    /// Throughput with so many in a stream as a multiple of one's, up to the highest that was measured.
    pub(crate) fn in_a_stream(&self, requests: u32) -> f64 {
        self.unlimited(requests).min(self.limits[1])
    }

    /// The same if nothing but channels limited it.
    pub(crate) fn unlimited(&self, requests: u32) -> f64 {
        let last = self.speedups.len().saturating_sub(1);
        let at = (requests as usize).saturating_sub(1).min(last);
        self.speedups.get(at).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tried_profile;

    #[test]
    fn channels_are_told_with_what_keeps_them_busy() {
        let mut found = tried_profile().experiments.channels.expect("measured");
        let said = summary(&found).join(" ");
        for part in [
            "like 16 channels (15–17), to which reads go by their address: that is within 3 %",
            "31 % if any free one",
            "takes 47 (2.94 n) reads thrown at once",
            "takes about 148 (9.25 n) at the channels all the time",
            "90 % is work of a channel",
        ] {
            assert!(said.contains(part), "no {part:?} in {said:?}");
        }
        let fit = found.fit.as_mut().expect("a fit");
        (fit.placement, fit.service_share) = (ChannelPlacement::Any, 1.0);
        let said = summary(&found).join(" ");
        assert!(said.contains("any free one of which") && said.contains("16 at once"), "{said}");
        let fit = found.fit.as_mut().expect("a fit");
        fit.lower_bound = true;
        assert!(summary(&found).join(" ").contains("16 channels or more"), "{found:?}");
        found.fit.as_mut().expect("a fit").error = 0.28;
        assert!(summary(&found).join(" ").contains("misses them by 28 %"), "{found:?}");
        found.fit = None;
        assert!(summary(&found)[0].contains("Too little"));
    }
}
