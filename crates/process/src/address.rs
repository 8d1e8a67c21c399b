//! Where servers can be reached: by nobody outside this machine.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;

use crate::ProcessError;

/// The name of a Unix socket has 108 bytes with the zero at its end.
const LONGEST_SOCKET: usize = 107;

/// What a scratch directory and the socket in it add to the name of the directory that has them.
const ADDED: usize = 60;

/// A directory in which a scratch directory with sockets can be made: the one for temporary files, or `/tmp`
/// where the names of sockets would become too long.
pub fn folder_for_sockets() -> PathBuf {
    let folder = std::env::temp_dir();
    if folder.as_os_str().len() + ADDED <= LONGEST_SOCKET { folder } else { "/tmp".into() }
}

/// A port of the loopback interface on which nobody listens now.
///
/// # Errors
/// Where there is none.
pub fn free_port() -> Result<u16, ProcessError> {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    let bound = bound.map_err(|source| ProcessError::io("127.0.0.1".as_ref(), "finding a port", source));
    Ok(bound?.port())
}

/// Checks that nobody listens on `port` of the loopback interface.
///
/// # Errors
/// [`ProcessError::PortTaken`].
pub fn check_port(port: u16) -> Result<(), ProcessError> {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => Ok(()),
        Err(_) => Err(ProcessError::PortTaken { port }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_free_until_somebody_listens() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let taken = check_port(port).unwrap_err();
        assert!(taken.is_input() && taken.to_string().contains(&port.to_string()), "{taken}");
        assert_ne!(free_port().unwrap(), port);
    }

    #[test]
    fn a_socket_in_the_folder_for_sockets_has_a_name_that_fits() {
        let folder = folder_for_sockets();
        let socket = folder.join(".leadline-a-longer-name-12345678/sockets/.s.PGSQL.5432");
        assert!(folder.is_dir() && socket.as_os_str().len() <= LONGEST_SOCKET, "{}", socket.display());
    }
}
