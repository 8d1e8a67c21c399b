use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::FileExt as _;

use leadline_device::{Completion, DeviceError, Geometry, Nanos, Request, RequestError};
use proptest::prelude::*;

use super::*;

const PAGE: usize = ALIGNMENT as usize;

/// A file without a name, past the page cache and through it.
fn both_ways(test: impl Fn(&File, &Arc<DirectFile>)) {
    for direct in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let file = tempfile::tempfile_in(folder.path()).unwrap();
        match DirectFile::open(&file, folder.path(), direct) {
            Ok(opened) => test(&file, &opened),
            // The file system has no direct I/O.
            Err(_) if direct => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// A queue pair whose writes all end the same way.
struct Ends {
    pair: Box<dyn QueuePair>,
    /// Of the bytes of a request, how many are reported as written, or which error.
    end: fn(i32) -> i32,
}

impl QueuePair for Ends {
    fn geometry(&self) -> Geometry {
        self.pair.geometry()
    }

    fn shape(&self) -> QueueShape {
        self.pair.shape()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.pair.buffer(slot)
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        // Half is not written at all.
        let half = (request.len / 2).next_multiple_of(PAGE as u32);
        self.pair.submit(Request { len: half, ..request })
    }

    fn reap(&mut self, least: u32, deadline: Nanos, done: &mut Vec<Completion>) -> Result<(), DeviceError> {
        let before = done.len();
        self.pair.reap(least, deadline, done)?;
        done[before..].iter_mut().for_each(|done| done.result = (self.end)(done.result));
        Ok(())
    }

    fn in_flight(&self) -> u32 {
        self.pair.in_flight()
    }

    fn now(&self) -> Nanos {
        self.pair.now()
    }
}

fn writes_that_end(opened: &Arc<DirectFile>, end: fn(i32) -> i32) -> WriteQueue {
    WriteQueue::over(opened, Box::new(Ends { pair: opened.queue_pair(2, 4 * PAGE).unwrap(), end }))
}

/// Writes buffers of that many bytes one behind the other, each full of its number.
fn write_all(queue: &mut WriteQueue, lengths: &[usize]) -> Result<Vec<u8>, GraphError> {
    let (mut at, mut expected) = (0, Vec::new());
    for (number, &bytes) in lengths.iter().enumerate() {
        let padded = bytes.next_multiple_of(PAGE);
        queue.buffer()?[..padded].fill(number as u8);
        assert_eq!(queue.write(bytes, at)?, padded as u64);
        expected.resize(expected.len() + padded, number as u8);
        at += padded as u64;
    }
    queue.finish()?;
    Ok(expected)
}

fn whole(file: &File, bytes: usize) -> Vec<u8> {
    let mut all = vec![0; bytes];
    file.read_exact_at(&mut all, 0).unwrap();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_was_written_in_any_pieces_is_read_in_any_order(
        lengths in prop::collection::vec(1..=4 * PAGE, 1..20),
        reads in prop::collection::vec((any::<prop::sample::Index>(), 1..=4 * PAGE), 1..20),
        depth in 1usize..6,
        ahead in 1usize..30,
    ) {
        both_ways(|_, opened| {
            let mut queue = WriteQueue::new(opened, depth, 4 * PAGE).unwrap();
            let expected = write_all(&mut queue, &lengths).unwrap();
            let reads: Vec<(usize, usize)> = reads.iter().map(|(page, bytes)| {
                let at = page.index(expected.len() / PAGE) * PAGE;
                (at, (*bytes).min(expected.len() - at))
            }).collect();
            let mut queue = ReadQueue::new(opened, depth, 4 * PAGE).unwrap();
            for together in reads.chunks(ahead) {
                together.iter().for_each(|&(at, bytes)| queue.want(at as u64, bytes).unwrap());
                for &(at, bytes) in together {
                    queue.next(|found| {
                        assert!(found[..bytes] == expected[at..at + bytes]);
                        assert!(found.len() >= bytes + 16);
                    }).unwrap();
                }
            }
        });
    }

    #[test]
    fn a_file_written_from_its_beginning_to_its_end_is_like_any_other(
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3 * PAGE), 0..12),
        depth in 1usize..4,
        pages in 1usize..4,
    ) {
        both_ways(|file, opened| {
            let mut out = SequentialWriter::new(opened, depth, pages * PAGE).unwrap();
            pieces.iter().for_each(|piece| out.write_all(piece).unwrap());
            out.finish().unwrap();
            let mut expected = pieces.concat();
            let (bytes, padded) = (expected.len(), expected.len().next_multiple_of(PAGE));
            assert_eq!(file.metadata().unwrap().len(), padded as u64, "nothing set aside is left");
            assert!(whole(file, bytes) == expected);
            file.write_all_at(b"not aligned", 3).unwrap();
            expected.resize(bytes.max(14), 0);
            expected[3..14].copy_from_slice(b"not aligned");
            assert!(whole(file, bytes.max(14)) == expected);
        });
    }
}

