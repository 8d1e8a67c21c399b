//! The profile's closed sets of words. A later version may add to one, so each has a variant for any other
//! text: what this version does not know is kept and written back as it was.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An enum that is written as one of `$word`s, or as the text in `$other`.
macro_rules! term {
    (
        $(#[$doc:meta])* $name:ident {
            $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+
        } else {
            $(#[$other_doc:meta])* $other:ident
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
            $(#[$other_doc])*
            $other(String),
        }

        impl $name {
            /// The text in the profile.
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $word,)+
                    $name::$other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($word => $name::$variant,)+
                    _ => $name::$other(text.to_owned()),
                }
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                text.as_str().into()
            }
        }

        impl From<$name> for String {
            fn from(term: $name) -> String {
                term.as_str().to_owned()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        /// The empty text: not stated.
        impl Default for $name {
            fn default() -> Self {
                $name::$other(String::new())
            }
        }
    };
}

term! {
    /// What kind of target was measured.
    DeviceKind {
        /// A scratch file in a directory.
        Directory = "directory",
        /// An existing file.
        File = "file",
        /// A raw block device.
        Block = "block",
        /// A simulated device.
        Simulated = "simulated",
        /// None: the numbers were published.
        Published = "published",
        /// None: the numbers were read from a table.
        Table = "table",
        /// None here: another program measured, and its output was imported.
        Imported = "imported",
    } else {
        /// A kind that this version does not know; empty where none is stated.
        Other
    }
}

term! {
    /// What submitted the requests, or where numbers come from that no engine measured.
    EngineKind {
        /// The kernel's asynchronous interface.
        IoUring = "io_uring",
        /// Threads of blocking calls.
        Psync = "psync",
        /// A simulated device in virtual time.
        Simulated = "simulated",
        /// None: the numbers were published.
        Published = "published",
        /// None: the numbers were read from a table.
        Table = "table",
        /// Another program's, whose output was imported.
        Imported = "imported",
    } else {
        /// An engine that this version does not know; empty where none is stated.
        Other
    }
}

term! {
    /// The state in which the device was measured.
    DeviceState {
        /// The SNIA steady-state test passed.
        Steady = "steady",
        /// The test was not run or did not pass: sustained writes may be slower.
        Burst = "burst",
        /// A simulated device has one state only.
        Simulated = "simulated",
        /// Published numbers, in a state that nobody here knows.
        Published = "published",
        /// The numbers were read from a table, which does not say.
        Table = "table",
        /// The numbers are another program's, whose output does not say.
        Imported = "imported",
    } else {
        /// A state that this version does not know; empty where none is stated.
        Other
    }
}

term! {
    /// What a run was doing.
    RunPhase {
        /// Writing the footprint once.
        Layout = "layout",
        /// Writing until the device is in its steady state.
        Precondition = "precondition",
        /// Measuring reads.
        Read = "read",
        /// Measuring writes.
        Write = "write",
    } else {
        /// A phase that this version does not know.
        Other
    }
}

term! {
    /// Whether there are numbers of writes.
    WriteStatus {
        /// They were measured.
        Measured = "measured",
        /// They were published.
        Published = "published",
    } else {
        /// There are none, for this reason; empty where none is stated.
        Absent
    }
}

term! {
    /// How a run's length was chosen.
    BudgetKind {
        /// 30 seconds for up to two block sizes.
        Quick = "quick",
        /// Two minutes for up to two block sizes.
        Default = "default",
        /// Until the intervals are narrow.
        Full = "full",
        /// A number of seconds.
        Custom = "custom",
    } else {
        /// A budget that this version does not know; empty where none is stated.
        Other
    }
}

term! {
    /// What kept intervals wide.
    Limit {
        /// They no longer narrowed with more time: the device or the machine is noisy.
        Noise = "noise",
        /// They still narrowed when time was up.
        Time = "time",
    } else {
        /// A limit that this version does not know.
        Other
    }
}

term! {
    /// The kernel's view of the drive's write cache.
    WriteCache {
        /// A completed write may still be in the cache.
        WriteBack = "write back",
        /// A completed write is on the medium.
        WriteThrough = "write through",
    } else {
        /// What else the kernel says.
        Other
    }
}

term! {
    /// What a [`Check`](crate::Check) is about.
    CheckName {
        /// Throughput at k is at most k times that at 1.
        Speedup = "speedup",
        /// Little's law.
        Little = "little",
        /// Bandwidth is within what the link carries.
        Link = "link",
        /// Reads after writes are as fast as reads after reads.
        Order = "order",
        /// Slices run as fast as long stretches of the same load.
        Slices = "slices",
        /// Other programs left the processor to the slices that count.
        Quiet = "quiet",
        /// The device sees the requests as they were sent, and not neighbours merged into larger ones.
        Merged = "merged",
        /// The device, not the processor, set the pace.
        Cpu = "cpu",
        /// Requests went through io_uring; only where they could not.
        Engine = "engine",
        /// Where published or imported numbers come from.
        Source = "source",
        /// Whether published numbers contradict one another.
        Alpha = "alpha",
        /// A remark on published or imported numbers.
        Note = "note",
    } else {
        /// A check that this version does not know.
        Other
    }
}
