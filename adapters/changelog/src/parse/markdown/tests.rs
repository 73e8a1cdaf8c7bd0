//! Changelog files in the many forms that their authors write.

use super::*;
use crate::parse::instant;

/// Each release: its version, its day, and whether it is to come or early.
fn releases(source: &str) -> Vec<(String, String, &'static str)> {
    let told = |release: &Release| match (release.unreleased, release.prerelease) {
        (true, _) => "coming",
        (_, true) => "early",
        _ => "",
    };
    let day = |release: &Release| {
        instant(&release.date)
            .map(|at| at.date_naive().to_string())
            .unwrap_or_default()
    };
    read_file(source)
        .releases
        .iter()
        .map(|release| (release.title.clone(), day(release), told(release)))
        .collect()
}

fn check(source: &str, expected: &[(&str, &str, &str)]) {
    let got = releases(source);
    let got: Vec<_> = got
        .iter()
        .map(|(title, day, told)| (title.as_str(), day.as_str(), *told))
        .collect();
    assert_eq!(got, expected, "{source}");
}

#[test]
fn a_planned_day_and_an_end_of_support_are_no_days_of_release() {
    check(
        "# Log\n\n## 3.1.0 (planned for 2026-12-24)\n- a\n\n## 3.0.0 - ETA March 3, 2026\n- b\n\n## 2.9.0 (2026-02-01)\n- c\n",
        &[
            ("3.1.0", "", "coming"),
            ("3.0.0", "", "coming"),
            ("2.9.0", "2026-02-01", ""),
        ],
    );
    check(
        "## 4.1 - end of support November 3, 2026\n\na\n\n## 4.0: EOL 2025-11-03\n\nb\n\n## 3.9 (supported until 2024-11-03)\n\nc\n",
        &[("4.1", "", ""), ("4.0", "", ""), ("3.9", "", "")],
    );
    // The line under the heading says the same, or names the day of the release.
    check(
        "## 4.1\n\nExpected release date: 2026-12-01\n\n## 4.0\n\nLast updated: 2026-11-20\n\n## 3.9 (EOL 2025-01-01)\n\nReleased: 2023-01-01\n",
        &[("4.1", "", "coming"), ("4.0", "", ""), ("3.9", "2023-01-01", "")],
    );
    check(
        "## 2.1.0 - 2026-11-20, codename \"Planned Trip\"\n- a\n\n## 2.0.0 LTS (2026-01-20)\n- b\n",
        &[("2.1.0", "2026-11-20", ""), ("2.0.0", "2026-01-20", "")],
    );
}

#[test]
fn what_is_struck_out_is_no_estimate() {
    let source = "# Log\n\n## 1.0.6 - 2026-04-05\n\na\n\n## ~~1.0.5 - 2026-03-05~~ [YANKED]\n\nb\n\n## ~~[1.1]~~ - 2026-02-05 [YANKED]\n\nc\n";
    check(
        source,
        &[
            ("1.0.6", "2026-04-05", ""),
            ("1.0.5", "2026-03-05", ""),
            ("1.1", "2026-02-05", ""),
        ],
    );
    let yanked: Vec<bool> = read_file(source)
        .releases
        .iter()
        .map(|release| release.yanked)
        .collect();
    assert_eq!(yanked, [false, true, true]);
}

#[test]
fn what_is_not_released_may_be_said_in_several_words() {
    for heading in ["master (unreleased)", "next / unreleased", "[Unreleased] - main"] {
        check(
            &format!("# Log\n\n## {heading}\n\n- a\n\n## 1.0.6 - 2026-04-05\n\n- b\n"),
            &[("Unreleased", "", "coming"), ("1.0.6", "2026-04-05", "")],
        );
    }
    check(
        "# Log\n\n## Unreleased packages of the year\n\n- a\n\n## 1.0.6 - 2026-04-05\n\n- b\n",
        &[("1.0.6", "2026-04-05", "")],
    );
}