#[test]
fn a_short_write_is_continued_where_it_ended() {
    let ends: [fn(i32) -> i32; 3] = [|bytes| bytes, |bytes| bytes - 100, |_| 0];
    for end in ends {
        both_ways(|file, opened| {
            let expected =
                write_all(&mut writes_that_end(opened, end), &[2 * PAGE, 4 * PAGE, 3 * PAGE, 2 * PAGE]);
            let expected = expected.unwrap();
            opened.through_the_cache().unwrap();
            assert!(whole(file, expected.len()) == expected);
        });
    }
}

#[test]
#[should_panic(expected = "was not asked for")]
fn what_is_in_no_buffer_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = tempfile::tempfile_in(folder.path()).unwrap();
    let opened = DirectFile::open(&file, folder.path(), false).unwrap();
    let mut queue = WriteQueue::new(&opened, 2, PAGE).unwrap();
    queue.buffer().unwrap().fill(1);
    queue.write(PAGE, 0).unwrap();
    let _ = queue.write(PAGE, ALIGNMENT);
}

#[test]
#[should_panic(expected = "after a failure")]
fn a_file_that_could_not_be_written_is_not_written_on() {
    let folder = tempfile::tempdir().unwrap();
    let full = File::options().read(true).write(true).open("/dev/full").unwrap();
    let opened = DirectFile::open(&full, folder.path(), false).unwrap();
    let mut out = SequentialWriter::new(&opened, 1, PAGE).unwrap();
    let mut failed = None;
    for _ in 0..3 {
        failed = failed.or(out.write_all(&[1; PAGE]).err());
        if failed.is_some() {
            break;
        }
    }
    assert_eq!(failed.unwrap().kind(), ErrorKind::StorageFull);
    let _ = out.write(&[1; PAGE]);
}

#[test]
fn a_failed_write_says_why() {
    both_ways(|_, opened| {
        let full = |_| -rustix::io::Errno::NOSPC.raw_os_error();
        let error = write_all(&mut writes_that_end(opened, full), &[PAGE; 5]).unwrap_err();
        let GraphError::Write { source, name } = error else { panic!("{error}") };
        assert_eq!(source.kind(), ErrorKind::StorageFull);
        assert_eq!(Path::new(&name), opened.name);
    });
}

#[test]
fn a_read_beyond_the_end_of_the_file_fails() {
    both_ways(|_, opened| {
        write_all(&mut WriteQueue::new(opened, 1, PAGE).unwrap(), &[PAGE]).unwrap();
        opened.device.file().set_len(ALIGNMENT).unwrap();
        let mut queue = ReadQueue::new(opened, 2, 2 * PAGE).unwrap();
        let read = queue.want(0, 2 * PAGE).and_then(|()| queue.next(|_| ()));
        assert!(matches!(read, Err(GraphError::Read { .. })), "{read:?}");
    });
}

#[test]
fn what_cannot_be_read_is_called_by_its_name_and_a_temporary_file_by_its_directory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let fail = |opened: Arc<DirectFile>| opened.read_error(ErrorKind::UnexpectedEof.into()).to_string();
    std::fs::write(&path, [0; PAGE]).unwrap();
    let of_store = fail(DirectFile::to_read(&File::open(&path).unwrap(), &path).unwrap());
    assert!(of_store.starts_with(&format!("{}: cannot be read", path.display())), "{of_store}");
    let file = tempfile::tempfile_in(folder.path()).unwrap();
    let of_temporary = fail(DirectFile::new(&file, folder.path()).unwrap());
    let directory = folder.path().display();
    assert!(of_temporary.starts_with(&format!("temporary file in {directory}: ")), "{of_temporary}");
}
