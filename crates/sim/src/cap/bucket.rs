//! A token bucket in whole numbers, so that no rounding adds up over years of virtual time.

use leadline_device::Nanos;

/// Tokens come in at a constant rate until the bucket is full; a request takes some out and waits until they
/// are there. The level is kept as the moment at which the bucket is full again if nothing more is taken (the
/// virtual scheduling form of the generic cell rate algorithm, ITU-T I.371), so that nothing has to be done
/// as time passes.
pub(super) struct TokenBucket {
    /// Nanoseconds for a token to come in: numerator and denominator.
    token: (u64, u64),
    /// How long an empty bucket takes to fill. A bucket of depth zero only spaces requests out.
    depth: Exact,
    full_at: Exact,
}

/// Nanoseconds: whole ones, and the rest in parts of the bucket's denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Exact {
    ns: Nanos,
    part: u64,
}

impl TokenBucket {
    /// A full bucket of operations at that many thousandths of an operation per second.
    pub(super) fn of_operations(milli_per_second: u64, depth: u64) -> Self {
        TokenBucket::new((1_000_000_000_000, milli_per_second), depth)
    }

    /// A full bucket of bytes.
    pub(super) fn of_bytes(per_second: u64, depth: u64) -> Self {
        TokenBucket::new((1_000_000_000, per_second), depth)
    }

    fn new(token: (u64, u64), depth: u64) -> Self {
        let parts = u128::from(depth) * u128::from(token.0);
        let denominator = u128::from(token.1);
        // The remainder is less than a u64; the description bounds the time.
        let depth = Exact { ns: (parts / denominator) as Nanos, part: (parts % denominator) as u64 };
        TokenBucket { token, depth, full_at: Exact { ns: 0, part: 0 } }
    }

    /// When `tokens` can first be taken, rounded up to a whole nanosecond. A request for more than the bucket
    /// holds is let through when it is full, and leaves a debt.
    pub(super) fn earliest(&self, tokens: u64) -> Nanos {
        let needed = self.plus(self.full_at, self.time(tokens).min(self.depth));
        if needed <= self.depth { 0 } else { self.minus(needed, self.depth).rounded_up() }
    }

    /// Takes `tokens` at `at`, which is not before [`TokenBucket::earliest`] nor before the last call.
    pub(super) fn take(&mut self, tokens: u64, at: Nanos) {
        // Less than a nanosecond before `at` is what rounding up has cost, and not lost.
        if self.full_at.rounded_up() < at {
            self.full_at = Exact { ns: at, part: 0 };
        }
        self.full_at = self.plus(self.full_at, self.time(tokens));
    }

    /// How long `tokens` take to come in.
    fn time(&self, tokens: u64) -> Exact {
        // At most 2^23 operations of 1e12, or 2^32 bytes of 1e9: below 2^63.
        let parts = tokens * self.token.0;
        Exact { ns: parts / self.token.1, part: parts % self.token.1 }
    }

    fn plus(&self, a: Exact, b: Exact) -> Exact {
        let part = a.part + b.part;
        let carry = part >= self.token.1;
        Exact {
            ns: a.ns.saturating_add(b.ns).saturating_add(carry.into()),
            part: if carry { part - self.token.1 } else { part },
        }
    }

    /// `a - b`, which is not negative.
    fn minus(&self, a: Exact, b: Exact) -> Exact {
        match a.part.checked_sub(b.part) {
            Some(part) => Exact { ns: a.ns - b.ns, part },
            None => Exact { ns: a.ns - b.ns - 1, part: a.part + self.token.1 - b.part },
        }
    }
}

impl Exact {
    fn rounded_up(self) -> Nanos {
        self.ns.saturating_add((self.part > 0).into())
    }
}
