//! What the item numbers of an 8-K mean.

use std::collections::HashSet;

/// The meaning of an item number, current (`2.02`, since 2004-08-23) or older (`5`), told apart by shape.
pub fn meaning(code: &str) -> Option<&'static str> {
    Some(match code {
        "1.01" => "material agreement",
        "1.02" => "material agreement ended",
        "1.03" => "bankruptcy or receivership",
        "1.04" => "mine safety",
        "1.05" => "cybersecurity incident",
        "2.01" => "acquisition or disposal completed",
        "2.02" => "results of operations",
        "2.03" => "new debt obligation",
        "2.04" => "triggering event on a debt",
        "2.05" => "exit or disposal costs",
        "2.06" => "impairment",
        "3.01" => "delisting notice",
        "3.02" => "unregistered share sale",
        "3.03" => "holders' rights changed",
        "4.01" => "auditor changed",
        "4.02" => "past statements not to be relied on",
        "5.01" => "change of control",
        "5.02" => "directors or officers in or out",
        "5.03" => "bylaws or fiscal year changed",
        "5.04" => "trading blackout in benefit plans",
        "5.05" => "ethics code changed or waived",
        "5.06" => "shell status changed",
        "5.07" => "shareholder vote",
        "5.08" => "director nominations",
        "6.01" | "6.02" | "6.03" | "6.04" | "6.05" | "6.06" => "asset-backed securities",
        "7.01" => "Regulation FD disclosure",
        "8.01" => "other events",
        "9.01" => "statements and exhibits",
        "1" => "change of control (old numbering)",
        "2" => "acquisition or disposal (old numbering)",
        "3" => "bankruptcy or receivership (old numbering)",
        "4" => "auditor changed (old numbering)",
        "5" => "other events (old numbering)",
        "6" => "director resignations (old numbering)",
        "7" => "statements and exhibits (old numbering)",
        "8" => "fiscal year changed (old numbering)",
        "9" => "Regulation FD disclosure (old numbering)",
        "10" => "ethics code changed or waived (old numbering)",
        "11" => "trading blackout in benefit plans (old numbering)",
        "12" => "results of operations (old numbering)",
        _ => return None,
    })
}

/// Item numbers with their meaning, in the order given, each once.
pub fn describe<'c>(codes: impl IntoIterator<Item = &'c str>) -> Vec<String> {
    let mut seen: HashSet<&str> = HashSet::new();
    codes
        .into_iter()
        .map(str::trim)
        .filter(|code| !code.is_empty() && seen.insert(*code))
        .map(|code| meaning(code).map_or_else(|| code.to_owned(), |meaning| format!("{code} {meaning}")))
        .collect()
}

/// The words for a title: what happened, without the exhibits that accompany nearly every report.
pub fn headline(items: &[String]) -> Option<String> {
    let telling: Vec<&str> = items
        .iter()
        .filter(|item| !item.starts_with("9.01"))
        .map(|item| item.split_once(' ').map_or(item.as_str(), |(_, words)| words))
        .collect();
    (!telling.is_empty()).then(|| telling.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_numberings_are_told_apart_by_shape() {
        assert_eq!(
            describe("2.02,9.01".split(',')),
            ["2.02 results of operations", "9.01 statements and exhibits"]
        );
        assert_eq!(
            describe(["5", " 7 "]),
            [
                "5 other events (old numbering)",
                "7 statements and exhibits (old numbering)"
            ]
        );
        assert_eq!(describe(["99.99", "", "99.99"]), ["99.99"]);
    }

    #[test]
    fn a_headline_leaves_exhibits_out() {
        assert_eq!(
            headline(&describe(["1.05", "9.01"])).as_deref(),
            Some("cybersecurity incident")
        );
        assert_eq!(headline(&describe(["9.01"])), None);
    }
}
