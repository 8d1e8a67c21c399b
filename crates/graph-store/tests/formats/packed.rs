//! Compressed files, archives of one file, and tables in folders of folders.

use std::io::Write;
use std::sync::Arc;

use leadline_files::{Compression, Compressor};
use leadline_graph_store::input::InputOptions;
use leadline_graph_store::updates::{ChangeOptions, ChangeSource, NextChanges};
use parquet::data_type::Int64Type;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::{file, plain, read, read_text, refused};

fn compressed(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let mut compressor = Compressor::new(Vec::new(), Some(compression)).unwrap();
    compressor.write_all(bytes).unwrap();
    compressor.finish().unwrap()
}

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
fn bzip2_is_told_by_its_first_bytes() {
    for name in ["a.csv.bz2", "a.csv"] {
        let found = read_text(name, compressed(b"1,2\n2,3\n", Compression::Bzip2), &plain()).unwrap();
        assert_eq!(found.pairs, [(1, 2), (2, 3)], "{name}");
    }
}

#[test]
fn the_one_file_of_an_archive_tells_its_format() {
    let csv = tar(&[("data/edges.csv", "source,target\n1,2\n")]);
    for (name, bytes) in
        [("a.tar", csv.clone()), ("a.tar.gz", compressed(&csv, Compression::Gzip)), ("x", csv)]
    {
        let found = read_text(name, bytes, &plain()).unwrap();
        assert_eq!((found.pairs, found.summary.format.as_str()), (vec![(1, 2)], "csv"), "{name}");
    }
    let metis = tar(&[("a.graph", "3 2\n2\n1 3\n\n")]);
    let error = read_text("g.tar", metis, &plain()).unwrap_err().to_string();
    assert!(error.contains("g.tar: line 3: vertex 2 lists 3 as its neighbour"), "{error}");
    let two = tar(&[("a.csv", "1,2\n"), ("README", "x\n")]);
    for (bytes, expected) in [
        (two, "is an archive of 2 files, and is read where it holds one: a.csv, README; unpack it"),
        (
            tar(&[("a.u32", "12345678")]),
            "holds a.u32; u32 is read where it is a file of its own, so unpack it",
        ),
    ] {
        let error = read_text("g.tar", bytes, &plain()).unwrap_err();
        assert!(error.is_input() && error.to_string().contains(expected), "{error}");
    }
    refused("g.zip", &plain(), &[("PK\u{3}\u{4}", "is a zip file that cannot be read")]);
}

#[test]
fn changes_in_an_archive_are_changes() {
    let (_folder, path) = file("changes.tar", tar(&[("changes.txt", "+ 1 2\n- 2 3\n")]));
    let options = ChangeOptions {
        text: plain().text,
        columns: plain().columns,
        ignore_columns: false,
        strings: false,
        weighted: false,
        directed: true,
        delete: false,
        memory: 1 << 24,
    };
    let mut changes = ChangeSource::open(&path, None, options).unwrap();
    let NextChanges::Some(first) = changes.next(None).unwrap() else { panic!("there are some") };
    assert_eq!(first.len(), 2);
}

/// A table of edges, compressed in one way.
fn table(codec: parquet::basic::Compression, edges: &[(i64, i64)]) -> Vec<u8> {
    let schema = parse_message_type("message m { required int64 source; required int64 target; }").unwrap();
    let properties = WriterProperties::builder().set_compression(codec).build();
    let mut out = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties)).unwrap();
    let mut group = out.next_row_group().unwrap();
    let (sources, targets): (Vec<i64>, Vec<i64>) = edges.iter().copied().unzip();
    for values in [sources, targets] {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&values, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    out.into_inner().unwrap()
}

#[test]
fn parquet_is_read_in_every_codec_that_programs_write() {
    use parquet::basic::{BrotliLevel, Compression as Codec, GzipLevel, ZstdLevel};
    let codecs = [
        Codec::UNCOMPRESSED,
        Codec::SNAPPY,
        Codec::GZIP(GzipLevel::default()),
        Codec::BROTLI(BrotliLevel::default()),
        Codec::ZSTD(ZstdLevel::default()),
        Codec::LZ4_RAW,
    ];
    for codec in codecs {
        let found = read_text("a.parquet", table(codec, &[(1, 2), (3, 4)]), &plain()).unwrap();
        assert_eq!(found.pairs, [(1, 2), (3, 4)], "{codec}");
    }
}

#[test]
fn a_table_divided_into_folders_of_folders_is_read_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let one = folder.path().join("one.parquet");
    super::super::input::write_parquet(&one, &[(1, 2)]);
    for (at, place) in ["year=2024/month=1", "year=2024/month=2", "year=2025/month=1"].iter().enumerate() {
        let place = folder.path().join("table").join(place);
        std::fs::create_dir_all(&place).unwrap();
        super::super::input::write_parquet(&place.join("part-0.parquet"), &[(at as u64, 7)]);
    }
    let table = folder.path().join("table");
    std::fs::write(table.join("_SUCCESS"), "").unwrap();
    let options = InputOptions { ignore_columns: true, ..plain() };
    let found = read(&table, &options).unwrap();
    assert_eq!(found.pairs, [(0, 7), (1, 7), (2, 7)]);
    assert!(found.summary.columns_ignored.ends_with(&["year".to_owned(), "month".to_owned()]));
    for (name, expected) in [
        ("year=2024/day=1", "is a directory of \"day\" next to directories of \"month\""),
        ("year=2024/plain", "is a directory in a directory of edges"),
        ("target=1", "is a directory of \"target\" next to directories of \"year\""),
    ] {
        let other = table.join(name);
        std::fs::create_dir(&other).unwrap();
        let error = read(&table, &options).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        std::fs::remove_dir(&other).unwrap();
    }
    let by_source = folder.path().join("by");
    std::fs::create_dir_all(by_source.join("src=1")).unwrap();
    let error = read(&by_source, &options).unwrap_err().to_string();
    assert!(error.contains("keeps the column of sources, \"src\", in the names of directories"), "{error}");
}