#[test]
fn the_line_under_a_heading_may_say_published() {
    check(
        "# 3.5.2\n> Published 5 August 2026\n\n### Bugfixes\n\n- a\n\n# 3.5.1\n> Published 1 July 2026\n\n- b\n",
        &[("3.5.2", "2026-08-05", ""), ("3.5.1", "2026-07-01", "")],
    );
}

#[test]
fn the_date_may_stand_in_the_link_of_the_version() {
    check(
        "# Log\n\n### [3.50.0 - 2026.08.05](https://example.org/v3.50.0)\n- a\n\n### [3.49.0 (2026-07-05)](https://example.org/v3.49.0...v3.50.0)\n- b\n\n### [3.48.0](https://example.org/2026-01-01)\n- c\n",
        &[
            ("3.50.0", "2026-08-05", ""),
            ("3.49.0", "2026-07-05", ""),
            ("3.48.0", "", ""),
        ],
    );
}

#[test]
fn a_channel_may_have_several_words() {
    check(
        "# Log\n\n## Version 3.0 Beta 2 vom 20.11.2026\n- a\n\n## 3.0 Early Access (2026-10-20)\n- b\n\n## 3.0 Developer Preview 1 - 2026-10-01\n- c\n\n## Version 2.9 vom 14.06.2026\n- d\n",
        &[
            ("3.0 Beta 2", "2026-11-20", "early"),
            ("3.0 Early Access", "2026-10-20", "early"),
            ("3.0 Developer Preview 1", "2026-10-01", "early"),
            ("2.9", "2026-06-14", ""),
        ],
    );
}

#[test]
fn a_version_may_stand_right_below_another_line() {
    let underlined =
        "4.2.1 (2026-08-03)\n------------------\n- a\n\n4.2.0 (2026-07-01)\n------------------\n- b\n";
    let expected = [("4.2.1", "2026-08-03", ""), ("4.2.0", "2026-07-01", "")];
    for above in [
        "<!-- made by a script -->\n",
        "What changed in Example:\n",
        "# Log\n",
        "A line of prose\n",
    ] {
        check(&format!("{above}{underlined}"), &expected);
    }
    check(
        "See the list of\nall commits.\nv4.2.1: Aug 3 2026:\n   - a\n\nv4.2.0: Jul 1 2026:\n   - b\n",
        &[("v4.2.1", "2026-08-03", ""), ("v4.2.0", "2026-07-01", "")],
    );
    // A sentence that is broken before a version is none.
    check(
        "4.2.1 (2026-08-03)\n==================\n\nThe mistake came with\n4.1.9 (2026-05-05)\nand is gone.\n",
        &[("4.2.1", "2026-08-03", "")],
    );
    check(
        "4.2.1\n--\n2026-08-03\n\n- a\n\n2026-07-01 4.2.0\n--\n- b\n",
        &[("4.2.1", "2026-08-03", ""), ("4.2.0", "2026-07-01", "")],
    );
    check(
        "## 4.2.1\n\nOne sentence\n--\nand 1.2 others\n",
        &[("4.2.1", "", "")],
    );
}

#[test]
fn sections_of_the_notes_are_no_releases() {
    check(
        "# Changes to Example in Version 1.12.5\n\n* a\n\n# Changes to Example in Version 1.12.4\n\n## 1 Removed\n\n### 1.1 Old names\n\n### 2.34 Lists\n\n### 2.35 Maps\n\n### 2.36 Sets\n",
        &[("1.12.5", "", ""), ("1.12.4", "", "")],
    );
    check(
        "example 2.0.6\n=============\n\nChangelog [20260701]\n\nTool 5.5 fixes\n--------------\n\n- a\n",
        &[("2.0.6", "2026-07-01", "")],
    );
    check(
        "# Example\n\n## Changes in v1.9.8 (on SITE 25 Nov 2026)\n\n### COMPATIBILITY FOR T 2.12.0-2.15.0\n\n- a\n\n## Changes in v1.9.6 (on SITE 19 Sep 2025)\n\n- b\n",
        &[("v1.9.8", "2026-11-25", ""), ("v1.9.6", "2025-09-19", "")],
    );
    check("0.1 Changelog\n=============\n\n.. changelog::\n", &[]);
    check(
        "# Example\n\n## Example 3.0\n\n### Major changes between Example 3.0.17 and Example 3.0.18 [30 Sep 2026]\n\n * a\n\n### Major changes between Example 3.0.16 and Example 3.0.17 [1 Jul 2026]\n\n * b\n",
        &[("3.0.18", "2026-09-30", ""), ("3.0.17", "2026-07-01", "")],
    );
}

