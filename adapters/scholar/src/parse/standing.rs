//! Signs that a work does not stand any more, or stands with a reservation.

use freshcontext_contract::StandingEvidence;
use freshcontext_contract::StandingState::{
    self as State, Concern, Corrected, Retracted, Superseded, Withdrawn,
};
use freshcontext_contract::chrono::NaiveDate;
use freshcontext_contract::standing::Replacement;
use freshcontext_parse::json::{Lenient, or_absent};
use serde::Deserialize;

/// An entry of Crossref's `updated-by` (a notice about the work) or `update-to` (the work that this one is a notice about).
#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
pub(super) struct Update {
    #[serde(rename = "DOI")]
    doi: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    source: Option<String>,
    updated: Option<Moment>,
}

impl Update {
    /// Its type in one spelling: `expression_of_concern`.
    fn kind(&self) -> Option<String> {
        let kind = self.kind.as_deref()?.trim().to_ascii_lowercase();
        Some(kind.replace(['-', ' '], "_"))
    }

    /// The DOI. Retraction Watch writes `unavailable` where a notice has none.
    fn doi(&self) -> Option<&str> {
        self.doi
            .as_deref()
            .map(str::trim)
            .filter(|doi| doi.starts_with("10."))
    }

    fn day(&self) -> Option<NaiveDate> {
        self.updated.as_ref()?.day()
    }

    fn source(&self) -> Option<&str> {
        self.source
            .as_deref()
            .map(str::trim)
            .filter(|source| !source.is_empty())
    }
}

/// A moment as Crossref writes it.
#[serde_with::apply(Option => #[serde(default, deserialize_with = "or_absent")])]
#[derive(Deserialize)]
pub(super) struct Moment {
    #[serde(rename = "date-parts")]
    parts: Option<Vec<Vec<Option<i32>>>>,
    #[serde(rename = "date-time")]
    written: Option<String>,
}

impl Moment {
    /// Its day; `None` where it is known less exactly.
    fn day(&self) -> Option<NaiveDate> {
        let parts = self
            .parts
            .as_ref()
            .and_then(|parts| match parts.first()?.as_slice() {
                [Some(year), Some(month), Some(day)] => {
                    NaiveDate::from_ymd_opt(*year, u32::try_from(*month).ok()?, u32::try_from(*day).ok()?)
                }
                _ => None,
            });
        parts.or_else(|| self.written.as_deref()?.get(..10)?.parse().ok())
    }
}

/// Who reports notices of which publishers deposit nothing
/// (<https://www.crossref.org/documentation/retrieve-metadata/retraction-watch/>).
const RETRACTION_WATCH: &str = "retraction-watch";
/// Retraction Watch's word for a work whose retraction was taken back.
const REINSTATEMENT: &str = "reinstatement";

/// What a type of update says of the work that it updates
/// (<https://www.crossref.org/documentation/register-maintain-records/maintaining-your-metadata/registering-updates/>).
fn state_of(kind: &str) -> Option<State> {
    Some(match kind {
        "retraction" => Retracted,
        "withdrawal" => Withdrawn,
        "removal" => State::Removed,
        "partial_retraction" | "expression_of_concern" => Concern,
        "correction" | "corrigendum" | "erratum" | "addendum" | "clarification" => Corrected,
        "new_version" | "new_edition" => Superseded,
        _ => return None,
    })
}

/// What Crossref says of one work.
pub(super) struct Crossref<'w> {
    /// Its own DOI.
    pub doi: &'w str,
    /// Its title, as a line.
    pub title: &'w str,
    /// When it was registered.
    pub created: Option<&'w Moment>,
    /// The notices about it.
    pub updated_by: Option<&'w Lenient<Update>>,
    /// The works that it is a notice about; of itself no sign.
    pub update_to: Option<&'w Lenient<Update>>,
}

