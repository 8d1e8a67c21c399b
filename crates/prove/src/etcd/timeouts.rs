//! The two times by which members of a cluster judge each other.

use leadline_profile::Histogram;
use serde::{Deserialize, Serialize};

use crate::{ProveError, Role};

/// Their names as etcd has them.
const HEARTBEAT: &str = "heartbeat-interval";
const ELECTION: &str = "election-timeout";

/// etcd's defaults, milliseconds.
const DEFAULT: Timeouts = Timeouts { heartbeat_ms: 100, election_ms: 1000 };

/// etcd itself refuses elections of less than that many heartbeats, and of more than 50 s.
const LEAST_HEARTBEATS: u64 = 5;
const LONGEST_ELECTION_MS: u64 = 50_000;

/// How often a leader says that it is there, and how long others wait before they choose another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeouts {
    /// `heartbeat-interval`, milliseconds.
    pub heartbeat_ms: u64,
    /// `election-timeout`, milliseconds.
    pub election_ms: u64,
}

/// How much of etcd's own syncs took longer than they allow: a leader that waits for its disk is late with
/// its heartbeat, and one that waits for longer than an election takes may be replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedTimeouts {
    /// The times.
    pub timeouts: Timeouts,
    /// Whether the times are etcd's or the advice's.
    pub role: Role,
    /// The share of syncs that took longer than the heartbeat interval.
    pub beyond_heartbeat: f64,
    /// The share of syncs that took longer than the election timeout.
    pub beyond_election: f64,
}

impl Timeouts {
    /// Those that the advice has; what it leaves out is the default. `None` where it has neither.
    pub(super) fn advised(advice: &[(String, String)]) -> Result<Option<Timeouts>, ProveError> {
        let mut timeouts = None;
        for (key, value) in advice {
            let wrong = |problem| ProveError::Plan { what: "the advice", problem };
            let to: fn(&mut Timeouts) -> &mut u64 = match key.as_str() {
                HEARTBEAT => |timeouts| &mut timeouts.heartbeat_ms,
                ELECTION => |timeouts| &mut timeouts.election_ms,
                _ => continue,
            };
            let ms = value.parse().ok().filter(|ms| (1..=LONGEST_ELECTION_MS).contains(ms));
            *to(timeouts.get_or_insert(DEFAULT)) =
                ms.ok_or_else(|| wrong(format!("{key} is {value}, and must be 1 to 50000 milliseconds")))?;
        }
        match timeouts {
            Some(Timeouts { heartbeat_ms, election_ms }) if election_ms < LEAST_HEARTBEATS * heartbeat_ms => {
                Err(ProveError::Plan {
                    what: "the advice",
                    problem: format!(
                        "{ELECTION} is {election_ms} ms, and etcd wants five times {HEARTBEAT} at least, \
                         which is {heartbeat_ms} ms"
                    ),
                })
            }
            timeouts => Ok(timeouts),
        }
    }

    /// Whether this is one of the keys that are tried.
    pub(super) fn has(key: &str) -> bool {
        [HEARTBEAT, ELECTION].contains(&key)
    }

    /// As etcd's options.
    pub(super) fn options(&self) -> [String; 2] {
        [format!("--{HEARTBEAT}={}", self.heartbeat_ms), format!("--{ELECTION}={}", self.election_ms)]
    }

    /// The defaults and the advice, before what was seen.
    pub(super) fn judge(advised: Option<Timeouts>, seen: &Histogram) -> Vec<JudgedTimeouts> {
        let both = [(Role::Default, Some(DEFAULT)), (Role::Advice, advised)];
        let judged = both.into_iter().filter_map(|(role, timeouts)| {
            let timeouts = timeouts?;
            Some(JudgedTimeouts {
                timeouts,
                role,
                beyond_heartbeat: seen.share_above(timeouts.heartbeat_ms as f64)?,
                beyond_election: seen.share_above(timeouts.election_ms as f64)?,
            })
        });
        judged.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advised(text: &[(&str, &str)]) -> Result<Option<Timeouts>, ProveError> {
        let advice: Vec<_> =
            text.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Timeouts::advised(&advice)
    }

    #[test]
    fn what_the_advice_leaves_out_is_the_default() {
        assert_eq!(advised(&[("quota-backend-bytes", "0")]).unwrap(), None);
        let one = advised(&[("election-timeout", "5000")]).unwrap();
        assert_eq!(one, Some(Timeouts { heartbeat_ms: 100, election_ms: 5000 }));
        let both = advised(&[("heartbeat-interval", "300"), ("election-timeout", "3000")]).unwrap();
        let options = ["--heartbeat-interval=300", "--election-timeout=3000"];
        assert_eq!(both.unwrap().options(), options);
    }

    #[test]
    fn what_etcd_would_refuse_is_refused() {
        for (advice, word) in [
            (&[("heartbeat-interval", "201")][..], "five times"),
            (&[("heartbeat-interval", "0")], "1 to 50000"),
            (&[("election-timeout", "50001")], "1 to 50000"),
            (&[("election-timeout", "1s")], "1 to 50000"),
        ] {
            let error = advised(advice).unwrap_err();
            assert!(error.is_input() && error.to_string().contains(word), "{error}");
        }
    }

    #[test]
    fn both_are_judged_by_what_took_longer() {
        let seen = Histogram { bounds_ms: vec![64.0, 128.0], counts: vec![0, 64, 36] };
        let advice = Timeouts { heartbeat_ms: 128, election_ms: 1280 };
        let judged = Timeouts::judge(Some(advice), &seen);
        assert_eq!([&judged[0].role, &judged[1].role], [&Role::Default, &Role::Advice]);
        assert!((judged[0].beyond_heartbeat - (0.64 * 28.0 / 64.0 + 0.36)).abs() < 1e-12);
        assert_eq!((judged[1].beyond_heartbeat, judged[1].beyond_election), (0.36, 0.36));
        assert_eq!(Timeouts::judge(None, &seen).len(), 1);
    }
}
