use freshcontext_contract::chrono::{DateTime, Utc};
use freshcontext_contract::url::Url;

use crate::parse::{instant, page};

const NOTE: &str = "People asked for filters and for lists of orders that are faster, and here they are.";

/// The titles of a page's entries with their days.
fn listed(title: &str, content: &str) -> Vec<(String, String)> {
    let html =
        format!("<!doctype html><html><head><title>{title}</title></head><body>{content}</body></html>");
    let address = Url::parse("https://example.com/news/all").unwrap();
    let now: DateTime<Utc> = "2026-11-30T12:00:00Z".parse().unwrap();
    let page = page::read(&html, &address, now);
    let day = |release: &crate::parse::Release| {
        instant(&release.date).map_or_else(String::new, |at| at.date_naive().to_string())
    };
    page.releases
        .iter()
        .map(|release| (release.title.clone(), day(release)))
        .collect()
}

fn both(first: &str, second: &str) -> Vec<(String, String)> {
    vec![
        (first.to_owned(), "2026-11-20".to_owned()),
        (second.to_owned(), "2026-10-02".to_owned()),
    ]
}

/// Each form with the titles of its entries, which are of 20 November and of 2 October 2026.
#[test]
fn entries_are_dated_by_what_stands_beside_their_headings() {
    let forms: [(&str, [&str; 2]); 12] = [
        // Above, in a column of its own, or in words that change.
        (
            "<h1>Changelog</h1>
             <div><div><span>November 20, 2026</span></div><div><h3>Dark mode</h3><p>NOTE</p></div></div>
             <div><div><span>October 2, 2026</span></div><div><h3>Faster search</h3><p>NOTE</p></div></div>",
            ["Dark mode", "Faster search"],
        ),
        (
            "<main><h1>Changelog</h1>
             <article><time datetime='2026-11-20'>10 days ago</time><h2>Dark mode</h2><p>NOTE</p></article>
             <article><time datetime='2026-10-02T10:00:00Z'>Oct 2</time><h2>Faster search</h2><p>NOTE</p></article></main>",
            ["Dark mode", "Faster search"],
        ),
        // Below.
        (
            "<h1>Changelog</h1><h2>Dark mode</h2><p>Posted on Friday, November 20, 2026</p><p>NOTE</p><h3>Fixes</h3><p>NOTE</p>
             <h2>Faster search</h2><p>2 October 2026</p><p>NOTE</p>",
            ["Dark mode", "Faster search"],
        ),
        (
            "<h1>Changelog</h1><h2>Dark mode</h2><div><span>November 20, 2026</span> · <span>3 min read</span></div><p>NOTE</p>
             <h2>Faster search</h2><p>October 2, 2026 by Ann Example</p><p>NOTE</p>",
            ["Dark mode", "Faster search"],
        ),
        (
            "<h1>Changelog</h1><h2>Version 2.4.0</h2><p>Publié le 20 novembre 2026</p><p>NOTE</p>
             <h2>Version 2.3.0</h2><p>Publicado el 2 de octubre de 2026</p><p>NOTE</p>",
            ["2.4.0", "2.3.0"],
        ),
        // Alone.
        (
            "<div>Changelog</div><div><b>November 20, 2026</b></div><div>NOTE</div><div><b>October 2, 2026</b></div><div>NOTE</div>",
            ["November 20, 2026", "October 2, 2026"],
        ),
        // Within.
        (
            "<h1>Changelog</h1><h2>November 20, 2026</h2><ul><li>NOTE</li></ul>
             <h2>October 2, 2026</h2><ul><li>NOTE</li></ul>",
            ["November 20, 2026", "October 2, 2026"],
        ),
        (
            "<h1>Changelog</h1><h2>Dark mode is here for all accounts (2026-11-20)</h2><p>NOTE</p>
             <h2>Search is faster for all accounts (2026-10-02)</h2><p>NOTE</p>",
            [
                "Dark mode is here for all accounts (2026-11-20)",
                "Search is faster for all accounts (2026-10-02)",
            ],
        ),
        // A heading for all entries of a day.
        (
            "<h1>Changelog</h1><h2><time datetime='2026-11-20'>Nov 20</time></h2><h3>Dark mode</h3><p>NOTE</p>
             <h2><time datetime='2026-10-02'>Oct 2</time></h2><h3>Faster search</h3><p>NOTE</p>",
            ["Dark mode", "Faster search"],
        ),
        // Versions in a table and in a list of terms.
        (
            "<h1>Changelog</h1><table><tr><th>Version</th><th>Date</th><th>Notes</th></tr>
             <tr><td>3.2.1</td><td>2026-11-20</td><td>NOTE</td></tr><tr><td>3.2.0</td><td>2026-10-02</td><td>NOTE</td></tr></table>",
            ["3.2.1", "3.2.0"],
        ),
        (
            "<h1>Changelog</h1><dl><dt>3.2.1 (2026-11-20)</dt><dd>NOTE</dd><dt>3.2.0 (2026-10-02)</dt><dd>NOTE</dd></dl>",
            ["3.2.1", "3.2.0"],
        ),
        (
            "<h1>Changelog</h1><ul><li><div><b>3.2.1</b> <span>2026-11-20</span></div><p>NOTE</p></li>
             <li><div><b>3.2.0</b> <span>2026-10-02</span></div><p>NOTE</p></li></ul>",
            ["3.2.1", "3.2.0"],
        ),
    ];
    for (content, [first, second]) in forms {
        let content = content.replace("NOTE", NOTE);
        assert_eq!(
            listed("Changelog | Example", &content),
            both(first, second),
            "{content}"
        );
    }
}

