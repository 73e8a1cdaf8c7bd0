//! Counting: a plan of reader and shape pairs, child processes that count them under callgrind, and their results.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use bytes::Bytes;

use crate::laws::Measure;
use crate::meter::{Meter, callgrind_arguments};
use crate::reader::Reader;
use crate::shapes::{Shape, shapes};

/// Indices of a reader and of one of its shapes.
pub type Place = (usize, usize);

/// Returns the shapes of every reader.
pub fn shapes_of(readers: &[Reader]) -> Vec<Vec<Shape>> {
    readers
        .iter()
        .enumerate()
        .map(|(turn, reader)| shapes(reader.format, &reader.seed, turn))
        .collect()
}

/// Counts `plan` at these sizes, smallest first, in `jobs` child processes.
///
/// # Errors
///
/// valgrind cannot be started, or a child exited before its part was done.
pub fn count(
    plan: &[Place],
    sizes: &[usize],
    folder: &Path,
    jobs: usize,
    named: impl Fn(Place) -> String,
) -> Result<BTreeMap<Place, Vec<Measure>>, String> {
    let itself = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut children: Vec<(Child, Vec<Place>)> = Vec::new();
    for job in 0..jobs {
        // Dealt round-robin, so that all children have about the same amount of work.
        let part: Vec<Place> = plan.iter().skip(job).step_by(jobs).copied().collect();
        let mut text = String::new();
        for (reader, shape) in &part {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{reader} {shape}");
        }
        let file = folder.join(format!("plan-{job}"));
        std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let child = Command::new("valgrind")
            .args(callgrind_arguments(folder))
            .arg(&itself)
            .args(["count", "--sizes", &sizes.join(","), "--folder"])
            .arg(folder)
            .arg("--plan")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("valgrind: {error}; it must be installed (apt-get install valgrind)"))?;
        children.push((child, part));
    }
    let mut out = BTreeMap::new();
    // Each child writes little, so no child blocks while its output is unread.
    for (mut child, due) in children {
        let mut found = BTreeMap::new();
        let lines = child
            .stdout
            .take()
            .map(BufReader::new)
            .into_iter()
            .flat_map(BufReader::lines);
        for line in lines.map_while(Result::ok) {
            let numbers: Vec<u64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
            let [reader, shape, length, instructions, bytes] = numbers.as_slice() else {
                return Err(format!("a child wrote {line:?}"));
            };
            let place = |number: &u64| usize::try_from(*number).unwrap_or(usize::MAX);
            found
                .entry((place(reader), place(shape)))
                .or_insert_with(Vec::new)
                .push(Measure {
                    length: place(length),
                    instructions: *instructions,
                    bytes: *bytes,
                });
        }
        let status = child.wait().map_err(|error| format!("a child: {error}"))?;
        if !status.success() || found.len() != due.len() {
            // The pair that was in progress, or whose smallest size did not finish.
            let begun = due
                .iter()
                .find(|place| !found.contains_key(*place))
                .or(due.last());
            return Err(format!(
                "a child ended with {status} at, or just before: {}. No reader may end the process: a stack that \
                 grows with the input is broken, too",
                begun.map_or_else(String::new, |place| named(*place))
            ));
        }
        out.extend(found);
    }
    Ok(out)
}

/// Runs a child's part of the plan and writes each measure as a line to `out`.
///
/// # Errors
///
/// The plan or a count cannot be read.
pub fn work(
    readers: &[Reader],
    plan: &Path,
    sizes: &[usize],
    folder: Option<&Path>,
    out: &mut impl std::io::Write,
) -> Result<(), String> {
    let text = std::fs::read_to_string(plan).map_err(|error| format!("{}: {error}", plan.display()))?;
    let mut meter = Meter::new(folder.map(Path::to_owned));
    let mut known: Option<(usize, Vec<Shape>)> = None;
    for line in text.lines() {
        let numbers: Vec<usize> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [reader_place, shape_place] = numbers.as_slice() else {
            return Err(format!("the plan has the line {line:?}"));
        };
        let reader = readers
            .get(*reader_place)
            .ok_or("the plan names no reader of ours")?;
        if known.as_ref().is_none_or(|(place, _)| place != reader_place) {
            known = Some((*reader_place, shapes(reader.format, &reader.seed, *reader_place)));
            // Excludes one-time initialisation of the process from the first measure.
            let _ = (reader.read)(&Bytes::copy_from_slice(&reader.seed));
        }
        let shape = known.as_ref().and_then(|(_, shapes)| shapes.get(*shape_place));
        let shape = shape.ok_or("the plan names no shape of ours")?;
        for size in sizes {
            let measure = measure(&mut meter, reader, shape, *size)?;
            writeln!(
                out,
                "{reader_place} {shape_place} {} {} {}",
                measure.length, measure.instructions, measure.bytes
            )
            .and_then(|()| out.flush())
            .map_err(|error| format!("output: {error}"))?;
            if measure.is_hopeless() {
                break;
            }
        }
    }
    Ok(())
}

/// Measures one read.
///
/// # Errors
///
/// The count cannot be read.
pub fn measure(meter: &mut Meter, reader: &Reader, shape: &Shape, size: usize) -> Result<Measure, String> {
    let body = Bytes::from(shape.body(size));
    let cost = meter.cost(|| {
        let _ = std::hint::black_box((reader.read)(&body));
    })?;
    Ok(Measure {
        length: body.len(),
        instructions: cost.instructions,
        bytes: cost.bytes + body.len() as u64,
    })
}
