//! Which numbers and words an option takes, found by asking its parser.
//!
//! Ranges are in the parsers, and clap does not tell them. To write them down again would be a second thing
//! to keep right, so the parsers are asked: they take a number or refuse it.

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command};
use serde::Serialize;

/// Numbers that an option takes, as the command line has them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Range {
    least: String,
    most: String,
    /// The next number below that is refused; none where there is no such number.
    below: Option<String>,
    above: Option<String>,
    whole: bool,
    /// What stands behind a number: nothing, `B` for bytes where a small number needs it, `us` for
    /// times, `y` for years.
    unit: &'static str,
}

/// What a parser takes that asks for numbers, or refuses.
const NO_NUMBERS: [&str; 2] = ["leadline", "1x1"];

/// Words that several options take besides their values.
const WORDS: [&str; 8] = ["yes", "no", "on", "off", "none", "auto", "all", "adaptive"];

/// Tries of units; the first with which a number is taken.
const UNITS: [&str; 4] = ["", "B", "us", "y"];

/// Numbers of which most ranges have one.
const SEEDS: [f64; 6] = [1.0, 50.0, 4096.0, 1048576.0, 0.5, 1e9];

/// The range of the numbers that `arg` takes, as one interval; `None` where it takes other things.
pub(super) fn of(arg: &Arg) -> Option<Range> {
    let parser = Parser::of(arg);
    if NO_NUMBERS.into_iter().any(|text| parser.takes(text)) {
        return None;
    }
    let (unit, seed) = UNITS
        .into_iter()
        .flat_map(|unit| SEEDS.map(|seed| (unit, seed)))
        .find(|(unit, seed)| parser.takes(&format!("{seed}{unit}")))?;
    let whole = seed.fract() == 0.0 && !parser.takes(&format!("{}{unit}", seed + 0.5));
    Some(if whole {
        let takes = |number: i128| parser.takes(&format!("{number}{unit}"));
        let [low, high] = [half, double].map(|further| end(seed as i128, further, &takes));
        Range { unit, whole, ..Range::between(low, high, |number| number.to_string()) }
    } else {
        // Numbers ascend with their places.
        let takes = |place: i128| parser.takes(&format!("{}{unit}", shown(place)));
        let further =
            [|place: i128| place - 1 - place.abs() / 64, |place: i128| place + 1 + place.abs() / 64];
        let [low, high] = further.map(|further| end(place_of(seed), further, &takes));
        Range { unit, whole, ..Range::between(low, high, shown) }
    })
}

/// Words among [`WORDS`] that `arg` takes; none where it takes any text.
pub(super) fn words(arg: &Arg) -> Vec<&'static str> {
    let parser = Parser::of(arg);
    match parser.takes(NO_NUMBERS[0]) {
        true => Vec::new(),
        false => WORDS.into_iter().filter(|word| parser.takes(word)).collect(),
    }
}

/// The parser of an option, apart from its command.
struct Parser(Command);

impl Parser {
    fn of(arg: &Arg) -> Parser {
        let parser: ValueParser = arg.get_value_parser().clone();
        let alone = Arg::new("value").long("value").action(ArgAction::Set).value_parser(parser);
        Parser(Command::new("asked").no_binary_name(true).arg(alone))
    }

    fn takes(&self, text: &str) -> bool {
        self.0.clone().try_get_matches_from([format!("--value={text}")]).is_ok()
    }
}

impl Range {
    fn between(low: End, high: End, text: impl Fn(i128) -> String) -> Range {
        Range {
            least: text(low.taken),
            below: low.refused.map(&text),
            most: text(high.taken),
            above: high.refused.map(&text),
            whole: false,
            unit: "",
        }
    }
}

/// The last number that is taken, and the next one, which is refused.
struct End {
    taken: i128,
    refused: Option<i128>,
}

/// The end of the range that `seed` is in, on the side to which `further` leads.
fn end(seed: i128, further: impl Fn(i128) -> i128, takes: &impl Fn(i128) -> bool) -> End {
    /// Beyond all numbers that a parser keeps.
    const LIMIT: i128 = 1 << 70;
    let mut taken = seed;
    let mut refused = loop {
        let next = further(taken);
        if next.abs() > LIMIT {
            return End { taken, refused: None };
        }
        if !takes(next) {
            break next;
        }
        taken = next;
    };
    while (refused - taken).abs() > 1 {
        let middle = taken + (refused - taken) / 2;
        *(if takes(middle) { &mut taken } else { &mut refused }) = middle;
    }
    End { taken, refused: Some(refused) }
}

/// Powers of two lead to the ends, since some parsers take no others.
fn double(number: i128) -> i128 {
    if number > 0 { number * 2 } else { number + 1 }
}

fn half(number: i128) -> i128 {
    match number {
        1.. => number / 2,
        0 => -1,
        _ => number * 2,
    }
}

/// The place of a number in the order of all that `f64` has, zero's is 0.
fn place_of(number: f64) -> i128 {
    let size = i128::from(number.abs().to_bits());
    if number < 0.0 { -size } else { size }
}

/// The number in this place, as the command line has it.
fn shown(place: i128) -> String {
    let size = f64::from_bits(place.unsigned_abs().min(f64::INFINITY.to_bits().into()) as u64);
    let number = if place < 0 { -size } else { size };
    if number == 0.0 || (1e-5..1e16).contains(&size) { number.to_string() } else { format!("{number:e}") }
}
