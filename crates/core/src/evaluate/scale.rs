//! Scores of another scale: what a search gives of its own (BM25, logits, percents, cosines) says by its order alone which of
//! two texts is more relevant.

use super::given::Given;

/// The highest score of a program's own below which its scale is not 0 to 1.
const LEAST_SCALE: f64 = 0.1;

/// Where at least half of a call's scores lie outside 0 to 1, for each signal its place by the order of all scores, and so where a search's own scores
/// are all below a tenth: 1 for the highest, and evenly less for each lower one, equal scores alike. A few outside are slips, as in the reference's own
/// batches, and count as 0 or 1.
pub(super) fn by_order(signals: &[Given<'_>]) -> Option<Vec<Option<f64>>> {
    let scores = || signals.iter().filter_map(|given| given.semantic_score);
    let outside = scores().filter(|score| !(0.0..=1.0).contains(score)).count();
    let others = outside > 0 && outside * 2 >= scores().count();
    // Reciprocal rank fusion: 1 / (60 + rank) for each search that found it.
    let fused = outside == 0
        && scores().all(|score| score < LEAST_SCALE)
        && signals
            .iter()
            .all(|given| given.semantic_score.is_none() || given.foreign_score)
        && scores().next().is_some();
    if !others && !fused {
        return None;
    }
    let mut distinct: Vec<f64> = scores().collect();
    distinct.sort_by(|one, other| other.total_cmp(one));
    distinct.dedup();
    let all = distinct.len().max(1) as f64;
    let place = |score: f64| {
        let before = distinct.partition_point(|known| known.total_cmp(&score).is_gt());
        1.0 - before as f64 / all
    };
    Some(
        signals
            .iter()
            .map(|given| given.semantic_score.map(place))
            .collect(),
    )
}

/// What is said of it once.
pub(super) fn note(signals: &[Given<'_>]) -> String {
    let scores = signals.iter().filter_map(|given| given.semantic_score);
    let (least, most) = scores.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), score| {
        (least.min(score), most.max(score))
    });
    format!(
        "The semantic_score of these signals is not from 0 to 1 (it is from {least} to {most}): they are ranked by the order \
         of their scores, none leads, and none is too low."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(scores: &[f64]) -> Option<Vec<Option<f64>>> {
        let given = |score: &f64| Given {
            semantic_score: Some(*score),
            ..Given::default()
        };
        by_order(&scores.iter().map(given).collect::<Vec<_>>())
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
        assert!(by_order(&given(true)).is_some());
        assert_eq!(by_order(&given(false)), None);
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
