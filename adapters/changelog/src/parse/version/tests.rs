use super::*;
use proptest::prelude::*;

fn found(text: &str) -> Option<&str> {
    find(text)
        .map(|span| &text.as_bytes()[span.start..span.end])
        .map(|b| std::str::from_utf8(b).unwrap())
}

#[test]
fn versions_in_headings() {
    for (text, version) in [
        ("[1.2.3] - 2024-05-06", Some("1.2.3")),
        ("v2.0.0-rc.1 (2020-01-01)", Some("v2.0.0-rc.1")),
        ("Rails 5.2.1.1 (November 27, 2018) ##", Some("5.2.1.1")),
        ("3.11.0 / 2018-03-05", Some("3.11.0")),
        ("0.0.5から0.0.6の変更点: 2010-08-28", Some("0.0.6")),
        ("Changes from 1.0 to 1.1", Some("1.1")),
        ("1.40a4", Some("1.40a4")),
        ("2020-03-16", None),
        ("Added", None),
        ("dev1.2", None),
        ("v.0.7.3 (April 12, 2012)", Some("0.7.3")),
        ("dev.1.2", None),
        ("v8", None),
        ("v12", Some("v12")),
        ("v257 (2026-11-20)", Some("v257")),
        ("v257: 20 November 2026", Some("v257")),
        ("v12 engine", None),
        ("the v257", None),
        ("Changes between 1.0 and 1.1", Some("1.1")),
        ("Changes between version 1.0 and version 1.1", Some("1.1")),
        ("Changes in 1.0 and 0.9", Some("1.0")),
        ("1.0 through 1.4", Some("1.4")),
        ("Changes from versions 1.3.* to version 1.4.0:", Some("1.4.0")),
        ("Version 1.0 to v1.1", Some("v1.1")),
        ("2026.3 EAP 5", Some("2026.3 EAP 5")),
        ("1.2 - 2020-01-01", Some("1.2")),
        ("2.0.0.rc.2 (2026-11-20)", Some("2.0.0.rc.2")),
        ("2.0.0 beta (2026-11-10)", Some("2.0.0 beta")),
        ("2.0.0 Beta 2 - 2026-11-10", Some("2.0.0 Beta 2")),
        ("2.0.0 (RC1)", Some("2.0.0 (RC1)")),
        ("2.0.0 - Preview 3", Some("2.0.0 - Preview 3")),
        ("2.0.0 Release Candidate 1", Some("2.0.0 Release Candidate 1")),
        ("2.0.0 beta 20 November 2026", Some("2.0.0 beta")),
        ("2.0.0 M1", Some("2.0.0 M1")),
        ("Release 3.1 of Example", Some("3.1")),
        ("2.0.0 dev 2026-11-10", Some("2.0.0 dev")),
        ("2.0.0.dev3 (2026-11-05)", Some("2.0.0.dev3")),
        ("2.0.0.M1", Some("2.0.0.M1")),
        ("5.4.0.Final", Some("5.4.0.Final")),
        ("1.2 beta features", Some("1.2")),
        ("Version 2.0 Beta 3 vom 20.11.2026", Some("2.0 Beta 3")),
        ("2.0 beta of 20 November 2026", Some("2.0 beta")),
        ("2.0 Early Access (2026-11-20)", Some("2.0 Early Access")),
        (
            "2.0 Technical Preview 2 (2026-11-20)",
            Some("2.0 Technical Preview 2"),
        ),
        ("2.0 public beta - 2026-11-20", Some("2.0 public beta")),
        ("2.0 beta of the year", Some("2.0")),
        ("2.0 public interface", Some("2.0")),
        ("Changes between Example 1.0 and Example 1.1", Some("1.1")),
        ("Example 1.0 and Example 1.1", Some("1.0")),
        ("1.2.txt", Some("1.2")),
        ("2026-11-20, Version 20.1.0 (Current)", Some("20.1.0")),
        ("20.11.2026 v2.0.0", Some("v2.0.0")),
        ("2026.11.20", Some("2026.11.20")),
        ("v4.8 billions of users", Some("v4.8")),
        ("$4.8 billion", None),
        ("4.8 billion", None),
        ("A rise of 3.5 % in a year", None),
        ("1.5x faster", None),
        ("4.7 out of 5", None),
        ("2011-08-15 06:19:27.183", None),
        ("1:2.30 (2026-11-20)", Some("2.30")),
        ("29. Juni 2025 - 21.18 Uhr", None),
        ("29 mars 2025 kl. 21.18", None),
        ("0.3.5+4", Some("0.3.5+4")),
        ("1.2.0+build.5 (2026-11-20)", Some("1.2.0+build.5")),
    ] {
        assert_eq!(found(text), version, "{text}");
    }
}

