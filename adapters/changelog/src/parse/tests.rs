//! The readers over recorded and crafted bodies.

use super::*;
use freshcontext_contract::url::Url;
use freshcontext_contract::{ErrorCode, StandingState};
use freshcontext_parse::feed::looks_like;
use freshcontext_parse::registry::Registry;
use freshcontext_testkit::bodies::{any_prefix, fixtures, recorded, recording};
use proptest::prelude::*;

fn day(release: &Release) -> String {
    instant(&release.date)
        .map(|at| at.date_naive().to_string())
        .unwrap_or_default()
}

fn file(name: &str) -> Vec<Release> {
    markdown::read(&recording(&format!("changelog/{name}"))).releases
}

fn summary(releases: &[Release], count: usize) -> Vec<(String, String)> {
    releases
        .iter()
        .take(count)
        .map(|release| (release.title.clone(), day(release)))
        .collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected
        .iter()
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
        .collect()
}

#[freshcontext_recorded::test]
fn keep_a_changelog() {
    let releases = file("keepachangelog_v2.md");
    assert!(releases[0].unreleased && releases[0].date == DateEvidence::None);
    assert_eq!(
        summary(&releases[1..], 2),
        pairs(&[("2.0.0", "2026-06-07"), ("1.1.2", "2024-09-27")])
    );
    assert!(
        releases[1]
            .sections
            .starts_with(&["Added".to_owned(), "Changed".to_owned()])
    );
    assert!(releases.iter().all(|release| !release.yanked));
    assert!(
        releases
            .iter()
            .all(|release| !release.notes.contains("]: https://"))
    );
}

#[test]
fn a_yanked_release_keeps_its_version_and_day() {
    let yanked = markdown::read("## [1.2.2] - 2024-04-01 [YANKED]\n").releases;
    assert!(yanked[0].yanked && day(&yanked[0]) == "2024-04-01" && yanked[0].title == "1.2.2");
}

#[freshcontext_recorded::test]
fn setext_us_long_month_and_conventional_headings() {
    let releases = file("js-yaml_setext.md");
    assert_eq!(summary(&releases, 1), pairs(&[("3.11.0", "2018-03-05")]));
    let releases = file("adapter-utils_us_dates.md");
    assert_eq!(
        summary(&releases, 3),
        pairs(&[
            ("4.33.0", "2020-05-15"),
            ("4.32.3", "2020-04-30"),
            ("4.32.2", "2020-04-23")
        ])
    );
    let releases = file("rails_long_month.md");
    assert_eq!(
        summary(&releases, 3),
        pairs(&[
            ("5.2.1.1", "2018-11-27"),
            ("5.2.1", "2018-08-07"),
            ("5.2.0", "2018-04-09")
        ])
    );
    let releases = file("yargs_conventional.md");
    assert_eq!(
        summary(&releases, 3),
        pairs(&[
            ("15.3.1", "2020-03-16"),
            ("15.3.0", "2020-03-08"),
            ("15.2.0", "2020-03-01")
        ])
    );
    assert!(releases[0].sections.contains(&"Bug Fixes".to_owned()));
}

#[freshcontext_recorded::test]
fn japanese_notes_keep_their_text() {
    let releases = file("japanese_news.md");
    assert_eq!(
        summary(&releases, 5),
        pairs(&[
            ("0.0.6", "2010-08-28"),
            ("0.0.5", "2010-08-26"),
            ("0.0.4", "2009-08-17"),
            ("0.0.3", "2008-08-25"),
            ("0.0.2", "2008-08-11")
        ])
    );
    assert!(releases[0].notes.contains("パッケージから"));
}

#[freshcontext_recorded::test]
fn versions_without_dates_have_none() {
    let releases = file("sentry_no_dates.md");
    assert!(releases.len() > 20);
    assert_eq!(releases[0].title, "2.12.2");
    assert!(releases.iter().all(|release| release.date == DateEvidence::None));
}

#[test]
fn code_blocks_sentences_and_coming_versions_are_no_releases() {
    let text = "# History\n\n# 20.27.0 - *upcoming*\n\n## 1.2.0 (2020-05-06)\n\nText about 2021-01-01.\n\n```\n## 9.9.9 (2030-01-01)\n```\n\n    ## 8.8.8\n\n### Node 10.0\n\n## 1.1.0\n\n_Released 2020-01-02_\n\n* item 3.4.5 (2022-01-01)\n\n## master\n\n### Bump the thing from 1.0 to 1.1 in tools\n";
    let releases = markdown::read(text).releases;
    let got: Vec<(String, String, bool)> = releases
        .iter()
        .map(|release| (release.title.clone(), day(release), release.unreleased))
        .collect();
    let expected = [
        ("20.27.0", "", true),
        ("1.2.0", "2020-05-06", false),
        ("1.1.0", "2020-01-02", false),
        ("Unreleased", "", true),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), *c))
        .collect();
    assert_eq!(got, expected);
}

#[test]
fn ambiguous_dates_are_left_out_and_counted() {
    let document = markdown::read("## 1.1 [05-06-2020]\n\n## 1.0 [04-05-2020]\n");
    assert_eq!(document.ambiguous, 2);
    assert!(
        document
            .releases
            .iter()
            .all(|release| release.date == DateEvidence::None)
    );
}

#[test]
fn the_order_of_a_file_is_not_trusted() {
    let mut releases =
        markdown::read("## 1.0 (2020-01-01)\n\n## 1.1 (2020-02-01)\n\n## Unreleased\n").releases;
    sort(&mut releases);
    assert_eq!(
        releases
            .iter()
            .map(|release| release.title.as_str())
            .collect::<Vec<_>>(),
        ["Unreleased", "1.1", "1.0"]
    );
    let mut releases = markdown::read("## 1.0\n\n## 1.1\n").releases;
    sort(&mut releases);
    assert_eq!(releases[0].title, "1.1");
}

