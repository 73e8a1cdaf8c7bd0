//! Scores of another scale: what a search gives of its own (BM25, logits, percents, cosines) says by its order alone which of
//! two texts is more relevant.

use super::given::Given;

/// Best score of a program's own up to which its scale is that of fused ranks: reciprocal rank fusion gives 1 / (60 + rank) for
/// each search that found a document (<https://learn.microsoft.com/azure/search/hybrid-search-ranking>).
const FUSED: f64 = 0.05;
/// Best score of a program's own from which its scale is 0 to 1. Between the two, order and score share the weight, so that
/// a slightly better score never leaps.
const LEAST_SCALE: f64 = 0.1;

/// The places of a call's signals by the order of their scores.
#[derive(Debug)]
pub(super) struct Ranked {
    /// For each signal with a score: 1 for the highest, and evenly less for each lower one, equal scores alike.
    pub places: Vec<Option<f64>>,
    /// What is said of it once.
    pub note: String,
}

/// Ranks the signals by the order of their scores where the scores are of another scale: one under a program's own name lies outside 0 to 1, or at
/// least half of all do, or a search's own are all below a tenth. A few `semantic_score` outside are slips, as in the reference's own batches, and
/// count as 0 or 1.
pub(super) fn by_order(signals: &[Given<'_>]) -> Option<Ranked> {
    let scored = || {
        signals
            .iter()
            .filter_map(|given| Some((given, given.semantic_score?)))
    };
    let scores = || scored().map(|(_, score)| score);
    let outside = || scored().filter(|(_, score)| !(0.0..=1.0).contains(score));
    let others = outside().any(|(given, _)| given.foreign_score)
        || (outside().next().is_some() && outside().count() * 2 >= scores().count());
    let (least, most) = scores().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), score| {
        (least.min(score), most.max(score))
    });
    let fused = outside().next().is_none()
        && scores().next().is_some()
        && most < LEAST_SCALE
        && scored().all(|(given, _)| given.foreign_score);
    if !others && !fused {
        return None;
    }
    let share = if others {
        1.0
    } else {
        ((LEAST_SCALE - most) / (LEAST_SCALE - FUSED)).clamp(0.0, 1.0)
    };
    let mut distinct: Vec<f64> = scores().collect();
    distinct.sort_by(|one, other| other.total_cmp(one));
    distinct.dedup();
    let all = distinct.len().max(1) as f64;
    let place = |score: f64| {
        let before = distinct.partition_point(|known| known.total_cmp(&score).is_gt());
        let place = 1.0 - before as f64 / all;
        if others {
            place
        } else {
            share * place + (1.0 - share) * score
        }
    };
    let range = format!("from {least} to {most}");
    let note = if others {
        format!(
            "The semantic_score of these signals is not from 0 to 1 (it is {range}): they are ranked by the order \
             of their scores, none leads, and none is too low."
        )
    } else {
        let beside = if share < 1.0 {
            " The nearer the best is to 0.1, the more the score itself counts."
        } else {
            ""
        };
        format!(
            "The scores of these signals are all below 0.1 ({range}), as fused ranks are: they are ranked by the order of their \
             scores, none leads, and none is too low.{beside}"
        )
    };
    Some(Ranked {
        places: signals
            .iter()
            .map(|given| given.semantic_score.map(place))
            .collect(),
        note,
    })
}

