//! Screening: each shape is read once without callgrind, which is a hundred times faster, to find the shapes that are
//! worth counting. Processor time selects those shapes and decides nothing else. Memory is measured exactly.

use std::time::Duration;

use bytes::Bytes;

use crate::count::Place;
use crate::laws::{BYTES_FREE, BYTES_PER_BYTE, Breach, LARGE, SIZES};
use crate::meter::{Cost, Meter};
use crate::reader::Reader;
use crate::shapes::Shape;

/// Shapes counted per reader for the largest growth of time, and as many for the most time per byte.
const PICKED: usize = 2;
/// Growth factor of time above which a shape is always counted.
const SUSPICIOUS: f64 = 4.8;
/// Shapes per reader that are also weighed at [`LARGE`], those with the most memory first.
const HEAVIEST: usize = 16;
/// Time below which growth is meaningless.
const NOTICEABLE: Duration = Duration::from_millis(3);

/// Result of the screening.
#[derive(Debug, Default)]
pub struct Screened {
    /// Reader and shape pairs to count.
    pub plan: Vec<Place>,
    /// Violations of the memory law.
    pub breaches: Vec<(Place, Breach)>,
}

/// Measures the memory of every shape of `plan` and returns the violations.
///
/// # Errors
///
/// Only those of [`Meter::cost`], which reads no count here.
pub fn weigh(
    readers: &[Reader],
    shapes: &[Vec<Shape>],
    plan: &[Place],
) -> Result<Vec<(Place, Breach)>, String> {
    let mut meter = Meter::new(None);
    let mut out = Vec::new();
    let mut begun = None;
    for (place, number) in plan {
        let (Some(reader), Some(shape)) = (
            readers.get(*place),
            shapes.get(*place).and_then(|all| all.get(*number)),
        ) else {
            continue;
        };
        if begun.replace(*place) != Some(*place) {
            // Excludes one-time initialisation of the process from the first measure.
            let _ = (reader.read)(&Bytes::copy_from_slice(&reader.seed));
        }
        let costs = read(&mut meter, reader, shape, &SIZES)?;
        let breaches = costs.iter().filter_map(|(length, cost)| too_much(*length, cost));
        out.extend(breaches.map(|breach| ((*place, *number), breach)));
    }
    Ok(out)
}

/// Reads a shape once at each size and returns its length and cost.
fn read(
    meter: &mut Meter,
    reader: &Reader,
    shape: &Shape,
    sizes: &[usize],
) -> Result<Vec<(usize, Cost)>, String> {
    let mut costs = Vec::new();
    for size in sizes.iter().copied() {
        let body = Bytes::from(shape.body(size));
        let cost = meter.cost(|| {
            let _ = std::hint::black_box((reader.read)(&body));
        })?;
        costs.push((body.len(), cost));
    }
    Ok(costs)
}

fn too_much(length: usize, cost: &Cost) -> Option<Breach> {
    let bytes = cost.bytes + length as u64;
    (bytes > BYTES_PER_BYTE * length as u64 + BYTES_FREE).then_some(Breach::Memory(length, bytes))
}

/// Reads every shape of `plan` once at each of [`SIZES`], and those of each reader that take the most memory at
/// [`LARGE`].
///
/// # Errors
///
/// Only those of [`Meter::cost`], which reads no count here.
pub fn screen(
    readers: &[Reader],
    shapes: &[Vec<Shape>],
    plan: &[Place],
    mut tell: impl FnMut(&str),
) -> Result<Screened, String> {
    let mut out = Screened::default();
    let mut meter = Meter::new(None);
    for (place, reader) in readers.iter().enumerate() {
        let mut tried: Vec<(Place, f64, f64)> = Vec::new();
        let mut weights: Vec<(usize, u64)> = Vec::new();
        let of_reader = plan.iter().filter(|(of, _)| *of == place);
        for (_, number) in of_reader {
            let Some(shape) = shapes.get(place).and_then(|all| all.get(*number)) else {
                continue;
            };
            if tried.is_empty() {
                let _ = (reader.read)(&Bytes::copy_from_slice(&reader.seed));
            }
            let costs = read(&mut meter, reader, shape, &SIZES)?;
            let breaches = costs.iter().filter_map(|(length, cost)| too_much(*length, cost));
            out.breaches
                .extend(breaches.map(|breach| ((place, *number), breach)));
            weights.extend(costs.last().map(|(_, cost)| (*number, cost.bytes)));
            if let [(short, small), (long, large)] = costs.as_slice()
                && long > short
            {
                let longer = *long as f64 / *short as f64;
                let times = large.time.as_secs_f64() / small.time.as_secs_f64().max(1e-9);
                let growth = if large.time > NOTICEABLE {
                    times * 4.0 / longer
                } else {
                    0.0
                };
                tried.push(((place, *number), growth, large.time.as_secs_f64() / *long as f64));
            }
        }
        weights.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        for (number, _) in weights.iter().take(HEAVIEST) {
            if let Some(shape) = shapes.get(place).and_then(|all| all.get(*number)) {
                let costs = read(&mut meter, reader, shape, &[LARGE])?;
                let breaches = costs.iter().filter_map(|(length, cost)| too_much(*length, cost));
                out.breaches
                    .extend(breaches.map(|breach| ((place, *number), breach)));
            }
        }
        let mut picked: Vec<Place> = Vec::new();
        tried.sort_by(|a, b| b.2.total_cmp(&a.2));
        picked.extend(tried.iter().take(PICKED).map(|(place, ..)| *place));
        tried.sort_by(|a, b| b.1.total_cmp(&a.1));
        let most =
            |(number, (_, growth, _)): &(usize, &(Place, f64, f64))| *number < PICKED || *growth > SUSPICIOUS;
        picked.extend(
            tried
                .iter()
                .enumerate()
                .take_while(most)
                .map(|(_, (place, ..))| *place),
        );
        picked.sort_unstable();
        picked.dedup();
        if let Some((worst, growth, rate)) = tried.first() {
            let shape = shapes.get(place).and_then(|all| all.get(worst.1));
            tell(&format!(
                "{}: {} shapes; time grows up to {growth:.1} times ({:.0} ns a byte) on {}",
                reader.name,
                tried.len(),
                rate * 1e9,
                shape.map_or("", |shape| shape.name.as_str())
            ));
        }
        out.plan.extend(picked);
    }
    Ok(out)
}
