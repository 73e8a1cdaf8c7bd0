//! The scalars of a YAML document with the keys above them, from the parser's events: aliases are not expanded, and what is deeper than
//! lock files go is passed over.

use saphyr_parser::{Event, Parser};

/// Deepest key that is kept.
const DEPTH: usize = 4;
/// Most events that are read of one document.
const EVENTS: usize = 2_000_000;

/// A scalar and the keys above it, outermost first.
pub(crate) struct Scalar {
    /// The keys.
    pub keys: Vec<String>,
    /// Its text.
    pub value: String,
}

enum Level {
    /// A mapping, with the key whose value comes next.
    Mapping(Option<String>),
    Sequence,
}

/// The scalars of the first document that stand in mappings alone; `None` where the text is no YAML.
pub(crate) fn scalars(text: &str) -> Option<Vec<Scalar>> {
    let mut out = Vec::new();
    let mut levels: Vec<Level> = Vec::new();
    for event in Parser::new_from_str(text).take(EVENTS) {
        match event.ok()?.0 {
            Event::Scalar(value, ..) => {
                match levels.last_mut() {
                    Some(Level::Mapping(key @ None)) => {
                        *key = Some(value.into_owned());
                        continue;
                    }
                    Some(Level::Mapping(Some(_))) => {
                        if let Some(keys) = keys(&levels) {
                            out.push(Scalar {
                                keys,
                                value: value.into_owned(),
                            });
                        }
                    }
                    Some(Level::Sequence) => {}
                    None => return None,
                }
                end_of_value(&mut levels);
            }
            Event::Alias(_) => end_of_value(&mut levels),
            Event::MappingStart(..) => levels.push(Level::Mapping(None)),
            Event::SequenceStart(..) => levels.push(Level::Sequence),
            Event::MappingEnd | Event::SequenceEnd => {
                levels.pop();
                end_of_value(&mut levels);
            }
            Event::DocumentEnd => break,
            _ => {}
        }
    }
    Some(out)
}

/// What was a value is over: a key comes next. A mapping that is a key stands for one without a name.
fn end_of_value(levels: &mut [Level]) {
    if let Some(Level::Mapping(key)) = levels.last_mut() {
        *key = match key {
            Some(_) => None,
            None => Some(String::new()),
        };
    }
}

fn keys(levels: &[Level]) -> Option<Vec<String>> {
    if levels.len() > DEPTH {
        return None;
    }
    levels
        .iter()
        .map(|level| match level {
            Level::Mapping(key) => key.clone(),
            Level::Sequence => None,
        })
        .collect()
}
