//! Answers of pipelines, stores and interfaces as they come: the documents deep in them.

use super::*;
use crate::provenance::canonical_sha256;

const TEXTS: [&str; 2] = [
    "Rotate the signing key with the rotate command, then restart the gateway once.",
    "Backups run at two each night and are kept for thirty days.",
];

fn source(number: usize) -> String {
    format!("https://docs.example.com/{number}")
}

/// The facts of a page under the names that stores keep as they are given.
fn facts(number: usize) -> Value {
    json!({"url": source(number), "title": format!("Page {number}"), "date": "2026-05-20"})
}

/// A page with its text among its facts.
fn page(number: usize) -> Value {
    let mut page = facts(number);
    page["text"] = TEXTS[number].into();
    page
}

/// One list of documents, the nearest first, that each form is made of.
fn pages(of: impl Fn(usize) -> Value) -> Value {
    json!([of(0), of(1)])
}

/// Reads two pages as the whole `signals`, and an object as one element of them, too.
fn assert_read(what: &str, answer: &Value) {
    // A list is the signals themselves.
    let among = answer.is_object().then(|| json!([answer]));
    for signals in [answer.clone()].into_iter().chain(among) {
        let read =
            evaluated(&json!({"signals": signals})).unwrap_or_else(|error| panic!("{what}: {error:?}"));
        let seen: Vec<(&str, Option<&str>)> = read
            .verdicts
            .iter()
            .map(|verdict| {
                let origin = &verdict.provenance_readiness;
                (
                    verdict.source.as_str(),
                    origin.canonical_content_sha256.as_deref(),
                )
            })
            .collect();
        let [first, second] = TEXTS.map(canonical_sha256);
        let (one, two) = (source(0), source(1));
        assert_eq!(
            seen,
            [
                (one.as_str(), Some(first.as_str())),
                (two.as_str(), Some(second.as_str()))
            ],
            "{what}: {}",
            read.text
        );
    }
}

fn relevance(number: usize) -> f64 {
    [0.9, 0.4][number]
}

#[test]
fn documents_of_pipelines_are_read() {
    let haystack = |score: f64, number: usize| json!({"id": format!("h{number}"), "content": TEXTS[number], "blob": null, "meta": facts(number), "score": score});
    let of_haystack = pages(|number| haystack(relevance(number), number));
    let langchain = pages(
        |number| json!({"id": number.to_string(), "metadata": facts(number), "page_content": TEXTS[number], "type": "Document"}),
    );
    let nodes = pages(
        |number| json!({"node": {"id_": number.to_string(), "metadata": facts(number), "text": TEXTS[number]}, "score": relevance(number)}),
    );
    for (what, answer) in [
        ("Haystack", json!({"retriever": {"documents": of_haystack}})),
        (
            "Haystack, several components",
            json!({"retriever": {"documents": of_haystack}, "prompt_builder": {"prompt": "Answer."},
                "llm": {"replies": ["Rotate it."], "meta": [{"model": "m", "usage": {}}]}}),
        ),
        (
            "Haystack, the retriever's documents again by its ranker",
            json!({"retriever": {"documents": pages(|number| haystack([3.2, 12.1][number], number))},
                "ranker": {"documents": of_haystack}}),
        ),
        (
            "Haystack's dump",
            pages(
                |number| json!({"type": "haystack.dataclasses.document.Document", "init_parameters": haystack(relevance(number), number)}),
            ),
        ),
        (
            "LangChain chain",
            json!({"input": "q", "context": langchain, "answer": "Rotate it."}),
        ),
        (
            "LangChain source documents",
            json!({"query": "q", "result": "Rotate it.", "source_documents": langchain}),
        ),
        (
            "LlamaIndex in TypeScript",
            json!({"sourceNodes": nodes, "response": "Rotate it."}),
        ),
        (
            "LlamaCloud",
            json!({"pipeline_id": "p", "retrieval_nodes": nodes, "image_nodes": []}),
        ),
        (
            "Dify",
            json!({"records": pages(|number| {
                let mut segment = page(number);
                segment["id"] = number.into();
                json!({"segment": segment, "score": relevance(number)})
            })}),
        ),
    ] {
        assert_read(what, &answer);
    }
}

