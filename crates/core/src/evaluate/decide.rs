//! The seven rules, and the scores they look at.

use super::profile::{Authority, DatePolicy, Intent, Profile};
use super::signal::Relevance;
use super::verdict::{Confidence, DateConfidence, Decision, SignalStatus};

/// What the rules look at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    /// Whether the retrieval failed.
    pub failed: bool,
    /// How relevant it is, and who says so.
    pub relevance: Relevance,
    /// 0..=100, if known.
    pub freshness: Option<u8>,
    /// 0..=1.
    pub rank: f64,
    /// Confidence by the figures alone.
    pub confidence: Confidence,
    /// Whether the text looks somewhat like a failure, though not surely.
    pub doubtful: bool,
    /// How reliable the date is.
    pub date: DateConfidence,
    /// Whether it must be fetched again before it is used.
    pub refetch: bool,
}

impl Facts {
    /// The confidence that is reported: one step lower where the text is doubtful; never high where the date is
    /// an estimate, or the relevance is by words alone.
    pub(super) fn reported_confidence(&self) -> Confidence {
        let confidence = if self.doubtful {
            self.confidence.lowered()
        } else {
            self.confidence
        };
        let unsure = self.date == DateConfidence::Low || !matches!(self.relevance, Relevance::Given(_));
        if unsure {
            confidence.min(Confidence::Medium)
        } else {
            confidence
        }
    }
}

/// What to do with a signal.
pub(super) fn decide(facts: &Facts, profile: &Profile, intent: &Intent) -> Decision {
    let decision = match facts.relevance {
        Relevance::Given(_) => by_rules(facts, profile, intent),
        // Words that are shared say little of what a text says, and an order nothing of how relevant the first is.
        Relevance::Query(_) | Relevance::Order(_) => match by_rules(facts, profile, intent) {
            usable if usable.can_be_handed_off() => Decision::UseAsBackground,
            other => other,
        },
        Relevance::NotJudged | Relevance::OtherScript => by_age(facts, profile),
    };
    if facts.refetch && decision.can_be_handed_off() {
        return Decision::NeedsRefresh;
    }
    decision
}

/// Without a given relevance, the age decides.
fn by_age(facts: &Facts, profile: &Profile) -> Decision {
    let current = facts.freshness.is_some_and(|score| score >= 50);
    if facts.failed {
        Decision::Exclude
    } else if facts.date == DateConfidence::Unknown {
        Decision::NeedsVerification
    } else if current {
        Decision::UseAsBackground
    } else if profile.date_policy == DatePolicy::Strict {
        Decision::NeedsRefresh
    } else {
        Decision::WatchOnly
    }
}

/// The first rule that holds decides.
fn by_rules(facts: &Facts, profile: &Profile, intent: &Intent) -> Decision {
    let Facts { freshness, rank, .. } = *facts;
    let behind = if intent.cites {
        Decision::CiteAsSupporting
    } else {
        Decision::UseAsBackground
    };
    if facts.failed {
        return Decision::Exclude;
    }
    if profile.needs_current && freshness.is_none_or(|score| score < 50) {
        return Decision::NeedsRefresh;
    }
    if facts.date == DateConfidence::Unknown {
        // Without an age the rank is at most 0.7, so the reference's exception for close matches of academic research, from
        // 0.75, never holds.
        return Decision::NeedsVerification;
    }
    let fresh = |least: u8| freshness.is_some_and(|score| score >= least);
    let sure = !facts.doubtful && facts.confidence == Confidence::High;
    if rank >= 0.85 && fresh(70) && sure {
        let primary = profile.authority == Authority::High && intent.cites;
        return if facts.date == DateConfidence::Low {
            behind
        } else if primary {
            Decision::CiteAsPrimary
        } else {
            Decision::UseFirst
        };
    }
    if rank >= 0.55 && !fresh(50) {
        return behind;
    }
    if rank < 0.35 {
        // A doubtful text alone never leads to exclusion, so the figures decide here.
        return if facts.confidence == Confidence::Low {
            Decision::Exclude
        } else {
            Decision::WatchOnly
        };
    }
    if rank >= 0.55 {
        Decision::UseAsBackground
    } else {
        Decision::WatchOnly
    }
}

/// What decides the order, 0..=1. An unknown freshness counts as none at all.
pub(super) fn rank_score(relevance: Relevance, freshness: Option<u8>, date: DateConfidence) -> f64 {
    let freshness = f64::from(freshness.unwrap_or(0)) / 100.0;
    match relevance.score() {
        Some(semantic) => semantic * 0.7 + freshness * 0.3,
        None => freshness * reliability(date),
    }
    .clamp(0.0, 1.0)
}

