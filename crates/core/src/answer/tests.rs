use super::fixture::*;
use super::*;

#[test]
fn the_envelope_is_written_as_designed() {
    let answer = judged(vec![item(1, "2026-03-05T11:00:00Z")]).render(4000);
    assert!(answer.text.starts_with("[FRESHCONTEXT]\nSource: https://news.example/search?q=gardens\nPublished: 2026-03-05T11:00:00.000Z\nRetrieved: 2026-03-05T12:00:00.000Z\nConfidence: high\nScore: 95 (current)\nStaleness: fresh; revalidate after 2026-03-06T00:51:46.597Z\n---\n"));
}
