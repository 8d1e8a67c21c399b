use super::*;

#[test]
fn a_header_is_32_bytes() {
    assert_eq!(size_of::<Header>(), 32);
}

#[test]
fn pages_share_a_cache_line_with_their_headers_and_are_disjoint_and_zeroed() {
    let (frames, mut free) = Frames::new(3, 4096).unwrap();
    for page in [7, 8, 9] {
        let mut hold = frames.begin_new(free.pop().unwrap(), page);
        assert_eq!(hold.as_ref().as_ptr() as usize % 64, 32);
        assert!(hold.as_ref().iter().all(|byte| *byte == 0));
        hold.as_mut().fill(page as u8);
    }
    for (frame, page) in [(0, 7), (1, 8), (2, 9)] {
        let Latch::Held { hold, .. } = frames.share(frame, page) else { panic!("page {page} is there") };
        assert!(hold.as_ref().iter().all(|byte| *byte == page as u8));
    }
}