/// What decides which signals go in first where there is no room for all, 0..=1: relevance, then freshness with the
/// weight of the profile's date policy. `relevance` is that within the call; none where no signal's is judged. An
/// unknown freshness counts as none at all.
pub(super) fn selection_rank(relevance: Option<f64>, freshness: Option<u8>, policy: DatePolicy) -> f64 {
    let freshness = f64::from(freshness.unwrap_or(0)) / 100.0;
    let weight = policy.freshness_weight();
    relevance
        .map_or(freshness, |relevance| {
            relevance * (1.0 - weight) + freshness * weight
        })
        .clamp(0.0, 1.0)
}

/// How sure the figures make the judgement.
pub(super) fn confidence(failed: bool, relevance: Relevance, freshness: Option<u8>) -> Confidence {
    let semantic = relevance.score().unwrap_or(0.0);
    if failed {
        Confidence::Low
    } else if freshness.is_some() && semantic >= 0.7 {
        Confidence::High
    } else if freshness.is_some() || semantic >= 0.5 {
        Confidence::Medium
    } else {
        Confidence::Low
    }
}

/// How far a date can be relied on, as a factor.
const fn reliability(date: DateConfidence) -> f64 {
    match date {
        DateConfidence::High => 1.0,
        DateConfidence::Medium => 0.75,
        DateConfidence::Low => 0.4,
        DateConfidence::Unknown => 0.0,
    }
}