#[test]
fn the_date_may_come_first_and_the_name_before_the_version() {
    check(
        "2026.03.06, Version 1.52.1 (Stable), 0123456789abcdef0123456789abcdef01234567\n\nChanges since version 1.52.0:\n\n* a\n\n2026.02.02, Version 1.52.0 (Stable), 0123456789abcdef0123456789abcdef01234568\n\n* b\n",
        &[("1.52.1", "2026-03-06", ""), ("1.52.0", "2026-02-02", "")],
    );
    for (one, other) in [
        ("May 5, 2026 - Version 13.58", "Apr. 17, 2026 - Version 13.57"),
        ("2026-05-05: 13.58", "2026-04-17: 13.57"),
        ("2026-05-05 13.58", "2026-04-17 13.57"),
        (
            "2026-05-05 example 13.58 (Spring Day)",
            "2026-04-17 example 13.57 (Other Day)",
        ),
        ("example 13.58 (2026-05-05)", "example 13.57 (2026-04-17)"),
        (
            "example-13.58 (5 May 2026) -- \"Spring\"",
            "example-13.57 (17 April 2026)",
        ),
    ] {
        check(
            &format!("{one}\n\n  - a\n\n{other}\n\n  - b\n"),
            &[("13.58", "2026-05-05", ""), ("13.57", "2026-04-17", "")],
        );
    }
    check(
        "2026-05-05 The tool 1.2 was told of here, and so was another\n\nNotes\n",
        &[],
    );
}

#[test]
fn announcements_name_their_version_last() {
    check(
        "News\n++++\n\nWhat's New in Example 3.11.2 final?\n===================================\n\n*Release date: 2026-02-07*\n\nCore\n----\n\n- a\n\nWhat's New in Example 3.11.1 final?\n===================================\n\n*Release date: 2025-12-06*\n\n- b\n",
        &[("3.11.2", "2026-02-07", ""), ("3.11.1", "2025-12-06", "")],
    );
    check(
        "Overview of changes in Example 2.74.6\n=====================================\n\n* a\n\nOverview of changes in Example 2.74.5\n=====================================\n\n* b\n",
        &[("2.74.6", "", ""), ("2.74.5", "", "")],
    );
    check(
        "Overview of changes in Example 2.4\n=====\n\nOverview of changes from Example 2.2 to 2.3\n=====\n\nOverview of changes from Example 2.1 to 2.2\n=====\n\nOverview of changes from Example 2.0 to 2.1\n=====\n",
        &[("2.4", "", ""), ("2.3", "", ""), ("2.2", "", ""), ("2.1", "", "")],
    );
    check(
        "What's new in version 3.5.3\n\n* a\n\nWhat’s new in version 3.5.2\n\n* b\n",
        &[("3.5.3", "", ""), ("3.5.2", "", "")],
    );
}

#[test]
fn days_are_read_in_marks_and_compact() {
    check(
        "### 3.6.2\n\n**Date**: [10th March 2026][x]\n\n* a\n\n### 3.6.1\n\n*March 1, 2026*\n\n* b\n\n### 3.6.0 (20260206)\n\n* c\n\n### 3.5.0 (2026 Jan 6)\n\n* d\n",
        &[
            ("3.6.2", "2026-03-10", ""),
            ("3.6.1", "2026-03-01", ""),
            ("3.6.0", "2026-02-06", ""),
            ("3.5.0", "2026-01-06", ""),
        ],
    );
}

