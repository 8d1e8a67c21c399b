//! Writes, trims and flushes: into the buffer, and when they are complete.

use leadline_device::Nanos;

use super::FlashModel;
use super::destage::Flush;
use super::reads::Page;
use crate::flash::buffer::Admitted;
use crate::flash::events::Event;
use crate::flash::media::NONE;

impl FlashModel {
    /// A write has reached the controller.
    pub(super) fn write(&mut self, index: u32, at: Nanos) {
        let request = self.requests[index];
        let (first, end) = self.units_of(request.request.offset, request.request.len);
        if !request.mapped && self.waits_for_mapping(index, first, end, at) {
            return;
        }
        if let Some(cache) = &mut self.map_cache {
            let entries = self.media.layout.map_entries;
            (first / entries..=(end - 1) / entries).for_each(|map_unit| cache.mark(map_unit));
        }
        // One part for being in the buffer, so that nothing else completes it before.
        self.requests[index].parts = 1;
        self.destage.waiting.push_back(index);
        if self.destage.waiting.len() == 1 {
            self.admit_waiting(at);
        }
        self.dispatch(at);
    }

    /// Lets writes into the buffer, in the order in which they came.
    pub(super) fn admit_waiting(&mut self, at: Nanos) {
        while let Some(&index) = self.destage.waiting.front() {
            if !self.admit(index, at) {
                return;
            }
            self.destage.waiting.pop_front();
            if let Some(latest) = self.part_done(index, at + self.times.hit) {
                self.events.add(latest, Event::Complete(index));
            }
        }
    }

    /// Lets the rest of a write into the buffer; whether there was room for all of it.
    fn admit(&mut self, index: u32, at: Nanos) -> bool {
        let entry = self.requests[index];
        let (offset, len) = (entry.request.offset, entry.request.len);
        let (_, end) = self.units_of(offset, len);
        let buffer = &self.spec.buffer;
        let waits = buffer.write == 0 || (entry.request.durable && !buffer.power_loss_protection);
        let waiter = if waits { index } else { NONE };
        for unit in entry.next_unit..end {
            let enters = self.entry_for(unit, offset, len, at);
            let admitted = enters.map(|enters| {
                let queue = self.destage.queue_of(enters.unit);
                (enters, self.buffer.admit(enters.unit, queue, waiter))
            });
            let Some((enters, admitted)) = admitted.filter(|(_, admitted)| *admitted != Admitted::Full)
            else {
                self.requests[index].next_unit = unit;
                return false;
            };
            self.has_entered(unit, enters);
            if admitted == Admitted::Added && waits {
                self.requests[index].parts += 1;
                self.destage.awaited += 1;
            }
            if let Some(ahead) = &mut self.read_ahead {
                ahead.forget(unit);
            }
            if let Some(place) = enters.read {
                // Read, modify, write.
                let (block, program) = self.program_of(place);
                let page = Page { block, program, bytes: self.media.layout.unit_bytes };
                self.sense(index, page, at);
            }
        }
        true
    }

    /// A trim has reached the controller: units that it covers whole hold nothing any more.
    pub(super) fn trim(&mut self, index: u32, at: Nanos) {
        let request = self.requests[index].request;
        let (first, end) = self.units_of(request.offset, request.len);
        for unit in first..end {
            if self.bytes_within(unit, request.offset, request.len) == self.media.layout.unit_bytes {
                self.buffer.trim(unit, self.destage.queue_of(unit));
                self.media.trim(unit);
                self.drop_part(unit);
            }
        }
        // Room perhaps, for those who wait for it.
        self.dispatch(at);
        self.events.add(at + self.times.hit, Event::Complete(index));
    }

    /// A flush has reached the controller.
    pub(super) fn flush(&mut self, index: u32, at: Nanos) {
        let done = at + self.times.flush;
        let safe = self.spec.buffer.power_loss_protection || self.spec.buffer.write == 0;
        if safe || self.buffer.used() == 0 {
            self.events.add(done, Event::Complete(index));
            return;
        }
        let (sequence, left) = (self.buffer.sequence(), self.buffer.used());
        self.destage.flushes.push(Flush { request: index, sequence, left });
        self.dispatch(at);
    }
}