#[test]
fn documents_of_stores_are_read() {
    let points = pages(
        |number| json!({"id": number, "version": 3, "score": relevance(number), "payload": page(number)}),
    );
    let milvus = pages(|number| json!({"id": number, "distance": relevance(number), "entity": page(number)}));
    let hits = pages(
        |number| json!({"_index": "i", "_id": number.to_string(), "_score": relevance(number) * 9.0, "_source": page(number)}),
    );
    let weaviate = pages(|number| {
        json!({"uuid": number.to_string(), "metadata": {"distance": ([0.1, 0.6][number]), "score": null},
            "properties": page(number), "vector": {}})
    });
    let lists = |page: fn(usize) -> Value| {
        pages(move |number| {
            let fields = page(number);
            let each = fields.as_object().unwrap().iter();
            each.map(|(name, value)| (name.clone(), json!([value]))).collect()
        })
    };
    let listed = lists(page);
    let listed = || listed.as_array().unwrap().iter().zip([3.1, 1.2]);
    let solr: Value = listed()
        .map(|(fields, score)| {
            let mut fields = fields.clone();
            fields["score"] = score.into();
            fields
        })
        .collect();
    let fields: Value = listed()
        .map(|(fields, score)| json!({"_id": "x", "_score": score, "fields": fields}))
        .collect();
    for (what, answer) in [
        (
            "Qdrant's groups",
            json!({"result": {"groups": [{"id": "x", "hits": [points[0]]}, {"id": "y", "hits": [points[1]]}]}, "status": "ok"}),
        ),
        (
            "Qdrant's batch",
            json!({"result": [[points[0]], [points[1]]], "status": "ok"}),
        ),
        ("Qdrant's scroll", json!([points, null])),
        ("Milvus's client", json!([milvus])),
        (
            "Milvus's client, wrapped",
            json!({"data": [milvus], "extra_info": {"cost": 0}}),
        ),
        ("Weaviate's client", json!({"objects": weaviate})),
        (
            "Pinecone's fetch",
            json!({"vectors": {"a": {"id": "a", "values": [0.1], "metadata": page(0)}, "b": {"id": "b", "metadata": page(1)}}, "namespace": "n"}),
        ),
        (
            "Elasticsearch, several searches",
            json!({"took": 3, "responses": [{"hits": {"hits": hits}}]}),
        ),
        ("Elasticsearch's fields", json!({"hits": {"hits": fields}})),
        ("Solr", json!({"response": {"numFound": 2, "docs": solr}})),
        (
            "Vespa",
            json!({"root": {"id": "toplevel", "relevance": 1.0, "children": pages(|number| {
                json!({"id": format!("id:ns:doc::{number}"), "relevance": relevance(number), "fields": page(number)})
            })}}),
        ),
        (
            "Typesense's groups",
            json!({"found": 2, "grouped_hits": pages(|number| json!({"group_key": [number], "hits": [{"document": page(number), "vector_distance": ([0.1, 0.5][number])}]}))}),
        ),
        (
            "Chroma without documents",
            json!({"ids": [["a", "b"]], "documents": null, "distances": [[0.1, 0.6]], "metadatas": [pages(page)]}),
        ),
        (
            "Upstash Vector",
            json!({"result": pages(|number| json!({"id": number.to_string(), "score": relevance(number), "metadata": facts(number), "data": TEXTS[number]}))}),
        ),
        (
            "turbopuffer",
            json!({"rows": pages(|number| {
                let mut row = page(number);
                row["$dist"] = [0.1, 0.7][number].into();
                row
            })}),
        ),
        (
            "a table of LangChain's for pgvector",
            pages(
                |number| json!({"document": TEXTS[number], "cmetadata": facts(number), "distance": ([0.1, 0.5][number])}),
            ),
        ),
        (
            "OpenSearch's neural search",
            json!({"hits": {"hits": pages(|number| {
                let mut fields = facts(number);
                fields["passage_text"] = TEXTS[number].into();
                json!({"_id": number.to_string(), "_score": relevance(number), "_source": fields})
            })}}),
        ),
    ] {
        assert_read(what, &answer);
    }
}

