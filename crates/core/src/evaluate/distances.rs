//! Distances of a search, the smaller the nearer, as relevances that keep their order.

use super::given::Given;

/// Least distance that may be a rounding error: a document at no distance is found at -1.2e-7.
const ROUNDING: f64 = 1e-5;

/// The distances of one list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    least: f64,
}

impl Scale {
    pub(super) fn of(distances: impl Iterator<Item = f64>) -> Self {
        Self {
            least: distances.fold(0.0, f64::min),
        }
    }

    /// Whether they are no distances in space. Negative ones are inner products with their sign turned: pgvector's
    /// `<#>` (<https://github.com/pgvector/pgvector#querying>), and Chroma's `ip` less 1.
    pub(super) fn is_negative(self) -> bool {
        self.least < -ROUNDING
    }

    /// 1 for the nearest possible, and less for each that is farther.
    pub(super) fn relevance(self, distance: f64) -> f64 {
        1.0 / (1.0 + (distance - self.least))
    }
}

/// Whether the numbers fall along the list.
fn fall(numbers: &[f64]) -> bool {
    let ends = numbers.first().zip(numbers.last());
    numbers.is_sorted_by(|one, next| one >= next) && ends.is_some_and(|(first, last)| first > last)
}

/// Reads the distances of signals without a score as their scores. Searches list the nearest first, so a number under this
/// name that falls along the list is a similarity: Milvus's for `COSINE` and `IP`
/// (<https://milvus.io/docs/metric.md>).
pub(super) fn as_scores(signals: &mut [Given<'_>], notes: &mut Vec<String>) {
    let numbers: Vec<f64> = signals.iter().filter_map(|given| given.distance).collect();
    match numbers.as_slice() {
        [] => return,
        [_] => {
            // Milvus calls its similarities so, too.
            notes.push(
                "One distance alone does not say whether near is low or high: it was not read as a score."
                    .to_owned(),
            );
            return;
        }
        _ => {}
    }
    let scale = Scale::of(numbers.iter().copied());
    let (score, said): (fn(Scale, f64) -> f64, _) = if fall(&numbers) {
        (
            |_, number| number,
            "The distances fall along the list. Searches list the nearest first, so they were read as similarities, higher for \
             nearer.",
        )
    } else if scale.is_negative() {
        (
            |_, number| -number,
            "Some distances are negative, as inner products with their sign turned are: they were turned back and read as \
             similarities, which keeps their order.",
        )
    } else {
        (
            Scale::relevance,
            "The distances were read as a relevance of 1 / (1 + distance), which keeps their order.",
        )
    };
    for given in signals {
        if let Some(distance) = given.distance {
            given.semantic_score = Some(score(scale, distance));
            given.foreign_score = true;
        }
    }
    notes.push(said.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(distances: &[f64]) -> (Vec<f64>, Vec<String>) {
        let given = |distance: &f64| Given {
            distance: Some(*distance),
            ..Given::default()
        };
        let mut signals: Vec<Given<'_>> = distances.iter().map(given).collect();
        let mut notes = Vec::new();
        as_scores(&mut signals, &mut notes);
        (
            signals.iter().filter_map(|given| given.semantic_score).collect(),
            notes,
        )
    }

    #[test]
    fn distances_keep_their_order() {
        assert_eq!(scores(&[0.0, 1.0, 3.0]).0, [1.0, 0.5, 0.25]);
        assert_eq!(scores(&[3.0, 0.0, 1.0]).0, [0.25, 1.0, 0.5]);
        assert_eq!(scores(&[-30.5, -12.0, -0.4]).0, [30.5, 12.0, 0.4]);
        let (rounded, notes) = scores(&[-2e-7, -1e-7, 0.5]);
        assert!(
            (rounded[0] - 1.0).abs() < f64::EPSILON && rounded[1] < 1.0 && rounded[2] < 0.7,
            "{rounded:?}"
        );
        assert!(
            notes.len() == 1 && notes[0].contains("1 / (1 + distance)"),
            "{notes:?}"
        );
    }

    #[test]
    fn a_number_that_falls_from_the_nearest_on_is_a_similarity() {
        let (read, notes) = scores(&[0.91, 0.4, 0.4]);
        assert_eq!(read, [0.91, 0.4, 0.4]);
        assert!(notes[0].contains("read as similarities"), "{notes:?}");
        assert_eq!(scores(&[0.5, 0.5]).0, [1.0 / 1.5, 1.0 / 1.5]);
        assert!(scores(&[]).1.is_empty());
        let (read, notes) = scores(&[0.42]);
        assert!(
            read.is_empty() && notes[0].contains("One distance alone"),
            "{notes:?}"
        );
    }
}
