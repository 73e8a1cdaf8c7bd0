//! Documents as other programs write them: what failed, which of several dates counts, whose score it is.

use super::*;

/// The verdict on a document as it stands, without the fields of [`signal`].
#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn on(document: Value) -> Verdict {
    all(json!({"signals": [document]})).remove(0)
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn all(arguments: Value) -> Vec<Verdict> {
    evaluated(&arguments).unwrap().verdicts
}

const TEXT: &str = "The harbour server listens on port 8080 unless the settings file names another.";

fn published(verdict: &Verdict) -> Option<&str> {
    Some(
        verdict
            .provenance_readiness
            .published_at
            .as_deref()?
            .split_once('T')?
            .0,
    )
}

#[test]
fn an_error_beside_a_document_is_a_failure_where_no_text_came() {
    for document in [
        json!({"title": "Ports", "error": "Timeout after 30 s", "description": "All about ports."}),
        json!({"title": "Ports", "error": "Timeout after 30 s", "content": ""}),
        json!({"title": "Ports", "success": false, "content": TEXT}),
        json!({"title": "Ports", "isError": true, "content": TEXT}),
    ] {
        let verdict = on(document.clone());
        assert_eq!(verdict.decision, Decision::Exclude, "{document}");
        assert!(
            verdict.why.iter().any(|why| why.contains("its retrieval failed")),
            "{:?}",
            verdict.why
        );
    }
    // A page about an error has such a field, too.
    let about =
        on(json!({"title": "E0277", "error": "E0277", "content": TEXT, "published_at": "2026-06-08"}));
    assert_ne!(about.decision, Decision::Exclude);
}

#[test]
fn a_status_within_metadata_is_not_that_of_the_retrieval() {
    let run = on(
        json!({"title": "Run 12", "content": TEXT, "semantic_score": 0.95, "published_at": "2026-06-08",
            "metadata": {"status": "failed"}}),
    );
    assert_ne!(run.decision, Decision::Exclude, "{:?}", run.why);
    let own = on(
        json!({"title": "Run 12", "content": TEXT, "semantic_score": 0.95, "published_at": "2026-06-08",
            "status": "failed"}),
    );
    assert_eq!(own.decision, Decision::Exclude);
}

#[test]
fn the_publication_comes_before_other_dates_wherever_it_stands() {
    let nested = json!({"title": "T", "content": TEXT, "date": "2026-06-08", "metadata": {"published_at": "2019-02-03"}});
    assert_eq!(published(&on(nested)), Some("2019-02-03"));
    // An unreadable one is not replaced by the date of a change.
    let unreadable =
        json!({"title": "T", "content": TEXT, "published_at": "03/04/2021", "updated_at": "2026-06-08"});
    assert_eq!(published(&on(unreadable)), None);
    let created = on(
        json!({"title": "T", "content": TEXT, "date_confidence": "high", "created_at": "2013-05-01", "updated_at": "2026-06-08"}),
    );
    assert_eq!(published(&created), Some("2013-05-01"));
    assert_eq!(
        created.provenance_readiness.timing_confidence,
        DateConfidence::Medium
    );
    let changed =
        on(json!({"title": "T", "content": TEXT, "date_confidence": "high", "updated_at": "2026-06-08"}));
    assert_eq!(
        changed.provenance_readiness.timing_confidence,
        DateConfidence::Low
    );
    assert!(
        changed.why.iter().any(|why| why.contains("its last change")),
        "{:?}",
        changed.why
    );
}

/// Of Crossref, of CSL and of feedparser: a year, a month, a day or a moment as numbers.
#[test]
fn dates_in_parts_are_read() {
    for (name, parts, day) in [
        ("issued", json!({"date-parts": [[2026, 6, 8]]}), "2026-06-08"),
        (
            "published-online",
            json!({"date-parts": [[2026, 6, 8]]}),
            "2026-06-08",
        ),
        (
            "published_parsed",
            json!([2026, 6, 8, 9, 30, 0, 0, 159, 0]),
            "2026-06-08",
        ),
        // Of a time whose zone nobody knows, the day.
        ("date", json!([2026, 6, 8, 9, 30]), "2026-06-08"),
        ("issued", json!({"date-parts": [[2026]]}), "2026-01-01"),
    ] {
        let verdict = on(json!({"title": "T", "content": TEXT, name: parts}));
        assert_eq!(published(&verdict), Some(day), "{name} {parts} {:?}", verdict.why);
    }
    for parts in [
        json!([2026, 13, 45]),
        json!([8, 6, 2026]),
        json!([[2026, 6, 8], [2025, 1, 1]]),
    ] {
        let verdict = on(json!({"title": "T", "content": TEXT, "date": parts}));
        assert_eq!(published(&verdict), None, "{parts}");
    }
}