#[test]
fn documents_of_search_interfaces_are_read() {
    let bedrock = pages(|number| {
        json!({"content": {"text": TEXTS[number], "type": "TEXT"}, "location": {"type": "CONFLUENCE", "confluenceLocation": {"url": source(number)}},
            "score": relevance(number), "metadata": {"x-amz-bedrock-kb-chunk-id": number.to_string()}})
    });
    let files = pages(
        |number| json!({"file_id": number.to_string(), "filename": "keys.md", "score": relevance(number), "attributes": facts(number), "text": TEXTS[number]}),
    );
    let call = json!({"id": "fs", "type": "file_search_call", "status": "completed", "queries": ["q"], "results": files});
    let answer = json!({"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "Rotate it.", "annotations": []}]});
    for (what, answer) in [
        ("Bedrock", json!({"retrievalResults": bedrock, "nextToken": null})),
        (
            "Bedrock, generated",
            json!({"sessionId": "s", "output": {"text": "Rotate it."}, "citations": [{"retrievedReferences": bedrock}]}),
        ),
        (
            "OpenAI",
            json!({"id": "r", "object": "response", "output": [call, answer]}),
        ),
        (
            "Vertex AI Search",
            json!({"results": pages(|number| json!({"id": number.to_string(), "document": {"name": "projects/p/x", "derivedStructData":
                {"link": source(number), "title": "Page", "snippets": [{"snippet": "Cut"}], "extractive_answers": [{"content": TEXTS[number]}]}}}))}),
        ),
        (
            "MCP, with structured content",
            json!({"content": [{"type": "text", "text": "{\"results\": []}"}], "structuredContent": {"results": pages(page)}, "isError": false}),
        ),
        (
            "MCP, embedded resources",
            json!({"content": pages(|number| json!({"type": "resource", "resource": {"uri": source(number), "mimeType": "text/plain", "text": TEXTS[number]}}))}),
        ),
        (
            "JSON Feed",
            json!({"version": "https://jsonfeed.org/version/1.1", "title": "Notes", "description": "About keys.", "items": pages(page)}),
        ),
        (
            "feedparser",
            json!({"feed": {"title": "Notes"}, "href": "https://docs.example.com/rss", "entries": pages(page)}),
        ),
        (
            "Slack's search",
            json!({"ok": true, "messages": {"total": 2, "matches": pages(|number| json!({"type": "message", "ts": "1779235200.000100", "text": TEXTS[number], "permalink": source(number)}))}}),
        ),
        (
            "Microsoft Graph's mail",
            json!({"value": pages(|number| json!({"id": number.to_string(), "subject": "Keys", "sentDateTime": "2026-05-20T00:00:00Z", "webLink": source(number),
                "bodyPreview": "Cut", "body": {"contentType": "text", "content": TEXTS[number]}}))}),
        ),
        (
            "WordPress",
            pages(|number| {
                json!({"id": number, "link": source(number), "date": "2026-05-20", "title": {"rendered": "Keys"},
                "excerpt": {"rendered": "Cut"}, "content": {"rendered": TEXTS[number], "protected": false}})
            }),
        ),
        (
            "Anthropic's documents",
            pages(|number| {
                json!({"type": "web_fetch_result", "url": source(number), "content":
                {"type": "document", "title": "Keys", "source": {"type": "text", "media_type": "text/plain", "data": TEXTS[number]}}})
            }),
        ),
    ] {
        assert_read(what, &answer);
    }
}

/// The model's words are no document; what it searched is.
#[test]
fn a_message_of_a_model_is_read_for_what_it_searched() {
    let found = pages(
        |number| json!({"type": "web_search_result", "url": source(number), "title": format!("Page {number}")}),
    );
    let message = json!({"id": "m", "type": "message", "role": "assistant", "content": [
        {"type": "text", "text": "I search."},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": found}]});
    let grounded = json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "Rotate it."}]}, "groundingMetadata":
        {"groundingChunks": pages(|number| json!({"web": {"uri": source(number), "title": format!("Page {number}")}}))}}]});
    for answer in [message, grounded] {
        let read = evaluated(&json!({"signals": answer})).unwrap();
        let sources: Vec<&str> = read
            .verdicts
            .iter()
            .map(|verdict| verdict.source.as_str())
            .collect();
        assert_eq!(sources, [source(0), source(1)], "{}", read.text);
    }
}

