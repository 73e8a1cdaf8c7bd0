//! The year in Scholar's line of authors, venue and publisher.

use freshcontext_parse::text::digits;

/// That line, taken apart.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Line {
    /// Names as shown.
    pub authors: Vec<String>,
    /// Whether Scholar cut the list of names.
    pub authors_cut: bool,
    /// Journal, series or the like, without the year.
    pub venue: Option<String>,
    /// Publisher or host.
    pub publisher: Option<String>,
    /// Year of the version that Scholar chose.
    pub year: Option<i32>,
}

/// Reads `authors - venue, year - publisher` and its shorter forms. The text must be on one line with
/// ordinary spaces.
pub fn read(line: &str, this_year: i32) -> Line {
    let parts: Vec<&str> = line.split(" - ").map(str::trim).collect();
    let mut out = Line::default();
    let Some((authors, rest)) = parts.split_first() else {
        return out;
    };
    let cut = authors.trim_end_matches('…').trim_end();
    out.authors_cut = cut.len() < authors.len();
    out.authors = cut
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    // The publisher stands last, but only where something stands before it.
    let (middle, last) = match rest.split_last() {
        Some((last, middle)) if !middle.is_empty() => (middle, Some(*last)),
        _ => (rest, None),
    };
    let mut venue: Vec<String> = middle.iter().map(|part| (*part).to_owned()).collect();
    for part in venue.iter_mut().rev() {
        if let Some((before, year)) = split_year(part, this_year) {
            out.year = Some(year);
            *part = before;
            break;
        }
    }
    match last {
        Some(last) if out.year.is_none() => match split_year(last, this_year) {
            Some((before, year)) => {
                out.year = Some(year);
                venue.push(before);
            }
            None => out.publisher = some(last),
        },
        Some(last) => out.publisher = some(last),
        // A single part without a year is a host, not a journal.
        None if out.year.is_none() => out.publisher = venue.pop().as_deref().and_then(some),
        None => {}
    }
    venue.retain(|part| !part.is_empty());
    out.venue = some(&venue.join(" - "));
    out
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// A part that is a year, or in which a year follows the last comma that a year follows. Numbers
/// elsewhere are volumes, arXiv numbers and names of conferences.
fn split_year(part: &str, this_year: i32) -> Option<(String, i32)> {
    if let Some(year) = year_at_start(part, this_year)
        && part.len() == 4
    {
        return Some((String::new(), year));
    }
    part.rmatch_indices(", ").find_map(|(at, _)| {
        let year = year_at_start(part.get(at + 2..)?, this_year)?;
        let before = part.get(..at)?.trim_end_matches([',', ' ']);
        Some((before.to_owned(), year))
    })
}

fn year_at_start(text: &str, this_year: i32) -> Option<i32> {
    if text.chars().nth(4).is_some_and(char::is_alphanumeric) {
        return None;
    }
    digits(text.get(..4)?, 4..=4).filter(|year| (1700..=this_year + 1).contains(year))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn year(line: &str) -> Option<i32> {
        read(line, 2026).year
    }

    #[test]
    fn all_recorded_forms_are_read() {
        let full = read(
            "J Devlin, MW Chang… - arXiv preprint arXiv:1810.04805, 2018 - arxiv.org",
            2026,
        );
        assert_eq!(full.authors, ["J Devlin", "MW Chang"]);
        assert!(full.authors_cut);
        assert_eq!(full.venue.as_deref(), Some("arXiv preprint arXiv:1810.04805"));
        assert_eq!(
            (full.publisher.as_deref(), full.year),
            (Some("arxiv.org"), Some(2018))
        );
        let bare = read("A One - 1996 - cds.cern.ch", 2026);
        assert_eq!(
            (bare.venue, bare.publisher.as_deref(), bare.year),
            (None, Some("cds.cern.ch"), Some(1996))
        );
        let citation = read("AC Courville, P Vincent - CoRR, abs/1206.5538, 2012", 2026);
        assert_eq!(
            (citation.venue.as_deref(), citation.publisher, citation.year),
            (Some("CoRR, abs/1206.5538"), None, Some(2012))
        );
        let no_publisher = read("A One - A venue of long name…, 1996", 2026);
        assert_eq!(
            (no_publisher.venue.as_deref(), no_publisher.year),
            (Some("A venue of long name…"), Some(1996))
        );
        let host = read("A One - example.org", 2026);
        assert_eq!(
            (host.venue, host.publisher.as_deref(), host.year),
            (None, Some("example.org"), None)
        );
    }

    #[test]
    fn numbers_that_are_no_years_are_passed_over() {
        assert_eq!(
            year("A - arXiv preprint arXiv:1907.11692, 2019 - arxiv.org"),
            Some(2019)
        );
        assert_eq!(year("A - Advances in 2005.14165, 2020 - x.org"), Some(2020));
        assert_eq!(
            year("A - Proceedings of the 2001 conference, 2015 - ieee"),
            Some(2015)
        );
        assert_eq!(year("A - Proceedings of the 2001 conference - ieee"), None);
        assert_eq!(year("A - Journal 1999 (4), pages 12 - x"), None);
        assert_eq!(year("A - J, 2028 - x"), None, "after next year");
        assert_eq!(year("A - J, 2027 - x"), Some(2027));
        assert_eq!(year("A - J, 1699 - x"), None);
        assert_eq!(year("A - Nature - Reviews, 2011 - nature.com"), Some(2011));
        assert_eq!(year(""), None);
    }

    proptest! {
        #[test]
        fn any_line_is_survived(line in "\\PC{0,80}") {
            let _ = read(&line, 2026);
        }

        #[test]
        fn a_year_is_never_out_of_range(line in "[a-z ,0-9-]{0,60}") {
            if let Some(year) = year(&line) {
                prop_assert!((1700..=2027).contains(&year));
            }
        }
    }
}
