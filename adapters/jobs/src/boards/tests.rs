use super::*;
use freshcontext_contract::ErrorCode;
use proptest::prelude::*;

const REMOTIVE: &str = include_str!("../../../../fixtures/jobs/ok/remotive.json");
const REMOTEOK: &str = include_str!("../../../../fixtures/jobs/ok/remoteok.json");
const ARBEITNOW: &str = include_str!("../../../../fixtures/jobs/ok/arbeitnow1.json");
const MUSE: &str = include_str!("../../../../fixtures/jobs/ok/muse.json");
const THREADS: &str = include_str!("../../../../fixtures/jobs/ok/threads.json");
const COMMENTS: &str = include_str!("../../../../fixtures/jobs/ok/comments.json");

fn at(text: &str) -> Option<DateTime<Utc>> {
    text.parse().ok()
}

#[test]
fn remotive_dates_without_a_zone_are_utc() {
    let read = remotive(REMOTIVE).unwrap();
    assert_eq!(read.jobs.len(), 3);
    let job = &read.jobs[0];
    assert_eq!(job.at, at("2026-11-19T08:00:00Z"));
    assert_eq!(job.company.as_deref(), Some("Example & Sons"));
    assert_eq!(
        job.url.as_deref(),
        Some("https://remotive.com/remote-jobs/software-dev/rust-engineer-1001")
    );
    assert_eq!(read.jobs[1].salary, None, "empty pay is unknown");
    assert_eq!(read.jobs[2].kind, None);
}

#[test]
fn remote_ok_loses_the_notice_the_trap_and_the_zero() {
    let read = remoteok(REMOTEOK).unwrap();
    assert_eq!((read.jobs.len(), read.unreadable), (2, 0));
    let job = &read.jobs[0];
    assert_eq!(job.text, "You’ll like it.");
    assert_eq!(
        (job.location.as_deref(), job.salary.as_deref()),
        (Some("Berlin"), Some("up to 120000"))
    );
    assert_eq!(read.jobs[1].salary, None);
    assert_eq!(
        remoteok(r#"[{"last_updated": 1, "legal": "x"}]"#).unwrap(),
        Read::default()
    );
}

#[test]
fn arbeitnow_pages_say_whether_there_is_more() {
    let read = arbeitnow(ARBEITNOW).unwrap();
    assert_eq!((read.jobs.len(), read.unreadable, read.more), (1, 1, true));
    assert_eq!(read.jobs[0].text, "Escaped & twice.");
    assert_eq!(read.jobs[0].at, at("2026-11-20T06:00:00Z"));
    let last = arbeitnow(r#"{"data": [], "links": {"next": null}}"#).unwrap();
    assert!(last.jobs.is_empty() && !last.more);
}

#[test]
fn the_muse_says_remote_only_by_its_places() {
    let read = muse(MUSE).unwrap();
    assert_eq!(read.jobs[0].remote, Some(true));
    assert_eq!(
        read.jobs[0].location.as_deref(),
        Some("Flexible / Remote; New York, NY")
    );
    assert_eq!(read.jobs[0].at, at("2026-11-10T10:00:00Z"));
    assert_eq!(
        muse(r#"{"code": 400, "error": "Value `page` is too high"}"#)
            .unwrap_err()
            .code,
        ErrorCode::UpstreamError
    );
    assert_eq!(muse("{}").unwrap_err().code, ErrorCode::Malformed);
}

#[test]
fn only_monthly_hiring_threads_count_and_the_newest_is_first() {
    let now = "2026-11-21T12:00:00Z".parse().unwrap();
    let threads = hiring_threads(THREADS, now).unwrap();
    assert_eq!(
        threads.iter().map(|thread| thread.id).collect::<Vec<_>>(),
        [901, 850]
    );
    let early = "2026-10-15T00:00:00Z".parse().unwrap();
    assert_eq!(
        hiring_threads(THREADS, early).unwrap()[0].id,
        850,
        "a thread of the future is none"
    );
}

#[test]
fn replies_and_deleted_comments_are_no_adverts() {
    let read = hiring_comments(COMMENTS, 901).unwrap();
    assert_eq!(
        read.jobs.iter().map(|job| job.key.as_str()).collect::<Vec<_>>(),
        ["911", "914"]
    );
    let job = &read.jobs[0];
    assert_eq!(
        (job.position.as_str(), job.company.as_deref()),
        ("Senior Engineer (Rust)", Some("Northwind"))
    );
    assert_eq!(
        (job.salary.as_deref(), job.remote),
        (Some("€90k/year"), Some(true))
    );
    assert_eq!(job.location.as_deref(), Some("Remote (EU)"));
    assert_eq!(read.jobs[1].remote, Some(false));
    assert!(
        hiring_comments(r#"{"hits": [], "nbHits": 152}"#, 901)
            .unwrap()
            .jobs
            .is_empty()
    );
}

#[test]
fn the_top_of_a_tree_are_the_adverts() {
    let tree = r#"{"id": 9, "children": [{"id": 1, "text": "<p>Acme - Engineer, Oslo</p>", "created_at": "2011-04-01T13:35:50.000Z",
        "children": [{"id": 2, "text": "nice", "children": []}]}, {"id": 3, "text": null, "children": []}]}"#;
    let read = hiring_tree(tree).unwrap();
    assert_eq!(read.jobs.len(), 1);
    assert_eq!(
        (read.jobs[0].position.as_str(), &read.jobs[0].location),
        ("Acme - Engineer, Oslo", &None)
    );
    assert_eq!(read.jobs[0].at, at("2011-04-01T13:35:50Z"));
}

#[test]
fn dates_that_cannot_be_read_are_left_to_the_judge() {
    let (evidence, at) = dated("date", Some("soon".into()));
    assert_eq!((evidence, at), (DateEvidence::field("date", "soon"), None));
    assert_eq!(dated("date", Some(" ".into())).0, DateEvidence::None);
    assert_eq!(epoch("epoch", Some(0)).0, DateEvidence::None);
}

#[test]
fn entries_of_another_shape_are_malformed_not_an_empty_board() {
    assert_eq!(
        arbeitnow(r#"{"data": [{"slug": 5}]}"#).unwrap_err().code,
        ErrorCode::Malformed
    );
    assert_eq!(
        remoteok(r#"[{"title": "x"}]"#).unwrap_err().code,
        ErrorCode::Malformed
    );
    assert_eq!(
        remotive(r#"{"jobs": {}}"#).unwrap_err().code,
        ErrorCode::Malformed
    );
}

proptest! {
    #[test]
    fn any_prefix_gives_a_board_or_malformed(cut in 0usize..4_000, which in 0usize..6) {
        let body = [REMOTIVE, REMOTEOK, ARBEITNOW, MUSE, THREADS, COMMENTS][which];
        let body: String = body.chars().take(cut).collect();
        let now = "2026-11-21T12:00:00Z".parse().unwrap();
        let error = match which {
            0 => remotive(&body).err(),
            1 => remoteok(&body).err(),
            2 => arbeitnow(&body).err(),
            3 => muse(&body).err(),
            4 => hiring_threads(&body, now).err(),
            _ => hiring_comments(&body, 901).err().or_else(|| hiring_tree(&body).err()),
        };
        if let Some(error) = error {
            prop_assert_eq!(error.code, ErrorCode::Malformed);
        }
    }
}