#[test]
fn what_a_reranker_says_counts_before_the_search() {
    let read = evaluated(&json!({"signals": {"value": pages(|number| {
        let mut page = page(number);
        page["@search.score"] = [1.9, 2.4][number].into();
        page["@search.rerankerScore"] = [2.9, 1.1][number].into();
        page
    })}}))
    .unwrap();
    assert_eq!(read.verdicts[0].source, source(0), "{}", read.text);
}

#[test]
fn what_holds_no_document_is_refused_by_its_fields_and_a_failure_is_excluded() {
    for answer in [
        json!({"took": 3, "model": {"name": "m"}}),
        json!({"role": "assistant", "choices": [{"message": {"role": "assistant", "content": "Rotate it."}}]}),
    ] {
        let refused = evaluated(&json!({"signals": answer})).unwrap_err();
        assert!(refused.to_string().contains("there is no document"), "{refused}");
    }
    for answer in [
        json!({"content": [{"type": "text", "text": "The store could not be reached."}], "isError": true}),
        json!({"success": false, "error": "Timed out"}),
    ] {
        let read = evaluated(&json!({"signals": answer})).unwrap();
        assert_eq!(read.verdicts[0].decision, Decision::Exclude, "{}", read.text);
    }
    // Ids alone hold nothing to evaluate.
    let bare = evaluated(&json!({"signals": {"ids": [["a"]], "distances": [[0.2]]}})).unwrap();
    assert_eq!(bare.verdicts[0].decision, Decision::Exclude, "{}", bare.text);
}

/// A large answer costs no more than its size.
#[test]
fn many_lists_are_read_in_time() {
    let lists: Vec<Value> = (0..20_000).map(|_| json!([[{"a": 1}]])).collect();
    let refused = evaluated(&json!({"signals": {"pages": lists}})).unwrap_err();
    assert!(refused.to_string().contains("there is no document"), "{refused}");
}

/// Blocks of text under `content` are one document, not several.
#[test]
fn a_document_in_blocks_stays_one() {
    let blocks = json!([{"type": "text", "text": TEXTS[0]}]);
    for document in [
        json!({"type": "search_result", "source": source(0), "title": "Keys", "content": blocks}),
        json!({"file_id": "f", "filename": "keys.md", "score": 0.7, "attributes": facts(0), "content": blocks}),
    ] {
        let read = evaluated(&json!({"signals": [document]})).unwrap();
        assert_eq!(
            (read.verdicts.len(), read.verdicts[0].source.clone()),
            (1, source(0)),
            "{}",
            read.text
        );
    }
}