#[freshcontext_recorded::test]
fn releases_by_publication_not_by_commit_or_order() {
    let text = recording("github/releases_prerelease_out_of_order.json");
    let mut list = releases::read(&text).unwrap();
    assert_eq!((list.releases.len(), list.unreadable), (10, 0));
    sort(&mut list.releases);
    let titles: Vec<&str> = list
        .releases
        .iter()
        .map(|release| release.title.as_str())
        .collect();
    assert_eq!(titles.first(), Some(&"v1.43.1"));
    assert!(titles.iter().position(|t| *t == "v1.41") < titles.iter().position(|t| *t == "v1.42"));
    let early = list
        .releases
        .iter()
        .find(|release| release.title == "v1.40a4")
        .unwrap();
    assert!(early.prerelease);
    assert_eq!(
        early.date,
        DateEvidence::field("published_at", "2018-06-26T01:09:18Z")
    );
    assert_eq!(
        list.releases.iter().filter(|release| release.prerelease).count(),
        4
    );
}

#[freshcontext_recorded::test]
fn nightlies_are_known_although_their_flag_is_false() {
    let text = recording("changelog/github_api_releases_brave.json");
    let list = releases::read(&text).unwrap();
    assert_eq!(list.releases.len(), 40);
    for release in &list.releases {
        let early = ["Nightly", "Beta"]
            .iter()
            .any(|word| release.title.contains(word));
        assert!(!early || release.prerelease, "{}", release.title);
        assert!(!release.title.contains('\n'));
    }
    let none = releases::read(&recording("changelog/github_api_releases_empty.json")).unwrap();
    assert_eq!(none.sent, 0);
}

#[test]
fn release_lists_with_gaps() {
    assert_eq!(releases::read("[]").unwrap().releases.len(), 0);
    let text = r#"[{"tag_name":"v1","name":"","body":null,"published_at":null,"draft":true},
        {"tag_name":"v2","name":"","body":"a\r\nb <!-- planted --> 变更日志 🎉","published_at":"2026-01-01T00:00:00Z"},{"name":"x"}]"#;
    let list = releases::read(text).unwrap();
    assert_eq!((list.releases.len(), list.unreadable, list.sent), (1, 1, 3));
    let only = &list.releases[0];
    assert_eq!((only.title.as_str(), only.tag.as_deref()), ("v2", None));
    assert!(only.notes.contains("变更日志 🎉") && !only.notes.contains("planted"));
    for body in [
        "",
        "{}",
        "null",
        r#"[{"name":"x"}]"#,
        r#"{"message":"Not Found"}"#,
    ] {
        assert_eq!(
            releases::read(body).unwrap_err().code,
            ErrorCode::Malformed,
            "{body}"
        );
    }
}

#[freshcontext_recorded::test]
fn githubs_feed_is_dated_by_its_edits_only() {
    let text = recording("changelog/github_releases_cpython.atom.xml");
    let releases = feed::github(&text).unwrap();
    assert_eq!(summary(&releases, 1), pairs(&[("v3.12.14", "2026-08-12")]));
    assert!(
        releases
            .iter()
            .all(|release| matches!(release.date, DateEvidence::PageSignal { .. }))
    );
    let brave = recording("changelog/github_releases_brave.atom.xml");
    let releases = feed::github(&brave).unwrap();
    assert_eq!(releases.len(), 10);
    assert!(
        releases
            .iter()
            .all(|release| !release.title.ends_with(['\r', '\n', ' ']))
    );
    let ty = recording("github/releases_feed.xml");
    let releases = feed::github(&ty).unwrap();
    assert!(releases.iter().all(|release| release.prerelease));
    assert!(releases[0].notes.contains("Bug fixes"));
}

fn site() -> Url {
    Url::parse("https://example.org/feed").unwrap()
}

#[freshcontext_recorded::test]
fn feeds_of_sites() {
    let text = recording("changelog/rust_blog.atom.xml");
    assert!(looks_like(&text));
    let feed = feed::read(&text, &site()).unwrap();
    assert!(
        feed.releases
            .iter()
            .all(|release| matches!(release.date, DateEvidence::Field { .. }))
    );
    let itch = recording("changelog/itch_devlog.rss.xml");
    assert!(looks_like(&itch));
    let feed = feed::read(&itch, &site()).unwrap();
    assert!(!feed.releases.is_empty() && feed.releases.iter().all(|release| !day(release).is_empty()));
}

#[test]
fn a_text_that_names_a_feed_is_none() {
    assert!(!looks_like("<html><body>see <rss></body></html>") && !looks_like("# text"));
}

fn page(name: &str, address: &str) -> page::Page {
    let text = recording(&format!("changelog/{name}"));
    let now = "2026-11-21T00:00:00Z".parse().unwrap();
    page::read(&text, &Url::parse(address).unwrap(), now)
}

fn page_day(page: &page::Page) -> String {
    instant(&page.dates.date)
        .map(|at| at.to_rfc3339())
        .unwrap_or_default()
}

#[freshcontext_recorded::test]
fn published_beats_modified_and_time_elements() {
    let all = page("page_article_all_signals.html", "https://mobilsicher.example/a");
    assert_eq!(page_day(&all), "2020-01-23T11:53:11+00:00");
    assert!(matches!(all.dates.date, DateEvidence::Field { .. }));
    assert_eq!(all.dates.modified.as_deref(), Some("2020-01-30T12:34:33Z"));
    let trap = page("page_time_tag_trap.html", "https://helge.example/2014/03/mahu/");
    assert!(page_day(&trap).starts_with("2014-03-05"), "{:?}", trap.dates.date);
    let odd = page(
        "page_modified_before_published.html",
        "https://tageswoche.example/x",
    );
    assert_eq!(page_day(&odd), "2018-11-16T03:00:00+00:00");
}

#[freshcontext_recorded::test]
fn embedded_posts_and_copyright_years_are_no_dates() {
    let embeds = page("page_jsonld_horizont.html", "https://www.horizont.example/a");
    assert!(
        page_day(&embeds).starts_with("2019-01-29"),
        "{:?}",
        embeds.dates.date
    );
    assert!(matches!(embeds.dates.date, DateEvidence::PageSignal { .. }));
    let advisory = page(
        "page_mozilla_mfsa.html",
        "https://www.mozilla.example/en-US/security/advisories/mfsa2024-17/",
    );
    assert!(
        page_day(&advisory).starts_with("2024-04-02"),
        "{:?}",
        advisory.dates.date
    );
    assert!(matches!(advisory.dates.date, DateEvidence::PageSignal { .. }));
}