#[test]
fn zero_values_and_ages_of_people_are_no_dates() {
    for date in [
        json!("1970-01-01T00:00:00Z"),
        json!("1900-01-01"),
        json!("10101010"),
        json!("2026/06/08 24:00:00"),
    ] {
        let verdict = on(json!({"title": "T", "content": TEXT, "published_at": date}));
        assert_eq!(
            (published(&verdict), verdict.freshness_score),
            (None, None),
            "{date}"
        );
    }
    let aged = on(json!({"title": "T", "content": TEXT, "metadata": {"age": 1800}}));
    assert_eq!(published(&aged), None);
}

#[test]
fn a_day_of_retrieval_lasts_until_its_end() {
    let noon = one(json!({"published_at": "2026-06-08T10:00:00Z", "retrieved_at": "2026-06-08"}));
    assert_eq!(noon.provenance_readiness.timing_confidence, DateConfidence::High);
}

#[test]
fn the_clock_is_a_moment_or_a_day() {
    for now in [json!("2026"), json!("2026-06"), json!(2026)] {
        let arguments = json!({"now": now, "signals": [signal(json!({}))]});
        let error = evaluated(&arguments).unwrap_err().to_string();
        assert!(error.contains("`now`"), "{now}: {error}");
    }
}

#[test]
fn whole_numbers_of_a_forum_are_votes() {
    for score in [0, 1, 2] {
        let post = on(json!({"title": "T", "content": TEXT, "source_type": "hackernews", "score": score}));
        assert_eq!(post.relevance, Some("not_judged"), "{score}");
        assert!(post.why[0].starts_with("Relevance not judged"), "{:?}", post.why);
    }
}

#[test]
fn all_lists_of_an_answer_are_read() {
    let page =
        |name: &str| json!({"url": format!("https://{name}.example/1"), "title": name, "description": TEXT});
    for (answer, failed) in [
        (json!({"data": {"web": [page("a")], "news": [page("b")]}}), 0),
        (
            json!({"web": {"results": [page("a")]}, "news": {"results": [page("b")]}}),
            0,
        ),
        (
            json!({"results": [page("a")], "failed_results": [{"url": "https://b.example/1", "error": "timeout"}]}),
            1,
        ),
    ] {
        let verdicts = all(json!({"signals": answer}));
        assert_eq!(verdicts.len(), 2, "{answer}");
        let excluded = verdicts
            .iter()
            .filter(|verdict| verdict.decision == Decision::Exclude);
        assert_eq!(excluded.count(), failed, "{answer}");
    }
}