impl Crossref<'_> {
    /// The signs, Retraction Watch's first: it gives the day of the notice, a publisher at times that of the deposit.
    /// Of one reporter's notices the earliest comes first: since then its state holds.
    pub(super) fn signs(&self) -> Vec<StandingEvidence> {
        let updates = self
            .updated_by
            .map(|list| list.items.as_slice())
            .unwrap_or_default();
        let mut notices: Vec<(usize, State, &Update)> = updates
            .iter()
            .enumerate()
            .filter_map(|(at, update)| Some((at, state_of(&update.kind()?)?, update)))
            .filter(|(_, state, update)| self.counts(*state, update))
            .filter(|(_, state, update)| !is_taken_back(*state, update.day(), updates))
            .collect();
        notices.sort_by_key(|(_, _, update)| {
            let day = update.day();
            (update.source() != Some(RETRACTION_WATCH), day.is_none(), day)
        });
        let newest = notices
            .iter()
            .filter(|(_, state, _)| *state == Superseded)
            .max_by_key(|(_, _, update)| update.day())
            .map(|(at, ..)| *at);
        let mut signs: Vec<StandingEvidence> = notices
            .iter()
            .map(|(at, state, update)| sign(*at, *state, update, newest == Some(*at)))
            .collect();
        signs.extend(title_mark(self.title).filter(|mark| !is_taken_back(mark.state, None, updates)));
        signs
    }

    /// Whether an entry of `updated-by` is a notice about this work.
    fn counts(&self, state: State, update: &Update) -> bool {
        // No work takes its own place, and a place is taken by a work that is named.
        if state == Superseded && update.doi().is_none_or(|doi| doi.eq_ignore_ascii_case(self.doi)) {
            return false;
        }
        if update.source() == Some(RETRACTION_WATCH) {
            return true;
        }
        // Publishers deposit updates the wrong way round: the Lancet's notice of 2020-06-05 is "updated by" the paper that it
        // retracts, on that paper's day (10.1016/s0140-6736(20)31324-6). Two works that update each other are told apart by
        // time alone: a notice about a work is younger than the work. Where a day is missing, they are not.
        let targets = self
            .update_to
            .map(|list| list.items.as_slice())
            .unwrap_or_default();
        let is_mutual = update.doi().is_some_and(|doi| {
            targets.iter().any(|target| {
                target
                    .doi()
                    .is_some_and(|target| target.eq_ignore_ascii_case(doi))
            })
        });
        let follows = update
            .day()
            .zip(self.created.and_then(Moment::day))
            .is_some_and(|(updated, created)| updated > created);
        !is_mutual || follows
    }
}

/// Whether a reinstatement of that day or later took it back. One of which a day is not known took it back, too: it
/// follows what it reinstates.
fn is_taken_back(state: State, day: Option<NaiveDate>, updates: &[Update]) -> bool {
    matches!(state, Retracted | Withdrawn | State::Removed | Concern)
        && updates
            .iter()
            .filter(|update| update.kind().as_deref() == Some(REINSTATEMENT))
            .any(|back| back.day().zip(day).is_none_or(|(back, day)| day <= back))
}

fn sign(at: usize, state: State, update: &Update, is_newest: bool) -> StandingEvidence {
    let kind = update.kind.as_deref().unwrap_or_default();
    let mut sign = StandingEvidence::field(state, format!("updated-by[{at}].type"), kind).since(update.day());
    if let Some(source) = update.source() {
        sign = sign.by(source.to_owned());
    }
    let page = update.doi().map(|doi| format!("https://doi.org/{doi}"));
    if state != Superseded {
        return sign.notice(page);
    }
    // Of several later versions the newest takes its place.
    let replacement = update.doi().filter(|_| is_newest).map(|doi| Replacement {
        url: page,
        ..Replacement::id(doi)
    });
    sign.replaced_by(replacement)
}

/// Marks that publishers put before the title of a work, in capitals. `Retraction:` and `Retracted:` are titles of notices, too.
const MARKS: [(&str, State); 3] = [
    ("RETRACTED:", Retracted),
    ("RETRACTED ARTICLE:", Retracted),
    ("WITHDRAWN:", Withdrawn),
];

/// The sign of a title that begins with a publisher's mark.
pub(super) fn title_mark(title: &str) -> Option<StandingEvidence> {
    let (mark, state) = MARKS.into_iter().find(|(mark, _)| title.starts_with(mark))?;
    Some(StandingEvidence::mark(state, "title", mark))
}

#[cfg(test)]
mod tests {
    use super::super::{crossref, openalex};
    use super::*;
    use freshcontext_contract::DateValue;
    use freshcontext_contract::standing::Basis;
    use serde_json::{Value, json};

    fn moment(day: &str) -> Value {
        let parts: Vec<i32> = day.split('-').map(|part| part.parse().unwrap()).collect();
        json!({"date-parts": [parts], "date-time": format!("{day}T00:00:00Z")})
    }

    fn update(doi: &str, kind: &str, source: &str, day: &str) -> Value {
        json!({"DOI": doi, "type": kind, "label": kind, "source": source, "updated": moment(day)})
    }

    fn signs(work: impl std::borrow::Borrow<Value>) -> Vec<StandingEvidence> {
        let mut whole = json!({"DOI": "10.5555/Own", "title": ["A study"], "created": moment("2020-05-22")});
        whole
            .as_object_mut()
            .unwrap()
            .extend(work.borrow().as_object().unwrap().clone());
        let body = json!({"message": {"items": [whole], "total-results": 1}}).to_string();
        crossref(&body).unwrap().items.remove(0).standing
    }

