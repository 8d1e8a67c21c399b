//! The processors that programs are made for.

use std::process::Command;

/// Linux with glibc, which is linked into the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    X86_64,
    Aarch64,
}

impl Target {
    /// This machine's.
    pub(super) const OURS: Target =
        if cfg!(target_arch = "aarch64") { Target::Aarch64 } else { Target::X86_64 };

    /// As the kernel and RPM call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Target::X86_64 => "x86_64",
            Target::Aarch64 => "aarch64",
        }
    }

    /// As Debian calls it.
    pub(super) fn debian(self) -> &'static str {
        match self {
            Target::X86_64 => "amd64",
            Target::Aarch64 => "arm64",
        }
    }

    /// As Rust calls it.
    pub(super) fn triple(self) -> &'static str {
        match self {
            Target::X86_64 => "x86_64-unknown-linux-gnu",
            Target::Aarch64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// Whether this machine's processor is of this kind.
    pub(super) fn is_ours(self) -> bool {
        self == Target::OURS
    }

    /// What starts `program` here: the program itself, or QEMU with it.
    pub(super) fn command(self, program: &std::path::Path) -> Command {
        if self.is_ours() {
            return Command::new(program);
        }
        let mut qemu = Command::new(format!("qemu-{}-static", self.name()));
        qemu.arg(program);
        qemu
    }
}
