//! The seven rules, and the scores they look at.

use super::profile::{Authority, Intent, Profile};
use super::verdict::{Confidence, DateConfidence, Decision, SignalStatus};

/// What the rules look at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    /// Whether the retrieval failed.
    pub failed: bool,
    /// 0..=100, where it is known.
    pub freshness: Option<u8>,
    /// 0..=1.
    pub rank: f64,
    /// Confidence by the figures alone.
    pub confidence: Confidence,
    /// Whether the text looks somewhat like a failure, though not surely.
    pub doubtful: bool,
    /// How reliable the date is.
    pub date: DateConfidence,
}

impl Facts {
    /// The confidence that is reported: one step lower where the text is doubtful.
    pub(super) fn reported_confidence(&self) -> Confidence {
        if self.doubtful {
            self.confidence.lowered()
        } else {
            self.confidence
        }
    }
}

/// The first rule that holds decides.
pub(super) fn decide(facts: &Facts, profile: &Profile, intent: &Intent) -> Decision {
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
        return if profile.cites_undated && rank >= 0.75 {
            behind
        } else {
            Decision::NeedsVerification
        };
    }
    let fresh = |least: u8| freshness.is_some_and(|score| score >= least);
    if rank >= 0.85 && fresh(70) && facts.reported_confidence() == Confidence::High {
        let primary = profile.authority == Authority::High && intent.cites;
        return if primary {
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
pub(super) fn rank_score(semantic: f64, freshness: Option<u8>) -> f64 {
    let freshness = f64::from(freshness.unwrap_or(0)) / 100.0;
    (semantic * 0.7 + freshness * 0.3).clamp(0.0, 1.0)
}

/// How sure the figures make the judgement.
pub(super) fn confidence(failed: bool, semantic: f64, freshness: Option<u8>) -> Confidence {
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

/// How useful the signal is all in all, 0..=100. `remaining` is the unrounded freshness, 0..=100,
/// whatever the confidence in its date.
pub(super) fn utility_score(
    semantic: f64,
    remaining: f64,
    date: DateConfidence,
    status: SignalStatus,
) -> f64 {
    let date = match date {
        DateConfidence::High => 1.0,
        DateConfidence::Medium => 0.75,
        DateConfidence::Low => 0.4,
        DateConfidence::Unknown => 0.0,
    };
    let status = match status {
        SignalStatus::Success => 1.0,
        SignalStatus::Partial => 0.65,
        SignalStatus::Stale => 0.4,
        SignalStatus::Failed => 0.0,
        SignalStatus::Unknown => 0.5,
    };
    (semantic * remaining * date * status).clamp(0.0, 100.0)
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
            freshness,
            rank,
            confidence: Confidence::High,
            doubtful: false,
            date,
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
        let undated = facts(0.75, None);
        assert_eq!(
            found(&undated, "academic_research", "citation_check"),
            Decision::CiteAsSupporting
        );
        assert_eq!(
            found(&undated, "academic_research", "market_watch"),
            Decision::UseAsBackground
        );
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
    fn an_unknown_freshness_counts_as_nothing() {
        assert!((rank_score(0.9, None) - 0.63).abs() < 1e-12);
        assert!((rank_score(0.9, Some(97)) - 0.921).abs() < 1e-12);
        assert!((rank_score(1.0, Some(100)) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn confidence_by_the_figures() {
        assert_eq!(confidence(true, 1.0, Some(100)), Confidence::Low);
        assert_eq!(confidence(false, 0.7, Some(0)), Confidence::High);
        assert_eq!(confidence(false, 0.69, Some(0)), Confidence::Medium);
        assert_eq!(confidence(false, 0.5, None), Confidence::Medium);
        assert_eq!(confidence(false, 0.49, None), Confidence::Low);
    }
}