#[test]
fn a_section_is_no_release() {
    for heading in [
        "1.2.3",
        "v1.2 Spring",
        "Version 1.2",
        "[1.2]",
        "1.2.3 - Fixes",
        "Example 1.2.3 for all",
        "1.2.3 released",
    ] {
        assert!(is_release(heading, false), "{heading}");
    }
    for heading in [
        "1.2 Introduction",
        "2.3.4 Arrays",
        "2.3.4. What is an array?",
        "1.2",
        "none",
    ] {
        assert!(!is_release(heading, false), "{heading}");
    }
    assert!(is_release("1.2", true));
}

#[test]
fn versions_compare_by_number() {
    assert!(parse("1.10.0").unwrap() > parse("v1.9.9").unwrap());
    assert!(parse("2.0.0").unwrap() > parse("2.0.0-rc.1").unwrap());
    for (newer, older) in [
        ("2.0.0", "2.0.0.rc.2"),
        ("2.0.0.rc.10", "2.0.0.rc.9"),
        ("2.0.0", "2.0.0 beta"),
        ("2.0.0.post1", "2.0.0"),
        ("1.1.1m", "1.1.1"),
        ("1.1.1m", "1.1.1b"),
        ("1.1.2", "1.1.1m"),
        ("2.0.1.M1", "2.0.0.Final"),
    ] {
        assert!(parse(newer).unwrap() > parse(older).unwrap(), "{newer} {older}");
    }
    assert_eq!(
        parse("0.3.5+4").unwrap().cmp(&parse("0.3.5+5").unwrap()),
        Ordering::Equal
    );
    assert_eq!(
        parse("2.0.0.Final").unwrap().cmp(&parse("2.0.0").unwrap()),
        Ordering::Equal
    );
    assert_eq!(
        parse("1.0").unwrap().cmp(&parse("1.0.0").unwrap()),
        Ordering::Equal
    );
}

#[test]
fn channels_are_known_by_tag_and_by_name() {
    for tag in [
        "v2.0.0-rc.1",
        "1.40a4",
        "2.0rc1",
        "nightly",
        "5.0.0-canary.12",
        "1.0-beta",
        "3.0.dev1",
        "v1.0.0-alpha",
        "2.0.0.rc.2",
        "2.0.0 beta",
        "2.0.0.dev3",
        "2.0.0.M1",
        "1.0.CR2",
        "3.0.0-preview.4",
        "2.0.0 Release Candidate 1",
        "latest",
        "current",
        "2026.3-EAP5",
        "2026.3 EAP",
        "continuous",
        "continuous-build-linux",
        "edge",
        "tip",
        "rolling",
        "latest-main",
        "autobuild-2026-11-26-12-59",
        "unstable-2026.11.26",
        "v2.0.0-insider",
        "v2.0.0-ea",
        "jdk-27-ea+5",
        "v2.0-TECHPREVIEW",
        "2.10.0.pr1",
        "v2.0.0-tp1",
        "v2.0.0-test1",
        "v2.0.0-wip",
        "v2.0.0-draft",
        "@scope/next@2.0.0-beta.1",
    ] {
        assert!(is_prerelease(tag), "{tag}");
    }
    for tag in [
        "v1.43",
        "eslint-config-next@15.0.0",
        "@scope/test@2.0.0",
        "test-utils-1.2.0",
        "1.2.3 (PR 12)",
        "1.0.0",
        "v2024.1",
        "release-1.2",
        "1.2.3-1",
        "v1.0.0+abc",
        "abc",
        "jenkins-2.4",
        "1.0b",
        "2.0.0.Final",
        "2.0.0.RELEASE",
        "1.2.3.post1",
        "main-1.2.3",
        "latest-stable",
        "stable",
        "macos-m1-1.2.3",
    ] {
        assert!(!is_prerelease(tag), "{tag}");
    }
    assert!(names_prerelease("Release Candidate 2.0.0"));
    assert!(names_prerelease("Nightly v1.95.78 (Chromium 152.0.7977.42)"));
    assert!(
        !names_prerelease("Release v1.92.1 (Chromium 152.0.7977.42)")
            && !names_prerelease("The next generation")
            && !names_prerelease("Enabling the next iteration of the borrow checker on nightly")
    );
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "\\PC{0,60}") {
        if let Some(span) = find(&text) {
            prop_assert!(text.get(span.start..span.end).is_some());
        }
        let _ = (parse(&text), is_prerelease(&text), names_prerelease(&text));
    }
}