    fn day(day: &str) -> DateValue {
        day.parse::<NaiveDate>().unwrap().into()
    }

    fn brief(signs: &[StandingEvidence]) -> Vec<(&'static str, &str)> {
        signs
            .iter()
            .map(|sign| (sign.state.as_str(), sign.field.as_ref()))
            .collect()
    }

    #[test]
    fn every_documented_type_has_its_state() {
        for (kind, state) in [
            ("retraction", "retracted"),
            ("Retraction", "retracted"),
            ("withdrawal", "withdrawn"),
            ("removal", "removed"),
            ("partial_retraction", "concern"),
            ("expression_of_concern", "concern"),
            ("expression of concern", "concern"),
            ("correction", "corrected"),
            ("corrigendum", "corrected"),
            ("erratum", "corrected"),
            ("addendum", "corrected"),
            ("clarification", "corrected"),
            ("new_version", "superseded"),
            ("new_edition", "superseded"),
        ] {
            let signs = signs(json!({"updated-by": [update("10.5555/n", kind, "publisher", "2020-06-05")]}));
            assert_eq!(brief(&signs), [(state, "updated-by[0].type")], "{kind}");
            assert_eq!(
                (signs[0].since.clone(), signs[0].by.as_deref()),
                (Some(day("2020-06-05")), Some("publisher"))
            );
            let page = Some("https://doi.org/10.5555/n".to_owned());
            if state == "superseded" {
                let by = signs[0].replaced_by.clone().unwrap();
                assert_eq!((by.id.as_deref(), by.url), (Some("10.5555/n"), page));
            } else {
                assert_eq!((&signs[0].notice, &signs[0].replaced_by), (&page, &None));
            }
        }
        for other in ["", "comment", "new_interpretation"] {
            let list = json!({"updated-by": [update("10.5555/n", other, "publisher", "2020-06-05")]});
            assert!(signs(list).is_empty(), "{other}");
        }
    }

    #[test]
    fn retraction_watch_dates_before_the_publisher_does() {
        let signs = signs(json!({"updated-by": [
            update("10.5555/a", "retraction", "publisher", "2020-06-01"),
            update("10.5555/n", "retraction", "retraction-watch", "2020-06-05"),
            update("10.5555/m", "retraction", "retraction-watch", "2020-06-07"),
            update("unavailable", "erratum", "retraction-watch", "2020-05-30"),
        ]}));
        assert_eq!(
            brief(&signs),
            [
                ("corrected", "updated-by[3].type"),
                ("retracted", "updated-by[1].type"),
                ("retracted", "updated-by[2].type"),
                ("retracted", "updated-by[0].type"),
            ]
        );
        assert_eq!(
            (&signs[0].notice, signs[1].since.clone()),
            (&None, Some(day("2020-06-05")))
        );
    }

    #[test]
    fn a_deposit_the_wrong_way_round_is_no_sign() {
        let mutual = |source: &str, updated: &str| {
            json!({"updated-by": [update("10.5555/PAPER", "retraction", source, updated)],
                "update-to": [update("10.5555/paper", "retraction", "publisher", "2020-06-05")]})
        };
        for day in ["2020-05-01", "2020-05-22"] {
            assert!(signs(mutual("publisher", day)).is_empty(), "{day}");
        }
        assert_eq!(signs(mutual("publisher", "2020-05-23")).len(), 1);
        assert_eq!(signs(mutual("retraction-watch", "2020-05-01")).len(), 1);
        // Without a day of its own nothing tells the two apart.
        // A new version is "updated by" its old one in the same way.
        let version = json!({"updated-by": [update("10.5555/v1", "new_version", "publisher", "2020-05-22")],
            "update-to": [update("10.5555/v1", "new_version", "publisher", "2020-05-22")]});
        assert!(signs(version).is_empty());
        let mut undated = mutual("publisher", "2020-05-23");
        undated["created"] = json!(null);
        assert!(signs(undated).is_empty());
        let mut unnamed = mutual("publisher", "2020-05-23");
        unnamed["updated-by"][0]["updated"] = json!({"date-parts": [[2020]]});
        assert!(signs(unnamed).is_empty());
        // A work that is a notice of nothing has only notices about it, whenever they were deposited.
        let alone = json!({"updated-by": [update("10.5555/n", "retraction", "publisher", "2020-05-22")]});
        assert_eq!(signs(alone).len(), 1);
    }

