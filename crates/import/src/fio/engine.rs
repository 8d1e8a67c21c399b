//! Which engines send requests to a device, and whether several at once.

/// Engines that keep `iodepth` requests in flight.
const ASYNCHRONOUS: [&str; 6] =
    ["libaio", "io_uring", "io_uring_cmd", "posixaio", "windowsaio", "solarisaio"];

/// Engines that keep one in flight, whatever `iodepth` says.
const SYNCHRONOUS: [&str; 6] = ["psync", "sync", "pvsync", "pvsync2", "vsync", "sg"];

/// fio's choice where none is named, on Linux.
const DEFAULT: &str = "psync";

/// Whether the engine keeps several requests in flight.
///
/// # Errors
/// Its name and why it is not taken.
pub(super) fn is_asynchronous(name: Option<&str>) -> Result<bool, String> {
    let name = name.unwrap_or(DEFAULT);
    if ASYNCHRONOUS.contains(&name) {
        return Ok(true);
    }
    if SYNCHRONOUS.contains(&name) {
        return Ok(false);
    }
    Err(format!("ioengine={name} is not one that sends requests to a device by the kernel"))
}
