//! How a ring is made, and why there is none.

use std::io;

use io_uring::{IoUring, Probe, opcode};

use crate::DeviceError;

/// Milliseconds without work after which the kernel's submission thread sleeps.
const SQPOLL_IDLE_MS: u32 = 1000;

/// How a ring is used: what is polled instead of waited for, and by whom.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Polling {
    /// The device for completions (IOPOLL).
    pub(crate) completions: bool,
    /// The ring for submissions, by a kernel thread (SQPOLL).
    pub(crate) submissions: bool,
    /// Threads take turns: no thread owns the ring, so none can be left to run all of its deferred work.
    pub(crate) shared: bool,
}

/// Whether io_uring can be had, with all that a queue pair needs.
pub(crate) fn probe() -> Result<(), DeviceError> {
    let ring = build(1, Polling::default()).map_err(|error| explain(&error))?;
    let mut probe = Probe::new();
    let probed = ring.submitter().register_probe(&mut probe);
    probed.map_err(|error| DeviceError::io("asking io_uring what it can do", error))?;
    let needed = [opcode::ReadFixed::CODE, opcode::WriteFixed::CODE, opcode::Read::CODE, opcode::Fsync::CODE];
    if !ring.params().is_feature_ext_arg() || !needed.into_iter().all(|code| probe.is_supported(code)) {
        return Err(DeviceError::Unsupported("io_uring is too old here: Linux 5.11 is needed".into()));
    }
    Ok(())
}

/// The best ring the kernel takes: newer flags first, then without.
pub(super) fn build(depth: u32, polling: Polling) -> io::Result<IoUring> {
    let mut result = Err(io::Error::from_raw_os_error(libc::EINVAL));
    for level in [3, 2, 1, 0] {
        let mut builder = IoUring::builder();
        // Disabled until its first use, which makes that thread its owner.
        builder.setup_r_disabled();
        if polling.completions {
            builder.setup_iopoll();
        }
        if polling.submissions {
            builder.setup_sqpoll(SQPOLL_IDLE_MS);
        } else if level > 0 {
            // A shared ring, too: what a thread submitted is posted when it next enters the kernel, at the
            // latest with the next tick of the clock, and others wait that long at most. Being interrupted
            // for each costs far more.
            builder.setup_coop_taskrun().setup_taskrun_flag();
        }
        if level > 1 {
            builder.setup_submit_all();
        }
        if level > 1 && !polling.shared {
            builder.setup_single_issuer();
            if !polling.submissions {
                builder.setup_defer_taskrun();
            }
        }
        if level > 2 {
            builder.setup_no_sqarray();
        }
        result = builder.build(depth.next_power_of_two());
        if !matches!(&result, Err(error) if error.raw_os_error() == Some(libc::EINVAL)) {
            break;
        }
    }
    result
}

/// Why there is no ring, in words that tell what to do.
pub(super) fn explain(error: &io::Error) -> DeviceError {
    let disabled = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled").unwrap_or_default();
    let disabled = disabled.trim();
    DeviceError::Unsupported(match (error.raw_os_error(), disabled) {
        (Some(libc::EPERM), "1" | "2") => {
            format!("io_uring is switched off here: sysctl kernel.io_uring_disabled is {disabled}")
        }
        (Some(libc::EPERM | libc::EACCES), _) => {
            "io_uring is forbidden here (EPERM), as containers do it by seccomp".to_owned()
        }
        (Some(libc::ENOSYS), _) => {
            "io_uring is not in this kernel, or seccomp hides it as containers do (ENOSYS)".to_owned()
        }
        (Some(libc::ENOMEM), _) => format!("io_uring: no memory for a ring ({error}; RLIMIT_MEMLOCK?)"),
        _ => format!("io_uring: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_names_the_switch_that_turns_io_uring_off() {
        let reason = |errno| explain(&io::Error::from_raw_os_error(errno)).to_string();
        assert!(reason(libc::ENOSYS).contains("seccomp"));
        assert!(reason(libc::EPERM).contains("io_uring"));
        assert!(reason(libc::ENOMEM).contains("RLIMIT_MEMLOCK"));
    }

    /// Refuses the three calls of io_uring in this thread, as container runtimes do.
    fn refuse(errno: i32) {
        let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
        let jump = |k: i64, jt: u8| libc::sock_filter {
            jt,
            ..statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, k as u32)
        };
        let mut filter = [
            // The number of the call is the first word.
            statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0),
            jump(libc::SYS_io_uring_setup, 3),
            jump(libc::SYS_io_uring_enter, 2),
            jump(libc::SYS_io_uring_register, 1),
            statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
            statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | errno as u32),
        ];
        let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
        // SAFETY: `program` outlives the call, which copies it.
        let result = unsafe {
            assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
        };
        assert_eq!(result, 0, "{}", io::Error::last_os_error());
    }

    #[test]
    fn where_a_container_refuses_io_uring_psync_is_used_and_the_reason_told() {
        for errno in [libc::EPERM, libc::ENOSYS] {
            let container = move || {
                refuse(errno);
                crate::IoEngine::best()
            };
            let (engine, reason) = std::thread::spawn(container).join().unwrap();
            assert_eq!(engine, crate::IoEngine::Psync);
            assert!(reason.unwrap().starts_with("io_uring is "), "{errno}");
        }
    }
}