    #[test]
    fn a_reinstatement_takes_back_what_was_before_it() {
        let list = |retracted: &str| {
            json!({"title": ["RETRACTED: A study"], "updated-by": [
                update("10.5555/n", "retraction", "retraction-watch", retracted),
                update("10.5555/r", "Reinstatement", "retraction-watch", "2021-01-01"),
                update("10.5555/e", "erratum", "publisher", "2020-07-01"),
            ]})
        };
        assert_eq!(
            brief(&signs(list("2020-06-05"))),
            [("corrected", "updated-by[2].type")]
        );
        assert_eq!(
            brief(&signs(list("2022-06-05"))),
            [
                ("retracted", "updated-by[0].type"),
                ("corrected", "updated-by[2].type")
            ]
        );
    }

    #[test]
    fn the_newest_of_several_versions_takes_a_works_place() {
        let signs = signs(json!({"updated-by": [
            update("10.5555/v3", "new_version", "publisher", "2022-01-01"),
            update("10.5555/v2", "new_version", "publisher", "2021-01-01"),
            update("10.5555/OWN", "new_version", "publisher", "2023-01-01"),
        ]}));
        assert_eq!(signs.len(), 2);
        assert_eq!(
            (signs[0].since.clone(), &signs[0].replaced_by),
            (Some(day("2021-01-01")), &None)
        );
        let by = signs[1].replaced_by.as_ref().and_then(|by| by.id.as_deref());
        assert_eq!(by, Some("10.5555/v3"));
    }

    #[test]
    fn what_is_no_sign_gives_none() {
        let about = update("10.5555/paper", "retraction", "publisher", "2020-06-05");
        for work in [
            json!({"update-to": [about]}),
            json!({"update-policy": "https://doi.org/10.5555/policy"}),
            json!({"relation": {"is-preprint-of": [{"id": "10.5555/p", "id-type": "doi"}],
                "is-version-of": [{"id": "10.5555/v2", "id-type": "doi"}]}}),
            json!({"title": ["Retraction: A study"]}),
            json!({"title": ["Retraction Note: A study"]}),
            json!({"title": ["Expression of Concern: A study"]}),
            json!({"title": ["Retracted: A study"]}),
            json!({"title": ["Retracted science and the retraction index"]}),
            json!({"title": ["Withdrawn: a survey of drop-outs"]}),
        ] {
            assert!(signs(&work).is_empty(), "{work}");
        }
    }

    #[test]
    fn publishers_mark_titles_in_capitals() {
        for (title, state) in [
            ("RETRACTED: A study", "retracted"),
            ("RETRACTED ARTICLE: A study", "retracted"),
            ("<b>WITHDRAWN</b>: A study", "withdrawn"),
        ] {
            let signs = signs(json!({"title": [title]}));
            assert_eq!(brief(&signs), [(state, "title")], "{title}");
            assert_eq!(signs[0].basis, Basis::Mark);
        }
    }

    #[test]
    fn without_its_field_there_is_no_state_and_no_failure() {
        let whole = json!({"updated-by": [update("10.5555/n", "retraction", "publisher", "2020-06-05")]});
        for (pointer, name) in [("", "updated-by"), ("/updated-by/0", "type")] {
            for other in [
                None,
                Some(json!(null)),
                Some(json!(7)),
                Some(json!("x")),
                Some(json!({})),
            ] {
                let mut altered = whole.clone();
                let object = altered.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
                let was = object.remove(name).unwrap();
                object.insert(format!("{name}-of-old"), was);
                object.extend(other.map(|other| (name.to_owned(), other)));
                assert!(signs(&altered).is_empty(), "{altered}");
            }
        }
        // Without the rest of it the sign stays, and says less.
        for name in ["DOI", "source", "updated", "label"] {
            let mut altered = whole.clone();
            altered["updated-by"][0].as_object_mut().unwrap().remove(name);
            let signs = signs(altered);
            assert_eq!(signs.len(), 1, "{name}");
            let said = (
                signs[0].notice.is_some(),
                signs[0].by.is_some(),
                signs[0].since.is_some(),
            );
            assert_eq!(said, (name != "DOI", name != "source", name != "updated"));
        }
    }

    #[test]
    fn openalex_flags_works_and_not_their_notices() {
        let flagged = |flag: Value, kind: &str| {
            let body = json!({"results": [{"id": "https://openalex.org/W1", "title": "A study",
                "type": kind, "is_retracted": flag}]});
            openalex(&body.to_string()).unwrap().items.remove(0).standing
        };
        let signs = flagged(json!(true), "article");
        assert_eq!(brief(&signs), [("retracted", "is_retracted")]);
        assert_eq!((&signs[0].since, signs[0].basis), (&None, Basis::Mark));
        for (flag, kind) in [
            (json!(false), "article"),
            (json!(null), "article"),
            (json!("yes"), "article"),
            (json!(false), "retraction"),
            (json!(true), "retraction"),
            (json!(true), "erratum"),
        ] {
            assert!(flagged(flag.clone(), kind).is_empty(), "{flag} {kind}");
        }
    }
}
