//! Which transactions are run, in what shares.

use fastrand::Rng;

use crate::transaction::Kind;

/// Shares of the five transactions in percent, in the order of [`Kind::ALL`]; their sum is 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mix([u8; 5]);

impl Mix {
    /// 45 % New-Order, 43 % Payment, and 4 % of the others each: the least that TPC-C asks of all but
    /// New-Order.
    pub const STANDARD: Mix = Mix([45, 43, 4, 4, 4]);

    /// One kind alone.
    pub fn only(kind: Kind) -> Mix {
        Mix(Kind::ALL.map(|other| if other == kind { 100 } else { 0 }))
    }

    /// Five whole percentages with commas between, as `45,43,4,4,4`.
    ///
    /// # Errors
    /// One line that says what is asked for.
    pub fn parse(text: &str) -> Result<Mix, String> {
        let bad = || {
            format!(
                "{text:?}: give five whole percentages that make 100, for {}",
                Kind::ALL.map(Kind::name).join(", ")
            )
        };
        let shares: Vec<u8> =
            text.split(',').map(|share| share.trim().parse().map_err(|_| bad())).collect::<Result<_, _>>()?;
        let shares: [u8; 5] = shares.try_into().map_err(|_| bad())?;
        if shares.iter().map(|share| u32::from(*share)).sum::<u32>() != 100 {
            return Err(bad());
        }
        Ok(Mix(shares))
    }

    /// The next transaction.
    pub fn draw(&self, rng: &mut Rng) -> Kind {
        let mut left = rng.u8(0..100);
        for (kind, share) in Kind::ALL.into_iter().zip(self.0) {
            match left.checked_sub(share) {
                None => return kind,
                Some(rest) => left = rest,
            }
        }
        // Shares make 100, so one of them took it.
        Kind::StockLevel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_drawn_as_given() {
        let mut rng = Rng::with_seed(3);
        let mut drawn = [0_u32; 5];
        for _ in 0..100_000 {
            drawn[Mix::STANDARD.draw(&mut rng) as usize] += 1;
        }
        for (count, share) in drawn.iter().zip([45, 43, 4, 4, 4]) {
            assert!(count.abs_diff(share * 1000) < 500, "{drawn:?}");
        }
        let only = Mix::only(Kind::Delivery);
        assert!((0..1000).all(|_| only.draw(&mut rng) == Kind::Delivery));
    }

    #[test]
    fn a_mix_that_is_none_is_named() {
        assert_eq!(Mix::parse("45, 43,4,4,4"), Ok(Mix::STANDARD));
        for text in ["", "100", "45,43,4,4,5", "45,43,4,4,4,0", "a,b,c,d,e", "-1,1,50,50,0", "200,56,0,0,0"] {
            assert!(Mix::parse(text).unwrap_err().contains(&format!("{text:?}")));
        }
    }
}
