//! What faults are for: a way of committing that is right survives every power cut, and one that forgets a
//! flush is caught.

use leadline_device::{
    Device, Fault, Faulty, MemoryDevice, NEVER, Op, QueuePair, QueueShape, Request, Tearing,
};

/// Commits of one run.
const COMMITS: u8 = 3;
const PAGE: u32 = 2048;
/// Where the number of the last commit stands: one sector, so it is never torn.
const HEAD: u64 = 0;

/// A store of one page with two homes. A commit writes the page to the home that is not in use, and then the
/// head, which says how many commits there were and so which home is in use.
struct Store {
    pair: Box<dyn QueuePair>,
    /// Whether the page is made durable before the head is written.
    flushes_between: bool,
}

impl Store {
    /// False once the device fails.
    fn perform(&mut self, request: Request) -> bool {
        let mut done = Vec::new();
        self.pair.submit(request).is_ok()
            && self.pair.reap(1, NEVER, &mut done).is_ok()
            && done[0].result >= 0
    }

    /// Commits a page full of `number`; false once the device fails.
    fn commit(&mut self, number: u8) -> bool {
        self.pair.buffer(0).fill(number);
        self.perform(Request::write(0, home(number), PAGE))
            && (!self.flushes_between || self.perform(Request::flush(0)))
            && self.perform(Request::write(0, HEAD, 512))
            && self.perform(Request::flush(0))
    }
}

fn home(number: u8) -> u64 {
    4096 * (1 + u64::from(number % 2))
}

/// Commits until the device fails: how many commits were acknowledged.
fn run(device: &dyn Device, flushes_between: bool) -> u8 {
    let pair = device.queue_pair(QueueShape::new(1, PAGE)).unwrap();
    let mut store = Store { pair, flushes_between };
    (1..=COMMITS).take_while(|number| store.commit(*number)).count() as u8
}

/// Whether the store is as it must be when `acknowledged` commits were: the last of them or the one after is
/// there, whole.
fn is_sound(left: &MemoryDevice, acknowledged: u8) -> bool {
    let head = left.contents(HEAD, 512);
    let number = head[0];
    let page = left.contents(home(number), PAGE as usize);
    let whole =
        head.iter().all(|byte| *byte == number) && (number == 0 || page.iter().all(|byte| *byte == number));
    whole && (acknowledged..=acknowledged + 1).contains(&number)
}

/// Cuts the power at every write and flush in turn; gives how many of all possible crashes were tried, and
/// how many of them left the store unsound.
fn cut_everywhere(flushes_between: bool, tearing: Tearing) -> (u64, u64) {
    let (mut tried, mut unsound) = (0, 0);
    for nth in 0.. {
        let device = Faulty::new(MemoryDevice::new(1 << 16, 512), [Fault::power_cut().nth(nth)]);
        let acknowledged = run(&device, flushes_between);
        for left in device.device().every_crash(tearing) {
            tried += 1;
            unsound += u64::from(!is_sound(&left, acknowledged));
        }
        if device.strikes() == [0] {
            assert_eq!(acknowledged, COMMITS);
            break;
        }
    }
    (tried, unsound)
}

#[test]
fn commit_that_flushes_twice_survives_every_power_cut() {
    for tearing in [Tearing::Never, Tearing::Sector4096, Tearing::Sector512] {
        let (tried, unsound) = cut_everywhere(true, tearing);
        assert!(tried > 20 && unsound == 0, "{unsound} of {tried} power cuts left the store unsound");
    }
}

#[test]
fn commit_that_forgets_a_flush_is_caught() {
    for tearing in [Tearing::Never, Tearing::Sector512] {
        assert!(cut_everywhere(false, tearing).1 > 0);
    }
}

#[test]
fn flush_that_lies_is_caught_where_every_flush_was_kept() {
    let device = MemoryDevice::new(1 << 16, 512);
    let lying = Faulty::new(device.clone(), [Fault::lying_flush().on(Op::Flush).from(2)]);
    let acknowledged = run(&lying, true);
    assert_eq!(acknowledged, COMMITS);
    assert!(device.every_crash(Tearing::Never).any(|left| !is_sound(&left, acknowledged)));
}
