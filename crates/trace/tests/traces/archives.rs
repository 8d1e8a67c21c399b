//! A trace in an archive is read where it is the only file there.

use std::io::Write as _;

use leadline_files::{Compression, Compressor};
use leadline_trace::{TraceError, open};

use crate::{all, short};

/// As POSIX has it (ustar).
fn tar(files: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, content) in files {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..107].copy_from_slice(b"0000644");
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[148..156].fill(b' ');
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        out.extend(header);
        out.extend(content.as_bytes());
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

#[test]
fn the_one_file_of_an_archive_is_the_trace_and_tells_its_format() {
    let folder = tempfile::tempdir().unwrap();
    let one = tar(&[("week/t.pages", "R 1\nW 2\n")]);
    let mut compressor = Compressor::new(Vec::new(), Some(Compression::Bzip2)).unwrap();
    compressor.write_all(&one).unwrap();
    for (name, bytes) in [("t.tar", one), ("t.tar.bz2", compressor.finish().unwrap())] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let requests: Vec<String> = all(open(&path).unwrap()).iter().map(short).collect();
        assert_eq!(requests, ["R 0 1 1", "W 0 2 1"], "{name}");
    }
    let path = folder.path().join("two.tar");
    std::fs::write(&path, tar(&[("a.pages", "R 1\n"), ("b.pages", "R 2\n")])).unwrap();
    let error = open(&path).err().unwrap();
    assert!(matches!(error, TraceError::Name { .. }), "{error}");
    assert!(error.to_string().contains("where it holds one: a.pages, b.pages; unpack it"), "{error}");
}
