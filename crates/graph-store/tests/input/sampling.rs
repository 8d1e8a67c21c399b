//! Samples of an input, taken before it is read.

use leadline_graph_store::input::{Batch, EdgeReader, open};

use super::{Folder, plain};

fn all_pairs(reader: &mut dyn EdgeReader) -> Vec<(u64, u64)> {
    let (mut batch, mut pairs) = (Batch::default(), Vec::new());
    while reader.next_batch(&mut batch).unwrap() {
        pairs.extend(&batch.pairs);
    }
    pairs
}

#[test]
fn a_sample_of_binary_pairs_is_from_all_over_the_file_and_changes_nothing() {
    let folder = Folder::new();
    let expected: Vec<(u64, u64)> = (0..100_000).map(|i| (i, i * 7)).collect();
    let numbers = || expected.iter().flat_map(|(s, t)| [*s, *t]);
    let narrow: Vec<u8> = numbers().flat_map(|id| (id as u32).to_le_bytes()).collect();
    let wide: Vec<u8> = numbers().flat_map(u64::to_le_bytes).collect();
    for path in [folder.file("a.u32", narrow), folder.file("a.u64", wide)] {
        let mut reader = open(&path, plain()).unwrap();
        let sample = reader.sample(3200).unwrap().unwrap();
        assert_eq!(sample.edges, 100_000);
        assert!(sample.pairs.iter().all(|(source, target)| *source < 100_000 && *target == source * 7));
        for tenth in 0..10 {
            let within = |source| (tenth * 10_000..(tenth + 1) * 10_000).contains(&source);
            let count = sample.pairs.iter().filter(|(source, _)| within(*source)).count();
            assert!((200..=500).contains(&count), "{count} of about 320 in tenth {tenth}");
        }
        assert_eq!(all_pairs(&mut *reader), expected);
    }
    let small = folder.file("a.el", "1 2\n");
    assert_eq!(open(&small, plain()).unwrap().sample(100).unwrap(), None);
}

#[test]
fn a_sample_of_lines_is_from_all_over_the_file_and_changes_nothing() {
    let folder = Folder::new();
    let expected: Vec<(u64, u64)> = (0..100_000).map(|i| (i, i * 7)).collect();
    let text: String = expected.iter().map(|(source, target)| format!("{source} {target}\n")).collect();
    let path = folder.file("a.el", format!("# both of an edge\n{text}"));
    let mut reader = open(&path, plain()).unwrap();
    let sample = reader.sample(3200).unwrap().unwrap();
    assert!((95_000..=105_000).contains(&sample.edges), "{}", sample.edges);
    assert!(sample.pairs.iter().all(|(source, target)| *source < 100_000 && *target == source * 7));
    for tenth in 0..10 {
        let within = |source| (tenth * 10_000..(tenth + 1) * 10_000).contains(&source);
        assert!(sample.pairs.iter().any(|(source, _)| within(*source)), "tenth {tenth}");
    }
    assert_eq!(all_pairs(&mut *reader), expected);
    // A wrong line is told in order, whatever the sample saw.
    let wrong = folder.file("b.el", text.replace("\n50000 ", "\nwrong "));
    let mut reader = open(&wrong, plain()).unwrap();
    reader.sample(32_000).unwrap();
    let (mut batch, mut last) = (Batch::default(), Ok(true));
    while matches!(last, Ok(true)) {
        last = reader.next_batch(&mut batch);
    }
    assert!(last.unwrap_err().to_string().contains("line 50001"));
}