/// What a document refers to has its own title and day.
#[test]
fn a_reference_does_not_date_the_document_that_refers_to_it() {
    let referring = json!({"content": TEXTS[0], "title": "Keys", "date": "2026-05-20", "source": source(0),
        "reference": {"title": "An old paper", "published_at": "2010-05-05", "url": source(1)}});
    let of_assistant = json!({"type": "text", "content": TEXTS[0], "score": 0.9,
        "reference": {"type": "pdf", "file": {"name": "keys.pdf", "created_on": "2026-05-20T00:00:00Z", "url": source(0)}, "pages": [1]}});
    for signal in [referring, of_assistant] {
        let read = evaluated(&json!({"signals": [signal]})).unwrap();
        let verdict = &read.verdicts[0];
        assert_eq!(verdict.source, source(0), "{}", read.text);
        let published = verdict
            .provenance_readiness
            .published_at
            .as_deref()
            .unwrap_or_default();
        assert!(published.starts_with("2026-05-20"), "{published}: {}", read.text);
    }
}

/// The score of a document of a day.
fn score_of(day: &str) -> Option<u8> {
    let document = json!({"title": "Operations", "date": day, "url": source(0), "text": TEXTS[0]});
    let score = evaluated(&json!({"signals": [document]})).unwrap().verdicts[0].freshness_score;
    assert!(score.is_some());
    score
}

/// A document in parts has its title, date and origin once, above its chunks.
#[test]
fn parts_have_what_their_document_says() {
    let chunks =
        json!([{"id": "0", "text": TEXTS[0], "score": 0.9}, {"id": "1", "text": TEXTS[1], "score": 0.8}]);
    let document =
        |id: &str| json!({"id": id, "title": "Operations", "date": "2026-05-20", "chunks": chunks});
    let at = |id: &str| {
        let mut document = document(id);
        document["url"] = "https://docs.example.com/ops".into();
        document
    };
    for (what, signals, source) in [
        ("alone", document("ops"), "ops"),
        ("in a list", json!([document("ops")]), "ops"),
        ("in results", json!({"results": [document("ops")]}), "ops"),
        ("with its address", at("ops"), "https://docs.example.com/ops"),
        (
            "with its address, in a list",
            json!([at("ops")]),
            "https://docs.example.com/ops",
        ),
        (
            "with its address, in results",
            json!({"results": [at("ops")]}),
            "https://docs.example.com/ops",
        ),
    ] {
        let read = evaluated(&json!({"signals": signals})).unwrap();
        let seen: Vec<_> = read
            .verdicts
            .iter()
            .map(|verdict| {
                (
                    verdict.source.as_str(),
                    verdict.title.as_str(),
                    verdict.freshness_score,
                )
            })
            .collect();
        let wanted = (source, "Operations", score_of("2026-05-20"));
        assert_eq!(seen, [wanted, wanted], "{what}: {}", read.text);
        assert!(!read.text.contains("Not read"), "{what}: {}", read.text);
    }
    // Parts are counted from 0 in each document.
    let read = evaluated(&json!({"signals": {"results": [document("ops"), document("other")]}})).unwrap();
    assert_eq!(read.verdicts.len(), 4, "{}", read.text);
}

/// What a part says of itself counts, and a document with a text of its own is one document.
#[test]
fn parts_keep_what_they_say() {
    let part = json!({"text": TEXTS[0], "title": "Keys", "last_modified": "2026-04-02", "url": "https://docs.example.com/ops#keys"});
    let document = json!({"id": "ops", "title": "Operations", "date": "2026-05-20", "chunks": [part]});
    let read = evaluated(&json!({"signals": [document]})).unwrap();
    let verdict = &read.verdicts[0];
    assert_eq!(verdict.title, "Keys");
    assert_eq!(verdict.source, "https://docs.example.com/ops#keys");
    assert_eq!(verdict.freshness_score, score_of("2026-04-02"));
    let whole =
        json!({"id": "ops", "title": "Operations", "text": TEXTS.join(" "), "chunks": [{"text": TEXTS[0]}]});
    let read = evaluated(&json!({"signals": [whole]})).unwrap();
    assert_eq!(read.verdicts.len(), 1, "{}", read.text);
}