/// Leaves out the scores of a search that are all 0 or all 1, as they order nothing: Elasticsearch gives these where it only filters
/// (<https://www.elastic.co/docs/reference/query-languages/query-dsl/query-filter-context>), and GitHub's search gives 1.
pub(super) fn leave_out_constant(signals: &mut [Given<'_>], notes: &mut Vec<String>) {
    let mut scored = signals.iter().filter(|given| given.semantic_score.is_some());
    let first = signals.iter().find_map(|given| given.semantic_score);
    let several = signals
        .iter()
        .filter(|given| given.semantic_score.is_some())
        .nth(1);
    let constants = [Some(0.0), several.map(|_| 1.0)];
    let Some(constant) = first.filter(|score| constants.contains(&Some(*score))) else {
        return;
    };
    if !scored.all(|given| given.foreign_score && given.semantic_score == Some(constant)) {
        return;
    }
    for given in signals {
        given.semantic_score = None;
        given.foreign_score = false;
    }
    notes.push(format!(
        "All scores of these signals are {}, as a search that only filters gives them: they say nothing of the \
         relevance, and were passed over.",
        constant.abs()
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(scores: &[f64]) -> Option<Vec<Option<f64>>> {
        let given = |score: &f64| Given {
            semantic_score: Some(*score),
            ..Given::default()
        };
        by_order(&scores.iter().map(given).collect::<Vec<_>>()).map(|ranked| ranked.places)
    }

    #[test]
    fn fused_ranks_keep_their_order_and_a_callers_low_scores_stay() {
        let given = |foreign_score| {
            [0.0333, 0.0325, 0.0163].map(|score| Given {
                semantic_score: Some(score),
                foreign_score,
                ..Given::default()
            })
        };
        let ranked = by_order(&given(true)).unwrap();
        assert_eq!(ranked.places[0], Some(1.0));
        assert!(
            ranked.note.contains("all below 0.1 (from 0.0163 to 0.0333)"),
            "{}",
            ranked.note
        );
        assert!(by_order(&given(false)).is_none());
    }

    /// One score under a program's own name shows its scale; the caller's own slips stay those of the reference.
    #[test]
    fn one_foreign_score_outside_ranks_all_by_order() {
        let places = |foreign_score| {
            by_order(&[7.1, 2.2, 0.9, 0.5, 0.4].map(|score| Given {
                semantic_score: Some(score),
                foreign_score,
                ..Given::default()
            }))
        };
        let ranked = places(true).unwrap().places;
        assert!(ranked.is_sorted_by(|one, next| one > next), "{ranked:?}");
        assert!(places(false).is_none());
    }

    #[test]
    fn low_scores_have_no_cliff() {
        let best = |score: f64| {
            let given = [score, score / 2.0].map(|score| Given {
                semantic_score: Some(score),
                foreign_score: true,
                ..Given::default()
            });
            by_order(&given).map_or(score, |ranked| ranked.places[0].unwrap())
        };
        let mut score = 0.001;
        while score < 0.2 {
            let leap = (best(score) - best(score + 0.000_1)).abs();
            assert!(leap < 0.01, "{score}: {leap}");
            score += 0.000_1;
        }
    }

    #[test]
    fn zeros_of_a_search_say_nothing() {
        let given = |foreign_score, score| Given {
            semantic_score: Some(score),
            foreign_score,
            ..Given::default()
        };
        for (mut signals, left_out) in [
            ([given(true, 0.0), given(true, 0.0)], true),
            ([given(true, 0.0), given(true, 0.3)], false),
            ([given(false, 0.0), given(false, 0.0)], false),
            ([given(true, 1.0), given(true, 1.0)], true),
            ([given(true, 0.8), given(true, 0.8)], false),
        ] {
            let mut notes = Vec::new();
            leave_out_constant(&mut signals, &mut notes);
            assert_eq!(
                signals.iter().all(|given| given.semantic_score.is_none()),
                left_out
            );
            assert_eq!(notes.len(), usize::from(left_out), "{notes:?}");
        }
    }

    #[test]
    fn scores_of_another_scale_keep_their_order_and_no_tie_is_made() {
        assert_eq!(places(&[0.0, 1.0, 0.5, -0.0, 1.4]), None);
        assert_eq!(places(&[]), None);
        let twice = places(&[7.0, 30.0, 12.0, 7.0]).unwrap();
        assert!(twice[0] == twice[3] && twice[1] == Some(1.0), "{twice:?}");
        for scores in [[-11.0, -0.4, -3.0], [12.0, 99.0, 55.0], [-2.0, 1e308, 0.9]] {
            let places = places(&scores).unwrap();
            assert!(
                places[1] > places[2] && places[2] > places[0] && places[0] > Some(0.0),
                "{places:?}"
            );
        }
    }
}
