//! Compression is seen through, by content, in all the pieces the tools may leave.

use std::io::Write as _;

use leadline_trace::{Format, Output, TraceError, open, open_as};

use crate::{all, in_memory, sample, short};

#[test]
fn members_frames_and_streams_are_read_as_one() {
    for name in ["members.gz", "frames.zst", "streams.xz"] {
        let requests: Vec<String> = all(open(&sample(name)).unwrap()).iter().map(short).collect();
        assert_eq!(requests, ["R 0 1 1", "R 0 2 1", "W 0 3 1", "R 0 4 1"], "{name}");
    }
}

#[test]
fn what_counts_is_the_content_not_the_ending() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["members.gz", "frames.zst", "streams.xz"] {
        let renamed = folder.path().join("trace.pages");
        std::fs::copy(sample(name), &renamed).unwrap();
        assert_eq!(all(open(renamed.to_str().unwrap()).unwrap()).len(), 4, "{name}");
    }
    let plain = folder.path().join("plain.pages.gz");
    std::fs::write(&plain, "R 1\n").unwrap();
    assert_eq!(all(open(plain.to_str().unwrap()).unwrap()).len(), 1);
}

#[test]
fn what_is_cut_off_or_damaged_is_an_error_and_then_the_end() {
    for name in ["members.gz", "frames.zst", "streams.xz"] {
        let whole = std::fs::read(sample(name)).unwrap();
        let mut damaged = whole.clone();
        let middle = whole.len() / 2;
        damaged[middle] ^= 0x55;
        for bytes in [whole[..whole.len() - 3].to_vec(), damaged] {
            let mut errors = 0;
            // The first bytes are read when it is opened.
            let mut trace = match in_memory(bytes, Some(Format::Pages)) {
                Ok(trace) => trace,
                Err(error) => {
                    assert!(matches!(error, TraceError::Io { .. }), "{error}");
                    continue;
                }
            };
            loop {
                match trace.next() {
                    Ok(None) => break,
                    Ok(Some(_)) => {}
                    Err(_) => errors += 1,
                }
                assert!(errors < 10, "{name} never ends");
            }
            assert!(errors > 0, "{name}: nobody noticed");
        }
    }
}

#[test]
fn every_ending_is_written_so_that_it_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..50_000).map(|page| format!("R {page}\n")).collect();
    let mut sizes = Vec::new();
    for name in ["t.pages", "t.pages.gz", "t.pages.zst", "t.pages.xz"] {
        let path = folder.path().join(name);
        let mut output = Output::file(&path).unwrap();
        output.write_all(text.as_bytes()).unwrap();
        output.finish().unwrap();
        assert_eq!(all(open(path.to_str().unwrap()).unwrap()).len(), 50_000, "{name}");
        sizes.push(std::fs::metadata(&path).unwrap().len());
    }
    assert!(sizes[1..].iter().all(|size| size * 2 < sizes[0]), "{sizes:?}");
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.pages.gz");
    std::fs::write(&path, "before").unwrap();
    let mut output = Output::file(&path).unwrap();
    output.write_all(b"R 1\n").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"before");
    drop(output);
    assert_eq!(std::fs::read(&path).unwrap(), b"before");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    assert!(Output::file(folder.path()).is_err(), "a directory is not replaced");
    let error = Output::file(folder.path().join("no/such/t.pages")).err().unwrap().to_string();
    assert!(error.contains("no/such/t.pages: its directory cannot be written"), "{error}");
}

#[test]
fn a_frame_that_wants_gigabytes_is_refused() {
    // A frame header of Zstandard: no single segment, window of 2^41 bytes.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8];
    frame.extend([0u8; 64]);
    let error = in_memory(frame, Some(Format::Pages)).err().unwrap().to_string();
    assert!(error.starts_with("t: the zstd data"), "{error}");
}

#[test]
fn a_folder_or_a_missing_file_is_named() {
    let missing = open("/no/such/trace").err().unwrap().to_string();
    assert!(missing.starts_with("/no/such/trace: ") && missing.contains("No such file"), "{missing}");
    let folder = open_as("/tmp", Format::Pages).err().unwrap().to_string();
    assert!(folder.starts_with("/tmp: ") && folder.contains("directory"), "{folder}");
}
