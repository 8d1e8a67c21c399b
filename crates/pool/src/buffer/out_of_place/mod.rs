//! Writing out of place: what a pool does with the places that [`places`](super::places) keeps account of.
//!
//! | file | concept |
//! | --- | --- |
//! | `room` | places for a batch |
//! | `cleaning` | segments that become free |
//! | `superblocks`, `lists`, `checkpoint` | what a crash brings back |
//! | `recovery` | what a pool finds when it is opened |

mod checkpoint;
mod cleaning;
mod lists;
mod recovery;
mod room;
mod superblocks;
