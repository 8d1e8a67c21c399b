//! Things in numbered places.

/// A number for each thing as long as it is there.
pub(crate) struct Slab<T> {
    places: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { places: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    pub(crate) fn insert(&mut self, thing: T) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.places[place as usize] = Some(thing);
                place
            }
            None => {
                self.places.push(Some(thing));
                (self.places.len() - 1) as u32
            }
        }
    }

    pub(crate) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.places.get_mut(place as usize)?.as_mut()
    }

    pub(crate) fn remove(&mut self, place: u32) -> Option<T> {
        let thing = self.places.get_mut(place as usize)?.take();
        if thing.is_some() {
            self.free.push(place);
        }
        thing
    }
}