#[test]
fn what_failed_is_no_measure_of_the_others_relevance() {
    let good = |at: usize| {
        json!({"title": format!("Renewing {at}"), "source": format!("https://k.example/{at}"),
        "content": format!("{TEXT} To renew a certificate number {at}, run the command with its name.")})
    };
    let query = json!("nginx wildcard certificate renewal dns01");
    let failed = json!({"title": "nginx wildcard certificate renewal dns01", "content": "nginx wildcard certificate renewal dns01",
        "http_status": 404, "source": "https://k.example/lost"});
    let budget = json!({"max_tokens": 1000});
    let chosen = |signals: Value| {
        let out = evaluated(&json!({"query": query, "budget": budget, "signals": signals})).unwrap();
        let selected = out.structured["selection"]["selected"]
            .as_array()
            .unwrap()
            .clone();
        let at = |it: &Value| usize::try_from(it["index"].as_u64().unwrap()).unwrap() - 1;
        selected
            .iter()
            .map(|it| signals[at(it)]["title"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        chosen(json!([failed, good(1), good(2)])),
        chosen(json!([good(1), good(2)]))
    );
}

#[test]
fn words_in_capitals_weigh_although_small_ones_would_not() {
    let arguments = json!({"query": "IT budget", "signals": [
        {"title": "Staff", "content": "The IT department costs three million.", "source": "https://k.example/1"},
        {"title": "Dogs", "content": "Dogs like to sleep in the sun.", "source": "https://k.example/2"}]});
    let verdicts = all(arguments);
    assert!(
        !verdicts[0].why[0].starts_with("Has 0 %"),
        "{:?}",
        verdicts[0].why
    );
    assert!(verdicts[1].why[0].starts_with("Has 0 %"), "{:?}", verdicts[1].why);
}

#[test]
fn a_year_or_a_month_is_shown_as_that_and_without_an_age() {
    for (date, zoned) in [("2026", "Published: 2026\n"), ("2026-05", "Published: 2026-05\n")] {
        let out = evaluated(
            &json!({"budget": {"max_tokens": 1000}, "signals": [{"title": "T", "content": TEXT,
            "source": "https://k.example/1", "published_at": date}]}),
        )
        .unwrap();
        let text = out.structured["assembly"]["text"].as_str().unwrap();
        assert!(text.contains(zoned) && !text.contains("Age:"), "{text}");
    }
}

#[test]
fn a_shorter_number_is_not_contained_in_a_longer_one() {
    let out = evaluated(&json!({"budget": {"max_tokens": 2000}, "signals": [
        {"title": "New", "source": "https://v.example/new", "published_at": "2026-06-08",
         "content": "The limit of requests per hour for a free account is 1000 since the change of this spring."},
        {"title": "Old", "source": "https://v.example/old", "published_at": "2026-06-07",
         "content": "The limit of requests per hour for a free account is 10"}]}))
    .unwrap();
    assert_eq!(
        out.structured["selection"]["selected"].as_array().map(Vec::len),
        Some(2)
    );
}

/// A document in LangChain's form.
fn chunk(text: &str, source: &str) -> Value {
    json!({"page_content": text, "metadata": {"source": source, "date": "2026-05-04"}})
}

#[test]
fn pairs_of_a_document_and_its_score_are_documents_with_scores() {
    let other = "Ropes are coiled by the night watch before the gates close.";
    for arguments in [
        json!({"signals": [[chunk(TEXT, "m/ports.md"), 0.83], [chunk(other, "m/ropes.md"), 0.21]]}),
        json!({"signals": [[0.83, chunk(TEXT, "m/ports.md")], [0.21, chunk(other, "m/ropes.md")]]}),
        json!({"signals": json!([[chunk(TEXT, "m/ports.md"), 0.83], [chunk(other, "m/ropes.md"), 0.21]]).to_string()}),
    ] {
        let evaluation = evaluated(&arguments).unwrap();
        let shown: Vec<(&str, &str, Decision)> = (evaluation.verdicts.iter())
            .map(|verdict| (verdict.source.as_str(), verdict.why[0].as_str(), verdict.decision))
            .collect();
        assert_eq!(shown[0].0, "m/ports.md", "{arguments}: {shown:?}");
        assert_eq!(shown[1].0, "m/ropes.md", "{shown:?}");
        assert!(
            shown.iter().all(|(.., decision)| *decision != Decision::Exclude),
            "{shown:?}"
        );
        assert_eq!(published(&evaluation.verdicts[0]), Some("2026-05-04"));
        assert!(
            evaluation.text.contains("pairs of a document"),
            "{}",
            evaluation.text
        );
    }
    let own = json!({"title": "Ports", "content": TEXT, "semantic_score": 0.9});
    let kept = evaluated(&json!({"signals": [[own, 0.1]]})).unwrap();
    assert!(kept.verdicts[0].rank_score > 0.6, "{:?}", kept.verdicts[0]);
}

#[test]
fn columns_are_documents() {
    let other = "Ropes are coiled by the night watch before the gates close.";
    let of_query = json!({
        "ids": [["a", "b"]], "embeddings": null, "documents": [[other, TEXT]],
        "metadatas": [[{"source": "m/ropes.md", "published": "2026-05-04"}, {"source": "m/ports.md", "published": "2026-05-05"}]],
        "distances": [[1.4, 0.12]], "included": ["documents", "metadatas", "distances"]});
    let of_get = json!({
        "ids": ["a", "b"], "documents": [other, TEXT],
        "metadatas": [null, {"source": "m/ports.md", "published": "2026-05-05"}]});
    for (columns, distances) in [(of_query, true), (of_get, false)] {
        for signals in [columns.clone(), json!([columns])] {
            let evaluation = evaluated(&json!({"signals": signals})).unwrap();
            let sources: Vec<&str> = (evaluation.verdicts.iter())
                .map(|verdict| verdict.source.as_str())
                .collect();
            assert_eq!(sources.len(), 2, "{signals}");
            let ports =
                &evaluation.verdicts[sources.iter().position(|source| *source == "m/ports.md").unwrap()];
            assert_eq!(published(ports), Some("2026-05-05"));
            let said = evaluation.text.contains("1 / (1 + distance)");
            assert_eq!(said, distances, "{}", evaluation.text);
            assert!(!distances || ports.index == 1, "{sources:?}");
        }
    }
}

#[test]
fn a_list_that_is_no_pair_says_what_it_is() {
    let verdict = all(json!({"signals": [[TEXT, "a"]]})).remove(0);
    assert_eq!(verdict.decision, Decision::Exclude);
    assert!(verdict.why[0].contains("a list"), "{:?}", verdict.why);
}

/// The sources in their order, each with its relevance as it is ranked, and the notes.
#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn order(signals: Value) -> (Vec<String>, String) {
    let evaluated = evaluated(&json!({"signals": signals})).unwrap();
    let sources = evaluated.verdicts.iter().map(|verdict| verdict.source.clone());
    (sources.collect(), evaluated.structured["notes"].to_string())
}

fn hit(source: &str, name: &str, number: impl Into<Value>) -> Value {
    json!({"source": source, "title": source, "content": TEXT, "published_at": "2026-06-08", name: number.into()})
}

/// Of searches and stores: numbers that no scale of 0 to 1 holds never end in a tie.
#[test]
fn numbers_of_searches_keep_their_order() {
    let named = |name: &str, numbers: [f64; 3]| {
        let hits = ["c", "a", "b"].into_iter().zip(numbers);
        order(hits.map(|(source, number)| hit(source, name, number)).collect())
    };
    for (name, numbers, note) in [
        ("distance", [0.9, 0.1, 0.4], "1 / (1 + distance)"),
        ("_distance", [31.0, 0.2, 7.0], "1 / (1 + distance)"),
        ("distance", [-0.4, -30.5, -12.0], "with their sign turned"),
        ("score", [0.4, 7.1, 2.2], "not from 0 to 1"),
        ("score", [0.016, 0.033, 0.032], "all below 0.1"),
    ] {
        let (sources, notes) = named(name, numbers);
        assert_eq!(sources, ["a", "b", "c"], "{name} {numbers:?}");
        assert!(
            notes.contains(note) && !notes.contains("Not read"),
            "{name} {numbers:?}: {notes}"
        );
    }
    // Milvus's similarities, the nearest first.
    let hits = [("a", 0.9), ("b", 0.4)].map(|(source, far)| hit(source, "distance", far));
    assert!(
        order(hits.into_iter().collect())
            .1
            .contains("read as similarities")
    );
    // The way to a job is none of a search.
    let job = json!([{"source": "a", "title": "a", "content": TEXT, "metadata": {"distance": 4.5}}]);
    assert!(order(job).1.contains("metadata.distance"));
}

#[test]
fn pairs_and_columns_with_negative_numbers_keep_their_order() {
    let document = |source: &str| json!({"page_content": TEXT, "metadata": {"source": source}});
    let (sources, notes) = order(json!([
        [document("a"), -11.2],
        [document("b"), -5.5],
        [document("c"), -0.4]
    ]));
    assert_eq!(sources, ["a", "b", "c"], "{notes}");
    let columns = json!({"ids": [["a", "b", "c"]], "documents": [[TEXT, TEXT, TEXT]], "distances": [[-30.5, -12.0, -0.4]]});
    let evaluated = evaluated(&json!({"signals": columns})).unwrap();
    let ranks: Vec<f64> = evaluated
        .verdicts
        .iter()
        .map(|verdict| verdict.rank_score)
        .collect();
    assert!(ranks.is_sorted_by(|one, next| one > next), "{ranks:?}");
    assert!(
        !evaluated.structured["notes"]
            .to_string()
            .contains("1 / (1 + distance)")
    );
}

#[test]
fn scores_that_are_all_0_say_nothing() {
    let hits = ["a", "b", "c"].map(|source| hit(source, "_score", 0.0));
    let evaluated = evaluated(&json!({"signals": hits})).unwrap();
    assert!(
        evaluated.structured["notes"]
            .to_string()
            .contains("All scores of these signals are 0")
    );
    let results = &evaluated.structured["results"];
    assert!(
        results
            .as_array()
            .unwrap()
            .iter()
            .all(|result| result["relevance"] == "not_judged"),
        "{results}"
    );
}

#[test]
fn the_text_of_a_node_of_llamaindex_is_read() {
    let node = json!({
        "id_": "li3", "embedding": null, "metadata": {"file_path": "/usr/share/doc/x.md", "last_modified_date": "2026-06-01"},
        "relationships": {}, "metadata_template": "{key}: {value}", "metadata_separator": "\n",
        "text_resource": {"embeddings": null, "text": TEXT, "path": null, "url": null, "mimetype": null},
        "image_resource": null, "text_template": "{metadata_str}\n\n{content}", "class_name": "Node"
    });
    for document in [node.clone(), json!({"node": node, "score": 0.8})] {
        let verdict = on(document);
        assert_ne!(verdict.decision, Decision::Exclude, "{:?}", verdict.why);
        assert_eq!(
            (verdict.id.as_ref(), verdict.source.as_str()),
            (Some(&json!("li3")), "/usr/share/doc/x.md")
        );
        assert_eq!(published(&verdict), Some("2026-06-01"));
    }
}

#[test]
fn a_percentage_is_a_score_and_unknown_scores_are_named() {
    let (sources, notes) = order(json!([
        hit("a", "score", "10%"),
        hit("b", "score", "91 %"),
        hit("c", "score", "35%")
    ]));
    assert_eq!(sources, ["b", "c", "a"], "{notes}");
    assert!(!notes.contains("Not read"), "{notes}");
    let hits = json!([
        hit("a", "cosine_similarity", 0.2),
        hit("b", "cosine_similarity", 0.9)
    ]);
    assert_eq!(order(hits).0, ["b", "a"]);
    for name in ["match_score", "bm25", "relevancy"] {
        let notes = order(json!([hit("a", name, 3.4)])).1;
        assert!(
            notes.contains("look like the scores of a search") && notes.contains(name),
            "{notes}"
        );
    }
}

/// GitHub's search for code says what matched beside the file's name.
#[test]
fn the_fragments_that_matched_are_read() {
    let file = json!({"name": "server.rs", "path": "src/server.rs", "html_url": "https://example.org/blob/server.rs",
        "score": 1.0, "text_matches": [{"object_type": "FileContent", "property": "content", "fragment": TEXT, "matches": []}]});
    let found = on(file);
    assert_ne!(found.decision, Decision::Exclude, "{:?}", found.why);
    let said = "The content was given as `text_matches`.";
    assert!(found.why.iter().any(|why| why == said), "{:?}", found.why);
}

/// Votes are no relevance, and of two spellings of a field the documented one counts.
#[test]
fn votes_order_nothing_and_the_documented_spelling_counts() {
    let post = |title: &str, score: u32| json!({"title": title, "url": "https://example.org/1", "selftext": TEXT, "score": score, "num_comments": 3});
    let verdicts =
        all(json!({"signals": [post("Pizza", 900), post("Ports", 1)], "query": "harbour server ports"}));
    assert_eq!(verdicts[0].title, "Ports", "{verdicts:?}");
    for dates in [
        r#"{"published_at": "2026-06-08", "publishedAt": "2019-01-01"}"#,
        r#"{"publishedAt": "2019-01-01", "published_at": "2026-06-08"}"#,
    ] {
        let mut document: Value = serde_json::from_str(dates).unwrap();
        document["content"] = json!(TEXT);
        let (_, notes) = order(json!([document.clone()]));
        assert_eq!(published(&on(document)), Some("2026-06-08"), "{dates}");
        assert!(notes.contains("publishedAt"), "{notes}");
    }
}
