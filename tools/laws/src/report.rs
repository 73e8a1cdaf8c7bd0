//! The table of readers, the breaches, and the worst reader.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::count::Place;
use crate::laws::{GROWTH, Measure, breaches, growth};
use crate::reader::Reader;
use crate::shapes::Shape;

/// Result of a check.
pub struct Report {
    /// Text for the person who runs the check.
    pub text: String,
    /// Whether a law is broken.
    pub broken: bool,
}

/// Sort key of a row.
type Key = fn(&Row<'_>) -> f64;

/// Measures of one reader on one shape.
struct Row<'r> {
    reader: &'r Reader,
    shape: &'r Shape,
    measures: &'r [Measure],
}

/// Returns the largest growth factor between two consecutive sizes.
fn growth_of(row: &Row<'_>) -> f64 {
    let grown = |pair: &[Measure]| match pair {
        [small, large] if large.length > small.length * 2 => growth(small, large),
        _ => 0.0,
    };
    row.measures.windows(2).map(grown).fold(0.0, f64::max)
}

/// Returns the maximum instructions per byte.
fn work_of(row: &Row<'_>) -> f64 {
    row.measures.iter().map(Measure::per_byte).fold(0.0, f64::max)
}

/// Returns peak allocated bytes per input byte, at the largest size.
fn memory_of(row: &Row<'_>) -> f64 {
    let of = |measure: &Measure| measure.bytes as f64 / measure.length.max(1) as f64;
    row.measures.last().map_or(0.0, of)
}

/// Builds the report.
pub fn report(readers: &[Reader], shapes: &[Vec<Shape>], counted: &BTreeMap<Place, Vec<Measure>>) -> Report {
    let mut rows: BTreeMap<usize, Vec<Row<'_>>> = BTreeMap::new();
    for ((reader, shape), measures) in counted {
        if let (Some(of), Some(shape)) = (
            readers.get(*reader),
            shapes.get(*reader).and_then(|all| all.get(*shape)),
        ) {
            rows.entry(*reader).or_default().push(Row {
                reader: of,
                shape,
                measures,
            });
        }
    }
    let mut text = String::from(
        "growth: times the instructions for four times the bytes; instr/B: at the smallest and the largest size;\n\
         mem/B: most bytes allocated at once by bytes read, at the largest size. Of each reader, the shapes that\n\
         are worst by growth, work and memory.\n\n",
    );
    let _ = writeln!(
        text,
        "{:<74} {:>6} {:>7} {:>7} {:>6}  shape",
        "reader", "growth", "instr/B", "instr/B", "mem/B"
    );
    for rows in rows.values() {
        let by = |key: Key| rows.iter().max_by(|a, b| key(a).total_cmp(&key(b)));
        let mut shown: Vec<&Row<'_>> = Vec::new();
        for row in [by(growth_of), by(work_of), by(memory_of)].into_iter().flatten() {
            if !shown.iter().any(|other| std::ptr::eq(*other, row)) {
                shown.push(row);
            }
        }
        for (number, row) in shown.into_iter().enumerate() {
            let name = if number == 0 { row.reader.name.as_str() } else { "" };
            let first = row.measures.first().map_or(0.0, Measure::per_byte);
            let last = row.measures.last().map_or(0.0, Measure::per_byte);
            let _ = writeln!(
                text,
                "{name:<74} {:>6.2} {first:>7.0} {last:>7.0} {:>6.1}  {}",
                growth_of(row),
                memory_of(row),
                row.shape.name
            );
        }
    }
    let every = || rows.values().flatten();
    let worst = |key: Key| every().max_by(|a, b| key(a).total_cmp(&key(b)));
    text.push('\n');
    for (what, row, value) in [
        ("by growth", worst(growth_of), growth_of as Key),
        ("by work (instructions a byte)", worst(work_of), work_of),
        ("by memory (bytes a byte)", worst(memory_of), memory_of),
    ] {
        if let Some(row) = row {
            let _ = writeln!(
                text,
                "worst reader {what}: {:.1}  {}  on  {}",
                value(row),
                row.reader.name,
                row.shape.name
            );
        }
    }
    let mut broken = 0;
    for row in every() {
        for breach in breaches(row.measures) {
            broken += 1;
            let _ = writeln!(
                text,
                "BROKEN: {}  on  {}: {breach}",
                row.reader.name, row.shape.name
            );
        }
    }
    let _ = writeln!(
        text,
        "\n{} readers on {} shapes; {}",
        rows.len(),
        counted.len(),
        match broken {
            0 => format!("every law holds (growth at most {GROWTH})"),
            count => format!("{count} breaches"),
        }
    );
    Report {
        text,
        broken: broken > 0,
    }
}
