use super::*;
use freshcontext_contract::DateValue;
use freshcontext_testkit::bodies::{any_prefix, fixtures, recorded, recording};

fn failed(body: &str, status: u16) -> SourceError {
    match read(body, status, false) {
        Err(Trouble::Failed(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn date_of(item: &Item) -> (&str, &str) {
    match &item.date {
        DateEvidence::Field {
            name,
            value: DateValue::Text(text),
        } => (name.as_ref(), text.as_str()),
        other => panic!("{other:?}"),
    }
}

fn field<'i>(item: &'i Item, name: &str) -> &'i str {
    item.fields
        .get(name)
        .and_then(|value| value.as_str())
        .unwrap_or_default()
}

#[freshcontext_recorded::test]
fn a_page_of_results() {
    let body = recording("arxiv/search_normal.xml");
    let feed = read(&body, 200, false).unwrap();
    assert_eq!(
        (feed.papers.len(), feed.unreadable, feed.total),
        (10, 0, Some(214_881))
    );
    assert_eq!(feed.understood.as_deref(), Some("all:testing"));
    let first = &feed.papers[0];
    assert_eq!(first.url.as_deref(), Some("https://arxiv.org/abs/2202.12139v1"));
    assert_eq!(date_of(first), ("published", "2022-02-24T15:05:19Z"));
    assert!(first.title.starts_with("Testing Deep Learning Models: A First"));
    assert!(first.summary.chars().count() <= LIST_ABSTRACT && first.summary.ends_with('…'));
}

#[freshcontext_recorded::test]
fn a_revision_has_both_dates_and_its_version() {
    let body = recording("arxiv/search_normal.xml");
    let feed = read(&body, 200, false).unwrap();
    for paper in &feed.papers {
        let version = paper.fields["version"].as_u64().unwrap();
        assert_eq!(
            date_of(paper).0,
            if version == 1 { "published" } else { "updated" },
            "{paper:?}"
        );
        assert!(!field(paper, "first_submitted").is_empty());
        assert_eq!(paper.fields.contains_key("updated"), version > 1);
    }
    assert!(
        feed.papers
            .iter()
            .any(|paper| paper.fields["version"].as_u64() > Some(1))
    );
}

#[freshcontext_recorded::test]
fn a_refusal_is_an_error_with_400_and_with_200() {
    let body = recording("arxiv/error_bad_id.xml");
    for status in [400, 200] {
        let error = failed(&body, status);
        assert_eq!(error.code, ErrorCode::InvalidInput);
        assert!(error.message.contains("incorrect id format for abc"), "{error}");
    }
}

#[freshcontext_recorded::test]
fn empty_unsteady_and_limited_are_told_apart() {
    let empty = recording("arxiv/empty.xml");
    let feed = read(&empty, 200, false).unwrap();
    assert!(feed.papers.is_empty() && feed.total == Some(0));
    let promised = empty.replace(">0</opensearch:totalResults>", ">7</opensearch:totalResults>");
    assert!(matches!(read(&promised, 200, false), Err(Trouble::Unsteady(_))));
    let past = promised.replace(">0</opensearch:startIndex>", ">7</opensearch:startIndex>");
    assert!(read(&past, 200, false).unwrap().papers.is_empty());
    let limited = recording("arxiv/error_429_rate.txt");
    assert_eq!(failed(&limited, 200).code, ErrorCode::RateLimited);
    assert_eq!(failed(&empty, 400).code, ErrorCode::UpstreamError);
}

#[test]
fn no_body_is_unsteady_and_no_feed_is_malformed() {
    assert!(matches!(read("", 200, false), Err(Trouble::Unsteady(_))));
    assert!(matches!(read(" \n", 200, false), Err(Trouble::Unsteady(_))));
    assert_eq!(
        failed("<html><body>abs page</body></html>", 200).code,
        ErrorCode::Malformed
    );
    assert_eq!(failed("<rss/>", 200).code, ErrorCode::Malformed);
}

#[freshcontext_recorded::test]
fn old_ids_affiliations_and_entities() {
    let body = recording("arxiv/old_style_id_affiliations.xml");
    let feed = read(&body, 200, true).unwrap();
    let paper = &feed.papers[0];
    assert_eq!(paper.id.as_deref(), Some("astro-ph/0601001v1"));
    assert_eq!(date_of(paper), ("published", "2006-01-02T14:57:58Z"));
    assert!(paper.summary.starts_with("We derive the frequencies"));
    assert!(paper.summary.contains("V_max<17.5") && paper.summary.contains("Gould & Morgan"));
    assert!(!paper.fields["affiliations"].as_array().unwrap().is_empty());
    assert!(field(paper, "comment").starts_with("62 pages"));
}

#[freshcontext_recorded::test]
fn a_title_of_one_sign_is_a_title() {
    let body = recording("arxiv/title_zero.xml");
    let feed = read(&body, 200, true).unwrap();
    assert_eq!(feed.papers[0].title, "0");
    assert_eq!(
        field(&feed.papers[0], "pdf"),
        "https://arxiv.org/pdf/2104.12255v1"
    );
}

#[freshcontext_recorded::test]
fn long_author_lists_are_cut_with_their_total() {
    let body = recording("arxiv/single_many_authors.xml");
    let feed = read(&body, 200, true).unwrap();
    let paper = &feed.papers[0];
    assert_eq!(paper.fields["authors"].as_array().unwrap().len(), AUTHORS);
    assert_eq!(paper.fields["authors_total"].as_u64(), Some(34));
}

#[freshcontext_recorded::test]
fn the_query_as_arxiv_read_it_is_kept() {
    let body = recording("arxiv/search_or_semantics.xml");
    let feed = read(&body, 200, false).unwrap();
    assert_eq!(feed.understood.as_deref(), Some("all:attention OR all:mechanism"));
    assert!(feed.papers[0].title.starts_with("Déjà vu"));
    assert!(!feed.papers[0].summary.contains('\n') || feed.papers[0].summary.contains("\nIn this paper"));
    assert_eq!(date_of(&feed.papers[1]), ("updated", "2011-06-18T03:29:35Z"));
    assert_eq!(field(&feed.papers[1], "first_submitted"), "2011-02-10T00:50:54Z");
}

#[test]
fn missing_parts_are_absent_and_other_orders_and_prefixes_are_fine() {
    let body = "<a:feed xmlns:a='http://www.w3.org/2005/Atom' xmlns:o='http://a9.com/-/spec/opensearch/1.1/' xmlns:x='http://arxiv.org/schemas/atom'>\
        <a:entry><a:title>Two\n  lines</a:title><x:comment>This paper has been withdrawn by the author</x:comment><a:id>http://arxiv.org/abs/2401.00001v3</a:id></a:entry>\
        <a:entry><a:title>no id</a:title></a:entry><o:totalResults>2</o:totalResults></a:feed>";
    let feed = read(body, 200, false).unwrap();
    assert_eq!((feed.papers.len(), feed.unreadable), (1, 1));
    let paper = &feed.papers[0];
    assert_eq!(
        (paper.title.as_str(), &paper.date),
        ("Two lines", &DateEvidence::None)
    );
    assert!(!paper.fields.contains_key("primary_category") && !paper.fields.contains_key("first_submitted"));
    assert_eq!(paper.fields["withdrawn"], true);
}

#[test]
fn any_prefix_of_any_body_is_survived() {
    let recorded = recorded(&[
        "arxiv/search_normal.xml",
        "arxiv/old_style_id_affiliations.xml",
        "arxiv/error_bad_id.xml",
        "arxiv/empty.xml",
    ]);
    any_prefix(32, &[fixtures("arxiv"), recorded].concat(), |cut| {
        match read(cut, 200, false) {
            Ok(_) | Err(Trouble::Unsteady(_)) => {}
            Err(Trouble::Failed(error)) => assert_eq!(error.code, ErrorCode::Malformed),
        }
    });
}

fn entry(id: &str, comment: &str) -> Item {
    let body = format!(
        "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:x='http://arxiv.org/schemas/atom'><entry><id>http://arxiv.org/abs/{id}</id>\
         <title>One</title><published>2024-01-01T00:00:00Z</published><updated>2025-01-01T00:00:00Z</updated>{comment}</entry></feed>"
    );
    read(&body, 200, false).unwrap().papers.remove(0)
}

#[test]
fn a_later_version_takes_an_older_ones_place() {
    let latest = entry("2401.00001v3", "");
    let signs: Vec<_> = (1..=3)
        .map(|v| behind(&format!("2401.00001v{v}"), &latest))
        .collect();
    assert_eq!(signs[2], None);
    for (at, since) in [(0, None), (1, Some("2025-01-01T00:00:00Z".into()))] {
        let sign = signs[at].as_ref().unwrap();
        assert_eq!((sign.state.as_str(), &sign.since), ("superseded", &since));
        let by = sign.replaced_by.as_ref().unwrap();
        assert_eq!(by.id.as_deref(), Some("2401.00001v3"));
        assert_eq!(by.url.as_deref(), Some("https://arxiv.org/abs/2401.00001v3"));
    }
    let withdrawn = entry("2401.00001v4", "<x:comment>Withdrawn by the author</x:comment>");
    let sign = behind("2401.00001v1", &withdrawn).unwrap();
    assert_eq!(
        (sign.state.as_str(), sign.since),
        ("withdrawn", Some("2025-01-01T00:00:00Z".into()))
    );
    assert_eq!(sign.url.as_deref(), Some("https://arxiv.org/abs/2401.00001v4"));
}

#[test]
fn without_its_comment_a_paper_has_no_state() {
    let said = "This paper has been withdrawn by the author";
    let whole = entry("2401.00001v2", &format!("<x:comment>{said}</x:comment>"));
    assert_eq!(
        (whole.standing.len(), &whole.fields["withdrawn"]),
        (1, &true.into())
    );
    assert_eq!(whole.fields["withdrawn_at"], "2025-01-01T00:00:00Z");
    for comment in [
        String::new(),
        "<x:comment/>".to_owned(),
        format!("<x:remark>{said}</x:remark>"),
        format!("<comment>{said}</comment>"),
        format!("<x:journal_ref>{said}</x:journal_ref>"),
    ] {
        let paper = entry("2401.00001v2", &comment);
        assert!(
            paper.standing.is_empty() && !paper.fields.contains_key("withdrawn"),
            "{comment}"
        );
    }
}