/// Overall usefulness of the signal, 0..=100. `remaining` is the unrounded freshness, 0..=100,
/// regardless of the date's confidence. `None` without a given relevance.
pub(super) fn utility_score(
    relevance: Relevance,
    remaining: f64,
    date: DateConfidence,
    status: SignalStatus,
) -> Option<f64> {
    let status = match status {
        SignalStatus::Success => 1.0,
        SignalStatus::Partial => 0.65,
        SignalStatus::Stale => 0.4,
        SignalStatus::Failed => 0.0,
        SignalStatus::Unknown => 0.5,
    };
    let semantic = relevance.score()?;
    Some((semantic * remaining * reliability(date) * status).clamp(0.0, 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(rank: f64, freshness: Option<u8>) -> Facts {
        let date = if freshness.is_some() {
            DateConfidence::High
        } else {
            DateConfidence::Unknown
        };
        Facts {
            failed: false,
            relevance: Relevance::Given(rank),
            freshness,
            rank,
            confidence: Confidence::High,
            doubtful: false,
            date,
            refetch: false,
        }
    }

    fn found(facts: &Facts, profile: &str, intent: &str) -> Decision {
        decide(
            facts,
            Profile::find(profile).unwrap(),
            Intent::find(intent).unwrap(),
        )
    }

    #[test]
    fn each_rule_decides_at_its_edge() {
        let docs = |rank, fresh| found(&facts(rank, fresh), "official_docs", "developer_adoption");
        let cite = |rank, fresh| found(&facts(rank, fresh), "official_docs", "citation_check");
        assert_eq!(docs(0.85, Some(70)), Decision::UseFirst);
        assert_eq!(cite(0.85, Some(70)), Decision::CiteAsPrimary);
        assert_eq!(docs(0.85, Some(69)), Decision::UseAsBackground);
        assert_eq!(docs(0.849, Some(70)), Decision::UseAsBackground);
        assert_eq!(cite(0.55, Some(49)), Decision::CiteAsSupporting);
        assert_eq!(docs(0.55, Some(49)), Decision::UseAsBackground);
        assert_eq!(cite(0.55, Some(50)), Decision::UseAsBackground);
        assert_eq!(docs(0.549, Some(50)), Decision::WatchOnly);
        assert_eq!(docs(0.349, Some(50)), Decision::WatchOnly);
        assert_eq!(docs(0.9, None), Decision::NeedsVerification);
        assert_eq!(
            found(&facts(0.9, Some(80)), "company_intel", "citation_check"),
            Decision::UseFirst,
            "medium authority is never primary"
        );
    }

    #[test]
    fn profiles_with_rules_of_their_own() {
        for profile in ["market_finance", "jobs_opportunities"] {
            assert_eq!(
                found(&facts(0.9, None), profile, "job_search"),
                Decision::NeedsRefresh
            );
            assert_eq!(
                found(&facts(0.9, Some(49)), profile, "job_search"),
                Decision::NeedsRefresh
            );
            assert_eq!(
                found(&facts(0.6, Some(50)), profile, "job_search"),
                Decision::UseAsBackground
            );
        }
        assert_eq!(
            found(&facts(0.7, None), "academic_research", "citation_check"),
            Decision::NeedsVerification
        );
    }

    #[test]
    fn failures_are_excluded_first_and_doubt_excludes_nothing() {
        let failed = Facts {
            failed: true,
            ..facts(0.99, Some(100))
        };
        assert_eq!(
            found(&failed, "market_finance", "citation_check"),
            Decision::Exclude
        );
        let doubtful = Facts {
            doubtful: true,
            ..facts(0.99, Some(100))
        };
        assert_eq!(doubtful.reported_confidence(), Confidence::Medium);
        assert_eq!(
            found(&doubtful, "official_docs", "citation_check"),
            Decision::UseAsBackground
        );
        let weak = Facts {
            doubtful: true,
            confidence: Confidence::Medium,
            ..facts(0.2, Some(60))
        };
        assert_eq!(weak.reported_confidence(), Confidence::Low);
        assert_eq!(
            found(&weak, "official_docs", "citation_check"),
            Decision::WatchOnly
        );
        let low = Facts {
            confidence: Confidence::Low,
            ..facts(0.2, Some(60))
        };
        assert_eq!(found(&low, "official_docs", "citation_check"), Decision::Exclude);
    }

    #[test]
    fn estimated_dates_and_old_retrievals_lead_nowhere() {
        let leading = facts(0.95, Some(90));
        let estimated = Facts {
            date: DateConfidence::Low,
            ..leading
        };
        assert_eq!(estimated.reported_confidence(), Confidence::Medium);
        assert_eq!(
            found(&estimated, "official_docs", "citation_check"),
            Decision::CiteAsSupporting
        );
        assert_eq!(
            found(&estimated, "official_docs", "market_watch"),
            Decision::UseAsBackground
        );
        let old = Facts {
            refetch: true,
            ..leading
        };
        for intent in ["citation_check", "market_watch"] {
            assert_eq!(found(&old, "official_docs", intent), Decision::NeedsRefresh);
        }
        let weak = Facts {
            refetch: true,
            ..facts(0.2, Some(60))
        };
        assert_eq!(found(&weak, "official_docs", "market_watch"), Decision::WatchOnly);
    }

    #[test]
    fn without_a_word_on_relevance_age_decides_and_shared_words_lead_to_background_at_most() {
        let by_age = |fresh, profile| {
            let facts = Facts {
                relevance: Relevance::NotJudged,
                ..facts(0.9, fresh)
            };
            assert!(facts.reported_confidence() < Confidence::High);
            found(&facts, profile, "citation_check")
        };
        assert_eq!(by_age(Some(50), "official_docs"), Decision::UseAsBackground);
        assert_eq!(by_age(Some(49), "official_docs"), Decision::WatchOnly);
        assert_eq!(by_age(Some(49), "social_pulse"), Decision::NeedsRefresh);
        assert_eq!(by_age(None, "market_finance"), Decision::NeedsVerification);
        let by_query = Facts {
            relevance: Relevance::Query(1.0),
            ..facts(0.99, Some(99))
        };
        assert_eq!(
            found(&by_query, "official_docs", "citation_check"),
            Decision::UseAsBackground
        );
        assert_eq!(by_query.reported_confidence(), Confidence::Medium);
    }

    #[test]
    fn an_unknown_freshness_counts_as_nothing() {
        let rank = |score, fresh| rank_score(Relevance::Given(score), fresh, DateConfidence::High);
        assert!((rank(0.9, None) - 0.63).abs() < 1e-12);
        assert!((rank(0.9, Some(97)) - 0.921).abs() < 1e-12);
        assert!((rank(1.0, Some(100)) - 1.0).abs() < 1e-12);
        let not_judged = rank_score(Relevance::NotJudged, Some(80), DateConfidence::Medium);
        assert!((not_judged - 0.6).abs() < 1e-12);
    }

    #[test]
    fn confidence_by_the_figures() {
        assert_eq!(
            confidence(true, Relevance::Given(1.0), Some(100)),
            Confidence::Low
        );
        assert_eq!(
            confidence(false, Relevance::Given(0.7), Some(0)),
            Confidence::High
        );
        assert_eq!(
            confidence(false, Relevance::Given(0.69), Some(0)),
            Confidence::Medium
        );
        assert_eq!(confidence(false, Relevance::Given(0.5), None), Confidence::Medium);
        assert_eq!(confidence(false, Relevance::Given(0.49), None), Confidence::Low);
    }
}
