//! Clients between a device and processors: a closed queueing network.

/// Operations per second of `device.len()` clients, each of which uses the processor, then the device, then
/// the processor again, without pause.
///
/// `device[j - 1]` is what an operation takes the device while j of them are there, seconds; an operation
/// takes `processor` seconds of one of `processors` processors. Two stations whose rates depend on how many
/// are there have a product form (Gordon and Newell, Operations Research 1967; Baskett, Chandy, Muntz and
/// Palacios, JACM 1975): the throughput is G(k - 1) / G(k), G(n) the sum over j of
/// prod(device[..j]) prod(processor / min(i, processors), i <= n - j). `None` without clients, or where
/// nothing takes time.
pub fn throughput(device: &[f64], processor: f64, processors: u32) -> Option<f64> {
    // In units of the longest service, so that products of many neither vanish nor overflow.
    let unit = device.iter().copied().fold(processor, f64::max);
    if device.is_empty() || unit <= 0.0 || !unit.is_finite() {
        return None;
    }
    let products = |service: &dyn Fn(usize) -> f64| {
        let mut all = vec![1.0];
        for there in 1..=device.len() {
            all.push(all[there - 1] * service(there) / unit);
        }
        all
    };
    let at_device = products(&|there| device[there - 1]);
    let at_processors = products(&|there| processor / f64::from((there as u32).min(processors.max(1))));
    let sum = |n: usize| (0..=n).map(|j| at_device[j] * at_processors[n - j]).sum::<f64>();
    Some(sum(device.len() - 1) / sum(device.len()) / unit)
}
