//! Devices that need time to come up to speed after other work: what a profile says of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use leadline_device::{Completion, Device, Geometry, Nanos, Op, Request};
use leadline_measure::{Budget, Plan, measure, summary};
use leadline_profile::{CheckName, CheckStatus, DeviceProfile, OpKind, Pattern, Point};
use leadline_sim::{DeviceModel, VirtualDevice};

/// What makes plain writes slow for a while.
#[derive(Clone, Copy, PartialEq)]
enum After {
    /// A durable write.
    DurableWrite,
    /// More than one request in flight, for writes at depth 1.
    Depth,
    Nothing,
}

/// Sixteen servers; plain writes take twice as long for a time after something.
struct Settling {
    after: After,
    slow_until: Nanos,
    slow_for: Nanos,
    busy: [Nanos; 16],
    due: BinaryHeap<Reverse<(Nanos, u64, u32, i32)>>,
    arrivals: u64,
}

const MS: Nanos = 1_000_000;
const WRITE: Nanos = 50_000;

fn settling(after: After, slow_for: Nanos) -> VirtualDevice<Settling> {
    let due = BinaryHeap::new();
    VirtualDevice::new(Settling { after, slow_until: 0, slow_for, busy: [0; 16], due, arrivals: 0 })
}

impl DeviceModel for Settling {
    fn geometry(&self) -> Geometry {
        Geometry { capacity_bytes: 1 << 30, block_bytes: 4096, writable: true }
    }

    fn arrive(&mut self, request: &Request, at: Nanos) {
        let durable = request.durable || request.op == Op::Flush;
        let starts = match self.after {
            After::DurableWrite => durable,
            After::Depth => !self.due.is_empty(),
            After::Nothing => false,
        };
        if starts {
            self.slow_until = at + self.slow_for;
        }
        let slow = at < self.slow_until && request.op == Op::Write && !durable && self.due.is_empty();
        let slow = slow || (self.after == After::DurableWrite && at < self.slow_until && !durable);
        let takes = match request.op {
            Op::Write if durable => 4 * WRITE,
            Op::Write if slow => 2 * WRITE,
            _ => WRITE,
        };
        let server = self.busy.iter_mut().min().expect("sixteen");
        *server = at.max(*server) + takes;
        self.arrivals += 1;
        self.due.push(Reverse((*server, self.arrivals, request.slot, request.len as i32)));
    }

    fn next_completion(&self) -> Option<Nanos> {
        self.due.peek().map(|next| next.0.0)
    }

    fn advance(&mut self, now: Nanos, completions: &mut Vec<Completion>) {
        while let Some(&Reverse((at, _, slot, result))) = self.due.peek().filter(|next| next.0.0 <= now) {
            self.due.pop();
            completions.push(Completion { slot, result, at });
        }
    }

    fn in_flight(&self) -> u32 {
        self.due.len() as u32
    }
}

/// A quick run.
fn profile(device: &dyn Device) -> DeviceProfile {
    let mut plan = Plan::new(Budget::Quick, device.geometry(), device.clock());
    plan.layout = false;
    let (prepared, outcome) = measure(device, &plan, None, &Arc::default(), &mut |_| ()).unwrap();
    let around = summary::Circumstances::simulated("sim:settling", "settling", 1 << 30);
    summary::profile(&plan, &prepared, &outcome, around, None)
}

fn writes_at_one(profile: &DeviceProfile) -> &Point {
    let mut points = profile.points.iter();
    let wanted = (OpKind::Write, false, Pattern::Random, 4096, 1);
    points.find(|p| (p.op, p.durable, p.pattern, p.block_bytes, p.concurrency) == wanted).unwrap()
}

fn slices(profile: &DeviceProfile) -> (CheckStatus, &str) {
    let check = profile.validity.checks.iter().find(|check| check.name == CheckName::Slices).unwrap();
    (check.status, &check.detail)
}

#[test]
fn plain_writes_are_not_charged_for_what_durable_writes_leave_behind() {
    let profile = profile(&settling(After::DurableWrite, 10 * MS));
    let found = writes_at_one(&profile).iops;
    let goes_on = 1e9 / WRITE as f64;
    assert!((found / goes_on - 1.0).abs() < 0.02, "found {found}, a program that goes on gets {goes_on}");
    assert_eq!(slices(&profile).0, CheckStatus::Ok, "{}", slices(&profile).1);
}

#[test]
fn slices_that_are_slower_than_a_program_that_goes_on_are_said_to_be() {
    let profile = profile(&settling(After::Depth, 20 * MS));
    let (status, detail) = slices(&profile);
    assert_eq!(status, CheckStatus::Violated, "{detail}");
    assert!(detail.contains("writes at"), "{detail}");
    let effect = profile.validity.slice_effects.iter().find(|effect| effect.seen).unwrap();
    assert!(effect.ratio < 0.9, "{effect:?}");
    let steady = writes_at_one(&profile).stretches.iter().map(|s| s.ops as f64 / s.seconds);
    let steady = steady.fold(0.0, f64::max);
    assert!(steady > 0.85 * 1e9 / WRITE as f64, "the stretches tell what it can do: {steady}");
}

#[test]
fn a_device_that_is_always_the_same_has_no_slice_effect() {
    let profile = profile(&settling(After::Nothing, 0));
    assert_eq!(slices(&profile).0, CheckStatus::Ok, "{}", slices(&profile).1);
    assert_eq!(profile.validity.slice_effects.len(), 2, "of reads and of writes");
    assert_eq!(profile.validity.limited_by, None);
}
