//! arXiv ids: `2104.12255v2` since April 2007, `astro-ph/0601001v1` before.
//! <https://info.arxiv.org/help/arxiv_identifier.html>

/// The id in its plain form, with its version where one was given.
pub fn parse(given: &str) -> Option<String> {
    let given = given.trim();
    let plain = match given.get(..6) {
        Some(prefix) if prefix.eq_ignore_ascii_case("arxiv:") => given.get(6..)?.trim_start(),
        _ => given,
    };
    let (base, version) = split_version(plain);
    if !version.is_none_or(|version| (1..=4).contains(&version.len()) && !version.starts_with('0')) {
        return None;
    }
    (is_new(base) || is_old(base)).then(|| plain.to_owned())
}

/// The id without its version, and the version.
pub fn without_version(id: &str) -> (&str, Option<u32>) {
    let (base, version) = split_version(id);
    (base, version.and_then(|version| version.parse().ok()))
}

fn split_version(id: &str) -> (&str, Option<&str>) {
    match id.rsplit_once('v') {
        Some((base, version)) if !version.is_empty() && digits(version) && !base.is_empty() => {
            (base, Some(version))
        }
        _ => (id, None),
    }
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_new(base: &str) -> bool {
    base.split_once('.').is_some_and(|(month, number)| {
        month.len() == 4 && digits(month) && matches!(number.len(), 4 | 5) && digits(number)
    })
}

fn is_old(base: &str) -> bool {
    base.split_once('/').is_some_and(|(archive, number)| {
        let (name, class) = archive
            .split_once('.')
            .map_or((archive, None), |(name, class)| (name, Some(class)));
        let name_fits =
            (2..=8).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        let class_fits = class.is_none_or(|class| {
            (2..=8).contains(&class.len()) && class.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-')
        });
        name_fits && class_fits && number.len() == 7 && digits(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_and_what_only_looks_like_one() {
        for id in [
            "2104.12255",
            "0704.0001v3",
            "hep-th/9901001v2",
            "cs/0503050",
            "math.GT/0309136",
            "acc-phys/9411001",
        ] {
            assert_eq!(parse(id).as_deref(), Some(id));
        }
        for other in [
            "abc",
            "2104",
            "2104.123",
            "2104.123456",
            "v2",
            "2104.12255v",
            "2104.12255v0",
            "a/0503050",
            "cs/050305",
            "1.2",
            "",
            "arxiv:",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
        assert_eq!(
            without_version("astro-ph/0601001v12"),
            ("astro-ph/0601001", Some(12))
        );
        assert_eq!(without_version("2104.12255"), ("2104.12255", None));
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC{0,30}") {
            if let Some(id) = parse(&text) {
                prop_assert!(id.is_ascii());
            }
        }
    }
}
