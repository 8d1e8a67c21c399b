//! Requests that are accepted and refused.

use leadline_device::{Geometry, Op, QueueShape, Request};
use proptest::prelude::*;

use crate::{BLOCK, LAST};

/// Values round the places where arithmetic goes wrong.
fn edges() -> impl Strategy<Value = u64> {
    let near = prop::sample::select(vec![0, 512, 4096, 1 << 20, 1 << 31, 1 << 32, 1 << 63, u64::MAX - 8191]);
    let step = prop::sample::select(vec![0u64, 1, 511, 512, 4095, 4096, 8191]);
    prop_oneof![
        (near, step, any::<bool>()).prop_map(|(near, step, up)| {
            if up { near.wrapping_add(step) } else { near.wrapping_sub(step) }
        }),
        any::<u64>(),
        (0u64..64).prop_map(|n| n * 4096)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn validator_accepts_what_the_model_accepts(
        op in prop::sample::select(vec![Op::Read, Op::Write, Op::Flush, Op::Trim]),
        durable: bool, slot in 0u32..10, slots in 1u32..10, len in edges(), offset in edges(),
        large_slots in 0u32..4, buffer_bytes in edges(), large_bytes in edges(), capacity_bytes in edges(),
        block_shift in 9u32..=16, writable: bool,
    ) {
        let (len, buffer_bytes, large_bytes) = (len as u32, buffer_bytes as u32, large_bytes as u32);
        let geometry = Geometry { capacity_bytes, block_bytes: 1 << block_shift, writable };
        let shape = QueueShape::new(1, buffer_bytes).slots(slots).large(large_slots, large_bytes);
        let buffer_bytes = if slot < slots { buffer_bytes } else { large_bytes };
        let request = Request { op, durable, slot, len, offset };
        let block = 1u128 << block_shift;
        let fits = len > 0
            && u128::from(len) % block == 0
            && u128::from(offset) % block == 0
            && len <= if op == Op::Trim { i32::MAX as u32 } else { buffer_bytes }
            && u128::from(offset) + u128::from(len) <= u128::from(capacity_bytes)
            && (op == Op::Read || writable);
        let accepted = slot < slots + large_slots && (op == Op::Flush || fits);
        let answer = request.validate(&geometry, &shape);
        prop_assert_eq!(answer.is_ok(), accepted, "{:?} {:?} {:?}", request, geometry, answer);
        if let Err(error) = answer {
            prop_assert_eq!(error.request, request);
            prop_assert!(op == Op::Flush || error.to_string().contains(&offset.to_string()));
        }
    }
}

#[test]
fn trims_may_be_longer_than_buffers_but_not_than_what_a_completion_can_say() {
    let shape = QueueShape::new(1, BLOCK);
    let geometry = Geometry { capacity_bytes: 1 << 40, block_bytes: BLOCK, writable: true };
    let longest = i32::MAX as u32 / BLOCK * BLOCK;
    assert!(Request::trim(0, 4096, longest).validate(&geometry, &shape).is_ok());
    let refused = |request: Request, geometry| request.validate(geometry, &shape).unwrap_err().to_string();
    let error = refused(Request::trim(0, 4096, longest + BLOCK), &geometry);
    let named = "trim of 2147483648 bytes at offset 4096 (slot 0) refused: it is longer than a trim may be";
    assert!(error.starts_with(named), "{error}");
    assert!(refused(Request::trim(0, 1 << 40, BLOCK), &geometry).contains("beyond the device"));
    assert!(refused(Request::trim(0, (1 << 40) - 4096, 2 * BLOCK), &geometry).contains("beyond the device"));
    assert!(refused(Request::trim(0, 0, 512), &geometry).contains("not a multiple"));
    assert!(refused(Request::trim(1, 0, BLOCK), &geometry).contains("slot does not exist"));
    let read_only = Geometry { writable: false, ..geometry };
    assert!(refused(Request::trim(0, 0, BLOCK), &read_only).contains("reading only"));
}

#[test]
fn validator_takes_the_last_block_and_no_byte_more() {
    let geometry = Geometry { capacity_bytes: LAST, block_bytes: BLOCK, writable: true };
    let shape = QueueShape::new(1, 2 * BLOCK);
    let last = geometry.capacity_bytes - 4096;
    assert!(Request::read(0, last, BLOCK).validate(&geometry, &shape).is_ok());
    assert!(Request::read(0, last, 2 * BLOCK).validate(&geometry, &shape).is_err());
    assert!(Request::read(0, LAST, BLOCK).validate(&geometry, &shape).is_err());
}
