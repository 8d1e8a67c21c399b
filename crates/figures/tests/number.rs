//! Numbers read well.

use leadline_figures::number::*;

#[test]
fn numbers_have_three_digits_and_a_unit() {
    assert_eq!(block(512), "512B");
    assert_eq!(block(4096), "4K");
    assert_eq!(block(1 << 20), "1M");
    assert_eq!(bytes(8 << 30), "8.00 GiB");
    assert_eq!(bytes(512), "512 B");
    assert_eq!(bandwidth(338_123_456.0), "338 MB/s");
    assert_eq!(count(82_412.0), "82.4k");
    assert_eq!(count(999_999.0), "1.00M");
    assert_eq!(count(0.0), "0");
    assert_eq!(micros(85.31), "85.3 µs");
    assert_eq!(micros(1_240.0), "1.24 ms");
    assert_eq!(seconds(125.0), "2 min 5 s");
    assert_eq!(seconds(120.0), "2 min");
    assert_eq!(percent(0.1234), "12 %");
    assert_eq!(percent(0.001), "< 1 %");
}

#[test]
fn an_interval_of_one_number_is_written_once() {
    assert_eq!(with_interval(1.93, Some([1.7, 2.1]), significant), "1.93 (1.70–2.10)");
    assert_eq!(with_interval(1.93, Some([1.931, 1.932]), significant), "1.93 (1.93)");
    assert_eq!(with_interval(1.93, None, significant), "1.93");
    assert_eq!(whole_range([8, 8]), "8");
}

#[test]
fn numbers_of_any_size_read_well() {
    assert_eq!([0.0, 999.0, 1000.0, 1_048_576.0].map(exact), ["0", "999", "1,000", "1,048,576"]);
    assert_eq!(
        [0.0, 0.000_01, 0.0052, 0.123, 1.0].map(share),
        ["0 %", "< 0.01 %", "0.52 %", "12.3 %", "100 %"]
    );
}

#[test]
fn short_numbers_have_no_digits_that_say_nothing() {
    assert_eq!(
        [0.0, 1.5, 0.25, 82.44, 831.0, 1024.0].map(short),
        ["0", "1.5", "0.25", "82.4", "831", "1024"]
    );
    assert_eq!([512.0, 4096.0, 1.5 * 1024.0 * 1024.0].map(size), ["512B", "4K", "1.5M"]);
}