/// What restricts a document, or says that it failed or does not stand, holds for its parts.
#[test]
fn parts_are_restricted_as_their_document_is() {
    let with = |name: &str, value: Value| {
        let mut document = json!({"id": "ops", "title": "Operations", "url": source(0), "date": "2026-05-20",
            "chunks": [{"text": TEXTS[0], "metadata": {"page": 3}}, TEXTS[1]]});
        document[name] = value;
        let budget = json!({"max_tokens": 4_000});
        evaluated(&json!({"signals": [document], "query": "rotate signing key backups", "budget": budget}))
            .unwrap()
    };
    let plain = with("language", json!("en"));
    assert!(
        plain.text.contains(TEXTS[0]) && plain.text.contains(TEXTS[1]),
        "{}",
        plain.text
    );
    for (name, value) in [
        ("metadata", json!({"sensitivity": "restricted"})),
        ("metadata", json!({"permission": "denied"})),
        ("metadata", json!({"policy": {"decision": "deny", "ref": "p1"}})),
        ("retracted", json!(true)),
        ("success", json!(false)),
        ("isError", json!(true)),
        ("status", json!("failed")),
    ] {
        let read = with(name, value.clone());
        for text in TEXTS {
            assert!(!read.text.contains(text), "{name} {value}: {}", read.text);
        }
    }
    let bare = json!({"metadata": {"sensitivity": "secret"}, "passages": [{"text": TEXTS[0]}]});
    let read =
        evaluated(&json!({"signals": [bare], "query": "signing key", "budget": {"max_tokens": 4_000}}))
            .unwrap();
    assert!(!read.text.contains(TEXTS[0]), "{}", read.text);
    // One that says more than its parts can carry is not taken apart, and says what was not read.
    let read = with(
        "metadata",
        json!({"note": "x".repeat(5_000), "sensitivity": "restricted"}),
    );
    assert!(!read.text.contains(TEXTS[0]), "{}", read.text);
}

/// Null says nothing, an answer's own moment is no document's, and no list beside another is lost.
#[test]
fn parts_are_read_with_care() {
    let nulls = json!({"text": TEXTS[0], "title": null, "date": null, "url": null});
    let document = json!({"id": "ops", "title": "Operations", "url": source(0), "date": "2026-05-20", "chunks": [nulls]});
    let read = evaluated(&json!({"signals": [document]})).unwrap();
    assert_eq!(read.verdicts[0].freshness_score, score_of("2026-05-20"));
    assert_eq!(read.verdicts[0].title, "Operations");
    assert_eq!(read.verdicts[0].id, Some(json!("ops")));

    let answer = json!({"id": "req_1", "created_at": "2026-05-20", "passages": [{"text": TEXTS[0]}]});
    let read = evaluated(&json!({"signals": answer})).unwrap();
    assert_eq!(read.verdicts[0].freshness_score, None, "{}", read.text);

    let both = json!({"documents": [page(0)], "chunks": [{"text": TEXTS[1]}]});
    let read = evaluated(&json!({"signals": both})).unwrap();
    assert_eq!(read.verdicts[0].source, source(0), "{}", read.text);

    let hit = json!({"_score": 1.5, "_source": {"title": "Operations", "url": source(0), "date": "2026-05-20",
        "chunks": [{"text": TEXTS[0]}]}});
    let read = evaluated(&json!({"signals": {"hits": {"hits": [hit]}}})).unwrap();
    assert_eq!(
        read.verdicts[0].freshness_score,
        score_of("2026-05-20"),
        "{}",
        read.text
    );
    assert!(!read.text.contains("Not read"), "{}", read.text);

    // Each part of a long text costs no more for a document that says much.
    let chunks: Vec<Value> = (0..400).map(|_| json!({"text": "a"})).collect();
    let large = json!({"title": "t".repeat(1 << 20), "chunks": chunks});
    assert!(evaluated(&json!({"signals": [large]})).is_ok());
}
