//! As much of HTTP as one client on the loopback interface needs.

use std::io::{self, BufRead as _, BufReader, Error, ErrorKind, Read, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a wait for the server is looked up from.
const LOOK: Duration = Duration::from_millis(100);

/// No answer of etcd's is larger: its metrics are some 50 KiB.
const LARGEST_ANSWER: u64 = 64 << 20;

/// No line of a header is longer.
const LONGEST_LINE: u64 = 64 << 10;

/// A connection that stays.
pub(super) struct Connection<'a> {
    stream: BufReader<Patient<'a>>,
    host: String,
}

/// What the server said.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: String,
}

/// Reads wait as long as it takes, but not longer than we are to run.
struct Patient<'a> {
    stream: TcpStream,
    cancel: &'a AtomicBool,
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if self.cancel.load(Ordering::Relaxed) {
                        return Err(error);
                    }
                }
                other => return other,
            }
        }
    }
}

impl<'a> Connection<'a> {
    /// To a port of the loopback interface.
    pub(super) fn open(port: u16, cancel: &'a AtomicBool) -> io::Result<Connection<'a>> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(LOOK))?;
        Ok(Connection {
            stream: BufReader::new(Patient { stream, cancel }),
            host: format!("127.0.0.1:{port}"),
        })
    }

    pub(super) fn get(&mut self, path: &str) -> io::Result<Answer> {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host))
    }

    pub(super) fn post(&mut self, path: &str, json: &str) -> io::Result<Answer> {
        self.ask(&format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{json}",
            self.host,
            json.len()
        ))
    }

    fn ask(&mut self, request: &str) -> io::Result<Answer> {
        self.stream.get_mut().stream.write_all(request.as_bytes())?;
        read_answer(&mut self.stream)
    }
}

fn read_answer(from: &mut impl io::BufRead) -> io::Result<Answer> {
    let first = line(from)?;
    let status = first.strip_prefix("HTTP/1.").and_then(|rest| rest.split(' ').nth(1)?.parse().ok());
    let status = status.ok_or_else(|| wrong("no answer of HTTP", &first))?;
    let (mut length, mut is_chunked) = (None, false);
    loop {
        let header = line(from)?;
        let Some((name, value)) = header.split_once(':') else { break };
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.parse().map_err(|_| wrong("a length that is no number", value))?);
        }
        is_chunked |= name.eq_ignore_ascii_case("transfer-encoding") && value == "chunked";
    }
    let mut body = Vec::new();
    if is_chunked {
        loop {
            let size = line(from)?;
            let digits = size.split(';').next().unwrap_or_default().trim();
            let size = u64::from_str_radix(digits, 16).map_err(|_| wrong("no size of a chunk", &size))?;
            take(from, size, &mut body)?;
            line(from)?;
            if size == 0 {
                break;
            }
        }
    } else if let Some(length) = length {
        take(from, length, &mut body)?;
    } else {
        return Err(wrong("an answer without length", &first));
    }
    Ok(Answer { status, body: String::from_utf8_lossy(&body).into_owned() })
}

fn take(from: &mut impl io::BufRead, bytes: u64, to: &mut Vec<u8>) -> io::Result<()> {
    if bytes.saturating_add(to.len() as u64) > LARGEST_ANSWER {
        return Err(wrong("too long an answer", &bytes.to_string()));
    }
    match from.take(bytes).read_to_end(to)? as u64 {
        found if found == bytes => Ok(()),
        _ => Err(ErrorKind::UnexpectedEof.into()),
    }
}

/// Without its end.
fn line(from: &mut impl io::BufRead) -> io::Result<String> {
    let mut line = String::new();
    from.take(LONGEST_LINE).read_line(&mut line)?;
    match line.strip_suffix('\n') {
        Some(text) => Ok(text.trim_end_matches('\r').to_owned()),
        None => Err(ErrorKind::UnexpectedEof.into()),
    }
}

fn wrong(what: &str, said: &str) -> Error {
    Error::new(ErrorKind::InvalidData, format!("{what}: {said:?}"))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn read(text: &str) -> io::Result<(u16, String)> {
        read_answer(&mut text.as_bytes()).map(|answer| (answer.status, answer.body))
    }

    #[test]
    fn bodies_come_with_their_length_or_in_chunks() {
        let whole = read("HTTP/1.1 200 OK\r\ncontent-length: 4\r\nX: y\r\n\r\nbodyHTTP/1.1").unwrap();
        assert_eq!(whole, (200, "body".to_owned()));
        let chunks = "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n\
                      3\r\nbod\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n";
        assert_eq!(read(chunks).unwrap(), (404, "bod0123456789".to_owned()));
    }

    #[test]
    fn what_is_cut_off_or_something_else_is_an_error() {
        for text in [
            "",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
            "SSH-2.0-OpenSSH\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbody",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nbody",
            "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nbody",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nbody",
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_connection_asks_more_than_once_and_ends_when_we_do() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let cancel = AtomicBool::new(false);
        let mut client = Connection::open(listener.local_addr().unwrap().port(), &cancel).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        let answers = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na".repeat(2);
        server.write_all(answers.as_bytes()).unwrap();
        assert_eq!(client.get("/metrics").unwrap().body, "a");
        assert_eq!(client.post("/v3/kv/put", "{}").unwrap().body, "a");
        cancel.store(true, Ordering::Relaxed);
        assert!(client.get("/metrics").is_err());
        drop(client);
        let mut asked = String::new();
        server.read_to_string(&mut asked).unwrap();
        assert!(
            asked.contains("POST /v3/kv/put HTTP/1.1\r\n") && asked.contains("Content-Length: 2\r\n\r\n{}")
        );
    }
}
