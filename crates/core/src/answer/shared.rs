//! What the dates of a long list have in common is said once, in the line of the age.

use super::facts::repeated_date;
use super::item::ScoredItem;

/// Items from which a list is long.
const LONG: usize = 10;

/// What all dated items of a long list have in common, in words for the line of the age: `dates inferred (pushed_at)`. The items then
/// leave it out.
pub(super) fn share(items: &mut [ScoredItem]) -> Option<String> {
    if items.len() < LONG {
        return None;
    }
    let mut common: Option<(Option<String>, Option<&'static str>)> = None;
    let mut is_common = true;
    for item in items.iter().filter(|item| item.date.shown.is_some()) {
        let shown = item.date.shown.as_deref();
        let label = repeated_date(&item.fields, shown).map(str::to_owned);
        let own = (label, item.certainty);
        is_common &= common.get_or_insert_with(|| own.clone()) == &own;
    }
    let told = common.filter(|_| is_common).and_then(|common| match common {
        (None, None) => None,
        (Some(label), None) => Some(format!("dates of {label}")),
        (None, Some(certainty)) => Some(plural(certainty)),
        (Some(label), Some(certainty)) => Some(format!("{} ({label})", plural(certainty))),
    });
    for item in items {
        item.is_told = told.is_some();
    }
    told
}

/// `date inferred` of many.
fn plural(certainty: &str) -> String {
    certainty.replacen("date ", "dates ", 1)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use freshcontext_contract::{DateEvidence, Item};

    use super::super::fixture::{now, scored};
    use super::super::{kept::Kept, layout};

    fn listed(count: i64, odd: bool) -> String {
        let items = (0..count)
            .map(|hours| {
                let day = (now() - TimeDelta::hours(hours))
                    .format("%Y-%m-%dT%H:00:00Z")
                    .to_string();
                let name = if odd && hours == 3 {
                    "created_at"
                } else {
                    "pushed_at"
                };
                let mut item = Item::new(
                    format!("Item {hours}"),
                    DateEvidence::signal("pushed_at", day.as_str()),
                );
                item.set(name, day.as_str());
                item
            })
            .collect();
        let answer = scored(items);
        let shown = layout::lay_out(&answer, 20_000);
        layout::envelope(&answer, &shown.content, &Kept::default())
    }

    #[test]
    fn a_long_list_says_once_how_its_dates_are_known() {
        let text = listed(12, false);
        assert_eq!(text.matches("pushed_at").count(), 1, "{text}");
        assert_eq!(text.matches("inferred").count(), 1, "{text}");
        assert!(text.contains("dates inferred (pushed_at)"), "{text}");
        assert_eq!(text.matches("Published: ").count(), 13, "{text}");
        assert!(text.contains("hours ago, age score "), "{text}");
    }

    #[test]
    fn a_short_list_and_a_mixed_one_say_it_of_each() {
        assert_eq!(listed(9, false).matches("date inferred").count(), 9);
        let mixed = listed(12, true);
        assert_eq!(mixed.matches("date inferred").count(), 12, "{mixed}");
        assert_eq!(mixed.matches("pushed_at").count(), 11, "{mixed}");
    }
}