#[test]
fn a_feed_whose_entries_say_nothing_is_not_an_empty_one() {
    let feed = |entry: &str| {
        format!("<rss version='2.0'><channel><title>News</title><item>{entry}</item></channel></rss>")
    };
    for entry in ["", "<title> </title>", "<link>https://example.org/1</link>"] {
        let error = feed::read(&feed(entry), &site()).unwrap_err();
        assert_eq!(error.code, ErrorCode::Malformed, "{entry}");
        assert!(feed::github(&feed(entry)).is_err(), "{entry}");
    }
    assert_eq!(
        feed::read(&feed("<title>1.0</title>"), &site())
            .unwrap()
            .releases
            .len(),
        1
    );
}

#[freshcontext_recorded::test]
fn a_blogs_front_page_leads_to_its_feeds() {
    let blog = page("page_blog_python_org.html", "http://blog.python.example/");
    // One dated heading is no list.
    assert!(blog.releases.is_empty());
    assert_eq!(
        (blog.dates.date, blog.dates.visible.as_deref()),
        (DateEvidence::None, Some("2016-12-23"))
    );
    assert!(!blog.feeds.is_empty());
    assert!(blog.feeds.iter().all(|feed| !feed.as_str().contains("comments")));
}

#[test]
fn dated_headings_of_a_page_are_its_list() {
    let html = "<body><h2 class='date-header'>Friday, December 23, 2016</h2><h3>Python 3.6.0</h3><p>Out</p>\
        <h2 class='date-header'>Tuesday, December 6, 2016</h2><h3>Python 3.6 candidate</h3><p>Soon</p></body>";
    let address = Url::parse("https://example.com/").unwrap();
    let list = page::read(html, &address, "2026-11-21T00:00:00Z".parse().unwrap());
    assert_eq!(
        summary(&list.releases, 3),
        pairs(&[
            ("Python 3.6.0", "2016-12-23"),
            ("Python 3.6 candidate", "2016-12-06")
        ])
    );
}

#[test]
fn pages_of_releases_shells_and_soft_404s() {
    let address = Url::parse("https://example.com/changelog").unwrap();
    let now = "2026-11-21T00:00:00Z".parse().unwrap();
    let list = "<html><head><title>Changes</title></head><body><main><h1>Changelog</h1><h2><a href='#a'>v2.0.0</a> - 2026-05-06</h2><p>New</p><h2>v1.0.0</h2><p>May 5, 2025</p><p>First</p></main><footer>2026-11-20</footer></body></html>";
    let page = page::read(list, &address, now);
    assert_eq!(
        summary(&page.releases, 3),
        pairs(&[("v2.0.0", "2026-05-06"), ("v1.0.0", "2025-05-05")])
    );
    let shell = page::read(
        "<html><head><title>App</title></head><body><div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript></body></html>",
        &address,
        now,
    );
    assert!(shell.shell && shell.releases.is_empty());
    let gone = page::read(
        "<html><head><title>404 - Page Not Found</title></head><body>v1.0</body></html>",
        &address,
        now,
    );
    assert!(gone.not_found);
    let future = page::read(
        "<html><head><meta property='article:published_time' content='2027-01-01T00:00:00Z'></head><body>x</body></html>",
        &address,
        now,
    );
    assert_eq!(future.dates.date, DateEvidence::None);
    let broken = page::read(
        "<script type='application/ld+json'>{\"@type\":\"Article\",\"datePublished\":\"2020-01-01\u{1}</script><script type='application/ld+json'>{\"@graph\":[{\"@type\":[\"TechArticle\"],\"datePublished\":\"2021-02-03\"}]}</script>",
        &address,
        now,
    );
    assert_eq!(
        day(&Release {
            date: broken.dates.date,
            ..Release::default()
        }),
        "2021-02-03"
    );
}

#[freshcontext_recorded::test]
fn registries_name_their_repository_and_dates() {
    use freshcontext_parse::registry::Registry;
    let text = recording("packages/npm_is-stream.json");
    let package = registry::read(Registry::Npm, &text).unwrap();
    assert_eq!(package.repository.unwrap().to_string(), "sindresorhus/is-stream");
    let latest = package
        .releases
        .iter()
        .find(|release| release.title == "3.0.0")
        .unwrap();
    assert_eq!(day(latest), "2021-08-10");
    let gone = registry::read(Registry::Npm, &recording("packages/npm_unpublished.json")).unwrap_err();
    assert_eq!(gone.message, "gone-pkg was unpublished from npm on 2023-06-15");
    assert_eq!(gone.standing.len(), 1);
    let luigi = registry::read(Registry::Pypi, &recording("packages/pypi_luigi_3.6.0.json")).unwrap();
    assert_eq!(luigi.repository.unwrap().to_string(), "spotify/luigi");
    assert!(
        luigi
            .releases
            .iter()
            .all(|release| release.title != "1.0.8" && !day(release).is_empty())
    );
    let xdg = registry::read(Registry::Crates, &recording("packages/crates_xdg.json")).unwrap();
    assert!(
        xdg.releases
            .iter()
            .any(|release| release.title == "3.0.0-pre1" && release.prerelease)
    );
}

