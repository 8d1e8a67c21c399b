//! A device in virtual time: a queue pair whose clock is moved by whoever reaps, over any [`DeviceModel`].

use std::sync::{Arc, Mutex};

use leadline_device::{
    Clock, Completion, Device, DeviceError, Geometry, NEVER, Nanos, QueuePair, QueueShape, Request,
    RequestError, Wear,
};

use crate::DeviceModel;

/// A model as a device in virtual time. Its state passes from one queue pair to the next: there is one at a
/// time.
pub struct VirtualDevice<M> {
    geometry: Geometry,
    /// Taken by the queue pair that is alive, so that no lock is on its path.
    idle_model: IdleModel<M>,
}

/// Where the model is between two queue pairs.
type IdleModel<M> = Arc<Mutex<Option<Box<Timed<M>>>>>;

/// A model and what time it is for it.
struct Timed<M> {
    now: Nanos,
    model: M,
}

impl<M: DeviceModel> VirtualDevice<M> {
    /// The device at time zero.
    pub fn new(model: M) -> Self {
        let geometry = model.geometry();
        VirtualDevice { geometry, idle_model: Arc::new(Mutex::new(Some(Box::new(Timed { now: 0, model })))) }
    }
}

impl<M: DeviceModel + 'static> Device for VirtualDevice<M> {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn clock(&self) -> Clock {
        Clock::Virtual
    }

    fn queue_pair(&self, shape: QueueShape) -> Result<Box<dyn QueuePair>, DeviceError> {
        if shape.depth == 0 || shape.all_slots() < shape.depth {
            return Err(DeviceError::Unsupported(
                "a queue pair needs a depth of at least 1 and as many slots".into(),
            ));
        }
        let timed = self.idle_model.lock().expect("no holder panics").take().ok_or_else(|| {
            DeviceError::Unsupported("a simulated device has one queue pair at a time; use one thread".into())
        })?;
        Ok(Box::new(VirtualQueue {
            geometry: self.geometry,
            shape,
            busy: vec![false; shape.all_slots() as usize],
            timed: Some(timed),
            idle_model: Arc::clone(&self.idle_model),
        }))
    }
}

struct VirtualQueue<M: DeviceModel> {
    geometry: Geometry,
    shape: QueueShape,
    /// Whether each slot is in flight.
    busy: Vec<bool>,
    timed: Option<Box<Timed<M>>>,
    idle_model: IdleModel<M>,
}

impl<M: DeviceModel> VirtualQueue<M> {
    fn timed(&self) -> &Timed<M> {
        self.timed.as_ref().expect("held until dropped")
    }
}

impl<M: DeviceModel> QueuePair for VirtualQueue<M> {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn shape(&self) -> QueueShape {
        self.shape
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        assert!(!self.busy[slot as usize], "slot {slot} is in flight");
        &mut []
    }

    fn submit(&mut self, request: Request) -> Result<(), RequestError> {
        request.validate(&self.geometry, &self.shape)?;
        let refuse = |reason| Err(RequestError { request, reason });
        if self.busy[request.slot as usize] {
            return refuse("its slot is in flight");
        }
        let timed = self.timed.as_mut().expect("held until dropped");
        if timed.model.in_flight() >= self.shape.depth {
            return refuse("the queue pair is full");
        }
        self.busy[request.slot as usize] = true;
        timed.model.arrive(&request, timed.now);
        Ok(())
    }

    fn reap(
        &mut self,
        min: u32,
        deadline: Nanos,
        completions: &mut Vec<Completion>,
    ) -> Result<(), DeviceError> {
        let Timed { now, model } = &mut **self.timed.as_mut().expect("held until dropped");
        // With nothing in flight the deadline alone ends the wait, whatever was asked for.
        let min = if model.in_flight() == 0 { 1 } else { min };
        let mut reaped = 0;
        while let Some(due) = model.next_completion() {
            // Past what is already due, time moves only for completions that the caller waits for.
            if due > *now && (reaped >= min || due > deadline) {
                break;
            }
            *now = due.max(*now);
            let before = completions.len();
            model.advance(*now, completions);
            for completion in &completions[before..] {
                self.busy[completion.slot as usize] = false;
            }
            reaped += (completions.len() - before) as u32;
            // All that is due by now is out.
            if reaped >= min {
                break;
            }
        }
        let waits = reaped < min && (reaped == 0 || model.in_flight() > 0);
        if waits && deadline != NEVER {
            *now = deadline.max(*now);
            // Nothing completes, but what the device does on its own meanwhile is done.
            model.advance(*now, completions);
        }
        Ok(())
    }

    fn now(&self) -> Nanos {
        self.timed().now
    }

    fn in_flight(&self) -> u32 {
        self.timed().model.in_flight()
    }

    fn wear(&self) -> Option<Wear> {
        self.timed().model.wear()
    }
}

impl<M: DeviceModel> Drop for VirtualQueue<M> {
    fn drop(&mut self) {
        let mut timed = self.timed.take().expect("held until dropped");
        // Whoever comes next finds the device idle, as after a reset.
        let mut unclaimed = Vec::new();
        while let Some(due) = timed.model.next_completion() {
            timed.now = due.max(timed.now);
            timed.model.advance(timed.now, &mut unclaimed);
        }
        *self.idle_model.lock().expect("no holder panics") = Some(timed);
    }
}