/// Files without headings of versions.
#[test]
fn files_of_dates_and_of_rows() {
    let days = |source: &str| -> Vec<(String, String)> {
        let day = |release: &crate::parse::Release| {
            instant(&release.date).map_or_else(String::new, |at| at.date_naive().to_string())
        };
        let releases = crate::parse::file::read(&source.replace("NOTE", NOTE)).releases;
        releases
            .iter()
            .map(|release| (release.title.clone(), day(release)))
            .collect()
    };
    assert_eq!(
        days(
            "# Changelog\n\n## 2026-11-20\n\n### Added\n\n- NOTE\n\n### Fixed\n\n- NOTE\n\n## 2026-10-02\n\n- NOTE\n"
        ),
        both("2026-11-20", "2026-10-02")
    );
    assert_eq!(
        days(
            "# News\n\nNovember 20, 2026\n-----------------\n\n- NOTE\n\nOctober 2, 2026\n---------------\n\n- NOTE\n"
        ),
        both("November 20, 2026", "October 2, 2026")
    );
    assert_eq!(
        days(
            "# Changelog\n\n| Version | Date | Notes |\n|---|---|---|\n| **2.4.0** | 2026-11-20 | NOTE |\n| 2.3.0 | 2 Oct 2026 | NOTE |\n"
        ),
        both("2.4.0", "2.3.0")
    );
    assert_eq!(days("# Notes\n\n- NOTE\n- NOTE\n"), []);
    // What a line of code prints is no date of an entry.
    assert_eq!(
        days(
            "*   Times are compared by zone.\n\n    ```ruby\n    # => 2026-08-07 10:00:00 +0000\n    ```\n\n    NOTE\n"
        ),
        []
    );
    // Nor is that of a commit.
    assert_eq!(
        days(
            "commit 1f2e\nAuthor: A. Example\nDate:   Thu Feb 9 09:39:41 2023 +0100\n\n    NOTE\n\ncommit 3d4c\nAuthor: A. Example\nDate:   Wed Feb 8 09:39:41 2023 +0100\n\n    NOTE\n"
        ),
        []
    );
    assert_eq!(days("# Times\n\n2026-08-07 10:00:00 +0000\n\nNOTE\n"), []);
}

#[test]
fn what_dates_no_entry() {
    for content in [
        // Between two headings, a date belongs to either.
        "<p>November 20, 2026</p><h2>Dark mode</h2><p>October 2, 2026</p><h2>Faster search</h2><p>September 1, 2026</p>",
        // Dates of other things.
        "<h2>Dark mode</h2><p>Support ends November 20, 2026</p><p>NOTE</p><h2>Search</h2><p>Planned for October 2, 2026</p><p>NOTE</p>",
        "<h2>Dark mode</h2><p>Join our webinar on November 25, 2026</p><p>NOTE</p><h2>Search</h2><p>NOTE</p>",
        // A month is no day, and two orders of a date are none.
        "<h2>Dark mode</h2><p>November 2026</p><p>NOTE</p><h2>Search</h2><p>03/04/2026</p><p>NOTE</p>",
    ] {
        let content = content.replace("NOTE", NOTE);
        assert_eq!(listed("Changelog | Example", &content), [], "{content}");
    }
    // On a page that is no list of news, a date under a heading is anything's.
    let events = format!(
        "<h2>Spring fair</h2><p>November 20, 2026</p><p>{NOTE}</p><h2>Market</h2><p>October 2, 2026</p><p>{NOTE}</p>"
    );
    assert_eq!(listed("Town of Example", &events), []);
}
