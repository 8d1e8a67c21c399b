//! How long a capture takes on a device that was named.

use leadline_tiers::Opened;

use crate::layout::{placed, side_by_side};
use crate::{Captured, PlacementError, Prediction, Waits, replay};

/// Predicts how long `captured` takes on a device, called `name` in messages, which is idle at first.
///
/// # Errors
/// [`PlacementError::TooLarge`] where the files do not fit.
pub fn predict(
    captured: &Captured,
    waits: &Waits,
    name: &str,
    device: &mut Opened,
) -> Result<Prediction, PlacementError> {
    let ((layout, bytes), capacity_bytes) = match &device.placement {
        Some(placement) => (placed(captured, placement), placement.border_bytes),
        None => (side_by_side(captured), device.model.geometry().capacity_bytes),
    };
    if bytes > capacity_bytes {
        let (device, captured) = (name.to_owned(), captured.name.clone());
        return Err(PlacementError::TooLarge { name: captured, bytes, device, capacity_bytes });
    }
    Ok(replay(captured, waits, &layout, &mut *device.model))
}