#[test]
fn what_no_registry_sends_is_malformed_and_an_absence_is_one() {
    use freshcontext_parse::registry::Registry;
    let absent = registry::read(Registry::Npm, r#"{"error":"Not found"}"#).unwrap_err();
    assert_eq!(absent.code, ErrorCode::NotFound);
    for body in ["", "{}", "null", "[]"] {
        assert_eq!(
            registry::read(Registry::Npm, body).unwrap_err().code,
            ErrorCode::Malformed,
            "{body}"
        );
    }
}

#[test]
fn any_prefix_of_any_body_is_survived() {
    let recorded = recorded(&[
        "changelog/keepachangelog_v2.md",
        "changelog/japanese_news.md",
        "github/releases_page1.json",
        "changelog/itch_devlog.rss.xml",
        "changelog/page_time_tag_trap.html",
        "packages/npm_is-stream.json",
    ]);
    let address = Url::parse("https://example.com/x").unwrap();
    any_prefix(16, &[fixtures("changelog"), recorded].concat(), |cut| {
        let _ = markdown::read(cut);
        let _ = page::read(cut, &address, DateTime::UNIX_EPOCH);
        let errors = [
            releases::read(cut).err(),
            feed::github(cut).err(),
            registry::read(freshcontext_parse::registry::Registry::Npm, cut).err(),
        ];
        for error in errors.into_iter().flatten() {
            assert_eq!(error.code, ErrorCode::Malformed);
        }
    });
}

proptest! {
    #[test]
    fn any_text_is_a_file_without_panic(text in "([#=!*`~-]{0,4} ?[\\PC\n]{0,30}\n){0,8}") {
        let mut document = markdown::read(&text);
        sort(&mut document.releases);
        let _ = page::read(&text, &Url::parse("https://example.com/").unwrap(), DateTime::UNIX_EPOCH);
    }
}

#[test]
fn a_page_of_openers_is_read_once_and_whole() {
    let address = Url::parse("https://example.com/changelog").unwrap();
    let openers = "<H".repeat(200_000);
    let source = format!(
        "<html><title>News</title><main><h2>1.1.0 (2024-05-06)</h2><p>b<H2>1.0.0 (2024-04-05)</H2><p>a</main>{openers}"
    );
    let page = page::read(&source, &address, DateTime::UNIX_EPOCH);
    assert_eq!(
        summary(&page.releases, 3),
        pairs(&[("1.1.0", "2024-05-06"), ("1.0.0", "2024-04-05")])
    );
    assert_eq!(page.cut, None);
}

#[test]
fn a_page_that_was_cut_says_so() {
    let address = Url::parse("https://example.com/changelog").unwrap();
    let source = format!(
        "<html><main><h2>1.1.0 (2024-05-06)</h2><h2>1.0.0 (2024-04-05)</h2>{}",
        "<p>x".repeat(100_000)
    );
    let page = page::read(&source, &address, DateTime::UNIX_EPOCH);
    assert_eq!(page.releases.len(), 2);
    let cut = page.cut.unwrap();
    assert!(
        cut.contains("only the first 100") && cut.contains("of the page"),
        "{cut}"
    );
}

#[test]
fn what_nests_is_read_through_once_for_each_question() {
    let address = Url::parse("https://example.com/post").unwrap();
    let deep = "<div class='post-date comment'>".repeat(200);
    let source = format!("<html><body>{deep}{}", "word ".repeat(20_000));
    let page = page::read(&source, &address, DateTime::UNIX_EPOCH);
    assert!(page.cut.is_none() && page.text.len() > 90_000);
}

#[test]
fn of_very_many_versions_the_newest_are_read() {
    let versions: Vec<String> = (0..20_001)
        .map(|number| format!(r#""{number}.0.0":{{}}"#))
        .collect();
    // A version without a time counts as the oldest.
    let body = format!(
        r#"{{"name":"a","versions":{{{}}},"time":{{"1.0.0":"2026-01-02T00:00:00Z","9999.0.0":"2020-01-02T00:00:00Z"}}}}"#,
        versions.join(",")
    );
    let package = registry::read(Registry::Npm, &body).unwrap();
    assert_eq!((package.releases.len(), package.more), (20_000, true));
    assert_eq!(package.releases[0].title, "1.0.0");
    assert_eq!(package.releases[1].title, "9999.0.0");
    let few = registry::read(Registry::Npm, r#"{"name":"a","versions":{"1.0.0":{}}}"#).unwrap();
    assert!(!few.more);
}

fn at(source: &str, address: &str) -> page::Page {
    let now = "2026-11-21T00:00:00Z".parse().unwrap();
    page::read(source, &Url::parse(address).unwrap(), now)
}

const PROSE: &str =
    "<p>The pilots of the harbour report calm water at the old pier, and the ferry runs again.</p>";

#[test]
fn releases_that_an_article_leads_to_are_not_its_own() {
    let article = |title: &str, cards: &str| {
        format!(
            "<html><head><title>{title}</title><meta property='article:published_time' content='2026-11-18T08:00:00Z'>\
             </head><body><main><article><h1>{title}</h1>{}</article><section>{cards}</section></main></body></html>",
            PROSE.repeat(6)
        )
    };
    let linked = "<div><h3><a href='/n/2'>Example 2.4.1 released</a></h3><p>June 1, 2026</p></div>\
                  <div><h3><a href='/n/1'>Example 2.4.0 released</a></h3><p>May 1, 2026</p></div>";
    let more = "<div><h3>Example 2.4.1 (June 1, 2026)</h3><p>Faster.</p><a href='/n/2'>Read more</a></div>\
                <div><h3>Example 2.4.0 (May 1, 2026)</h3><p>Safer.</p><p><a href='/n/1'>Read more</a></p></div>";
    let lines = "<div><span><a href='/n/2'>2.4.1</a></span> (June 1, 2026)</div><p></p>\
                 <p><a href='/n/1'>2.4.0</a> (May 1, 2026)</p>";
    for cards in [linked, more, lines] {
        let source = article("A day at the harbour", cards);
        let page = at(&source, "https://example.org/news/harbour");
        assert!(page.releases.is_empty(), "{cards}: {:?}", page.releases);
        assert_eq!(page_day(&page), "2026-11-18T08:00:00+00:00");
        // A page that calls itself a list leads to the pages of its releases.
        for (source, address) in [
            (
                article("Release notes", cards),
                "https://example.org/news/harbour",
            ),
            (source, "https://example.org/changelog"),
        ] {
            let page = at(&source, address);
            let days: Vec<String> = page.releases.iter().map(day).collect();
            assert_eq!(days, ["2026-06-01", "2026-05-01"], "{cards}");
        }
    }
    // Notes may lead anywhere.
    let own = "<div><h3>Example 2.4.1 (June 1, 2026)</h3><p>See <a href='/docs'>the manual</a>.</p></div>\
               <div><h3>Example 2.4.0 (May 1, 2026)</h3><ul><li><a href='/i/7'>#7</a>: faster</li></ul></div>";
    let page = at(
        &article("A day at the harbour", own),
        "https://example.org/news/harbour",
    );
    assert_eq!(page.releases.len(), 2);
    assert!(page.releases[1].notes.contains("#7"), "{:?}", page.releases);
}

/// Title, day and whether it is still to come, of each release of a file.
fn read_file(source: &str) -> Vec<(String, String, bool)> {
    let releases = markdown::read(source).releases;
    let shown = |release: &Release| (release.title.clone(), day(release), release.unreleased);
    releases.iter().map(shown).collect()
}

fn triples(expected: &[(&str, &str, bool)]) -> Vec<(String, String, bool)> {
    let owned = |(title, day, coming): &(&str, &str, bool)| ((*title).to_owned(), (*day).to_owned(), *coming);
    expected.iter().map(owned).collect()
}

#[test]
fn a_range_of_versions_is_about_its_end() {
    let source = "Changes between 2.3.0 and 2.4.0 [20 Nov 2026]\n\n  * Ports are free.\n\n\
        Changes between 2.2.0 and 2.3.0 [1 May 2026]\n\n  * Locks turn.\n\n\
        ## 2.0.0 through 2.2.0 (2026-02-03)\n\n## Version 1.0.0 to 2.0.0\n\n### Bump tools from 1.0 to 1.1\n";
    let words = "CHANGES FROM 2.3 TO 2.4\n\n* Ports.\n\nCHANGES FROM 2.2 TO 2.3, 01 May 2026\n\n* Locks.\n";
    assert_eq!(
        read_file(words),
        triples(&[("2.4", "", false), ("2.3", "2026-05-01", false)])
    );
    assert_eq!(
        read_file(source),
        triples(&[
            ("2.4.0", "2026-11-20", false),
            ("2.3.0", "2026-05-01", false),
            ("2.2.0", "2026-02-03", false),
            ("2.0.0", "", false),
        ])
    );
}

#[test]
fn the_newest_heading_is_read_in_its_many_forms() {
    let older = "\n\n## 1.1.0 (2026-02-03)\n\n- old\n";
    for (heading, title, at) in [
        (
            "Noteworthy changes in version 1.5.4 (2026-05-06)",
            "1.5.4",
            "2026-05-06",
        ),
        (
            "# Noteworthy changes in version 1.5.4 (2026-05-06)",
            "1.5.4",
            "2026-05-06",
        ),
        (
            "Overview of the changes in 1.5.4, 16-05-2026",
            "1.5.4",
            "2026-05-16",
        ),
        ("v1.5.4 (Feb 2026)", "v1.5.4", ""),
        ("v1.5.4: Feb 16 2026:", "v1.5.4", "2026-02-16"),
        ("1.05  Fri Nov 20 10:11:12 2026", "1.05", "2026-11-20"),
        ("1.05  Fri Nov 20 10:11:12 CET 2026", "1.05", "2026-11-20"),
        ("1.5.4 (unreleased)", "1.5.4", ""),
        ("v257 (2026-05-06)", "v257", "2026-05-06"),
    ] {
        let read = read_file(&format!("{heading}\n\n- new{older}"));
        let first = read.first().unwrap();
        assert_eq!((first.0.as_str(), first.1.as_str()), (title, at), "{heading}");
        assert_eq!(read.len(), 2, "{heading}: {read:?}");
    }
    // Without a blank line before it.
    let source = "v1.1.36: May 20 2026:\n\n  New locks.\nv1.1.35: Feb 16 2026:\n  New ports.\n";
    assert_eq!(
        read_file(source),
        triples(&[("v1.1.36", "2026-05-20", false), ("v1.1.35", "2026-02-16", false)])
    );
    let prose = "## 1.1.0 (2026-02-03)\n\nThis mends what broke in\n1.0.9 (2026-01-02) for all.\n";
    assert_eq!(read_file(prose).len(), 1);
}

#[test]
fn a_higher_version_above_the_first_heading_is_told() {
    let above = |text: &str| markdown::read(&format!("{text}\n\n## 1.2.0 (2026-02-03)\n\n## 1.1.0\n")).above;
    assert_eq!(
        above("Example, release of winter: 1.3.0"),
        Some("1.3.0".to_owned())
    );
    for none in [
        "Example 1.1.0",
        "It keeps to Semantic Versioning 2.0.0.",
        "See https://example.org/2.0.0",
        "$Id: NEWS,v 1.5 2026/11/20 10:11:12 x Exp $",
    ] {
        assert_eq!(above(none), None, "{none}");
    }
}

#[test]
fn what_is_still_to_come_has_no_date() {
    for heading in [
        "2.0.0 - TO BE RELEASED",
        "2.0.0 (coming soon)",
        "2.0.0 [in development]",
        "2.0.0 (????-??-??)",
        "2.0.0 - 2026-XX-XX",
        "2.0.0 (not-yet-released)",
        "2.0.0 (TBA)",
        "2.0.0 (2026-11-20, unreleased)",
        "2.0.0 - 2026-11-20 - UNRELEASED",
        "2.0.0\n\n_Release date: to be announced_",
        "2.0.0\n\nUnreleased",
    ] {
        let read = read_file(&format!("## {heading}\n\n- new\n\n## 1.0.0 (2026-02-03)\n"));
        let expected = triples(&[("2.0.0", "", true), ("1.0.0", "2026-02-03", false)]);
        assert_eq!(read, expected, "{heading}");
    }
    for under in [
        "Unreleased",
        "*Unreleased*",
        "(unreleased)",
        "Unreleased.",
        "> Unreleased",
    ] {
        for head in [
            "## Version 8.5.0\n",
            "## Version 8.5.0\n\n",
            "Version 8.5.0\n-------------\n\n",
        ] {
            let read = read_file(&format!(
                "{head}{under}\n\n-   Fix a thing.\n\n## Version 8.4.0\n\nReleased 2026-02-03\n\n-   One.\n"
            ));
            let expected = triples(&[("8.5.0", "", true), ("8.4.0", "2026-02-03", false)]);
            let short: Vec<_> = read
                .iter()
                .map(|(title, day, coming)| {
                    (
                        title.trim_start_matches("Version ").to_owned(),
                        day.clone(),
                        *coming,
                    )
                })
                .collect();
            assert_eq!(short, expected, "{head}{under}");
        }
    }
    for heading in [
        "2.0.0 (2026-11-20): show the work in progress",
        "2.0.0 - 2026-11-20 - Upcoming trips",
    ] {
        let read = read_file(&format!("## {heading}\n\n## 1.0.0 (2026-02-03)\n"));
        assert!(!read[0].2 && read[0].1 == "2026-11-20", "{heading}");
    }
    // What never came out, and is older than a release that did, is not the next one.
    let mut skipped = markdown::read("## 2.0.0 (2026-02-03)\n\n## 1.9.0 (unreleased)\n").releases;
    sort(&mut skipped);
    assert!(skipped[0].title == "2.0.0" && skipped[1].unreleased);
    assert!(read_file("## Coming soon\n\n- a\n\n## 1.0.0 (2026-02-03)\n")[0].2);
}

#[test]
fn one_odd_entry_does_not_turn_a_history_without_dates() {
    let sorted = |source: &str| {
        let mut releases = markdown::read(source).releases;
        sort(&mut releases);
        releases
            .into_iter()
            .map(|release| release.title)
            .collect::<Vec<_>>()
    };
    let falling = "## v1.2.9\n\n## v2.3.0\n\n## v2.2.0\n\n## v2.1.0\n";
    assert_eq!(sorted(falling), ["v1.2.9", "v2.3.0", "v2.2.0", "v2.1.0"]);
    let rising = "## v2.1.0\n\n## v2.2.0\n\n## v2.3.0\n\n## v1.2.9\n";
    assert_eq!(sorted(rising), ["v1.2.9", "v2.3.0", "v2.2.0", "v2.1.0"]);
}

#[test]
fn entries_of_a_list_are_releases_where_there_are_no_headings() {
    let source = "History of Example\n\n- 1.2.0 (2026-05-06)\n  - new ports\n* 1.1.0, 2026-02-03: new locks for all of the doors\n- tidier\n";
    let read = markdown::read(source).releases;
    assert_eq!(
        summary(&read, 5),
        pairs(&[("1.2.0", "2026-05-06"), ("1.1.0", "2026-02-03")])
    );
    assert!(read[0].notes.contains("new ports") && read[1].notes.contains("new locks"));
    let outline = "* Noteworthy changes in release 1.2.0 (2026-05-06) [stable]\n\n** New ports\n\n\
        * Major changes in release 1.1.0, 2026-02-03\n\n** release 1.0.0, 2026-01-05\n";
    assert_eq!(read_file(outline).len(), 3);
    let notes = "## 3.0.0 (2026-11-20)\n\n- 1.2.0 (2026-05-06) of the tools\n";
    assert_eq!(read_file(notes).len(), 1);
}

#[test]
fn changelogs_of_debian_packages() {
    let source = "example (2:1.3-1) UNRELEASED; urgency=medium\n\n  * Draft.\n\n -- A. Person <a@example.org>  Sat, 21 Nov 2026 10:11:12 +0000\n\n\
        example (1.2~rc1-3) unstable; urgency=low\n\n  * New 9.9.9 upstream.\n\n -- A. Person <a@example.org>  Wed, 20 Nov 2026 10:11:12 +0100\n\n\
        example (1.1-1) stable; urgency=high, binary-only=yes\n\n  * Start.\n\n -- A. Person <a@example.org>  soon\n";
    let read = markdown::read(source).releases;
    let shown: Vec<_> = read
        .iter()
        .map(|release| {
            (
                release.title.as_str(),
                shown(&release.date),
                release.unreleased,
                release.prerelease,
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("2:1.3-1", None, true, false),
            ("1.2~rc1-3", Some("2026-11-20T09:11:12Z".to_owned()), false, true),
            ("1.1-1", None, false, false),
        ]
    );
    assert!(read[1].notes.contains("9.9.9") && !read[1].notes.contains("Person"));
}

#[test]
fn sections_of_a_manual_are_no_releases() {
    let manual = "# Manual\n\n## 4.8 Locks\n\n## 4.9 Questions\n\n### 4.9.1. What is a lock?\n\ntext\n\n### 4.9.2. What is a port?\n\n## 4.10 Doors\n\n## 5.1 Keys\n";
    assert!(read_file(manual).is_empty(), "{:?}", read_file(manual));
    let page = at(
        "<html><head><title>Manual</title></head><body><main><h1>Manual</h1><h2>4.9.1. What is a lock?</h2><p>a</p>\
         <h2>4.9.2. What is a port?</h2><p>b</p><h2>4.9.3. What is a door?</h2><p>c</p></main></body></html>",
        "https://example.org/manual",
    );
    assert!(page.releases.is_empty(), "{:?}", page.releases);
    let history = "## 0.1 First\n\n## 0.1.1 Locks\n\n## 0.2 Ports\n\n## 0.4 Doors\n";
    assert_eq!(read_file(history).len(), 4);
    assert_eq!(read_file("## 1.0\n\n## 1.0.1\n\n## 1.1\n\n## 1.2\n").len(), 4);
}

#[test]
fn a_mark_of_the_version_control_is_no_heading() {
    let source = "# $Id: NEWS,v 1.5 2026/11/20 10:11:12 x Exp $\n\n## 1.2.0 (2026-02-03)\n";
    assert_eq!(read_file(source), triples(&[("1.2.0", "2026-02-03", false)]));
}

#[test]
fn pages_that_hold_placeholders_or_lead_elsewhere_are_no_documents() {
    let page = |head: &str, body: &str| {
        at(
            &format!(
                "<html><head><title>Example</title>{head}</head><body><main><h1>Example</h1>{body}</main></body></html>"
            ),
            "https://example.org/news/a",
        )
    };
    for body in [
        "<p>{{ post.title }}</p>",
        "<p>By {{ post.author }} on {{ post.day }}</p><div>{{{ post.html }}}</div>",
        "<p>undefined</p><p>null, NaN [object Object]</p>",
        "<p>Price: undefined</p><p>Seats: NaN</p><p>Port: null</p>",
    ] {
        assert!(page("", body).shell, "{body}");
    }
    for body in [
        "<p>Write {{ name }} where the template shall show the name of the port, and the pilot sees it.</p>",
        "<p>The lock returned null where it should return undefined, and the pilots saw it.</p>",
    ] {
        assert!(!page("", body).shell, "{body}");
    }
    for (head, body) in [
        (
            "",
            "<p>We have moved. You will be redirected to our new site shortly.</p>",
        ),
        (
            "",
            "<p>Redirecting… If you are not redirected, follow <a href='/b'>this link</a>.</p>",
        ),
        (
            "<meta http-equiv='Refresh' content='0; URL=/b'>",
            "<p>Wir sind umgezogen.</p>",
        ),
    ] {
        assert!(page(head, body).moved, "{body}");
    }
    for (head, body) in [
        (
            "",
            "<p>We have moved: the office is at the old pier since Monday.</p>".to_owned(),
        ),
        (
            "<meta http-equiv=refresh content='300'>",
            "<p>All locks are open.</p>".to_owned(),
        ),
        (
            "",
            format!(
                "<p>You will be redirected to the new site.</p>{}",
                PROSE.repeat(6)
            ),
        ),
    ] {
        assert!(!page(head, &body).moved, "{body}");
    }
}

#[test]
fn each_version_has_its_own_signs() {
    let of = |registry: Registry, body: &str| -> Vec<(String, &'static str, String)> {
        let package = registry::read(registry, body).unwrap();
        let signs = package.releases.into_iter().flat_map(|release| {
            let title = release.title;
            release.standing.into_iter().map(move |sign| {
                (
                    title.clone(),
                    sign.state.as_str(),
                    sign.reason.unwrap_or_default(),
                )
            })
        });
        signs.collect()
    };
    let said =
        |version: &str, state: &'static str, reason: &str| (version.to_owned(), state, reason.to_owned());
    let crates = r#"{"crate":{"name":"a"},"versions":[{"num":"1.1.0","yanked":false,"yank_message":"no"},
        {"num":"1.0.0","yanked":true,"yank_message":"unsound"},{"num":"0.9.0","was_yanked":true}]}"#;
    assert_eq!(of(Registry::Crates, crates), [said("1.0.0", "yanked", "unsound")]);
    let pypi = r#"{"info":{"name":"a","version":"1.1"},"releases":{
        "1.1":[{"upload_time":"2026-01-02T00:00:00","yanked":true,"yanked_reason":"bad wheel"},{"upload_time":"2026-01-02T00:00:00","yanked":false}],
        "1.0":[{"upload_time":"2026-01-01T00:00:00","yanked":true,"yanked_reason":"broken"}]}}"#;
    assert_eq!(of(Registry::Pypi, pypi), [said("1.0", "yanked", "broken")]);
    let npm = r#"{"name":"a","versions":{"1.0.0":{"deprecated":"use b-2 instead"},"1.1.0":{"deprecated":""},"1.2.0":{"deprecated":true}}}"#;
    assert_eq!(
        of(Registry::Npm, npm),
        [
            said("1.0.0", "deprecated", "use b-2 instead"),
            said("1.2.0", "deprecated", "")
        ]
    );
}

/// The title of each release with the signs of it.
fn signs(releases: &[Release]) -> Vec<(&str, Vec<(&str, &str)>)> {
    let of = |release: &Release| {
        let has = |state: StandingState| release.standing.iter().any(|sign| sign.state == state);
        // The flags of the fields are the same fact.
        assert_eq!(release.prerelease, has(StandingState::Prerelease));
        assert_eq!(release.yanked, has(StandingState::Yanked));
    };
    releases
        .iter()
        .inspect(|release| of(release))
        .map(|release| {
            let signs = release.standing.iter();
            let signs = signs.map(|sign| (sign.state.as_str(), sign.field.as_ref()));
            (release.title.as_str(), signs.collect())
        })
        .collect()
}

#[test]
fn releases_say_what_they_are() {
    let body = r#"[{"tag_name":"v3.0.0","name":"Three","prerelease":true},{"tag_name":"v3.0.0-rc.1","name":"Three","prerelease":false},
        {"tag_name":"v2.1.0","name":"Nightly v2.1.0","prerelease":false},{"tag_name":"v2.0.1","name":"v2.0.1 [YANKED]","prerelease":false},
        {"tag_name":"v2.0.0","name":"v2.0.0","prerelease":false,"body":"Deprecated: `old`. 1.9.9 is [YANKED]."}]"#;
    assert_eq!(
        signs(&releases::read(body).unwrap().releases),
        [
            ("Three", vec![("prerelease", "prerelease")]),
            ("Three", vec![("prerelease", "tag_name")]),
            ("Nightly v2.1.0", vec![("prerelease", "name")]),
            ("v2.0.1 [YANKED]", vec![("yanked", "name")]),
            ("v2.0.0", vec![]),
        ]
    );
    // Each field gone, renamed or of another kind: no sign, and no failure.
    let one = r#"[{"tag_name":"v3.0.0","name":"Three","prerelease":true}]"#;
    for (field, other) in [
        (r#","prerelease":true"#, ""),
        ("\"prerelease\":true", "\"pre_release\":true"),
        ("\"prerelease\":true", "\"prerelease\":\"true\""),
        ("\"prerelease\":true", "\"prerelease\":null"),
    ] {
        let changed = one.replace(field, other);
        assert_ne!(changed, one);
        assert_eq!(
            signs(&releases::read(&changed).unwrap().releases),
            [("Three", vec![])],
            "{other}"
        );
    }
}

#[test]
fn headings_say_what_they_are() {
    let file = "# Changelog\n\n## 2.0.0-beta.1 - 2026-03-01\n\n## [1.2.2] - 2024-04-01 [YANKED]\n\nBroken.\n\n\
        ## 1.2.1 - 2024-03-01\n\n### Deprecated\n\n- `old`\n\n### Removed\n\n- 1.2.0 was marked as [YANKED]\n\n[YANKED] releases are listed.\n\n\
        ## 1.1.0 - 2024-01-01 (yanked)\n";
    assert_eq!(
        signs(&markdown::read(file).releases),
        [
            ("2.0.0-beta.1", vec![("prerelease", "heading")]),
            ("1.2.2", vec![("yanked", "heading")]),
            ("1.2.1", vec![]),
            ("1.1.0", vec![("yanked", "heading")]),
        ]
    );
    let renamed = file.replace("[YANKED]", "[PULLED]").replace("(yanked)", "");
    let renamed = markdown::read(&renamed).releases;
    assert!(renamed.iter().all(|release| !release.yanked));
    let titles: Vec<_> = renamed.iter().map(|release| release.title.as_str()).collect();
    assert_eq!(titles, ["2.0.0-beta.1", "1.2.2", "1.2.1", "1.1.0"]);
}

#[test]
fn entries_of_feeds_say_what_they_are() {
    let entry = |id: &str, title: &str| {
        format!(
            "<entry><id>tag:github.com,2008:Repository/1/{id}</id><title>{title}</title><updated>2026-01-01T00:00:00Z</updated></entry>"
        )
    };
    let feed = format!(
        r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title>{}{}{}</feed>"#,
        entry("v2.0.0-rc.1", "Two"),
        entry("v1.9.0", "1.9.0 [YANKED]"),
        entry("v1.8.0", "1.8.0: yanked crates are skipped")
    );
    assert_eq!(
        signs(&feed::github(&feed).unwrap()),
        [
            ("Two", vec![("prerelease", "tag")]),
            ("1.9.0 [YANKED]", vec![("yanked", "title")]),
            ("1.8.0: yanked crates are skipped", vec![]),
        ]
    );
}

#[test]
fn files_tell_of_a_release_that_pypis_list_leaves_out() {
    let file = r#"[{"upload_time_iso_8601":"2026-10-01T00:00:00.000000Z","yanked":false}]"#;
    for list in ["", r#""releases":{},"#, r#""releases":null,"#] {
        let body = format!(r#"{{"info":{{"name":"demo","version":"6.0.0"}},{list}"urls":{file}}}"#);
        let package = registry::read(Registry::Pypi, &body).unwrap();
        assert_eq!(
            summary(&package.releases, 2),
            pairs(&[("6.0.0", "2026-10-01")]),
            "{body}"
        );
    }
    let none = registry::read(
        Registry::Pypi,
        r#"{"info":{"name":"demo","version":"6.0.0"},"releases":{}}"#,
    );
    assert!(none.unwrap().releases.is_empty());
}

#[test]
fn a_page_with_an_unreadable_date_is_an_undated_document() {
    for written in ["{{ date }}", "next week", "20/11/2026"] {
        let source = format!(
            r#"<html><head><title>A story</title><script type="application/ld+json">{{"@type":"NewsArticle","headline":"A story","datePublished":"{written}"}}</script></head><body><main><h1>A story</h1><p>One sentence of the story and more than enough words to read.</p></main></body></html>"#
        );
        let page = at(&source, "https://example.com/a-story");
        assert_eq!(page.dates.date, DateEvidence::None);
        assert!(
            page.dates.notes[0].contains(written) && page.dates.any(),
            "{:?}",
            page.dates.notes
        );
    }
}

#[test]
fn a_date_in_another_form_than_its_field_asks_for_is_a_signal() {
    for (written, day) in [
        ("November 20, 2026", "2026-11-20"),
        ("2026/11/20", "2026-11-20"),
        ("20261120", "2026-11-20"),
        (
            "2026-11-20T10:00:00-05:00[America/New_York]",
            "2026-11-20T15:00:00Z",
        ),
        ("Fri Nov 20 2026 10:00:00 GMT+0000 (UTC)", "2026-11-20T10:00:00Z"),
    ] {
        let source = format!(
            r#"<html><head><title>A story</title><script type="application/ld+json">{{"@type":"NewsArticle","headline":"A story","datePublished":"{written}"}}</script></head><body><main><h1>A story</h1><p>One sentence of the story and more than enough words to read.</p></main></body></html>"#
        );
        let date = at(&source, "https://example.com/a-story").dates.date;
        assert!(
            matches!(date, DateEvidence::PageSignal { .. }),
            "{written}: {date:?}"
        );
        assert_eq!(super::shown(&date).as_deref(), Some(day), "{written}");
        // A field in its own form comes first, wherever it stands.
        let meta = r#"<meta property="article:published_time" content="2026-11-20T15:00:00Z">"#;
        let date = at(
            &source.replace("</head>", &format!("{meta}</head>")),
            "https://example.com/a-story",
        )
        .dates
        .date;
        assert_eq!(
            date,
            DateEvidence::field(
                "published_time of the page's metadata",
                "2026-11-20T15:00:00Z".parse::<DateTime<Utc>>().unwrap()
            ),
            "{written}"
        );
    }
}

#[test]
fn a_page_says_under_a_heading_that_its_version_is_to_come() {
    let section = |version: &str, under: &str| {
        format!(
            "<section><h2>Version {version}<a class=\"headerlink\" href=\"#v\">¶</a></h2><p>{under}</p><ul class=\"simple\">\
             <li><p>Ropes are coiled by the night watch.</p></li></ul></section>"
        )
    };
    let source = format!(
        "<html><head><title>Changes - Gulls</title></head><body><div role=\"main\"><section><h1>Changes</h1>{}{}{}</section></div></body></html>",
        section("8.5.0", "Unreleased"),
        section("8.4.2", "Released 2026-09-30"),
        section("8.4.1", "Released 2026-08-12"),
    );
    let address = freshcontext_contract::url::Url::parse("https://example.org/changes/").unwrap();
    let page = super::page::read(&source, &address, "2026-11-21T12:00:00Z".parse().unwrap());
    let read: Vec<(&str, bool)> = (page.releases.iter())
        .map(|release| (release.title.as_str(), release.unreleased))
        .collect();
    assert_eq!(read, [("8.5.0", true), ("8.4.2", false), ("8.4.1", false)]);
}