#[test]
fn directives_of_restructured_text_are_headings() {
    check(
        "=========\nChangelog\n=========\n\n* :release:`1.9.0 <...>`\n* :feature:`7` A\n* :release:`1.8.1 <2026-08-09>`\n* :bug:`6` B for Python 3.6\n",
        &[("1.9.0", "", ""), ("1.8.1", "2026-08-09", "")],
    );
    check(
        "=============\n0.9 Changelog\n=============\n\n.. changelog::\n    :version: 0.9.12\n    :released:\n\n    .. change:: bug\n\n.. changelog::\n    :version: 0.9.11\n    :released: October 19, 2026\n\n    .. change::\n        :versions: 1.0.9\n",
        &[("0.9.12", "", "coming"), ("0.9.11", "2026-10-19", "")],
    );
}

#[test]
fn a_line_that_begins_with_a_version_and_its_date_is_a_heading_however_long() {
    check(
        "v1.4.1, 2026/04/26 -- Add related projects to the manual, switch the tests to another runner\nv1.4.0, 2026/03/26 -- Support 2.6.9\n",
        &[("v1.4.1", "2026-04-26", ""), ("v1.4.0", "2026-03-26", "")],
    );
    let read = read_file(
        "0.3.0 2026-Feb-08 Take the secret key out of the examples and the manual. \n        Never pass it.\n0.2.0 2025-Apr-22 Change the preview\n",
    );
    assert!(read.releases[0].notes.contains("Take the secret key"), "{read:?}");
    check(
        "Released 2.4.33 2026-02-14\n\nChanges since 2.4.32:\n* a\n\nReleased 2.4.32 2026-01-14\n* b\n",
        &[("2.4.33", "2026-02-14", ""), ("2.4.32", "2026-01-14", "")],
    );
    // Prose that happens to break before a version.
    check(
        "The interface that this file describes for\n1.2, 2026-01-01 and later is another.\n",
        &[],
    );
}

#[test]
fn the_first_version_may_stand_right_below_the_title() {
    check(
        "CHANGELOG\n2026-04-26 1.2.2\n    * a\n\n2026-04-25 1.2.1\n    * b\n",
        &[("1.2.2", "2026-04-26", ""), ("1.2.1", "2026-04-25", "")],
    );
}

#[test]
fn lines_of_nothing_but_a_version_are_headings_of_a_file_without_others() {
    check(
        "0.4:\n* a\n\n0.3.7:\n* b\n",
        &[("0.4", "", ""), ("0.3.7", "", "")],
    );
    check(
        "Selenium 3.3.1\n* a\n\nSelenium 3.3.0\n* b\n",
        &[("3.3.1", "", ""), ("3.3.0", "", "")],
    );
    check(
        "0.8.6 - Minor mends\n0.8.5 - Newer editor\n",
        &[("0.8.6", "", ""), ("0.8.5", "", "")],
    );
    // Those with dates alone would make an old release the newest one.
    check(
        "11.6:\n\tadd x\n\n11.5:\n\tadd y\n\n11.2 (2014-01-17)\n\tadd z\n",
        &[("11.6", "", ""), ("11.5", "", ""), ("11.2", "2014-01-17", "")],
    );
    check(
        "## Changes introduced with Example 0.9.3\n\n* a\n\n## Changes introduced with Example 0.9.2\n\n* b\n",
        &[("0.9.3", "", ""), ("0.9.2", "", "")],
    );
    // A single one is a word of any document, and marked headings say where the versions are.
    check("Supported is\n\n3.12\n\nand later.\n", &[]);
    check(
        "## 2.0.0 (2026-01-01)\n\nNeeds\n\n3.12\n\n3.13\n",
        &[("2.0.0", "2026-01-01", "")],
    );
    // In a page such lines are anything.
    assert!(read("0.4:\n* a\n\n0.3.7:\n* b\n").releases.is_empty());
}
